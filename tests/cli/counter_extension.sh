#!/bin/bash
# counter_extension.sh: sqlite3 loads perftab.so and calculates with it.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
command -v sqlite3 >/dev/null || skip "no sqlite3"
sqlite3 -batch :memory: "SELECT load_extension('')" 2>&1 | grep -q 'not authorized\|no such function' &&
	skip "this sqlite3 loads no extensions"
extension=$shared/perftab.so
[ -e "$extension" ] || fail "no $extension"

# By its name with and without suffix, in the shell and in SQL.
cat >"$work/raw.sql" <<'END'
CREATE TABLE raw(type, n0, n1, d0, d1, frequency);
INSERT INTO raw VALUES
	(0x10410400, 0, 9, 0, 100000000, 10000000),
	(0x10410400, 4294967290, 5, 0, 10000000, 10000000),
	(0x20510500, 0, 200000000000000000, 0, 200000000000000000, NULL),
	(0x40020500, 7, 7, 3, 3, NULL),
	(0x30240500, NULL, 128315920367031250, NULL, 128315940986167596, 10000000);
SELECT perf_counter_type_name(type), perf_counter_over(type),
	perf_counter_status(type, n0, n1, d0, d1, frequency),
	perf_counter_value(type, n0, n1, d0, d1, frequency), perf_counter_unit(type) FROM raw;
END
cat >"$work/wanted" <<'END'
PERF_COUNTER_COUNTER|ticks|ok|0.9|/sec
PERF_COUNTER_COUNTER|ticks|wrapped|11.0|/sec
PERF_100NSEC_TIMER|100ns|ok|100.0|%
PERF_AVERAGE_BULK|base|zero_base||
PERF_ELAPSED_TIME|object|ok|2061.9136346|secs
END
for load in ".load $extension" ".load ${extension%.so}" "SELECT load_extension('$extension');"; do
	{ echo "$load"; cat "$work/raw.sql"; } | sqlite3 -batch >"$work/got" 2>"$work/err"
	sed -i '1{/^$/d}' "$work/got"
	same "$load" "$work/wanted" "$work/got"
	[ ! -s "$work/err" ] || fail "$load: $(head -2 "$work/err")"
done

# Loading twice does no harm; a wrong argument ends the statement, not the shell.
sqlite3 -batch :memory: ".load $extension" ".load $extension" \
	"SELECT perf_counter_type_name(65536)" 2>&1 | reads "loaded twice" PERF_COUNTER_RAWCOUNT
printf '%s\n' ".load $extension" "SELECT perf_counter_value(65536, 0, 1.5, 0, 0, 0);" "SELECT 'on';" |
	sqlite3 -batch >"$work/out" 2>"$work/err"
grep -qF "n1: expected an integer, found a real number" "$work/err" || fail "wrong argument: $(cat "$work/err")"
grep -qx on "$work/out" || fail "the shell did not go on"

# The views know the same types, and calculate the same in SQL: statuses, and values to the last digits.
database=$work/values.db
perftab-convert "$PERFTAB_SOURCE/sample-traces/perflib/good-disk.plb" -o "$database" || fail "convert"
sqlite3 -batch "$database" ".load $extension" "SELECT count(*), count(DISTINCT formula), sum(name IS NOT perf_counter_type_name(type) OR
	unit IS NOT perf_counter_unit(type) OR over IS NOT perf_counter_over(type) OR base_type IS NOT perf_counter_base_type(type))
	FROM perflib_counter_type" | reads "types of the view" '39|13|0'
cat >"$work/same.sql" <<'END'
CREATE TEMP TABLE found AS SELECT status, value,
	perf_counter_status(type, n0, n1, d0, d1, frequency, multi, NULL, n_bytes, d_bytes) AS status_of_function,
	perf_counter_value(type, n0, n1, d0, d1, frequency, multi, NULL, n_bytes, d_bytes) AS value_of_function FROM perflib_value;
INSERT INTO result SELECT status, count(*), sum(status <> status_of_function OR (value IS NULL) <> (value_of_function IS NULL) OR
	abs(value - value_of_function) > 1e-15 * abs(value_of_function)) FROM found GROUP BY status;
