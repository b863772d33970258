#!/bin/bash
# etw_interrupts.sh: ISRs and DPCs of ETW (make_etw_cases): their times exactly, what they
# counted as an estimate that no other sum has.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
make_etw_cases "$work" || fail make_etw_cases

rows() { # DATABASE QUERY LINE...
	sql "$work/$1.db" "$2" | reads "$1: $2" "${@:3}"
}

perftab-convert "$work/interrupts.etl" -o "$work/good.db" 2>"$work/err" || fail "good: $(cat "$work/err")"
rows good "SELECT ts_ns, end_ns, cpu, event, vector, printf('0x%x', routine) FROM etw_interrupt ORDER BY rowid" \
	'110000|120000|0|ISR|81|0xfffff80712340000' '140000|145000|0|ISR|81|0xfffff80712340000' \
	'130000|160000|0|DPC||0xfffff80712340100' '220000|230000|0|DPC||0xfffff80712340100'
rows good "SELECT interrupt_id, kind, vector, name, in_thread FROM interrupt" '1|isr|81|0xfffff80712340000|0' '2|dpc||0xfffff80712340100|0'
# The DPC of 30 us holds an ISR of 5 us.
rows good "SELECT kind, tid, s.status, interrupts, time_ns FROM interrupt_summary AS s JOIN interrupt USING (interrupt_id) JOIN thread USING (thread_id)" \
	'isr|1000|estimated|2|15000' 'dpc|1000|estimated|1|25000' 'dpc|0|estimated|1|10000'
# 15 and 25 of 100 us in which 1,000 were counted, 10 of 100 us in which 50 were
rows good "SELECT kind, vector, c.status, charged FROM interrupt_charge AS c" 'isr|81|estimated|150' 'dpc||estimated|250' 'dpc||estimated|5'
rows good "SELECT DISTINCT name, kept FROM etw_event_count WHERE name IN ('PerfInfo/ISR', 'PerfInfo/DPC') ORDER BY 1" \
	'PerfInfo/DPC|etw_interrupt, interrupt_charge' 'PerfInfo/ISR|etw_interrupt, interrupt_charge'

# No other sum has them.
perftab-analyze --by process --csv "$work/interrupts.etl" | sed 1d | cut -d, -f1,6 |
	reads "the bill" first.exe,1007 '(idle),50' '(with idle),0' '(unattributed),0'
status 0 check perftab-analyze --check "$work/interrupts.etl"
two_roads "$work/interrupts.etl" interrupts.etl every window

# One without a beginning has no length, one that is cut short is a finding; the others stay.
status 3 bad perftab-convert "$work/interrupts-bad.etl" -o "$work/bad.db"
rows bad "SELECT ts_ns, end_ns, event FROM etw_interrupt WHERE ts_ns IS NULL" '|170000|DPC'
rows bad "SELECT kind, count FROM finding WHERE severity = 'damage'" 'short_record|1'
rows bad "SELECT kind, charged FROM interrupt_charge" 'isr|150' 'dpc|250' 'dpc|5'
finish
