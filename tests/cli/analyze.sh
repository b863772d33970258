#!/bin/bash
# analyze.sh: perftab-analyze --live: a command's processes, intervals, a terminal.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null
perftab-analyze --live -- true >"$work/out" 2>"$work/err" ||
	skip "this machine does not allow recording: $(tail -1 "$work/err")"
counters=task-clock,page-faults

# A command: its processes under their own names, all others in one line, and it balances.
cat >"$work/load" <<'LOAD'
conditional_sum sorted 300 & conditional_sum unsorted 300 & wait
for i in 1 2 3 4 5; do /bin/true; done
exit 3
LOAD
status 3 "the command's exit status" perftab-analyze --live -e $counters --csv --top 0 -- sh "$work/load"
grep -q "sum=" "$work/out" || fail "the command's own output is missing"
sed -i '/^sum=/d' "$work/out"
[ "$(head -1 "$work/out")" = "process,pid,threads,switches,on_cpu_ns,$(head -1 "$work/out" | cut -d, -f6),$counters" ] ||
	fail "columns: $(head -1 "$work/out")"
[ "$(grep -c '^sum-\(un\)\?sorted,' "$work/out")" -ge 2 ] || fail "conditional_sum is not in the bill: $(cat "$work/out")"
[ "$(grep -c '^true,' "$work/out")" -eq 5 ] || fail "not five lines of true: $(cat "$work/out")"
for line in '(other processes)' '(idle)' '(unattributed)'; do
	[ "$(grep -cF "$line," "$work/out")" -eq 1 ] || fail "not one line $line"
done
grep -qE '^(perftab-analyze|bash|ctest|rcu_preempt),' "$work/out" && fail "a line of another process: $(cat "$work/out")"

status 3 "the same as JSON" perftab-analyze --live -e $counters --json -- sh "$work/load"
sed -i '/^sum=/d' "$work/out"
holds "kinds of lines in JSON: $(head -c 300 "$work/out")" :memory: task,others,idle,with_idle,unattributed "SELECT group_concat(DISTINCT k.value ->> 'kind') FROM json_each(readfile('$work/out'), '\$.traces[0].lines') AS k"

# The same of all processes.
status 0 "-a with a command" perftab-analyze --live -a --csv --top 0 -- sleep 0.05
grep -q '^sleep,' "$work/out" || fail "-a: no line of the command"
grep -q '(other processes)' "$work/out" && fail "-a joins processes"

# Intervals: the line of names once, times that go on, every book balanced.
status 0 "intervals" perftab-analyze --live -i 0.2 -d 1 --csv --by cpu
[ "$(grep -c '^from_ns,to_ns,from_utc,cpu,' "$work/out")" -eq 1 ] || fail "intervals: not one line of names"
awk -F, 'NR > 1 && ($2 <= $1 || ($1 != from && NR > 2 && $1 != to)) { exit 1 } { from = $1; to = $2 }' "$work/out" ||
	fail "intervals: one does not begin where the one before it ended: $(cut -d, -f1-4 "$work/out" | head)"
[ "$(tail -n +2 "$work/out" | cut -d, -f3 | grep -cvE '^20..-..-..T..:..:..\.[0-9]{6}Z$')" -eq 0 ] || fail "intervals: times of day: $(cut -d, -f3 "$work/out" | uniq)"
times=$(tail -n +2 "$work/out" | cut -d, -f1 | uniq | wc -l)
[ "$times" -ge 3 ] || fail "intervals: $times in a second of fifths"
tail -n +2 "$work/out" | cut -d, -f1 | sort -nc 2>"$work/err" || fail "intervals: times go back"
status 0 "intervals, checked" perftab-analyze --live -i 0.2 -d 1 --check --json
holds "intervals do not balance: $(head -c 300 "$work/out")" :memory: 1 "SELECT count(*) > 4 AND min(k.value ->> 'balanced') FROM json_each(readfile('$work/out'), '\$.traces') AS t,
	json_each(t.value, '\$.check') AS k"

status 0 "intervals, checked, CSV" perftab-analyze --live -i 0.2 -d 1 --check --csv
awk -F, 'NR == 1 { wrong = $0 !~ /^from_ns,to_ns,from_utc,cpu,counter,first,/ || !/,balanced$/ } NR > 1 { wrong = $1 < from || $2 <= $1 || $NF != 1; times += $1 > from; from = $1 }
	wrong { print; exit 1 } END { exit times < 3 }' "$work/out" >"$work/got" || fail "intervals, checked, CSV: $(cat "$work/got")"

