#!/bin/bash
# etw_damage.sh: .etl files that are refused, and what is left of damaged ones.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
samples=$PERFTAB_SOURCE/sample-traces/etw
raw=$samples/good-basic.etl packed=$samples/good-basic-compressed.etl

# patched FILE OFFSET BYTES: a copy with these bytes (as printf writes them) there
patched() {
	cp "$1" "$work/patched.etl"
	# shellcheck disable=SC2059 # the bytes are a format
	printf "$3" | dd of="$work/patched.etl" bs=1 seek=$(($2)) conv=notrunc status=none
}

# finds KIND COUNT: the last convert's database has so many of this finding
finds() {
	local got
	got=$(sql "$work/x.db" "SELECT coalesce(sum(count), 0) FROM finding WHERE kind = '$1'")
	[ "$got" = "$2" ] || fail "$what: finding $1: $got, expected $2"
}

convert() { # STATUS WHAT
	what=$2
	rm -f "$work/x.db"
	status "$1" "$2" perftab-convert "$work/patched.etl" -o "$work/x.db"
}

# --- refused, with a sentence ---

status 0 "a pipe" perftab-analyze --csv - < <(cat "$raw")
perftab-analyze --csv "$raw" | cmp -s - "$work/out" || fail "a pipe: another bill than the file"
for version in 0 1 2; do
	patched "$raw" 0x6c "\005\00$version"
	reports 1 "Windows 5.$version" "Windows 5.$version (XP or 2003)" perftab-analyze "$work/patched.etl"
done
head -c 90 "$raw" >"$work/patched.etl"
reports 1 "90 bytes" "unknown trace format" perftab-analyze "$work/patched.etl"
printf '' >"$work/patched.etl"
reports 1 "an empty file" "is empty, expected a trace" perftab-analyze "$work/patched.etl"

# --- damaged, and what is left ---

all=$(perftab-analyze --csv --by cpu "$raw" | awk -F, 'NR > 1 { n += $2 } END { print n }')

# The header of the fourth buffer: the others are found by the length they all have.
size=$(od -An -tu4 -N4 "$raw" | tr -d ' ')
patched "$raw" $((3 * size)) '\007\000\000\000'
convert 3 "a buffer's size"
finds bad_record 1
got=$(sql "$work/x.db" 'SELECT count(*) FROM context_switch')
[ "$got" -gt 0 ] && [ "$got" -lt "$all" ] || fail "a buffer's size: $got of $all switches are left"
[ "$(sql "$work/x.db" "SELECT first_offset || ' ' || end_offset FROM finding WHERE kind = 'bad_record'")" = "$((3 * size)) $((4 * size))" ] ||
	fail "a buffer's size: the gap is $(sql "$work/x.db" "SELECT first_offset, end_offset FROM finding WHERE kind = 'bad_record'")"

# The marker of its second event: the rest of that buffer.
at=$((3 * size + 0x48))
at=$((at + (($(od -An -tu2 -j $((at + 4)) -N2 "$raw") + 7) & ~7)))
patched "$raw" $((at + 3)) '\102'
convert 3 "an event's marker"
finds bad_record 1

# Zeroes where it was, as of a page that was never written.
patched "$raw" "$at" '\000\000\000\000\000\000\000\000'
convert 3 "zeroes"
finds bad_record 1
# The header says that less is valid than there is.
patched "$raw" $((3 * size + 0x30)) '\110\000\000\000'
convert 3 "a buffer that is said to be empty"
finds bad_record 1
# One bit of a buffer's size: that buffer alone.
patched "$raw" $((3 * size)) '\010'
convert 3 "a bit of a buffer's size"
finds bad_record 1
holds "$what: more than that buffer is lost" "$work/x.db" "$got" 'SELECT count(*) FROM context_switch'

# No frequency: the clock is taken for one of 10 MHz, which it is.
patched "$raw" $((0x48 + 0x20 + 0x100)) '\000\000\000\000\000\000\000\000'
status 3 "no frequency" perftab-analyze --csv "$work/patched.etl"
perftab-analyze --csv "$raw" >"$work/wanted" 2>/dev/null
same "no frequency" "$work/wanted" "$work/out"

# Unknown bits of a header: the event is counted and not decoded, and the interval is lost.
at=$(perl -e 'local $/; open my $f, "<:raw", $ARGV[0]; my $d = <$f>; my $at = 0x1000;
	while (($at = index $d, "\x24\x05", $at) >= 0) { if (substr($d, $at - 4, 2) eq "\x11\xc0" && ++$n == 20) { print $at - 5; last } $at++ }' "$raw")
patched "$raw" "$at" '\112'
convert 0 "spare bits"
finds header_bits 1
finds lost_window 1

# A compressed buffer whose bytes are not Xpress, and one of another method.
first=$(od -An -tu4 -N4 "$packed" | tr -d ' ')
patched "$packed" $((first + 0x48)) '\377\377\377\377\377\377'
convert 3 "a body"
finds bad_compressed 1
patched "$packed" $((first + 0x2c)) '\004'
convert 3 "XPRESS_HUFF"
finds bad_compressed 1
grep -q XPRESS_HUFF <<<"$(sql "$work/x.db" "SELECT text FROM finding WHERE kind = 'bad_compressed'")" || fail "XPRESS_HUFF: not named"

# --- buffers that are too large to be held for all CPUs at a time ---

# One more buffer, of 15 MiB and without an event, makes the reader put whole buffers in order.
large() { # FILE
	cp "$1" "$work/large.etl"
	perl -e 'local $/; open my $f, "+<:raw", $ARGV[0]; my $d = <$f>; my ($at, $last) = (0, 0);
		while ($at < length $d) {
			my ($size) = unpack "V", substr $d, $at, 4;
			my ($sequence) = unpack "V", substr $d, $at + 0x18, 4;
			$last = $sequence if $sequence > $last;
			$at += $size;
		}
		# Compressed: one ff, and pairs of matches that repeat it, 558 bytes each, 15 MiB in
		# all, which is not an event.
		my ($body, $bytes, @items) = ("", 1, (["\xff", 0]));
		while ($bytes < 15 << 20) {
			push @items, ["\x07\x00\xff\xfe", 1], ["\x07\x00\xfe", 1];
			$bytes += 558;
		}
		while (@items) {
			my @some = splice @items, 0, 32;
			my $flags = join "", map { $_->[1] } @some;
			$body .= pack "V", oct "0b" . $flags . "1" x (32 - length $flags);
			$body .= join "", map { $_->[0] } @some;
		}
		my $header = substr $d, 0, 0x48;
		substr $header, 0, 4, pack "V", 0x48 + length $body;
		substr $header, 0x18, 8, pack "Q<", $last + 1;
		substr $header, 0x2c, 2, pack "v", 3;
		substr $header, 0x30, 8, pack "Vvv", 0x48 + $bytes, 0x60, 0;
		seek $f, 0, 2; print $f $header, $body' "$work/large.etl"
}
for file in "$raw" "$packed" "$samples/good-everything.etl" "$samples/good-lost-buffer.etl"; do
	large "$file"
	for by in thread cpu; do
		perftab-analyze --csv --by $by "$file" >"$work/wanted" 2>/dev/null
		status 0 "large ${file##*/}" perftab-analyze --csv --by $by "$work/large.etl"
		same "${file##*/}: another bill with whole buffers in order" "$work/wanted" "$work/out"
	done
done

# Whatever was lost, the books balance.
for file in "$samples"/*.etl "$work"/patched.etl; do
	perftab-analyze --check "$file" >"$work/out" 2>/dev/null
	books "${file##*/}"
done
finish
