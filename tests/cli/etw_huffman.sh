#!/bin/bash
# etw_huffman.sh HAVE: buffers of .etl files that are compressed with XPRESS_HUFF, whole and
# damaged; HAVE is 1 where perftab was built with libwim, else 0.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
make_etw --form huffman --switches 3000 everything "$work" || fail make_etw
made=$work/everything.etl

if [ "${1:-}" = 0 ]; then
	status 3 "without libwim" perftab-convert "$made" -o "$work/made.db"
	grep -qF 'compressed with XPRESS_HUFF: this perftab was built without libwim' "$work/err" || fail "without libwim: $(head -3 "$work/err")"
	holds "without libwim: complete" "$work/made.db" recovered "SELECT status FROM trace"
	finish
fi

status 0 whole perftab-analyze --by thread --csv --with-idle thread "$made"
same_rows "whole: not what was planned" "$made.thread.csv" "$work/out"
PERFTAB_RELEASE='' two_roads "$made" whole # the release has no libwim

# Each byte of a buffer's table and stream is wrong in turn: events of that buffer are
# missing, and nothing else.
make_etw --form huffman --switches 60 basic "$work" || fail make_etw
cp "$work/basic.etl" "$work/bent.etl"
first=$((0x400 + 0x48)) # after the header buffer, which is not compressed
for at in 3 100 255 256 300; do
	cp "$work/basic.etl" "$work/bent.etl"
	printf '\377' | dd of="$work/bent.etl" bs=1 seek=$((first + at)) conv=notrunc status=none
	perftab-convert -f "$work/bent.etl" -o "$work/bent.db" 2>"$work/err"
	code=$?
	[ $code -eq 0 ] || [ $code -eq 3 ] || fail "byte $at: exit status $code: $(head -2 "$work/err")"
	[ $at -gt 255 ] || [ $code -eq 3 ] || fail "byte $at of the table: not damaged"
	holds "byte $at: unsound" "$work/bent.db" ok "PRAGMA integrity_check"
	[ $code -eq 0 ] || holds "byte $at: no finding" "$work/bent.db" 1 "SELECT count(*) > 0 FROM finding WHERE severity = 'damage'"
done
finish
