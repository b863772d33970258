#!/bin/bash
# corpus_files.sh: traces by others and the reproducers of their fuzzers.  Each ends with exit
# status 0 or 3, or 1 if it holds no record; no crash, sanitizer report or hang, at most
# 64 MiB; record counts and facts are those of INDEX.tsv, but for what
# tests/corpus/exceptions.tsv explains line by line.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
exceptions=$PERFTAB_SOURCE/tests/corpus/exceptions.tsv
limit=64 # MiB
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}exitcode=99
export UBSAN_OPTIONS=${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}exitcode=99

# A sanitizer's own memory is not the program's.
sanitized() {
	ASAN_OPTIONS=help=1 TSAN_OPTIONS=help=1 MSAN_OPTIONS=help=1 perftab-convert --version 2>&1 |
		grep -qE 'Available flags for (Address|Thread|Memory)Sanitizer'
}
weigh=yes
sanitized && { weigh=; echo "memory not measured: built with a sanitizer"; }
[ -x "$PERFTAB_BIN/bench/measure" ] || { fail "bench/measure is not built"; finish; }

# run_all FOLDER: each line of standard input as run_lines has it, within the limits; for programs with sanitizers
# that of time is the test's own
run_all() {
	local peak
	local -a words
	if [ -z "$weigh" ]; then
		run_lines "$1" || fail "run_lines"
		return
	fi
	while IFS=$'\t' read -r -a words; do
		measure timeout -s KILL 30 "${words[@]:1}" >"$1/${words[0]}.out" 2>"$1/${words[0]}.err" 3>"$work/measured"
		echo $? >"$1/${words[0]}.exit"
		read -r _ _ peak _ <"$work/measured"
		awk -v p="$peak" -v l=$limit 'BEGIN { exit !(p > 0 && p <= l) }' || fail "${words[*]:1}: $peak MiB, at most $limit allowed"
	done
}

# ended WHAT NAME: sets $got to the exit status of what was run so, which is one of those that there are
ended() {
	local text
	got=none
	read -r got <"$work/ran/$2.exit"
	IFS= read -rd '' text <"$work/ran/$2.err"
	case $got in
	0 | 1 | 3) ;;
	128 | 137) fail "$1: killed, after 30 seconds where there is a limit" ;;
	*) fail "$1: exit status $got: ${text:0:300}" ;;
	esac
	[[ $text != *Sanitizer* && $text != *'runtime error'* ]] || fail "$1: ${text:0:300}"
	[ "$got" -eq 0 ] || [ -n "$text" ] || fail "$1: exit status $got without a word"
}

# index SET: file, thing, what INDEX.tsv says of it; the things are types of records and facts
index() {
	tr -d '\r' <"$PERFTAB_CORPUS/$1/INDEX.tsv" | awk -F'\t' -v OFS='\t' -v set="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			file = set "/" $1
			print file, "exit", 0
			n = split($at["records"], counts, " ")
			for (i = 1; i <= n; i++) {
				split(counts[i], pair, /[=:]/)
				print file, pair[1], pair[2]
			}
			print file, "kernel", $at["kernel"]
			print file, "arch", $at["arch"]
			if (set == "lab") next
			print file, "attrs", $at["n_attrs"]
			print file, "lost", $at["lost"] == "no" ? "LOST=0(0) LOST_SAMPLES=0(0)" : $at["lost"]
			if ($at["events"] != "" && $at["events"] !~ /\(\+/) print file, "events", $at["events"]
		}'
}

