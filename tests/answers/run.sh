#!/bin/bash
# run.sh [traces|targets|--update]: every seed of the fuzzer and every sample gives the answer that
# tests/answers/manifest.tsv states.  Of a trace, as perftab-analyze --json has it: exit status, and
# for each trace, separated by " / ", its status, switches by status, the sum of what was charged,
# samples, values, findings; then the text of an error.  Seeds that are not a trace by themselves
# (`targets`) are made one by their fuzz target, or have what that target says in place of an error.
# --update writes the manifest anew; review the diff: a number that changed needs a reason.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
manifest=$PERFTAB_SOURCE/tests/answers/manifest.tsv
which=${1:-all}
cd "$PERFTAB_SOURCE" || exit 1

# --- the inputs: each folder of seeds is here once

declare -A target_of=([seeds-database]=fuzz_database [seeds-directory]=fuzz_perf_directory [seeds-elf]=fuzz_elf
	[seeds-events]=fuzz_events [seeds-layers]=fuzz_perf_layers [seeds-sql]=fuzz_sql
	[seeds-tracefs]=fuzz_perf_tracefs [seeds-xperf]=fuzz_xperf [seeds-xpress]=fuzz_xpress)
trace_folders=(seeds seeds-etl seeds-huffman seeds-packed seeds-perflib seeds-winperf)
for folder in tests/fuzz/seeds*; do
	name=${folder#tests/fuzz/}
	[ -n "${target_of[$name]:-}" ] || [[ " ${trace_folders[*]} " == *" $name "* ]] ||
		fail "$folder: tests/answers/run.sh does not know what reads it"
done

# Builds without libwim do not read one of them; cli_etw_huffman knows which builds those are.
unread='^$'
if [ "$which" != targets ]; then
	perftab-analyze tests/fuzz/seeds-huffman/good-versions.etl >"$work/out" 2>&1
	! grep -qF 'was built without libwim' "$work/out" || unread='^tests/fuzz/seeds-huffman/'
fi

# Some programs need libraries that not every build has.
{
	for name in "${!target_of[@]}"; do
		program=$PERFTAB_BIN/tests/fuzz/${target_of[$name]}_onefile
		if [ "$which" = traces ] || { [[ $name == seeds-e* ]] && [ "$which" = targets ] && [ ! -x "$program" ]; }; then
			continue
		fi
		mkdir -p "$work/kept/$name"
		"$program" --keep "$work/kept/$name" "tests/fuzz/$name" >"$work/out" 2>"$work/err" ||
			fail "$name: $(tail -3 "$work/err")"
		find "tests/fuzz/$name" -type f
	done
	[ "$which" = targets ] ||
		find "${trace_folders[@]/#/tests/fuzz/}" sample-traces -type f ! -name README.md ! -name '*.thread.csv' |
		grep -v "$unread"
} | LC_ALL=C sort >"$work/inputs"

# --- the answers

ask() { # INPUT: a line for run_each, or the answer that its fuzz target has
	local input=$1 name=${1//\//_} kept=$work/kept/${1#tests/fuzz/} options=--json
	if [ -e "$kept.text" ]; then
		cut -f1 "$kept.text" >"$work/answers/$name.exit"
		cut -f2- "$kept.text" >"$work/answers/$name.err"
		return
	fi
	[ ! -e "$kept" ] || input=$kept
	[ ! -e "$kept.tracefs" ] || options+=$'\t'--tracefs$'\t'$kept.tracefs
	[ ! -e "$kept.events" ] || options+=$'\t'--events$'\t'$(<"$kept.events")
	printf '%s\tperftab-analyze\t%s\t%s\n' "$name" "$options" "$input"
}

hear() { # INPUT: the first line of an error, without names of folders that differ
	local answer=$work/answers/${1//\//_} input=$1 kept=$work/kept/${1#tests/fuzz/} code said=
	[ ! -e "$kept" ] || input=$kept
	read -r code <"$answer.exit"
	# What it says of a trace that it reads is in the findings.
	[ ! -e "$answer.out" ] || { [ "$code" != 0 ] && [ "$code" != 3 ]; } || : >"$answer.err"
	IFS= read -r said <"$answer.err"
	said=${said#perftab-analyze: }
	said=${said/"$input: "/}
	said=${said//"$work/kept/"/}
	while [[ $said =~ /tmp/perftab-fuzz[-a-zA-Z.]* ]]; do said=${said/"${BASH_REMATCH[0]}"/TREE}; done
	said=${said//$'\t'/ }
	echo "${said:--}" >"$answer.said"
}

mkdir "$work/answers"
while read -r path; do ask "$path"; done <"$work/inputs" >"$work/lines"
run_each "$work/answers" <"$work/lines" || fail "run_each"
while read -r path; do hear "$path"; done <"$work/inputs"

cat >"$work/answers.sql" <<'SQL'
.mode tabs
CREATE TABLE answer(path, exit, answer, said);
SQL
while read -r path; do
	answer=$work/answers/${path//\//_}
	[ -s "$answer.out" ] || echo '{}' >"$answer.out"
	read -r code <"$answer.exit"
	printf "INSERT INTO answer VALUES ('%s', %s, CAST(readfile('%s.out') AS TEXT), trim(CAST(readfile('%s.said') AS TEXT), char(10)));\n" \
		"$path" "$code" "$answer" "$answer"
done <"$work/inputs" >>"$work/answers.sql"
cat >>"$work/answers.sql" <<'SQL'
CREATE TABLE trace AS SELECT answer.path, t.key AS at, t.value AS trace FROM answer, json_each(answer, '$.traces') AS t;
CREATE TABLE line AS SELECT path, at,
	trace ->> '$.trace.status' AS status,
	coalesce((SELECT group_concat(status || ':' || n, ' ') FROM (
		SELECT s.value ->> '$.status' AS status, sum(s.value ->> '$.switches') AS n
		FROM json_each(trace, '$.groups') AS g, json_each(g.value, '$.statuses') AS s GROUP BY 1 ORDER BY 1)), '-') AS switches,
	coalesce((SELECT group_concat(n, ' ') FROM (
		SELECT v.key AS slot, sum(v.value) AS n FROM json_each(trace, '$.lines') AS l, json_each(l.value, '$.values') AS v
		WHERE l.value ->> '$.kind' = 'task' GROUP BY 1 ORDER BY 1)), '-') AS charged,
	coalesce(trace ->> '$.sampling.samples', '-') AS samples,
	coalesce(json_array_length(trace, '$.values'), '-') AS vals,
	coalesce((SELECT group_concat(kind || ':' || n, ' ') FROM (
		SELECT value ->> '$.kind' AS kind, value ->> '$.count' AS n FROM json_each(trace, '$.findings') ORDER BY 1)), '-') AS findings
FROM trace ORDER BY path, at;
SELECT path, exit, coalesce(group_concat(status, ' / '), '-'), coalesce(group_concat(switches, ' / '), '-'),
	coalesce(group_concat(charged, ' / '), '-'), coalesce(group_concat(samples, ' / '), '-'),
	coalesce(group_concat(vals, ' / '), '-'), coalesce(group_concat(findings, ' / '), '-'), said
FROM answer LEFT JOIN line USING (path) GROUP BY path ORDER BY path;
SQL
header=$'input\texit\ttrace\tswitches\tcharged\tsamples\tvalues\tfindings\tsaid'
{
	echo "$header"
	sqlite3 -batch -bail :memory: <"$work/answers.sql"
} >"$work/manifest.tsv" || { fail "the answers cannot be read"; finish; }

# --- what they must be

# What the names promise holds for the manifest as well: good ones are whole, without damage.
awk -F'\t' '{ name = $1; sub(/.*\//, "", name) }
	name ~ /^good/ && ($2 != 0 || ($3 !~ /^complete( \/ complete)*$/ && $9 == "-")) { print $1 ": exit status " $2 ", " $3 }
	name ~ /^bad/ && $8 ~ /^[-\/ ]*$/ && $9 == "-" && $2 == 0 { print $1 ": nothing is said" }' "$work/manifest.tsv" >"$work/broken"
[ ! -s "$work/broken" ] || fail "$(cat "$work/broken")"
if [ "$which" = --update ]; then
	grep -e "$unread" "$manifest" >>"$work/manifest.tsv"
	{ head -1 "$work/manifest.tsv"; tail -n +2 "$work/manifest.tsv" | LC_ALL=C sort -t$'\t' -k1,1; } >"$manifest"
	finish
fi
awk -F'\t' 'NR == FNR { has[$1]; next } !($1 in has) { print $1 ": tests/answers/manifest.tsv has no answer: run tests/answers/run.sh --update" }' \
	"$manifest" "$work/inputs" >"$work/missing"
[ ! -s "$work/missing" ] || fail "$(cat "$work/missing")"
# The rows of these inputs, and of those that are gone.
awk -F'\t' -v which="$which" -v kept="$(ls "$work/kept" 2>/dev/null)" -v targets="${!target_of[*]}" '
	BEGIN {
		split(kept, names, "\n")
		for (i in names)
			is_kept[names[i]]
		split(targets, names, " ")
		for (i in names)
			is_target[names[i]]
	}
	{ folder = $1; sub(/^tests\/fuzz\//, "", folder); sub(/\/.*/, "", folder) }
	FNR == 1 || (folder in is_target ? folder in is_kept : which != "targets")' "$manifest" | grep -v "$unread" >"$work/wanted.tsv"
same "answers" "$work/wanted.tsv" "$work/manifest.tsv"
finish
