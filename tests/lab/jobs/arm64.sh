# arm64.sh - with hardware counters: PMUv3, a cycle counter and six others, of which the
# emulator counts cycles and instructions.
fight="counted_work fight 100000000 60000000"
storm="counted_work storm 40 500000"

loop="counted_work storm 1 50000000"
group=cycles:u,instructions:u,task-clock

# By samples of perf (hw_), and by BPF programs (bpf_), where they load.
for way in hw bpf; do
	[ $way = hw ] && via=perf || via=bpf
	ours ${way}_fight --via $via -e $group -- $fight
	ours ${way}_storm --via $via -e $group -- $storm
	ours ${way}_loop --via $via --interrupts -e instructions:u,instructions:k,task-clock -- $loop
	ours ${way}_busy --via $via --interrupts -e cycles:u,instructions:u,task-clock -- $storm
done
piped hw_pipe --via perf -e $group -- $storm
piped bpf_pipe --via bpf -e $group -- $storm
ours hw_packed --via perf --compress -e cycles:u,instructions:u -- $storm
untraced hw_untraced -e $group -- $storm

# Seven fit, eight do not; unless they take turns.
seven=cycles:u,instructions:u,instructions:k,instructions,cycles:k,cycles,instructions:u
ours hw_seven --via perf -e $seven -- $storm
ours bpf_seven --via bpf -e $seven -- $storm
ours hw_eight -e $seven,instructions:k -- $storm
ours hw_turns --via perf --multiplex -e $seven,instructions:k,instructions,task-clock -- $fight

killed hw_killed 1 --via perf -e instructions:u -- counted_work storm 400 500000
killed bpf_killed 1 --via bpf -e instructions:u -- counted_work storm 400 500000
# By task: the process that starts them all, and what it starts.
attached hw_attached -e instructions:u -- $storm

# perf, in both of its ways; and what it makes of our files.
switches='{sched:sched_switch,cycles:u,instructions:u}:S'
theirs perf_all -a -e "$switches" $storm
theirs perf_command -e "$switches" $storm
for name in hw_storm hw_pipe bpf_storm bpf_pipe; do
	[ ! -s $name.data ] || seen_by_perf $name
done
