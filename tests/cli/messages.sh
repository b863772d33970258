#!/bin/bash
# messages.sh: refusals that no other test reaches, each with its whole cause: files that cannot
# be read, one broken place at a time, and command lines that contradict themselves.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
sample=$PERFTAB_SOURCE/sample-traces/perf/good-switch-group.data
log=$PERFTAB_SOURCE/sample-traces/etw/good-basic.etl
sampled=$PERFTAB_SOURCE/sample-traces/perf/good-plain-sampling.data
disk=$PERFTAB_SOURCE/sample-traces/perflib/good-disk.plb

# patched NAME FROM OFFSET BYTES: a copy of the file with these bytes there
patched() {
	cp "$2" "$1"
	printf '%b' "$4" | dd of="$1" bs=1 seek="$3" conv=notrunc status=none
}

# refused EXIT FILE TEXT: by all that read traces, with nothing made
refused() {
	local exit=$1 file=$2 text=$3
	reports "$exit" "$file: analyze" "$text" perftab-analyze "$file"
	reports "$exit" "$file: list" "$text" perftab-convert --list "$file"
	reports "$exit" "$file: convert" "$text" perftab-convert "$file" -o made.db
	[ ! -e made.db ] || fail "$file: an output was made"
}

# Beginnings of files.
printf '\377\376x\0p\0e\0r\0f\0' >utf16.txt
refused 1 utf16.txt "a text in UTF-16, expected UTF-8; 'iconv -f UTF-16 -t UTF-8' converts it"
head -c 300 /dev/zero | tr '\0' z >noise
refused 1 noise "the first bytes are those of neither a perf.data file, an .etl, xperf text"
head -c 60 "$log" >cut.etl
refused 1 cut.etl "unknown trace format"
head -c 9 "$disk" >cut.plb
refused 1 cut.plb "perflib: the header of the bundle is cut off"
# BeginHeader and a line, of a Macintosh of old.
printf 'BeginHeader\rCSwitch, TimeStamp\rEndHeader\r' >cr.txt
refused 1 cr.txt "lines end with CR alone, expected LF or CR LF"

# The header of a perf.data file: sizes and places of the attributes.
head -c 60 "$sample" >cut.data
refused 1 cut.data "perf: the file header is cut off: 60 bytes, expected 104"
patched section.data "$sample" 32 '\001\0\0\0\0\0\0\0'
perftab-convert section.data -o section.db 2>err
grep -q 'attribute section of 1 bytes at 0x20, expected at least one of' err || fail "a small section: $(cat err)"
attrs=$(od -An -td8 -j24 -N8 "$sample")
patched size.data "$sample" 16 '\007\0\0\0\0\0\0\0'
printf '\0\0\0\0' | dd of=size.data bs=1 seek=$((attrs + 4)) conv=notrunc status=none
perftab-convert size.data -o size.db 2>err
grep -q 'perf: attribute size 7 at 0x10, expected 80 to' err || fail "a small attribute: $(cat err)"
patched place.data "$sample" 24 '\0\0\0\0\0\377\0\0'
perftab-convert place.data -o place.db 2>err
grep -q 'perf: attributes at 0xff0000000000' err || fail "attributes outside: $(cat err)"

# More events than are read, all of zeros, and more ids than there can be.
u64() { # VALUE: as 8 bytes for printf
	local i
	for ((i = 0; i < 64; i += 8)); do printf '\\x%02x' $(($1 >> i & 255)); done
}
attr_bytes=$(od -An -td8 -j16 -N8 "$sample")
patched many.data "$sample" 32 "$(u64 $((8193 * attr_bytes)))"
truncate -s $((attrs + 8193 * attr_bytes)) many.data
perftab-convert many.data -o many.db 2>err
grep -q 'perf: 8193 events, at most 8192 are read' err || fail "8193 events: $(cat err)"
cp "$sample" ids.data
truncate -s 8192 ids.data
seq -f %07.0f 1 4194400 >>ids.data
printf '%b' "$(u64 8192)$(u64 $((8 * 4194400)))" | dd of=ids.data bs=1 seek=$((attrs + attr_bytes - 16)) conv=notrunc status=none
reports 1 ids.data "perf: more than 4194304 event ids, or no memory for them" perftab-analyze ids.data
rm ids.data many.data

