#!/bin/bash
# threads.sh: the number of threads changes no output: bills, databases, CSV, findings, exit statuses, of traces of
# several blocks and batches, whole and damaged, in every form, and of .etl.  PERFTAB_THREADS are the numbers
# that are compared with one; ThreadSanitizer, in whose preset it is set, needs no others.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # samples.sh, generated.sh

# said_each NAME OPTION...: what both programs say and write of each line "TRACE<tab>NAME", to $work/NAME
said_each() {
	local folder=$work/$1 options trace name
	printf -v options '\t%s' "${@:2}"
	mkdir "$folder"
	cat >"$work/list"
	while IFS=$'\t' read -r trace name; do
		printf '%s\t%s%s\t%s\n' "$name.bill" $'perftab-analyze\t--by\tthread\t--csv' "$options" "$trace" \
			"$name.convert" $'perftab-convert\t--no-verify\t-o\t'"$folder/$name.db" "$options" "$trace" \
			"$name.to-csv" $'perftab-convert\t--to\tcsv\t-o\t'"$folder/$name.csv" "$options" "$trace"
	done <"$work/list" | run_lines --together "$folder"
	while IFS=$'\t' read -r _ name; do
		[ ! -e "$folder/$name.db" ] || printf ".open '%s'\n.once '%s'\n.dump\n" "$folder/$name.db" "$folder/$name.dump"
	done <"$work/list" | sqlite3 -batch || fail "dumps"
	rm -f "$folder"/*.db
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
printf '%s\tbasic\n' "$work/in/basic.data" >"$work/basic"
said_each runs --threads 3 <"$work/basic"
said_each records --threads 3 --no-runs <"$work/basic"
diff -rq "$work/records" "$work/runs" || fail "no runs"

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

make_etw --list >/dev/null 2>&1 || fail "make_etw --list"
make_etw --switches 9000 basic "$work/in" >/dev/null || fail "make_etw"
# Switches alone, which are read some runs of 16,384 ahead, but for one unknown event after 18,000.
make_etw --switches 60000 steady "$work/in" >/dev/null || fail "make_etw steady"
at=$(LC_ALL=C grep -abo -P '(?s)\xc0.\x00\x24\x05' "$work/in/steady.etl" | LC_ALL=C sed -n '18000{s/:.*//p;q}')
printf '\x63' | dd of="$work/in/steady.etl" bs=1 seek=$((at + 3)) conv=notrunc status=none
# Buffers that are counted ahead: without a header, with bytes that are not an event, and cut off.
[ "$(stat -c %s "$work/in/steady.etl")" -gt 3000000 ] || fail "the .etl has few chunks"
cp "$work/in/steady.etl" "$work/in/steady-damaged.etl"
for at in $((4096 * 300)) $((4096 * 400 + 1000)) $((4096 * 401 + 48)); do
	printf 'damaged.' | dd of="$work/in/steady-damaged.etl" bs=1 seek=$at conv=notrunc status=none
done
head -c 2900001 "$work/in/steady.etl" >"$work/in/steady-short.etl"

for trace in "$work"/in/*.data "$work"/in/*/*.data "$work"/in/*.etl; do
	name=${trace#"$work/in/"}
	printf '%s\t%s\n' "$trace" "${name//\//-}"
done >"$work/traces"
[ "$(wc -l <"$work/traces")" -ge 18 ] || fail "only $(wc -l <"$work/traces") traces"
for threads in 1 ${PERFTAB_THREADS:-2 3 8}; do
	said_each "$threads" --threads "$threads" <"$work/traces"
	[ "$(find "$work/$threads" -name '*.dump' -size +0 | wc -l)" -ge 18 ] || fail "few databases"
	diff -rq "$work/1" "$work/$threads" >"$work/differ" || fail "$threads threads: $(head -3 "$work/differ")"
	[ "$threads" = 1 ] || rm -rf "${work:?}/$threads"
done

status 2 "no thread" perftab-analyze --threads 0 "$work/in/basic.data"
finish
