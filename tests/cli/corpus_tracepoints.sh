#!/bin/bash
# corpus_tracepoints.sh: the tracepoint tables of LinuxTracepoints' TestOutput__perf.data
# against the JSON its own decoder expects of that file.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
folder=$PERFTAB_CORPUS/perf/microsoft__LinuxTracepoints
[ -e "$folder/TestOutput__perf.data" ] || skip "no $folder/TestOutput__perf.data"
db=$work/db
status 0 "convert" perftab-convert "$folder/TestOutput__perf.data" -o "$db"

# The JSON is a fragment: a byte order mark, a name, then one event a line.
sed -n 's/^ {/{/; s/\r$//; s/ *]$//; s/,$//; /^{/p' "$folder/expected.perf.data.linux.json" >"$work/lines"
[ "$(wc -l <"$work/lines")" -eq 539 ] || fail "$(wc -l <"$work/lines") events in the JSON, expected 539"
sqlite3 -batch "$db" >"$work/out" 2>&1 <<-SQL || fail "JSON: $(head -3 "$work/out")"
	.bail on
	.mode ascii
	.separator "\001" "\n"
	CREATE TABLE line(json TEXT);
	.import $work/lines line
	SELECT 'not JSON: ' || json FROM line WHERE NOT json_valid(json);
SQL
[ -s "$work/out" ] && fail "$(head -3 "$work/out")"

# compare WHAT COLUMNS EXPECTED GOT: two queries give the same rows, as often
compare() {
	local query side
	for query in "$3" "$4"; do
		side=$([ "$query" = "$3" ] && echo expected || echo got)
		printf '.mode tabs\n.nullvalue NULL\n%s;\n' "$query" | sqlite3 -batch "$db" 2>&1 | sort >"$work/$side"
	done
	[ -s "$work/expected" ] || fail "$1: nothing expected"
	cmp -s "$work/expected" "$work/got" || {
		fail "$1: ($2) expected '<', got '>'"
		diff "$work/expected" "$work/got" | head -10 >&2
	}
}

# The wall time of a row, to the nanosecond, as the JSON writes it.
wall="strftime('%Y-%m-%dT%H:%M:%S', (ts_ns + wall_offset_ns) / 1000000000, 'unixepoch') ||
	printf('.%09dZ', (ts_ns + wall_offset_ns) % 1000000000)"
# Its pid and tid are unsigned: those of exiting threads read 4294967295, the schema's -1.
number() { printf "nullif(json ->> '$.meta.%s', 4294967295)" "$1"; }
meta="json ->> '$.meta.time', json ->> '$.meta.cpu', coalesce($(number pid), -1), coalesce($(number tid), -1)"

compare "sched_switch" "time, cpu, pid, tid, and the fields in the order of the JSON" "
	SELECT $meta, json ->> '$.prev_comm', json ->> '$.prev_pid', json ->> '$.prev_prio', json ->> '$.prev_state',
		json ->> '$.next_comm', json ->> '$.next_pid', json ->> '$.next_prio'
	FROM line WHERE json ->> '$.n' = 'sched:sched_switch'" "
	SELECT $wall, cpu, sample_pid, sample_tid, prev_comm, printf('0x%X', prev_pid), prev_prio, prev_state,
		next_comm, printf('0x%X', next_pid), next_prio
	FROM sched_sched_switch JOIN trace USING (trace_id)"

# What each row has beside the tracepoint's fields.
[ "$(sql "$db" "SELECT count(*) FROM sched_sched_switch s LEFT JOIN thread t USING (thread_id)
	WHERE t.tid IS NOT s.prev_pid")" -eq 0 ] || fail "sched_switch: thread_id is another thread than prev_pid"
[ "$(sql "$db" "SELECT count(*) FROM sched_sched_switch s WHERE NOT EXISTS (SELECT 1 FROM context_switch c
	JOIN thread n ON n.thread_id = c.next_thread_id JOIN thread p ON p.thread_id = c.prev_thread_id
	WHERE c.ts_ns = s.ts_ns AND c.cpu = s.cpu AND n.tid = s.next_pid AND p.tid = s.prev_pid
	AND c.prev_state = s.prev_state)")" -eq 0 ] || fail "sched_switch: not the same in context_switch"
[ "$(sql "$db" "SELECT count(*) FROM context_switch")" -eq 285 ] || fail "context_switch: expected 285 rows"

# Events of user_events.  The tracepoint is called Provider_L<level>K<keyword><options>; its
# fields are the event's header, where 0 stands for what the JSON leaves out.  The event's
# own name and fields come after them, where the format does not tell of them.
sql "$db" "SELECT name, table_name FROM tracepoint WHERE system = 'user_events'" |
	while IFS='|' read -r name table; do
		printf "%s SELECT '%s' AS name, * FROM \"%s\"\n" "${union:-}" "$name" "$table"
		union="UNION ALL"
	done >"$work/union"
sql "$db" "CREATE VIEW user_event AS SELECT * FROM ($(cat "$work/union"))" || fail "the tables user_events_* differ in columns"
compare "user_events" "time, cpu, pid, tid, level, id, version, opcode, tag" "
	SELECT $meta, json ->> '$.meta.level', coalesce(json ->> '$.meta.id', 0), coalesce(json ->> '$.meta.version', 0),
		coalesce(json ->> '$.meta.opcode', 0), coalesce(json ->> '$.meta.tag', '0x0')
	FROM line WHERE json ->> '$.n' <> 'sched:sched_switch'" "
	SELECT $wall, cpu, sample_pid, sample_tid, level, id, version, opcode, printf('0x%X', tag)
	FROM user_event JOIN trace USING (trace_id)"
holds "user_events: an event is in the table of another provider, level or keyword" "$db" "254 254" "WITH expected AS (SELECT json ->> '$.meta.time' AS time,
		substr(json ->> '$.n', 1, instr(json ->> '$.n', ':') - 1) || printf('_L%xK', json ->> '$.meta.level') ||
		lower(coalesce(substr(json ->> '$.meta.keyword', 3), '0')) AS name
		FROM line WHERE json ->> '$.n' <> 'sched:sched_switch')
	SELECT count(*) || ' ' || count(DISTINCT expected.time) FROM user_event u JOIN trace USING (trace_id)
	JOIN expected ON expected.time = $wall AND (u.name = expected.name OR u.name GLOB expected.name || 'G*')"
finish
