#!/bin/bash
# first_use.sh: what a first user tries and asks, and messages that say what to do next.
#   first_use.sh [FUNCTION...]     all of them by default
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
samples=$PERFTAB_SOURCE/sample-traces
trace=$samples/perf/good-switch-group.data
sampled=$samples/perf/good-plain-sampling.data
disk=$samples/perflib/good-disk.plb
log=$samples/etw/good-basic.etl
text=$samples/etw/good-basic-text.txt
cd "$work" || exit 1

# has PATTERN: a line of the last output is like that
has() { grep -qE -- "$1" "$work/out" || fail "${FUNCNAME[1]}: no line like '$1': $(head -c 300 "$work/out")"; }
# lacks PATTERN
lacks() { ! grep -qE -- "$1" "$work/out" || fail "${FUNCNAME[1]}: $(grep -E -- "$1" "$work/out" | head -2)"; }

by_program() { # which program burned the CPU?
	status 0 $FUNCNAME perftab-analyze --by comm --csv "$trace"
	has '^comm,processes,threads,switches,on_cpu_ns'
	status 0 $FUNCNAME perftab-analyze --process 'sum-*' --csv "$trace"
	has '^sum-sorted,'
	has '^\(other processes\),'
}

busy_before_idle() { # what ran is above what may have been idle
	status 0 $FUNCNAME perftab-analyze "$trace"
	[ "$(awk '/^process / { getline; print $1; exit }' out)" = sum-unsorted ] || fail "$FUNCNAME: first is $(awk '/^process / { getline; print; exit }' out)"
	has '^\(with idle\) .* 45\.78 %'
	has 'share is of msr/tsc/'
}

not_proven() { # why intervals are not proven, and how many
	status 0 $FUNCNAME perftab-analyze "$samples/perf/good-lossy.data"
	has '^Not proven, and why:'
	has 'records were lost in between +3 '
}

readme_order() { # README says first how to install, then what to do
	local install minutes
	install=$(grep -n '^## Install' "$PERFTAB_SOURCE/README.md" | cut -d: -f1)
	minutes=$(grep -n '^## Five minutes' "$PERFTAB_SOURCE/README.md" | cut -d: -f1)
	[ "$install" -lt "$minutes" ] && [ "$minutes" -lt 50 ] || fail "$FUNCNAME: Install at line $install, Five minutes at $minutes"
}

readme_without_pmu() { # README has a recording for machines without a PMU
	grep -q "{sched:sched_switch,task-clock,page-faults}:S' -- sleep" "$PERFTAB_SOURCE/README.md" || fail "$FUNCNAME: no perf record for a machine without a PMU"
}

window() { # times as a user has them
	status 0 $FUNCNAME perftab-analyze --from +30ms --to +60ms "$trace"
	has '^window: \+0\.030000 s to '
	reports 2 $FUNCNAME "expected e.g. +500ms" perftab-analyze --from 3s "$trace"
	reports 2 $FUNCNAME "the trace reaches from" perftab-analyze --from 3 --to 5 "$trace"
	says $FUNCNAME "which is +0s to +0.095s"
}

before_and_after() { # two traces compared
	status 0 $FUNCNAME perftab-analyze --diff "$trace" --with "$samples/perf/good-times.data"
	reports 2 $FUNCNAME "--csv reads one input, not 2; to compare: --diff A... --with B..." perftab-analyze --csv "$trace" "$log"
}

samples_by_process() { # samples by process, without SQL
	status 0 $FUNCNAME perftab-analyze --csv "$sampled"
	has '^process,pid,'
}

