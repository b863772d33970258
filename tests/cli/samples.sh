#!/bin/bash
# samples.sh: every sample balances, and gives the same by every road.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

samples=()
for trace in "$PERFTAB_SOURCE"/sample-traces/perf/good-*.data "$PERFTAB_SOURCE"/sample-traces/etw/good-*.etl \
	"$PERFTAB_SOURCE"/sample-traces/etw/good-*.txt; do
	name=${trace##*/}
	samples+=("${name%.data}"$'\t'"$trace")
done
mkdir "$work/said"
for sample in "${samples[@]}"; do
	IFS=$'\t' read -r name trace <<<"$sample"
	printf '%s\tperftab-analyze\t%s\t%s\n' "$name.check" --check "$trace" "$name.metrics" --metrics "$trace"
done | run_lines "$work/said"
for sample in "${samples[@]}"; do
	name=${sample%%$'\t'*}
	grep -qE ' of .* books balance|^Nothing to check' "$work/said/$name.check.out" || fail "$name: no verdict: $(cat "$work/said/$name.check.out")"
	awk 'length($0) > 100 && !/^(info|warning|damage):/ { exit 1 }' "$work/said/$name.metrics.out" || fail "$name: text wider than 100 columns"
	read -r metrics <"$work/said/$name.metrics.exit"
	read -r check <"$work/said/$name.check.exit"
	[ "$check $metrics" = "$([ "$name" = good-plain-sampling ] && echo 1 || echo 0) 0" ] || fail "$name: exit statuses $check of --check, $metrics"
done
for sample in "${samples[@]}"; do
	IFS=$'\t' read -r name trace <<<"$sample"
	case $name in
	good-plain-sampling) forms="every tables" ;; # without switches
	good-basic-*) forms="few window tables" ;; # good-basic again, in another container
	*) forms="every window tables" ;;
	esac
	printf '%s\t%s\t%s\n' "$trace" "$name" "$forms"
done | roads_each

# Conservation once more, by SQL, from the rows one by one; the raw stream comes back; views that are made for
# the trace work, and every view of a database without PerfLib works without our functions.
for sample in "${samples[@]}"; do
	name=${sample%%$'\t'*}
	cat <<-SQL
		.open '$work/$name.db'
		SELECT '$name: cpu_charge does not balance', count(*) FROM cpu_charge WHERE last_value - first_value <>
			charged + interrupts + with_idle + idle + unattributed;
		SELECT '$name: the deltas of the rows do not add up to last - first', count(*) FROM counter_base AS b WHERE last_value - first_value <>
			(SELECT total(delta) FROM switch_counters AS s
			 WHERE s.counter_id = b.counter_id AND s.cpu = b.cpu AND s.prev_thread_id = coalesce(b.thread_id, s.prev_thread_id));
		SELECT '$name: switch_values does not end at the last value', count(*) FROM counter_base AS b WHERE last_value <>
			(SELECT value FROM switch_values AS v JOIN context_switch AS s USING (switch_id)
			 WHERE s.prev_thread_id IS coalesce(b.thread_id, s.prev_thread_id) AND v.name = (SELECT name FROM counter AS c
			 WHERE c.counter_id = b.counter_id) AND v.cpu = b.cpu ORDER BY switch_id DESC LIMIT 1);
		.output $work/views.sql
		SELECT 'SELECT count(*) FROM "' || name || '";' FROM sqlite_schema WHERE type = 'view';
		.output /dev/null
		.read $work/views.sql
		SELECT * FROM context_switch_named; SELECT * FROM process_bill; SELECT * FROM comm_bill; SELECT * FROM process_tree; SELECT * FROM process_metric;
		SELECT * FROM finding_sorted;
		.output
	SQL
