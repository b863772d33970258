#!/bin/bash
# corpus_big_endian.sh: recordings of a big-endian machine (s390x), as files, as streams and
# compressed, and what else of corpus/lab corpus_truth.sh leaves out: streams of arm64, perf stat.
# The loops of lab/README.md are the truth: an instruction takes 2 ns of task-clock there,
# what comes on top is the kernel's work.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
lab=$PERFTAB_CORPUS/lab
[ -d "$lab" ] || skip "no $lab"

# database NAME: converts it once, to $work/NAME.db
database() {
	db=$work/$1.db
	[ -e "$db" ] || perftab-convert "$lab/$1.data" -o "$db" 2>"$work/err" || fail "$1: convert: $(cat "$work/err")"
}

# over WHAT VALUE LOOP LOW HIGH: VALUE is LOW to HIGH percent above LOOP
over() {
	awk -v v="$2" -v l="$3" -v low="$4" -v high="$5" '
		BEGIN { p = (v - l) * 100 / l; printf "%.3f", p; exit !(v != "" && p >= low && p <= high) }' >"$work/percent" ||
		fail "$1: ${2:-nothing} is $(cat "$work/percent") % over $3, expected $4 to $5 %"
}

# column NAME FILE: number of the CSV column
column() { head -1 "$2" | tr ',' '\n' | grep -nxF "$1" | cut -d: -f1; }

# bill NAME COUNTER: each thread's tid, name and counter to $work/bill
bill() {
	local field
	: >"$work/bill"
	perftab-analyze --by thread --csv --with-idle thread "$lab/$1.data" >"$work/csv" 2>"$work/err" || fail "$1: $(cat "$work/err")"
	field=$(column "$2" "$work/csv")
	[ -n "$field" ] || { fail "$1: no column $2: $(head -1 "$work/csv")"; return 1; }
	awk -F, -v f="$field" 'NR > 1 { print $3 "\t" $4 "\t" $f }' "$work/csv" >"$work/bill"
}

# within NAME COUNTER FACTOR LOW HIGH: for every task of NAME.truth, in percent over FACTOR times its instructions
within() {
	local line
	bill "$1" "$2" || return
	[ -s "$work/bill" ] && [ -s "$lab/$1.truth" ] || { fail "$1: no bill, or no truth"; return; }
	awk -F'\t' -v factor="$3" -v low="$4" -v high="$5" '
		NR == FNR {
			if ($1 in name && name[$1] != $2) $2 = name[$1] " and " $2
			name[$1] = $2
			value[$1] += $3
			next
		}
		!($2 in name) { print "no bill for " $1 ", tid " $2; next }
		name[$2] != $1 { print "tid " $2 " goes by the name " name[$2] ", expected " $1 }
		{ loop = $4 * factor; percent = (value[$2] - loop) * 100 / loop }
		percent < low || percent > high { printf "%s: %.0f is %.3f %% over %.0f, expected %s to %s %%\n", $1, value[$2], percent, loop, low, high }
	' "$work/bill" "$lab/$1.truth" >"$work/apart" || fail "$1: awk"
	while IFS= read -r line; do fail "$1: $2: $line"; done <"$work/apart"
}

# alone NAME COUNTER LOOP LOW HIGH: the one process called work
alone() {
	bill "$1" "$2" || return
	over "$1: $2 of work" "$(awk -F'\t' '$2 == "work" { print $3 }' "$work/bill")" "$3" "$4" "$5"
}

within s390x.sw_group_storm task-clock 2 1 5
within s390x.sw_group_threads task-clock 2 0.6 1
within s390x.sw_zstd task-clock 2 0.4 0.6
within s390x.sw_sched on_cpu_ns 2 1 5
alone s390x.sw_pipe task-clock 80000000 1 3
alone s390x.sw_pipe on_cpu_ns 80000000 1 3
alone s390x.sw_pipe_sched on_cpu_ns 80000000 1 3
within arm64-smp1.hw_zstd instructions 1 0.3 0.5
within arm64-smp1.hw_zstd cycles 2 0.3 0.5
alone arm64-smp1.hw_pipe_file instructions 40000000 1 3
alone arm64-smp1.hw_pipe_file cycles 80000000 1 3

# A thread's own last switch has the tid -1 in the sample; its bill has not.
perftab-analyze --by thread --csv "$lab/s390x.sw_group_threads.data" | awk -F, '$3 == "-1"' | grep -q . &&
	fail "s390x.sw_group_threads: a thread with tid -1 has a bill"