views() { # every view of a database can be asked by a plain sqlite3, and no file is empty
	local view
	perftab-convert -f "$trace" -o views.db
	for view in $(sql views.db "SELECT name FROM sqlite_schema WHERE type = 'view'"); do
		sql views.db "SELECT * FROM \"$view\" LIMIT 1" >out 2>err || fail "$FUNCNAME: view $view: $(head -1 err)"
	done
	perftab-convert -f "$trace" --to csv -o views
	[ -s views/process_bill.csv ] && [ -s views/context_switch_named.csv ] || fail "$FUNCNAME: no files of the bill and of named switches"
	head -1 views/context_switch_named.csv | grep -q ',page-faults,msr/tsc/$' || fail "$FUNCNAME: counters have no names"
	for view in views/*.csv; do
		[ "$(wc -l <"$view")" -gt 1 ] || fail "$FUNCNAME: $view has a header only"
	done
}

as_wide_as_the_terminal() { # and not wider
	local columns
	for columns in 80 140; do
		COLUMNS=$columns perftab-analyze "$trace" >out
		awk -v most=$columns 'NR > 1 && length($0) > most && !/^(info|warning|damage)/ { exit 1 }' out || fail "$FUNCNAME: wider than $columns"
	done
	[ "$(COLUMNS=140 perftab-analyze "$trace" | grep -c '^process ')" -eq 1 ] || fail "$FUNCNAME: two tables on a wide terminal"
	# A live picture leaves no line of the terminal out, where counters may be read.
	command -v script >/dev/null && perftab-analyze --live -- true >out 2>err || return 0
	timeout 20 script -qec "stty rows 24 cols 80; perftab-analyze --live -d 1 -i 400ms" /dev/null </dev/null >live 2>&1
	sed 's/\x1b\[H\x1b\[2J/\n=====\n/g' live | tr -d '\r' |
		awk '/^=====/ { if (n > 24) bad = 1; n = 0; frames++; next } { n++; if (length($0) > 80) bad = 1 } END { exit bad || n > 24 || frames < 2 }' ||
		fail "$FUNCNAME: a live picture does not fit 24 lines of 80"
}

long_path() { # keeps its beginning and its end
	local folder=a-folder-with-a-long-name/another-folder-with-a-long-name/and-one-more-of-them
	mkdir -p $folder/and-this && cp "$trace" $folder/and-this/the-recording.data
	COLUMNS=80 status 0 $FUNCNAME perftab-analyze $folder/and-this/the-recording.data
	has '^a-folder-.*~.*the-recording\.data: perf\.data, '
	has '^counters: task-clock, page-faults, msr/tsc/; share is of msr/tsc/'
}

list() { # what an input has
	status 0 $FUNCNAME perftab-convert --list "$log"
	has '^Kinds of events: '
	status 0 $FUNCNAME perftab-convert --list "$disk"
	has '^Countersets: '
}

query_of_a_trace() { # without a database
	status 0 $FUNCNAME perftab-analyze --sql "SELECT process, switches FROM process_bill WHERE process LIKE 'sum%' ORDER BY 1" "$trace"
	reads $FUNCNAME process,switches sum-sorted,10 sum-unsorted,11 <out
}

format_by_name() { # the format by the name, or a refusal
	local name
	for name in x.csv x.tsv x.json x.TXT x.html x.svg x.pb x.parquet x.arrow x.duckdb x.data x.etl x.db.gz x.db.zst; do
		reports 2 "$FUNCNAME: -o $name" "'$name' would be an SQLite database" perftab-convert "$trace" -o $name
		[ ! -e $name ] || fail "$FUNCNAME: there is a $name"
	done
	mistakes perftab-convert <<<"$trace -o x.csv|CSV is a directory of files: --to csv -o DIR"
	while read -r name form; do
		status 0 "$FUNCNAME: -o $name" perftab-convert "$sampled" -o $name
		perftab-convert "$sampled" --to "$form" -o - >wanted
		same "$FUNCNAME: $name differs from --to $form" wanted $name
	done <<-END
	x.folded folded
	x.Speedscope.json speedscope
	x.pftrace perfetto
	x.perfetto-trace perfetto
	x.native clickhouse
	END
	status 0 "$FUNCNAME: --to" perftab-convert "$sampled" --to sqlite -o y.folded
	sql y.folded "SELECT count(*) > 0 FROM sample" | reads "$FUNCNAME: --to sqlite -o y.folded" 1
}

nothing_checked() { # is a failure
	reports 1 $FUNCNAME "nothing to check: no counters were read at context switches" perftab-analyze --check "$sampled"
	lacks 'books balance'
}

failed_recording() { # leaves the last one alone
	command -v perftab-capture >/dev/null || return 0
	cp "$trace" perf.data
	perftab-capture perf -- ./nosuchcmd >out 2>err && fail "$FUNCNAME: a missing command is a success"
	[ "$(wc -l <err)" -eq 1 ] && grep -q 'nosuchcmd\|permitted\|paranoid' err || fail "$FUNCNAME: $(cat err)"
	same "$FUNCNAME: another perf.data" "$trace" perf.data
	[ ! -e perf.data.old ] || fail "$FUNCNAME: the recording was renamed"
}

packed_inputs() { # of every format, and pipes
	local input name
	for input in "$trace" "$disk" "$log" "$text" "$samples/perflib/good-disk.plb"; do
		name=${input##*/}
		perftab-analyze --csv "$input" >"$name.csv" || fail "$FUNCNAME: $name"
		gzip -c "$input" >"$name.gz"
		status 0 "$FUNCNAME: $name.gz" perftab-analyze --csv "$name.gz"
		same "$FUNCNAME: $name.gz" "$name.csv" out
		status 0 "$FUNCNAME: $name.gz from a pipe" perftab-analyze --csv - < <(cat "$name.gz")
		same "$FUNCNAME: $name.gz from a pipe" "$name.csv" out
		status 0 "$FUNCNAME: $name from a pipe" perftab-analyze --csv - < <(cat "$input")
		same "$FUNCNAME: $name from a pipe" "$name.csv" out
		command -v zstd >/dev/null || continue
		zstd -qf "$input" -o "$name.zst"
		status 0 "$FUNCNAME: $name.zst" perftab-analyze --csv "$name.zst"
		same "$FUNCNAME: $name.zst" "$name.csv" out
	done
	# All in one database, which holds what it holds of the file, as far as the path.
	status 0 "$FUNCNAME: convert" perftab-convert "${trace##*/}.gz" -o packed.db
	perftab-convert "$trace" -o plain.db
	for name in packed plain; do
		sqlite3 -batch $name.db "UPDATE trace SET path = ''" .dump >$name.sql
	done
	same "$FUNCNAME: another database" plain.sql packed.sql
	status 0 "$FUNCNAME: list" perftab-convert --list "${log##*/}.gz"
	has '^Kinds of events: '
	# Cut, or with a byte changed: what can be read, and the place.
	head -c -1000 "${text##*/}.gz" >cut.gz
	status 3 "$FUNCNAME: cut" perftab-convert cut.gz -o cut.db
	grep -q 'gzip input, damaged at 0x.*: ends early: read up to there' err || fail "$FUNCNAME: cut: $(cat err)"
	holds "$FUNCNAME: cut" cut.db 'damage|bad_packed' "SELECT severity, kind FROM finding WHERE kind = 'bad_packed'"
	holds "$FUNCNAME: cut" cut.db 1 "SELECT count(*) > 10 FROM context_switch"
	{ cat "${trace##*/}.gz"; echo more; } >more.gz
	reports 3 "$FUNCNAME: more" "bytes after the end" perftab-analyze more.gz
	reports 1 "$FUNCNAME: a folder that is full" "No such file or directory" perftab-analyze missing.gz
}

