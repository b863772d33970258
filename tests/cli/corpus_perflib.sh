#!/bin/bash
# corpus_perflib.sh: the V2 blocks there are in public: Wine's empty snapshot, and the one
# that was built from the documents.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
perflib=$PERFTAB_CORPUS/perflib
[ -e "$perflib/wine_v2_empty.bin" ] || skip "no $perflib/wine_v2_empty.bin"

for name in wine_v2_empty.bin counterset_from_docs.blob; do
	status 0 "$name" perftab-convert "$perflib/$name" -o "$work/$name.db"
	holds "$name" "$work/$name.db" '' 'SELECT * FROM finding'
	holds "$name: trace" "$work/$name.db" 'perflib|bare block|complete' 'SELECT format, form, status FROM trace'
done
sql "$work/wine_v2_empty.bin.db" "SELECT bytes, blocks, perf_freq, perf_time, perf_time_100ns, system_time FROM perflib_snapshot" | reads "wine: snapshot" '48|0|10000000|23851559432|134397325643644257|2026-11-21T11:02:44.364'

db=$work/counterset_from_docs.blob.db
sql "$db" "SELECT type, status, bytes, counters, instances FROM perflib_block" | reads "docs: block" '6|0|144|2|2'
sql "$db" "SELECT number, name, counter, bytes, value FROM perflib_raw JOIN perflib_instance USING (trace_id, instance) ORDER BY perflib_raw.rowid" >"$work/got"
cat >"$work/wanted" <<-'END'
	0|0,0|0|8|20854932656250
	0|0,0|3|4|506534602
	1|_Total|0|8|20905725625000
	1|_Total|3|4|1713966637
END
same "docs: values" "$work/wanted" "$work/got"
finish
