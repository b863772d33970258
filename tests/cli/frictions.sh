#!/bin/bash
# frictions.sh: what a first user stumbled over, F1 to F24, and messages that did not help, M1 to
# M16: each command, with what it prints now.  Without arguments all; else those that are named.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
samples=$PERFTAB_SOURCE/sample-traces
trace=$samples/perf/good-switch-group.data
sampled=$samples/perf/good-plain-sampling.data
disk=$samples/perflib/good-disk.plb
log=$samples/etw/good-basic.etl
text=$samples/etw/good-basic-text.txt
cd "$work" || exit 1

# has WHAT PATTERN: a line of the last output is like that
has() { grep -qE -- "$2" "$work/out" || fail "$1: no line like '$2': $(head -c 300 "$work/out")"; }
# lacks WHAT PATTERN
lacks() { ! grep -qE -- "$2" "$work/out" || fail "$1: $(grep -E -- "$2" "$work/out" | head -2)"; }

F1() { # which program burned the CPU?
	status 0 F1 perftab-analyze --by comm --csv "$trace"
	has F1 '^comm,processes,threads,switches,on_cpu_ns'
	status 0 F1 perftab-analyze --process 'sum-*' --csv "$trace"
	has F1 '^sum-sorted,'
	has F1 '^\(other processes\),'
}

F2() { # what ran is above what may have been idle
	status 0 F2 perftab-analyze "$trace"
	[ "$(awk '/^process / { getline; print $1; exit }' out)" = sum-unsorted ] || fail "F2: first is $(awk '/^process / { getline; print; exit }' out)"
	has F2 '^\(with idle\) .* 45\.78 %'
	has F2 'share is of msr/tsc/'
}

F3() { # why intervals are not proven, and how many
	status 0 F3 perftab-analyze "$samples/perf/good-lossy.data"
	has F3 '^Not proven, and why:'
	has F3 'records were lost in between +3 '
}

F4() { # README says first how to install, then what to do
	local install minutes
	install=$(grep -n '^## Install' "$PERFTAB_SOURCE/README.md" | cut -d: -f1)
	minutes=$(grep -n '^## Five minutes' "$PERFTAB_SOURCE/README.md" | cut -d: -f1)
	[ "$install" -lt "$minutes" ] && [ "$minutes" -lt 50 ] || fail "F4: Install at line $install, Five minutes at $minutes"
}

F5() { # and a line for machines without a PMU
	grep -q "{sched:sched_switch,task-clock,page-faults}:S' -- sleep" "$PERFTAB_SOURCE/README.md" || fail "F5: no perf record for a machine without a PMU"
}

F6() { # times as a user has them
	status 0 F6 perftab-analyze --from +30ms --to +60ms "$trace"
	has F6 '^window: \+0\.030000 s to '
	reports 2 F6 "expected e.g. +500ms" perftab-analyze --from 3s "$trace"
	reports 2 F6 "the trace reaches from" perftab-analyze --from 3 --to 5 "$trace"
}

F7() { # before and after
	status 0 F7 perftab-analyze --diff "$trace" --with "$samples/perf/good-times.data"
	reports 2 F7 "to compare: --diff A... --with B..." perftab-analyze "$trace" "$log"
}

F8() { # samples by process, without SQL
	status 0 F8 perftab-analyze --csv "$sampled"
	has F8 '^process,pid,'
}