choices() { # are listed, and the nearest is named
	mistakes perftab-analyze <<-END
	--sort on_cpu $trace|no column 'on_cpu' to sort by; columns are process, pid, threads, switches, on_cpu_ns
	--by thraed $trace|did you mean 'thread'?
	END
	mistakes perftab-convert <<<"-t parkett $trace -o x|unknown output format 'parkett': expected one of sqlite, csv"
	command -v perftab-capture >/dev/null || return 0
	mistakes perftab-capture <<-END
	record -- ls|unknown command 'record': expected one of perf, perflib, audit, list; did you mean 'perf'?
	perflob|unknown command 'perflob': expected one of perf, perflib, audit, list; did you mean 'perflib'?
	END
}

contradictions() { # are refused
	mistakes perftab-analyze <<<"--csv --json $trace|--csv and --json exclude one another"
	mistakes perftab-convert <<-END
	$trace -o a -o b|--output is given twice: a and b
	--list --csv $trace|no CSV
	--list --csv-safe $trace|--json
	--list $trace -o x.db|--list converts nothing
	END
}

titles() { # are parts of command lines
	make_trace names . || fail "$FUNCNAME: make_trace names"
	perftab-convert names.data -o names.db
	perftab-convert --anonymize names.data -o hidden.db
	[ "$(sql names.db "SELECT count(*) FROM process WHERE name GLOB '*[ @=]*'")" -gt 0 ] || fail "$FUNCNAME: no title in the trace"
	holds $FUNCNAME hidden.db 0 "SELECT count(*) FROM (SELECT name FROM process UNION SELECT name FROM thread UNION SELECT name FROM comm)
		WHERE name GLOB '*[ @=]*' OR name GLOB '*/[^0-9u]*'"
	status 0 $FUNCNAME perftab-convert --list --anonymize "$trace"
	has '^Names of processes and threads that stay: '
	has 'kworker/0:0-eve'
}

