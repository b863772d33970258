#!/bin/bash
# threads.sh: the number of threads changes no output: bills, databases, CSV, findings, exit statuses, of traces of
# several blocks and batches, whole and damaged, in every form, and of .etl.  PERFTAB_THREADS are the numbers
# that are compared with one; ThreadSanitizer, in whose preset it is set, needs no others.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # samples.sh, generated.sh

# said NAME OPTION...: what both programs say and write of $trace
said() {
	local name=$1 got=0
	shift
	{
		perftab-analyze "$@" --by thread --csv "$trace" || got=$?
		echo "analyze: exit status $got"
		got=0
		perftab-convert --no-verify "$@" "$trace" -o "$work/$name.db" || got=$?
		echo "convert: exit status $got"
		perftab-convert --to csv "$@" "$trace" -o "$work/$name.csv"
	} >"$work/$name" 2>&1
	[ ! -e "$work/$name.db" ] || sqlite3 "$work/$name.db" .dump >>"$work/$name"
	[ ! -e "$work/$name.csv" ] || (cd "$work/$name.csv" && tail -n +1 ./*) >>"$work/$name"
	rm -rf "$work/$name".{db,csv}
}

alike() { # NAME: with any number of threads
	local threads
	said one --threads 1
	for threads in ${PERFTAB_THREADS:-2 3 8}; do
		said many --threads $threads
		same "$1: $threads threads" "$work/one" "$work/many"
	done
}

mkdir "$work/in"
make_trace --switches 12000 basic "$work/in" || fail "make_trace basic"
for name in everything mux lost threads; do
	make_trace --switches 9000 $name "$work/in" || fail "make_trace $name"
done
for form in pipe zstd dir; do
	mkdir "$work/in/$form"
	make_trace --form $form --switches 9000 two_counters "$work/in/$form" || fail "make_trace --form $form"
done
[ "$(stat -c %s "$work/in/basic.data")" -gt 2000000 ] || fail "the trace has few blocks"
trace=$work/in/basic.data
said runs --threads 3
said records --threads 3 --no-runs
same "no runs" "$work/records" "$work/runs"

# Bytes overwritten, records cut out, and the end missing.
for seed in 1 2 3 4; do
	at=$((300000 * seed + 1111 * seed))
	cp "$work/in/basic.data" "$work/in/overwritten-$seed.data"
	head -c $((seed * seed * 40)) "$PERFTAB_SOURCE/tests/cli/lib.sh" |
		dd of="$work/in/overwritten-$seed.data" bs=1 seek=$at conv=notrunc status=none
	{
		head -c "$at" "$work/in/basic.data"
		tail -c +$((at + 8 * seed)) "$work/in/basic.data"
	} >"$work/in/cut-$seed.data"
done
head -c 1500001 "$work/in/basic.data" >"$work/in/short.data"
for trace in "$work"/in/*.data "$work"/in/*/*.data; do
	alike "$(basename "$trace" .data)"
done

make_etw --list >/dev/null 2>&1 || fail "make_etw --list"
make_etw --switches 9000 basic "$work/in" >/dev/null || fail "make_etw"
for trace in "$work"/in/*.etl; do
	alike "$(basename "$trace")"
done

status 2 "no thread" perftab-analyze --threads 0 "$work/in/basic.data"
finish
