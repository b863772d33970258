#!/bin/bash
# html_sums.sh: sums in pages of perftab-analyze, of any part of the time and however they are
# shown, are those of --csv.
. "$PERFTAB_SOURCE/tests/browser/lib.sh" || exit 1
needs_pages
needs_browser

make_page_trace --cpus 4 --switches 3000 --processes 40 >bill.data
page bill bill.data
page two-cpus bill.data --cpu 0,2

# More switches than a page has one by one, and a window of them.
make_page_trace --cpus 4 --switches 150000 --processes 60 >buckets.data
page buckets buckets.data
from=5812345678 to=5823456789
page window buckets.data --from $from --to $to
printf 'from,to\n%s,%s\n' $from $to >window-options.csv

# The rules of the bill.
make_trace --switches 2000 everything . >/dev/null || fail "make_trace"
page everything everything.data
page unproven everything.data --unproven switched-out
page with-idle everything.data --with-idle thread
page by-thread everything.data --by thread
make_interrupts . 3 2000 || fail "make_interrupts"
events=sched:sched_switch,irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,irq:softirq_exit,cycles
perftab-convert --events "$events" --tracefs . interrupts.data -o interrupts.db 2>err || fail "interrupts: $(cat err)"
page to-threads interrupts.db --interrupts thread

# More counters than a page has over time.
make_page_trace --cpus 2 --switches 2000 --processes 10 --events 20 >counters.data
page counters counters.data

# From a pipe.
for pair in switches:buckets.data samples:"$samples/perf/good-plain-sampling.data" values:"$samples/perflib/good-live.plb"; do
	perftab-analyze --html "file-${pair%%:*}.html" "${pair#*:}" 2>err || fail "file, ${pair%%:*}: $(head -1 err)"
	# cat, so that there is no file to seek in
	# shellcheck disable=SC2002
	cat "${pair#*:}" | perftab-analyze --html "pipe-${pair%%:*}.html" - 2>err || fail "pipe, ${pair%%:*}: $(head -1 err)"
done
perftab-analyze --csv "$samples/perflib/good-live.plb" >file-values.csv 2>/dev/null
browse buckets windowed rules manyCounters steady overTime pipe values
finish
