#!/bin/bash
# outside.sh: a recorder in a PID namespace: tasks outside it have the ids 0/0, and are not idle.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
outside='(outside the namespace)'
cd "$work" || exit 1

# made NAME: converts the scenario; every COMM, FORK and EXIT record has its row
made() {
	make_trace "$1" . || fail "make_trace $1"
	status 0 "$1" perftab-convert "$1.data" -o "$1.db"
	holds "$1: rows of tasks" "$1.db" 1 "SELECT (SELECT group_concat(records) FROM (SELECT records FROM record_count
		WHERE record IN ('COMM', 'EXIT', 'FORK') ORDER BY record)) = (SELECT count(*) FROM comm) || ',' ||
		(SELECT count(*) FROM exit) || ',' || (SELECT count(*) FROM fork)"
}

# of_outside TABLE: its rows of tasks outside
of_outside() { echo "(SELECT count(*) FROM $1 JOIN thread USING (thread_id) JOIN process AS p USING (process_id) WHERE p.name = '$outside')"; }

# A tracepoint names each task by the machine's number: idle stays idle.
for name in namespace namespace_collide; do
	made $name
	holds "$name: a finding" $name.db 1 "SELECT count(*) FROM finding WHERE kind = 'outside'"
	holds "$name: records of tasks outside" $name.db 1 "SELECT $(of_outside comm) > 0 AND $(of_outside fork) > 0 AND $(of_outside exit) > 0"
	holds "$name: finding" $name.db 1 "SELECT count = $(of_outside comm) + $(of_outside fork) + $(of_outside exit) AND severity = 'warning'
		FROM finding WHERE kind = 'outside'"
	holds "$name: nothing is billed to them" $name.db 0 "SELECT count(*) FROM process_bill WHERE process = '$outside'"
	holds "$name: idle" $name.db 4 "SELECT count(*) FROM thread WHERE idle_cpu IS NOT NULL"
done

# None does: what has the ids 0/0 is theirs, or idle's, and is said to be.
made software_namespace
holds "idle threads" software_namespace.db 0 "SELECT count(*) FROM thread WHERE idle_cpu IS NOT NULL OR name LIKE 'swapper%'"
holds "idle's charge" software_namespace.db 0.0 "SELECT total(idle) FROM cpu_charge"
status 0 "bill" perftab-analyze software_namespace.data
grep -q "^$outside  *4 " out || fail "no line $outside: $(cat out)"
grep -q "^warning: records of tasks outside" out || fail "no finding: $(cat out)"
[ "$(awk '/^\(idle\)/ { print $2, $3; exit }' out)" = "0 0.000" ] || fail "idle: $(grep '^(idle)' out)"
status 0 "anonymous" perftab-convert --anonymize --anonymize-names software_namespace.data -o anonymous.db
holds "the name says nothing" anonymous.db 5 "SELECT count(*) FROM thread JOIN process AS p USING (process_id)
	WHERE p.name = '$outside' AND (thread.name LIKE 'outside/%' OR thread.name = p.name)"

# A dying thread of old kernels has tid 0 and its own pid: neither idle nor outside.
made exit_zero
holds "no namespace" exit_zero.db 0 "SELECT count(*) FROM finding WHERE kind IN ('outside', 'namespace')"
holds "they are counted" exit_zero.db 1 "SELECT count > 0 FROM finding WHERE kind = 'exited_tid'"
holds "SWITCH records of idle alone" exit_zero.db 0 "SELECT count(*) FROM switch_record AS a JOIN thread AS t USING (thread_id)
	JOIN switch_record AS b ON b.trace_id = a.trace_id AND b.cpu = a.cpu AND b.ts_ns >= a.ts_ns AND b.is_out = 0
	WHERE a.is_out AND t.idle_cpu IS NOT NULL AND a.other_tid = 0 AND b.rowid = a.rowid + 1"

# A sample of user space is not idle's: one of a profile loses its ids.
cp "$PERFTAB_SOURCE/sample-traces/perf/good-plain-sampling.data" user.data
perftab-analyze --by process --csv user.data | grep -qF "$outside" && fail "a whole profile has tasks outside"
at=$(grep -obUaP '\x09\x00\x00\x00\x02\x00\x28\x00' user.data | head -1 | cut -d: -f1)
[ -n "$at" ] || fail "no sample of user space"
printf '\0\0\0\0\0\0\0\0' | dd of=user.data bs=1 seek=$((at + 16)) conv=notrunc status=none
status 0 "a sample" perftab-analyze --by process --csv user.data
grep -q "^$outside," out || fail "a sample of user space with the ids 0/0: $(cat out)"
perftab-convert user.data -o user.db || fail "user.data: convert"
holds "its finding" user.db 1 "SELECT count FROM finding WHERE kind = 'outside'"
finish
