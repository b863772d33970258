#!/bin/bash
# analyze_sql.sh: perftab-analyze --sql gives what the database holds, and does no more than read.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
db=$work/disk.db
perftab-convert "$PERFTAB_SOURCE/sample-traces/perflib/good-disk.plb" -o "$db" || fail "convert"

ask() { perftab-analyze --sql "$1" "${@:2}" "$db"; }

# refused WHAT TEXT QUERY [DATABASE]: with this sentence, and nothing on stdout
refused() {
	reports 1 "$1" "$2" perftab-analyze --sql "$3" "${4:-$db}"
	[ ! -s "$work/out" ] || fail "$1: prints $(head -1 "$work/out")"
}

# --- the view is the values of --csv, and those of the shell ---

columns="from_snapshot, to_snapshot, to_ts_ns, to_ts_ns - from_ts_ns, counterset_name, instance_name, number,
	ordinal, instance, counter_name, counter, value, unit, status, base_source, time_source"
ask "SELECT $columns FROM perflib_value" | tail -n +2 | sort >"$work/view"
perftab-analyze --csv "$db" | sed 's/,[^,]*$//' | tail -n +2 | sort >"$work/csv" # the view has no wall-clock time
[ "$(wc -l <"$work/csv")" -gt 30 ] || fail "few values: $(wc -l <"$work/csv")"
same "the view and --csv" "$work/csv" "$work/view"
query="SELECT to_snapshot, instance, counter, printf('%!.17g', value) AS v, status FROM perflib_value"
sqlite3 -batch -csv -header "$db" "$query" | tr -d '\r' | plain_csv | sort >"$work/shell"
ask "$query" | plain_csv | sort >"$work/view"
same "the view and the shell's" "$work/shell" "$work/view"

# --- cells ---

cells="SELECT NULL AS n, 0.1 AS r, 1e300 * 1e300 AS i, -9223372036854775807 - 1 AS least, x'00ff' AS b, 'a\"b,c' AS q, '=1+1' AS f, '' AS e"
ask "$cells" | reads "CSV" 'n,r,i,least,b,q,f,e' ',0.1,1e999,-9223372036854775808,00ff,"a""b,c",=1+1,'
ask "$cells" --csv --csv-safe >"$work/got"
sed -i "s/=1+1/'=1+1/" "$work/wanted"
same "--csv-safe" "$work/wanted" "$work/got"
ask "$cells" --json | reads "JSON" '[' '  {"n": null, "r": 0.1, "i": 1e999, "least": -9223372036854775808, "b": "00ff", "q": "a\"b,c", "f": "=1+1", "e": ""}' ']'
# A long text is defused whole.
ask "SELECT '=' || hex(zeroblob(5000)) || ',\"' AS t" --csv-safe | tail -1 | wc -c >"$work/got"
[ "$(cat "$work/got")" -eq 10008 ] || fail "--csv-safe, long: $(cat "$work/got") bytes"
ask "SELECT NULL AS x UNION ALL SELECT ''" | reads "a row of one empty cell" x '""' '""'
# A terminal gets no bytes that it could obey, in cells or names; a pipe gets them as they are.
ask $'SELECT \'\033[31m\342\200\256,\' AS "\033a"' | reads "a pipe" $'\033a' $'"\033[31m\342\200\256,"'
if command -v script >/dev/null; then
	script -qec "perftab-analyze --sql \"SELECT char(27) || '[31m' || char(8238) || ',' AS [x$(printf '\033')]\" '$db'" /dev/null </dev/null 2>&1 |
		tr -d '\r' >"$work/screen"
	reads "a terminal" 'x\x1b' '"\x1b[31m\xe2\x80\xae,"' <"$work/screen"
fi
ask "SELECT 1 AS x WHERE 0" --json | reads "no row, JSON" '[]'
ask "SELECT CAST(x'22c3285c0a1b' AS TEXT) AS \"a\"\"b\", * FROM perflib_value" --json >"$work/got"
[ "$(sql :memory: "SELECT json_array_length(readfile('$work/got'))")" -eq "$(wc -l <"$work/csv")" ] || fail "JSON: not valid"
if command -v python3 >/dev/null; then python3 -m json.tool <"$work/got" >/dev/null || fail "JSON: python3 does not read it"; fi
reports 1 "two columns of a name" "two columns are named 'a'" perftab-analyze --json --sql "SELECT 1 AS a, 2 AS a" "$db"

# --- one SELECT, and no more than reading ---

status 0 "blanks and comments after it" perftab-analyze --sql "SELECT 1; -- one
	/* and */ ;" "$db"
refused "no such table" "database: no such table: nowhere" "SELECT * FROM nowhere"
refused "no statement" "accepts one SELECT statement" " -- nothing"
refused "two statements" "accepts one SELECT statement" "SELECT 1; SELECT 2"
refused "two statements, the second refused" "accepts one SELECT statement" "SELECT 1; DROP TABLE trace"
cp "$db" "$work/before.db"
while read -r query; do
	refused "$query" "database: not authorized: --sql only reads" "$query"
