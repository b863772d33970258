#!/bin/bash
# perflib_samples.sh: the samples of sample-traces/perflib that are made up are remade byte for
# byte; all good ones convert without a word, the bad ones with their finding.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
samples=$PERFTAB_SOURCE/sample-traces/perflib
"$PERFTAB_SOURCE/scripts/make-perflib-samples" "$PERFTAB_BIN" "$work/remade" || fail "make-perflib-samples"
count=0
for file in "$work"/remade/*; do
	same "${file##*/} is not what make-perflib-samples makes" "$samples/${file##*/}" "$file"
	count=$((count + 1))
done
[ "$count" -eq 10 ] || fail "$count files were made"

for file in "$samples"/*.plb "$samples"/*.blob; do
	name=${file##*/}
	db=$work/$name.db
	[ "$(stat -c %s "$file")" -lt 65536 ] || fail "$name has $(stat -c %s "$file") bytes"
	case $name in
	good-*)
		status 0 "$name" perftab-convert --strict "$file" -o "$db"
		[ ! -s "$work/err" ] || fail "$name: $(head -1 "$work/err")"
		holds "$name" "$db" '' "SELECT kind FROM finding WHERE severity <> 'info'"
		;;
	*)
		status 3 "$name" perftab-convert "$file" -o "$db"
		rule=${name#bad-}
		rule=${rule%%[-.]*}
		holds "$name" "$db" "perflib_$rule" "SELECT DISTINCT kind FROM finding WHERE severity = 'damage'"
		;;
	esac
done
# Every type of block is among them.
for file in good-types.plb good-proc-filters.plb; do
	sql "$work/$file.db" "SELECT type FROM perflib_block" >>"$work/types"
done
[ "$(sort -un "$work/types" | tr '\n' ' ')" = '0 1 2 4 6 ' ] || fail "types of blocks: $(sort -un "$work/types" | tr '\n' ' ')"
holds "types of /proc" "$work/good-proc-filters.plb.db" 4,6,1,2 "SELECT group_concat(DISTINCT type) FROM perflib_block"
finish
