#!/bin/bash
# run.sh [--update]: every seed of the fuzzer and every sample that is a trace gives the answer
# that tests/answers/manifest.tsv states: exit status, status of the trace, switches by status,
# the sum of what was charged, samples, values, findings.  --update writes the manifest anew;
# review the diff: a number that changed needs a reason.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
manifest=$PERFTAB_SOURCE/tests/answers/manifest.tsv
cd "$PERFTAB_SOURCE" || exit 1
find tests/fuzz/seeds tests/fuzz/seeds-{etl,perflib,winperf,xperf} sample-traces -type f \
	! -name README.md ! -name '*.thread.csv' | LC_ALL=C sort >"$work/inputs"

# Lines of a text without a header get the one of the fuzzer.
{
	printf 'BeginHeader\n'
	sed -n '/^static const char \*const columns/,/;$/p' tests/fuzz/fuzz_xperf.c | grep -o '".*"' | tr -d '"\n' | sed 's/\\n/\n/g'
	printf 'EndHeader\n'
} >"$work/head"
[ "$(wc -l <"$work/head")" -gt 10 ] || fail "tests/fuzz/fuzz_xperf.c has no header of ten lines"

# One program a processor.
ask() { # INPUT
	local answer=$work/answers/${1//\//_} input=$1
	case $1 in
	tests/fuzz/seeds-xperf/*)
		if [ "$(head -c 1 "$1" | tr -d '\0')" != B ]; then
			input=$answer.txt
			cat "$work/head" "$1" >"$input"
		fi ;;
	esac
	perftab-analyze --json "$input" >"$answer.json" 2>/dev/null
	echo $? >"$answer.exit"
}
export -f ask
export work
mkdir "$work/answers"
xargs -P "$(nproc)" -n 1 bash -c 'ask "$1"' ask <"$work/inputs"

cat >"$work/answers.sql" <<'SQL'
.mode tabs
CREATE TABLE answer(path, exit, answer);
SQL
while read -r path; do
	answer=$work/answers/${path//\//_}
	[ -s "$answer.json" ] || echo '{}' >"$answer.json"
	printf "INSERT INTO answer VALUES ('%s', %s, CAST(readfile('%s.json') AS TEXT));\n" "$path" "$(cat "$answer.exit")" "$answer"
done <"$work/inputs" >>"$work/answers.sql"
cat >>"$work/answers.sql" <<'SQL'
SELECT path, exit,
	coalesce((SELECT group_concat(value ->> '$.trace.status', ' ') FROM json_each(answer, '$.traces')), '-'),
	coalesce((SELECT group_concat(status || ':' || n, ' ') FROM (
		SELECT s.value ->> '$.status' AS status, sum(s.value ->> '$.switches') AS n
		FROM json_each(answer, '$.traces[0].groups') AS g, json_each(g.value, '$.statuses') AS s GROUP BY 1 ORDER BY 1)), '-'),
	coalesce((SELECT group_concat(n, ' ') FROM (
		SELECT v.key AS slot, sum(v.value) AS n FROM json_each(answer, '$.traces[0].lines') AS l, json_each(l.value, '$.values') AS v
		WHERE l.value ->> '$.kind' = 'task' GROUP BY 1 ORDER BY 1)), '-'),
	coalesce(answer ->> '$.traces[0].sampling.samples', '-'),
	coalesce(json_array_length(answer, '$.traces[0].values'), '-'),
	coalesce((SELECT group_concat(kind || ':' || n, ' ') FROM (
		SELECT value ->> '$.kind' AS kind, value ->> '$.count' AS n FROM json_each(answer, '$.traces[0].findings') ORDER BY 1)), '-')
FROM answer;
SQL
{
	printf 'input\texit\ttrace\tswitches\tcharged\tsamples\tvalues\tfindings\n'
	sqlite3 -batch :memory: <"$work/answers.sql"
} >"$work/manifest.tsv"

# What the names promise holds for the manifest as well: good ones are whole, without damage.
awk -F'\t' '{ name = $1; sub(/.*\//, "", name) }
	name ~ /^good/ && ($2 != 0 || $3 != "complete") { print $1 ": exit status " $2 ", " $3 }
	name ~ /^bad/ && $8 == "-" && $2 == 0 { print $1 ": nothing is said" }' "$work/manifest.tsv" >"$work/broken"
[ ! -s "$work/broken" ] || fail "$(cat "$work/broken")"
if [ "${1:-}" = --update ]; then
	cp "$work/manifest.tsv" "$manifest"
else
	same "answers" "$manifest" "$work/manifest.tsv"
fi
finish
