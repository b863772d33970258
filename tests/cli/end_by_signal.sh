#!/bin/bash
# end_by_signal.sh: SIGINT and SIGTERM midway leave nothing; kill -9 only what the next run removes.
# A signal that comes when the output gets its name is reported with what became of the output.
# Wherever it comes the program does nothing more: no loop has to look for it.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
make_trace --switches 400000 everything "$work" || fail "make_trace"
cd "$work" || exit 1
# Job control, so that children do not ignore SIGINT.
set -m

# caught SIGNAL STATUS PROGRAM OPTIONS...: interrupted while the partial output is there
caught() {
	local signal=$1 wanted=$2 program=$3 got=0 tries=0
	shift 3
	"$program" everything.data "$@" 2>err &
	while ! partial result && [ $tries -lt 200 ]; do tries=$((tries + 1)); sleep 0.01; done
	kill -"$signal" $! 2>/dev/null
	wait $! 2>/dev/null || got=$?
	[ "$got" -eq "$wanted" ] || fail "SIG$signal $*: exit status $got, expected $wanted"
	if [ "$signal" = KILL ]; then
		[ ! -s err ] || fail "SIG$signal $*: talks: $(cat err)"
	else
		[ "$(cat err)" = "$program: interrupted, nothing was written" ] || fail "SIG$signal $*: says: $(cat err)"
	fi
	[ ! -e result ] || fail "SIG$signal $*: an output was left"
}

caught INT 130 perftab-convert -o result
partial result && fail "SIGINT: a partial database was left"
caught TERM 143 perftab-convert --to csv -o result
partial result && fail "SIGTERM: partial tables were left"
caught INT 130 perftab-analyze --html result
partial result && fail "SIGINT: a partial page was left"
caught KILL 137 perftab-convert -o result
status 0 "after kill -9" perftab-convert everything.data -o result
partial result && fail "after kill -9: the partial database is still there"
holds "after kill -9: no sound database" result ok 'PRAGMA quick_check'
rm -f result everything.data

# --- in the last instant ---

# late SIGNAL STATUS PROGRAM OPTIONS...: the signal comes with the call that names the output
late() {
	local number=$1 wanted=$2 program=$3 got=0
	shift 3
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 LD_PRELOAD=$PERFTAB_BIN/tests/attack/fault.so \
		FAULT=rename FAULT_AT=1 FAULT_HOW=signal$number "$program" small.data "$@" 2>err &
	wait $! 2>/dev/null || got=$? # in the foreground, its SIGINT would end this shell
	[ "$got" -eq "$wanted" ] || fail "signal $number $*: exit status $got, expected $wanted"
	[ "$(cat err)" = "$program: interrupted, but result is complete" ] || fail "signal $number $*: says: $(cat err)"
	partial result && fail "signal $number $*: a partial output was left"
}

sound_result() { holds "a signal with the last call: the database" result ok 'PRAGMA integrity_check; PRAGMA foreign_key_check; SELECT count(*) FROM trace HAVING count(*) <> 1'; }
cp "$PERFTAB_SOURCE/sample-traces/perf/good-threads.data" small.data
perftab-convert small.data --to csv -o wanted || fail "no tables to compare with"
late 2 130 perftab-convert -o result
sound_result
rm result
late 15 143 perftab-convert --loader sql -o result
sound_result
late 2 130 perftab-convert -f -o result
sound_result
rm result
late 15 143 perftab-convert --to csv -o result
diff -r wanted result >out || fail "the tables differ: $(head -3 out)"
late 2 130 perftab-convert --to csv -f -o result
diff -r wanted result >out || fail "the tables that replaced others differ: $(head -3 out)"

# --- at once ---

# faulty NAME=VALUE... -- COMMAND...: with calls counted, or met by a signal
faulty() {
	local faults=()
	while [ "$1" != -- ]; do faults+=("$1"); shift; done
	shift
	env ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" LD_PRELOAD="$PERFTAB_BIN/tests/attack/fault.so" \
		FAULT=malloc,read,write "${faults[@]}" "$@" >/dev/null 2>err
}

# at_once COMMAND...: the signal comes with an allocation, a read or a write, at five moments
at_once() {
	local got calls at
	rm -rf result
	faulty FAULT_COUNT=calls -- "$@" || fail "$*: $(head -1 err)"
	calls=$(cat calls)
	for at in 5 25 50 75 95; do
		rm -rf result
		: >later
		got=0
		faulty FAULT_AT=$((calls * at / 100)) FAULT_HOW=signal15 FAULT_LATER=later -- "$@" || got=$?
		[ "$got" -eq 143 ] || fail "$*: signal at $at %: exit status $got, expected 143"
		[ ! -s later ] || fail "$*: signal at $at %: $(wc -c <later) calls later"
		if [ -e result ]; then
			grep -q ': interrupted, but result is complete$' err || fail "$*: signal at $at %: a result, but: $(cat err)"
		fi
		partial result && fail "$*: signal at $at %: a partial output is left"
	done
}

while read -r command; do
	case $command in *--html*) perftab-analyze --html page.html small.data 2>err || continue ;; esac
	# shellcheck disable=SC2086
	at_once $command
done <<-'COMMANDS'
	perftab-analyze small.data
	perftab-analyze --json --by thread small.data
	perftab-analyze --html result small.data
	perftab-analyze --diff small.data --with small.data
	perftab-convert --list small.data
	perftab-convert --to null small.data
	perftab-convert small.data -o result
	perftab-convert --loader sql small.data -o result
	perftab-convert --to csv small.data -o result
	perftab-convert --to parquet small.data -o result
	perftab-convert --to clickhouse small.data -o result
	perftab-convert --to perfetto small.data -o result
	perftab-convert --to folded small.data -o result
COMMANDS
finish
