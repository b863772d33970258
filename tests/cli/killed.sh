#!/bin/bash
# killed.sh: kill -9 at 100 random moments: nothing under the final name that is not whole,
# and nothing left over after the next run.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
kills=100
make_trace --switches 3000 everything "$work" || fail "make_trace"
mkdir "$work/kills" && cd "$work/kills" || exit 1
set -m # children of their own, to be killed one by one

# The time of a whole run here, in milliseconds; with little memory, so that there are runs.
convert() { perftab-convert --memory 16 --verify "$work/everything.data" -o result.db 2>/dev/null; }
began=$(date +%s%N)
convert || [ $? -eq 3 ] || fail "the undisturbed run failed"
span=$((($(date +%s%N) - began) / 1000000 + 1))
holds "the undisturbed run is not sound" result.db ok 'PRAGMA integrity_check'
rows=$(sql result.db 'SELECT count(*) FROM context_switch')
rm result.db

RANDOM=20261121
early=0 whole=0
for ((i = 0; i < kills; i++)); do
	(exec perftab-convert --memory 16 --verify "$work/everything.data" -o result.db 2>/dev/null) &
	sleep "$(awk -v r=$RANDOM -v s=$span 'BEGIN { printf "%.3f", r / 32768 * s * 1.1 / 1000 }')"
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	if [ -e result.db ]; then
		whole=$((whole + 1))
		holds "kill $i: a part of a database has the final name" result.db "$rows" "SELECT count(*) FROM context_switch"
		holds "kill $i: what has the final name is not sound" result.db ok 'PRAGMA quick_check'
		rm result.db
	else
		early=$((early + 1))
	fi
	# Whatever a kill leaves, it is one of these; the next run removes them.
	for left in *; do
		case $left in result.db.????????????????.partial | result.db.????????????????.partial-runs | '*') ;; *) fail "kill $i: left $left" ;; esac
	done
done
[ $early -ge 20 ] || fail "only $early of $kills runs were killed before their end"
echo "$early killed before the end, $whole after it"
convert || [ $? -eq 3 ] || fail "the run after the kills failed"
[ "$(ls -A)" = result.db ] || fail "the run after the kills left $(ls -A)"
holds "the run after the kills is not sound" result.db ok 'PRAGMA integrity_check'

# Of a run that is alive nothing is taken.
rm result.db
mkfifo pipe
exec 3<>pipe
head -20 "$PERFTAB_SOURCE/sample-traces/etw/good-basic-text.txt" >&3 # and no more for now
(exec perftab-convert - -o result.db <pipe 2>/dev/null) &
first=$!
for ((i = 0; i < 200; i++)); do partial result.db && break; sleep 0.02; done
reports 1 "a second run at once" "is being written by another process" perftab-convert "$work/everything.data" -o result.db
partial result.db || fail "the second run took the first one's file"
kill -9 $first 2>/dev/null
wait $first 2>/dev/null
finish
