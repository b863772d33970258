#!/bin/bash
# perf_cases.sh: small perf.data files with what few recorders write, or with one thing wrong
# (make_perf): exactly the planned damage, the same by all programs, and what is kept.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

make_perf "$work" || fail "make_perf"
for truth in "$work"/*.findings; do
	name=${truth##*/} name=${name%.findings}
	printf '%s\t%s\n' "$work/$name.data" "$name"
done >"$work/cases"
[ "$(wc -l <"$work/cases")" -eq "$(make_perf --list | wc -l)" ] || fail "$(wc -l <"$work/cases") cases"
# simpleperf's lists of files: another layout, or cut short.
for name in good-simpleperf bad-simpleperf odd-simpleperf-files; do
	printf '%s\t%s\n' "$PERFTAB_SOURCE/tests/fuzz/seeds/$name.data" $name
done >"$work/others"
cat "$work/cases" "$work/others" | convert_each
sound_each <"$work/cases"
while IFS=$'\t' read -r _ name; do
	wanted=0
	[ ! -s "$work/$name.findings" ] || wanted=3
	read -r got <"$work/converted/$name.exit"
	[ "$got" = $wanted ] || fail "$name: convert: exit status $got, expected $wanted: $(head -2 "$work/converted/$name.err")"
	printf ".open '%s'\n.once '%s'\nSELECT kind, count FROM finding WHERE severity = 'damage' ORDER BY rowid;\n" \
		"$work/$name.db" "$work/$name.got" >&3
done <"$work/cases" 3>"$work/ask.sql"
sqlite3 -batch <"$work/ask.sql" || fail "findings"
while IFS=$'\t' read -r _ name; do same "$name: damage" "$work/$name.findings" "$work/$name.got"; done <"$work/cases"

# Convert, analyze of the trace and analyze of its database agree, on whether it can be read and on the report.  Names
# of modules are made by perftab-convert alone.
mkdir -p "$work"/each/{trace,db}
while IFS=$'\t' read -r trace name; do
	[ "$name" != odd-many-mappings ] || continue
	printf 'trace/%s\tperftab-analyze\t--json\t%s\n' "$name" "$trace"
	[ ! -e "$work/$name.db" ] || printf 'db/%s\tperftab-analyze\t--json\t%s\n' "$name" "$work/$name.db"
done < <(cat "$work/cases" "$work/others") | run_lines "$work/each"
for read in "$work"/each/trace/*.exit; do
	name=${read##*/} name=${name%.exit}
	read -r converted <"$work/converted/$name.exit"
	read -r got <"$read"
	[ "$got" = "$converted" ] || fail "$name: exit status $converted of convert, $got of analyze"
	if [ ! -e "$work/$name.db" ]; then
		[ "$got" -eq 1 ] || fail "$name: no database, exit status $got"
		continue
	fi
	same "$name: exit status with the database" "$read" "$work/each/db/$name.exit"
	same "$name: the database has another report" "$work/each/trace/$name.out" "$work/each/db/$name.out"
done
for name in good-{switch-fields,deferred,schedstat}; do printf '%s\t%s\n' "$work/$name.data" $name; done >"$work/with-tables"
tables_each <"$work/with-tables"

# rows NAME STATEMENT LINE...: that is what the database of the case answers
rows() { sql "$work/$1.db" "$2" | reads "$1: $2" "${@:3}"; }

# Lists of CPUs that are not padded; what follows them is read.
rows good-cpu-map "SELECT group_concat(cpu) FROM cpu_map" 0,1,6,1,64
rows good-cpu-map "SELECT count(*), max(ts_ns) FROM sample" '2|3000'
rows bad-cpu-map "SELECT count(*) FROM sample" 2

# CPUs that only ID_INDEX has: of one that is cut short nothing is used.
rows good-id-index "SELECT DISTINCT cpu FROM context_switch" 3
rows good-id-index "SELECT count(*), sum(\"clock/name=b/\") FROM context_switch_named" '4|2100'
rows bad-id-index "SELECT count(*) FROM context_switch" 0

