#!/bin/bash
# counters_arm64.sh - hardware counters, to the instruction: what jobs/arm64.sh recorded.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/lab/truths.sh" || exit 1

ways=hw
if [ "$(cat "$recordings/bpf_fight.status")" = 0 ]; then
	ways="hw bpf"
else
	echo "bpf: skipped: $(cat "$recordings/bpf_fight.said")"
fi

# An instruction costs two cycles there.
for way in $ways; do
	for name in ${way}_fight ${way}_storm ${way}_pipe ${way}_busy; do
		status_is $name 0
		exactly $name instructions:u
		exactly $name cycles:u 2
		same_roads $name
	done
	over ${way}_fight task-clock 2 500000 3000000
	over ${way}_storm task-clock 2 200000 500000
	status_is ${way}_loop 0
	exactly ${way}_loop instructions:u
	apart ${way}_loop 45
	same_roads ${way}_loop
	never_lost ${way}_fight ${way}_storm ${way}_loop ${way}_busy
done
status_is hw_untraced 0
exactly hw_untraced instructions:u
exactly hw_untraced cycles:u 2
same_roads hw_untraced

if grep -q 'built without zstd' "$recordings/hw_packed.said"; then
	echo "hw_packed: skipped: the recorder was built without zstd"
else
	status_is hw_packed 0
	exactly hw_packed instructions:u
	same_roads hw_packed
fi

# Seven hardware counters in one group, of which some are sums of others; but they are read
# one after the other, by a kernel that counts itself.
for way in $ways; do
	status_is ${way}_seven 0
	exactly ${way}_seven instructions:u
	exactly ${way}_seven instructions:u#2
	exactly ${way}_seven cycles:u 2
	awk -F, '
		function far(sum, user, kernel) { return (sum - user - kernel) ^ 2 > 1000 ^ 2 }
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$1 ~ /^st/ && (far($c["instructions"], $c["instructions:u"], $c["instructions:k"]) ||
			far($c["cycles"], $c["cycles:u"], $c["cycles:k"]))' "$work/bill.csv" >"$work/wrong"
	[ ! -s "$work/wrong" ] || fail "${way}_seven: user and kernel are not all: $(head -1 "$work/wrong")"
done
refused hw_eight
said hw_eight "7 of these 8 hardware events fit the PMU at once; leave out 1, or let groups take turns (--multiplex)"

# In turns: never more than there was, and what always counts is whole.
status_is hw_turns 0
said hw_turns "the groups took turns"
over hw_turns task-clock 2 500000 6000000
never_more hw_turns instructions:u
never_more hw_turns instructions:u#2
same_roads hw_turns

for way in $ways; do
	cut_off ${way}_killed instructions:u 1 0
done

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
for way in $ways; do
	for name in ${way}_storm ${way}_pipe; do
		seen $name
		seen_here $name
	done
done
summary
