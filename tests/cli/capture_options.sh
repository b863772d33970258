#!/bin/bash
# capture_options.sh: what each option does, and the exit status of the command.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
delivered_readers
cd "$work" || exit 1

# The command's status is ours.
while read -r wanted command; do
	# shellcheck disable=SC2086
	status "$wanted" "$command" perftab-capture perf -q -o exit.data -- sh -c "$command"
	[ ! -s err ] || fail "$command: talks: $(cat err)"
	whole "$command" exit.data
done <<'COMMANDS'
0 true
1 false
3 exit 3
137 kill -9 $$
139 ulimit -c 0; kill -11 $$
143 kill -15 $$
130 kill -2 $$
COMMANDS
reports 127 "no such command" "cannot run 'no-such-command': No such file or directory" perftab-capture perf -q -o exit.data -- no-such-command
reports 127 "an empty name" "cannot run '': No such file or directory" perftab-capture perf -q -o exit.data -- ""
reports 126 "a folder" "cannot run './folder': Is a directory" sh -c 'mkdir folder; exec perftab-capture perf -q -o exit.data -- ./folder'
printf '#!/nonexistent/shell\n' >uninterpreted
chmod +x uninterpreted
reports 127 "no interpreter" "cannot run './uninterpreted': the interpreter that it names does not exist" perftab-capture perf -q -o interpreter.data -- ./uninterpreted
touch not-a-program
reports 126 "no program" "cannot run './not-a-program': Permission denied" perftab-capture perf -q -o exit.data -- ./not-a-program
# and the trace of before stays.
whole "no program" exit.data
# What leads a group is not for its members; a filter needs a tracepoint, and its fields.
reports 1 "pinned" "page-faults:D: D (pinned) is for the leader of a group" perftab-capture perf -e page-faults:D -d 0.1 -o none.data
reports 1 "exclusive" "page-faults:e: e (exclusive) is for the leader of a group" perftab-capture perf -e page-faults:e -d 0.1 -o none.data
# shellcheck disable=SC2046
reports 1 "more -e than events" "no event 'no-such' here" perftab-capture perf $(printf -- '-e page-faults %.0s' {1..70}) -e no-such -d 0.1 -o none.data
reports 1 "a filter of nothing" "--filter 'pid == 1': no tracepoint is counted here" perftab-capture perf -e page-faults --filter 'pid == 1' -d 0.1 -o none.data
reports 1 "a probe" "'uprobe': make the probe first (perf probe)" perftab-capture perf -e uprobe/config=1/ -d 0.1 -o none.data
[ ! -e none.data ] || fail "there is a trace of nothing"
if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	reports 1 "another field" "--filter 'nothing == 1': sched:sched_waking: not a filter over its fields" \
		perftab-capture perf -e sched:sched_waking --filter 'nothing == 1' -d 0.1 -o none.data
	# Waking of a thread that is not there is never counted; the others are.
	for filter in 'pid == 2147483647' 'pid != 2147483647'; do
		records "$filter" filter.data -e sched:sched_waking --filter "$filter" -- sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.001; done'
		perftab-analyze --check --csv filter.data 2>/dev/null | awk -F, '$2 == "sched:sched_waking" { sum += $4 - $3 } END { print sum + 0 }' >sum
		case $filter in
		*!=*) [ "$(cat sum)" -gt 0 ] || fail "$filter: nothing is counted" ;;
		*) [ "$(cat sum)" -eq 0 ] || fail "$filter: $(cat sum) are counted" ;;
		esac
	done
fi
# Numbers of more than 32 bits are not cut.
reports 1 "a large pid" "there is no process 4294967297" perftab-capture perf -p 4294967297 -d 0.1 -o none.data
reports 1 "a large tid" "there is no thread 4294967297" perftab-capture perf -t 4294967297 -d 0.1 -o none.data
reports 1 "a large pid, live" "there is no process 4294967297" perftab-analyze --live -p 4294967297 -d 0.1
if command -v python3 >/dev/null; then
	python3 -c 'import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); time.sleep(60)' &
	process=$!
	until [ "$(find /proc/$process/task -mindepth 1 -maxdepth 1 | wc -l)" -eq 2 ]; do sleep 0.01; done
	thread=$(basename "$(find /proc/$process/task -mindepth 1 -maxdepth 1 ! -name $process)")
	reports 1 "-p of a thread" "$thread is a thread of process $process: -t $thread, or -p $process" perftab-capture perf -p "$thread" -d 0.1 -o none.data
	reports 1 "-p of a thread, live" "$thread is a thread of process $process: -p $process" perftab-analyze --live -p "$thread" -d 0.1
	kill $process
