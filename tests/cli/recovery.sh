#!/bin/bash
# recovery.sh: around a damaged place all else is read: one finding for each gap, from where
# to where it goes, and every record outside it.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
PATH=$helpers/tests/damage:$PATH
cd "$work" || exit 1
cp "$PERFTAB_SOURCE/sample-traces/perf/good-switch-group.data" good.data
status 0 "good" perftab-convert good.data -o good.db
damage list good.data >good.list || fail "damage list"
make_trace --form pipe basic pipe || fail "make_trace"
make_trace --form dir basic dir || fail "make_trace"

# offset N, size N: of the Nth record
offset() { sed -n "$1p" good.list | cut -d' ' -f1; }
size() { sed -n "$1p" good.list | cut -d' ' -f2; }

# put FILE OFFSET BYTES: BYTES in the notation of printf
put() {
	# shellcheck disable=SC2059
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null || fail "put $1"
}

# junk N: N bytes that are not a record
junk() { yes $'\xa5\x5a\xff' | tr -d '\n' | head -c "$1"; }

# counts DATABASE: of each type of record
counts() { sql "$1" "SELECT type, sum(records) FROM record_count GROUP BY type HAVING sum(records) > 0 ORDER BY type"; }

# without LINE...: the counts of good.data less these records of good.list
without() {
	awk -v skip=" $* " 'index(skip, " " NR " ") == 0 { n[$3]++ } END { for (type in n) print type "|" n[type] }' good.list | sort -n
}

