#!/bin/bash
# capture_permissions.sh: whatever this machine refuses, a sentence says why and what to do; and
# what it allows to users without rights is recorded.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
delivered_readers
[ "$(id -u)" -eq 0 ] || skip "giving up rights needs root"
command -v setpriv >/dev/null || skip "setpriv is not installed"
chmod 755 "$work"
cd "$work" || exit 1
mkdir other && chmod 777 other
as_other=(setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all)
cp "$(command -v perftab-capture)" "$(command -v self_count)" "$work"
PATH=$work:$PATH
"${as_other[@]}" perftab-capture --version >out 2>&1 || skip "user 65534 cannot run programs in $work: $(head -1 out)"
before=$(sysctl -n kernel.perf_event_paranoid)
trap 'sysctl -qw kernel.perf_event_paranoid="$before"; rm -rf "$work"' EXIT

# refuses WHAT TEXT... -- COMMAND...: with one line that has all these texts in it
refuses() {
	local what=$1 texts=() text
	shift
	while [ "$1" != -- ]; do texts+=("$1"); shift; done
	shift
	status 1 "$what" timeout 60 "$@"
	for text in "${texts[@]}"; do says "$what" "$text"; done
}

# Rights: EACCES and EPERM, by the level the kernel is set to.
for level in 4 3 2 1; do
	sysctl -qw kernel.perf_event_paranoid=$level 2>/dev/null || continue
	refuses "-a at $level" "no CAP_PERFMON" "kernel.perf_event_paranoid is $level" "record as root" "set it to 0" -- \
		"${as_other[@]}" perftab-capture perf -a -d 0.1 -o other/x
	refuses "all CPUs at $level" "recording all CPUs is not permitted" "kernel.perf_event_paranoid is $level" "give a command or -p" -- \
		"${as_other[@]}" perftab-capture perf -d 0.1 -o other/x
done

# At 2 a user has what his own processes do in user mode; some kernels refuse all from 3 on.
if sysctl -qw kernel.perf_event_paranoid=2 2>/dev/null; then
	status 0 "a command at 2" "${as_other[@]}" perftab-capture perf -o other/two.data -e task-clock,page-faults,page-faults:u -- self_count -n own-work 300 300
	grep -q "kernel.perf_event_paranoid is 2: what runs in the kernel is not counted" err || fail "a command at 2: $(cat err)"
	whole "a command at 2" other/two.data
	perftab-analyze --csv other/two.data 2>/dev/null >bill
	head -1 bill | grep -q 'task-clock:u,page-faults:u,page-faults:u' || fail "a command at 2: $(head -1 bill)"
	perftab-convert other/two.data -o other/two.db 2>/dev/null
	# On kernels before 6.12 the recorder's child is counted, not what it starts.
	[ "$(sql other/two.db "SELECT count(*) FROM process_charge JOIN counter USING (counter_id) JOIN process USING (process_id)
		WHERE process.name = 'own-work' AND counter.name = 'task-clock:u' AND charged > 0")" -eq 1 ] ||
		grep -q "this kernel cannot read the counters of children" err ||
		fail "a command at 2: $(cat bill)"
	refuses "kernel mode at 2" "page-faults:k" "kernel.perf_event_paranoid is 2" "set it to 1" -- \
		"${as_other[@]}" perftab-capture perf -e page-faults:k -o other/x -- true
	refuses "another user's process at 2" "process 1:" "another user's" "as root" -- "${as_other[@]}" perftab-capture perf -p 1 -o other/x
	sysctl -qw kernel.perf_event_paranoid=1
fi

# At 1 a user may follow a command of his own, but no process of others.
refuses "another user's process" "process $$" "another user's" "as root" -- "${as_other[@]}" perftab-capture perf -p $$ -o other/x
refuses "a command by BPF at 1" "--via bpf: programs read whole CPUs, and here only tasks are followed" -- \
	"${as_other[@]}" perftab-capture perf --via bpf -o other/x -- true
refuses "interrupts of a command at 1" "--interrupts records whole CPUs, and here only tasks are followed" -- \
	"${as_other[@]}" perftab-capture perf --interrupts -o other/x -- true
status 0 "a command at 1" "${as_other[@]}" perftab-capture perf -q -o other/one.data -- self_count -n own-work 30 300
cp out other/own
[ ! -s err ] || fail "a command at 1: talks: $(cat err)"
whole "a command at 1" other/one.data
sql other/one.data.db "SELECT sum(charged + with_idle) FROM process_charge JOIN counter AS c USING (counter_id)
	JOIN process AS p USING (process_id) WHERE p.name = 'own-work' AND c.name = 'page-faults'" >bill