# Records that are cut short, some below any field of theirs: the others are read.
rows good-short-records "SELECT (SELECT count(*) FROM fork), (SELECT count(*) FROM exit), (SELECT count(*) FROM comm), (SELECT count(*) FROM build_id)" '1|2|3|1'
rows bad-short-records "SELECT (SELECT count(*) FROM fork), (SELECT count(*) FROM exit), (SELECT count(*) FROM comm), (SELECT count(*) FROM build_id)" '0|0|1|0'
rows bad-short-records "SELECT (SELECT count(*) FROM sample), (SELECT count(*) FROM thread_map)" '2|1'
rows odd-unknown-kinds "SELECT kind, count FROM finding WHERE kind IN ('other_record', 'group_read') ORDER BY 1" 'group_read|1' 'other_record|2'

# Names from before the attributes; late ones; never "#2" for a lone event.
rows good-early-names "SELECT group_concat(name) FROM counter" 'switches/name=a/,clock/name=b/'
rows good-early-names "SELECT count(*) FROM finding WHERE kind = 'nameless'" 0
rows good-early-names "SELECT os_release FROM trace" 4.14.0
rows good-early-names "SELECT sum(\"clock/name=b/\") FROM context_switch_named" 3500
rows bad-early-names "SELECT count(*), sum(name = 'switches/name=a/') FROM counter" '2|1'
rows good-late-name "SELECT name FROM counter" cpu-clock
rows good-late-name "SELECT count(*) FROM finding WHERE kind = 'nameless'" 0

# perf ended early: partial, with one plain sentence.
for name in bad-no-event bad-no-event-features; do
	rows $name "SELECT status FROM trace" partial
	reports 3 "$name" "the recorder ended before it wrote its first event" perftab-convert --to null "$work/$name.data"
done
rows bad-no-event-file "SELECT status FROM trace" partial
reports 3 "no event" "the file ends at 0xa4, before its first event" perftab-convert --to null "$work/bad-no-event-file.data"
rows bad-no-record-file "SELECT status, (SELECT name FROM counter) FROM trace" 'partial|cpu-clock:HG'

# A size of 2^63: stored by both loaders.
rows bad-feature-size "SELECT status, bytes FROM header_feature" 'dropped|9223372036854775807'
status 3 "bad-feature-size: --loader sql" perftab-convert --loader sql -f "$work/bad-feature-size.data" -o "$work/sql.db"

# Call chains and branches of switches, the first one's too.
rows good-switch-fields "SELECT group_concat(callchain_id), min(switch_id), max(ts_ns) FROM switch_callchain" '1,2,1,2,1,2|1|6000'
rows good-switch-fields "SELECT frames FROM callchain WHERE callchain_id = 1" '["kernel","0xffffffff81000000","user","0x4011f6","0x400800"]'
rows good-switch-fields "SELECT switch_id, position, from_ip, to_ip, flags FROM switch_branch WHERE switch_id = 4" \
	"4|0|$((0x401100))|$((0x401200))|1" "4|1|$((0x401300))|$((0x401404))|2"
rows bad-switch-fields "SELECT group_concat(switch_id) FROM switch_callchain" 1,2,3,4,5,6
rows bad-switch-fields "SELECT group_concat(DISTINCT switch_id) FROM switch_branch" 1,2,4,5,6
rows bad-switch-fields "SELECT count(*) FROM finding WHERE kind = 'switch_fields'" 0

# The later part of a chain has the cookie of the earlier one.
rows good-deferred "SELECT d.cookie, c.frames, t.tid FROM callchain_deferred AS d JOIN callchain AS c USING (callchain_id) JOIN thread AS t USING (thread_id)" \
	'7001|["user","0x401000","0x400801"]|501' '7002|["user","0x401000","0x400802"]|501'
rows good-deferred "SELECT json_extract(frames, '\$[3]') FROM sample JOIN callchain USING (callchain_id)" 0x1b59 0x1b5a
rows bad-deferred "SELECT group_concat(cookie) FROM callchain_deferred" 7001