F9() { # every view of a database can be asked by a plain sqlite3, and no file is empty
	local view
	perftab-convert -f "$trace" -o f9.db
	for view in $(sql f9.db "SELECT name FROM sqlite_schema WHERE type = 'view'"); do
		sql f9.db "SELECT * FROM \"$view\" LIMIT 1" >out 2>err || fail "F9: view $view: $(head -1 err)"
	done
	perftab-convert -f "$trace" --to csv -o f9
	[ -s f9/process_bill.csv ] && [ -s f9/context_switch_named.csv ] || fail "F9: no files of the bill and of named switches"
	head -1 f9/context_switch_named.csv | grep -q ',page-faults,msr/tsc/$' || fail "F9: counters have no names"
	for view in f9/*.csv; do
		[ "$(wc -l <"$view")" -gt 1 ] || fail "F9: $view has a header only"
	done
}

F10() { # as wide as the terminal
	local columns
	for columns in 80 140; do
		COLUMNS=$columns perftab-analyze "$trace" >out
		awk -v most=$columns 'NR > 1 && length($0) > most && !/^(info|warning|damage)/ { exit 1 }' out || fail "F10: wider than $columns"
	done
	[ "$(COLUMNS=140 perftab-analyze "$trace" | grep -c '^process ')" -eq 1 ] || fail "F10: two tables on a wide terminal"
	# A live picture leaves no line of the terminal out, where counters may be read.
	command -v script >/dev/null && perftab-analyze --live -- true >out 2>err || return 0
	timeout 20 script -qec "stty rows 24 cols 80; perftab-analyze --live -d 1 -i 400ms" /dev/null </dev/null >live 2>&1
	sed 's/\x1b\[H\x1b\[2J/\n=====\n/g' live | tr -d '\r' |
		awk '/^=====/ { if (n > 24) bad = 1; n = 0; frames++; next } { n++; if (length($0) > 80) bad = 1 } END { exit bad || n > 24 || frames < 2 }' ||
		fail "F10: a live picture does not fit 24 lines of 80"
}

F11() { # a long path keeps its beginning and its end
	local folder=a-folder-with-a-long-name/another-folder-with-a-long-name/and-one-more-of-them
	mkdir -p $folder/and-this && cp "$trace" $folder/and-this/the-recording.data
	COLUMNS=80 status 0 F11 perftab-analyze $folder/and-this/the-recording.data
	has F11 '^a-folder-.*~.*the-recording\.data: perf\.data, '
	has F11 '^counters: task-clock, page-faults, msr/tsc/; share is of msr/tsc/'
}

F12() { # --list lists
	status 0 F12 perftab-convert --list "$log"
	has F12 '^Kinds of events: '
	status 0 F12 perftab-convert --list "$disk"
	has F12 '^Countersets: '
}

F13() { # --sql asks a trace
	status 0 F13 perftab-analyze --sql "SELECT process, switches FROM process_bill WHERE process LIKE 'sum%' ORDER BY 1" "$trace"
	reads F13 process,switches sum-sorted,10 sum-unsorted,11 <out
}

F14() { # the format by the name, or a refusal
	local name
	for name in x.csv x.tsv x.json x.TXT x.html x.svg x.pb x.parquet x.arrow x.duckdb x.data x.etl x.db.gz x.db.zst; do
		reports 2 "F14: -o $name" "'$name' would be an SQLite database" perftab-convert "$trace" -o $name
		[ ! -e $name ] || fail "F14: there is a $name"
	done
	while read -r name form; do
		status 0 "F14: -o $name" perftab-convert "$sampled" -o $name
		perftab-convert "$sampled" --to "$form" -o - >wanted
		same "F14: $name differs from --to $form" wanted $name
	done <<-END
	x.folded folded
	x.Speedscope.json speedscope
	x.pftrace perfetto
	x.perfetto-trace perfetto
	x.native clickhouse
	END
	status 0 "F14: --to" perftab-convert "$sampled" --to sqlite -o y.folded
	sql y.folded "SELECT count(*) > 0 FROM sample" | reads "F14: --to sqlite -o y.folded" 1
}

F15() { # nothing checked is a failure
	reports 1 F15 "nothing to check: no counters were read at context switches" perftab-analyze --check "$sampled"
	lacks F15 'books balance'
}

F16() { # a recording that cannot begin leaves the last one alone
	command -v perftab-capture >/dev/null || return 0
	cp "$trace" perf.data
	perftab-capture perf -- ./nosuchcmd >out 2>err && fail "F16: a missing command is a success"
	[ "$(wc -l <err)" -eq 1 ] || fail "F16: $(cat err)"
	same "F16: another perf.data" "$trace" perf.data
	[ ! -e perf.data.old ] || fail "F16: the recording was renamed"
}

F17() { # packed inputs, and pipes, of every format
	local input name
	for input in "$trace" "$disk" "$log" "$text" "$samples/perflib/good-disk.plb"; do
		name=${input##*/}
		perftab-analyze --csv "$input" >"$name.csv" || fail "F17: $name"
		gzip -c "$input" >"$name.gz"
		status 0 "F17: $name.gz" perftab-analyze --csv "$name.gz"
		same "F17: $name.gz" "$name.csv" out
		status 0 "F17: $name.gz from a pipe" perftab-analyze --csv - < <(cat "$name.gz")
		same "F17: $name.gz from a pipe" "$name.csv" out
		status 0 "F17: $name from a pipe" perftab-analyze --csv - < <(cat "$input")
		same "F17: $name from a pipe" "$name.csv" out
		command -v zstd >/dev/null || continue
		zstd -qf "$input" -o "$name.zst"
		status 0 "F17: $name.zst" perftab-analyze --csv "$name.zst"
		same "F17: $name.zst" "$name.csv" out
	done
	# All in one database, which holds what it holds of the file, as far as the path.
	status 0 "F17: convert" perftab-convert "${trace##*/}.gz" -o packed.db
	perftab-convert "$trace" -o plain.db
	for name in packed plain; do
		sqlite3 -batch $name.db "UPDATE trace SET path = ''" .dump >$name.sql
	done
	same "F17: another database" plain.sql packed.sql
	status 0 "F17: list" perftab-convert --list "${log##*/}.gz"
	has "F17: list" '^Kinds of events: '
	# Cut, or with a byte changed: what can be read, and the place.
	head -c -1000 "${text##*/}.gz" >cut.gz
	status 3 "F17: cut" perftab-convert cut.gz -o cut.db
	grep -q 'gzip input, damaged at 0x.*: ends early: read up to there' err || fail "F17: cut: $(cat err)"
	holds "F17: cut" cut.db 'damage|bad_packed' "SELECT severity, kind FROM finding WHERE kind = 'bad_packed'"
	holds "F17: cut" cut.db 1 "SELECT count(*) > 10 FROM context_switch"
	{ cat "${trace##*/}.gz"; echo more; } >more.gz
	reports 3 "F17: more" "bytes after the end" perftab-analyze more.gz
	reports 1 "F17: a folder that is full" "No such file or directory" perftab-analyze missing.gz
}

