#!/bin/bash
# twins.sh: one recording, two containers, the same tables.  A byte-swapped copy of every
# little-endian sample, and with PERFTAB_CORPUS of traces by others; make_trace's file
# and what else it can put the same records into.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # samples.sh, forms.sh, corpus_perf
PATH=$helpers/tests/generate:$PATH
scenarios='basic no_id no_trailers software_reuse tracker everything software_everything'

# dump DATABASE EXCLUSIONS FILE: schema and rows of every table, but for what may differ
dump() { sqlite3 -batch "$1" "PRAGMA synchronous = OFF; BEGIN; $2; COMMIT" .dump >"$3" 2>"$work/err" || fail "$1: $(head -1 "$work/err")"; }

# twins_each: of each line "WHAT<tab>ONE<tab>OTHER<tab>EXCLUSIONS" two traces give the same tables, and are worth the same
twins_each() {
	local each=$work/twins what one other exclusions side n=0 file
	local -a said_one said_other
	rm -rf "$each"
	mkdir -p "$each/one" "$each/other"
	cat >"$each/list"
	while IFS=$'\t' read -r what one other exclusions; do
		n=$((n + 1))
		printf '%s\tperftab-convert\t%s\t-o\t%s.db\n' "one/$n" "$one" "$each/one/$n" "other/$n" "$other" "$each/other/$n"
	done <"$each/list" | run_lines "$each"
	n=0
	while IFS=$'\t' read -r what one other exclusions; do
		n=$((n + 1))
		for side in one other; do
			[ ! -e "$each/$side/$n.db" ] || printf ".open '%s'\nPRAGMA synchronous = OFF;\nBEGIN;\n%s;\nCOMMIT;\n.output %s\n.dump\n.output\n" \
				"$each/$side/$n.db" "$exclusions" "$each/$side/$n.sql"
		done
	done <"$each/list" | sqlite3 -batch >"$work/out" 2>"$work/err"
	[ ! -s "$work/err" ] || fail "dumps: $(head -3 "$work/err")"
	grep -c '^INSERT' "$each"/one/*.sql /dev/null >"$each/rows"
	while IFS=: read -r file n; do
		[ "$n" -gt 20 ] || [ "$file" = /dev/null ] || fail "hardly a row to compare: $(sed -n "$(basename "$file" .sql)p" "$each/list")"
	done <"$each/rows"
	n=0
	diff -rq -x '*.err' -x '*.db' -x '*.out' "$each/one" "$each/other" >"$each/differ"
	while IFS=$'\t' read -r what one other exclusions; do
		n=$((n + 1))
		mapfile said_one <"$each/one/$n.err"
		mapfile said_other <"$each/other/$n.err"
		[ "${said_one[*]#"perftab-convert: $one: "}" = "${said_other[*]#"perftab-convert: $other: "}" ] ||
			fail "$what: other words on stderr: ${said_other[*]}"
		[ -s "$each/differ" ] || continue
		same "$what: exit statuses" "$each/one/$n.exit" "$each/other/$n.exit"
		if [ -e "$each/one/$n.db" ]; then
			same "$what: the tables differ" "$each/one/$n.sql" "$each/other/$n.sql"
		else
			[ ! -e "$each/other/$n.db" ] || fail "$what: the original has no database"
		fi
	done <"$each/list"
}

# A copy is another file and of the other byte order; all else is the same, offsets included.
copy="UPDATE trace SET path = NULL, byte_order = NULL"
# Bytes are kept in the byte order of the file.  So these are compared by
# their length: records and header features that perftab does not decode.
bytes="UPDATE other_record SET body = zeroblob(length(body)) WHERE body IS NOT NULL;
	UPDATE header_feature SET content = zeroblob(length(content)) WHERE content IS NOT NULL"

# swap_trace leaves simpleperf's own sections, with names of functions, as they are.
names="DELETE FROM file_symbol; DELETE FROM frame_symbol; DELETE FROM module;
	DELETE FROM header_feature WHERE feature >= 128; DELETE FROM finding WHERE kind = 'other_feature'"

# swap TRACE NAME EXCLUSIONS: lines of twins
swap() { printf '%s\t%s\t%s\t%s\n' "$2" "$1" "$work/swapped/$2.data" "${3//[$'\t\n']/ }"; }

swapped=0
mkdir "$work/swapped"
for trace in "$PERFTAB_SOURCE"/sample-traces/perf/*.data; do
	name=${trace##*/} name=${name%.data}
	swap_trace "$trace" "$work/swapped/$name.data" 2>"$work/err" || { fail "$name: swap_trace: $(cat "$work/err")"; continue; }
	[ "$(head -c 8 "$work/swapped/$name.data")" = 2ELIFREP ] || fail "$name: the copy is not big-endian"
	swap "$trace" "$name" "$copy" >>"$work/pairs"
	printf '%s\t%s\tfew\n' "$work/swapped/$name.data" "$name" >>"$work/copies"
	swapped=$((swapped + 1))
done
[ "$swapped" -ge 7 ] || fail "only $swapped samples were swapped"
roads_each <"$work/copies"

if [ -n "${PERFTAB_CORPUS:-}" ]; then
	swapped=0 refused=0
	while read -r trace; do
		if swap_trace "$trace" "$work/swapped/corpus$swapped.data" 2>/dev/null; then
			case $trace in *simpleperf*) but="$copy; $bytes; $names" ;; *) but="$copy; $bytes" ;; esac
			swap "$trace" "corpus$swapped" "$but" >>"$work/pairs"
			swapped=$((swapped + 1))
		else # compressed, big-endian, simpleperf's own records, or no perf.data at all
			refused=$((refused + 1))
		fi
	done < <(find "$PERFTAB_CORPUS/lab" "$PERFTAB_CORPUS/perf" -type f ! -name '*.tsv' ! -name '*.truth' ! -name '*.md' | sort)
	echo "corpus: $swapped traces compared with their byte-swapped copies, $refused refused by swap_trace"
	[ "$swapped" -ge 85 ] || fail "only $swapped traces of the corpus were swapped"
