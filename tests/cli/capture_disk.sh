#!/bin/bash
# capture_disk.sh: a program that waits for a disk 8,000 times: BPF programs see every switch
# that the kernel counts, those out of idle too, so it is charged its own time on the CPU, and
# of a counter that goes on in idle not more than fits that time.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
delivered_readers
cd "$work" || exit 1
perftab-capture perf -q --via bpf -C 0 -d 0.05 -o first.data 2>err || skip "no BPF here: $(cat err)"
[ -d /sys/bus/event_source/devices/msr ] || skip "no msr/tsc/ here, which goes on in idle"
# Not in $work, which may be in memory.
file=$PERFTAB_BIN/tests/capture_disk.bytes
trap 'rm -rf "$work" "$file"' EXIT
dd if=/dev/zero of="$file" bs=1M count=32 conv=fsync 2>/dev/null || skip "no room for 32 MB"
dd if="$file" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null || skip "no O_DIRECT in $PERFTAB_BIN"

cat >load <<LOAD
awk '\$1 == "ctxt" { print \$2 }' /proc/stat >before
dd if="$file" of=/dev/null bs=4k count=8000 iflag=direct 2>/dev/null
awk '\$1 == "ctxt" { print \$2 }' /proc/stat >after
LOAD
records "8,000 reads" disk.data --via bpf -a -e task-clock,msr/tsc/ -- bash load
whole "8,000 reads" disk.data

# What ran before and after is in the trace as well: it has at least what the kernel counted
# between the two, but for threads that leave a CPU without a trace on some machines.
kernel=$(($(cat after) - $(cat before)))
seen=$(sql disk.data.db "SELECT count(*) FROM context_switch")
unseen=$(sql disk.data.db "SELECT coalesce(sum(count), 0) FROM finding WHERE kind = 'never_left'")
[ $(((seen + unseen) * 1000)) -ge $((kernel * 999)) ] || fail "$seen switches, the kernel counted $kernel"

# Cycles a nanosecond: of the machine, and of dd.
sql disk.data.db "WITH per(name, value) AS (
		SELECT c.name, sum(b.last_value - b.first_value) FROM counter_base AS b JOIN counter AS c USING (counter_id) GROUP BY 1),
	dd(name, value, ns) AS (
		SELECT c.name, sum(v.charged), (SELECT sum(on_cpu_ns) FROM process_summary JOIN process USING (process_id) WHERE name = 'dd')
		FROM process_charge AS v JOIN process AS p USING (process_id) JOIN counter AS c USING (counter_id) WHERE p.name = 'dd' GROUP BY 1)
	SELECT printf('%.0f %.0f %.0f %.0f', (SELECT value FROM per WHERE name = 'task-clock'), (SELECT value FROM per WHERE name = 'msr/tsc/'),
		(SELECT ns FROM dd LIMIT 1), (SELECT value FROM dd WHERE name = 'msr/tsc/'))" >figures
read -r ns tsc dd_ns dd_tsc <figures
awk -v m="$ns" -v t="$tsc" -v d="$dd_ns" -v u="$dd_tsc" 'BEGIN { r = (u / d) / (t / m); exit !(d > 0 && r > 0.98 && r < 1.02) }' ||
	fail "dd has $dd_tsc ticks in $dd_ns ns, the machine $tsc in $ns ns"
[ "$(sql disk.data.db "SELECT count(*) FROM context_switch WHERE status = 2")" -le $((seen / 1000)) ] || fail "intervals are shared with idle"

# Less than 0.1 % of the time stamp counter is not charged to one thread, but for intervals that
# begin with the switch to a thread whose switch-out no record shows: some kernels hide them.
perftab-analyze --check --csv disk.data 2>/dev/null | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$2 == "msr/tsc/" { all += $4 - $3; open += $at["with_idle"] + $at["unattributed"] } END { printf "%.0f %.0f\n", all, open }' >books
read -r all open <books
hidden=$(sql disk.data.db "WITH s AS (SELECT *, lag(next_thread_id) OVER (PARTITION BY cpu ORDER BY switch_id) AS from_id FROM context_switch)
	SELECT coalesce(sum(delta_2), 0) FROM s
	WHERE status = 8 AND from_id NOT IN (SELECT prev_thread_id FROM context_switch WHERE prev_thread_id IS NOT NULL)")
[ $(((open - hidden) * 1000)) -lt "$all" ] || fail "$open of $all of msr/tsc/ is not charged, $hidden of it hidden"

printf 'switches: %s seen, %s of the kernel while dd ran; open %s of %s, %s of it hidden; never seen leaving %s\n' "$seen" "$kernel" "$open" "$all" "$hidden" "$unseen"
finish