F18() { # choices are listed, and the nearest named
	reports 2 F18 "columns are process, pid, threads, switches, on_cpu_ns" perftab-analyze --sort on_cpu "$trace"
	reports 2 F18 "expected one of" perftab-convert -t parkett "$trace" -o x
	reports 2 F18 "did you mean 'thread'?" perftab-analyze --by thraed "$trace"
	command -v perftab-capture >/dev/null || return 0
	reports 2 F18 "unknown command 'record': expected one of perf, perflib, audit, list; did you mean 'perf'?" perftab-capture record -- ls
}

F19() { # contradictions are refused
	reports 2 F19 "--csv and --json exclude one another" perftab-analyze --csv --json "$trace"
	reports 2 F19 "--output is given twice: a and b" perftab-convert "$trace" -o a -o b
	status 2 F19 perftab-convert --list --csv "$trace"
	reports 2 F19 "--list converts nothing" perftab-convert --list "$trace" -o x.db
}

F20() { # titles are parts of command lines
	make_trace names . || fail "F20: make_trace names"
	perftab-convert names.data -o names.db
	perftab-convert --anonymize names.data -o hidden.db
	[ "$(sql names.db "SELECT count(*) FROM process WHERE name GLOB '*[ @=]*'")" -gt 0 ] || fail "F20: no title in the trace"
	holds F20 hidden.db 0 "SELECT count(*) FROM (SELECT name FROM process UNION SELECT name FROM thread UNION SELECT name FROM comm)
		WHERE name GLOB '*[ @=]*' OR name GLOB '*/[^0-9u]*'"
	status 0 F20 perftab-convert --list --anonymize "$trace"
	has F20 '^Names of processes and threads that stay: '
	has F20 'kworker/0:0-eve'
}

