#!/bin/bash
# capture_interrupts.sh: --interrupts: every softirq that the kernel counted is in the trace,
# each beginning has its end, and the books balance as without.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
delivered_readers
cd "$work" || exit 1
[ -d /sys/kernel/tracing/events/irq ] || skip "tracefs has no tracepoints of interrupts here"

ring=16M # a sample of each edge is large
ways=perf
! perftab-capture perf -q --via bpf -C 0 -d 0.05 -o first.data 2>err || ways="perf bpf"
[ "$ways" != perf ] || printf 'BPF is not tested: %s\n' "$(cat err)"

# What the kernel has counted so far, of all softirqs.
softirqs() { awk 'NR > 1 { for (i = 2; i <= NF; i++) sum += $i } END { print sum }' /proc/softirqs; }
export -f softirqs
# Packets to a closed port on loopback: each is a softirq of the sender's.
cat >load <<'LOAD'
softirqs >inner.before
for ((i = 0; i < 5000; i++)); do echo packet; done >/dev/udp/127.0.0.1/9 2>/dev/null
softirqs >inner.after
LOAD

# samples NAME: of that tracepoint, in the database at hand
samples() {
	table=$(sql trace.data.db "SELECT table_name FROM tracepoint WHERE system || ':' || name = '$1'")
	[ -z "$table" ] && echo 0 || sql trace.data.db "SELECT count(*) FROM $table"
}

for way in $ways; do
	before=$(softirqs)
	records "$way" trace.data --via "$way" --interrupts -e task-clock -- bash load
	after=$(softirqs)
	whole "$way" trace.data
	seen=$(samples irq:softirq_entry)
	[ "$seen" -le $((after - before)) ] || fail "$way: $seen softirqs, the kernel counted $((after - before))"
	# Of those in idle perf has no sample on some kernels; programs see them all.
	least=$(($(cat inner.after) - $(cat inner.before)))
	[ "$way" = bpf ] || least=$((least * 9 / 10))
	[ "$seen" -ge "$least" ] || fail "$way: $seen softirqs, the kernel counted $least while the command ran"
	[ "$least" -ge 1000 ] || fail "$way: a load of $least softirqs is none"
	# One may have begun before the recording, or not have ended with it, on each CPU.
	room=$(getconf _NPROCESSORS_ONLN)
	for pair in $(sql trace.data.db "SELECT replace(name, '_entry', '') FROM counter WHERE name LIKE '%\_entry' ESCAPE '\'"); do
		begun=$(samples "${pair}_entry") ended=$(samples "${pair}_exit")
		[ $((begun - ended)) -le "$room" ] && [ $((ended - begun)) -le "$room" ] ||
			fail "$way: $pair began $begun times and ended $ended times"
	done
	# Its own counter says the same as its samples, and no counter ever goes back.
	[ "$(sql trace.data.db "SELECT sum(last_value) FROM counter_base JOIN counter USING (counter_id) WHERE name = 'irq:softirq_entry'")" -ge $((seen - room)) ] ||
		fail "$way: the counter of softirqs is after its samples"
	[ "$(sql trace.data.db "SELECT count(*) FROM group_read JOIN charge_status USING (status) WHERE reason = 'decrease'")" -eq 0 ] ||
		fail "$way: a counter falls from sample to sample"
	# perf shows them too, with their fields.
	if command -v perf >/dev/null; then
		perf script -i trace.data 2>/dev/null </dev/null | grep 'irq:softirq_entry' >shown
		grep -q 'vec=3 \[action=NET_RX\]' shown || fail "$way: perf script shows no NET_RX: $(head -1 shown)"
	fi

	records "$way, count" count.data --via "$way" --interrupts=count -e task-clock -- bash load
	whole "$way, count" count.data
	least=$(($(cat inner.after) - $(cat inner.before)))
	[ "$(sql count.data.db "SELECT sum(last_value - first_value) FROM counter_base JOIN counter USING (counter_id) WHERE name = 'irq:softirq_entry'")" -ge "$least" ] ||
		fail "$way: fewer softirqs counted than the kernel's $least"
	[ "$(sql count.data.db "SELECT count(*) FROM sample")" -eq 0 ] || fail "$way: --interrupts=count samples"
done
finish
