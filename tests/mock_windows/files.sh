#!/bin/bash
# files.sh: names, long paths, streams, locks, kills and Ctrl-C of the Windows programs under Wine.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/mock_windows/lib.sh" || exit 1
programs_under_wine
make_trace --switches 30000 everything "$work" || fail "make_trace"
convert=$bin/tools/perftab-convert analyze=$bin/tools/perftab-analyze
perf=$PERFTAB_SOURCE/sample-traces/perf
export LC_ALL=C.UTF-8
mkdir "$work/here" && cd "$work/here" || exit 1

# The file seam by itself, with a file of 5 GiB that has holes.
mkdir seam
status 0 "seam" env LC_ALL=C.UTF-8 "$wine" "$windows/tests/seam.exe" seam
grep -qx good "$work/out" || fail "seam: $(cat "$work/out")"
rmdir seam || fail "seam: leaves $(ls seam)"

# Names in Greek and Japanese, of inputs and outputs; drives and backslashes.
"$PERFTAB_BIN/tools/perftab-convert" "$perf/good-times.data" -o wanted.db
cp "$perf/good-times.data" ίχνος.data
mkdir 追跡
status 0 "Greek" "$convert" ίχνος.data -o 追跡/λόγος.db
holds "Greek: the name" 追跡/λόγος.db ίχνος.data 'SELECT path FROM trace'
status 0 "Japanese" "$convert" --to csv ίχνος.data -o 追跡/表
[ -e 追跡/表/context_switch.csv ] || fail "Japanese: $(ls 追跡)"
status 0 "a drive" "$convert" "$perf/good-times.data" -o "Z:${PWD//\//\\}\\drive.db"
[ -e drive.db ] || fail "a drive: $(ls)"
status 0 "backslashes" "$convert" --to csv "Z:${perf//\//\\}\\good-times.data" -o '追跡\again\'
[ -e 追跡/again/trace.csv ] || fail "backslashes: $(ls 追跡)"
status 0 "a table of that name" "$convert" --force --to csv ίχνος.data -o 追跡/表
status 1 "a device" "$convert" ίχνος.data -o aux.db
grep -qE 'is not a regular file|cannot create' "$work/err" || fail "a device: $(cat "$work/err")"
[ "$(ls)" = $'drive.db\nwanted.db\nίχνος.data\n追跡' ] || fail "files are left: $(ls)"

