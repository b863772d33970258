#!/bin/bash
# corpus_perf.sh: event names, samples of each event and sums of their periods are those of
# perf 6.1, for every file that it reads; so are the counts of perf stat.  The differences
# are explained line by line in tests/corpus/perf-exceptions.tsv.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # corpus_files.sh
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
command -v perf >/dev/null || skip "perf is not installed"
version=$(perf --version 2>/dev/null) || skip "perf does not run"
[[ $version = "perf version 6.1."* ]] || skip "this is $version; INDEX.tsv and the exceptions are of 6.1"
exceptions=$PERFTAB_SOURCE/tests/corpus/perf-exceptions.tsv
export HOME=$work PERF_CONFIG=/dev/null

# readable SET COLUMN BEGINNING: the files that perf reads, by INDEX.tsv
readable() {
	tr -d '\r' <"$PERFTAB_CORPUS/$1/INDEX.tsv" | awk -F'\t' -v set="$1" -v column="$2" -v beginning="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) c = i; next }
		index($c, beginning) == 1 { print set "/" $1 }'
}
readable perf perf61_script ok >"$work/files"
readable lab "host perf script" "header ok" >>"$work/files"
[ "$(wc -l <"$work/files")" -ge 90 ] || fail "only $(wc -l <"$work/files") files in the index that perf reads"

samples_sql >"$work/samples.sql"
# What perf script prints of perf stat record.
cat >"$work/stat.sql" <<'SQL'
SELECT event, coalesce(cpu, -1) || ' ' || tid || ' ' || value || ' ' || enabled_ns || ' ' || running_ns
FROM stat JOIN counter USING (counter_id) JOIN thread_map ON position = thread;
SQL

awk -v folder="$PERFTAB_CORPUS" '{ print folder "/" $0 "\t" NR }' "$work/files" | convert_each
n=0
while read -r file; do
	trace=$PERFTAB_CORPUS/$file n=$((n + 1))
	db=$work/$n.db
	[ -e "$db" ] || { fail "$file: no database: $(head -1 "$work/converted/$n.err")"; continue; }
	# Without decoding hardware trace data, which would make up samples.
	perf script -f --no-itrace -F event,period -i "$trace" >"$work/perf" 2>"$work/err" </dev/null ||
		fail "$file: perf script: $(head -2 "$work/err")"
	line=
	while [ -z "$line" ] && read -r line; do :; done <"$work/perf"
	if [[ $line =~ ^CPU\ +THREAD ]]; then
		awk -v file="$file" '!/^CPU/ { print file "\t" $7 "\t" $1 " " $2 " " $3 " " $4 " " $5 }' "$work/perf" >>"$work/all.perf"
		query=$work/stat.sql
	else
		awk -v file="$file" '{ sub(/:$/, "", $2); print file "\t" $2 "\t" $1 }' "$work/perf" >>"$work/lines"
		query=$work/samples.sql
	fi
	printf '%s\n' ".open '$db'" ".output '$work/got.$n'" ".read '$query'" >>"$work/ask.sql"
done <"$work/files"
sqlite3 -batch -separator $'\t' <"$work/ask.sql" 2>"$work/err" && [ ! -s "$work/err" ] || fail "databases: $(head -3 "$work/err")"
awk -v work="$work" '{ of = work "/got." NR; while ((getline row <of) > 0) print $0 "\t" row; close(of) }' "$work/files" >"$work/all.perftab"
sqlite3 -batch -separator $'\t' :memory: "CREATE TABLE line(file TEXT, event TEXT, period INTEGER)" ".import $work/lines line" \
	"SELECT file, event, count(*) || ' ' || sum(period) FROM line GROUP BY file, event" >>"$work/all.perf"

# Each difference is explained, and each explanation explains one.
sort "$work/all.perf" >"$work/sorted.perf"
sort "$work/all.perftab" >"$work/sorted.perftab"
{
	comm -23 "$work/sorted.perf" "$work/sorted.perftab" | sed 's/^/perf	/'
	comm -13 "$work/sorted.perf" "$work/sorted.perftab" | sed 's/^/perftab	/'
} | sort >"$work/differences"
grep -v '^#' "$exceptions" | awk -F'\t' 'NF != 5 || $5 == "" { exit 1 }' || fail "perf-exceptions.tsv: a line without five columns"
grep -v '^#' "$exceptions" | cut -f1-4 | sort >"$work/explained"
while IFS= read -r line; do fail "not explained (who, file, event, samples and sum): $line"; done \
	< <(comm -23 "$work/differences" "$work/explained")
while IFS= read -r line; do fail "perf-exceptions.tsv explains what is not so: $line"; done \
	< <(comm -13 "$work/differences" "$work/explained")
finish