DROP TABLE found;
END
# Numbers of all sizes, or of 4 bytes, in place of those recorded: a is a share of 2^31 that depends on the cell and the round.
for round in {1..60}; do
	number() { # number WHAT: none, small, of 32 bits, about 2^31 and 2^32; or of 53 and 64 bits, about 2^64 and 2^63
		echo "(SELECT CASE a % (6 + $round % 2 * 5) WHEN 0 THEN NULL WHEN 1 THEN a % 3 WHEN 2 THEN a WHEN 3 THEN 2 * a WHEN 4 THEN 0x7ffffffe + a % 4
			WHEN 5 THEN 0xfffffffc + a % 4 WHEN 6 THEN (a << 22) + a WHEN 7 THEN -1 - a % 3 WHEN 8 THEN 0x7ffffffffffffffe + a % 2
			WHEN 9 THEN -9223372036854775807 + a ELSE (a << 33) | a END
			FROM (SELECT ($1 * 1103515245 + $round * 69069 + 12345) & 0x7fffffff AS a))"
	}
	echo "UPDATE perflib_counter SET type = (SELECT type FROM (SELECT type, row_number() OVER () AS n FROM perflib_counter_type) WHERE n = 1 + (counter * 7 + $round) % 39);
	UPDATE perflib_raw SET value = $(number rowid), bytes = CASE (rowid + $round) % 3 WHEN 0 THEN 8 ELSE 4 END,
		second = CASE $round % 3 WHEN 0 THEN $(number "(rowid + 1000)") END, multi = $(number "(rowid + 2000)");
	UPDATE perflib_snapshot SET perf_time = $(number "(rowid + 3000)"), perf_freq = CASE $round % 4 WHEN 2 THEN $round % 3 - 1 ELSE $(number "(rowid + 4000)") END WHERE snapshot % 3 <= $round % 5;"
	cat "$work/same.sql"
done >"$work/rounds.sql"
{
	echo ".load $extension"
	echo "CREATE TEMP TABLE result (status, count, other);"
	cat "$work/rounds.sql"
	echo "SELECT group_concat(status, ' '), sum(other) FROM (SELECT status, sum(other) AS other FROM result GROUP BY status ORDER BY status);"
} | sqlite3 -batch "$database" >"$work/compared" 2>"$work/err" || fail "the view: $(head -1 "$work/err")"
reads "the view and the functions" 'bytes frequency future_start missing negative negative_base no_base no_frequency no_multi no_number no_start no_time ok partner single_sample time wrapped zero_base|0' <"$work/compared"

# It gives the program nothing but its entry, and uses its SQLite alone.
if command -v nm >/dev/null; then
	nm -D --defined-only "$extension" | awk '$2 ~ /[TDBRW]/ { print $3 }' | reads "exported names" sqlite3_perftab_init
	nm -D --undefined-only "$extension" | grep -q ' sqlite3_\|asan\|ubsan' &&
		fail "it needs $(nm -D --undefined-only "$extension" | grep ' sqlite3_\|asan\|ubsan' | head -1)"
fi
# An installation has it where README says.
status 0 "install" cmake --install "$helpers" --prefix "$work/installed"
find "$work/installed" -path '*/perftab/perftab.so' | grep -q . || fail "not installed"

# The document knows every name.
cd "$PERFTAB_SOURCE/lib/counters" || exit 1
{ grep -oE '^TYPE\([A-Z0-9_]+' perf_counter_types.def | cut -d'(' -f2
	grep -oE '^(STATUS|VARIANT)\([A-Z_]+, *"[a-z_]+"' perf_counter_statuses.def perf_counter_variants.def | cut -d'"' -f2; } >"$work/names"
[ "$(wc -l <"$work/names")" -gt 60 ] || fail "few names: $(wc -l <"$work/names")"
while read -r name; do
	grep -qF "| \`$name\` |" "$PERFTAB_SOURCE/docs/counters.md" || fail "docs/counters.md: no $name"
done <"$work/names"
finish