# Paths of more than 260 characters.
long=$PWD
for ((i = 0; i < 6; i++)); do long=$long/$(printf 'folder-with-a-long-name-%032d' $i); done
mkdir -p "$long" && cp ίχνος.data "$long/trace.data"
[ ${#long} -gt 300 ] || fail "the path is short"
status 0 "a long path" "$convert" --to csv "$long/trace.data" -o "$long/tables"
[ -e "$long/tables/trace.csv" ] || fail "a long path: $(ls "$long")"
status 0 "a long path of a database" "$convert" "$long/trace.data" -o "$long/trace.db"
status 0 "a long path of an input" "$analyze" --json "$long/trace.db"

# Standard input from a file and from a pipe; binary standard output.
"$analyze" --json ίχνος.data 2>/dev/null | sed 's/ίχνος.data/-/' >named
status 0 "a redirected file" "$analyze" --json - <ίχνος.data
same "a redirected file" named "$work/out"
# shellcheck disable=SC2002
cat ίχνος.data | "$analyze" --json - 2>"$work/err" | cmp -s - named || fail "a pipe: $(head -2 "$work/err")"
"$convert" --to perfetto ίχνος.data -o - >windows.trace
"$PERFTAB_BIN/tools/perftab-convert" --to perfetto ίχνος.data -o - >linux.trace
same "binary output" linux.trace windows.trace
"$analyze" --by thread "$work/everything.data" 2>"$work/err" | head -c 10 >"$work/out"
grep -q 'cannot write' "$work/err" && fail "a closed pipe: $(cat "$work/err")"

# A trace whose records begin after a hole of 5 GiB; the table of features is left out.
data=$(od -An -tu8 -j40 -N8 ίχνος.data | tr -d ' ')
head -c "$data" ίχνος.data >big.data
printf '\x40\x01' | dd of=big.data bs=1 seek=43 conv=notrunc status=none
dd if=/dev/zero of=big.data bs=1 seek=72 count=32 conv=notrunc status=none
truncate -s $((data + 5 * 1024 * 1024 * 1024)) big.data
tail -c +$((data + 1)) ίχνος.data >>big.data
perftab-analyze --csv big.data >named
[ "$(wc -l <named)" -gt 10 ] || fail "over 4 GiB: $(cat named)"
status 0 "over 4 GiB" "$analyze" --csv big.data
same "over 4 GiB" named "$work/out"
# With several threads pages of indexes may be in another order.
"$PERFTAB_BIN/tools/perftab-convert" --threads 1 big.data -o linux.db
status 0 "over 4 GiB, a database" "$convert" --threads 1 big.data -o windows.db
same "over 4 GiB, a database" linux.db windows.db
rm -f big.data

# Two converts of one output at once: the second is refused, or replaces nothing.
"$convert" "$work/everything.data" -o twice.db 2>first.err & first=$!
for ((i = 0; i < 400; i++)); do partial twice.db && break; sleep 0.02; done
"$convert" "$work/everything.data" -o twice.db 2>second.err && fail "two converts: both wrote"
grep -qE 'is being written by another process|exists already|File exists' second.err || fail "two converts: $(cat second.err)"
wait $first
holds "two converts" twice.db ok 'PRAGMA quick_check'
"$convert" --to csv "$work/everything.data" -o twice.csv 2>first.err & first=$!
for ((i = 0; i < 400; i++)); do partial twice.csv && break; sleep 0.02; done
"$convert" --to csv "$work/everything.data" -o twice.csv 2>second.err && fail "two converts to CSV: both wrote"
grep -qE 'is being written by another process|exists already' second.err || fail "two converts to CSV: $(cat second.err)"
wait $first
[ -e twice.csv/context_switch.csv ] || fail "two converts to CSV: $(ls)"

# Killed: the next run removes what is left.
for form in sqlite csv; do
	"$wine" "$windows/tools/perftab-convert.exe" --to $form "$work/everything.data" -o killed 2>/dev/null & killed=$!
	for ((i = 0; i < 400; i++)); do partial killed && break; sleep 0.02; done
	kill -9 $killed
	wait $killed 2>/dev/null
	[ ! -e killed ] && partial killed || fail "killed, $form: $(ls)"
	"$convert" --to $form "$work/everything.data" -o killed 2>/dev/null
	[ -e killed ] || fail "after a kill, $form: $(ls)"
	partial killed && fail "after a kill, $form: $(cat "$work/partial") is left"
	rm -rf killed
done

# Ctrl-C: as a signal, which Wine passes on, and as a program in the same console sends it.
"$wine" "$windows/tools/perftab-convert.exe" "$work/everything.data" -o stopped 2>"$work/err" & stopped=$!
for ((i = 0; i < 400; i++)); do partial stopped && break; sleep 0.02; done
kill -INT $stopped
wait $stopped && fail "SIGINT: exit status 0"
says "SIGINT" 'perftab-convert: interrupted, nothing was written'
compgen -G 'stopped*' && fail "SIGINT: files are left"
cp "$work/everything.data" "$windows"/tests/ctrl_c.exe "$windows"/tools/perftab-convert.exe .
status 0 "Ctrl-C" script -qec "$wine ctrl_c.exe stopped.* 0 perftab-convert.exe everything.data -o stopped" "$work/console"
compgen -G 'stopped*' && fail "Ctrl-C: files are left"

# Ctrl-C and a kill while --sql converts a trace for an endless query, and while that runs.
cp "$windows"/tools/perftab-analyze.exe .
mkdir temporary
endless="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n, process_bill, context_switch" # converted once
left() { find temporary -mindepth 1 -maxdepth 1 ! -name 'wine-*'; } # a folder of Wine itself
nothing_temporary() { [ -z "$(left)" ] || fail "$1: left $(left)"; }
sql_until() { # WHAT PATTERN MILLISECONDS
	local ended=0
	TMPDIR=$PWD/temporary timeout 60 script -qec "$wine ctrl_c.exe temporary/$2 $3 perftab-analyze.exe --sql '$endless' everything.data" "$work/console" >"$work/out" || ended=$?
	[ $ended -le 1 ] || fail "$1: ended with $ended: $(cat "$work/out")"
	nothing_temporary "$1"
}
sql_until "--sql, Ctrl-C as it converts" 'perftab-sql-*.partial' 0
sql_until "--sql, Ctrl-C in a query" 'perftab-sql-*.db' 300
TMPDIR=$PWD/temporary "$wine" perftab-analyze.exe --sql "$endless" everything.data >"$work/out" 2>&1 & killed=$!
for ((i = 0; i < 400; i++)); do compgen -G 'temporary/perftab-sql-*.db' >/dev/null && break; sleep 0.05; done
[ $i -lt 400 ] || fail "--sql: nothing was converted"
sleep 0.3
kill -9 $killed
wait $killed 2>/dev/null
for ((i = 0; i < 100; i++)); do [ -z "$(left)" ] && break; sleep 0.05; done
nothing_temporary "--sql, a kill in a query"
finish
