#!/bin/bash
# perf_script.sh: a recording made now: the books balance, and perf script agrees.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
watched_starts
command -v perf >/dev/null || skip "perf is not installed"
[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null
counters=task-clock,page-faults
[ -d /sys/bus/event_source/devices/msr ] && counters=$counters,msr/tsc/
trace=$work/live.data
cat >"$work/load" <<'LOAD'
conditional_sum sorted 500 & conditional_sum unsorted 500 &
for i in 1 2 3 4 5 6 7 8; do sleep 0.01; /bin/true; done
perf bench sched messaging -g 2 -l 50 >/dev/null
wait
LOAD
perf record -q -N -a -c 1 -e "{sched:sched_switch,$counters}:S" -m 4M -o "$trace" bash "$work/load" \
	>"$work/out" 2>&1 || skip "this machine does not allow recording: $(tail -1 "$work/out")"

balances 0 "live" "$trace"
two_roads "$trace" live every tables

# What perf script charges, by tid and event, leaders left out: it counts the first sample
# of each CPU from zero, and calls the last slice of exiting threads tid -1.
# A first value of zero makes no line, so it must not be waited for.
sql "$work/live.db" "SELECT cpu || ' ' || name FROM counter_base JOIN counter USING (counter_id)
	WHERE first_value = 0" >"$work/zero"
perf script -i "$trace" -F tid,cpu,event,period 2>/dev/null |
	awk 'FILENAME == ARGV[1] { first[$1, $2] = 1; next }
	     { event = $4; sub(/:$/, "", event); gsub(/[][]/, "", $2); cpu = $2 + 0
	       if (event == "sched:sched_switch") next
	       if (!((cpu, event) in first)) { first[cpu, event] = 1; next }
	       sum[$1 "," event] += $3 }
	     END { for (key in sum) printf "%s,%.0f\n", key, sum[key] }' "$work/zero" - | sort >"$work/perf"
# Threads of which perf shows a slice as tid -1 cannot be compared.
perf script -i "$trace" -F tid,event,trace 2>/dev/null |
	sed -nE 's/^ *-1 .*prev_pid=([0-9]+).*/\1/p' | sort -u >"$work/exited"
perftab-analyze --by thread --csv --unproven switched-out "$trace" >"$work/ours.csv"
awk -F, 'NR == 1 { for (i = 8; i <= NF; i++) name[i] = $i; next }
	 $3 != "" { for (i = 8; i <= NF; i++) sum[$3 "," name[i]] += $i }
	 END { for (key in sum) if (sum[key] != 0) printf "%s,%.0f\n", key, sum[key] }' "$work/ours.csv" |
	sort >"$work/ours"
for side in perf ours; do
	awk -F, 'FILENAME == ARGV[1] { gone[$1] = 1; next } !($1 in gone) && $1 != "-1" && $3 != 0' "$work/exited" "$work/$side" |
		grep -v '^-1,' >"$work/$side.kept"
done
[ "$(wc -l <"$work/perf.kept")" -gt 20 ] || fail "too little to compare: $(wc -l <"$work/perf.kept") sums"
same "sums by tid and counter differ from perf script" "$work/perf.kept" "$work/ours.kept"

# The default rule differs by exactly the unattributed intervals.
perftab-analyze --by thread --csv --with-idle thread "$trace" |
	awk -F, 'NR == 1 { for (i = 8; i <= NF; i++) name[i] = $i; next }
		 $3 != "" { for (i = 8; i <= NF; i++) sum[$3 "," name[i]] += $i }
		 END { for (key in sum) printf "%s,%.0f\n", key, sum[key] }' >"$work/default"
sqlite3 -batch -csv "$work/live.db" "SELECT t.tid, c.name, sum(delta) FROM switch_counters AS c
	JOIN thread AS t ON t.thread_id = c.prev_thread_id
	WHERE c.status > 2 AND c.name <> 'sched:sched_switch' GROUP BY t.tid, c.name" |
	tr -d '"\r' >>"$work/default"
awk -F, '{ sum[$1 "," $2] += $3 } END { for (key in sum) if (sum[key] != 0) printf "%s,%.0f\n", key, sum[key] }' \
	"$work/default" | sort >"$work/default.sum"
same "the default rule and its unattributed intervals do not add up" "$work/ours" "$work/default.sum"

# The same with the software leader, which needs no tracefs.
perf record -q -N -a -c 1 -e "{context-switches,$counters}:S" -m 4M -o "$trace" bash "$work/load" >/dev/null 2>&1 ||
	fail "perf record with the leader context-switches"
status 0 "check, context-switches" perftab-analyze --check "$trace"
two_roads "$trace" software few
finish
