#!/bin/bash
# truth.sh: recordings whose instruction counts are known (corpus/lab, see its INDEX.tsv).
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
lab=$PERFTAB_CORPUS/lab
[ -d "$lab" ] || skip "no $lab"

# bill TRACE: tid and each counter by name, as name=value
bill() { perftab-analyze --by thread --csv --with-idle thread "$lab/$1.data" 2>"$work/err" || fail "$1: $(cat "$work/err")"; }

# column NAME FILE: number of the CSV column
column() { head -1 "$2" | tr ',' '\n' | grep -nxF "$1" | cut -d: -f1; }

# within TRACE COUNTER LOW HIGH: counter minus the truth lies there, for every task
within() {
	local name tid truth field got loop
	bill "$1" >"$work/bill.csv"
	field=$(column "$2" "$work/bill.csv")
	[ -n "$field" ] || { fail "$1: no column $2"; return; }
	while IFS=$'\t' read -r name tid _ loop; do
		got=$(awk -F, -v tid="$tid" -v f="$field" '$3 == tid { sum += $f; n++ } END { if (n) printf "%.0f", sum }' "$work/bill.csv")
		[ -n "$got" ] || { fail "$1: no bill for $name, tid $tid"; continue; }
		[ $((got - loop)) -ge "$3" ] && [ $((got - loop)) -le "$4" ] ||
			fail "$1: $2 of $name is $got, $((got - loop)) over $loop, expected $3 to $4"
		[ "$(awk -F, -v tid="$tid" '$3 == tid { print $4 }' "$work/bill.csv")" = "$name" ] ||
			fail "$1: tid $tid goes by another name than $name"
		truth=yes
	done <"$lab/$1.truth"
	[ "${truth:-}" = yes ] || fail "$1: no truth"
}

# To the instruction: the loop and the 16 or 17 that start and end the program.
within arm64-smp1.hw_group_uk_pair instructions:u 16 17
# User and kernel together: the bands of INDEX.tsv.
within arm64-smp1.hw_group_pair instructions 534395 681028
within arm64-smp1.hw_group_storm instructions 32284 62191
within arm64-smp1.hw_group_sw_pair instructions 535906 714607
within arm64-smp1.hw_group_switch instructions 34802 69638
within arm64-smp1.hw_group_times instructions 532346 698751
within arm64-smp1.hw_s_flag instructions 32454 64117

delivered_programs # the same options as above
# Every little-endian file of the lab: the books balance, the roads agree.
for trace in "$lab"/arm64-*.data; do
	name=$(basename "$trace" .data)
	head -c 16 "$trace" | tail -c 8 | od -An -tu8 | grep -qx ' *16' && continue # pipe form
	perftab-analyze --check "$trace" >"$work/out" 2>"$work/err"
	case $? in
	0 | 3) ;;
	*) grep -q 'nothing to check' "$work/err" || fail "$name: check: $(cat "$work/err")" ;;
	esac
	grep -q NO "$work/out" && fail "$name: does not balance"
	printf '%s\t%s\n' "$trace" "$name" >>"$work/traces"
done
roads_each <"$work/traces"

# Nothing is lost to tid -1: with sample tids alone 8 exiting threads would miss a slice.
[ "$(perftab-analyze --by thread --csv "$lab/arm64-smp1.hw_group_storm.data" | awk -F, '$3 == "-1"' | wc -l)" -eq 0 ] ||
	fail "a thread with tid -1 has a bill"
finish