# A disk without room for what is read from a pipe, and for the first pages of a database.
(
	trap '' XFSZ
	ulimit -f 8
	cat "$log" | perftab-analyze - >out 2>err
	perftab-convert "$sample" -o full.db 2>full.err
)
too_large='File too large'
! under_wine || too_large='Input/output error'
grep -q "cannot copy the pipe to a temporary file: $too_large: set TMPDIR to a folder with room" err ||
	fail "a full temporary folder: $(cat err)"
grep -q "cannot write .*full.db: creating tables: $too_large" full.err || fail "a full disk: $(cat full.err)"

# Pipes where a file is needed; folders; what is not a trace.
mkdir folder
cp "$sample" plain.data
reports 1 "a folder without data" "" perftab-convert folder -o made.db
perftab-convert "$sample" "$log" -o two.db || fail "two traces"
mkdir runs
for name in b-001 a-002 a-001; do cp "$sample" runs/$name.data; done
for tool in "perftab-analyze --csv" "perftab-analyze --diff runs --with" "perftab-convert -o made.db"; do
	# shellcheck disable=SC2086
	reports 1 "a folder of runs" "runs: is a directory, expected a trace file: name those in it, such as runs/a-*.data" $tool runs
done
reports 1 "no such trace" "holds no such trace: it is one trace, number 1" perftab-analyze --trace 7 "$sample"
reports 1 "no such trace" "holds no such trace as 7: it has 2, numbered from 1 to 2" perftab-analyze --trace 7 two.db
reports 2 "a window that ends first" "the window holds nothing: its end, --to +0.01s, is not after its start, --from +0.02s" perftab-analyze --from +0.02s --to +0.01s "$sample"
reports 1 "a database again" "is a perftab database already, expected a trace" perftab-convert two.db -o made.db
reports 2 "CSV of two traces" "holds several traces, and CSV shows one: choose it with --trace ID" perftab-analyze --csv two.db
reports 1 "a window of two traces" "holds several traces, each with times of its own: choose one with --trace ID" perftab-analyze --from +0.01s two.db
for to in speedscope perfetto; do
	reports 2 "two inputs" "--to $to writes a single trace: give one input" perftab-convert "$sample" "$log" --to $to -o made
done
status 1 "no such counter" perftab-convert "$sample" --to folded --counter nope -o made
grep -q "no counter 'nope'; there are .*on_cpu_ns and off_cpu_ns" err || fail "no such counter: $(cat err)"
# An output that holds nothing of a trace says so, and what the trace has.
reports 0 "no weights by this" "no stack has a weight by off_cpu_ns, so the output has none; --counter can be cpu-clock; the trace has samples" perftab-convert "$sampled" --to folded --counter off_cpu_ns -o -
for to in folded speedscope; do
	reports 0 "no weights: $to" "no stack has a weight, so the output has none; the trace has values of PerfLib" perftab-convert "$disk" --to $to -o -
done
reports 0 "no threads on CPUs" "no thread was seen on a CPU and no counter over time, so the output has neither; the trace has samples" perftab-convert "$sampled" --to perfetto -o -
reports 0 "no files" "no counters were read at switches, so there are no files; --all-tables writes every table; the trace has values" perftab-convert "$disk" --to parquet -o no-files
reports 0 "no rows" "no counters were read at switches, so there are no rows; the trace has samples" perftab-convert "$sampled" --to clickhouse -o -
reports 1 "a counter of no run" "has no counter 'nope'; all runs must have it" perftab-analyze --diff "$sample" --with "$sample" --counter nope
for page in page.html -; do
	reports 2 "a page of two traces" "holds several traces, and a page shows one: choose it with --trace ID" perftab-analyze --html $page two.db
	[ ! -s out ] || fail "a page of two traces: printed $(head -c 40 out)"
