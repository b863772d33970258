#!/bin/bash
# capture_options.sh: what each option does, and the exit status of the command.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
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
touch not-a-program
reports 126 "no program" "cannot run './not-a-program': Permission denied" perftab-capture perf -q -o exit.data -- ./not-a-program
# Options of the command are not ours, with or without --.
status 0 "options of the command" perftab-capture perf -q -o exit.data sh -c 'echo "$0 $1"' -o -a
[ "$(cat out)" = "-o -a" ] || fail "options of the command: $(cat out)"
status 0 "standard input" perftab-capture perf -q -o exit.data -- cat <<<"for the command"
[ "$(cat out)" = "for the command" ] || fail "standard input: $(cat out)"

# Talk: one line, or none.
reports 0 "talk" "talk.data: " perftab-capture perf -o talk.data -d 0.1
grep -qE 'switches in [0-9.]+ s on [0-9]+ CPUs?, [0-9.]+ MB, [0-9,]+ lost; the recorder took [0-9.]+ s of CPU' err || fail "talk: $(cat err)"
[ ! -s out ] || fail "talk on stdout"

# -d ends the recording, and a command with it.
status 143 "-d and a command" timeout 60 perftab-capture perf -q -d 0.2 -o long.data -- sleep 600
whole "-d and a command" long.data
sql long.data.db "SELECT (last_ns - first_ns) / 1000000 BETWEEN 50 AND 30000 FROM trace" | grep -qx 1 || fail "-d 0.2: $(sql long.data.db "SELECT last_ns - first_ns FROM trace") ns"

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
