#!/bin/bash
# clocks_s390x.sh - a big-endian machine without a PMU: what jobs/s390x.sh recorded.  An
# instruction takes 2 ns of task-clock; the rest is the kernel's work.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/lab/truths.sh" || exit 1

for name in sw_fight sw_storm sw_pipe sw_packed sw_untraced sw_default sw_killed sw_attached; do
	perftab-convert --list "$recordings/$name.data" | grep -q '^form .*, big-endian' ||
		fail "$name: is not big-endian"
done
for name in sw_storm sw_pipe sw_packed sw_untraced sw_default; do
	if grep -q 'built without zstd' "$recordings/$name.said"; then
		echo "$name: skipped: the recorder was built without zstd"
		continue
	fi
	status_is $name 0
	over $name task-clock 2 150000 400000
	same_roads $name
done
status_is sw_fight 0
over sw_fight task-clock 2 500000 2000000
over sw_fight on_cpu_ns 2 500000 2000000
refused sw_refused
said sw_refused "this machine has no PMU, or hides it from its guest; use software events"
cut_off sw_killed task-clock 2 400000
said sw_attached "this kernel cannot read the counters of children"
loses_children sw_attached
over perf_all task-clock 2 150000 400000
loses_children perf_command
for name in sw_storm sw_pipe; do
	seen $name
done
seen_here sw_fight
seen_here sw_storm
[ ! -e "$recordings/sw_packed.data" ] || grep -q 'built without zstd' "$recordings/sw_packed.said" ||
	seen_here sw_packed
summary