F21() { # what the manuals name is there
	local page
	for page in $(grep -ohE 'docs/[a-z-]+\.md|schema/README\.md' "$PERFTAB_SOURCE"/docs/man/*.1 | sort -u); do
		[ -e "$PERFTAB_SOURCE/$page" ] || fail "F21: no $page"
	done
}

F22() { # the packages that the programs need
	grep -q 'SQLite 3.37' "$PERFTAB_SOURCE/README.md" || fail "F22: README does not say which SQLite"
	"$PERFTAB_SOURCE/scripts/install-packages" --help >out || fail "F22: install-packages --help"
}

F23() { # a name that nothing has
	reports 1 F23 "nothing matches --counter 'foo'" perftab-analyze --counter foo "$disk"
	reports 1 F23 "no process 999999 ran" perftab-analyze --pid 999999 "$trace"
}

F24() { # parents, with sums of what they started
	status 0 F24 perftab-analyze --by tree "$trace"
	has F24 'with children'
	status 0 F24 perftab-analyze --by tree --csv "$trace"
	has F24 '^process,pid,parent_pid,command,'
}

M1() { reports 2 M1 "expected e.g. +500ms" perftab-analyze --from 3s "$trace"; }
M2() { reports 2 M2 "which is +0s to +0.095s" perftab-analyze --from 3 --to 5 "$trace"; }
M3() { reports 2 M3 "one input at a time; to compare: --diff A... --with B..." perftab-analyze "$trace" "$trace"; }
M4() { # a second argument as the output
	reports 2 M4 "did you mean -o out.db?" perftab-convert "$trace" out.db
	[ ! -e out.db ] || fail "M4: there is an out.db"
}
M5() { reports 2 M5 "CSV is a directory of files: --to csv -o DIR" perftab-convert "$trace" -o x.csv; }
M6() { reports 1 M6 "nothing to check" perftab-analyze --check "$sampled"; }
M7() { # no such command
	command -v perftab-capture >/dev/null || return 0
	perftab-capture perf -o m7.data -- ./nosuchcmd >out 2>err && fail "M7: success"
	grep -q "nosuchcmd\|permitted\|paranoid" err || fail "M7: $(cat err)"
}
M8() { # what cannot be unpacked here
	printf '\3757zXZ\0\0\0\0' >x.data.xz
	reports 1 M8 "is packed: unpack it first, with unxz" perftab-analyze x.data.xz
}
M9() { # a database from a pipe
	perftab-convert -f "$trace" -o m9.db
	reports 1 M9 "save or unpack it to a file first" perftab-analyze - < <(cat m9.db)
}
M10() { reports 2 M10 "no column 'on_cpu' to sort by; columns are" perftab-analyze --sort on_cpu "$trace"; }
M11() { reports 2 M11 "unknown output format 'parkett': expected one of sqlite, csv" perftab-convert -t parkett "$trace" -o x; }
M12() {
	command -v perftab-capture >/dev/null || return 0
	reports 2 M12 "unknown command 'perflob': expected one of perf, perflib, audit, list; did you mean 'perflib'?" perftab-capture perflob
}
M13() { reports 2 M13 "exclude one another" perftab-analyze --csv --json "$trace"; }
M14() { reports 2 M14 "--json" perftab-convert --list --csv-safe "$trace"; }
M15() { reports 2 M15 "is given twice: a and b" perftab-convert "$trace" -o a -o b; }
M16() { reports 1 M16 "nothing matches --instance 'Z:'" perftab-analyze --instance Z: "$disk"; }

# Beyond the list: numbers that are what they are.
whole() { # counters whose type is hexadecimal, and the largest that there are
	plb_script >whole.plb <<-'END' || fail "whole: plb_script"
	set 1 0 Set
	counter 1 1 0x00000000 - - - - flags
	counter 1 2 0x00010100 - - - - large
	counter 1 3 0x00000100 - - - - wide
	register 1
	ask 1 -; query
	snapshot 1000000000 134397325643640000 10000000; block 2 1 2 3; value 4 3735928559; value 8 18446744073709551615; value 8 255
	END
	status 0 whole perftab-analyze whole.plb
	has whole '^flags .* 0xdeadbeef '
	has whole '^wide .* 0xff '
	has whole '^large .* 18446744073709551616 '
	for form in --csv --json; do
		status 0 "whole $form" perftab-analyze $form whole.plb
		lacks "whole $form" 'e\+[0-9]'
		has "whole $form" '18446744073709551616'
	done
}
fell() { # a counter that went down
	status 0 fell perftab-analyze "$samples/etw/good-everything.etl"
	lacks fell '^(\(unattributed\)|total) .* -[0-9]'
	has fell '^\(counter fell\) +-34,'
	status 0 "fell, by CPU" perftab-analyze --by cpu "$samples/etw/good-everything.etl"
	has "fell, by CPU" '^ +2 +[0-9].* fell '
	lacks "fell, by CPU" '^ *[0-9]+ +[0-9].* -[0-9]'
	status 0 "fell, books" perftab-analyze --check "$samples/etw/good-everything.etl"
}

all=$(sed -nE 's/^([A-Za-z0-9]+)\(\) .*/\1/p' "$PERFTAB_SOURCE/tests/cli/frictions.sh" | grep -vE '^(has|lacks)$')
[ "$(grep -cE '^(F([1-9]|1[0-9]|2[0-4])|M([1-9]|1[0-6]))$' <<<"$all")" -eq 40 ] || fail "not all of F1 to F24 and M1 to M16 are here"
for one in ${*:-$all}; do
	$one
done
finish