# reader FILE DATABASE: SQL that prints the same of a database
reader() {
	local name=type
	[[ $1 = lab/* ]] || name="iif(type >= 32768 OR record IS NULL, '?' || type, record)"
	short_text <<-SQL
		.open "$2"
		SELECT '$1', $name, records FROM record_count;
		SELECT '$1', 'kernel', coalesce(os_release, '-') FROM trace;
		SELECT '$1', 'arch', coalesce(arch, '-') FROM trace;
		SELECT '$1', 'attrs', count(*) FROM counter;
		SELECT '$1', 'lost', printf('LOST=%d(%d) LOST_SAMPLES=%d(%d)',
			coalesce(sum(record = 'LOST'), 0), coalesce(sum(events * (record = 'LOST')), 0),
			coalesce(sum(record = 'LOST_SAMPLES'), 0), coalesce(sum(events * (record = 'LOST_SAMPLES')), 0))
			FROM lost;
		SELECT '$1', 'events', coalesce(group_concat(event, '; '), '') FROM (SELECT event FROM counter ORDER BY counter_id);
		SELECT '$1', 'integrity', integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok';
		SELECT '$1', 'foreign key', "table" FROM pragma_foreign_key_check;
	SQL
}

mkdir "$work/databases" "$work/ran" "$work/csv"
for set in perf lab; do
	[ -e "$PERFTAB_CORPUS/$set/INDEX.tsv" ] || { fail "no $set/INDEX.tsv in the corpus"; continue; }
	index "$set" >"$work/index.$set"
	cut -f1 "$work/index.$set" | uniq
done >"$work/files"
n=0
while read -r file; do
	trace=$PERFTAB_CORPUS/$file n=$((n + 1))
	printf '%s\t%s\t%s\t-o\t%s\n' $n.convert perftab-convert "$trace" "$work/databases/$n.db"
	printf '%s\t%s\t--check\t%s\n' $n.analyze perftab-analyze "$trace"
	[[ $file = *__corpus__* ]] || continue
	printf '%s\t%s\t--by\tthread\t--json\t--metrics\t%s\n' $n.json perftab-analyze "$trace"
	printf '%s\t%s\t--to\tcsv\t-o\t%s\t%s\n' $n.csv perftab-convert "$work/csv/$n" "$trace"
done <"$work/files" | run_all "$work/ran"

declare -A records
while read -r file; do records[$file]=yes; done < <(awk -F'\t' '$2 ~ /^[A-Z?0-9]/ { print $1 }' "$work"/index.*)
n=0
while read -r file; do
	n=$((n + 1)) db=$work/databases/$n.db
	ended "convert $file" $n.convert
	converted=$got
	printf '%s\texit\t%s\n' "$file" "$got" >>"$work/reader"
	[ "$got" -ne 1 ] || [ -z "${records[$file]-}" ] ||
		fail "convert $file: exit status 1, but there are records: $(head -1 "$work/ran/$n.convert.err")"
	if [ -e "$db" ]; then
		reader "$file" "$db" >>"$work/ask.sql"
	elif [ "$got" -ne 1 ]; then
		fail "convert $file: no database"
	fi
	ended "analyze $file" $n.analyze
	# Without counters at switches there is nothing to check, which is a failure.
	[ "$got" -eq "$converted" ] || [[ $(<"$work/ran/$n.analyze.err") = *'nothing to check'* ]] ||
		fail "analyze $file: exit status $got, convert's was $converted"
	[[ ! $(<"$work/ran/$n.analyze.out") =~ (^|[^A-Za-z])NO([^A-Za-z]|$) ]] || fail "analyze $file: does not balance"
	[[ $file = *__corpus__* ]] || continue
	ended "analyze fuzzed $file" $n.json
	ended "convert --to csv $file" $n.csv
	[ "$got" -eq "$converted" ] || fail "convert --to csv $file: exit status $got, SQLite's was $converted"
done <"$work/files"

sqlite3 -batch -separator $'\t' <"$work/ask.sql" >>"$work/reader" 2>"$work/err" && [ ! -s "$work/err" ] || fail "databases: $(head -3 "$work/err")"

# Each difference is explained, and each explanation explains one.
grep -hE '	(integrity|foreign key)	' "$work/reader" >"$work/unsound" && fail "unsound database: $(head -3 "$work/unsound")"
awk -F'\t' -v OFS='\t' '
	NR == FNR { index_[$1 FS $2] = $3; set[$1] = 1; next }
	{ key = $1 FS $2; reader[key] = $3; if ($2 == "exit") done[$1] = $3 }
	END {
		for (key in index_) {
			split(key, part, FS)
			if (done[part[1]] == 1 && part[2] != "exit") continue
			if (!(key in reader)) print key, index_[key], 0
			else if (reader[key] != index_[key]) print key, index_[key], reader[key]
		}
		for (key in reader) {
			split(key, part, FS)
			if (!(key in index_) && part[2] ~ /^[A-Z?0-9]/) print key, 0, reader[key]
		}
	}' <(cat "$work"/index.*) "$work/reader" | sort >"$work/differences"
grep -v '^#' "$exceptions" | awk -F'\t' 'NF != 5 || $5 == "" { exit 1 }' || fail "exceptions.tsv: a line without five columns"
grep -v '^#' "$exceptions" | cut -f1-4 | sort >"$work/explained"
while IFS= read -r line; do fail "not explained (file, what, INDEX.tsv, perftab): $line"; done \
	< <(comm -23 "$work/differences" "$work/explained")
while IFS= read -r line; do fail "exceptions.tsv explains what is not so: $line"; done \
	< <(comm -13 "$work/differences" "$work/explained")
finish
