#!/bin/bash
# html_access.sh: pages of perftab-analyze can be used by keys alone, and read by a screen reader.
. "$PERFTAB_SOURCE/tests/browser/lib.sh" || exit 1
needs_pages
needs_browser

make_page_trace --cpus 4 --switches 3000 --processes 40 >bill.data
page bill bill.data
make_page_trace --cpus 2 --switches 5000 --processes 300 >lines.data
page lines lines.data
make_page_trace --cpus 1 --switches 1 >empty.data
page empty empty.data
head -c 400 empty.data >header.data
page header header.data
page lossy "$samples/perf/good-lossy.data"
page sampled "$samples/perf/good-plain-sampling.data"
page tree "$samples/perf/good-threads.data" --by tree
page perflib "$samples/perflib/good-proc.plb"
diff_page "$samples/perf/good-perftab.data"
browse keyboard accessible
finish
