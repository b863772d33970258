#!/bin/bash
# etw_losses.sh: a thread id that passes to another process while events are lost
# (make_etw_cases, and texts of xperf): what the loss hides is unattributed, what follows is the
# later process's.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
make_etw_cases "$work" || fail make_etw_cases

# bill CASE[.txt] LINE...: name, pid, switches and counts, by process
bill() {
	local input=$work/$1 forms=few
	[ -e "$input" ] || { input=$input.etl && forms=; }
	status 0 "$1" perftab-analyze --by process --csv "$input"
	grep -v '^(idle)\|^(with idle)' "$work/out" | sed 1d | cut -d, -f1,2,4,6 >"$work/bill"
	reads "$1: bill" "${@:2}" <"$work/bill"
	two_roads "$input" "${input##*/}" ${forms:+"$forms"}
	status 0 "$1: check" perftab-analyze --check "$input"
}

# unattributed: 2 intervals that hold a loss (2), and those of the loss (100 + 1,000)
bill handed-over second.exe,200,2,110000 first.exe,100,5,26 '(unattributed),,4,1102'
perftab-convert "$work/handed-over.etl" -o "$work/over.db" 2>"$work/err" || fail "handed-over: $(cat "$work/err")"
holds "handed-over: finding" "$work/over.db" 'warning|1|thread 1000 is of process 100, later of process 200, and no event shows the change: unattributed from 250001 to 2000000 ns' \
	"SELECT severity, count, text FROM finding WHERE kind = 'handed_over'"
holds "handed-over: threads" "$work/over.db" $'100||\n|250001|\n200|2000000|2900000' \
	"SELECT p.pid, t.start_ns, t.end_ns FROM thread AS t JOIN process AS p USING (process_id) WHERE tid = 1000 ORDER BY t.start_ns"
holds "handed-over: statuses" "$work/over.db" $'no_thread|2|1100\nlost|2|2' \
	"SELECT reason, count(*), sum(delta_0) FROM context_switch JOIN charge_status USING (status) WHERE reason IN ('lost', 'no_thread') GROUP BY 1 ORDER BY 3 DESC"

bill handed-openly second.exe,200,4,111100 first.exe,100,5,26 '(unattributed),,0,0'
perftab-analyze "$work/handed-openly.etl" | grep -q 'no event shows the change' && fail "handed-openly: a finding"

bill handed-silently first.exe,100,3,15 '(unattributed),,6,111111'
perftab-analyze "$work/handed-silently.etl" | grep -q '^warning: thread 1000 is of process 100, later of process 200' || fail "handed-silently: no finding"

# The id of a process: threads 1000 (1,000 in the loss) and 1008 (100 in it, 1,000,000 after)
# are in doubt, and two intervals hold the loss (1 each).
bill process-reused second.exe,100,2,110000 other.exe,200,3,15 first.exe,100,2,11 '(unattributed),,5,1001102'
perftab-convert "$work/process-reused.etl" -o "$work/reused.db" 2>"$work/err" || fail "process-reused: $(cat "$work/err")"
holds "process-reused: finding" "$work/reused.db" 'warning|2|process 100 is first.exe, later second.exe, and no event shows the change: unattributed from 250001 to 2000000 ns' \
	"SELECT severity, count, text FROM finding WHERE kind = 'handed_over'"
bill process-openly second.exe,100,2,110000 first.exe,100,3,111 other.exe,200,3,15 '(unattributed),,0,0'
perftab-analyze "$work/process-openly.etl" | grep -q 'no event shows the change' && fail "process-openly: a finding"
# Its end is there: only the thread id is in doubt, in the loss.
bill process-ended second.exe,100,2,110000 first.exe,100,3,111 other.exe,200,3,15 '(unattributed),,2,2'
perftab-analyze "$work/process-ended.etl" | grep -q '^warning: thread 1000 is of process 100, later of another one with its id' || fail "process-ended: no finding"

# --- texts of xperf, whose switches name processes as well ---

