#!/bin/bash
# sums.sh SCENARIO...: every cut of a generated trace is the same total, to the unit: of the
# whole, of a window, of some CPUs, and over all intervals; from the trace and its database.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs

# total COLUMNS SKIPPED FILE: to $sum, the sums of that many columns before the last SKIPPED ones; names,
# which may hold commas, come before them.  64-bit sums wrap, as those of the programs do.
total() {
	local -a cells sums=()
	local i from line
	{
		IFS= read -r line
		while IFS= read -r line; do
			IFS=, read -ra cells <<<"$line," # an empty cell at the end is one as well
			from=$((${#cells[@]} - $1 - $2))
			for ((i = 0; i < $1; i++)); do sums[i]=$((${sums[i]:-0} + ${cells[from + i]:-0})); done
		done
	} <"$3"
	sum="${sums[*]}"
}

wanted=()
for name in "$@"; do
	trace=$work/$name.data db=$work/$name.db
	make_trace "$name" "$work" || fail "make_trace $name"
	perftab-convert "$trace" -o "$db" 2>/dev/null
	numbers=$(($(sql "$db" 'SELECT count(*) FROM counter WHERE slot IS NOT NULL') + 2))
	read -r first length < <(sql "$db" "SELECT first_ns || ' ' || (last_ns - first_ns) FROM trace")
	cuts='process thread cpu comm tree'
	[ -e "$work/$name.cgroup.csv" ] && cuts="$cuts cgroup"
	cat >"$work/options" <<-END
		--csv
		--csv --unproven switched-out
		--csv --with-idle thread
		--csv --from $((first + length / 3)) --to $((first + length * 2 / 3))
		--csv --cpu 0
		--csv --cpu 1,2-9 --from $((first + length / 4))
		--csv --interval $((length / 7))ns
		--csv --interval $((length / 5))ns --cpu 0-1 --from $((first + length / 3))
		--csv --interval 1ms --unproven switched-out
	END
	# Of intervals, all lines that are none of a window are the whole.
	for cut in $cuts; do
		while read -r options; do
			printf '%s\t%s\t%s\t%s\n' "$name" "$trace" "$db" "--by $cut $options"
			case $options in
			*--interval*) printf '%s\t%s\t%s\t%s\n' "$name" "$trace" "$db" "--by $cut$(sed 's/ *--interval [0-9a-z]*//; s/^/ /' <<<"$options")" ;;
			esac
		done <"$work/options"
	done | alike_each
	n=0
	for cut in $cuts; do
		skipped=0 line=-1
		[ "$cut" != tree ] || skipped=$numbers
		while read -r options; do
			n=$((n + 1)) line=$((line + 1))
			total "$numbers" "$skipped" "$work/alike/trace/$n.out"
			[ "$cut" != process ] || wanted[line]=$sum
			[ "$sum" = "${wanted[line]}" ] || fail "$name: $options: by $cut the total is $sum, by process ${wanted[line]}"
			[ -n "${sum//[ 0]/}" ] || fail "$name: $options: by $cut: nothing"
			[[ $options == *--interval* ]] || continue
			got=$sum n=$((n + 1))
			total "$numbers" "$skipped" "$work/alike/trace/$n.out"
			[ "$got" = "$sum" ] || fail "$name: $options: by $cut the intervals are $got, the whole $sum"
		done <"$work/options"
	done
	[ $n -ge 60 ] || fail "$name: only $n sums"
done
finish