[ "$(cat bill)" -ge 300 ] || fail "a command at 1: 300 page faults, charged: $(cat bill)"
# Rings over what may be locked: ENOSPC or EPERM from mmap.
refuses "rings over the limit" "16384 KiB a CPU" "kernel.perf_event_mlock_kb" "(ulimit -l)" "smaller -m" -- \
	"${as_other[@]}" bash -c 'ulimit -l 64; exec perftab-capture perf -m 16M -o other/x -- true'
status 0 "rings as large as they may be" "${as_other[@]}" bash -c 'ulimit -l 64; exec perftab-capture perf -q -o other/small.data -- true'
# and the kernel wakes the recorder before such a ring is full: 516 KiB a CPU are usual.
if command -v perf >/dev/null && [ "$(sysctl -n kernel.perf_event_mlock_kb)" -le 516 ]; then
	perf report -f --header-only -i other/small.data 2>/dev/null | sed -n 's/.*wakeup_watermark } = \([0-9]*\).*/\1/p' | sort -u >wakes
	[ -s wakes ] && [ "$(tail -1 wakes)" -le 262144 ] && [ "$(head -1 wakes)" -gt 0 ] || fail "rings as large as they may be: wakes at $(cat wakes)"
fi

install -m 755 -d closed
refuses "no right to write" "closed/x: cannot create" "Permission denied" -- "${as_other[@]}" perftab-capture perf -o closed/x -- true

# At 0 and below all users may count whole CPUs; of tracefs, only root reads.
sysctl -qw kernel.perf_event_paranoid=0
status 0 "all CPUs at 0" "${as_other[@]}" perftab-capture perf -q -a -d 0.3 -o other/all.data
whole "all CPUs at 0" other/all.data
holds "all CPUs at 0: not all of them" other/all.data.db "$(getconf _NPROCESSORS_ONLN)" "SELECT count(DISTINCT cpu) FROM context_switch"
sysctl -qw kernel.perf_event_paranoid="$before"

# Without CAP_BPF there are the samples of perf, which is said; --via bpf is refused.
if perftab-capture perf -q --via bpf -C 0 -d 0.05 -o x 2>/dev/null; then
	without_bpf=(setpriv --bounding-set=-bpf,-sys_admin --inh-caps=-bpf,-sys_admin)
	reports 0 "without CAP_BPF" "recording by perf samples instead (--via perf)" "${without_bpf[@]}" perftab-capture perf -q -C 0 -d 0.2 -o other/samples.data
	says "without CAP_BPF" "BPF: not permitted: record as root, or with CAP_BPF and CAP_PERFMON"
	whole "without CAP_BPF" other/samples.data
	refuses "--via bpf without CAP_BPF" "not permitted" "CAP_BPF and CAP_PERFMON" -- \
		"${without_bpf[@]}" perftab-capture perf --via bpf -C 0 -d 0.1 -o other/x
fi

# Files: EMFILE.
refuses "too few files" "counters are needed" "at most 14 files" "ulimit -n" "fewer events or CPUs" -- \
	bash -c 'ulimit -n 14; exec perftab-capture perf -o x -e task-clock,page-faults,minor-faults,major-faults,cpu-clock -- true'

# Events and processes that are not there: ENOENT, ESRCH.
refuses "no such event" "no-such-event" -- perftab-capture perf -e no-such-event -o x -- true
refuses "no such tracepoint" "no-such" -- perftab-capture perf -e sched:no-such -o x -- true
refuses "no such PMU" "no-such-pmu" -- perftab-capture perf -e no-such-pmu/x=1/ -o x -- true
refuses "no such process" "there is no process 4194303" -- perftab-capture perf -p 4194303 -o x
if [ ! -e /sys/bus/event_source/devices/cpu ] && [ ! -e /sys/bus/event_source/devices/cpu_core ] && [ "$(uname -m)" = x86_64 ]; then
	refuses "no PMU" "cycles" "no PMU" "task-clock" "perftab-capture list events" -- perftab-capture perf -e cycles -o x -- true
fi
refuses "no such CPU" "this machine has no CPU 4000" -- perftab-capture perf -C 0,4000 -d 0.1 -o x

# Outputs.
refuses "no such folder" "no/where.data" "No such file or directory" -- perftab-capture perf -o no/where.data -- true
refuses "a folder" "other: cannot create" "Is a directory" -- perftab-capture perf -o other -- true
rm -f x x.old
if command -v script >/dev/null; then
	script -qec 'perftab-capture perf -o - -d 0.1 2>err; echo $? >code' /dev/null >out
	[ "$(cat code)" = 1 ] || fail "a terminal: exit status $(cat code)"
	says "a terminal" "standard output is a terminal"
	says "a terminal" "perftab-analyze -"
fi
finish
