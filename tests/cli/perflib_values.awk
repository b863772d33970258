# perflib_values.awk - what the tools of sysstat print for two copies of /proc, by their
# formulas: mpstat, sar -w, iostat -x, pidstat, sar -n DEV.
#   awk -v old=DIR -v new=DIR -f perflib_values.awk
# Lines "NAME INSTANCE VALUE".  Knows nothing of PerfLib: jiffies are held against the sum of
# jiffies (mpstat) or against the uptime, as sysstat does it.
function slurp(dir, path, into, key_field, first,   line, parts, n, i) {
	delete into
	while ((getline line <(dir "/" path)) > 0) {
		n = split(line, parts, /[ \t:]+/)
		i = parts[1] == "" ? 1 : 0
		into[parts[key_field + i]] = line
	}
	close(dir "/" path)
}
function field(line, n,   parts, i) { sub(/^[ \t]+/, "", line); split(line, parts, /[ \t:]+/); return parts[n] + 0 }
function uptime(dir,   line) { getline line <(dir "/uptime"); close(dir "/uptime"); return line + 0 }
# A difference of counters of 32 bits.
function wrapped(a, b) { return b >= a ? b - a : b - a + 4294967296 }
function put(name, instance, value) { printf "%s\t%s\t%.9g\n", name, instance, value }
function cpu_line(name, a, b,   i, total, d) {
	for (i = 2; i <= 9; i++) { d[i] = field(b, i) - field(a, i); total += d[i] }
	put("% User Time", name, 100 * (d[2] + d[3]) / total)
	put("% Nice Time", name, 100 * d[3] / total)
	put("% Privileged Time", name, 100 * (d[4] + d[7] + d[8]) / total)
	put("% Interrupt Time", name, 100 * d[7] / total)
	put("% SoftIRQ Time", name, 100 * d[8] / total)
	put("% IO Wait Time", name, 100 * d[6] / total)
	put("% Idle Time", name, 100 * d[5] / total)
	put("% Steal Time", name, 100 * d[9] / total)
	put("% Guest Time", name, 100 * (field(b, 10) - field(a, 10)) / total)
	put("% Processor Time", name, 100 - 100 * (d[5] + d[6]) / total)
}
BEGIN {
	seconds = uptime(new) - uptime(old)
	# mpstat -P ALL: "all" is of the sums of the CPUs.
	slurp(old, "stat", a, 1); slurp(new, "stat", b, 1)
	for (key in b)
		if (key ~ /^cpu[0-9]+$/) {
			cpu_line(substr(key, 4), a[key], b[key])
			for (i = 2; i <= 10; i++) { all_a[i] += field(a[key], i); all_b[i] += field(b[key], i) }
		}
	for (i = 2; i <= 10; i++) { line_a = line_a " " all_a[i]; line_b = line_b " " all_b[i] }
	cpu_line("_Total", "cpu" line_a, "cpu" line_b)
	# sar -w, sar -I SUM
	put("Context Switches/sec", "", (field(b["ctxt"], 2) - field(a["ctxt"], 2)) / seconds)
	put("Interrupts/sec", "", (field(b["intr"], 2) - field(a["intr"], 2)) / seconds)
	put("Tasks Created/sec", "", (field(b["processes"], 2) - field(a["processes"], 2)) / seconds)
	# sar -B; sar -r has kilobytes
	slurp(old, "vmstat", a, 1); slurp(new, "vmstat", b, 1)
	put("Page Faults/sec", "", (field(b["pgfault"], 2) - field(a["pgfault"], 2)) / seconds)
	put("Paged In Bytes/sec", "", 1024 * (field(b["pgpgin"], 2) - field(a["pgpgin"], 2)) / seconds)
	slurp(new, "meminfo", b, 1)
	put("Available Bytes", "", 1024 * field(b["MemAvailable"], 2))
	put("% Committed Bytes In Use", "", 100 * field(b["Committed_AS"], 2) / field(b["CommitLimit"], 2))
	if (field(b["SwapTotal"], 2))
		put("% Swap In Use", "", 100 - 100 * field(b["SwapFree"], 2) / field(b["SwapTotal"], 2))
	# iostat -x: r/s, w/s, rkB/s, r_await and w_await in ms, rareq-sz and wareq-sz in kB, aqu-sz, %util
	slurp(old, "diskstats", a, 3); slurp(new, "diskstats", b, 3)
	for (disk in b) {
		if (!field(b[disk], 4) && !field(b[disk], 8))
			continue
		reads = field(b[disk], 4) - field(a[disk], 4)
		writes = field(b[disk], 8) - field(a[disk], 8)
		put("Disk Reads/sec", disk, reads / seconds)
		put("Disk Writes/sec", disk, writes / seconds)
		put("Disk Read Bytes/sec", disk, 512 * (field(b[disk], 6) - field(a[disk], 6)) / seconds)
		put("Disk Write Bytes/sec", disk, 512 * (field(b[disk], 10) - field(a[disk], 10)) / seconds)
		if (reads) {
			put("Avg. Disk sec/Read", disk, (field(b[disk], 7) - field(a[disk], 7)) / reads / 1000)
			put("Avg. Disk Bytes/Read", disk, 512 * (field(b[disk], 6) - field(a[disk], 6)) / reads)
		}
		if (writes) {
			put("Avg. Disk sec/Write", disk, wrapped(field(a[disk], 11), field(b[disk], 11)) / writes / 1000)
			put("Avg. Disk Bytes/Write", disk, 512 * (field(b[disk], 10) - field(a[disk], 10)) / writes)
		}
		put("Avg. Disk Queue Length", disk, (field(b[disk], 14) - field(a[disk], 14)) / seconds / 1000)
		put("% Disk Time", disk, 100 * (field(b[disk], 13) - field(a[disk], 13)) / seconds / 1000)
	}
	# sar -n DEV
	slurp(old, "net/dev", a, 1); slurp(new, "net/dev", b, 1)
	for (name in b)
		if (name in a && name !~ /Inter|face|\|/) {
			put("Bytes Received/sec", name, (field(b[name], 2) - field(a[name], 2)) / seconds)
			put("Packets Received/sec", name, (field(b[name], 3) - field(a[name], 3)) / seconds)
			put("Bytes Sent/sec", name, (field(b[name], 10) - field(a[name], 10)) / seconds)
			put("Packets Sent/sec", name, (field(b[name], 11) - field(a[name], 11)) / seconds)
		}
	# pidstat -u, -r
	while (("ls " new) | getline pid)
		if (pid ~ /^[0-9]+$/) {
			line_a = line_b = ""
			getline line_a <(old "/" pid "/stat"); getline line_b <(new "/" pid "/stat")
			name = line_b; sub(/^[^(]*\(/, "", name); sub(/\)[^)]*$/, "", name)
			sub(/^.*\)/, "x x", line_a); sub(/^.*\)/, "x x", line_b)
			start = field(line_b, 22)
			put("Elapsed Time", name, uptime(new) - start / 100)
			put("Resident Bytes", name, 4096 * field(line_b, 24))
			put("Threads", name, field(line_b, 20))
			if (field(line_a, 22) != start)
				continue
			put("% User Time", name, (field(line_b, 14) - field(line_a, 14)) / seconds)
			put("% Privileged Time", name, (field(line_b, 15) - field(line_a, 15)) / seconds)
			put("Page Faults/sec", name, (field(line_b, 10) + field(line_b, 12) - field(line_a, 10) - field(line_a, 12)) / seconds)
		}
}
