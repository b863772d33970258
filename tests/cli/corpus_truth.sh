#!/bin/bash
# corpus_truth.sh: recordings whose instruction counts are known (corpus/lab, see its INDEX.tsv).
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
	local field line
	bill "$1" >"$work/bill.csv"
	field=$(column "$2" "$work/bill.csv")
	[ -n "$field" ] || { fail "$1: no column $2"; return; }
	[ -s "$lab/$1.truth" ] || fail "$1: no truth"
	awk -v f="$field" -v low="$3" -v high="$4" '
		NR == FNR {
			split($0, cell, ",")
			tid = cell[3]
			if (tid in name && name[tid] != cell[4]) cell[4] = name[tid] " and " cell[4]
			name[tid] = cell[4]
			sum[tid] += cell[f]
			next
		}
		{ split($0, task, "\t"); tid = task[2]; over = sum[tid] - task[4] }
		!(tid in name) { print "no bill for " task[1] ", tid " tid; next }
		name[tid] != task[1] { print "tid " tid " goes by the name " name[tid] ", expected " task[1] }
		over < low || over > high { printf "%s is %.0f, %.0f over %s, expected %s to %s\n", task[1], sum[tid], over, task[4], low, high }
	' "$work/bill.csv" "$lab/$1.truth" >"$work/apart" || fail "$1: awk"
	while IFS= read -r line; do fail "$1: $2: $line"; done <"$work/apart"
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
	name=${trace##*/} name=${name%.data}
	case $(od -An -tu8 -j 8 -N 8 "$trace") in *' 16') continue ;; esac # pipe form
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
