#!/bin/bash
# examples.sh: every command that README, install.md, recording.md and the manuals show without its output runs, shortened,
# with a PMU or without one; docs.sh runs those with their output.  What only another system has,
# or builds the programs, is listed here: a new example must be run or listed.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
watched_starts
cd "$work" || exit 1

# commands FILE: blocks of four blanks in Markdown, literal displays in manuals
commands() {
	case $1 in
	*.md) awk '/^```/ { fenced = !fenced } !fenced && /^    [a-z]/ { sub(/^ +/, ""); print }' "$1" ;;
	*) awk '/^\.Ed/ { on = 0 } on && !/^\$/ && /^(perftab-[a-z]+|perf) [a-z-]/ { gsub(/\\e/, "\\"); gsub(/\\-/, "-"); print } /^\.Bd -literal/ { on = 1 }' "$1" ;;
	esac
}

# can_count EVENTS: here, by this user
can_count() { command -v perftab-capture >/dev/null && timeout 20 perftab-capture perf -q -e "$1" -o can.data -- true >can.out 2>&1; }

# short COMMAND: the same in less than a second, and of what is there
short() {
	sed -E "s/ -d (10|5)( |\$)/ -d 0.2\2/; s/ -i 5 -n [0-9]+/ -i 0.05 -n 3/; s/sleep 5/sleep 0.2/; s/4711/$pid/g" <<<"$1" |
		sed -E '/^perftab-capture perflib/ { / -n / !s/$/ -i 0.05 -n 3/ }' # else until it is interrupted
}

printf 'all:\n\ttrue\n' >Makefile
cp "$PERFTAB_SOURCE/sample-traces/perf/good-switch-group.data" perf.data
cp "$PERFTAB_SOURCE/sample-traces/etw/good-basic.etl" pmc.etl
sleep 60 &
pid=$!
trap 'kill $pid 2>/dev/null; rm -rf "$work"' EXIT
can_count task-clock && has_counts=1 || has_counts=0
can_count cycles,instructions && has_pmu=1 || has_pmu=0
can_perf=0
command -v perf >/dev/null && timeout 20 perf record -q -a -c 1 -e '{sched:sched_switch,task-clock}:S' -o can.data -- true >can.out 2>&1 && can_perf=1

run=0
for doc in README.md docs/install.md docs/recording.md $(cd "$PERFTAB_SOURCE" && echo docs/man/*.[1-9]); do
	commands "$PERFTAB_SOURCE/$doc" >list
	while IFS= read -r command <&3; do
		case $command in
		scripts/install-packages* | cmake*) continue ;;                       # builds the programs
		'apt install ./perftab'* | 'tar -xzf perftab-'*) continue ;;          # of a release: scripts/try-packages
		'perftab-capture etw '* | 'xperf '* | 'tracelog '* | *' -- build.exe') continue ;; # Windows
		perftab-analyze:* | perftab-convert:* | perftab-capture:*) continue ;; # a message
		'perf record '*cycles*) [ $can_perf -eq 1 ] && [ $has_pmu -eq 1 ] || continue ;;
		'perf record '*) [ $can_perf -eq 1 ] || continue ;;
		'perftab-capture perf '*instructions*) [ $has_pmu -eq 1 ] || continue ;;
		'perftab-capture perf '* | *' --live '*) [ $has_counts -eq 1 ] && ! under_wine || continue ;;
		'perftab-capture list events'*) command -v perftab-capture >/dev/null || continue ;;
		perftab-capture*) command -v perftab-capture >/dev/null || continue ;;
		'perftab-analyze build.data') [ -e build.data ] || continue ;;
		'perftab-convert perflib.plb '*) [ -e perflib.plb ] || continue ;;
		esac
		rm -f ./*.db
		code=0
		timeout 60 bash -o pipefail -c "$(short "$command")" >out 2>err </dev/null || code=$?
		[ $code -eq 0 ] || fail "$doc: '$(short "$command")': exit status $code: $(head -2 err)"
		run=$((run + 1))
	done 3<list
done
[ $run -ge 4 ] || fail "only $run examples ran"
printf '%d examples ran; recording: %d, PMU: %d, perf: %d\n' $run $has_counts $has_pmu $can_perf
finish
