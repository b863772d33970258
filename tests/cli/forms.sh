#!/bin/bash
# forms.sh FORM...: the same records in another container give the same bill: the truths of
# make_trace, for every scenario that the form can hold.
# forms.sh --known FORM...: every form that make_trace knows is in a test.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
if [ "$1" = --known ]; then
	shift
	make_trace --forms | sort >"$work/known"
	printf '%s\n' "$@" | sort >"$work/tested"
	same "make_trace --forms and tests/CMakeLists.txt" "$work/known" "$work/tested"
	finish
fi

plans() { # KIND OPTIONS
	while read -r name; do
		printf '%s\t0\t%s\t%s\t%s\n' "$container: $name: $1" "$dir/$name.$1.csv" "$dir/$name.data" "$2"
	done <"$work/list"
}

for container in "$@"; do
	dir=$work/$container
	make_trace --form "$container" all "$dir" || fail "make_trace --form $container"
	make_trace --form "$container" --list >"$work/list"
	[ "$(wc -l <"$work/list")" -ge 40 ] || fail "$container: only $(wc -l <"$work/list") scenarios"
	( # Seeds of fuzz_packed and fuzz_perf_directory are in these forms.
		case $container in zstd* | dir | overwrite) delivered_programs ;; esac
		plans thread "--by thread --csv --with-idle thread" | planned_each
	)
	( # read as above
		delivered_programs
		{
			plans thread-unproven "--by thread --csv --unproven switched-out"
			plans check "--check --csv"
		} | planned_each
	)
	# What is said of the trace itself, for the one with most in it; the roads where a reader
	# of its own is after the form.
	case $container in
	file-be | pipe-zstd | dir | overwrite) two_roads "$dir/everything.data" everything every window tables ;;
	*)
		perftab-convert --force "$dir/everything.data" -o "$work/everything.db" || fail "$container: convert"
		sound everything
		;;
	esac
	case $container in
	pipe*) wanted=pipe ;;
	dir) wanted=directory ;;
	*) wanted="file" ;;
	esac
	case $container in
	*-be) wanted="complete $wanted big-endian" ;;
	*) wanted="complete $wanted little-endian" ;;
	esac
	got=$(sql "$work/everything.db" "SELECT status || ' ' || form || ' ' || byte_order FROM trace")
	[ "$got" = "$wanted" ] || fail "$container: the trace is said to be: $got; expected: $wanted"
	holds "$container: damage is found where none is" "$work/everything.db" 0 "SELECT count(*) FROM finding WHERE severity = 'damage' OR end_offset IS NOT NULL"
done
finish
