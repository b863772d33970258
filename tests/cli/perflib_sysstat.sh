#!/bin/bash
# perflib_sysstat.sh: on this machine, in the same seconds, perftab-capture perflib and the tools
# of sysstat see the same: shares of CPUs and of a process, context switches, disk rates.
# They do not start at the same moment and others use the machine, so a third of a value, or a
# few points of a share, may be between them; the best of three tries counts.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
for tool in mpstat sar iostat pidstat; do
	command -v $tool >/dev/null || skip "$tool is not installed (sysstat)"
done
cd "$work" || exit 1
seconds=4

# Something to see: a busy process, switches, and writes that reach a disk.
cp "$(command -v sh)" busy-sh
./busy-sh -c 'while :; do :; done' & busy=$!
(while :; do head -c 200000 /dev/zero | cat >/dev/null; dd if=/dev/zero of=blob bs=64k count=16 conv=fsync 2>/dev/null; done) & writing=$!
trap 'kill $busy $writing 2>/dev/null; rm -rf "$work"' EXIT

look() {
	mpstat -P ALL $seconds 1 >mpstat.out & local one=$!
	sar -w $seconds 1 >sar.out & local two=$!
	iostat -dxky $seconds 1 >iostat.out & local three=$!
	pidstat -u -p $busy $seconds 1 >pidstat.out & local four=$!
	rm -f now.plb now.db
	perftab-capture perflib -q -n 2 -i $seconds -o now.plb || fail "exit status $?"
	wait $one $two $three $four
	perftab-convert --strict now.plb -o now.db || fail "convert"
	perflib_values now.db 2 >values
	{
		# Columns by their titles, which differ from version to version.
		awk '/%idle/ && !at["CPU"] { for (i = 1; i <= NF; i++) at[$i] = i }
			/^Average:/ && $2 != "CPU" { d = NF - (at["%idle"]); name = $2 == "all" ? "_Total" : $2
				printf "share\t%% Processor Time\t%s\t%s\n", name, 100 - $(at["%idle"] + d) - $(at["%iowait"] + d)
				printf "share\t%% User Time\t%s\t%s\n", name, $(at["%usr"] + d) + $(at["%nice"] + d) }' mpstat.out
		awk '/^Average:/ && $3 + 0 > 0 { printf "rate\tContext Switches/sec\t\t%s\n", $3 }' sar.out
		awk '/w\/s/ { for (i = 1; i <= NF; i++) at[$i] = i } at["w/s"] && $(at["wkB/s"]) + 0 > 500 {
			printf "rate\tDisk Write Bytes/sec\t%s\t%s\n", $1, 1024 * $(at["wkB/s"])
			printf "rate\tDisk Writes/sec\t%s\t%s\n", $1, $(at["w/s"])
			printf "share\t%% Disk Time\t%s\t%s\n", $1, $(at["%util"]) }' iostat.out
		awk '/%usr/ { for (i = 1; i <= NF; i++) at[$i] = i } /^Average:/ && $3 + 0 > 0 && at["%CPU"] {
			printf "share\t%% Processor Time\tbusy-sh\t%s\n", $(NF - 2) }' pidstat.out
	} >wanted
	awk -F'\t' 'NR == FNR { got[$2 "\t" $3] = $4; next }
		{ key = $2 "\t" $3; seen++; apart = got[key] - $4; if (apart < 0) apart = -apart
		if (!(key in got) || ($1 == "share" ? apart > 12 : apart > $4 / 3)) { printf "%s: %s, sysstat says %s\n", key, got[key], $4; bad = 1 } }
		END { exit bad || seen < 6 }' values wanted >different
}

for try in 1 2 3; do
	look && finish
	printf 'try %d: %s\n' "$try" "$(head -3 different)"
done
fail "three times something else: $(head -5 different)"
finish