fi
# A thread: only what it counts.
reports 1 "no thread" "there is no thread 2147483647" perftab-capture perf -t 2147483647 -d 0.1 -o none.data
(exec self_count -n spinner 60000 1) >/dev/null 2>&1 &
spinner=$!
sleep 0.2
records "a thread" thread.data -t "$spinner" -e task-clock -d 0.3
kill "$spinner"
wait "$spinner" 2>/dev/null
perftab-analyze --by thread --csv thread.data 2>/dev/null >thread.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["tid"] > 0 { print $at["tid"], ($at["task-clock"] > 50000000) }' thread.csv >rows
[ "$(cat rows)" = "$spinner 1" ] || fail "a thread: $(cat thread.csv)"
# One that only sleeps is never switched out: it is read at both ends.
sleep 20 &
sleeper=$!
sleep 0.1
records "a sleeper" sleeper.data -t "$sleeper" -e task-clock -d 0.1
kill "$sleeper"
wait "$sleeper" 2>/dev/null
whole "a sleeper" sleeper.data
holds "a sleeper" sleeper.data.db "$sleeper|0|1" "SELECT tid, sum(charged), (SELECT last_ns - first_ns >= 1e8 FROM trace)
	FROM thread_charge JOIN thread USING (thread_id) JOIN counter USING (counter_id) WHERE tid > 0 AND counter.name = 'task-clock'"
# What it counted at the end is not separate from what a child counts that still runs.
for try in 1 2 3 4 5 6 7 8; do # it was not on a CPU at the end, if it is not said
	rm -f go
	sh -c 'while [ ! -e go ]; do :; done; sleep 60 & while :; do :; done' &
	parent=$!
	{ sleep 0.2 && : >go; } &
	status 0 "a parent" perftab-capture perf -q -p $parent -e task-clock -d 0.4 -o parent.data
	pkill -P $parent
	kill $parent
	wait
	! grep -q "thread $parent has children that had not ended: what it counted" err || break
	[ $try -lt 8 ] || fail "a parent: $(cat err)"
done
# Options of the command are not ours, with or without --.
status 0 "options of the command" perftab-capture perf -q -o exit.data sh -c 'echo "$0 $1"' -o -a
[ "$(cat out)" = "-o -a" ] || fail "options of the command: $(cat out)"
status 0 "standard input" perftab-capture perf -q -o exit.data -- cat <<<"for the command"
[ "$(cat out)" = "for the command" ] || fail "standard input: $(cat out)"
# What it prints stays out of a trace on standard output.
perftab-capture perf -q -o - -- sh -c 'seq 1 20000; echo done >&2' 2>err >piped.data || fail "-o - and a command: exit status $?"
{ seq 1 20000; echo done; } | cmp - err || fail "-o - and a command: not all on standard error"
whole "-o - and a command" piped.data

# The limit of a file's size ends neither the recorder nor, in its place, the command.
status 1 "ulimit -f" bash -c 'ulimit -f 100; exec perftab-capture perf -q -o limited.data -- \
	bash -c "for i in {1..400}; do /bin/true; done; kill -XFSZ \$\$; echo on >survived"'
says "ulimit -f" "File too large"
[ ! -e survived ] || fail "ulimit -f: the command ignores SIGXFSZ"
status 1 "nothing could be written" bash -c 'ulimit -f 0; exec perftab-capture perf -q -o nothing.data -d 0.1'
[ ! -e nothing.data ] || fail "nothing could be written: an empty file is left"

# Talk: one line, or none.
reports 0 "talk" "talk.data: " perftab-capture perf -o talk.data -d 0.1
grep -qE 'switches in [0-9.]+ s on [0-9]+ CPUs?, [0-9.]+ MB, [0-9,]+ lost; the recorder took [0-9.]+ s of CPU' err || fail "talk: $(cat err)"
[ ! -s out ] || fail "talk on stdout"
# What the recorder took is what its own bill has: without its start, the audit and its end.
recorder_us=$(sed -n 's/.*the recorder took \([0-9.]*\) s of CPU.*/\1/p' err | awk '{ printf "%d", $1 * 1e6 }')
billed_us=$(perftab-analyze --csv --by comm -n 0 talk.data 2>/dev/null |
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $1 == "perftab-capture" { printf "%d", $at["on_cpu_ns"] / 1e3 }')
[ $((recorder_us - billed_us)) -le 5000 ] || fail "the recorder took $recorder_us us, its bill has ${billed_us:-none}: $(cat err)"

# -d ends the recording, and a command with it.
status 143 "-d and a command" timeout 60 perftab-capture perf -q -d 0.2 -o long.data -- sleep 600
whole "-d and a command" long.data
sql long.data.db "SELECT (last_ns - first_ns) / 1000000 BETWEEN 50 AND 30000 FROM trace" | grep -qx 1 || fail "-d 0.2: $(sql long.data.db "SELECT last_ns - first_ns FROM trace") ns"

# One that is stopped goes on, to end; one that ignores SIGTERM is waited for when the file is
# complete, until another signal.
status 143 "-d and a stopped command" timeout 20 perftab-capture perf -q -d 0.2 -o long.data -- sh -c 'kill -STOP $$; sleep 600'
cat >stubborn <<'STUBBORN'
trap '' INT TERM
echo $$ >pid
while :; do sleep 0.1; done
STUBBORN
for starts in "perftab-capture perf -q -o stubborn.data" "perftab-analyze --live --csv"; do
	# shellcheck disable=SC2086
	timeout 60 $starts -d 0.2 -- sh stubborn >out 2>err &
	for _ in $(seq 200); do
		! grep -q . err || break
		sleep 0.05
	done
	says "$starts: a command that ignores SIGTERM" "waiting for the command, which did not end at SIGTERM; Ctrl-C leaves it"
	case $starts in
	*live*) grep -q '^(idle),' out || fail "$starts: no bill before it waits: $(cat out)" ;;
	*) whole "$starts" stubborn.data ;;
	esac
	kill %%
	wait %% && fail "$starts: 0 though the command still runs"
	kill -0 "$(cat pid)" 2>/dev/null || fail "$starts: the command has ended"
	kill -9 "$(cat pid)"
