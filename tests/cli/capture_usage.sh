#!/bin/bash
# capture_usage.sh: help and wrong arguments of perftab-capture, and its lists; no rights needed.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
man=$PERFTAB_SOURCE/docs/man/perftab-capture.1

for part in perf perflib audit list; do
	helps "perftab-capture $part" "$man" perftab-capture $part
done
status 0 "--help" perftab-capture --help
grep -q '^usage: perftab-capture perf' "$work/out" || fail "--help: no usage line"
status 0 "--version" perftab-capture --version
[ "$(wc -l <"$work/out")" -eq 1 ] || fail "--version: $(cat "$work/out")"

# Wrong usage is 2, with one line that says what is wrong, and nothing is recorded.
status 2 "nothing" perftab-capture
cd "$work" || exit 1
mistakes perftab-capture <<'END'
record|unknown command 'record': expected one of perf, perflib, audit, list; did you mean 'perf'?
stat|unknown command 'stat': expected one of perf, perflib, audit, list; did you mean 'perf'?
perf --nonsense|--nonsense
perf -Z|unknown option '-Z'
perf -a -C 0|-a, -C, -p, -t and --cgroup exclude one another
perf -a -p 1|-a, -C, -p, -t and --cgroup exclude one another
perf -p 1 -t 1|-a, -C, -p, -t and --cgroup exclude one another
perf -C 0 -p 1|-a, -C, -p, -t and --cgroup exclude one another
perf --cgroup x -a|-a, -C, -p, -t and --cgroup exclude one another
perf -p 0|--pid needs a whole number from 1, not '0'
perf -p self|--pid needs a whole number from 1, not 'self'
perf -C x|invalid CPU list 'x': expected e.g. 0-3,8 (below 16384)
perf -C 1-0|invalid CPU list '1-0'
perf -e task-clock,,page-faults -o x -- true|an event name is missing at character 12
perf -e task-clock:q -o x -- true|'q' after 'task-clock' are not modifiers
audit -e {task-clock|no '}' for the '{' at character 1
perf -d 0|invalid --duration '0': expected e.g. 500ms or 10s
perf -d -1|invalid --duration '-1': expected e.g. 500ms or 10s
perf -d soon|invalid --duration 'soon': expected e.g. 500ms or 10s
perf -d nan|invalid --duration 'nan': expected e.g. 500ms or 10s
perf --via ftrace|invalid --via 'ftrace': expected one of auto, bpf, perf
perf --via bpf -p 1|--via bpf and -p exclude one another: programs read whole CPUs
perf --interrupts=some|invalid --interrupts 'some': expected one of exact, count
perf --interrupts --interrupts=count|--interrupts is given twice
perf --interrupts -t 1|--interrupts and -t exclude one another: interrupts are of whole CPUs
perf --interrupts=count --cgroup x|--interrupts and --cgroup exclude one another
perf -m 0|-m needs a size such as 512K or 4M
perf -m -1|-m needs a size such as 512K or 4M
perf -m 4X|-m needs a size such as 512K or 4M
perf -m 4MB|-m needs a size such as 512K or 4M
perf -m 2G|-m needs a size such as 512K or 4M, at most 1G
perf -m 99999999999999999999|-m needs a size such as 512K or 4M
perf -o|-o
perf --repeat 0 -- true|--repeat needs a whole number from 1, not '0'
perf --repeat 1001 -- true|--repeat needs at most 1000
perf --repeat 3|--repeat needs a command
perf --against true -- true|--against goes with --repeat
perf --repeat 3 -o - -- true|-o needs a folder
audit x|audit has no operands, such as 'x'
audit -o x|unknown option
audit -C x|invalid CPU list 'x'
perflib x|'x' is not an option
perflib -i 0|invalid --interval '0': expected e.g. 500ms or 10s
perflib -i soon|invalid --interval 'soon': expected e.g. 500ms or 10s
perflib -n 0|--snapshots needs a whole number from 1, not '0'
perflib --proc a --replay b|--replay and --proc exclude one another
perflib -c|-c
list --proc a events|--proc and --replay are for countersets
list|expected what to list: events or countersets
list event|cannot list 'event': expected one of events, countersets; did you mean 'events'?
list counters|cannot list 'counters': expected one of events, countersets
list profile-sources|profile-sources is for Windows: on Linux, events
etw -d 10|etw is for Windows: on Linux, perf
list events a b|one name at a time
END
[ -z "$(find . -name 'perf.data*' -o -name '*.plb')" ] || fail "wrong usage makes files"

status 0 "list events" perftab-capture list events
grep -q 'page-faults' "$work/out" || fail "list events: no page-faults"
reports 1 "list of nothing" "no event matches 'no\x1bsuch'" perftab-capture list events $'no\x1bsuch'
[ ! -s "$work/out" ] || fail "list of nothing: $(cat "$work/out")"
reports 1 "list --json of nothing" "no event matches 'nope'" perftab-capture list --json events nope
sql :memory: "SELECT json_array_length(readfile('$work/out'), '\$.events')" | grep -qx 0 || fail "list --json of nothing: $(cat "$work/out")"
status 0 "list --json" perftab-capture list --json events
sql :memory: "SELECT json_extract(readfile('$work/out'), '\$.schema_version')" | grep -qx 1 || fail "list --json: no schema_version 1"
finish
