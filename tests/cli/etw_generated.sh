#!/bin/bash
# etw_generated.sh FORM...: .etl files whose totals are known beforehand (make_etw), every
# plan in each form: the bills, and that trace and database say the same.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

check_truth() { # NAME KIND OPTIONS...
	local name=$1 kind=$2 wanted=0
	shift 2
	[ "$name" = truncated ] && wanted=3
	status "$wanted" "$name: analyze $*" perftab-analyze "$@" "$work/$name.etl"
	sorted "$work/$name.etl.$kind.csv" >"$work/wanted"
	sorted "$work/out" >"$work/got"
	same "$form $name: $kind is not what was planned" "$work/wanted" "$work/got"
}

# One stream for all CPUs: time is told, nobody is charged.
check_single_stream() {
	status 0 "$1" perftab-analyze "$work/$1.etl"
	grep -q 'all CPUs were recorded into one stream' "$work/out" || fail "$form $1: not told"
	perftab-convert "$work/$1.etl" -o "$work/$1.db" 2>/dev/null
	[ "$(sql "$work/$1.db" 'SELECT count(*) FROM context_switch')" = 0 ] || fail "$form $1: somebody is charged"
	[ "$(sql "$work/$1.db" 'SELECT count(*) > 0 FROM switch_record')" = 1 ] || fail "$form $1: no switches"
}

for form in "$@"; do
	rm -f "$work"/*
	make_etw --form "$form" all "$work" || fail "make_etw --form $form"
	for trace in "$work"/*.etl; do
		name=$(basename "$trace" .etl)
		if [ "$name" = single_stream ]; then
			check_single_stream "$name"
			continue
		fi
		check_truth "$name" thread --by thread --csv
		check_truth "$name" thread-unproven --by thread --csv --unproven switched-out
		check_truth "$name" process --by process --csv
		check_truth "$name" check --check --csv
		[ "$form" = raw ] || continue
		two_roads "$trace" "$name"
		window "$trace" "$name"
		sound "$name"
	done
done
finish