# perf stat record.  Multiplexed counts are as counted, with their times.
stat() { sql "$db" "SELECT sum(value) FROM stat JOIN counter USING (counter_id) WHERE event = '$1'${2:+ AND $2}"; }
database s390x.sw_stat_percpu
holds "sw_stat_percpu: rows" "$db" "0|context-switches|73,0|task-clock|643531772,1|context-switches|33,1|task-clock|643527518" \
	"SELECT group_concat(cpu || '|' || event || '|' || value) FROM
	(SELECT * FROM stat JOIN counter USING (counter_id) ORDER BY cpu, event)"
holds "sw_stat_percpu: round" "$db" "final|643515933" "SELECT kind, time_ns FROM stat_round"
for cpu in 0 1; do over "sw_stat_percpu: CPU $cpu" "$(stat task-clock "cpu = $cpu")" 640000000 0 1; done
holds "sw_stat_percpu: times" "$db" '' "SELECT * FROM stat WHERE enabled_ns <> running_ns OR enabled_ns IS NULL"
holds "sw_stat_percpu: a recording without samples has no switch leader to warn of" "$db" 0 \
	"SELECT count(*) FROM finding WHERE severity <> 'info'"
database arm64-smp1.hw_stat_percpu
over "hw_stat_percpu: instructions" "$(stat instructions)" 320000000 0 1
over "hw_stat_percpu: cycles" "$(stat cycles)" 640000000 0 1
for input in "$lab/arm64-smp1.hw_stat_percpu.data" "$db"; do
	perftab-analyze --metrics "$input" | grep -q '^IPC: 0\.5[0-9]* (instructions per cycle' || fail "$input: text without IPC"
	perftab-analyze --metrics --json "$input" >"$work/json"
	sql :memory: "SELECT round(json_extract(readfile('$work/json'), '\$.traces[0].stat.metrics.IPC'), 1)" | reads "$input: IPC" 0.5
done
database arm64-smp1.hw_stat_system
holds "hw_stat_system: rounds" "$db" "13|14" "SELECT (SELECT count(*) FROM stat_round), max(round) FROM stat"
holds "hw_stat_system: a round without its four counters" "$db" '' "SELECT round FROM stat GROUP BY round HAVING count(*) <> 4"
holds "hw_stat_system: a count went down" "$db" '' "SELECT * FROM (SELECT value - lag(value) OVER (PARTITION BY counter_id ORDER BY round) AS rise FROM stat) WHERE rise < 0"
over "hw_stat_system: instructions" "$(stat instructions "round = 14")" 320000000 0 2
over "hw_stat_system: cycles" "$(stat cycles "round = 14")" 640000000 0 2
over "hw_stat_system: task-clock" "$(stat task-clock "round = 14")" 640000000 0 2
database arm64-smp1.hw_stat_mux
holds "hw_stat_mux: rows" "$db" 10 "SELECT count(*) FROM stat"
sql "$db" "SELECT name, value * 1.0 * enabled_ns / running_ns FROM stat JOIN counter USING (counter_id)
	WHERE event IN ('instructions', 'instructions:u')" >"$work/scaled"
[ "$(wc -l <"$work/scaled")" -eq 6 ] || fail "hw_stat_mux: $(wc -l <"$work/scaled") counters of instructions, expected 6"
while IFS='|' read -r name value; do over "hw_stat_mux: $name, scaled" "$value" 200000000 -1 1; done <"$work/scaled"

# The tracepoints' own tables.
plain="prev_pid BETWEEN 0 AND 400 AND next_pid BETWEEN 0 AND 400 AND prev_prio BETWEEN 0 AND 139
	AND next_prio BETWEEN 0 AND 139 AND prev_state & ~0x1ff = 0 AND prev_comm GLOB '[a-z]*' AND next_comm GLOB '[a-z]*'
	AND common_pid = prev_pid AND common_type = (SELECT config FROM counter WHERE event = 'sched:sched_switch') AND cpu IN (0, 1)"
for name in s390x.sw_sched:162 s390x.sw_pipe_sched:21; do
	database "${name%:*}"
	holds "$name: rows of sched_sched_switch" "$db" "${name#*:}" "SELECT count(*) FROM sched_sched_switch"
	holds "$name: a field is out of range" "$db" '' "SELECT * FROM sched_sched_switch WHERE NOT ($plain)"
	holds "$name: switched out is not who was switched in" "$db" '' "SELECT * FROM (SELECT prev_pid, cpu, ts_ns,
		lag(next_pid) OVER (PARTITION BY cpu ORDER BY ts_ns) AS last FROM sched_sched_switch) WHERE last <> prev_pid"