# One interval of all, and the same bill from the end: every count is in exactly one block.
# tsc counts on, so what the blocks of a CPU add up to is what passed between its first
# and its last switch.
if [ -d /sys/bus/event_source/devices/msr/events ]; then
	status 0 "books" perftab-analyze --live -e msr/tsc/ -i 0.1 -d 1 --check --json
	holds "an interval does not begin where the one before it ended" :memory: 1 "WITH line AS (SELECT t.key AS block, k.value ->> 'cpu' AS cpu, k.value ->> 'first' AS first, k.value ->> 'last' AS last
		FROM json_each(readfile('$work/out'), '\$.traces') AS t, json_each(t.value, '\$.check') AS k WHERE k.value ->> 'counter' = 'msr/tsc/'),
		step AS (SELECT first, lag(last) OVER (PARTITION BY cpu ORDER BY block) AS before FROM line)
		SELECT count(*) > 4 AND sum(first = before) = count(*) FROM step WHERE before IS NOT NULL"
fi

# Text: one block after the other; on a terminal the screen is drawn anew.
status 0 "text" perftab-analyze --live -i 0.2 -d 0.7 -n 2
[ "$(grep -c 'switches$' "$work/out")" -ge 3 ] || fail "text: fewer than three blocks"
if command -v script >/dev/null; then
	script -qec "stty rows 20; TERM=dumb perftab-analyze --live -i 0.2 -d 0.7" /dev/null >"$work/screen" </dev/null 2>&1
	! grep -q $'\033' "$work/screen" || fail "TERM=dumb: escape sequences"
	[ "$(grep -c 'switches' "$work/screen")" -ge 3 ] || fail "TERM=dumb: fewer than three blocks"
	# A small one gets what is the least, not the most.
	script -qec "stty rows 8 cols 30; TERM=xterm perftab-analyze --live -d 0.3" /dev/null </dev/null 2>&1 | tr -d '\r' >"$work/small"
	[ "$(grep -c . "$work/small")" -le 12 ] || fail "8 lines: $(cat "$work/small")"
	awk 'length($0) > 60 { exit 1 }' "$work/small" || fail "30 columns: $(cat "$work/small")"
	script -qec "stty rows 20; TERM=xterm perftab-analyze --live -i 0.2 -d 0.7" /dev/null >"$work/screen" </dev/null 2>&1
	[ "$(grep -c $'\033\\[2J' "$work/screen")" -ge 3 ] || fail "the screen is not drawn anew"
	tr -d '\r' <"$work/screen" | awk -v RS='\033' '{ n = split($0, l, "\n"); if (n > 24) exit 1 }' || true
fi

# A reader that closes the pipe ends it as it ends other bills; so does a full disk, with a message.
# ends_at WANTED WHAT COMMAND...: its exit status, in less than 10 s, at a pipe that `head -2` reads
ends_at() {
	local wanted=$1 what=$2 got
	shift 2
	timeout 10 "$@" 2>"$work/err" | head -2 >"$work/out"
	got=${PIPESTATUS[0]}
	[ "$got" -eq "$wanted" ] || fail "$what: exit status $got, expected $wanted: $(head -c 300 "$work/err")"
	[ -s "$work/out" ] && [ ! -s "$work/err" ] || fail "$what: $(head -c 300 "$work/err")"
}
for form in --by=process --csv --json "--check --json"; do
	# shellcheck disable=SC2086
	ends_at 141 "closed pipe, $form" perftab-analyze --live -i 0.2 $form
