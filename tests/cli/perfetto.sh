#!/bin/bash
# perfetto.sh: --to perfetto.  Slices of a thread add up to its time in the database, and
# counters to their totals, to the unit; findings and losses are instants; read by a program that
# knows only the format.  perfetto_engine.sh has Perfetto's own trace processor read them.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
# sums DATABASE: what the trace must add up to
sums() {
	sql "$1" "WITH first(ns) AS (SELECT coalesce(min(ts_ns), (SELECT max(first_ns, 0) FROM trace), 0) FROM context_switch WHERE cpu IS NOT NULL)
		SELECT 'thread ' || tid || ' ' || sum(ns) FROM (
			SELECT prev_thread_id AS thread_id, cpu, ts_ns, max(on_cpu_ns) AS ns FROM context_switch
				WHERE status IN (1, 2) GROUP BY 1, 2, 3
			UNION ALL
			SELECT thread_id, cpu, ts_ns, max(on_cpu_ns) FROM group_read LEFT JOIN interrupt USING (interrupt_id)
				WHERE status IN (1, 2) AND (interrupt_id IS NULL OR in_thread) GROUP BY 1, 2, 3)
		JOIN thread USING (thread_id) WHERE idle_cpu IS NULL AND tid > 0 GROUP BY tid HAVING sum(ns) > 0
		UNION ALL
		SELECT 'counter ' || name || ' of CPU ' || cpu || ' ' || (last_value - first_value)
		FROM cpu_charge JOIN counter USING (counter_id) WHERE last_value <> first_value
		UNION ALL
		SELECT 'instant findings ' || ns || ' ' || text FROM finding, first
		UNION ALL
		SELECT 'instant losses ' || coalesce(max(ts_ns, ns), ns) || ' lost: ' || coalesce(printf('%,d', events), 'an unknown number') ||
			' events' || coalesce(' of CPU ' || cpu, '') FROM lost, first"
}

# adds_up FILE [OPTIONS...]: the trace of it, and what it adds up to
adds_up() {
	local got=0 name=${1##*/}
	rm -f made.pftrace again.pftrace made.db
	perftab-convert -t null "$@" >/dev/null 2>&1 || got=$?
	status "$got" "$name" perftab-convert --to perfetto -o made.pftrace "$@"
	[ "$got" -eq 0 ] || [ "$got" -eq 3 ] || return
	perftab-convert --to perfetto -o - "$@" >again.pftrace 2>/dev/null
	same "$name: to standard output" made.pftrace again.pftrace
	perftab-convert "$@" -o made.db 2>/dev/null
	sum_perfetto made.pftrace >read || fail "$name: not a trace"
	grep -v -e '^counter .* 0$' -e '^thread .* 0$' -e '^thread 107[0-9]* ' read | sort >got
	sums made.db | sort >wanted
	same "$name: sums" wanted got
}

for file in "$PERFTAB_SOURCE"/sample-traces/perf/*.data "$PERFTAB_SOURCE"/sample-traces/etw/good-*.etl; do
	adds_up "$file"
done
for scenario in everything reuse; do
	make_trace "$scenario" . >/dev/null 2>&1 || fail "make_trace $scenario"
	adds_up "$scenario.data"
done

# Softirqs that a thread runs itself are its work, other interrupts are not.
make_interrupts . 3 2000 || fail "make_interrupts"
adds_up interrupts.data --tracefs . \
	--events sched:sched_switch,irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,irq:softirq_exit,cycles
[ "$(sql made.db "SELECT count(DISTINCT in_thread) FROM group_read JOIN interrupt USING (interrupt_id) WHERE status = 1 AND on_cpu_ns > 0")" -eq 2 ] ||
	fail "interrupts: not of both kinds"

# Switches out of idle that no sample has, but a SWITCH record knows the time of: the thread is on its CPU
# from then on, and idle was before.
for scenario in idle_miss_switch software_idle_switch; do
	make_trace "$scenario" . >/dev/null 2>&1 || fail "make_trace $scenario"
	adds_up "$scenario.data"
	sum_perfetto --slices made.pftrace | sort >read
	grep -v ' 0 [0-9]*$\| 0$' read >got
	sql made.db "SELECT cpu || ' ' || (ts_ns - on_cpu_ns) || ' ' || on_cpu_ns || ' ' || tid FROM context_switch JOIN thread ON thread_id = prev_thread_id
		WHERE status IN (1, 2) AND on_cpu_ns > 0 AND idle_cpu IS NULL" | sort >wanted
	same "$scenario: slices" wanted got
	sql made.db "SELECT cpu || ' ' || before_ns || ' ' || (ts_ns - on_cpu_ns - before_ns) || ' 0' FROM (
			SELECT *, lag(ts_ns) OVER (PARTITION BY cpu ORDER BY ts_ns) AS before_ns FROM context_switch)
			JOIN thread ON thread_id = prev_thread_id
		WHERE status IN (1, 2) AND on_cpu_ns > 0 AND idle_cpu IS NULL AND ts_ns - on_cpu_ns > before_ns" | sort >wanted
	[ "$(wc -l <wanted)" -ge 10 ] || fail "$scenario: $(wc -l <wanted) switches out of idle are not recorded"
	comm -23 wanted read >lacking
	[ ! -s lacking ] || fail "$scenario: idle before a thread is not there: $(head -2 lacking)"
done

# Time that goes back on a CPU: what comes before the last switch has no slice, and a warning says how many.
text=$PERFTAB_SOURCE/sample-traces/etw/good-basic-text.txt
status 0 "in order" perftab-convert --to perfetto -o order.pftrace "$text"
! grep -q 'went back' "$work/err" || fail "in order: $(cat "$work/err")"
{ cat "$text" && grep -E '^ *(CSwitch|Pmc),' "$text" | grep -v TimeStamp; } >twice.txt
reports 0 "time goes back" "twice.txt: the time of a CPU went back: 60 of its intervals are left out" \
	perftab-convert --to perfetto -o back.pftrace twice.txt
sum_perfetto order.pftrace | grep '^thread' >wanted
sum_perfetto back.pftrace | grep '^thread' >got
same "time goes back: slices" wanted got

sample=$PERFTAB_SOURCE/sample-traces/perf/good-switch-group.data
reports 2 "two traces" "--to perfetto writes a single trace" perftab-convert --to perfetto -o two.pftrace "$sample" "$sample"
[ ! -e two.pftrace ] || fail "two traces: there is one all the same"
rm -f made.pftrace
status 0 "a trace" perftab-convert --to perfetto -o made.pftrace "$sample"
reports 1 "one that exists" "exists already" perftab-convert --to perfetto -o made.pftrace "$sample"
status 0 "replaced" perftab-convert -f --to perfetto -o made.pftrace "$sample"
under_wine || [ "$(stat -c %a made.pftrace)" = 600 ] || fail "mode $(stat -c %a made.pftrace)"
grep -q 'sched-messaging\|swapper\|bash' made.pftrace || fail "no name is in the trace"
status 0 "anonymized" perftab-convert -f --anonymize-names --to perfetto -o made.pftrace "$sample"
! grep -q 'bash' made.pftrace || fail "anonymized: a name is left"
finish
