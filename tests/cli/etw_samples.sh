#!/bin/bash
# etw_samples.sh: the generated samples of sample-traces/etw are remade byte for byte, and
# come to what their plan says; one plan in four shapes gives one bill.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
samples=$PERFTAB_SOURCE/sample-traces/etw
mkdir "$work/remade"
"$PERFTAB_SOURCE/scripts/make-etw-samples" "$(command -v make_etw)" "$work/remade" || fail "make-etw-samples"
count=0
for file in "$work"/remade/*; do
	same "${file##*/} is not what make-etw-samples makes" "$samples/${file##*/}" "$file"
	count=$((count + 1))
done
[ "$count" -eq 18 ] || fail "$count files were made"

for truth in "$samples"/*.thread.csv; do
	name=${truth##*/} name=${name%.thread.csv}
	trace=$samples/$name.etl
	[ -e "$trace" ] || trace=$samples/$name.txt
	perftab-analyze --by thread --csv --with-idle thread "$trace" >"$work/got.csv" 2>/dev/null
	same_rows "$name: not what was planned" "$truth" "$work/got.csv"
done
for shape in compressed win7 text; do
	same "good-basic and good-basic-$shape: bills differ" "$samples/good-basic.thread.csv" "$samples/good-basic-$shape.thread.csv"
done
# The table of the article that this is about, from both media and from their databases.
for trace in "$samples"/good-demo.etl "$samples"/good-demo-text.txt; do
	perftab-convert -f "$trace" -o "$work/demo.db" || fail "convert $trace"
	for input in "$trace" "$work/demo.db"; do
		perftab-analyze --by comm --metrics --csv --sort branch-miss-rate "$input" | awk -F, 'NR == 1 || $NF != "" { print $1 "," $NF }' |
			reads "$input: ratios" comm,branch-miss-rate sum-unsorted.exe,18 System,5 sum-sorted.exe,0.06
	done
	perftab-analyze --by comm --metrics "$trace" >"$work/out"
	grep -qE '^sum-unsorted.exe .* 18\.000 %' "$work/out" && grep -qE '^sum-sorted.exe .* 0\.060 %' "$work/out" || fail "$trace: text: $(cat "$work/out")"
done
holds "where counters come from" "$work/demo.db" etw "SELECT DISTINCT source FROM counter"
holds "ratios in SQL" "$work/demo.db" '0.06|18.0' "SELECT min(round(value, 9)), max(round(value, 9)) FROM process_metric WHERE metric = 'branch-miss-rate'"
finish
