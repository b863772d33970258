#!/bin/bash
# capture_ping.sh: ping -f on loopback: interrupts are those that the kernel counted, within
# 0.1 %, and the lines of the bill add up to what was counted, to the unit.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
cd "$work" || exit 1
[ -d /sys/kernel/tracing/events/irq ] || skip "tracefs has no tracepoints of interrupts here"
command -v ping >/dev/null || skip "there is no ping here"
ping -q -f -c 10 127.0.0.1 >/dev/null 2>&1 || skip "ping -f is not allowed here"

ring=16M # a sample of each edge is large
ways=perf
! perftab-capture perf -q --via bpf -C 0 -d 0.05 -o first.data 2>err || ways="perf bpf"
[ "$ways" != perf ] || printf 'BPF is not tested: %s\n' "$(cat err)"

# What the kernel has counted so far: all softirqs, and all irqs that have a number.
counted() {
	awk 'FNR == 1 { cpus = NF; next } FILENAME ~ /softirqs/ { for (i = 2; i <= NF; i++) soft += $i; next }
		$1 ~ /^[0-9]+:$/ { for (i = 2; i <= cpus + 1; i++) irq += $i } END { print soft, irq + 0 }' /proc/softirqs /proc/interrupts
}
export -f counted
cat >load <<'LOAD'
counted >inner.before
ping -q -f -c 20000 127.0.0.1 >/dev/null
counted >inner.after
LOAD

# within COUNT WHAT PLACE: at least what the kernel counted inside, and at most what it
# counted around the recording, each within 0.1 % and one interrupt a CPU
within() {
	awk -v seen="$1" -v place="$3" -v cpus="$(getconf _NPROCESSORS_ONLN)" '{ at[FILENAME] = $place }
		END { least = at["inner.after"] - at["inner.before"]; most = at["outer.after"] - at["outer.before"]
			printf "%d of %d to %d\n", seen, least, most
			exit !(seen >= least * 0.999 - cpus && seen <= most * 1.001 + cpus) }' inner.before inner.after outer.before outer.after >range ||
		fail "$2: $(cat range)"
}

for way in $ways; do
	counted >outer.before
	records "$way" trace.data --via "$way" --interrupts -e task-clock -- bash load
	counted >outer.after
	whole "$way" trace.data

	# Which the counters of the edges counted; perf has none of some that are in idle.
	within "$(sql trace.data.db "SELECT sum(last_value - first_value) FROM counter_base JOIN counter USING (counter_id) WHERE name = 'irq:softirq_entry'")" "$way: softirqs" 1
	if [ "$way" = bpf ]; then
		within "$(sql trace.data.db "SELECT sum(interrupts) FROM interrupt_summary JOIN interrupt USING (interrupt_id) WHERE kind = 'softirq'")" "$way: softirqs charged" 1
		within "$(sql trace.data.db "SELECT count(*) FROM irq_irq_handler_entry" 2>/dev/null || echo 0)" "$way: irqs" 2
	fi
	[ "$(sql trace.data.db "SELECT sum(interrupts) FROM interrupt_summary JOIN interrupt USING (interrupt_id) WHERE name = 'NET_RX'")" -ge 19000 ] ||
		fail "$way: fewer softirqs NET_RX than packets"

	# ping's own line, interrupts and the rest are all there is.
	perftab-analyze --csv trace.data >bill || fail "$way: no bill"
	grep -q '^ping,' bill && grep -q '^(interrupts),' bill || fail "$way: no line of ping, or of interrupts"
	perftab-analyze --check --csv trace.data >books
	awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "task-clock") column = i; next }
		FILENAME == "bill" { lines += $column; next } $2 == "task-clock" { all += $4 - $3 } END { exit lines != all }' bill books ||
		fail "$way: the lines are not what was counted"

	# Another reader finds the same sums, without what it cannot know.
	names=
	for name in sched:sched_switch $(sql trace.data.db "SELECT name FROM counter WHERE name LIKE 'irq%'"); do
		names+=" $(cat "/sys/kernel/tracing/events/${name/://}/id")=$name"
	done
	# shellcheck disable=SC2086
	sum_interrupts trace.data "$(sql trace.data.db "SELECT slot FROM counter WHERE name = 'task-clock'")" $names >sums || fail "$way: sum_interrupts"
	awk -F, '$1 == "rise" { rise = $4; next } { sum += $4 } END { exit sum != rise || rise == 0 }' sums || fail "$way: another reader does not balance"
	if [ "$way" = bpf ]; then
		sql trace.data.db "SELECT kind || ',' || vector || ',' || sum(interrupts) || ',' || (SELECT sum(charged) FROM interrupt_charge AS v JOIN counter USING (counter_id)
			WHERE counter.name = 'task-clock' AND v.kind = i.kind AND v.vector = i.vector) FROM interrupt AS i JOIN interrupt_summary USING (interrupt_id) GROUP BY kind, vector" | sort >ours
		grep -E '^(irq|softirq|vector),' sums | sort >others
		same "$way: another reader" others ours
	fi
done
finish
