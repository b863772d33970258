#!/bin/bash
# generated.sh SCENARIO...: traces whose totals are known beforehand (make_trace).
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

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
	if [ -e "$work/$name.cgroup.csv" ]; then
		check_cgroups "$name" cgroup --with-idle thread
		check_cgroups "$name" cgroup-unproven --unproven switched-out
	fi
done
for name in "$@"; do
	while IFS='|' read -r kind options; do
		printf '%s\t0\t%s\t%s\t%s\n' "$name: $kind" "$work/$name.$kind.csv" "$work/$name.data" "$options"
	done <<-END
		thread|--by thread --csv --with-idle thread
		thread-unproven|--by thread --csv --unproven switched-out
		check|--check --csv
	END
done | planned_each
for name in "$@"; do
	case $name in
	basic | *everything) forms=every ;;
	*) forms=few ;;
	esac
	printf '%s\t%s\t%s\n' "$work/$name.data" "$name" "$forms window tables"
done | roads_each
finish