manuals() { # name files that are there
	local page
	for page in $(grep -ohE 'docs/[a-z-]+\.md|schema/README\.md' "$PERFTAB_SOURCE"/docs/man/*.1 | sort -u); do
		[ -e "$PERFTAB_SOURCE/$page" ] || fail "$FUNCNAME: no $page"
	done
}

readme_packages() { # that the programs need
	grep -q 'SQLite 3.37' "$PERFTAB_SOURCE/README.md" || fail "$FUNCNAME: README does not say which SQLite"
	"$PERFTAB_SOURCE/scripts/install-packages" --help >out || fail "$FUNCNAME: install-packages --help"
}

no_match() { # a name that nothing has
	reports 1 $FUNCNAME "nothing matches --counter 'foo'" perftab-analyze --counter foo "$disk"
	reports 1 $FUNCNAME "nothing matches --instance 'Z:'" perftab-analyze --instance Z: "$disk"
	reports 1 $FUNCNAME "no process 999999 ran" perftab-analyze --pid 999999 "$trace"
}

by_tree() { # parents, with sums of what they started
	status 0 $FUNCNAME perftab-analyze --by tree "$trace"
	has 'with children'
	status 0 $FUNCNAME perftab-analyze --by tree --csv "$trace"
	has '^process,pid,parent_pid,command,'
}

second_argument() { # is not the output
	reports 2 $FUNCNAME "did you mean -o out.db?" perftab-convert "$trace" out.db
	[ ! -e out.db ] || fail "$FUNCNAME: there is an out.db"
}

other_packers() { # which are not unpacked here
	printf '\3757zXZ\0\0\0\0' >x.data.xz
	reports 1 $FUNCNAME "is packed: unpack it first, with unxz" perftab-analyze x.data.xz
}

database_from_a_pipe() { # is refused
	perftab-convert -f "$trace" -o piped.db
	reports 1 $FUNCNAME "save or unpack it to a file first" perftab-analyze - < <(cat piped.db)
}

largest_values() { # counters whose type is hexadecimal, and the largest that there are
	plb_script >whole.plb <<-'END' || fail "$FUNCNAME: plb_script"
	set 1 0 Set
	counter 1 1 0x00000000 - - - - flags
	counter 1 2 0x00010100 - - - - large
	counter 1 3 0x00000100 - - - - wide
	register 1
	ask 1 -; query
	snapshot 1000000000 134397325643640000 10000000; block 2 1 2 3; value 4 3735928559; value 8 18446744073709551615; value 8 255
	END
	status 0 $FUNCNAME perftab-analyze whole.plb
	has '^flags .* 0xdeadbeef '
	has '^wide .* 0xff '
	has '^large .* 18446744073709551616 '
	for form in --csv --json; do
		status 0 "$FUNCNAME $form" perftab-analyze $form whole.plb
		lacks 'e\+[0-9]'
		has '18446744073709551616'
	done
}

counter_fell() { # a counter that went down
	status 0 $FUNCNAME perftab-analyze "$samples/etw/good-everything.etl"
	lacks '^(\(unattributed\)|total) .* -[0-9]'
	has '^\(counter fell\) +-34,'
	status 0 "$FUNCNAME, by CPU" perftab-analyze --by cpu "$samples/etw/good-everything.etl"
	has '^ +2 +[0-9].* fell '
	lacks '^ *[0-9]+ +[0-9].* -[0-9]'
	status 0 "$FUNCNAME, books" perftab-analyze --check "$samples/etw/good-everything.etl"
}

for one in ${*:-$(sed -nE 's/^([a-z_]+)\(\) \{ #.*/\1/p' "$PERFTAB_SOURCE/tests/cli/first_use.sh")}; do
	$one
done
finish
