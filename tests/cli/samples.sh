#!/bin/bash
# samples.sh: every sample balances, and gives the same by every road.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

for trace in "$PERFTAB_SOURCE"/sample-traces/perf/good-*.data "$PERFTAB_SOURCE"/sample-traces/etw/good-*.etl \
	"$PERFTAB_SOURCE"/sample-traces/etw/good-*.txt; do
	name=$(basename "$trace" .data)
	status "$([ "$name" = good-plain-sampling ] && echo 1 || echo 0)" "$name: check" perftab-analyze --check "$trace"
	grep -qE ' of .* books balance|^Nothing to check' "$work/out" || fail "$name: no verdict: $(cat "$work/out")"
	status 0 "$name: analyze" perftab-analyze --metrics "$trace"
	awk 'length($0) > 100 && !/^(info|warning|damage):/ { exit 1 }' "$work/out" ||
		fail "$name: text wider than 100 columns"
	case $name in
	good-basic-*) two_roads "$trace" "$name" few ;; # good-basic again, in another container
	*) two_roads "$trace" "$name" ;;
	esac
	[ -n "$(sql "$work/$name.db" 'SELECT 1 FROM context_switch LIMIT 1')" ] && window "$trace" "$name"
	tables "$trace" "$name"
	# Conservation once more, by SQL, from the rows one by one.
	holds "$name: cpu_charge does not balance" "$work/$name.db" 0 "SELECT count(*) FROM cpu_charge WHERE last_value - first_value <>
		charged + interrupts + with_idle + idle + unattributed"
	holds "$name: the deltas of the rows do not add up to last - first" "$work/$name.db" 0 "SELECT count(*) FROM counter_base AS b WHERE last_value - first_value <>
		(SELECT total(delta) FROM switch_counters AS s
		 WHERE s.counter_id = b.counter_id AND s.cpu = b.cpu AND s.prev_thread_id = coalesce(b.thread_id, s.prev_thread_id))"
	# The views that are made for the trace work, and the raw stream comes back.
	sql "$work/$name.db" 'SELECT * FROM context_switch_named; SELECT * FROM process_bill; SELECT * FROM comm_bill; SELECT * FROM process_tree; SELECT * FROM process_metric;
		SELECT * FROM finding_sorted' >/dev/null || fail "$name: a view fails"
	# Every view of a database without PerfLib works without our functions.
	sql "$work/$name.db" "SELECT 'SELECT count(*) FROM \"' || name || '\";' FROM sqlite_schema WHERE type = 'view'" |
		sqlite3 -batch "$work/$name.db" >/dev/null 2>"$work/err" || fail "$name: a view fails: $(head -1 "$work/err")"
	holds "$name: switch_values does not end at the last value" "$work/$name.db" 0 "SELECT count(*) FROM counter_base AS b WHERE last_value <>
		(SELECT value FROM switch_values AS v JOIN context_switch AS s USING (switch_id)
		 WHERE s.prev_thread_id IS coalesce(b.thread_id, s.prev_thread_id) AND v.name = (SELECT name FROM counter AS c
		 WHERE c.counter_id = b.counter_id) AND v.cpu = b.cpu ORDER BY switch_id DESC LIMIT 1)"
done

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

# Changed books do not balance.
cp "$work/good-switch-group.db" "$work/cooked.db"
sql "$work/cooked.db" 'UPDATE context_switch SET delta_1 = delta_1 + 1 WHERE switch_id = 20'
reports 1 "cooked books" "do not balance" perftab-analyze --check "$work/cooked.db"
finish
