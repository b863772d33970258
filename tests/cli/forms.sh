#!/bin/bash
# forms.sh FORM...: the same records in another container give the same bill: the truths of
# make_trace, for every scenario that the form can hold.
# forms.sh --known FORM...: every form that make_trace knows is in a test.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
case $1 in
zstd | dir) delivered_programs ;; # fuzz_packed, fuzz_perf_directory
esac
if [ "$1" = --known ]; then
	shift
	make_trace --forms | sort >"$work/known"
	printf '%s\n' "$@" | sort >"$work/tested"
	same "make_trace --forms and tests/CMakeLists.txt" "$work/known" "$work/tested"
	finish
fi

agrees() { # NAME KIND OPTIONS...
	local name=$1 kind=$2
	shift 2
	status 0 "$container: $name: analyze $*" perftab-analyze "$@" "$dir/$name.data"
	[ ! -s "$work/err" ] || fail "$container: $name: analyze $*: talks on stderr: $(head -2 "$work/err")"
	same_rows "$container: $name: $kind is not what was planned" "$dir/$name.$kind.csv" "$work/out"
}

for container in "$@"; do
	dir=$work/$container
	make_trace --form "$container" all "$dir" || fail "make_trace --form $container"
	make_trace --form "$container" --list >"$work/list"
	[ "$(wc -l <"$work/list")" -ge 40 ] || fail "$container: only $(wc -l <"$work/list") scenarios"
	while read -r name; do
		agrees "$name" thread --by thread --csv --with-idle thread
		( # read as above
			delivered_programs
			agrees "$name" thread-unproven --by thread --csv --unproven switched-out
			agrees "$name" check --check --csv
		)
	done <"$work/list"
	# What is said of the trace itself, for the one with most in it; the roads where a reader
	# of its own is after the form.
	case $container in
	file-be | pipe-zstd | dir | overwrite)
		two_roads "$dir/everything.data" everything
		window "$dir/everything.data" everything
		tables "$dir/everything.data" everything
		;;
	*) perftab-convert --force "$dir/everything.data" -o "$work/everything.db" || fail "$container: convert" ;;
	esac
	sound everything
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
