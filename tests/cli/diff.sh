#!/bin/bash
# diff.sh: runs of two sides compared: verdicts, forms, exit statuses.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # html.sh compares as well
samples=$PERFTAB_SOURCE/sample-traces/perf
cd "$work" || exit 1

# Runs of a known spread: one recording, its charges times a factor of each run.
perftab-convert "$samples/good-switch-group.data" -o base.db || fail "convert"
run() { # FILE PERMILLE_OF_ALL PERMILLE_OF_SORTED
	cp base.db "$1"
	sql "$1" "UPDATE thread_charge SET charged = charged * $2 / 1000;
		UPDATE thread_charge SET charged = charged * $3 / 1000 WHERE thread_id IN
			(SELECT thread_id FROM thread WHERE name = 'sum-sorted')"
}
for i in 1 2 3 4 5 6; do
	run "a$i.db" $((1000 + i * 3)) 1000
	run "b$i.db" $((1001 + i * 3)) 1050
	run "c$i.db" $((1002 + i * 3 % 7)) 1000
done
status 0 "dearer" perftab-analyze --diff --csv --counter task-clock a?.db --with b?.db
cp out wanted
[ "$(head -1 out)" = name,median_a,median_b,change,low,high,p,verdict ] || fail "header: $(head -1 out)"
[ "$(awk -F, '$1 == "sum-sorted" { print $NF, ($4 > 0.045 && $4 < 0.056) }' out)" = "dearer 1" ] || fail "sum-sorted: $(grep ^sum-sorted out)"
[ "$(awk -F, '$1 == "sum-unsorted" { print $NF }' out)" = same ] || fail "sum-unsorted: $(grep ^sum-unsorted out)"
[ "$(grep -c '^(' out)" -eq 1 ] || fail "more than (all) beside the processes"
# Twice the same; the order of the sides turns the verdict; the options may stand anywhere.
status 0 "again" perftab-analyze --diff a?.db --with b?.db --counter task-clock --csv
same "a comparison is not the same twice" wanted out
status 0 "cheaper" perftab-analyze --diff --csv --counter task-clock b?.db --with a?.db
[ "$(awk -F, '$1 == "sum-sorted" { print $NF }' out)" = cheaper ] || fail "sum-sorted: $(grep ^sum-sorted out)"
status 0 "the same" perftab-analyze --diff --csv --counter task-clock a?.db --with c?.db
[ "$(cut -d, -f8 out | sort -u | tr '\n' ' ')" = 'same verdict ' ] || fail "verdicts of the same: $(cat out)"
# Several traces in one database are as many runs.
perftab-convert "$samples"/good-{switch-group,times,context-switches}.data -o three.db
status 0 "three runs in one" perftab-analyze --diff --json --counter task-clock three.db --with a1.db
sql :memory: "SELECT json_extract(readfile('out'), '\$.runs_a', '\$.runs_b', '\$.counter')" | grep -qxF '[3,1,"task-clock"]' || fail "JSON: $(head -1 out)"
# Of two recorders that of the command which the trace names; else the first one that started something.
sql a1.db "SELECT count(*) FROM process WHERE (pid, parent_pid, name) IN (VALUES (7383, 7382, 'bash'), (7362, 2530, 'bash'))" | reads "processes" 2
perftab-analyze --diff --csv --counter task-clock a1.db --with a1.db >wanted
cp a1.db two.db
sql two.db "UPDATE process SET name = 'perf' WHERE pid = 2530; UPDATE process SET name = 'other' WHERE pid = 7362"
status 0 "two recorders" perftab-analyze --diff --csv --counter task-clock two.db --with two.db
same "two recorders" wanted out
sql two.db "UPDATE process SET name = 'other' WHERE pid = 7383"
status 0 "no recorder of the command" perftab-analyze --diff --csv --counter task-clock two.db --with two.db
grep -q '^other,' out && ! cmp -s out wanted || fail "no recorder of the command: $(cat out)"
# Programs that some runs lack, which then count as 0 in those: a half of them, and more.
for i in 1 2 3; do
	cp "a$i.db" "rare$i.db"
	sql "rare$i.db" "UPDATE process SET name = 'rare' WHERE name = 'sum-sorted'"
done
status 0 "rare programs" perftab-analyze --diff --json --counter task-clock rare?.db a[456].db --with b?.db
sql :memory: "SELECT l->>'name', l->>'median_a' = (SELECT min(value) / 2.0 FROM json_each(l, '\$.a') WHERE value > 0),
	(SELECT group_concat(value > 0, '') FROM json_each(l, '\$.a')) FROM (SELECT value AS l FROM json_each(readfile('out'), '\$.lines')
	WHERE value->>'name' IN ('rare', 'sum-sorted')) ORDER BY 1" | reads "rare programs" 'rare|1|111000' 'sum-sorted|1|000111'
