#!/bin/bash
# perfetto_engine.sh: Perfetto's own trace processor reads what --to perfetto makes of the sample traces:
# without an error, with the time on the CPU, counters, findings and losses that the database has.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
PERFETTO_ENGINE=${PERFETTO_ENGINE:-${XDG_CACHE_HOME:-$HOME/.cache}/perftab/perfetto}
export PERFETTO_ENGINE

missing() {
	[ -z "${PERFTAB_REQUIRE_PERFETTO:-}" ] || { fail "$*"; finish; }
	skip "$*"
}
command -v node >/dev/null || missing "node is missing (scripts/install-packages perfetto)"
[ -e "$PERFETTO_ENGINE/trace_processor.wasm" ] || missing "Perfetto's trace processor is missing (scripts/install-packages perfetto)"

# query TRACE SQL...: by the trace processor
query() {
	timeout 100 node "$PERFTAB_SOURCE/tests/perfetto/query.mjs" "$@" 2>query.err || fail "query of $1: $(head -2 query.err)"
}

# Statistics, and slices of each pid against the bill.  Threads of a process whose pid was used before are its own.
make_trace software_reuse . >/dev/null || fail "make_trace software_reuse"
"$PERFTAB_SOURCE/tests/perfetto/corpus" "$PERFTAB_BIN" "$PERFTAB_SOURCE/sample-traces" software_reuse.data >corpus.out 2>&1 || fail "$(cat corpus.out)"
read -r traces _ _ _ _ _ bills _ <<<"$(grep 'traces read' corpus.out)"
[ "${traces:-0}" -ge 15 ] && [ "${bills:-0}" -ge 15 ] || fail "few traces were read: $(tail -1 corpus.out)"

# made NAME: NAME.pftrace and NAME.db of NAME.data
made() {
	perftab-convert -f "$1.data" -o "$1.db" 2>/dev/null
	perftab-convert -f "$1.data" --to perfetto -o "$1.pftrace" 2>/dev/null
}

# Counters, findings and losses; a number that was used again is another thread, with its own time.
cp "$PERFTAB_SOURCE/sample-traces/perf/good-lossy.data" lossy.data
make_trace everything . >/dev/null && make_trace reuse . >/dev/null && make_trace idle_miss_switch . >/dev/null || fail "make_trace"
for name in lossy everything reuse idle_miss_switch; do
	made $name
	query $name.pftrace "SELECT 'counter', t.name, CAST(sum(value) AS INT) FROM counter JOIN track AS t ON t.id = counter.track_id GROUP BY t.name HAVING sum(value) <> 0" \
		"SELECT 'instant', t.name, s.name, s.dur FROM slice AS s JOIN track AS t ON t.id = s.track_id" \
		"SELECT 'thread', tid, sum(dur) FROM sched JOIN thread USING (utid) WHERE tid > 0 AND tid < 1 << 30 AND dur > 0 GROUP BY utid" | sort >got
	sql $name.db "SELECT 'counter|' || name || ' of CPU ' || cpu || '|' || (last_value - first_value) FROM cpu_charge JOIN counter USING (counter_id) WHERE last_value <> first_value
		UNION ALL SELECT 'instant|findings|' || text || '|0' FROM finding
		UNION ALL SELECT 'instant|losses|lost: ' || coalesce(printf('%,d', events), 'an unknown number') || ' events' || coalesce(' of CPU ' || cpu, '') || '|0' FROM lost
		UNION ALL SELECT 'thread|' || tid || '|' || sum(on_cpu_ns) FROM (SELECT prev_thread_id AS thread_id, on_cpu_ns FROM context_switch WHERE status IN (1, 2)
			UNION ALL SELECT thread_id, on_cpu_ns FROM group_read LEFT JOIN interrupt USING (interrupt_id)
				WHERE status IN (1, 2) AND (interrupt_id IS NULL OR in_thread))
			JOIN thread USING (thread_id) WHERE idle_cpu IS NULL AND tid > 0 GROUP BY thread_id HAVING sum(on_cpu_ns) > 0" | sort >wanted
	for what in counter thread; do
		grep -q "^$what|" wanted || fail "$name: no $what in the database"
	done
	same "$name: in the trace processor" wanted got
done
grep -q '^instant|losses|' <(sql lossy.db "SELECT 'instant|losses|' FROM lost") || fail "lossy: no loss"

# Idle is over when a SWITCH record says so, though no switch out of it was recorded.
query idle_miss_switch.pftrace "SELECT ts, dur, tid FROM sched JOIN thread USING (utid) WHERE dur > 0 ORDER BY 1, 3" >slices
sql idle_miss_switch.db "SELECT (ts_ns - on_cpu_ns) || '|' || on_cpu_ns || '|' || tid FROM (
		SELECT *, lag(ts_ns) OVER (PARTITION BY cpu ORDER BY ts_ns) AS before_ns FROM context_switch) JOIN thread ON thread_id = prev_thread_id
	WHERE status IN (1, 2) AND idle_cpu IS NULL AND on_cpu_ns > 0 AND ts_ns - on_cpu_ns > before_ns" | sort >wanted
[ "$(wc -l <wanted)" -ge 10 ] || fail "$(wc -l <wanted) switches out of idle are not recorded"
sort slices | comm -23 wanted - >lacking
[ ! -s lacking ] || fail "a thread is not on its CPU when idle has ended: $(head -2 lacking)"
finish
