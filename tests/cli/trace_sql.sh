#!/bin/bash
# trace_sql.sh [corpus]: the functions of perftab.so give the rows of the converted tables, of all
# samples, or of corpus files, of those of perf every third one; in the sqlite3 shell, Python and a program in C.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # analyze_sql.sh, samples.sh
command -v sqlite3 >/dev/null || skip "no sqlite3"
sqlite3 -batch :memory: "SELECT load_extension('')" 2>&1 | grep -q 'not authorized\|no such function' &&
	skip "this sqlite3 loads no extensions"
extension=$shared/perftab
sed -n 's/^CREATE TABLE \([a-z_]*\).*/\1/p' "$PERFTAB_SOURCE/schema/tables.sql" | grep -vx charge_status | sort >"$work/fixed"
[ "$(wc -l <"$work/fixed")" -gt 50 ] || fail "few tables in the schema"

# describe DATABASE NAME: for the shell of SQLite: "TABLE|columns|columns, bytes in hex|columns from JSON|rows" of each
# table to NAME.tables, "VIEW|COUNTER" of each bill to NAME.bills
describe() {
	cat <<-END
		.open "$1"
		.once "$work/ask.sql"
		SELECT group_concat('SELECT ' || quote(name) || ', ' || columns || ', count(*) FROM "' || name || '"', ' UNION ALL ') || ';'
		FROM (SELECT t.name AS name, (SELECT quote(group_concat('"' || name || '"', ', ')) || ', ' ||
			quote(group_concat(iif(type = 'BLOB', 'lower(hex("' || name || '"))', '"' || name || '"'), ', ')) || ', ' ||
			quote(group_concat('json ->> ''' || name || '''', ', ')) FROM pragma_table_info(t.name)) AS columns
		FROM sqlite_schema AS t WHERE type = 'table' AND name <> 'charge_status');
		.once "$2.tables"
		.read "$work/ask.sql"
		.once "$2.bills"
		SELECT 'process', name FROM pragma_table_info('process_bill') WHERE cid > 5
		UNION ALL SELECT 'comm', name FROM pragma_table_info('comm_bill') WHERE cid > 5;
	END
}

# questions FOLDER: of each line "NAME<tab>TRACE" SQL that prints "NAME|TABLE|rows that differ|rows" for each table, and
# "NAME|VIEW.COUNTER|..." for each counter of a bill.  An empty table is asked of each eighth file of the corpus, for the
# whole file is read again.
questions() {
	awk -F'\t' -v folder="$1" -v extension="$extension" -v corpus="${of_corpus-}" -v fixed="$work/fixed" '
		function text(value) { gsub(/\047/, "&&", value); return "\047" value "\047" }
		function differ(a, b) { return "(SELECT count(*) FROM (SELECT * FROM " a " EXCEPT SELECT * FROM " b "))" }
		function compare_table(table, columns, hex, json, rows,   from) {
			if (table == "context_switch") from = columns " FROM perftab_switches(" trace ")"
			else if (table == "sample" || table == "finding") from = columns " FROM perftab_" table "s(" trace ")"
			else if (table in is_fixed) from = columns " FROM perftab_table(" trace ", " text(table) ")"
			else { # one of the own tables of the trace: by name from the JSON
				from = json " FROM perftab_table(" trace ", " text(table) ")"
				columns = hex
			}
			if (rows == 0) {
				print "SELECT " name ", " text(table) ", 0, count(*) FROM (SELECT " from ");"
				return
			}
			print "CREATE TEMP TABLE f AS SELECT " from "; CREATE TEMP VIEW v AS SELECT " columns " FROM main.\"" table "\";"
			print "SELECT " name ", " text(table) ", " differ("f", "v") " + " differ("v", "f") ", count(*) FROM f; DROP VIEW v; DROP TABLE f;"
		}
		function compare_bill(by, counter,   keys, column) {
			keys = by == "process" ? "trace_id, process, pid, threads, switches, on_cpu_ns" : \
				"trace_id, comm, coalesce(processes, 0), threads, switches, on_cpu_ns"
			column = counter
			gsub(/"/, "\"\"", column)
			print "CREATE TEMP TABLE v AS SELECT " keys ", \"" column "\" AS value FROM " by "_bill;"
			sub(/comm/, "process", keys)
			print "CREATE TEMP TABLE f AS SELECT " keys ", value FROM bill_" by " WHERE counter = " text(counter) " COLLATE NOCASE;"
			print "SELECT " name ", \047" by "_bill.\047 || hex(" text(counter) "), " differ("f", "v") " + " differ("v", "f") \
				", count(*) FROM v; DROP TABLE v; DROP TABLE f;"
		}
		BEGIN { while ((getline table <fixed) > 0) is_fixed[table] = 1 }
		{
			name = $1
			trace = text($2)
			at = NR
			print ".open \"" folder "/" name ".db\"\n.load " extension
			while ((getline line <(folder "/" name ".tables")) > 0) {
				split(line, part, "|")
				if (part[5] != 0 || corpus != 1 || at++ % 8 == 0) compare_table(part[1], part[2], part[3], part[4], part[5])
			}
			close(folder "/" name ".tables")
			for (read = ""; (getline line <(folder "/" name ".bills")) > 0; read = by) {
				by = substr(line, 1, index(line, "|") - 1)
				if (by != read) print "CREATE TEMP TABLE bill_" by " AS SELECT * FROM perftab_bill(" trace ", " text(by) ");"
				compare_bill(by, substr(line, index(line, "|") + 1))
			}
			close(folder "/" name ".bills")
		}'
}

# equal_each: of each line, a path, every table of the converted file is what the functions give; two processes ask
equal_each() {
	local each=$work/equal n=0 half trace code
	local -a pids
	mkdir "$each"
	while read -r trace; do printf '%d\t%s\n' $((++n)) "$trace"; done >"$each/all"
	while IFS=$'\t' read -r n trace; do printf '%d\tperftab-convert\t%s\t-o\t%s\n' "$n" "$trace" "$each/$n.db"; done <"$each/all" |
		run_lines "$each"
	while IFS=$'\t' read -r n trace; do
		read -r code <"$each/$n.exit"
		case $code in 0 | 3) printf '%d\t%s\n' "$n" "$trace" ;; esac
	done <"$each/all" >"$each/list"
	while IFS=$'\t' read -r n trace; do describe "$each/$n.db" "$each/$n"; done <"$each/list" | sqlite3 -batch >"$each/err" 2>&1 ||
		fail "tables: sqlite3 failed"
	[ ! -s "$each/err" ] || fail "tables: $(head -2 "$each/err")"
	for half in 0 1; do
		awk -v half=$half 'NR % 2 == half' "$each/list" | questions "$each" >"$each/ask.$half"
		sqlite3 -batch <"$each/ask.$half" >"$each/got.$half" 2>"$each/err.$half" &
		pids[half]=$!
	done
	for half in 0 1; do
		wait "${pids[half]}" || fail "ask.$half: sqlite3 ended with exit status $?"
		[ ! -s "$each/err.$half" ] || fail "ask.$half: $(head -2 "$each/err.$half")"
	done
	awk -F'|' -v folder="$each" '
		{ n = $1 }
		!(n in known) {
			known[n] = 1
			while ((getline line <(folder "/" n ".tables")) > 0) { split(line, part, "|"); rows[n, part[1]] = part[5] }
			close(folder "/" n ".tables")
		}
		$3 != 0 || ((n, $2) in rows && rows[n, $2] != $4) { print n "\t" $2 ": " $3 " rows differ, " $4 " of " rows[n, $2] }
		END { for (n in known) found++; print found + 0 >(folder "/found") }' "$each"/got.? >"$each/differ"
	read -r files <"$each/found"
	compared=$(cat "$each"/got.? | grep -c .)
	[ "$files" -eq "$(wc -l <"$each/list")" ] || fail "of $(wc -l <"$each/list") files $files were compared"
	[ ! -s "$each/differ" ] || fail "$(sort "$each/differ" | join -t $'\t' - <(sort "$each/list") | head -3)"
}

if [ "${1-}" = corpus ]; then
	[ -n "${PERFTAB_CORPUS-}" ] || skip "PERFTAB_CORPUS is not set"
	of_corpus=1 of_perf=0
	while read -r file; do
		case $file in
		*\'* | *.db | *.md | *.txt.* | *.sh) continue ;;
		"$PERFTAB_CORPUS"/perf/*) [ $((of_perf++ % 3)) -eq 0 ] || continue ;; # many are of one shape
		esac
		echo "$file"
	done < <(find -H "$PERFTAB_CORPUS" -type f | sort) >"$work/files"
	equal_each <"$work/files"
	[ "$files" -gt 20 ] || fail "only $files corpus files were converted"
	echo "$compared tables of $files files compared"
	finish
fi
for sample in "$PERFTAB_SOURCE"/sample-traces/*/{good,bad,odd}-*; do
	[ -e "$sample" ] || continue
	case $sample in *.sha256 | *.md) ;; *) echo "$sample" ;; esac
done >"$work/files"
equal_each <"$work/files"
[ "$files" -gt 30 ] || fail "only $files samples were compared"
echo "$compared tables of $files files compared"

# --- what is pushed down, LIMIT, several cursors, arguments ---

trace=$PERFTAB_SOURCE/sample-traces/perf/good-switch-group.data
rm -f "$work/t.db"
status 0 "convert" perftab-convert "$trace" -o "$work/t.db"
ask() { sqlite3 -batch "$work/t.db" ".load $extension" "$@" 2>&1; }
for where in "cpu = 1" "cpu = 1 AND ts_ns > (SELECT min(ts_ns) + 5000000 FROM context_switch)" "cpu = '1'" "cpu = 1.0" "cpu IS NULL" \
	"cpu = 0 AND cpu = 1" "ts_ns = (SELECT ts_ns FROM context_switch LIMIT 1 OFFSET 9)" "ts_ns < -9223372036854775807" "ts_ns >= 1.5e12" \
	"ts_ns BETWEEN (SELECT ts_ns FROM context_switch LIMIT 1 OFFSET 5) AND (SELECT ts_ns FROM context_switch LIMIT 1 OFFSET 20)" "cpu IN (0, 1)" "cpu = 9999999"; do
	ask "SELECT (SELECT count(*) || ' ' || coalesce(sum(delta_1), '') FROM context_switch WHERE $where) =
		(SELECT count(*) || ' ' || coalesce(sum(delta_1), '') FROM perftab_switches('$trace') WHERE $where)" | reads "$where" 1
done
ask "SELECT detail_id IS NOT NULL, count(*) FROM perftab_switches('$trace') GROUP BY 1" >"$work/got"
sql "$work/t.db" "SELECT detail_id IS NOT NULL, count(*) FROM context_switch GROUP BY 1" >"$work/wanted"
same "detail_id" "$work/wanted" "$work/got"
ask "SELECT count(*) FROM perftab_switches('$trace') AS a, perftab_table('$trace', 'counter') AS b WHERE b.group_id = a.group_id" >"$work/got"
sql "$work/t.db" "SELECT count(*) FROM context_switch JOIN counter USING (group_id)" >"$work/wanted"
same "two cursors" "$work/wanted" "$work/got"
ask "SELECT s.input IS NOT NULL FROM (VALUES ('$trace')) AS v, perftab_findings(v.column1) AS s LIMIT 1" | reads "a path from another table" 1
ask "SELECT ts_ns FROM perftab_switches('$trace') LIMIT 1" >"$work/got"
sql "$work/t.db" "SELECT ts_ns FROM context_switch LIMIT 1" >"$work/wanted"
same "LIMIT 1" "$work/wanted" "$work/got"
for view in $(grep -ohE 'CREATE VIEW [a-z_]+ AS' "$PERFTAB_SOURCE"/schema/*.sql "$PERFTAB_SOURCE"/lib/output/sqlite/*.c | cut -d ' ' -f 3); do
	ask "SELECT * FROM perftab_table('$trace', '$view')" >"$work/got"
	grep -qF "'$view' is a view of databases, not a table: perftab" "$work/got" || fail "the view $view: $(head -1 "$work/got")"
done
while IFS='|' read -r query text; do
	ask "$query" >"$work/got"
	grep -qF -- "$text" "$work/got" || fail "$query: expected '$text', got $(head -1 "$work/got")"
done <<END
SELECT * FROM perftab_switches|expected the path of a trace
SELECT * FROM perftab_switches(NULL)|the arguments are texts
SELECT * FROM perftab_table('$trace')|expected the name of a table
SELECT count(*) FROM perftab_table('$trace', 'no_such_table')|no table 'no_such_table': neither the schema nor this trace has it
SELECT * FROM perftab_table('$trace', 'process_bill')|perftab_bill() by 'process' has its rows
SELECT * FROM perftab_table('$trace', 'charge_status')|is the same in all
SELECT * FROM perftab_findings('$trace', 1)|too many arguments
SELECT * FROM perftab_bill('$trace', 'process', 1)|too many arguments
SELECT * FROM perftab_bill('$trace', 'colour')|unknown bill: expected process|thread
SELECT * FROM perftab_switches('$work/nowhere')|cannot open: No such file
SELECT * FROM perftab_switches('$work/t.db')|is a database already
SELECT * FROM perftab_switches('-')|expected the name of a file
CREATE VIEW v AS SELECT * FROM perftab_switches('$trace'); SELECT * FROM v|unsafe use of virtual table
END

# Each bill has the lines of perftab-analyze, in their order.
make_trace cgroups "$work" >/dev/null || fail "make_trace cgroups"
for by in process thread cpu comm tree cgroup; do
	perftab-analyze --by $by --csv "$work/cgroups.data" 2>/dev/null | awk -F, -v OFS='|' '
		function cell(name) { return name in at ? $at[name] : "" }
		NR == 1 { for (i = 1; i <= NF; i++) at[name[i] = $i] = i; next }
		{ for (i = at["on_cpu_ns"] + 1; i <= NF && name[i] !~ /^tree_/; i++)
			print cell("process") cell("comm") cell("cgroup"), cell("pid"), cell("thread"), cell("tid"), cell("cpu"),
				cell("switches"), cell("on_cpu_ns"), name[i], $i }' >"$work/wanted"
	[ "$(wc -l <"$work/wanted")" -ge 16 ] || fail "the bill by $by: $(cat "$work/wanted")"
	# The cpu of a line of idle is not in the bill by thread.
	ask "SELECT process, pid, thread, tid, iif('$by' = 'cpu', cpu, NULL), switches, on_cpu_ns, counter, value FROM perftab_bill('$work/cgroups.data', '$by')" >"$work/got"
	same "the bill by $by" "$work/wanted" "$work/got"
done

# The statements of docs/library.md, as they are there.
mkdir "$work/doc"
make_trace basic "$work/doc" >/dev/null || fail "make_trace basic"
mv "$work/doc/basic.data" "$work/doc/perf.data"
awk '/^    / { sub(/^    /, ""); if (on || /^\.load /) { on = 1; print } next } { on = 0 }' "$PERFTAB_SOURCE/docs/library.md" |
	sed "s|^\.load .*|.load $extension|" >"$work/doc.sql"
[ "$(wc -l <"$work/doc.sql")" -eq 5 ] || fail "docs/library.md: $(cat "$work/doc.sql")"
while IFS= read -r query; do
	(cd "$work/doc" && sqlite3 -batch :memory: ".load $extension" "$query") >"$work/got" 2>&1 || fail "docs/library.md: $query: $(head -1 "$work/got")"
	[ -s "$work/got" ] || fail "docs/library.md: no rows: $query"
done < <(tail -n +2 "$work/doc.sql")

# Damage gives rows, and findings.
bad=$PERFTAB_SOURCE/sample-traces/etw/bad-truncated.etl
ask "SELECT count(*) > 0 FROM perftab_switches('$bad')" "SELECT count(*) > 0 FROM perftab_findings('$bad') WHERE severity = 'damage'" |
	reads "a damaged trace" 1 1

# --- perftab-analyze --sql: in place where it can, and with the same answers ---

for query in "SELECT * FROM context_switch" "SELECT cpu, count(*), sum(on_cpu_ns) FROM context_switch GROUP BY cpu" "SELECT * FROM thread ORDER BY tid" \
	"SELECT * FROM header_fact" "SELECT key FROM header_fact WHERE value = 2" "SELECT count(*) FROM context_switch WHERE cpu = '1'" \
	"SELECT * FROM process_bill" "SELECT name, count(*) FROM context_switch JOIN thread ON thread_id = prev_thread_id GROUP BY 1" \
	"SELECT count(*) FROM sqlite_schema WHERE type = 'table'" "SELECT rowid, name FROM thread" "SELECT (SELECT count(*) FROM thread) + count(*) FROM process" "SELECT 1 AS one"; do
	status 0 "$query: the database" perftab-analyze --sql "$query" "$work/t.db"
	cp "$work/out" "$work/wanted"
	status 0 "$query: the trace" perftab-analyze --sql "$query" "$trace"
	same "$query" "$work/wanted" "$work/out"
done
# Modules and functions of addresses that the trace knows.
status 0 "samples" perftab-convert "$PERFTAB_SOURCE/sample-traces/perf/good-plain-sampling.data" -o "$work/s.db"
for query in "SELECT * FROM sample_named" "SELECT * FROM module" "SELECT * FROM frame_symbol" "SELECT (SELECT count(*) FROM frame_symbol) AS f, (SELECT count(*) FROM module) AS m"; do
	status 0 "$query: the database" perftab-analyze --sql "$query" "$work/s.db"
	cp "$work/out" "$work/wanted"
	status 0 "$query: the trace" perftab-analyze --sql "$query" "$PERFTAB_SOURCE/sample-traces/perf/good-plain-sampling.data"
	same "$query" "$work/wanted" "$work/out"
done
grep -q '^[1-9]' "$work/out" || fail "no functions: $(cat "$work/out")"
# Views of bills need totals alone; a query that needs other rows besides has all of them.
for other in perf/good-switch-group.data perf/good-times.data perf/good-context-switches.data etw/good-basic.etl; do
	rm -f "$work/o.db"
	status 0 "$other" perftab-convert "$PERFTAB_SOURCE/sample-traces/$other" -o "$work/o.db"
	for query in "SELECT * FROM process_bill" "SELECT * FROM comm_bill ORDER BY comm" "SELECT * FROM process_tree" "SELECT * FROM process_metric" \
		"SELECT process, path FROM process_bill JOIN trace USING (trace_id)" "SELECT (SELECT count(*) FROM comm) AS n, process FROM process_bill" \
		"SELECT b.process, count(*) FROM process_bill AS b, [context_switch] GROUP BY 1"; do
		status 0 "$other: $query: the database" perftab-analyze --sql "$query" "$work/o.db"
		cp "$work/out" "$work/wanted"
		status 0 "$other: $query: the trace" perftab-analyze --sql "$query" "$PERFTAB_SOURCE/sample-traces/$other"
		same "$other: $query" "$work/wanted" "$work/out"
	done
done
reports 1 "no such column" "no such column" perftab-analyze --sql "SELECT colour FROM process_bill" "$trace"
status 0 "a query of a function" perftab-analyze --sql "SELECT count(*) AS n FROM perftab_switches('$trace')" "$trace"
reads "a query of a function" n "$(sql "$work/t.db" 'SELECT count(*) FROM context_switch')" <"$work/out"
# A database has the functions, too, and so has a trace that is converted for the query.
status 0 "a function, with a database" perftab-analyze --no-sandbox --sql "SELECT count(*) AS n FROM perftab_switches('$trace')" "$work/t.db"
reads "a function, with a database" n "$(sql "$work/t.db" 'SELECT count(*) FROM context_switch')" <"$work/out"
if perftab-analyze --sql "SELECT 1 FROM perftab_findings('$trace')" "$work/t.db" >"$work/out" 2>"$work/err"; then
	echo "no Landlock: no trace is refused"
else
	says "a trace beside the input" "$trace: cannot open: Permission denied: the sandbox allows only the input (--no-sandbox)"
fi
for from in "perftab_table('$trace', 'thread') AS f JOIN thread USING (thread_id)" "perftab_bill('$trace', 'process') AS f JOIN process_bill USING (process, pid)" \
	"perftab_findings('$trace') JOIN finding USING (kind)"; do
	status 0 "two passes: $from" perftab-analyze --sql "SELECT count(*) > 0 AS n FROM $from" "$trace"
	reads "two passes: $from" n 1 <"$work/out"
done
# In place, damage after the last row of interest need not be seen: reading ahead may reach it.
perftab-analyze --sql "SELECT ts_ns FROM context_switch LIMIT 1" "$bad" >"$work/out" 2>/dev/null
case $? in 0 | 3) ;; *) fail "LIMIT, in place: exit status" ;; esac
[ "$(wc -l <"$work/out")" -eq 2 ] || fail "LIMIT, in place: $(cat "$work/out")"
status 3 "all rows" perftab-analyze --sql "SELECT count(*) FROM context_switch" "$bad"
says "all rows" "a buffer that does not end"
# A view of a database does not choose what is read.
sql "$work/t.db" "CREATE VIEW v AS SELECT * FROM perftab_findings('$trace')" 2>/dev/null
reports 1 "a view with a function" "unsafe use of virtual table" perftab-analyze --sql "SELECT * FROM v" "$work/t.db"

# --- other hosts ---

LD_LIBRARY_PATH=$shared status 0 "a host in C" sql_host "$extension" "$trace"

# A query can be interrupted, also while it waits for a pipe; LIMIT 1 reads what look-ahead needs.
make_trace --switches 150000 basic "$work" >/dev/null || fail "make_trace basic"
mkfifo "$work/fifo"
status 0 "queries that end early" timeout 100 sql_stop "$extension" "$work/basic.data" "$work/fifo"
[ "$(stat -c %s "$work/basic.data")" -gt 30000000 ] || fail "basic.data is small"
if [ "$(cat "$work/out")" -ge 0 ]; then
	[ "$(cat "$work/out")" -le 6000000 ] || fail "LIMIT 1 reads $(cat "$work/out") bytes"
	[ "$(cat "$work/out")" -ge 4000 ] || fail "LIMIT 1 reads $(cat "$work/out") bytes: not counted"
else
	echo "no /proc/self/io: the bytes of LIMIT 1 are not counted"
fi
for python in python3 /usr/bin/python3; do
	"$python" -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension(True)' 2>/dev/null || continue
	"$python" - "$extension" "$trace" >"$work/got" <<'END' || fail "Python"
import sqlite3, sys, threading
def count():
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(sys.argv[1])
    return db.execute("SELECT count(*), sum(delta_1) FROM perftab_switches(?)", (sys.argv[2],)).fetchone()
answers = []
threads = [threading.Thread(target=lambda: answers.append(count())) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(set(answers)) == 1 and len(answers) == 4
print("%d|%d" % answers[0])
END
	sql "$work/t.db" "SELECT count(*), sum(delta_1) FROM context_switch" >"$work/wanted"
	same "Python, four threads" "$work/wanted" "$work/got"
	break
done
finish
