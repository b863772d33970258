#!/bin/bash
# winperf_rules.sh: of V1 blocks and performance logs in which one thing is wrong, exactly
# with a finding at its place, and all values before and after it are kept; of good ones nothing.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

make_winperf "$work" || fail "make_winperf"
cases=0
for truth in "$work"/*.findings; do
	name=${truth##*/} name=${name%.findings}
	trace=$work/$name.v1
	[ -e "$trace" ] || trace=$work/$name.blg
	awk -F'|' '{ n[$1]++; if (!($1 in at) || $2 < at[$1]) at[$1] = $2 } END { for (k in n) print k "|" n[k] "|" at[k] }' "$truth" >"$work/$name.planned"
	printf '%s\t%s\n' "$trace" "$name" >>"$work/traces"
	cases=$((cases + 1))
done
made_each <"$work/traces"
[ "$cases" -eq "$(make_winperf --list | wc -l)" ] || fail "$cases cases"
# Each kind of finding about them is broken by some case.
sed -n 's/^FINDING(\(PERF_BLOCK_[A-Z_]*\|BLG_[A-Z_]*\),.*/\L\1/p' "$PERFTAB_SOURCE/lib/model/findings.def" | sort >"$work/wanted"
cut -d'|' -f1 "$work"/*.findings | sort -u >"$work/got"
same "kinds of findings" "$work/wanted" "$work/got"

# The seeds of the fuzz target are remade byte for byte.
"$PERFTAB_SOURCE/tests/fuzz/make-seeds-winperf" "$(command -v make_winperf)" "$work/seeds" || fail "make-seeds-winperf"
diff -r "$PERFTAB_SOURCE/tests/fuzz/seeds-winperf" "$work/seeds" >&2 || fail "other seeds"

# Partners, titles, the objects' own time.
db=$work/good.db
sql "$db" "SELECT counterset, counter, title, type, base_counter, default_scale FROM perflib_counter ORDER BY 1, 2" >"$work/got"
cat >"$work/wanted" <<-'END'
	1|0|6|558957824||-2
	1|1|1350|537003008|2|-2
	1|2|1350|1073939459||-2
	2|0|146|272696320||-2
	2|1|148|65792||-2
END
same "counters" "$work/wanted" "$work/got"
sql "$db" "SELECT snapshot, block, type, counters, instances, object_time, object_freq FROM perflib_block WHERE snapshot = 2" | reads "blocks" '2|0|6|3|4|502|10000000' '2|1|2|2|||'
[ "$(sql "$db" "SELECT DISTINCT title, machine FROM perflib_counterset ORDER BY 1" | tr '\n' ' ')" = '2|MACHINE 238|MACHINE ' ] || fail "countersets"
holds "incarnations" "$db" '5|1' "SELECT count(*), max(first_snapshot) FROM perflib_instance"
holds "snapshot" "$db" '1003000000000|3579545|2007-08-14T15:40:03.659' "SELECT ts_ns, perf_freq, system_time FROM perflib_snapshot WHERE snapshot = 3"
holds "trace" "$db" 'perflib|V1 blocks|MACHINE|complete' "SELECT format, form, host, status FROM trace"

# A log has names, and the time bases of what it has raw; its own times are not UTC.
db=$work/good-log.db
sql "$db" "SELECT s.name, c.counter, c.name, c.time_base FROM perflib_counter AS c JOIN perflib_counterset AS s USING (trace_id, counterset) ORDER BY 1, 2" >"$work/got"
cat >"$work/wanted" <<-'END'
	Disk|0|Reads/sec|3579545
	Memory|0|Bytes|
	Processor|0|% Processor Time|10000000
	Processor|1|% Used|3579545
	Processor|2|% Used|3579545
	System|0|Switches|
	System|1|Bytes|
END
same "names and time bases of a log" "$work/wanted" "$work/got"
sql "$db" "SELECT r.snapshot, i.name, r.status, r.value, r.second, r.multi FROM perflib_raw AS r JOIN perflib_instance AS i USING (trace_id, instance) WHERE r.status IS NOT NULL AND r.snapshot < 5 ORDER BY r.rowid" >"$work/got"
cat >"$work/wanted" <<-'END'
	2|C:|0|1001|50000|1
	2|D:|1|1002|50000|2
	2||0|1003|50000|3
	4|C:|0|2001|100000|1
	4|D:|3221228474|||
	4||0|2003|100000|3
END
same "values of PDH" "$work/wanted" "$work/got"
# Their time is that of the block in the same sample.
sql "$db" "SELECT snapshot, ts_ns, perf_freq IS NULL, system_time FROM perflib_snapshot ORDER BY 1" >"$work/got"
cat >"$work/wanted" <<-'END'
	1|1001000000000|0|2007-08-14T15:40:01.659
	2|1001000000000|1|2007-08-14T15:40:00.000
	3|1002000000000|0|2007-08-14T15:40:02.659
	4|1002000000000|1|2007-08-14T15:40:00.000
	5|1003000000000|0|2007-08-14T15:40:03.659
	6|1003000000000|1|2007-08-14T15:40:00.000
END
same "times of a mixed log" "$work/wanted" "$work/got"
holds "a mixed log: a snapshot without a time" "$db" 0 "SELECT count(*) FROM perflib_snapshot WHERE ts_ns IS NULL"
# A log with unread parts is not called complete.
holds "a part of an unknown kind" "$work/odd-part-type.db" 'recovered|1' "SELECT status, (SELECT count(*) > 0 FROM finding WHERE kind = 'blg_unknown' AND severity = 'damage') FROM trace"
holds "no catalogue" "$work/bad-no-catalogue.db" recovered "SELECT status FROM trace"
holds "trace of a log" "$db" 'blg|raw|MACHINE|complete' "SELECT format, form, host, status FROM trace"
# Records in parts are the same records.
for column in snapshot instance counter value second; do
	holds "parts: $column" "$db" "$(sql "$work/good-parts.db" "SELECT group_concat($column) FROM perflib_raw")" "SELECT group_concat($column) FROM perflib_raw"
done

# All instances of a counter in one part.  Without V1 blocks local time is the clock, and the
# times in the values of a 100 ns timer show the zone.
db=$work/good-several.db
[ "$(sql "$db" "SELECT format, clock, wall_offset_ns / 1000000000, status, last_ns - first_ns FROM trace")" = 'blg|local time|14400|complete|2000000000' ] || fail "clock of counters: $(sql "$db" "SELECT format, clock, wall_offset_ns / 1000000000, status, last_ns - first_ns FROM trace")"
sql "$db" "SELECT s.snapshot, s.ts_ns / 1000000000, s.system_time, b.block, b.type, b.instances FROM perflib_snapshot AS s JOIN perflib_block AS b USING (trace_id, snapshot) WHERE s.snapshot > 1 ORDER BY 1, 4" >"$work/got"
cat >"$work/wanted" <<-'END'
	2|1187106002|2007-08-14T15:40:02.000|0|258|3
	2|1187106002|2007-08-14T15:40:02.000|1|257|
	3|1187106003|2007-08-14T15:40:03.000|0|258|2
	3|1187106003|2007-08-14T15:40:03.000|1|257|
END
same "snapshots of counters" "$work/wanted" "$work/got"
perflib_values "$db" 2 | sort >"$work/got"
cat >"$work/wanted" <<-'END'
	Memory|Bytes||2000.0
	Processor|% Processor Time|0|98.0
	Processor|% Processor Time|1|97.0
	Processor|% Processor Time|_Total|99.0
END
tr '\t' '|' <"$work/got" >"$work/got.bars"
same "values of all instances" "$work/wanted" "$work/got.bars"

# Names and types come before the values that need them, whatever comes in.
for trace in good.v1 good-log.blg; do
	tables "$work/$trace" "${trace%.*}"
	perftab-convert --to csv -o "$work/csv-$trace" "$work/$trace" 2>/dev/null || fail "$trace: csv"
done
perftab-convert -o "$work/piped.db" - <"$work/good.v1" 2>"$work/err" || fail "pipe: $(cat "$work/err")"
holds "pipe: values" "$work/piped.db" 42 "SELECT count(*) FROM perflib_raw"

# The view names the machine of raw values, too.
perftab-analyze --sql "SELECT DISTINCT machine FROM perflib_value" "$db" | reads "view: machine" machine MACHINE

# Cut anywhere: what was whole before stays.
for bytes in 0 1 40 87 88 500 1200 1500 2000; do
	head -c "$bytes" "$work/good.v1" >"$work/cut.v1"
	[ "$bytes" -lt 12 ] && continue
	status 3 "cut at $bytes" perftab-convert "$work/cut.v1" -f -o "$work/cut.db"
done
holds "cut: nothing left" "$work/cut.db" 1 "SELECT count(*) > 14 FROM perflib_raw"

# Values by interval name the machine, from the log and from its database.
for name in good good-several; do
	trace=$work/$name.v1
	[ -e "$trace" ] || trace=$work/$name.blg
	perftab-analyze --interval 1ms --csv "$trace" >"$work/got" || fail "$name: --interval"
	head -1 "$work/got" | grep -qF '\\MACHINE\' || fail "$name: --interval: $(head -1 "$work/got")"
	alike "$name by interval" "$trace" "$work/$name.db" --interval 1ms --csv
done
# Each object of a log is a query: their snapshots of one time are one line, with the values that all snapshots have.
for input in "$work/good-log.blg" "$work/good-log.db"; do
	perftab-analyze --csv --interval 1ms "$input" >"$work/got" || fail "$input: --interval"
	[ "$(wc -l <"$work/got")" -eq 4 ] || fail "$input: lines: $(cat "$work/got")"
	perftab-analyze --csv "$input" | awk -F, 'NR > 1 && $14 == "ok"' | wc -l >"$work/values"
	awk -F, 'NR > 1 { for (i = 4; i <= NF; i++) n += $i != "" } END { print n }' "$work/got" >"$work/cells"
	same "$input: values by interval" "$work/values" "$work/cells"
	perftab-analyze --csv --interval 1500ms "$input" >"$work/got" || fail "$input: --interval 1500ms"
	[ "$(cut -d, -f2 "$work/got" | tr '\n' ' ')" = "to_ns 1001000000000 1003000000000 " ] || fail "$input: an interval of two snapshots: $(cat "$work/got")"
done
finish