done
for options in '--from +10s' '--by interrupt' '--by module' '--sort nothing'; do
	# shellcheck disable=SC2086
	perftab-analyze --html - $options "$sample" >out 2>err && fail "--html - $options: exit status 0"
	[ ! -s out ] || fail "--html - $options: printed $(head -c 40 out)"
done
# shellcheck disable=SC2046
reports 2 "many machines" "--host can be given 1024 times" perftab-convert $(printf -- '--host a=b %.0s' {1..1025}) "$sample" -o made.db
reports 1 "no samples" "--by symbol and --by module: nothing was sampled" perftab-analyze --by symbol "$sample"
reports 1 "rows of the trace's own tables before its groups" "--by symbol and --by module: nothing was sampled" \
	perftab-analyze --by symbol "${log%/*}/good-demo-text.txt"
for form in '' --csv --json; do
	for option in '--by symbol' '--by module' '--by interrupt' '--by process' '--by thread' '--by cpu' --metrics '--unproven separate' '--with-idle thread' \
		'--interrupts thread' '--sort switches' '--process x' '--pid 4' '--tid 4' '--cpu 0'; do
		# shellcheck disable=SC2086
		reports 1 "values, $option $form" "${option%% *} is for switches and samples, and these are values of PerfLib" perftab-analyze $option $form "$disk"
		[ ! -s "$work/out" ] || fail "values, $option $form: printed $(head -1 "$work/out")"
	done
done
# Of several traces another one has a use for it.
perftab-convert "$sample" "$disk" -o mixed.db 2>err || fail "mixed.db"
for input in "$sample $disk" mixed.db; do
	# shellcheck disable=SC2086
	status 0 "values and switches" perftab-analyze --metrics --by thread --language local --json $input
done
reports 1 "no interrupts" "--by interrupt: no interrupts were recorded with counters" perftab-analyze --by interrupt "$sample"
reports 1 "no control groups" "--by cgroup: no sample says in which control group its thread was: record with --all-cgroups" perftab-analyze --by cgroup "$sample"
reports 1 "no control groups, Windows" "in which control group its thread was: only Linux has control groups" perftab-analyze --by cgroup "$log"
reports 1 "no process" "no process 999999 ran" perftab-analyze --pid 999999 "$sample"
reports 1 "no thread" "no thread 999999 ran" perftab-analyze --tid 999999 "$sample"
reports 1 "not on this CPU" "no interval of process 7389 ended on CPU 0: an interval counts where it ends" perftab-analyze --pid 7389 --cpu 0 "$sample"
reports 1 "not in this window" "no interval of process 'sum-*' ended in this window: an" perftab-analyze --process 'sum-*' --to +1ms "$sample"
for option in '--counter cycles' '--instance cycles' '--counterset cycles' '--language english' '--multi-timer share'; do
	# shellcheck disable=SC2086
	reports 1 "$option" "${option%% *} is for values of PerfLib, and there are none" perftab-analyze $option "$sample"
done
for by in "" "--csv" "--check" "--by cpu --json"; do
	# shellcheck disable=SC2086
	reports 1 "no such CPU" "nothing was recorded on CPU 7-8: the machine had 2, numbered from 0" perftab-analyze $by --cpu 7-8 "$sample"
done
for options in "-C 0-5,900" "--by cpu --csv --cpu 0-1,2-5,900" "--json -C 0-5,900 --interval 20ms" "--check -C 0-5,900"; do # shellcheck disable=SC2086
	reports 0 "$options" "good-switch-group.data: nothing was recorded on CPU 2-5,900" perftab-analyze $options "$sample"
