# small.sh - the part of bench/run about small traces: what a conversion costs before and after
# its rows.  Sourced.

small_trace=sample-traces/perf/good-switch-group.data
small_times=50

small_convert() { # NAME OPTION...
	local name=$1
	shift
	# shellcheck disable=SC2016 # expanded by the inner shell
	best "$name" bash -c 'for ((i = 0; i < $1; i++)); do rm -f "$3"; perftab-convert "${@:4}" "$2" -o "$3" || exit; done' \
		bash "$small_times" "$small_trace" "$out/small.db" "$@"
}

small_bench() {
	local name wall cpu mib least
	for ((i = 0; i < rounds; i++)); do
		small_convert small-no-verify --no-verify
		small_convert small-convert
		small_convert small-verify --verify
		small_convert small-loader-sql --loader sql --no-verify
	done
	printf '%s, %d bytes: a conversion of %d\n' "$small_trace" "$(stat -c %s "$small_trace")" "$small_times"
	printf '%-20s %9s %9s %9s %14s\n' '' wall\ ms cpu\ ms peak\ MiB 'x no-verify'
	least=$(cut -d' ' -f2 "$out/best.small-no-verify")
	for name in small-no-verify small-convert small-verify small-loader-sql; do
		read -r wall cpu mib <"$out/best.$name"
		awk -v n="$name" -v w="$wall" -v c="$cpu" -v m="$mib" -v l="$least" -v t="$small_times" 'BEGIN {
			printf "%-20s %9.2f %9.2f %9.1f %14.2f\n", n, w / t * 1000, c / t * 1000, m, c / l }'
	done
	rm -f "$out"/best.* "$out"/all.* "$out/small.db"
}
