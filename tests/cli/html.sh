#!/bin/bash
# html.sh: --html.  Pages are complete or not there, say why not, and show in a browser
# (tests/browser/pages.mjs) what --csv prints, for all kinds of traces.
. "$PERFTAB_SOURCE/tests/browser/lib.sh" || exit 1
perf=$samples/perf
needs_pages

# What it refuses, and what it leaves as it is.
mistakes perftab-analyze <<-END
	--html x.html --csv in|--html and --csv exclude one another
	--html x.html --json in|--html and --json exclude one another
	--html x.html --check in|--html and --check exclude one another
	--html x.html --interval 1s in|--html and --interval exclude one another
	--html x.html --by cpu --process x in|--by cpu and --process exclude one another
	--html x.html --sql SELECT in|--sql and --html exclude one another
END
cp "$perf/good-perftab.data" in.data
echo mine >notes.txt
reports 1 "a file that is not a page" "perftab-analyze: output notes.txt exists and is not a page of perftab-analyze: not replaced" \
	perftab-analyze --html notes.txt in.data
[ "$(cat notes.txt)" = mine ] || fail "notes.txt has changed"
mkfifo fifo
reports 1 "a FIFO" "is not a regular file" timeout 30 perftab-analyze --html fifo in.data
reports 1 "the input" "is the input" perftab-analyze --html in.data in.data
reports 1 "no such folder" "No such file" perftab-analyze --html none/x.html in.data
reports 1 "no such input" "No such file" perftab-analyze --html new.html none.data
[ ! -e new.html ] || fail "a page without an input"
status 0 "a page" perftab-analyze --html new.html in.data
[ ! -s out ] || fail "a page: prints $(head -1 out)"
status 0 "a page is replaced" perftab-analyze --html new.html in.data
perftab-analyze --html - in.data >stdout.html
same "to standard output" new.html stdout.html
perftab-analyze --html - - <in.data | sed 's,<title>-<,<title>in.data<,' >pipe.html
[ "$(wc -c <pipe.html)" -gt 50000 ] || fail "from a pipe: $(wc -c <pipe.html) bytes"
perftab-convert in.data -o in.db 2>/dev/null
status 0 "of a database" perftab-analyze --html db.html in.db
for trace in "$samples/etw/good-everything.etl" "$perf/bad-perftab-killed.data"; do
	perftab-convert -f "$trace" -o alike.db 2>/dev/null
	for input in "$trace" alike.db; do
		perftab-analyze --html - "$input" 2>/dev/null | sed 's,<title>[^<]*<,<title><,' >"of-${input##*.}.html"
	done
	same "of ${trace##*/} and its database" "of-${trace##*.}.html" of-db.html
done
status 3 "of a damaged trace" perftab-analyze --html damaged.html "$perf/bad-perftab-killed.data"
! partial new.html || fail "there is something partial: $(cat partial)"
! grep -qiE 'https?://[^ ]*["'\'' ]*(src|href)=|<(img|iframe|link|object)' new.html || fail "the page refers to something"
if [ -c /dev/full ]; then
	perftab-analyze --html - in.data >/dev/full 2>err
	[ $? -eq 1 ] || fail "a full disk is not noticed"
fi

# In the browser.
needs_browser '; the rest passed'
make_page_trace --cpus 4 --switches 3000 --processes 40 >bill.data
page bill bill.data
make_page_trace --cpus 8 --switches 40000 --processes 5000 >many.data
page many many.data
make_page_trace --cpus 256 --switches 60000 >cpus.data
page cpus cpus.data
make_page_trace --cpus 1 --switches 500 >one.data
page one one.data
make_page_trace --cpus 1 --switches 1 >empty.data
page empty empty.data
head -c 400 empty.data >header.data
page header header.data
head -c 16 empty.data >nothing.data
page nothing nothing.data
page lossy "$perf/good-lossy.data"
page sampled "$perf/good-plain-sampling.data"
page places "$perf/good-plain-sampling.data" --by symbol
page modules "$perf/good-plain-sampling.data" --by module
make_interrupts . 3 2000 || fail "make_interrupts"
events=sched:sched_switch,irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,irq:softirq_exit,cycles
perftab-convert --events "$events" --tracefs . interrupts.data -o interrupts.db 2>err || fail "interrupts: $(cat err)"
page interrupts interrupts.db
page by-interrupt interrupts.db --by interrupt
page cpu bill.data --by cpu
page tree "$perf/good-threads.data" --by tree
# What only the lines by CPU have can be sorted by, what no table has cannot.
status 0 "--by cpu --sort cpu" perftab-analyze --html sorted.html --by cpu --sort cpu bill.data
reports 2 "--by cpu --sort nothing" "no column 'nothing' to sort by" perftab-analyze --html none.html --by cpu --sort nothing bill.data
reports 2 "--by process --sort cpu" "no column 'cpu' to sort by" perftab-analyze --html none.html --sort cpu bill.data
make_trace cgroups . || fail "make_trace cgroups"
page cgroup cgroups.data --by cgroup
page sampled-cpu "$perf/good-plain-sampling.data" --by cpu
# A group without counters, and an event that was sampled, of each third thread alone.
make_page_trace --cpus 4 --switches 3000 --processes 40 --events 1 >leader.data
perftab-convert leader.data -o leader.db 2>/dev/null
sql leader.db "UPDATE counter SET slot = NULL; UPDATE counter_group SET counters = 0;
	DELETE FROM thread_charge; DELETE FROM cpu_charge; DELETE FROM status_charge; DELETE FROM counter_base; DELETE FROM counter_audit;
	INSERT INTO counter SELECT 2, trace_id, NULL, NULL, 'page-faults', 'page-faults', NULL, 'perf', 1, 2, 1 FROM trace;
	INSERT INTO sample (ts_ns, cpu, thread_id, counter_id, period) SELECT ts_ns, cpu, prev_thread_id, 2, prev_thread_id
		FROM context_switch WHERE prev_thread_id % 3 = 0;
	INSERT INTO sample_summary SELECT 1, thread_id, 2, count(*), sum(period) FROM sample GROUP BY thread_id"
page leader leader.db
# Counts of perf stat: one estimated, one in full, one that never got onto the PMU.
perftab-convert empty.data -o stat.db 2>/dev/null
sql stat.db "INSERT INTO counter (counter_id, trace_id, name, event, unit, source) SELECT 7 + value, trace_id, 'event ' || value, 'e', iif(value = 2, 'ns', NULL), 'perf'
		FROM trace, generate_series(1, 3);
	INSERT INTO stat SELECT trace_id, 1, counter_id, NULL, NULL, CASE counter_id WHEN 10 THEN 0 ELSE 1234567 END, 4000500,
		CASE counter_id WHEN 8 THEN 1000499 WHEN 9 THEN 4000500 ELSE 0 END FROM counter WHERE counter_id > 7;
	INSERT INTO stat_round SELECT trace_id, 1, 'final', 2500000000 FROM trace"
page stat stat.db
for pair in cpu:bill.data "tree:$perf/good-threads.data" cgroup:cgroups.data; do
	perftab-analyze --csv "${pair#*:}" >"${pair%%:*}-process.csv" 2>/dev/null
done
page threads "$perf/good-threads.data" --by thread
page comm "$perf/good-perftab.data" --by comm
page perflib "$samples/perflib/good-proc.plb"
page types "$samples/perflib/good-types.plb"
diff_page in.data
perftab-analyze stat.db >stat.txt 2>/dev/null
perftab-analyze --top 0 leader.db >leader.txt 2>/dev/null
browse bill many cuts sampled leader stat perflib diff
finish
