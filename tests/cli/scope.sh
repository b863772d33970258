#!/bin/bash
# scope.sh: whether tasks or CPUs were recorded, without the records that say so.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
samples=$PERFTAB_SOURCE/sample-traces/perf
index=69 threads=73 cpus=74 # record types: ID_INDEX, THREAD_MAP, CPU_MAP

# same_bill WHAT FILE TYPES SCOPE: without those records the bill is the same, to the byte
same_bill() {
	local what="$1 without $3" options
	drop_records "$3" "$2" "$work/less.data" || fail "$what: drop_records"
	for options in '--by thread' '--by process' '--by cpu' --check; do
		# shellcheck disable=SC2086
		perftab-analyze --csv $options "$2" >"$work/whole.csv" 2>"$work/err" || fail "$what: $(cat "$work/err")"
		# shellcheck disable=SC2086
		status 0 "$what" perftab-analyze --csv $options "$work/less.data"
		[ "$(wc -l <"$work/out")" -ge 2 ] || fail "$what: an empty bill"
		same "$what: $options" "$work/whole.csv" "$work/out"
	done
	rm -f "$work/less.db"
	perftab-convert "$work/less.data" -o "$work/less.db" 2>"$work/err" || fail "$what: $(cat "$work/err")"
	holds "$what: scope" "$work/less.db" "$4" 'SELECT group_concat(DISTINCT scope) FROM counter_group'
}

# perf before 6.0 has no ID_INDEX, before 4.14 no maps either: flags and SWITCH records are left.
for types in $index $index,$threads $index,$cpus $index,$threads,$cpus; do
	same_bill "a command" "$samples/good-task-group.data" $types task
	same_bill "all CPUs" "$samples/good-context-switches.data" $types cpu
	same_bill "all CPUs, with SWITCH records" "$samples/good-switch-events.data" $types cpu
done
same_bill "a process and its children" "$samples/good-perftab-tasks.data" $index task
same_bill "perftab-capture -a" "$samples/good-perftab.data" $index cpu

# Maps that fit neither the ids nor each other are of no use, and do no harm.
drop_records $index "$samples/good-task-group.data" "$work/odd-less.data"
map=$(grep -obUaP '\x49\x00\x00\x00\x00\x00\x28\x00' "$work/odd-less.data" | cut -d: -f1)
[ -n "$map" ] || fail "no THREAD_MAP in the sample"
# It claims more tasks than it holds: said as damage, and the bill is the same.
printf '\xff' | dd of="$work/odd-less.data" bs=1 seek=$((map + 8)) conv=notrunc status=none
status 3 "a wrong number of tasks" perftab-analyze --csv "$work/odd-less.data"
perftab-analyze --csv "$samples/good-task-group.data" >"$work/whole.csv"
same "a wrong number of tasks" "$work/whole.csv" "$work/out"
# -1 in THREAD_MAP: all CPUs, whatever the flags say; its samples have no CPU then.
printf '\xff\xff\xff\xff\xff\xff\xff\xff' | dd of="$work/odd-less.data" bs=1 seek=$((map + 16)) conv=notrunc status=none
rm -f "$work/odd.db"
perftab-convert "$work/odd-less.data" -o "$work/odd.db" 2>/dev/null
holds "all CPUs by THREAD_MAP" "$work/odd.db" 3 "SELECT count(*) FROM (SELECT 1 FROM finding WHERE kind = 'bad_cpu' UNION ALL
	SELECT 1 FROM trace WHERE status = 'recovered' UNION ALL SELECT 1 FROM counter_group WHERE scope = 'cpu')"
finish
