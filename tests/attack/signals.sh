#!/bin/bash
# signals.sh [THREADS [COMMAND...]]: SIGTERM and SIGINT end the programs within 100 ms, at 20 moments each from
# start to end, of an input with 10^6 threads: their rows and reports are most of the time.  For an
# optimised build on an idle machine; not a test, as it measures time.  Prints the worst time of
# each command.  PERFTAB_BIN and PERFTAB_SOURCE as for the tests in tests/cli.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
threads=${1:-1000000} moments=${MOMENTS:-20} limit_ms=100
make_growth threads "$threads" "$work/threads.data" || fail "make_growth"
mkdir "$work/out"
cd "$work/out" || exit 1
set -m # so that children do not ignore SIGINT

commands=('perftab-analyze' 'perftab-analyze --by thread --csv' 'perftab-analyze --json' 'perftab-analyze --html out'
	'perftab-convert --to null' 'perftab-convert -o out' 'perftab-convert --loader sql -o out' 'perftab-convert --to csv -o out'
	'perftab-convert --to parquet -o out' 'perftab-convert --to clickhouse -o out' 'perftab-convert --to perfetto -o out')
perftab-analyze --html ../page "$PERFTAB_SOURCE/sample-traces/perf/good-threads.data" 2>../said ||
	unset 'commands[3]' # built without pages
[ $# -lt 2 ] || commands=("${@:2}")

now_us() { echo "${EPOCHREALTIME/./}"; }

# interrupted SIGNAL STATUS US COMMAND...: that long after the start; its milliseconds in $ms, -1: it had ended
interrupted() {
	local signal=$1 wanted=$2 after=$3 got=0 sent
	shift 3
	rm -rf out
	"$@" ../threads.data >/dev/null 2>../said &
	sleep "$((after / 1000000)).$(printf %06d $((after % 1000000)))"
	sent=$(now_us)
	kill -"$signal" $! 2>/dev/null
	wait $! 2>/dev/null || got=$?
	ms=$((($(now_us) - sent) / 1000))
	if [ "$got" -eq 0 ]; then
		ms=-1
	elif [ "$got" -ne "$wanted" ]; then
		fail "SIG$signal after $after us: $*: exit status $got: $(head -1 ../said)"
	elif ! grep -q ' is complete$' ../said && [ -n "$(ls -A)" ]; then
		fail "SIG$signal after $after us: $*: left $(ls -A)"
	fi
}

for command in "${commands[@]}"; do
	read -ra words <<<"$command"
	rm -rf out
	began=$(now_us)
	"${words[@]}" ../threads.data >/dev/null 2>../said || fail "$command: $(head -1 ../said)"
	span=$(($(now_us) - began)) worst=0 at=0
	for ((i = 1; i <= moments; i++)); do
		for signal in TERM:143 INT:130; do
			interrupted "${signal%:*}" "${signal#*:}" $((span * i / (moments + 1))) "${words[@]}"
			[ "$ms" -le "$worst" ] || { worst=$ms at=$i; }
		done
	done
	echo "$command: $((span / 1000)) ms; ended at most $worst ms after a signal (at $at of $moments)"
	[ "$worst" -le $limit_ms ] || fail "$command: $worst ms, expected at most $limit_ms"
done
finish