done | sqlite3 -batch >"$work/conserved" 2>"$work/err"
[ ! -s "$work/err" ] || fail "a view fails: $(head -3 "$work/err")"
[ "$(grep -c '|0$' "$work/conserved")" -eq $((3 * ${#samples[@]})) ] || fail "$(grep -v '|0$' "$work/conserved")"

# The bill as a view is the bill as CSV.
trace=$PERFTAB_SOURCE/sample-traces/perf/good-switch-group.data
perftab-analyze --csv --sort pid "$trace" | grep -v '^(' >"$work/bill.csv"
sqlite3 -batch -csv -header "$work/good-switch-group.db" "SELECT process, pid, threads, switches, on_cpu_ns,
	\"sched:sched_switch\", \"task-clock\", \"page-faults\", \"msr/tsc/\" FROM process_bill
	WHERE pid IS NOT NULL ORDER BY pid" | sed 's/\r$//' | plain_csv >"$work/view.csv"
same "process_bill is not the bill" "$work/bill.csv" "$work/view.csv"
perftab-analyze --csv --by comm "$trace" | tail -n +2 | sort >"$work/bill.csv"
sqlite3 -batch -csv "$work/good-switch-group.db" "SELECT comm, processes,
	coalesce(threads, iif(comm = '(idle)', 0, NULL)), switches, on_cpu_ns, \"sched:sched_switch\", \"task-clock\", \"page-faults\", \"msr/tsc/\"
	FROM comm_bill" | sed 's/\r$//' | plain_csv | sort >"$work/view.csv"
same "comm_bill is not the bill by comm" "$work/bill.csv" "$work/view.csv"
perftab-analyze --csv --by tree "$trace" | cut -d, -f1-3,12- | grep -v '^(' | tail -n +2 | sort >"$work/bill.csv"
sqlite3 -batch -csv "$work/good-switch-group.db" "SELECT process, pid, parent_pid, switches, on_cpu_ns, \"sched:sched_switch\", \"task-clock\",
	\"page-faults\", \"msr/tsc/\" FROM process_tree WHERE switches > 0" | sed 's/\r$//' | plain_csv | sort >"$work/view.csv"
same "process_tree is not the bill by tree" "$work/bill.csv" "$work/view.csv"

perftab-convert "$PERFTAB_SOURCE/sample-traces/etw/good-basic.etl" -o "$work/basic.db"
perftab-analyze --csv --metrics --sort pid "$PERFTAB_SOURCE/sample-traces/etw/good-basic.etl" |
	awk -F, 'NR > 1 && $8 != "" { print $2, $8 }' >"$work/bill.csv"
sql "$work/basic.db" "SELECT pid || ' ' || printf('%.6g', value) FROM process_metric WHERE metric = 'branch-miss-rate' ORDER BY pid" >"$work/view.csv"
[ "$(wc -l <"$work/view.csv")" -ge 4 ] || fail "process_metric: only $(wc -l <"$work/view.csv") rows"
same "process_metric is not the ratio of the bill" "$work/bill.csv" "$work/view.csv"

# The share of idle: by process what is shared with it, by CPU what is its own, too.
# idle OPTIONS...: pid or CPU, and the share
idle() {
	perftab-analyze --csv --metrics --sort idle-share "$@" "$trace" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; key = at["pid"] ? at["pid"] : at["cpu"]; next }
		$at["idle-share"] != "" { print $key, $at["idle-share"] }'
}
idle >"$work/bill.csv"
sql "$work/good-switch-group.db" "SELECT pid || ' ' || printf('%.6g', value) FROM process_metric WHERE metric = 'idle-share' ORDER BY value DESC" >"$work/view.csv"
[ "$(awk '$2 > 0' "$work/bill.csv" | wc -l)" -ge 3 ] || fail "idle-share: $(cat "$work/bill.csv")"
sort -g -r -k2 "$work/bill.csv" | cut -d' ' -f2 >"$work/sorted"
cut -d' ' -f2 "$work/bill.csv" | cmp -s - "$work/sorted" || fail "--sort idle-share: $(cat "$work/bill.csv")"
sort "$work/bill.csv" >"$work/wanted"
sort "$work/view.csv" >"$work/got"
same "process_metric is not the idle-share of the bill" "$work/wanted" "$work/got"
idle --by cpu | sort >"$work/wanted"
sql "$work/good-switch-group.db" "SELECT cpu || ' ' || printf('%.6g', 100.0 * (idle + with_idle)
	/ (charged + interrupts + with_idle + idle + unattributed)) FROM cpu_charge JOIN counter USING (counter_id)
	WHERE name = 'task-clock' ORDER BY 1" >"$work/got"
same "idle-share by CPU" "$work/wanted" "$work/got"
[ "$(idle --with-idle thread | sort)" = "$(sort "$work/bill.csv")" ] || fail "idle-share with --with-idle thread"
perftab-analyze --json --metrics "$trace" >"$work/out"
holds "idle-share in JSON" :memory: 1 "SELECT count(*) > 3 FROM json_each(readfile('$work/out'), '\$.traces[0].lines')
	WHERE json_extract(value, '\$.metrics.\"idle-share\"') > 0"

# Several inputs in one database: each as if it were alone.
set -- "$PERFTAB_SOURCE"/sample-traces/perf/good-{switch-group,times,context-switches}.data
status 0 "three traces" perftab-convert "$@" -o "$work/three.db"
holds "three traces: foreign_key_check" "$work/three.db" '' 'PRAGMA foreign_key_check'
i=0
for trace in "$@"; do
	i=$((i + 1))
	perftab-analyze --by thread --csv "$trace" >"$work/alone"
	perftab-analyze --by thread --csv --trace $i "$work/three.db" >"$work/together"
	same "trace $i of three differs" "$work/alone" "$work/together"
	perftab-analyze --check "$trace" >"$work/alone"
	perftab-analyze --check --trace $i "$work/three.db" >"$work/together"
	same "check of trace $i of three differs" "$work/alone" "$work/together"
done
reports 2 "CSV of three" "--trace ID" perftab-analyze --csv "$work/three.db"
status 0 "text of three" perftab-analyze "$work/three.db"
status 0 "three traces to CSV" perftab-convert "$@" --to csv -o "$work/three"
[ "$(wc -l <"$work/three/context_switch.csv")" -eq "$(($(sql "$work/three.db" 'SELECT count(*) FROM context_switch') + 1))" ] ||
	fail "three traces to CSV: number of switches"
status 0 "only tables to CSV" perftab-convert "$@" --to csv --no-views -o "$work/no-views"
rm "$work/three/process_bill.csv" "$work/three/context_switch_named.csv" || fail "three traces to CSV: no views"
diff -r "$work/three" "$work/no-views" >"$work/out" || fail "--no-views: $(head -3 "$work/out")"

# Changed books do not balance.
cp "$work/good-switch-group.db" "$work/cooked.db"
sql "$work/cooked.db" 'UPDATE context_switch SET delta_1 = delta_1 + 1 WHERE switch_id = 20'
reports 1 "cooked books" "do not balance" perftab-analyze --check "$work/cooked.db"
finish
