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

# twins WHAT ONE OTHER EXCLUSIONS: two traces give the same tables, and are worth the same
twins() {
	local one=0 other=0
	local -a said_one said_other
	rm -f "$work"/{one,other}.db
	perftab-convert "$2" -o "$work/one.db" 2>"$work/one.err" || one=$?
	perftab-convert "$3" -o "$work/other.db" 2>"$work/other.err" || other=$?
	[ "$one" -eq "$other" ] || fail "$1: exit status $other, the original's is $one: $(head -1 "$work/other.err")"
	mapfile said_one <"$work/one.err"
	mapfile said_other <"$work/other.err"
	[ "${said_one[*]#"perftab-convert: $2: "}" = "${said_other[*]#"perftab-convert: $3: "}" ] ||
		fail "$1: other words on stderr: ${said_other[*]}"
	[ -e "$work/one.db" ] || { [ ! -e "$work/other.db" ] || fail "$1: the original has no database"; return; }
	dump "$work/one.db" "$4" "$work/one.sql"
	dump "$work/other.db" "$4" "$work/other.sql"
	[ "$(grep -c '^INSERT' "$work/one.sql")" -gt 20 ] || fail "$1: hardly a row to compare"
	same "$1: the tables differ" "$work/one.sql" "$work/other.sql"
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

swapped=0
for trace in "$PERFTAB_SOURCE"/sample-traces/perf/*.data; do
	name=$(basename "$trace" .data)
	swap_trace "$trace" "$work/$name.data" 2>"$work/err" || { fail "$name: swap_trace: $(cat "$work/err")"; continue; }
	[ "$(head -c 8 "$work/$name.data")" = 2ELIFREP ] || fail "$name: the copy is not big-endian"
	twins "$name" "$trace" "$work/$name.data" "$copy"
	two_roads "$work/$name.data" "$name" few
	swapped=$((swapped + 1))
done
[ "$swapped" -ge 7 ] || fail "only $swapped samples were swapped"

if [ -n "${PERFTAB_CORPUS:-}" ]; then
	swapped=0 refused=0
	while read -r trace; do
		if swap_trace "$trace" "$work/swapped.data" 2>/dev/null; then
			swapped=$((swapped + 1))
			case $trace in *simpleperf*) but="$copy; $bytes; $names" ;; *) but="$copy; $bytes" ;; esac
			twins "${trace#"$PERFTAB_CORPUS/"}" "$trace" "$work/swapped.data" "$but"
		else # compressed, big-endian, simpleperf's own records, or no perf.data at all
			refused=$((refused + 1))
		fi
		rm -f "$work/swapped.data"
	done < <(find "$PERFTAB_CORPUS/lab" "$PERFTAB_CORPUS/perf" -type f ! -name '*.tsv' ! -name '*.truth' ! -name '*.md' | sort)
	echo "corpus: $swapped traces compared with their byte-swapped copies, $refused refused by swap_trace"
	[ "$swapped" -ge 85 ] || fail "only $swapped traces of the corpus were swapped"
else
	echo "corpus not compared: PERFTAB_CORPUS is not set"
fi

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
		twins "$name: file and $form" "$work/file/$name.data" "$work/$form/$name.data" "$moved; ${may_differ//$'\t'/ }"
	done
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
