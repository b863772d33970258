#!/bin/bash
# counters_arm64.sh - hardware counters, to the instruction: what jobs/arm64.sh recorded.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/lab/truths.sh" || exit 1

# An instruction costs two cycles there.
for name in hw_fight hw_storm hw_pipe hw_untraced; do
	status_is $name 0
	exactly $name instructions:u
	exactly $name cycles:u 2
	same_roads $name
done
over hw_fight task-clock 2 500000 2500000
over hw_storm task-clock 2 200000 500000

if grep -q 'built without zstd' "$recordings/hw_packed.said"; then
	echo "hw_packed: skipped: the recorder was built without zstd"
else
	status_is hw_packed 0
	exactly hw_packed instructions:u
	same_roads hw_packed
fi

# Seven hardware counters in one group, of which some are sums of others; but they are read
# one after the other, by a kernel that counts itself.
status_is hw_seven 0
exactly hw_seven instructions:u
exactly hw_seven instructions:u#2
exactly hw_seven cycles:u 2
awk -F, '
	function far(sum, user, kernel) { return (sum - user - kernel) ^ 2 > 1000 ^ 2 }
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$1 ~ /^st/ && (far($c["instructions"], $c["instructions:u"], $c["instructions:k"]) ||
		far($c["cycles"], $c["cycles:u"], $c["cycles:k"]))' "$work/bill.csv" >"$work/wrong"
[ ! -s "$work/wrong" ] || fail "hw_seven: user and kernel are not all: $(head -1 "$work/wrong")"
refused hw_eight
said hw_eight "7 of these 8 hardware events fit the PMU at once; leave out 1, or let groups take turns (--multiplex)"

# In turns: never more than there was, and what always counts is whole.
status_is hw_turns 0
said hw_turns "the groups took turns"
over hw_turns task-clock 2 500000 6000000
never_more hw_turns instructions:u
never_more hw_turns instructions:u#2
same_roads hw_turns

cut_off hw_killed instructions:u 1 0

# Groups of a task are read of its children since 6.12, but there without what they counted
# after their last switch, as again in 6.18.  Either is said.
status_is hw_attached 0
if grep -q 'children' "$recordings/hw_attached.said"; then
	said hw_attached "this kernel cannot read the counters of children"
	loses_children hw_attached
elif grep -q 'ended' "$recordings/hw_attached.said"; then
	said hw_attached "what each of them counted after its last switch is missing"
	never_more hw_attached instructions:u
	echo "hw_attached: $(awk '{ t += $2; b += $3 } END { printf "%.0f %%", 100 * b / t }' "$work/counts") of what the children ran is in the bill"
else
	exactly hw_attached instructions:u
fi

exactly perf_all instructions:u
loses_children perf_command
for name in hw_storm hw_pipe; do
	seen $name
	seen_here $name
done
summary
