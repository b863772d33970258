#!/bin/bash
# runs.sh: --no-runs changes no output of any sample or generated trace.  tests/fuzz/fuzz_runs.c compares the rows of damaged ones.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # samples.sh, generated.sh

# alike NAME TRACE OPTION...: perftab-analyze says the same, on stdout, on stderr and at its end; both come to be
# compared at the end, by compare
mkdir -p "$work/said/runs" "$work/said/no-runs"
said=()
alike() {
	local n=${#said[@]} options
	printf -v options '\t%s' "${@:3}"
	said+=("$1: perftab-analyze ${*:3}")
	printf '%s/%d\tperftab-analyze%s\t%s\n' runs "$n" "$options" "$2"
	printf '%s/%d\tperftab-analyze%s\t%s\n' no-runs "$n" "$options"$'\t--no-runs' "$2"
} >>"$work/lines"
compare() {
	local n
	run_lines --together "$work/said" <"$work/lines"
	diff -rq "$work/said/runs" "$work/said/no-runs" >"$work/differ" && return
	for n in "${!said[@]}"; do
		same "${said[n]}" "$work/said/no-runs/$n.out" "$work/said/runs/$n.out"
		same "${said[n]}: exit status" "$work/said/no-runs/$n.exit" "$work/said/runs/$n.exit"
	done
	fail "$(head -3 "$work/differ")" # pages, too
}

# The rows of a database, in the order of their tables.
dump() { sqlite3 "$1" .dump; }

# converts NAME TRACE: the same database, the same CSV
converts() {
	perftab-convert --no-verify "$2" -o "$work/runs.db" 2>"$work/runs.err"
	perftab-convert --no-verify --no-runs "$2" -o "$work/no-runs.db" 2>"$work/no-runs.err"
	if [ -e "$work/no-runs.db" ]; then
		dump "$work/runs.db" >"$work/runs"
		dump "$work/no-runs.db" >"$work/no-runs"
		same "$1: database" "$work/no-runs" "$work/runs"
	fi
	perftab-convert --to csv "$2" -o "$work/runs.csv" 2>/dev/null
	perftab-convert --to csv --no-runs "$2" -o "$work/no-runs.csv" 2>/dev/null
	diff -r "$work/no-runs.csv" "$work/runs.csv" >"$work/out" 2>&1 || fail "$1: CSV: $(head -3 "$work/out")"
	rm -rf "$work"/runs.* "$work"/no-runs.*
}

# A page: of the charged switches of a run, and of the same as records.
page() { # TRACE
	local n=$((pages++))
	printf '%s/page%d\tperftab-analyze%s\t--html\t%s\t%s\n' runs $n '' "$work/said/runs/$n.html" "$1" \
		no-runs $n $'\t--no-runs' "$work/said/no-runs/$n.html" "$1"
} >>"$work/lines"
pages=0

every_way() { # NAME TRACE
	alike "$1" "$2" --by thread --json
	alike "$1" "$2" --check --csv
}

make_trace --list >"$work/scenarios" || fail "make_trace --list"
mkdir "$work/in"
while read -r name; do
	make_trace --switches 600 "$name" "$work/in" || fail "make_trace $name"
done <"$work/scenarios"
for form in pipe zstd dir; do
	mkdir "$work/in/$form"
	make_trace --form $form --switches 600 everything "$work/in/$form" || fail "make_trace --form $form"
done
for trace in "$work"/in/*.data "$work"/in/*/*.data "$PERFTAB_SOURCE"/sample-traces/perf/*.data; do
	every_way "$(basename "$trace" .data)" "$trace"
done
make_etw --switches 600 all "$work/in" || fail "make_etw all"
for trace in "$work"/in/*.etl "$PERFTAB_SOURCE"/sample-traces/etw/*.etl; do
	every_way "${trace##*/}" "$trace"
done
for name in basic everything cpus_64 corruption; do
	converts "$name.etl" "$work/in/$name.etl"
done
if ! perftab-analyze --html "$work/try.html" "$work/in/two_counters.data" 2>&1 | grep -q 'this build has no pages'; then
	[ -e "$work/try.html" ] || fail "there is no page"
	for trace in "$work"/in/*.data "$PERFTAB_SOURCE"/sample-traces/perf/*.data; do
		page "$trace"
	done
	page "$work/in/everything.etl"
fi
for name in two_counters eight_counters everything; do
	converts "$name" "$work/in/$name.data"
done
for name in good-times good-threads good-task-group good-lossy good-perftab; do
	converts "$name" "$PERFTAB_SOURCE/sample-traces/perf/$name.data"
done
# So long that the last batch of switches has runs alone.
make_trace --seed 2 --switches 30000 basic "$work" || fail "make_trace basic"
converts "batches of runs" "$work/basic.data"
alike window "$work/in/two_counters.data" --csv --from +1ms
alike cpu "$work/in/two_counters.data" --csv --cpu 0
[ "$(wc -l <"$work/scenarios")" -gt 40 ] || fail "few scenarios"
compare
[ "$(find "$work/said/runs" -name '*.html' -size +20k | wc -l)" -eq "$pages" ] || fail "not every trace has a page"
finish
