#!/bin/sh
# alone.sh FOLDER: the programs in FOLDER/bin, where there is nothing but busybox.  EMULATOR, if
# set, runs them; then nothing is recorded.
set -eu
folder=$1
samples=$folder/share/doc/perftab/sample-traces
cd /tmp

fail()
{
	echo "alone: $*" >&2
	exit 1
}

# run NAME ARGUMENT...: exit status 3 is that of a damaged sample
run()
{
	name=$1
	shift
	status=0
	${EMULATOR:-} "$folder/bin/$name" "$@" >out 2>err || status=$?
	[ $status = 0 ] || [ $status = 3 ] || fail "$name $*: exit status $status: $(tail -n 2 err)"
}

for name in perftab-analyze perftab-capture perftab-convert; do
	run $name --version
	grep -q "^$name " out || fail "$name --version: $(cat out)"
done

# The golden cases, also by way of a database.
set -f
cd "$samples/perf"
compared=0
while read -r case input options; do
	case $case in '' | '#'*) continue ;; esac
	status=0
	# shellcheck disable=SC2086
	${EMULATOR:-} "$folder/bin/perftab-analyze" $options "$input" >/tmp/out 2>&1 || status=$?
	cmp -s /tmp/out "/root/golden/$case.txt" || fail "golden $case: $(head -n 2 /tmp/out)"
	compared=$((compared + 1))
done </root/golden/cases.txt
set +f
cd /tmp
[ $compared -ge 30 ] || fail "$compared golden cases"
for trace in "$samples"/perf/*.data "$samples"/etw/*.etl; do
	run perftab-analyze --csv "$trace"
	mv out bill
	rm -f trace.db
	run perftab-convert "$trace" -o trace.db
	run perftab-analyze --csv trace.db
	cmp -s out bill || fail "$trace: another bill of the database"
done
run perftab-analyze --csv "$samples/perflib/good-disk.plb"
run perftab-analyze --sql "SELECT counter_name, max(value) FROM perflib_value GROUP BY 1" "$samples/perflib/good-disk.plb"
grep -q '% Busy Time,75' out || fail "--sql: $(head -n 3 out)"
[ -z "${EMULATOR:-}" ] || exit 0
run perftab-analyze --live -- sh -c 'ls -lR / | sort'
grep -q 'counters: ' out || fail "--live: $(head -n 3 out)"
run perftab-capture perf -o perf.data -- sh -c 'ls -lR / | sort'
run perftab-analyze --check perf.data
tail -n 1 out | grep -q 'books balance' || fail "the books of a recording"