done
# Groups: the fields that context_switch does not have are in sched_sched_switch_detail.
for name in s390x.sw_group_storm:160 s390x.sw_group_threads:467 s390x.sw_zstd:106 s390x.sw_pipe:28 \
	arm64-smp1.hw_zstd:145 arm64-smp1.hw_pipe_file:11; do
	database "${name%:*}"
	holds "$name: rows" "$db" "${name#*:}" "SELECT count(*) FROM context_switch"
	holds "$name: switched out is not who was switched in" "$db" '' "SELECT * FROM (SELECT prev_thread_id, cpu, ts_ns,
		lag(next_thread_id) OVER (PARTITION BY cpu ORDER BY ts_ns) AS last FROM context_switch) WHERE last <> prev_thread_id"
	holds "$name: a name is not one" "$db" '' "SELECT * FROM thread WHERE name IS NOT NULL AND name NOT GLOB '[a-z:]*'"
	holds "$name: without a time, or not of a CPU" "$db" '' "SELECT * FROM context_switch WHERE ts_ns IS NULL OR cpu NOT IN (0, 1)"
done
database s390x.sw_sched
holds "sw_sched: rows of each tracepoint" "$db" "82 40 41 1" "SELECT (SELECT count(*) FROM sched_sched_wakeup) || ' ' ||
	(SELECT count(*) FROM sched_sched_process_fork) || ' ' || (SELECT count(*) FROM sched_sched_process_exit) || ' ' ||
	(SELECT count(*) FROM sched_sched_process_exec)"
cut -f1,2 "$lab/s390x.sw_sched.truth" | tr '\t' '|' | sort >"$work/wanted"
sql "$db" "SELECT 'st' || printf('%03d', row_number() OVER (ORDER BY ts_ns) - 1), child_pid FROM sched_sched_process_fork
	WHERE parent_comm = 'work' AND child_comm = 'work'" | sort >"$work/got"
same "sw_sched: children in sched_process_fork" "$work/wanted" "$work/got"
sql "$db" "SELECT comm, pid FROM sched_sched_process_exit WHERE prio = 120" | sort >"$work/got"
{ cat "$work/wanted"; echo "work|$(sql "$db" "SELECT DISTINCT parent_pid FROM sched_sched_process_fork")"; } |
	sort >"$work/ends"
same "sw_sched: sched_process_exit" "$work/ends" "$work/got"
holds "sw_sched: sched_process_exec" "$db" "/bin/work" "SELECT filename FROM sched_sched_process_exec WHERE pid = old_pid"
holds "sw_sched: sched_wakeup" "$db" '' "SELECT * FROM sched_sched_wakeup WHERE target_cpu NOT IN (0, 1) OR prio NOT BETWEEN 0 AND 139
	OR pid NOT BETWEEN 1 AND 400 OR comm NOT GLOB '[a-z]*'"
# The stream and the file of one kernel say the same of the tracepoint.
database s390x.sw_pipe_sched
sql "$db" "SELECT format FROM tracepoint WHERE name = 'sched_switch'" >"$work/stream"
database s390x.sw_sched
sql "$db" "SELECT format FROM tracepoint WHERE name = 'sched_switch'" >"$work/file"
same "format of sched_switch in stream and file" "$work/file" "$work/stream"

# Events have the names that were asked for, in the order they were.
for name in s390x.sw_pipe=sched:sched_switch,task-clock,page-faults s390x.sw_pipe_sched=sched:sched_switch \
	arm64-smp1.hw_pipe_file=sched:sched_switch,cycles,instructions s390x.sw_zstd=sched:sched_switch,task-clock,page-faults; do
	database "${name%%=*}"
	holds "${name%%=*}: counters" "$db" "${name#*=}" "SELECT group_concat(name) FROM (SELECT name FROM counter
		WHERE event NOT LIKE 'dummy%' ORDER BY counter_id)"
done

# The books balance, the roads agree.
for trace in "$lab"/s390x.*.data "$lab"/arm64-smp1.hw_pipe_file.data "$lab"/arm64-smp1.hw_zstd.data; do
	name=${trace##*/} name=${name%.data}
	case $name in # samples and counts have no books
	*.sw_freq | *.sw_pipe_sched | *.sw_sched | *.sw_stat_percpu) status 1 "$name: check" perftab-analyze --check "$trace" ;;
	*) balances 0 "$name" "$trace" ;;
	esac
	printf '%s\t%s\n' "$trace" "$name" >>"$work/traces"
done
roads_each <"$work/traces"
finish