done <<END
DELETE FROM trace
INSERT INTO trace SELECT * FROM trace
CREATE TEMP TABLE t(a)
DROP VIEW perflib_value
ATTACH '$work/other.db' AS other
PRAGMA writable_schema = on
PRAGMA trusted_schema = on
BEGIN
ANALYZE
REINDEX
END
refused "a pragma in a query" "database: not authorized" "SELECT * FROM pragma_table_info('trace')"
refused "VACUUM" "accepts one SELECT statement" "VACUUM"
refused "VACUUM INTO" "accepts one SELECT statement" "VACUUM INTO '$work/other.db'"
reports 1 "load_extension" "not authorized to use function: load_extension" perftab-analyze --sql "SELECT load_extension('$shared/perftab')" "$db"
same "the database" "$work/before.db" "$db"
[ ! -e "$work/other.db" ] || fail "a file was made"

# A hostile database.
cp "$db" "$work/evil.db"
sql "$work/evil.db" "CREATE VIEW evil AS SELECT load_extension('$shared/perftab') AS a;
	CREATE VIEW twice AS SELECT * FROM perflib_value;
	CREATE TRIGGER t INSTEAD OF INSERT ON twice BEGIN DELETE FROM trace; END;
	CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n;"
status 1 "a view that loads" perftab-analyze --sql "SELECT * FROM evil" "$work/evil.db"
grep -q 'load_extension' "$work/err" || fail "a view that loads: $(cat "$work/err")"
refused "a trigger" "--sql only reads" "INSERT INTO twice(value) VALUES (1)" "$work/evil.db"
status 0 "a view of its own" perftab-analyze --sql "SELECT count(*) FROM twice" "$work/evil.db"
refused "a blob too large" "too big" "SELECT zeroblob(20000000)"
refused "more memory than there is to have" "out of memory" "SELECT $(printf 'randomblob(16000000), %.0s' {1..40}) 1"
for ((i = 0; i < 120; i++)); do echo "CREATE VIEW v$i AS SELECT * FROM $([ $i -eq 0 ] && echo trace || echo v$((i - 1)));"; done | sqlite3 -batch "$work/evil.db"
refused "too many views" "views, expected at most 100" "SELECT 1" "$work/evil.db"

# Ctrl-C, also within a single step of SQLite.
cp "$db" "$work/endless.db"
sql "$work/endless.db" "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n"
set -m
under_wine || for query in "SELECT * FROM endless" "SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1')"; do
	perftab-analyze --sql "$query" "$work/endless.db" >"$work/out" 2>"$work/err" &
	sleep 1
	kill -INT $! || fail "$query: had ended"
	wait $!
	code=$?
	[ $code -eq 130 ] || fail "$query: exit status $code after SIGINT"
	[ ! -s "$work/err" ] || fail "$query: talks: $(head -1 "$work/err")"
done
set +m

# --- inputs that are not databases, and options that exclude --sql ---

# A trace answers as its database does, from a pipe too, and leaves no file.
query="SELECT counter_name, instance_name, value FROM perflib_value ORDER BY 1, 2, to_snapshot"
ask "$query" >"$work/wanted"
export TMPDIR=$work/temporary
mkdir "$TMPDIR"
for trace in "$PERFTAB_SOURCE/sample-traces/perflib/good-disk.plb" -; do
	status 0 "a trace: $trace" perftab-analyze --sql "$query" "$trace" < <(cat "$PERFTAB_SOURCE/sample-traces/perflib/good-disk.plb")
	same "a trace: $trace" "$work/wanted" "$work/out"
done
status 3 "a damaged trace" perftab-analyze --sql "SELECT status FROM trace" "$PERFTAB_SOURCE/sample-traces/etw/bad-truncated.etl"
grep -qx partial "$work/out" || fail "a damaged trace: $(cat "$work/out")"
status 1 "a damaged trace, --strict" perftab-analyze --strict --sql "SELECT status FROM trace" "$PERFTAB_SOURCE/sample-traces/etw/bad-truncated.etl"
grep -qx partial "$work/out" || fail "a damaged trace, --strict: $(cat "$work/out")"
refused "a trace, a wrong query" "no such table: nowhere" "SELECT * FROM nowhere" "$PERFTAB_SOURCE/sample-traces/perflib/good-disk.plb"
left=$(find "$TMPDIR" -mindepth 1 -maxdepth 1 ! -name "wine-*") # a folder of Wine itself
[ -z "$left" ] || fail "a trace: left $left"
unset TMPDIR
sql "$work/foreign.db" "CREATE TABLE t(a)"
refused "a database of others" "unknown trace format" "SELECT 1" "$work/foreign.db"
: >"$work/empty"
refused "an empty file" "is empty" "SELECT 1" "$work/empty"
refused "an empty file, asked in place" "perftab-analyze: $work/empty: is empty, expected a trace" "SELECT * FROM thread" "$work/empty"
refused "no file" "No such file" "SELECT 1" "$work/nothing.db"
reports 1 "standard input" "cannot be read from a pipe" perftab-analyze --sql "SELECT 1" - <"$db"
cp "$db" "$work/old.db" && sql "$work/old.db" "PRAGMA user_version = 1"
refused "another version" "schema version 1, expected" "SELECT 1" "$work/old.db"
reports 2 "no database" "no input given" perftab-analyze --sql "SELECT 1"
for options in --check '--by process' --metrics '--unproven separate' '--from 0' '--to 0' '--sort pid' '--top 3' '--events a' \
	'--tracefs .' '--counterset a' '--instance a' '--counter a' '--language english' '--multi-timer share' '--trace 1'; do
	echo "$options|--sql and ${options%% *} exclude one another"
done | mistakes perftab-analyze --sql "SELECT 1" "$db"
finish
