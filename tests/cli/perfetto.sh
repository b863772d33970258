#!/bin/bash
# perfetto.sh: --to perfetto.  Slices of a thread add up to its time in the database, and
# counters to their totals, to the unit; read by a program that knows only the format.  With
# PERFETTO_ENGINE (scripts/perfetto-engine) Perfetto's own trace processor reads them too.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
engine=${PERFETTO_ENGINE:-}

# query TRACE SQL...: by the trace processor
query() {
	timeout 100 node "$PERFTAB_SOURCE/tests/perfetto/query.mjs" "$@"
}

# sums DATABASE: what the trace must add up to
sums() {
	sql "$1" "SELECT 'thread ' || tid || ' ' || sum(ns) FROM (
			SELECT prev_thread_id AS thread_id, cpu, ts_ns, max(on_cpu_ns) AS ns FROM context_switch
				WHERE status IN (1, 2) GROUP BY 1, 2, 3
			UNION ALL
			SELECT thread_id, cpu, ts_ns, max(on_cpu_ns) FROM group_read
				WHERE status IN (1, 2) AND interrupt_id IS NULL GROUP BY 1, 2, 3)
		JOIN thread USING (thread_id) WHERE idle_cpu IS NULL AND tid > 0 GROUP BY tid HAVING sum(ns) > 0
		UNION ALL
		SELECT 'counter ' || name || ' of CPU ' || cpu || ' ' || (last_value - first_value)
		FROM cpu_charge JOIN counter USING (counter_id) WHERE last_value <> first_value"
}

# adds_up FILE: the trace of it, and what it adds up to
adds_up() {
	local got=0 name=${1##*/}
	rm -f made.pftrace again.pftrace made.db
	perftab-convert -t null "$1" >/dev/null 2>&1 || got=$?
	status "$got" "$name" perftab-convert --to perfetto -o made.pftrace "$1"
	[ "$got" -eq 0 ] || [ "$got" -eq 3 ] || return
	perftab-convert --to perfetto -o - "$1" >again.pftrace 2>/dev/null
	same "$name: to standard output" made.pftrace again.pftrace
	perftab-convert "$1" -o made.db 2>/dev/null
	sum_perfetto made.pftrace >read || fail "$name: not a trace"
	grep -v -e ' 0$' -e '^thread 107[0-9]* ' read | sort >got
	sums made.db | sort >wanted
	same "$name: sums" wanted got
	[ -z "$engine" ] || query made.pftrace "SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0" >problems
	[ -z "$engine" ] || [ ! -s problems ] || fail "$name: the trace processor reports $(cat problems)"
}

for file in "$PERFTAB_SOURCE"/sample-traces/perf/*.data "$PERFTAB_SOURCE"/sample-traces/etw/good-*.etl; do
	adds_up "$file"
done
for scenario in everything reuse; do
	make_trace "$scenario" . >/dev/null 2>&1 || fail "make_trace $scenario"
	adds_up "$scenario.data"
done

# A number that was used again is another thread, with its own name and time.
if [ -n "$engine" ]; then
	perftab-convert reuse.data -o reuse.db 2>/dev/null
	perftab-convert -f reuse.data --to perfetto -o reuse.pftrace 2>/dev/null
	query reuse.pftrace "SELECT tid, sum(dur) FROM sched JOIN thread USING (utid) WHERE tid > 0 GROUP BY utid HAVING sum(dur) > 0" | sort >got
	sql reuse.db "SELECT tid || '|' || sum(on_cpu_ns) FROM (SELECT prev_thread_id AS thread_id, on_cpu_ns FROM context_switch WHERE status IN (1, 2)
		UNION ALL SELECT thread_id, on_cpu_ns FROM group_read WHERE status IN (1, 2) AND interrupt_id IS NULL)
		JOIN thread USING (thread_id) WHERE idle_cpu IS NULL AND tid > 0 GROUP BY thread_id HAVING sum(on_cpu_ns) > 0" | sort >wanted
	same "reused numbers" wanted got
else
	echo "Perfetto's trace processor is not tested: PERFETTO_ENGINE is unset (scripts/perfetto-engine)"
fi

sample=$PERFTAB_SOURCE/sample-traces/perf/good-switch-group.data
reports 1 "two traces" "a Perfetto trace holds one trace" perftab-convert --to perfetto -o two.pftrace "$sample" "$sample"
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