# text CASE: lines "in US PROCESS COUNT" and "out US PROCESS COUNT" are switches of thread 1000 from
# and to idle, "EVENT US PROCESS" are lines of that thread; first is process 100, second 200
text() {
	{
		cat <<-'EOF'
			BeginHeader
			Pmc, TimeStamp, ThreadID, Instructions
			CSwitch, TimeStamp, New Process Name ( PID), New TID, Old Process Name ( PID), Old TID, OldState, CPU
			T-Start, TimeStamp, Process Name ( PID), ThreadID
			T-End, TimeStamp, Process Name ( PID), ThreadID
			T-DCStart, TimeStamp, Process Name ( PID), ThreadID
			T-DCEnd, TimeStamp, Process Name ( PID), ThreadID
			EndHeader
		EOF
		awk 'BEGIN { task["first"] = "first.exe (100)"; task["second"] = "second.exe (200)"; task["none"] = "Unknown (-1)" }
			$1 == "in" { print "Pmc, " $2 ", 1000, " $4 "\nCSwitch, " $2 ", " task[$3] ", 1000, Idle (0), 0, Running, 0"; next }
			$1 == "out" { print "Pmc, " $2 ", 0, " $4 "\nCSwitch, " $2 ", Idle (0), 0, " task[$3] ", 1000, Waiting, 0"; next }
			{ print $1 ", " $2 ", " task[$3] ", 1000" }'
	} >"$work/$1.txt"
}

# findings CASE LINE...: the ids that passed on
findings() {
	holds "$1: findings" "$work/$1.txt.db" "$(printf '%s\n' "${@:2}")" \
		"SELECT severity, count, text FROM finding WHERE kind = 'handed_over'"
}

# It ends as another process's, while it seems to run: 100 is of either.
text ended <<-'EOF'
	T-DCStart 50 first
	in 100 first 0
	out 200 first 10
	in 300 first 11
	T-End 400 second
	out 500 first 111
	T-Start 600 second
	in 700 second 112
	out 800 second 1112
EOF
bill ended.txt second.exe,200,1,1000 first.exe,100,1,10 '(unattributed),,1,100'
findings ended 'warning|1|thread 1000 is of process 100, later of process 200, and no line shows the change: unattributed between 300000 and 400000 ns'
holds "ended: the loss" "$work/ended.txt.db" '400000|0|T-End' "SELECT ts_ns, cpu, record FROM lost"
holds "ended: threads" "$work/ended.txt.db" $'100|\n200|600000' \
	"SELECT p.pid, t.start_ns FROM thread AS t JOIN process AS p USING (process_id) JOIN context_switch AS c ON c.prev_thread_id = t.thread_id
		WHERE tid = 1000 AND c.status = 1 ORDER BY 1"

# A rundown settles it likewise, at the begin and at the end; the switches after it are the later one's.
for rundown in T-DCStart T-DCEnd; do
	text rundown <<-EOF
		in 100 first 0
		out 200 first 10
		in 300 first 11
		$rundown 400 second
		out 500 second 111
		in 600 second 112
		out 700 second 1112
	EOF
	bill rundown.txt second.exe,200,1,1000 first.exe,100,1,10 '(unattributed),,1,100'
	findings rundown 'warning|1|thread 1000 is of process 100, later of process 200, and no line shows the change: unattributed between 300000 and 400000 ns'
done

# While it does not run nothing is in doubt but when it passed on.
text waiting <<-'EOF'
	in 100 first 0
	out 200 first 10
	T-DCEnd 250 second
	in 300 second 11
	out 500 second 111
EOF
bill waiting.txt second.exe,200,1,100 first.exe,100,1,10 '(unattributed),,0,0'
findings waiting 'warning|1|thread 1000 is of process 100, later of process 200, and no line shows the change: unattributed between 200000 and 250000 ns'

# Its end and the next start are there; or the end names no process, or comes out of order.
text openly <<-'EOF'
	in 100 first 0
	T-End 150 first
	out 200 first 10
	T-Start 250 second
	T-DCStart 260 second
	in 300 second 11
	out 500 second 111
EOF
bill openly.txt second.exe,200,1,100 first.exe,100,1,10 '(unattributed),,0,0'
findings openly ''
text nameless <<-'EOF'
	in 100 first 0
	T-End 150 none
	out 200 first 10
	in 300 second 11
	out 500 second 111
	T-End 290 first
EOF
bill nameless.txt second.exe,200,1,100 first.exe,100,1,10 '(unattributed),,0,0'
findings nameless ''
finish
