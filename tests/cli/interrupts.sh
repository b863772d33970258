#!/bin/bash
# interrupts.sh: interrupts of known cost (make_interrupts): each segment is where it belongs,
# to the unit, from the trace and from its database, and another reader finds the same sums.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
events=sched:sched_switch,irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,irq:softirq_exit,cycles
ids='10=sched:sched_switch 11=irq:irq_handler_entry 12=irq:irq_handler_exit 13=irq:softirq_entry 14=irq:softirq_exit'

# analyze OPTIONS...: of the trace, and the same of its database
analyze() {
	perftab-analyze --events "$events" --tracefs . "$@" interrupts.data >got 2>err || fail "seed $seed: $*: $(cat err)"
	perftab-analyze "$@" interrupts.db >of_database 2>err || fail "seed $seed: database: $*: $(cat err)"
	sed -i 's/interrupts\.db/interrupts.data/' of_database
	same "seed $seed: $*: trace and database" got of_database
}

for seed in 1 2; do
	make_interrupts . $seed 1000 || fail "make_interrupts"
	perftab-convert --force --events "$events" --tracefs . interrupts.data -o interrupts.db 2>err || fail "seed $seed: convert: $(cat err)"

	analyze --by interrupt --csv
	awk -F, 'NR > 1 { print $1 "," $2 "," $4 "," $5 "," $NF }' got | sort >table
	grep -E '^(irq|softirq),' interrupts.truth | sort >wanted
	same "seed $seed: the table by kind and vector is not what was planned" wanted table

	analyze --by thread --csv
	awk -F, 'NR > 1 && $2 { print "thread," $2 ",,," $NF } $1 == "(unattributed)" { print "unattributed,,,," $NF }' got | sort >lines
	grep -E '^(thread|unattributed),' interrupts.truth | sort >wanted
	same "seed $seed: the lines of threads are not what was planned" wanted lines
	separate=$(awk -F, '$1 == "(interrupts)" { print $NF }' got)
	[ "$separate" = "$(awk -F, '$3 == "interrupts" { sum += $5 } END { printf "%.0f", sum }' interrupts.truth)" ] || fail "seed $seed: (interrupts) is $separate"
	[ "$(grep -n -E '^\((with idle|interrupts|unattributed)\)' got | cut -d: -f2 | cut -d, -f1 | tr '\n' ' ')" = '(with idle) (interrupts) (unattributed) ' ] ||
		fail "seed $seed: (interrupts) is not after (with idle)"

	# With the other rule its counts are in the lines of threads.
	all=$(awk -F, 'NR > 1 && $2 { sum += $NF } END { printf "%.0f", sum }' got)
	analyze --by thread --csv --interrupts thread
	[ "$(awk -F, 'NR > 1 && $2 { sum += $NF } END { printf "%.0f", sum }' got)" -eq $((all + separate)) ] || fail "seed $seed: --interrupts thread"
	[ "$(awk -F, '$1 == "(interrupts)" { print $NF }' got)" = 0 ] || fail "seed $seed: --interrupts thread leaves something to interrupts"

	analyze --check --csv
	awk -F, -v separate="$separate" 'NR > 1 { if ($NF != 1) exit 1; if ($2 == "cycles") sum += $6 } END { exit sum != separate }' got || fail "seed $seed: --check"
	analyze --json
	analyze
	grep -q 'NET_RX' got || fail "seed $seed: the text has no table of interrupts"
	analyze --by interrupt
	! grep -q 'Nothing to bill' got || fail "seed $seed: --by interrupt has nothing to bill: $(grep Nothing got)"
	analyze --by interrupt --csv --from +20ms --to +60ms
	analyze --check --csv --from +20ms --to +60ms
	cut -d, -f10 got | sort -u | grep -qx 0 && fail "seed $seed: a window does not balance"
	analyze --from +0ms --to +10ms
	edges=$(awk '/interrupts began or ended in between/ { print $(NF - 2) }' got)
	sed -n '/^Findings of the window/,/^$/p' got | grep -q "interrupts began or ended without a record: unattributed ($edges)" ||
		fail "seed $seed: the finding edges is not of the window: '$edges' intervals; $(grep 'without a record' got)"
	analyze --csv --interval 20ms
	[ "$(awk -F, '$4 == "(interrupts)" { sum += $NF } END { printf "%.0f", sum }' got)" = "$separate" ] || fail "seed $seed: --interval loses interrupts"

	[ "$(sql interrupts.db "SELECT sum(charged) FROM interrupt_charge JOIN interrupt USING (interrupt_id) JOIN counter USING (counter_id)
		WHERE counter.name = 'cycles' AND NOT in_thread")" = "$separate" ] || fail "seed $seed: interrupt_charge"
	[ "$(sql interrupts.db "SELECT cycles FROM process_bill WHERE process = '(interrupts)'")" = "$separate" ] || fail "seed $seed: process_bill"
	[ -z "$(sql interrupts.db 'PRAGMA foreign_key_check')" ] || fail "seed $seed: foreign keys"
	[ "$(sql interrupts.db 'SELECT min(last_value - first_value = charged + interrupts + with_idle + idle + unattributed) FROM cpu_charge')" = 1 ] ||
		fail "seed $seed: cpu_charge does not balance"

	folds "seed $seed: folded stacks" interrupts.data cycles --events "$events" --tracefs .

	# The other reader has one sum for softirqs of a thread and others.
	# shellcheck disable=SC2086
	sum_interrupts interrupts.data 5 $ids >sums || fail "sum_interrupts"
	sql interrupts.db "SELECT kind || ',' || vector || ',' || sum(interrupts) || ',' || (SELECT sum(charged) FROM interrupt_charge AS v JOIN counter USING (counter_id)
		WHERE counter.name = 'cycles' AND v.kind = i.kind AND v.vector = i.vector) FROM interrupt AS i JOIN interrupt_summary USING (interrupt_id) GROUP BY kind, vector" | sort >ours
	grep -E '^(irq|softirq),' sums | sort >others
	same "seed $seed: another reader" others ours
	[ "$(awk -F, '$1 == "unproven" { print $4 }' sums)" = "$(awk -F, '$1 == "unattributed" { print $5 }' interrupts.truth)" ] || fail "seed $seed: another reader: unproven"
	awk -F, '$1 == "rise" { rise = $4; next } { sum += $4 } END { exit sum != rise }' sums || fail "seed $seed: another reader does not balance"
done

reports 1 "no interrupts" "no interrupts were recorded with counters" perftab-analyze --by interrupt "$PERFTAB_SOURCE/sample-traces/perf/good-switch-group.data"
reports 2 "--by interrupt --check" "no --check" perftab-analyze --by interrupt --check interrupts.data
finish