done

# A closed terminal ends a recording as SIGTERM does; under nohup it goes on.
perftab-capture perf -q -o hangup.data -- sleep 600 2>err &
until [ -s hangup.data ]; do sleep 0.05; done
sleep 0.3
kill -HUP $!
wait $! && fail "SIGHUP: exit status 0, the command was ended"
[ ! -s err ] || fail "SIGHUP: $(cat err)"
whole "SIGHUP" hangup.data
status 0 "SIGHUP, ignored" sh -c 'trap "" HUP; (sleep 0.3; kill -HUP $$) & exec perftab-capture perf -q -o hangup.data -- sh -c "kill -HUP \$\$; sleep 1; touch survived"'
[ -e survived ] || fail "SIGHUP, ignored: the command was ended"

# FILE.old: what was there before, once.
cp long.data before
records "FILE.old" long.data -- true
same "FILE.old" before long.data.old
records "output in a folder" "$work/talk.data" -- true

# Only the CPUs that are asked for.
online=$(getconf _NPROCESSORS_ONLN)
records "-C" cpu.data -C 0 -- self_count 5 50
whole "-C" cpu.data
[ "$(sql cpu.data.db "SELECT group_concat(DISTINCT cpu) FROM context_switch")" = 0 ] || fail "-C 0: CPUs $(sql cpu.data.db "SELECT group_concat(DISTINCT cpu) FROM context_switch")"
records "-a" all.data -a -- burst 200
whole "-a" all.data
holds "-a: not all CPUs" all.data.db "$online" "SELECT count(DISTINCT cpu) FROM context_switch"
records "no option" none.data -- burst 200
[ "$(perftab-convert none.data -o none.db && sql none.db "SELECT count(DISTINCT cpu) FROM context_switch")" = "$online" ] || fail "without options: not all CPUs"

# Events, and the default events.
records "-e" events.data -e page-faults -e cpu-clock:u,minor-faults -- true
whole "-e" events.data
holds "-e: counters" events.data.db "page-faults cpu-clock:u minor-faults" "SELECT group_concat(name, ' ') FROM (SELECT name FROM counter WHERE slot > 0 ORDER BY slot)"
holds "nothing is counted by default" none.db 1 "SELECT count(*) > 1 FROM counter WHERE group_id = 1"
records "software, taking turns" turns.data --multiplex -e page-faults,task-clock -- true
whole "software, taking turns" turns.data

# Sizes of the ring.
for size in 1 16 64K 2M 64k 1m; do
	status 0 "-m $size" perftab-capture perf -q -m $size -d 0.05 -o size.data
done

# A pipe: the same bill as it comes and when it was saved; packed and not.
for packed in '' --compress; do
	# shellcheck disable=SC2086
	timeout 60 perftab-capture perf -q -m 4M $packed -o - -- burst 100 2>err | tee pipe.data | perftab-analyze --by thread --csv - >came 2>came.err
	[ "${PIPESTATUS[*]}" = "0 0 0" ] || fail "-o - $packed: exit status ${PIPESTATUS[*]}"
	[ ! -s err ] && [ ! -s came.err ] || fail "-o - $packed: talks: $(head -1 err came.err)"
	perftab-analyze --by thread --csv pipe.data >saved || fail "-o - $packed: the saved one: exit status $?"
	same "-o - $packed: as it comes and saved" saved came
	grep -q 'burst-child' came || fail "-o - $packed: no burst"
	whole "-o - $packed" pipe.data
done
records "-z" packed.data -z -- burst 500
records "plain" plain.data -- burst 500
whole "-z" packed.data
[ "$(sql packed.data.db "SELECT sum(records) FROM record_count WHERE type IN (81, 83)")" -gt 0 ] || fail "-z: nothing is packed"
[ "$(stat -c %s packed.data)" -lt "$(stat -c %s plain.data)" ] || fail "-z: larger than plain"
finish
