#!/bin/bash
# corpus_counters.sh: the values of published and of real raw counters (PERFTAB_CORPUS/perflib),
# calculated by the extension in sqlite3.  Their expected values are of exact arithmetic.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
corpus=${PERFTAB_CORPUS:-}/perflib
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
for name in published-vectors pal_samplelog_v1; do
	[ -e "$corpus/$name.tsv" ] || skip "no perflib/$name.tsv in $PERFTAB_CORPUS"
done
command -v sqlite3 >/dev/null || skip "no sqlite3"

# The expectation of each row is decided here from its type alone: `over` says what D is.
cat >"$work/check.sql" <<END
.load $shared/perftab
.mode tabs
.import $corpus/published-vectors.tsv published
.import $corpus/pal_samplelog_v1.tsv pal
CREATE TEMP TABLE pair AS
SELECT 'published' AS origin, type_hex AS type, type AS name, nullif(N0, '') AS n0, N1 AS n1,
	nullif(D0_or_B0, '') AS d0, D1_or_B1 AS d1, nullif(freq, '') AS frequency, NULL AS bytes,
	expected, CASE N0 WHEN '' THEN 'single' ELSE '' END AS note FROM published
UNION ALL
SELECT 'pal', type_hex, type, N0, N1,
	nullif(CASE perf_counter_over(type_hex) WHEN 'ticks' THEN perftime0 WHEN '100ns' THEN t100ns0 WHEN 'base' THEN B0 END, ''),
	nullif(CASE perf_counter_over(type_hex) WHEN 'ticks' THEN perftime1 WHEN '100ns' THEN t100ns1 WHEN 'base' THEN B1
		WHEN 'object' THEN objtime1 END, ''),
	CASE perf_counter_over(type_hex) WHEN 'object' THEN objfreq1 ELSE perffreq END, size, expected, note FROM pal;
CREATE TEMP TABLE result AS
SELECT *, perf_counter_value(type, n0, n1, d0, d1, frequency, NULL, NULL, bytes) AS value,
	perf_counter_status(type, n0, n1, d0, d1, frequency, NULL, NULL, bytes) AS status,
	perf_counter_type_name(type) AS our_name FROM pair;
CREATE TEMP VIEW judged AS
SELECT *, our_name IS name AND CASE note
	WHEN '' THEN status = 'ok' AND abs(value - expected) <= 1e-12 * abs(expected)
	WHEN 'negative-delta' THEN status = 'negative' AND value IS NULL AND expected = ''
	WHEN 'zero-denominator' THEN status = 'zero_base' AND value IS NULL AND expected = ''
	-- windows_exporter's, whose older sample is not published
	WHEN 'single' THEN status = 'single_sample' AND value IS NULL
	ELSE FALSE END AS is_right FROM result;
.mode list
.output $work/wrong
SELECT origin, type, name, n0, n1, d0, d1, frequency, expected, note, status, value FROM judged WHERE NOT is_right OR is_right IS NULL;
.output $work/counts
SELECT origin, note, count(*), count(value) FROM judged GROUP BY 1, 2 ORDER BY 1, 2;
.output stdout
SELECT origin || ': ' || count(*) || ' rows, ' || count(value) || ' values of ' || count(DISTINCT name) ||
	' types, ' || sum(value = CAST(expected AS REAL)) || ' the same to the last bit, worst relative error ' ||
	max(abs(value - expected) / CASE CAST(expected AS REAL) WHEN 0 THEN 1 ELSE abs(expected) END)
	FROM judged GROUP BY origin;
END
sqlite3 -batch <"$work/check.sql" 2>"$work/err" || fail "sqlite3: $(head -2 "$work/err")"
[ ! -s "$work/err" ] || fail "sqlite3: $(head -2 "$work/err")"
[ ! -s "$work/wrong" ] || fail "wrong: $(head -5 "$work/wrong")"
# Every row was there.
cat >"$work/wanted" <<'END'
pal||3245|3245
pal|negative-delta|6|0
pal|zero-denominator|16|0
published||3|3
published|single|1|0
END
same "number of rows" "$work/wanted" "$work/counts"
finish