done
(trap '' PIPE; ends_at 1 "closed pipe, no SIGPIPE" perftab-analyze --live -i 0.2)
: >"$work/err"
timeout 10 perftab-analyze --live -i 60 2>"$work/err" | true
[ "${PIPESTATUS[0]}" -eq 141 ] && [ ! -s "$work/err" ] || fail "a pipe closed in an interval: $(cat "$work/err")"
echo 'echo $$ >"$0.pid"; exec sleep 60 >/dev/null' >"$work/sleeper"
ends_at 141 "closed pipe, a command" perftab-analyze --live -i 0.2 -- sh "$work/sleeper"
kill "$(cat "$work/sleeper.pid")" 2>/dev/null && fail "closed pipe: the command still runs"
if [ -w /dev/full ]; then
	timeout 10 perftab-analyze --live -i 0.2 -- sh "$work/sleeper" >/dev/full 2>"$work/err"
	got=$?
	[ $got -eq 1 ] || fail "a full disk: exit status $got"
	says "a full disk" "cannot write to standard output: No space left on device"
	[ "$(wc -l <"$work/err")" -eq 1 ] || fail "a full disk: more than one message: $(head -c 300 "$work/err")"
	kill "$(cat "$work/sleeper.pid")" 2>/dev/null && fail "a full disk: the command still runs"
fi

# Ctrl-C ends it with the last bill; a process; refusals.
(perftab-analyze --live -i 10 --csv >"$work/out" 2>"$work/err" & echo $! >"$work/pid"; wait $!; echo $? >"$work/code") &
sleep 1
kill -INT "$(cat "$work/pid")"
wait
[ "$(cat "$work/code")" -eq 0 ] || fail "SIGINT: exit status $(cat "$work/code")"
grep -q '(idle)' "$work/out" || fail "SIGINT: no last bill"
# What came while it did not run is read in parts of 16 MiB, and is all there, or said to be lost.
if command -v perf >/dev/null; then
	(perftab-analyze --live -i 0.2 --csv -n 0 >"$work/out" 2>"$work/err" & echo $! >"$work/pid"; wait $!; echo $? >"$work/code") &
	sleep 1
	kill -STOP "$(cat "$work/pid")"
	perf bench sched pipe -l 80000 >/dev/null
	kill -CONT "$(cat "$work/pid")"
	sleep 1
	kill -INT "$(cat "$work/pid")"
	wait
	[ "$(cat "$work/code")" -eq 0 ] || fail "stopped: exit status $(cat "$work/code"): $(cat "$work/err")"
	awk -F, '$4 == "sched-pipe" { sum += $7 } END { exit sum < 150000 }' "$work/out" || grep -q 'records were lost' "$work/err" ||
		fail "stopped: switches of 80000 rounds are missing: $(grep sched-pipe "$work/out")"
fi
sleep 20 &
status 0 "-p" perftab-analyze --live -p $! -d 0.3 --csv
kill $!
reports 127 "a command that is not there" "cannot run '/nonexistent/command'" perftab-analyze --live -- /nonexistent/command
# A trace named instead is not read: only bills of it are made in the sandbox.
cp "$PERFTAB_SOURCE/sample-traces/perf/good-times.data" "$work/named.data"
status 126 "a trace" perftab-analyze --live "$work/named.data"
grep -qF "cannot run '$work/named.data'" "$work/err" && grep -qF "$work/named.data: --live counts now; without it a trace is billed" "$work/err" ||
	fail "a trace: $(cat "$work/err")"
reports 1 "an event that is not there" "nonsense" perftab-analyze --live -e nonsense -- true
# Its last interval lasts until the end, though nothing switched in it.
sleep 60 &
status 0 "a sleeper" perftab-analyze --live -p $! -d 0.3
awk 'NR == 1 && /  0\.000 s, 0 switches$/ { exit 1 }' "$work/out" || fail "a sleeper: $(head -1 "$work/out")"
kill $!
status 1 "no such process" perftab-analyze --live -p 4194303
reports 2 "-e without --live" "-e goes with --live" perftab-analyze -e cycles trace.data
reports 2 "-i nonsense" "expected e.g. 500ms or 10s" perftab-analyze --live -i soon
reports 2 "an interval too short" "--live: intervals of less than 1ms are too short" timeout 20 perftab-analyze --live -i 999us -d 0.02
status 0 "the shortest interval" timeout 20 perftab-analyze --live -i 1ms -d 0.1 --csv -n 1
mistakes perftab-analyze --live -d 0.1 <<'MISTAKES'
--from +1s|--live and --from with another time than of the clock exclude one another
--to 2026-11-22T10:00:00Z|--live and --to with another time than of the clock exclude one another
--trace 1|--live and --trace exclude one another
--language local|--live and --language exclude one another
--multi-timer share|--live and --multi-timer exclude one another
--code-page 1251|--live and --code-page exclude one another
MISTAKES
status 2 "-p and a command" perftab-analyze --live -p 1 -- true
finish
