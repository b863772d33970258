#!/bin/bash
# generated.sh SCENARIO...: traces whose totals are known beforehand (make_trace).
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

check_truth() { # NAME KIND OPTIONS...
	local name=$1 kind=$2
	shift 2
	perftab-analyze "$@" "$work/$name.data" >"$work/got.csv" 2>"$work/err" ||
		fail "$name: analyze $*: $(cat "$work/err")"
	same_rows "$name: $kind is not what was planned" "$work/$name.$kind.csv" "$work/got.csv"
}

# Their processes and threads were not planned.
check_cgroups() { # NAME KIND OPTIONS...
	local name=$1 kind=$2
	shift 2
	status 0 "$name: by cgroup" perftab-analyze --by cgroup --csv "$@" "$work/$name.data"
	cut -d, -f1,4- "$work/out" >"$work/got.csv"
	same_rows "$name: $kind is not what was planned" "$work/$name.$kind.csv" "$work/got.csv"
}

for name in "$@"; do
	make_trace "$name" "$work" || fail "make_trace $name"
	check_truth "$name" thread --by thread --csv --with-idle thread
	check_truth "$name" thread-unproven --by thread --csv --unproven switched-out
	check_truth "$name" check --check --csv
	if [ -e "$work/$name.cgroup.csv" ]; then
		check_cgroups "$name" cgroup --with-idle thread
		check_cgroups "$name" cgroup-unproven --unproven switched-out
	fi
	case $name in
	basic | *everything) two_roads "$work/$name.data" "$name" ;;
	*) two_roads "$work/$name.data" "$name" few ;;
	esac
	window "$work/$name.data" "$name"
	tables "$work/$name.data" "$name"
done
finish
