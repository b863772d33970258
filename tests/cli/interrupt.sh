#!/bin/bash
# interrupt.sh: SIGINT and SIGTERM midway leave nothing; kill -9 only what the next run removes.
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
finish