# damaged NAME WANTED...: NAME.data is read, to NAME.db, but for these rows of finding:
# kind|first_offset|end_offset, in the order of their offsets
damaged() {
	local name=$1
	shift
	: >"$name.wanted"
	[ $# -eq 0 ] || printf '%s\n' "$@" >"$name.wanted"
	status 3 "$name: convert" perftab-convert "$name.data" -o "$name.db"
	sql "$name.db" "SELECT kind, first_offset, end_offset FROM finding WHERE severity = 'damage' AND kind <> 'unfinished'
		ORDER BY first_offset, end_offset" >got
	same "$name: findings" "$name.wanted" got
	echo "$name" >>names
	printf '%s\t%s\tfew\n' "$work/$name.data" "$name" >>roads-wanted
}

# damaged_each: what was damaged is checked, listed, and refused by --strict
damaged_each() {
	local name what code got from to
	mkdir said
	while read -r name; do
		printf '%s\tperftab-analyze\t%s\t%s.data\n' "$name.check" --check "$name" "$name.strict" --strict "$name"
		printf '%s\tperftab-convert\t%s\t%s.data%s\n' "$name.list" --list "$name" '' "$name.strict-list" $'--strict\t--list' "$name" '' \
			"$name.json" $'--list\t--json' "$name" '' "$name.strict-convert" --strict "$name" $'\t-o\tsaid/'"$name.db"
	done <names >lines
	run_lines said <lines
	while read -r name; do
		while read -r what code; do
			read -r got <"said/$name.$what.exit"
			# Cut off before its second switch it has no books.
			[ "$what" != check ] || ! grep -qx 'Nothing to check.' "said/$name.check.out" || code=1
			[ "$got" = "$code" ] || fail "$name: $what: exit status $got, expected $code: $(head -2 "said/$name.$what.err")"
		done <<<$'check 3\nlist 3\njson 3\nstrict 1\nstrict-list 1\nstrict-convert 1'
		cp "said/$name.check.out" out
		grep -qx 'Nothing to check.' out || books "$name"
		tr -s ' \n' ' ' <"said/$name.list.out" >list
		while IFS='|' read -r _ from to; do
			[ -n "$to" ] || continue
			grep -qF "bytes $(printf '0x%x to 0x%x' "$from" "$to")" list || fail "$name: list does not show the gap from $from to $to"
		done <"$name.wanted"
		printf ".once said/%s.gaps\n%s\n" "$name" "SELECT value->>'kind', value->>'first_offset', value->>'end_offset'
			FROM json_each(readfile('said/$name.json.out'), '\$.inputs[0].findings') WHERE value->>'severity' = 'damage'
			AND value->>'kind' <> 'unfinished' ORDER BY value->>'first_offset', value->>'end_offset';" >&3
	done <names 3>ask.sql
	sqlite3 -batch <ask.sql >got 2>&1
	[ ! -s got ] || fail "list --json: $(head -2 got)"
	while read -r name; do same "$name: list --json" "$name.wanted" "said/$name.gaps"; done <names
}

# kept NAME WITNESS: all records are there, but for those of the file WITNESS
kept() {
	counts "$1.db" >got
	same "$1: records that are read" "$2" got
}

# Without damage nothing is lost, so that what follows means something.
without >wanted
kept good wanted
[ "$(wc -l <good.list)" -ge 300 ] || fail "too short a sample: $(wc -l <good.list) records"

# A size of zero, which also ends nothing; an odd one; one that runs past the end; two at once.
n=250
damage zero good.data "$(offset $n)" zero.data >out
damaged zero "bad_record|$(offset $n)|$(offset $((n + 1)))"
without $n >wanted
kept zero wanted
cp good.data odd.data
put odd.data $(($(offset $n) + 6)) '\x63\x00'
damaged odd "bad_record|$(offset $n)|$(offset $((n + 1)))"
kept odd wanted
cp good.data short.data
put short.data $(($(offset $n) + 6)) '\x07\x00'
damaged short "bad_record|$(offset $n)|$(offset $((n + 1)))"
kept short wanted
cp zero.data two.data
put two.data $(($(offset 310) + 6)) '\x00\x00'
damaged two "bad_record|$(offset $n)|$(offset $((n + 1)))" "bad_record|$(offset 310)|$(offset 311)"
without $n 310 >wanted
kept two wanted
# The first record of all, and the last.
damage zero good.data "$(offset 1)" first.data >out
damaged first "bad_record|$(offset 1)|$(offset 2)"
without 1 >wanted
kept first wanted
last=$(wc -l <good.list)
damage zero good.data "$(offset "$last")" last.data >out
damaged last "bad_record|$(offset "$last")|$(($(offset "$last") + $(size "$last")))"
without "$last" >wanted
kept last wanted

# Three records in a row that are junk.
cp good.data junk.data
junk $(($(offset 253) - $(offset 250))) | dd of=junk.data bs=1 seek="$(offset 250)" conv=notrunc 2>/dev/null
damaged junk "bad_record|$(offset 250)|$(offset 253)"
without 250 251 252 >wanted
kept junk wanted

# Junk between two records of a stream, multiples of 8 bytes and not: no record is lost.
status 0 "pipe" perftab-convert pipe/basic.data -o pipe.db
at=$(sql pipe.db "SELECT first_offset FROM finding WHERE kind = 'first_interval'")
counts pipe.db >wanted
for bytes in 8 64 61 4096 200000; do
	{ head -c "$at" pipe/basic.data; junk $bytes; tail -c +$((at + 1)) pipe/basic.data; } >stream$bytes.data
	damaged stream$bytes "bad_record|$at|$((at + bytes))"
	kept stream$bytes wanted
	perftab-analyze --by thread --csv --with-idle thread stream$bytes.data 2>/dev/null | grep -v '^(with idle),' | sort >got
	sort pipe/basic.thread.csv >planned
	same "stream$bytes: the bill" planned got
done

# Cut off inside a record: one gap, the rest of that record.  Names and formats go with the
# features after it.
for n in 100 300; do
	name=cut$n
	damage cut good.data $(($(offset $n) + 13)) $name.data >out
	features=$(($(offset "$last") + $(size "$last")))
	damaged $name "truncated|$(offset $n)|$(($(offset $n) + 13))" "truncated|$features|"
	# shellcheck disable=SC2046
	without $(seq $n "$last") >wanted
	kept $name wanted
	holds "$name: is said to be complete" $name.db partial 'SELECT status FROM trace'
done
# A stream that is cut off inside a record; make_trace's end with a sample and a round.
make_trace basic file || fail "make_trace"
damage list file/basic.data | tail -2 >ends
[ "$(cut -d' ' -f3 ends | tr '\n' ' ')" = "9 68 " ] || fail "stream: ends with other records: $(tr '\n' ' ' <ends)"
total=$(wc -c <pipe/basic.data)
head -c -21 pipe/basic.data >stream.data
damaged stream "truncated|$((total - 8 - $(head -1 ends | cut -d' ' -f2)))|$((total - 21))"
counts pipe.db | awk -F'|' '$1 == 9 || $1 == 68 { $2-- } $2 { print $1 "|" $2 }' >wanted
kept stream wanted

# Header features: a section that cannot be decoded, one that is outside the file.  The
# others and all records are read.
section() { sql good.db "SELECT section_offset FROM header_feature WHERE name = '$1'"; }
features() { sql "$1" "SELECT name, bytes, status FROM header_feature WHERE name <> '$2' ORDER BY feature"; }
without >wanted
for feature in HOSTNAME CPU_TOPOLOGY PMU_MAPPINGS EVENT_DESC GROUP_DESC; do
	cp good.data $feature.data
	put $feature.data "$(section $feature)" '\xff\xff\xff\xff'
	damaged $feature "bad_section|$(section $feature)|$(($(section $feature) + $(sql good.db "SELECT bytes FROM header_feature WHERE name = '$feature'")))"
	kept $feature wanted
	holds "$feature: is not called dropped" $feature.db dropped "SELECT status FROM header_feature WHERE name = '$feature'"
	features good.db $feature >others
	features $feature.db $feature >got
	same "$feature: the other features" others got
done
perftab-analyze --by thread --csv good.data | tail -n +2 | sort >planned
perftab-analyze --by thread --csv EVENT_DESC.data 2>/dev/null | tail -n +2 | sort >got
same "EVENT_DESC: without names the numbers are others" planned got
cp good.data outside.data
table=$(($(offset "$last") + $(size "$last")))
put outside.data "$table" '\xff\xff\xff\xff\xff\x00\x00\x00' # the first of them, TRACING_DATA
status 3 "outside: convert" perftab-convert outside.data -o outside.db
kept outside wanted
features good.db TRACING_DATA >others
features outside.db TRACING_DATA >got
same "outside: the other features" others got
holds "outside: more than one finding of damage" outside.db 1 "SELECT count(*) FROM finding WHERE severity = 'damage'"

# A directory without one of its files, or with one that is cut: the other CPUs have
# theirs, and the records that are whole are read.
whole() { od -An -v -t u2 -w8 "$1" | awk -v bytes="$2" '!left { at += left_bytes; left = $4 / 8; left_bytes = $4; if (at + $4 > bytes) exit; n++ } { left-- } END { print n + 0 }'; }
status 0 "directory" perftab-convert dir/basic.data -o dir.db
all=$(sql dir.db 'SELECT sum(records) FROM record_count')
files=$(find dir/basic.data -name 'data.*' | wc -l)
[ "$files" -ge 4 ] || fail "only $files files in the directory"
# That the last one is missing, only ID_INDEX can tell, which make_trace does not write:
# perf_forms.sh has it.
for number in 0 1 $((files - 2)); do
	file=data.$number
	bytes=$(wc -c <dir/basic.data/$file)
	cpu=$number
	rm -rf missing.data cut.data missing.db cut.db
	cp -r dir/basic.data missing.data
	rm missing.data/$file
	reports 3 "directory without $file" "$file" perftab-convert missing.data -o missing.db
	got=$(sql missing.db "SELECT kind, (SELECT status FROM trace) FROM finding WHERE severity = 'damage'")
	[ "$got" = "missing_file|partial" ] || fail "directory without $file: findings and status: $got"
	got=$(sql missing.db 'SELECT sum(records) FROM record_count')
	[ "$got" = $((all - $(whole "dir/basic.data/$file" "$bytes"))) ] ||
		fail "directory without $file: $got records of $all, of which $(whole "dir/basic.data/$file" "$bytes") were in it"
	balances 3 "directory without $file" missing.data
	status 1 "directory without $file: --strict" perftab-analyze --strict missing.data

	cp -r dir/basic.data cut.data
	truncate -s $((bytes / 2 / 8 * 8 + 3)) cut.data/$file
	status 3 "directory, $file cut" perftab-convert cut.data -o cut.db
	got=$(sql cut.db "SELECT kind, (SELECT status FROM trace), count(*) FROM finding WHERE severity = 'damage'")
	[ "$got" = "truncated|partial|1" ] || fail "directory, $file cut: findings and status: $got"
	got=$(sql cut.db 'SELECT sum(records) FROM record_count')
	wanted=$((all - $(whole "dir/basic.data/$file" "$bytes") + $(whole "dir/basic.data/$file" $((bytes / 2 / 8 * 8 + 3)))))
	[ "$got" = $wanted ] || fail "directory, $file cut: $got records are read, $wanted are whole"
	sql dir.db "SELECT cpu, count(*) FROM context_switch WHERE cpu <> $cpu GROUP BY cpu" >wanted
	sql cut.db "SELECT cpu, count(*) FROM context_switch WHERE cpu <> $cpu GROUP BY cpu" >got
	same "directory, $file cut: the other CPUs" wanted got
	balances 3 "directory, $file cut" cut.data
	mv cut.data "cut-$number.data"
	printf '%s\t%s\tfew\n' "$work/cut-$number.data" "cut-$number" >>roads-wanted
done

# A record of a newer writer is not damage, also where the records come through layers.
rm -rf newer.data && cp -r dir/basic.data newer.data
first=$(od -An -t u2 -j 6 -N 2 dir/basic.data/data.1 | tr -d ' ')
{
	head -c "$first" dir/basic.data/data.1
	printf '\50\0\0\0\0\0\30\0sixteen bytes...'
	tail -c "+$((first + 1))" dir/basic.data/data.1
} >newer.data/data.1
status 0 "a newer record in a directory" perftab-convert newer.data -o newer.db
holds "a newer record in a directory: is not kept" newer.db "40|sixteen bytes..." "SELECT type, CAST(body AS TEXT) FROM other_record WHERE record IS NULL"
holds "a newer record in a directory: others are lost" newer.db $((all + 1)) 'SELECT sum(records) FROM record_count'
damaged_each
roads_each <roads-wanted
finish
