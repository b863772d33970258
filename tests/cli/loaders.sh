#!/bin/bash
# loaders.sh: --loader bulk and --loader sql make the same database of every sample, and of
# generated traces.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

# Statements that count, for each table and index, what one database has and the other has
# not, both ways; and the same of the schema.
comparison() {
	sql "$1" "WITH side(a, b) AS (VALUES ('main', 'other'), ('other', 'main'))
		SELECT 'SELECT ' || quote(name) || ', count(*) FROM (SELECT rowid, * FROM ' || a || '.' || q ||
			' EXCEPT SELECT rowid, * FROM ' || b || '.' || q || ') HAVING count(*) > 0;'
		FROM (SELECT name, '\"' || name || '\"' AS q FROM sqlite_schema WHERE type = 'table'), side
		UNION ALL
		SELECT 'SELECT ' || quote(name) || ', count(*) FROM (' || replace(entries, '?', a) ||
			' EXCEPT ' || replace(entries, '?', b) || ') HAVING count(*) > 0;'
		FROM (SELECT name, 'SELECT ' || (SELECT group_concat('\"' || c.name || '\"')
				FROM pragma_index_info(i.name) AS c) || ', rowid FROM ?.\"' || tbl_name ||
				'\" INDEXED BY \"' || name || '\"' AS entries
			FROM sqlite_schema AS i WHERE type = 'index' AND sql IS NOT NULL), side
		UNION ALL
		SELECT 'SELECT ''schema of ' || a || ''', name FROM (SELECT type, name, tbl_name, sql FROM ' || a ||
			'.sqlite_schema EXCEPT SELECT type, name, tbl_name, sql FROM ' || b || '.sqlite_schema);'
		FROM side"
}

# alike NAME TRACE... [-- OPTION...]: both loaders, the same database
alike() {
	local name=$1 traces=()
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do traces+=("$1"); shift; done
	shift
	rm -f "$work/$name.db" "$work/sql.db"
	perftab-convert --loader sql --verify "${traces[@]}" -o "$work/sql.db" 2>/dev/null
	perftab-convert --verify "$@" "${traces[@]}" -o "$work/$name.db" 2>/dev/null
	[ -e "$work/$name.db" ] || { fail "$name: no database"; return; }
	sound "$name"
	{ echo "ATTACH '$work/sql.db' AS other;"; comparison "$work/$name.db"; } >"$work/compare.sql"
	[ "$(wc -l <"$work/compare.sql")" -gt 120 ] || fail "$name: not all is compared"
	sqlite3 -batch "$work/$name.db" <"$work/compare.sql" >"$work/out" 2>&1
	[ ! -s "$work/out" ] || fail "$name: the loaders differ: $(head -3 "$work/out")"
}

case $1 in
samples)
	for trace in "$PERFTAB_SOURCE"/sample-traces/perf/*.data; do
		perftab-convert --to null "$trace" 2>/dev/null
		[ $? -eq 1 ] && continue # refused, by either loader
		alike "$(basename "$trace" .data)" "$trace" --
	done
	# A difference would be seen: in a row, in an index, in the schema.
	for change in "UPDATE context_switch SET cpu = cpu + 1 WHERE switch_id = 3" \
		"DELETE FROM mmap WHERE rowid = 2" "DROP INDEX sample_by_time"; do
		cp "$work/good-switch-group.db" "$work/changed.db"
		sql "$work/changed.db" "$change"
		{ echo "ATTACH '$work/good-switch-group.db' AS other;"; comparison "$work/changed.db"; } |
			sqlite3 -batch "$work/changed.db" >"$work/out" 2>&1
		[ -s "$work/out" ] || fail "not seen: $change"
	done
	;;
generated)
	make_trace --switches 60000 everything "$work" && make_trace --switches 9000 two_counters "$work" &&
		make_trace --switches 12000 eight_counters "$work" || fail "make_trace"
	alike everything "$work/everything.data" -- --memory 16
	holds "few switches" "$work/everything.db" 1 "SELECT count(*) > 20000 FROM context_switch"
	# Groups of different widths in one table.
	alike both "$work/two_counters.data" "$work/eight_counters.data" --
	;;
esac
finish
