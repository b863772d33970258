#!/bin/bash
# usage.sh: help, wrong arguments, and what a new user does first.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
sample=$PERFTAB_SOURCE/sample-traces/perf/good-switch-group.data

for tool in perftab-convert perftab-analyze; do
	helps $tool "$PERFTAB_SOURCE/docs/man/$tool.1" $tool
	status 0 "$tool --version" $tool --version
	mistakes $tool <<-'END'
	|no input given
	--nonsense|--nonsense
	-Z|unknown option '-Z'
	END
done
# The summary names the formats of inputs and outputs.
status 0 "perftab-convert --help" perftab-convert --help
summary=$(sed -n '/^Turns/,/^$/p' "$work/out")
for words in perf.data .etl 'text of xperf' PerfLib .blg PDH-CSV SQLite CSV Parquet ClickHouse Perfetto folded speedscope; do
	[[ ${summary//$'\n'/ } == *"$words"* ]] || fail "the summary of perftab-convert --help does not name $words"
done
mistakes perftab-convert "$sample" <<END
|no output given
--to arrow -o $work/x|unknown output format 'arrow': expected one of sqlite, csv, parquet, clickhouse, perfetto, folded, speedscope, null
--to parquet -o -|a directory cannot be written to standard output
--to cvs -o $work/x|did you mean 'csv'?
--all-tables -o $work/x|--all-tables goes with --to parquet
--no-views -o $work/x|--no-views goes with --to csv
--csv-safe -o $work/x|--csv-safe goes with --to csv
--to csv --loader bulk -o $work/x|--loader goes with --to sqlite
--to parquet --no-indexes -o $work/x|--no-indexes goes with --to sqlite
--to null --memory 20|--memory goes with --to sqlite
--to csv --verify -o $work/x|--verify goes with --to sqlite
--to folded --no-verify -o $work/x|--no-verify goes with --to sqlite
--to null -o $work/x|--to null writes nothing: no -o
--list --force|--list converts nothing: no --force
--list --memory 20|--list converts nothing: no --memory
--to csv --parquet-encoding plain -o $work/x|--parquet-encoding goes with --to parquet
--loader csv -o $work/x|invalid --loader 'csv'
--mode u+r -o $work/x|invalid mode 'u+r': expected an octal number, for example 640
--memory 15 -o $work/x|--memory
-o -|standard output
--list --csv|--csv
-o $work/a -o $work/b|--output is given twice
-o $work/x.csv|--to csv
END
[ ! -e "$work/x.csv" ] || fail "-o x.csv: there is a file"
# Choices say what there is, and what was meant; contradictions are refused.
mistakes perftab-analyze "$sample" <<END
--by nonsense|invalid --by 'nonsense': expected one of
--by thraed|invalid --by 'thraed': expected one of process, thread, cpu, comm, tree, cgroup, interrupt, symbol, module; did you mean 'thread'?
--with-idle nonsense|nonsense
--unproven nonsense|nonsense
--unproven swiched-out|did you mean 'switched-out'?
--top many|--top needs a whole number from 0, not 'many'
--top 3 --top 4|--top is given twice: 3 and 4
--sort nonsense|no column 'nonsense'
--sort on_cpu|columns are process, pid, threads, switches, on_cpu_ns
--sort switchez|did you mean 'switches'?
--languag german|expected one of english, local
--multi-timer shares|did you mean 'share'?
--metric5|did you mean '--metrics'?
--csv --json|--csv and --json exclude one another
--by cpu --pid 7385|--by cpu and --pid exclude one another
END
# Of one trace it is too few rows for a message.
status 0 "--verbose" perftab-convert -v "$sample" -o "$work/verbose.db"
[ ! -s "$work/err" ] || fail "--verbose: $(cat "$work/err")"
status 0 "--verbose, many traces" perftab-convert -v "$PERFTAB_SOURCE"/sample-traces/perf/good-*.data -o "$work/verbose-many.db"
grep -q 'SQLite inserts the rows of table header_fact: it has an index' "$work/err" || fail "--verbose: $(cat "$work/err")"
# What quick_check would take long for, it is not asked about.
cp "$sample" "$work/large.data"
truncate -s 256M "$work/large.data"
reports 0 "a large trace" "not by quick_check" perftab-convert -v "$work/large.data" -o "$work/large.db"
status 0 "a large trace, --verify" perftab-convert -v --verify "$work/large.data" -o "$work/large-verified.db"
[ ! -s "$work/err" ] || fail "a large trace, --verify: $(cat "$work/err")"
status 0 "--verbose --loader sql" perftab-convert -v --loader sql "$sample" -o "$work/verbose-sql.db"
[ ! -s "$work/err" ] || fail "--verbose --loader sql: $(cat "$work/err")"
# An empty answer is not a success.
reports 1 "nothing to check" "nothing to check: no counters were read at context switches" perftab-analyze --check "$PERFTAB_SOURCE/sample-traces/perf/good-plain-sampling.data"
head -c -100 "$PERFTAB_SOURCE/sample-traces/perf/good-plain-sampling.data" >"$work/cut.perf"
status 1 "nothing to check, damaged" perftab-analyze --check "$work/cut.perf"
grep -q "nothing to check" "$work/err" || fail "nothing to check, damaged: $(cat "$work/err")"
reports 1 "--counter of none" "nothing matches --counter 'nosuch'" perftab-analyze --counter nosuch "$PERFTAB_SOURCE/sample-traces/perflib/good-disk.plb"
# What a process without a name is called chooses it, too.
perftab-convert "$PERFTAB_SOURCE/sample-traces/perf/good-plain-sampling.data" -o "$work/nameless.db" && sql "$work/nameless.db" "UPDATE process SET name = NULL" || fail "nameless.db"
for name in ':7752' ':77*' '*'; do
	perftab-analyze --csv --process "$name" "$work/nameless.db" | grep -q '^:7752,7752,1,.*,308617232,154$' || fail "--process $name: $(perftab-analyze --csv --process "$name" "$work/nameless.db" 2>&1)"
done
reports 1 "no such name" "no process ':7753' ran" perftab-analyze --process :7753 "$work/nameless.db"
# Ratios are asked for where there are none: why.
for trace in "$PERFTAB_SOURCE/sample-traces/perf/good-plain-sampling.data" "$work/nameless.db"; do
	status 0 "--metrics of samples" perftab-analyze --metrics "$trace"
	grep -q '^No ratios: samples of two events are estimates of different moments' "$work/out" || fail "--metrics of samples: $(cat "$work/out")"
done
# The width is the terminal's, or what COLUMNS says; 100 elsewhere.
for columns in 60 80 140; do
	COLUMNS=$columns perftab-analyze "$sample" | awk -v most=$columns 'NR > 1 && length($0) > most && !/^(info|warning|damage|recorded):?/ { exit 1 }' ||
		fail "COLUMNS=$columns: wider"
done
[ "$(COLUMNS=160 perftab-analyze --metrics "$sample" | grep -c '^process ')" -eq 1 ] || fail "COLUMNS=160: more than one block"
status 0 "--sort by a ratio" perftab-analyze --metrics --csv --sort branch-miss-rate "$PERFTAB_SOURCE/sample-traces/etw/good-basic.etl"
[ "$(awk -F, 'NR > 1 && $8 != "" { print $8 }' "$work/out")" = "$(awk -F, 'NR > 1 && $8 != "" { print $8 }' "$work/out" | sort -gr)" ] ||
	fail "--sort by a ratio: $(awk -F, '{ print $8 }' "$work/out" | tr '\n' ' ')"
reports 1 "an empty name" "perftab-analyze: '': cannot open: No such file" perftab-analyze ''
status 0 "--to null" perftab-convert --to null "$sample"

# Several inputs are reported as a database of their traces is, and one that fails does not end the others.
inputs=("$sample" "$PERFTAB_SOURCE"/sample-traces/{perf/good-plain-sampling.data,perflib/good-disk.plb,etw/good-basic.etl})
perftab-convert "${inputs[@]}" -o "$work/several.db" || fail "several.db"
sql "$work/several.db" "DELETE FROM finding WHERE kind = 'no_wall'" # of traces whose times are put together
for options in '' --json '--by thread --json' '--by cpu' --metrics '--top 1' '--check --json' --check; do
	code=0
	# shellcheck disable=SC2086
	perftab-analyze $options "$work/several.db" >"$work/wanted" 2>"$work/err" || code=$?
	# shellcheck disable=SC2086
	status "$code" "several inputs: $options" perftab-analyze $options "${inputs[@]}"
	same "several inputs: $options" "$work/wanted" "$work/out"
done
perftab-analyze --json "${inputs[@]}" >"$work/wanted"
reports 1 "one of several fails" "nothing.data: cannot open" perftab-analyze --json "${inputs[0]}" "$work/nothing.data" "${inputs[@]:1}"
same "one of several fails" "$work/wanted" "$work/out"
perftab-convert "${inputs[@]:0:2}" -o "$work/two.db" || fail "two.db"
sql "$work/two.db" "DELETE FROM finding WHERE kind = 'no_wall'"
status 0 "a database and inputs" perftab-analyze --json "$work/two.db" "${inputs[@]:2}"
same "a database and inputs" "$work/wanted" "$work/out"
damaged=$PERFTAB_SOURCE/sample-traces/etw/bad-truncated.etl
status 3 "one of several is damaged" perftab-analyze "$damaged" "$sample"
status 1 "one of several is damaged, --strict" perftab-analyze --strict "$damaged" "$sample"
status 1 "a damaged one, and one that fails" perftab-analyze "$damaged" "$work/nothing.data"
status 2 "a damaged one, and one beyond the window" perftab-analyze --from +90ms "$sample" "$damaged"
status 1 "several inputs, all fail" perftab-analyze --json "$work/nothing.data" "$work/nothing.data"
[ ! -s "$work/out" ] || fail "several inputs, all fail: $(cat "$work/out")"

# Contracts of the CSV: columns, and the rows that are always there.
status 0 "csv by process" perftab-analyze --csv "$sample"
[ "$(head -1 "$work/out")" = 'process,pid,threads,switches,on_cpu_ns,sched:sched_switch,task-clock,page-faults,msr/tsc/' ] ||
	fail "header by process: $(head -1 "$work/out")"
for row in idle 'with idle' unattributed; do
	grep -q "^($row),," "$work/out" || fail "no row ($row)"
done
for by in process thread comm tree; do
	perftab-analyze --by $by --csv "$PERFTAB_SOURCE/sample-traces/perf/good-plain-sampling.data" | sed -n 's/^\(([a-z ]*)\),.*/\1/p' | reads "rows of samples by $by" '(idle)' '(with idle)' '(unattributed)'
done
status 0 "csv by thread" perftab-analyze --by thread --csv "$sample"
[ "$(head -1 "$work/out" | cut -d, -f1-6)" = 'process,pid,tid,thread,switches,on_cpu_ns' ] || fail "header by thread"
status 0 "csv by cpu" perftab-analyze --by cpu --csv "$sample"
[ "$(head -1 "$work/out" | cut -d, -f1-3)" = 'cpu,switches,on_cpu_ns' ] || fail "header by cpu"
status 0 "check csv" perftab-analyze --check --csv "$sample"
[ "$(head -1 "$work/out")" = 'cpu,counter,first,last,charged,interrupts,with_idle,idle,unattributed,balanced' ] || fail "header of check"
# Sums by process, thread and CPU are the same in every column.
for by in process thread cpu comm tree; do
	perftab-analyze --by $by --csv "$sample" | cut -d, -f1-11 | awk -F, -v by=$by '
		BEGIN { split("process 4 thread 5 cpu 2 comm 4 tree 6", at, " "); for (i = 1; i < 10; i += 2) if (at[i] == by) first = at[i + 1] }
		NR > 1 { for (i = first; i <= NF; i++) sum[i - first] += $i }
		END { for (i = 0; i in sum; i++) printf "%.0f ", sum[i]; print "" }' >"$work/sum.$by"
done
same "sums by process and thread" "$work/sum.process" "$work/sum.thread"
same "sums by process and CPU" "$work/sum.process" "$work/sum.cpu"
same "sums by process and comm" "$work/sum.process" "$work/sum.comm"
cut -d' ' -f1-6 "$work/sum.process" >"$work/sum"
same "sums by process and in the tree" "$work/sum" <(cut -d' ' -f1-6 "$work/sum.tree")
# Processes that are not chosen are one line, so the sums stay; a missing one is a mistake.
perftab-analyze --csv --process 's*' "$sample" >"$work/some"
[ "$(grep -cvE '^(s|\()|^process' "$work/some")" -eq 0 ] || fail "--process: $(grep -vE '^(s|\()|^process' "$work/some" | head -1)"
grep -q '^(other processes),,,' "$work/some" || fail "--process: no line of the others"
for column in 4 6 8 9; do
	[ "$(awk -F, -v c=$column 'NR > 1 { n += $c } END { printf "%.0f", n }' "$work/some")" = "$(perftab-analyze --csv "$sample" | awk -F, -v c=$column 'NR > 1 { n += $c } END { printf "%.0f", n }')" ] ||
		fail "--process: other sums in column $column"
done
status 0 "--pid" perftab-analyze --csv --pid 7385 "$sample"
grep -q '^sum-unsorted,7385,' "$work/out" || fail "--pid: $(sed -n 2p "$work/out")"
status 0 "--tid" perftab-analyze --by thread --csv --tid 7384 "$sample"
[ "$(grep -c '^[a-z]' "$work/out")" -eq 2 ] || fail "--tid: more than one thread"
reports 1 "--process of none" "no process 'nosuch' ran" perftab-analyze --process nosuch "$sample"
reports 1 "--pid of none" "no process 1 ran" perftab-analyze --pid 1 "$sample"

status 0 "json" perftab-analyze --json --metrics --check "$sample"
grep -q '"schema_version": 2' "$work/out" || fail "json: no schema_version"
sql :memory: "SELECT json_valid(readfile('$work/out'))" | grep -qx 1 || fail "json: not valid"

# Formulas are defused only when asked for.
make_trace names "$work" || fail "make_trace names"
perftab-analyze --by thread --csv "$work/names.data" >"$work/plain"
perftab-analyze --by thread --csv --csv-safe "$work/names.data" >"$work/safe"
grep -q '^=' "$work/plain" || fail "names: no name that looks like a formula"
grep -q '^=' "$work/safe" && fail "--csv-safe lets a formula through"
perftab-convert "$work/names.data" --to csv --csv-safe -o "$work/safe.csv"
grep -q '"=' "$work/safe.csv/comm.csv" && fail "--csv-safe lets a formula through in tables"

# The examples of --help run.
cd "$work" && cp "$sample" perf.data && cp "$sample" before.data && cp "$sample" after.data
cp "$PERFTAB_SOURCE/sample-traces/perflib/good-disk.plb" counters.plb
for tool in perftab-convert perftab-analyze; do
	$tool --help | sed -n '/^Examples:/,$p' | grep "^  $tool" >"$work/examples"
	while read -r command; do
		case $command in *--live*) perftab-analyze --live -- true >/dev/null 2>&1 || continue ;; esac
		status 0 "example: $command" bash -c "$command"
	done <"$work/examples"
done
finish
