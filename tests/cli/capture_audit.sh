#!/bin/bash
# capture_audit.sh: counters on trial: no counter of this machine is contradicted, the trace has
# the verdicts and the kernel's own books, and its report is the same from the database.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
delivered_readers
cd "$work" || exit 1

# The command, also with a CPU that a real-time thread keeps.
status 0 "audit" perftab-capture audit
grep -q '^CPU 0' out || fail "audit: no CPU 0: $(cat out)"
grep -q ' proven ' out || fail "audit: nothing is proven: $(cat out)"
! grep -q contradicted out || fail "audit: contradicted: $(cat out)"
[ ! -s err ] || fail "audit: talks on stderr: $(cat err)"
status 0 "audit of events" perftab-capture audit -e task-clock,page-faults -C 0
[ "$(grep -c '^CPU' out)" -eq 1 ] || fail "audit -C 0: $(cat out)"
for name in task-clock page-faults; do
	grep -Eq "^  $name +proven +counted" out || fail "audit: $name is not proven: $(cat out)"
done
status 1 "audit of nothing" perftab-capture audit -e no-such-event
cpu=$(($(getconf _NPROCESSORS_ONLN) - 1))
if [ "$cpu" -gt 0 ] && chrt -f 1 true 2>/dev/null; then
	timeout 5 chrt -f 1 taskset -c "$cpu" sh -c 'while :; do :; done' &
	spinner=$!
	status 0 "audit beside a spinner" perftab-capture audit
	kill "$spinner"
	wait "$spinner" 2>/dev/null
	! grep -q contradicted out || fail "beside a spinner: contradicted: $(cat out)"
	ms=$(sed -n 's/^The audit lasted \([0-9]*\)\..*/\1/p' out)
	[ "${ms:-1000}" -lt 50 ] || printf 'the audit lasted %s ms on this busy machine\n' "$ms"
fi

# A recording of all CPUs, and one of a process.
status 0 "all CPUs" perftab-capture perf -q -a -o all.data -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'
sh -c 'while :; do :; done' &
spinner=$!
status 0 "a process" perftab-capture perf -q -p "$spinner" -d 0.2 -o task.data
kill "$spinner"
wait "$spinner" 2>/dev/null
status 0 "without" perftab-capture perf -q --no-audit -a -d 0.1 -o without.data
for name in all task without; do
	status 0 "convert $name" perftab-convert "$name.data" -o "$name.db"
	for form in "" "--json --from +1ms"; do
		# shellcheck disable=SC2086
		perftab-analyze $form "$name.data" 2>/dev/null | sed "s/$name\.[a-z]*/X/" >"$name.trace"
		# shellcheck disable=SC2086
		perftab-analyze $form "$name.db" 2>/dev/null | sed "s/$name\.[a-z]*/X/" >"$name.database"
		same "$name $form: the reports differ" "$name.trace" "$name.database"
	done
done
for name in all task; do
	sqlite3 "$name.db" "SELECT count(*) FROM counter_audit WHERE verdict = 'contradicted'" | reads "$name: contradicted" 0
	# A busy machine may leave no CPU to the audit in time.
	untested=$(sqlite3 "$name.db" "SELECT count(*) FROM audit_check WHERE what = 'untested'")
	proven=$(sqlite3 "$name.db" "SELECT count(*) FROM counter_audit WHERE verdict = 'proven'")
	[ "$untested" -gt 0 ] || [ "$proven" -gt 0 ] || fail "$name: nothing is proven"
	[ "$untested" -gt 0 ] || perftab-analyze "$name.data" 2>/dev/null | grep -q '^proven: ' || fail "$name: no verdict in the text"
done
perftab-analyze --json all.data 2>/dev/null | grep -q '"verdict": "p' || fail "no verdict in JSON"
sqlite3 all.db "SELECT what FROM audit_check WHERE what IN ('ctxt', 'softirqs') ORDER BY what" | reads "books" ctxt softirqs
sqlite3 all.db "SELECT least <= most AND found > 0 FROM audit_check WHERE what = 'ctxt'" | reads "switches" 1
sqlite3 all.db "SELECT abs(wall_offset_end_ns - wall_offset_ns) < 1000000000 FROM trace" | reads "the time of day at both ends" 1
# The kernel adds to the books of a running thread once a tick, and opens them somewhat earlier.
sqlite3 task.db "SELECT tid, recorded_ns > 1e6, abs(run_ns - recorded_ns) < 60e6 FROM kernel_task_check" |
	reads "the books of the process" "$spinner|1|1"
sqlite3 without.db "SELECT count(*) FROM audit_check UNION SELECT count(*) FROM kernel_task" | reads "--no-audit" 0

# perf reads the file and the pipe, and says nothing of our records.
if command -v perf >/dev/null; then
	status 0 "perf script" perf script -i all.data
	! grep -iE 'unknown|unsupported|invalid' err || fail "perf script: $(cat err)"
	perftab-capture perf -q -a -d 0.1 -o - 2>/dev/null | perf script -i - >pipe.out 2>pipe.err || fail "perf script of a pipe: $(cat pipe.err)"
	! grep -iE 'unknown|unsupported|invalid' pipe.err || fail "perf script of a pipe: $(cat pipe.err)"
fi
finish
