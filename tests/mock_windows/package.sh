#!/bin/bash
# package.sh: the ZIP, unpacked under Wine: self-test.cmd, and perftab.dll in a program with an
# SQLite of its own (sql_host.c).
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/mock_windows/lib.sh" || exit 1
programs_under_wine
export LC_ALL=C.UTF-8
status 0 "windows-zip" "$PERFTAB_SOURCE/scripts/windows-zip" --build "$windows" -o "$work"
mkdir "$work/a folder" && cd "$work/a folder" || exit 1
cmake -E tar xf "$work"/perftab-win64-*.zip
cd perftab-win64-* || exit 1

# In its own folder, whatever the current one is.
cd ..
version=$(ls | sed 's/.*-//')
status 0 "self-test.cmd" timeout 120 "$wine" cmd /c "perftab-win64-$version\\self-test.cmd"
cd perftab-win64-* || exit 1
grep -q $'^bills: good\r*$' "$work/out" || fail "self-test.cmd: $(cat "$work/out" "$work/err")"
grep -q 'wrote perftab-selftest.plb and perftab-selftest.txt' "$work/out" "$work/err" ||
	fail "self-test.cmd: $(cat "$work/out" "$work/err")"
[ -s perftab-selftest.plb ] && [ -s perftab-selftest.txt ] || fail "self-test.cmd: $(ls)"
compgen -G 'selftest*' && fail "self-test.cmd leaves files"
# A sample that cannot be read fails.  Wine's fc compares nothing.
cp samples/etw/good-basic.etl kept.etl
printf 'no trace' >samples/etw/good-basic.etl
status 1 "self-test.cmd, a bad sample" timeout 120 "$wine" cmd /c self-test.cmd
grep -q $'^bills: FAILED\r*$' "$work/out" || fail "self-test.cmd, a bad sample: $(cat "$work/out")"
mv kept.etl samples/etw/good-basic.etl

# The extension gives the rows that it gives on Linux, by its name with and without suffix.
host() { timeout 60 "$wine" "$windows/tests/sql_host.exe" "$@"; }
queries=0
while read -r query; do
	sqlite3 -batch :memory: ".load $shared/perftab" "$query" >"$work/wanted" 2>"$work/err" ||
		fail "$query: on Linux: $(cat "$work/err")"
	[ -s "$work/wanted" ] || fail "$query: no rows on Linux"
	status 0 "$query" host perftab "$query"
	sed -i 's/\r$//' "$work/out"
	same "$query" "$work/wanted" "$work/out"
	queries=$((queries + 1))
done <<'END'
SELECT perf_counter_type_name(0x10410400), perf_counter_value(0x10410400, 4294967290, 5, 0, 10000000, 10000000)
SELECT count(*), sum(delta_0), min(ts_ns), max(ts_ns) FROM perftab_switches('samples/etw/good-basic.etl')
SELECT ts_ns, cpu, delta_0, delta_1 FROM perftab_switches('samples/etw/good-demo.etl') WHERE cpu = 1
SELECT process, counter, value FROM perftab_bill('samples/etw/good-demo.etl', 'process')
SELECT process, counter, value FROM perftab_bill('samples/perf/good-times.data', 'process')
SELECT severity, text FROM perftab_findings('samples/perf/good-lossy.data')
SELECT name, tid, start_ns FROM perftab_table('samples/etw/good-basic.etl', 'thread')
END
[ "$queries" -eq 7 ] || fail "$queries queries"
status 0 "perftab.dll" host perftab.dll "SELECT count(*) FROM perftab_table('samples/perf/good-lossy.data', 'finding')"
status 1 "no such trace" host perftab "SELECT * FROM perftab_findings('nowhere.etl')"
grep -q 'nowhere.etl' "$work/err" || fail "no such trace: $(cat "$work/err")"
finish
