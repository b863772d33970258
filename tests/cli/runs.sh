#!/bin/bash
# runs.sh: --no-runs changes no output of any sample or generated trace.  tests/fuzz/fuzz_runs.c compares the rows of damaged ones.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

# alike NAME TRACE OPTION...: perftab-analyze says the same, on stdout, on stderr and at its end
alike() {
	local name=$1 trace=$2 road got
	shift 2
	for road in runs no-runs; do
		got=0
		perftab-analyze "$@" $([ $road = runs ] || printf %s --no-runs) "$trace" \
			>"$work/$road" 2>&1 || got=$?
		echo "exit status $got" >>"$work/$road"
	done
	same "$name: perftab-analyze $*" "$work/no-runs" "$work/runs"
}

every_way() { # NAME TRACE
	alike "$1" "$2" --by thread --json
	alike "$1" "$2" --check --csv
}

make_trace --list >"$work/scenarios" || fail "make_trace --list"
mkdir "$work/in"
while read -r name; do
	make_trace --switches 600 "$name" "$work/in" || fail "make_trace $name"
done <"$work/scenarios"
for form in pipe zstd dir; do
	mkdir "$work/in/$form"
	make_trace --form $form --switches 600 everything "$work/in/$form" || fail "make_trace --form $form"
done
for trace in "$work"/in/*.data "$work"/in/*/*.data "$PERFTAB_SOURCE"/sample-traces/perf/*.data; do
	every_way "$(basename "$trace" .data)" "$trace"
done
alike window "$work/in/two_counters.data" --csv --from +1ms
alike cpu "$work/in/two_counters.data" --csv --cpu 0
[ "$(wc -l <"$work/scenarios")" -gt 40 ] || fail "few scenarios"
finish
