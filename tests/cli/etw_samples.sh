#!/bin/bash
# etw_samples.sh: the generated samples of sample-traces/etw are remade byte for byte, and
# come to what their plan says; one plan in four shapes gives one bill.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
samples=$PERFTAB_SOURCE/sample-traces/etw
mkdir "$work/remade"
"$PERFTAB_SOURCE/scripts/make-etw-samples" "$(command -v make_etw)" "$work/remade" || fail "make-etw-samples"
count=0
for file in "$work"/remade/*; do
	same "$(basename "$file") is not what make-etw-samples makes" "$samples/$(basename "$file")" "$file"
	count=$((count + 1))
done
[ "$count" -eq 14 ] || fail "$count files were made"

for truth in "$samples"/*.thread.csv; do
	name=$(basename "$truth" .thread.csv)
	trace=$samples/$name.etl
	[ -e "$trace" ] || trace=$samples/$name.txt
	perftab-analyze --by thread --csv --with-idle thread "$trace" >"$work/got.csv" 2>/dev/null
	sorted "$work/got.csv" | grep -v '^(with idle),' >"$work/got"
	sorted "$truth" >"$work/wanted"
	same "$name: not what was planned" "$work/wanted" "$work/got"
done
for shape in compressed win7 text; do
	same "good-basic and good-basic-$shape: bills differ" "$samples/good-basic.thread.csv" "$samples/good-basic-$shape.thread.csv"
done
finish