done
reports 0 "CPUs in a window" "nothing was recorded on CPU 2-3 in this window" perftab-analyze -C 0-3 --from +20ms "$sample"
status 0 "CPUs that have something" perftab-analyze -C 0-1 "$sample"
[ ! -s err ] || fail "CPUs that have something: $(cat err)"
reports 1 "no sample" "no sample of process 'sum-unsorted' on CPU 1" perftab-analyze --process sum-unsorted --cpu 1 "$sampled"
reports 2 "a nanosecond" "more than 1000000 intervals: choose a longer --interval" perftab-analyze --interval 1ns "$sample"
perftab-analyze --from +0.01s - <"$sample" >out 2>err
reports 1 "two columns" "--sql: two columns are named" perftab-analyze --sql 'SELECT 1 AS a, 2 AS a' --json two.db
reports 1 "two statements" "--sql accepts one SELECT statement" perftab-analyze --sql 'SELECT 1; SELECT 2' two.db

mistakes perftab-convert <<END
	--list --csv-safe $sample|--list prints text or --json: no CSV, no --csv-safe
	--list --csv $sample|--list prints text or --json: no CSV
	$sample|no output given: -o PATH
	$sample made.db|no output given: did you mean -o made.db?
	$sample -o -|a database cannot be written to standard output
	$sample --to csv -o -|a directory cannot be written to standard output
	$sample -o $sample|the output would be written over the input
	$sample -o out.csv|'out.csv' would be an SQLite database
END
mistakes perftab-analyze <<END
	--csv $sample $log|--csv reads one input, not 2; to compare: --diff A... --with B...
	--html - $sample $log|--html reads one input, not 2
	--sql SELECT $sample $log|--sql reads one input, not 2
	--live -d none|invalid --duration 'none': expected e.g. 500ms or 10s
	--live -a -p 1|-a and -p exclude one another
	--live -p 1 true|-p and a command exclude one another
	--by symbol --check $sample|--by symbol and --by module are tables of what was sampled: no --check
	--by module --interval 1s $sample|--by symbol and --by module are tables of what was sampled: no --interval
	--by thread --check $sample|--check adds up what each CPU counted: no --by
	--check --csv --process bash $sample|--check adds up what each CPU counted: no --process
	--check --interval 10ms $sample|--check adds up what each CPU counted: no --interval
	--check --metrics $sample|--check adds up what each CPU counted: no --metrics
	--check --top 3 $sample|--check adds up what each CPU counted: no --top
	--check --csv --sort pid $sample|--check adds up what each CPU counted: no --sort
	--check --unproven separate $sample|--check adds up what each CPU counted: no --unproven
	--check --with-idle thread $sample|--check adds up what each CPU counted: no --with-idle
	--check --interrupts thread $sample|--check adds up what each CPU counted: no --interrupts
	--unproven switched-out --with-idle separate $sample|--unproven switched-out includes --with-idle thread: no --with-idle separate
	--csv-safe $sample|--csv-safe goes with --csv
	--json --csv-safe $sample|--csv-safe goes with --csv
	--html x.html --csv-safe $sample|--csv-safe goes with --csv
	--sql SELECT --json --csv-safe $sample|--csv-safe goes with --csv
	--by interrupt --check $sample|--by interrupt is a table of the whole trace or of a window: no --check
	--by interrupt --interval 1s $sample|--by interrupt is a table of the whole trace or of a window: no --interval
	--fail-on dearer=2% $sample|--fail-on goes with --diff
	--diff $sample --with $sample --check|--diff compares whole runs by program name
	--diff $sample --with $sample --fail-on slower=2%|invalid --fail-on 'slower=2%': expected e.g. dearer=2%
	--cpu 0-x $sample|invalid CPU list '0-x': expected e.g. 0-3,8 (below 16384)
END
perftab-capture perf --help >/dev/null 2>&1 || finish
mistakes perftab-capture <<END
	perf --repeat 3 -o -  -- true|--repeat writes files: -o needs a folder
	perf -m lots -- true|-m needs a size such as 512K or 4M, at most 1G, or a number of pages, not 'lots'
END
reports 2 "no other command" "--against needs a command" perftab-capture perf --repeat 3 --against ' ' -- true
finish
