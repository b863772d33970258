# arm64.sh - with hardware counters: PMUv3, a cycle counter and six others, of which the
# emulator counts cycles and instructions.
fight="counted_work fight 100000000 60000000"
storm="counted_work storm 40 500000"

ours hw_fight -e cycles:u,instructions:u,task-clock -- $fight
ours hw_storm -e cycles:u,instructions:u,task-clock -- $storm
piped hw_pipe -e cycles:u,instructions:u,task-clock -- $storm
ours hw_packed --compress -e cycles:u,instructions:u -- $storm
untraced hw_untraced -e cycles:u,instructions:u,task-clock -- $storm

# Seven fit, eight do not; unless they take turns.
seven=cycles:u,instructions:u,instructions:k,instructions,cycles:k,cycles,instructions:u
ours hw_seven -e $seven -- $storm
ours hw_eight -e $seven,instructions:k -- $storm
ours hw_turns --multiplex -e $seven,instructions:k,instructions,task-clock -- $fight

killed hw_killed 1 -e instructions:u -- counted_work storm 400 500000
# By task: the process that starts them all, and what it starts.
attached hw_attached -e instructions:u -- $storm

# perf, in both of its ways; and what it makes of our files.
group='{sched:sched_switch,cycles:u,instructions:u}:S'
theirs perf_all -a -e "$group" $storm
theirs perf_command -e "$group" $storm
seen_by_perf hw_storm
seen_by_perf hw_pipe