# Three versions of /proc/schedstat: each count in its own column.
rows good-schedstat "SELECT jiffies, cpu, version, yld_count, ttwu_local, rq_cpu_time, pcount FROM schedstat_cpu" \
	'4294900015|1|15|1500|1505|7|8589934592' '4294900016|1|16|1600|1605|7|8589934592' '4294900017|1|17|1700|1705|7|8589934592'
rows good-schedstat "SELECT version, domain, idle_lb_count, busy_lb_count, newidle_lb_count, busy_lb_imbalance, busy_lb_imbalance_misfit, alb_count, ttwu_move_balance FROM schedstat_domain" \
	'15|2|1500|1508|1516|1511||1524|1535' '16|2|1608|1600|1616|1603||1624|1635' '17|2|1711|1700|1722||1706|1733|1744'
rows bad-schedstat "SELECT group_concat(version) FROM schedstat_domain" 15,16
rows odd-schedstat-version "SELECT group_concat(record) FROM other_record" SCHEDSTAT_CPU,SCHEDSTAT_DOMAIN

# Counts by interval.
rows good-stat "SELECT round, kind, from_ns, to_ns, counter, cpu, value, enabled_ns, running_ns FROM stat_interval WHERE cpu = 1" \
	'1|interval|0|100000000|cpu-clock|1|1001|2000|1900' '2|interval|100000000|200000000|cpu-clock|1|3000|2000|1900' \
	'3|final|200000000|300000000|cpu-clock|1|5000|2000|1900'
perftab-analyze --metrics "$work/good-stat.data" >"$work/out" && grep -q '^No ratios of hardware counters: IPC needs' "$work/out" || fail "good-stat: --metrics: $(cat "$work/out")"
rows bad-stat "SELECT round, value FROM stat_interval WHERE cpu = 1" '1|1001' '3|8000'
# Two kinds of cores: the sums of what both saw, a ratio of each kind, and of their sums.
trace=$work/good-hybrid.data
two_roads "$trace" good-hybrid
status 0 hybrid perftab-analyze --csv --metrics "$trace"
cut -d, -f1-5,16-22 "$work/out" | head -4 | reads "hybrid: CSV" \
	'process,pid,threads,switches,on_cpu_ns,IPC(cpu_core),IPC(cpu_atom),IPC,branch-MPKI(cpu_core),GHz(cpu_core),GHz(cpu_atom),GHz' \
	core,502,1,4,20000,2,,2,1.75,2,,2 both,501,1,8,35000,2,1.5,1.8,1.75,2,1,1.42857 atom,503,1,4,15000,,1.5,1.5,,,1,1
perftab-analyze --json --metrics "$trace" >"$work/out"
holds "hybrid: JSON" :memory: '2|1.5|1.8' "SELECT json_extract(value, '\$.metrics.\"IPC(cpu_core)\"'), json_extract(value, '\$.metrics.\"IPC(cpu_atom)\"'),
	json_extract(value, '\$.metrics.IPC') FROM json_each(readfile('$work/out'), '\$.traces[0].lines') WHERE json_extract(value, '\$.pid') = 501"
perftab-analyze --csv --metrics --sort IPC "$trace" | cut -d, -f1 | sed -n 2,4p | reads "hybrid: --sort IPC" core both atom
perftab-analyze --metrics "$trace" | grep -A5 'by kind of core' | sed 's/  */ /g' | reads "hybrid: text" 'Of everything that ran, by kind of core:' \
	' IPC branch-MPKI GHz' 'cpu_core 2.000 1.750 2.000' 'cpu_atom 1.500 - 1.000' 'together 1.833 - 1.500' ''
rows good-hybrid "SELECT process, threads, switches, on_cpu_ns FROM process_bill WHERE pid ORDER BY pid" 'both|1|8|35000' 'core|1|4|20000' 'atom|1|4|15000'
rows good-hybrid "SELECT metric, round(value, 4) FROM process_metric WHERE process = 'both' AND metric LIKE 'IPC%' ORDER BY 1" 'IPC|1.8' 'IPC(cpu_atom)|1.5' 'IPC(cpu_core)|2.0'
rows good-hybrid "SELECT switches, on_cpu_ns FROM process_tree WHERE process = 'both'" '8|35000'
tables "$trace" good-hybrid
finish
