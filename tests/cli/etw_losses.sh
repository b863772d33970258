#!/bin/bash
# etw_losses.sh: a thread id that passes to another process while events are lost
# (make_etw_cases): what the loss hides is unattributed, what follows is the later process's.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
make_etw_cases "$work" || fail make_etw_cases

# bill CASE LINE...: name, pid, switches and counts, by process
bill() {
	status 0 "$1" perftab-analyze --by process --csv "$work/$1.etl"
	grep -v '^(idle)\|^(with idle)' "$work/out" | sed 1d | cut -d, -f1,2,4,6 >"$work/bill"
	reads "$1: bill" "${@:2}" <"$work/bill"
	two_roads "$work/$1.etl" "$1.etl"
	status 0 "$1: check" perftab-analyze --check "$work/$1.etl"
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
finish
