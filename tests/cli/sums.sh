#!/bin/bash
# sums.sh SCENARIO...: every cut of a generated trace is the same total, to the unit: of the
# whole, of a window, of some CPUs, and over all intervals; from the trace and its database.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs

# total COLUMNS SKIPPED FILE: the sums of that many columns before the last SKIPPED ones; names,
# which may hold commas, come before them.  64-bit sums wrap, as those of the programs do.
total() {
	local -a cells sums=()
	local i from line
	while IFS= read -r line; do
		IFS=, read -ra cells <<<"$line"
		from=$((${#cells[@]} - $1 - $2))
		for ((i = 0; i < $1; i++)); do sums[i]=$((${sums[i]:-0} + ${cells[from + i]:-0})); done
	done < <(tail -n +2 "$3" | sed 's/$/,/; s/,,/,0,/g; s/,,/,0,/g; s/,$//')
	printf '%s ' "${sums[@]}"
}

for name in "$@"; do
	trace=$work/$name.data db=$work/$name.db
	make_trace "$name" "$work" || fail "make_trace $name"
	perftab-convert "$trace" -o "$db" 2>/dev/null
	numbers=$(($(sql "$db" 'SELECT count(*) FROM counter WHERE slot IS NOT NULL') + 2))
	read -r first length < <(sql "$db" "SELECT first_ns || ' ' || (last_ns - first_ns) FROM trace")
	cuts='process thread cpu comm tree'
	[ -e "$work/$name.cgroup.csv" ] && cuts="$cuts cgroup"
	while read -r options; do
		wanted='' whole=''
		for cut in $cuts; do
			skipped=$([ "$cut" = tree ] && echo "$numbers" || echo 0)
			# shellcheck disable=SC2086
			alike "$name" "$trace" "$db" --csv --by "$cut" $options
			# Of intervals, all lines that are none of a window are the whole.
			got=$(total "$numbers" "$skipped" "$work/trace.out")
			[ -n "$wanted" ] || wanted=$got
			[ "$got" = "$wanted" ] || fail "$name: $options: by $cut the total is $got, by process $wanted"
			[ -n "${got//[ 0]/}" ] || fail "$name: $options: by $cut: nothing"
			case $options in
			*--interval*) # shellcheck disable=SC2001,SC2086
				perftab-analyze --csv --by "$cut" $(sed 's/--interval [0-9a-z]*//' <<<"$options") "$trace" >"$work/whole.csv" 2>/dev/null
				whole=$(total "$numbers" "$skipped" "$work/whole.csv")
				[ "$got" = "$whole" ] || fail "$name: $options: by $cut the intervals are $got, the whole $whole"
				;;
			esac
		done
	done <<-END

	--unproven switched-out
	--with-idle thread
	--from $((first + length / 3)) --to $((first + length * 2 / 3))
	--cpu 0
	--cpu 1,2-9 --from $((first + length / 4))
	--interval $((length / 7))ns
	--interval $((length / 5))ns --cpu 0-1 --from $((first + length / 3))
	--interval 1ms --unproven switched-out
	END
done
finish
