#!/bin/bash
# capture_count.sh: a program that waits for a disk counts, with the kernel's own numbers, what BPF
# programs record: as many switches as ctxt of /proc/stat, and as many out of idle as there are
# switches that no task made (ctxt - voluntary - involuntary).
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
delivered_readers
cd "$work" || exit 1
perftab-capture perf -q --via bpf -C 0 -d 0.05 -o first.data 2>err || skip "no BPF here: $(cat err)"
command -v python3 >/dev/null || skip "no python3 here, which reads the kernel's numbers"
# Not in $work, which may be in memory.
file=$PERFTAB_BIN/tests/capture_count.bytes
trap 'rm -rf "$work" "$file"' EXIT
dd if=/dev/zero of="$file" bs=1M count=32 conv=fsync 2>/dev/null || skip "no room for 32 MB"
dd if="$file" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null || skip "no O_DIRECT in $PERFTAB_BIN"

records "8,000 reads" count.data --via bpf -a -e task-clock -- \
	python3 "$PERFTAB_SOURCE/tests/workloads/disk_reads.py" "$file" 8000
read -r kernel of_tasks <"$work/out"
whole "8,000 reads" count.data

# at NAME: when the program took it
at() { sql count.data.db "SELECT max(ts_ns) FROM comm WHERE name = '$1'"; }
# switches FROM TO [WHERE]: after the one and until the other
switches() {
	sql count.data.db "SELECT count(*) FROM context_switch AS s LEFT JOIN thread AS t ON t.thread_id = s.prev_thread_id
		WHERE ts_ns > $1 AND ts_ns <= $2 AND ${3:-1}"
}
tasks_1=$(at tasks-1) counts_1=$(at counts-1) reads=$(at reads) counts_2=$(at counts-2) tasks_2=$(at tasks-2) done=$(at done)
unseen=$(sql count.data.db "SELECT coalesce(sum(count), 0) FROM finding WHERE kind = 'never_left'")

# The kernel was asked between counts-1 and reads, and between counts-2 and tasks-2.
least=$(switches "$reads" "$counts_2") most=$(switches "$counts_1" "$tasks_2")
slack=$((kernel / 1000))
((least <= kernel + slack)) || fail "at least $least switches, the kernel counted $kernel"
((most + unseen >= kernel - slack)) || fail "at most $most switches and $unseen unseen, the kernel counted $kernel"

# Of a task that ended meanwhile the kernel has no numbers any more, and tasks were asked one by one.
ended=$(switches "$counts_1" "$tasks_2" "idle_cpu IS NULL AND end_ns IS NOT NULL AND end_ns <= $done")
asked=$(($(switches "$tasks_1" "$reads") + $(switches "$counts_2" "$done")))
idle=$(switches "$reads" "$counts_2" "idle_cpu IS NOT NULL")
difference=$((kernel - of_tasks - ended - idle))
((difference <= asked + unseen + slack && -difference <= asked + unseen + slack)) ||
	fail "$idle switches out of idle, the kernel counted $kernel, $of_tasks of tasks and $ended of those that ended"

printf 'switches: %s to %s seen, %s of the kernel; out of idle %s, the kernel %s (+-%s); never seen leaving %s\n' \
	"$least" "$most" "$kernel" "$idle" "$((kernel - of_tasks - ended))" "$asked" "$unseen"
finish