else
	echo "corpus not compared: PERFTAB_CORPUS is not set"
fi
twins_each <"$work/pairs"
rm -r "$work/swapped"

# make_trace: the place of a record or section is not the same in another container, and
# features are listed in the order in which they are met.
moved="UPDATE trace SET path = NULL, bytes = NULL, form = NULL; UPDATE finding SET first_offset = first_offset IS NULL;
	UPDATE other_record SET record_offset = NULL; CREATE TABLE feature AS SELECT feature, name, bytes, status, content
	FROM header_feature WHERE TRUE ORDER BY 1; DELETE FROM header_feature"
# Machines of the other byte order are s390x instead of x86_64, says make_trace.
be="UPDATE trace SET byte_order = NULL, arch = NULL; DELETE FROM header_fact WHERE key = 'ARCH'"
# A stream has records for what a file has in its header: HEADER_ATTR, TRACING_DATA,
# ID_INDEX, EVENT_UPDATE and HEADER_FEATURE.  TRACING_DATA is then no header feature, and the
# times of the first and last sample are written before they are known.
pipe="DELETE FROM record_count WHERE type IN (64, 66, 69, 78, 80); DELETE FROM feature WHERE name = 'TRACING_DATA';
	DELETE FROM header_fact WHERE key LIKE 'SAMPLE_TIME %'"
# The packing: its records and its header feature.
zstd="DELETE FROM record_count WHERE type IN (81, 83); DELETE FROM feature WHERE name = 'COMPRESSED';
	DELETE FROM header_fact WHERE key = 'COMPRESSED'"
# EVENT_DESC holds the attrs, which are larger.
bigattr="UPDATE feature SET bytes = NULL WHERE name = 'EVENT_DESC'"
make_trace --seed 7 all "$work/file" || fail "make_trace"
while IFS='|' read -r form may_differ; do
	make_trace --seed 7 --form "$form" all "$work/$form" || fail "make_trace --form $form"
	for name in $scenarios; do
		printf '%s\t%s\t%s\t%s\n' "$name: file and $form" "$work/file/$name.data" "$work/$form/$name.data" "${moved//$'\n'/ }; ${may_differ//$'\t'/ }"
	done | twins_each
	rm -r "${work:?}/$form"
done <<END
file-be|$be
pipe|${pipe//$'\n'/ }
pipe-be|${pipe//$'\n'/ }; $be
zstd|${zstd//$'\n'/ }
zstd2|${zstd//$'\n'/ }
zstd2-wrap|${zstd//$'\n'/ }
pipe-zstd|${pipe//$'\n'/ }; ${zstd//$'\n'/ }
attrs-last|SELECT 1
v1|SELECT 1
bigattr|$bigattr
END

# Another order of records gives other ids and another order of rows, but the same rows:
# each table as a set, threads and processes by what they are.  thread_cgroup has a row where
# the switches, in their order, name another control group.
sets() { # DATABASE FILE
	sql "$1" "SELECT 'SELECT ' || quote(t.name) || ', ' || group_concat(CASE
			WHEN c.name LIKE '%thread_id' THEN '(SELECT json_array(p.pid, t.tid, t.recorder_tid, t.idle_cpu, t.start_ns,
				t.end_ns, t.name) FROM thread AS t JOIN process AS p USING (process_id) WHERE t.thread_id = x.' || c.name || ')'
			WHEN c.name = 'process_id' THEN '(SELECT json_array(p.pid, p.parent_pid, p.start_ns, p.end_ns, p.name)
				FROM process AS p WHERE p.process_id = x.process_id)'
			ELSE 'x.\"' || c.name || '\"' END, ', ') || ' FROM \"' || t.name || '\" AS x;'
		FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
		WHERE t.type = 'table' AND t.name <> 'thread_cgroup' AND c.name NOT IN ('switch_id', 'sample_id', 'detail_id', 'callchain_id')
		GROUP BY t.name" | tr '\n\t' '  ' >"$work/sets.sql"
	sqlite3 -batch "$1" <"$work/sets.sql" 2>"$work/err" | sort >"$2"
	[ ! -s "$work/err" ] || fail "$1: $(head -1 "$work/err")"
}
for form in dir overwrite; do
	make_trace --seed 7 --form "$form" all "$work/$form" || fail "make_trace --form $form"
	for name in basic software_reuse tracker everything software_everything; do
		for side in file $form; do
			rm -f "$work/$side.db"
			perftab-convert "$work/$side/$name.data" -o "$work/$side.db" 2>"$work/err" || fail "$name: $side: $(cat "$work/err")"
			# Rounds are of one ring only, or of none.
			dump "$work/$side.db" "$moved; DELETE FROM record_count WHERE record = 'FINISHED_ROUND';
				DELETE FROM feature WHERE name = 'DIR_FORMAT'; DELETE FROM header_fact WHERE key = 'DIR_FORMAT version'" /dev/null
			sets "$work/$side.db" "$work/$side.rows"
		done
		[ "$(wc -l <"$work/file.rows")" -gt 500 ] || fail "$name: only $(wc -l <"$work/file.rows") rows to compare"
		same "$name: file and $form: the rows differ" "$work/file.rows" "$work/$form.rows"
	done
done
finish
