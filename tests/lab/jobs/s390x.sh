# s390x.sh - big-endian, and no counters in hardware.  There the clock of a task is its
# counter: an instruction takes 2 ns.
fight="counted_work fight 100000000 60000000"
storm="counted_work storm 40 500000"

ours sw_fight -e task-clock,page-faults -- $fight
ours sw_storm -e task-clock,page-faults -- $storm
piped sw_pipe -e task-clock,page-faults -- $storm
ours sw_packed --compress -e task-clock,page-faults -- $storm
untraced sw_untraced -e task-clock,page-faults -- $storm
ours sw_default -- $storm
ours sw_refused -e cycles -- $storm
killed sw_killed 1 -e task-clock -- counted_work storm 400 500000
attached sw_attached -e task-clock -- $storm

group='{sched:sched_switch,task-clock}:S'
theirs perf_all -a -e "$group" $storm
theirs perf_command -e "$group" $storm
seen_by_perf sw_storm
seen_by_perf sw_pipe