status 0 "a rarer program" perftab-analyze --diff --csv --counter task-clock rare?.db a[3456].db --with b?.db
! grep -q '^rare,' out || fail "a program that most runs lack: $(grep '^rare,' out)"
# Many programs: memory for the runs that have them, not for the most that are compared.
make_page_trace --cpus 1 --switches 400000 --processes 40000 --names <(seq 40000) >many.data
[ -z "${PERFTAB_RELEASE:-}" ] || under_wine || limit='ulimit -v 200000; export MALLOC_ARENA_MAX=1;'
status 0 "many programs" bash -c "${limit:-}"' perftab-analyze --diff --csv many.data --with many.data'
grep -q '^(all),.*,0,,,,too few runs$' out || fail "many programs: $(head -3 out)"

# From the trace itself as from its database.
status 0 "traces" perftab-analyze --diff --csv "$samples/good-times.data" --with "$samples/good-switch-group.data"
cp out wanted
perftab-convert "$samples/good-times.data" -o times.db
status 0 "databases" perftab-analyze --diff --csv times.db --with base.db
same "traces and databases differ" wanted out
grep -q ',too few runs$' out || fail "one run a side has a verdict"
status 0 "samples" perftab-analyze --diff --csv "$samples/good-plain-sampling.data" --with "$samples/good-plain-sampling.data"
grep -q '^sum-unsorted,308617232,308617232,0,' out || fail "samples: $(cat out)"
status 3 "a damaged trace" perftab-analyze --diff --csv "$samples/bad-perftab-killed.data" --with "$samples/good-times.data"
grep -q 'bad-perftab-killed.data: perf: the end is missing' "$work/err" || fail "a damaged trace: not said: $(head -1 "$work/err")"
status 0 "text" perftab-analyze --diff --counter task-clock a?.db --with b?.db
grep -q '^sum-sorted .* dearer$' out || fail "text: $(cat out)"

# What CI asks for.
status 4 "--fail-on" perftab-analyze --diff --fail-on dearer=2% --counter task-clock a?.db --with b?.db
status 0 "--fail-on more" perftab-analyze --diff --fail-on dearer=20% --counter task-clock a?.db --with b?.db
status 0 "--fail-on cheaper" perftab-analyze --diff --fail-on dearer --counter task-clock b?.db --with a?.db
while IFS='|' read -r wanted options words; do
	# shellcheck disable=SC2086
	reports "$wanted" "$options" "$words" perftab-analyze $options
done <<END
2|--diff a1.db|--diff needs A... --with B...
2|--diff --with a1.db|--diff needs A... --with B...
2|--diff a1.db --with|--diff needs A... --with B...
2|--with a1.db|--with goes with --diff
2|--fail-on dearer a1.db|--fail-on goes with --diff
2|--diff --fail-on cheaper a1.db --with b1.db|expected e.g. dearer=2%
2|--diff --check a1.db --with b1.db|--diff compares whole runs
2|--diff a1.db --with b1.db b2.db b1.db|'b1.db' is on one side twice: each run counts once
2|--diff a1.db ../${PWD##*/}/a1.db --with b1.db|a1.db' is on one side twice: each run counts once
1|--diff --counter nosuch a1.db --with b1.db|a1.db: has no counter 'nosuch'
1|--diff a1.db --with missing.db|missing.db: cannot open
END

# More runs than are compared: copies of the smallest trace there is.
seed=$PERFTAB_SOURCE/tests/fuzz/seeds/good-basic.data
mkdir many
yes "$seed" | head -1001 | xargs cat | split -a 4 -b "$(wc -c <"$seed")" - many/
reports 1 "1001 runs" "more than 1000 runs of one side" perftab-analyze --diff many/* --with a1.db

[ ! -e "$work/.failed" ] || finish
# A program that does more: gzip -4 against gzip -1, in turns; and against itself.
can_record
head -c 1000000 /dev/urandom | od -An -tx1 >data
event=$(perftab-capture perf -q -e instructions:u -o probe.data -- true 2>/dev/null && echo instructions:u || echo task-clock)
runs() { # FOLDER COMMAND...: ten of it and of gzip -1
	local folder=$1
	shift
	perftab-capture perf -q -m 4M -e "$event" --repeat 10 --against "$*" -o "$folder" -- gzip -c -1 data >/dev/null 2>&1 || skip "a run cannot be recorded"
	[ "$(cd "$folder" && echo [ab]-*.data | wc -w)" -eq 20 ] || fail "$folder: $(ls "$folder")"
}
runs dear gzip -c -4 data
status 0 "gzip" perftab-analyze --diff --csv --counter "$event" dear/a-*.data --with dear/b-*.data
[ "$(awk -F, '$1 == "gzip" { print $NF }' out)" = dearer ] || fail "gzip -4: $(cat out)"
# A line with more than words is a shell's.
runs shell 'gzip -c -1 <data'
status 0 "gzip of a shell" perftab-analyze --diff --csv --counter "$event" shell/a-*.data --with shell/b-*.data
grep -q '^gzip,' out || fail "gzip of a shell: $(cat out)"
reports 1 "a folder with runs" "dear: cannot make a folder" perftab-capture perf -q --repeat 2 -o dear -- true
status 3 "a run that fails" perftab-capture perf -q -e task-clock --repeat 2 -o failing -- sh -c 'exit 3'
grep -q 'failing/a-001.data: stopped: this run ended with exit status 3' err || fail "a run that fails: $(cat err)"
finish
