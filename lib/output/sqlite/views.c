/*
 * views.c - builds the SQL of the views whose columns are counters.
 *
 * Each counter is a column with its own name.  If groups or traces have the same name in
 * different slots, the column selects by group_id.
 */
#include "output/sqlite/views.h"

#include "model/record.h"
#include "output/sqlite/ratios.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *const named_head =
	"CREATE VIEW context_switch_named AS\n"
	"SELECT s.switch_id, g.trace_id, s.ts_ns, s.cpu, s.group_id,\n"
	"       op.name AS process, op.pid AS pid, o.name AS thread, o.tid AS tid,\n"
	"       n.name AS next_thread, n.tid AS next_tid, s.prev_state,\n"
	"       c.name AS status, c.reason AS reason, s.on_cpu_ns, s.running_ns";
static const char *const named_tail =
	"\nFROM context_switch AS s\n"
	"JOIN counter_group AS g USING (group_id)\n"
	"JOIN charge_status AS c USING (status)\n"
	"LEFT JOIN thread AS o ON o.thread_id = s.prev_thread_id\n"
	"LEFT JOIN process AS op ON op.process_id = o.process_id\n"
	"LEFT JOIN thread AS n ON n.thread_id = s.next_thread_id";

/* Counters named like a column of the views get a #; a view has at most 2000 columns. */
static const char *const distinct_names =
	"SELECT name, CASE WHEN lower(name) IN ("
#define COLUMN(name) "'" #name "',"
#include "model/view_columns.def"
#undef COLUMN
	"'')"
	" THEN name || '#' ELSE name END"
	" FROM counter WHERE slot IS NOT NULL GROUP BY lower(name)"
	" ORDER BY min(counter_id) LIMIT 1900";

/* Calls add() with each counter's name and the name of its column. */
static int each_name(sqlite3 *db, sqlite3_str *sql,
		     int (*add)(sqlite3 *db, sqlite3_str *sql, const char *name,
				const char *column))
{
	sqlite3_stmt *names;
	int result = sqlite3_prepare_v2(db, distinct_names, -1, &names, NULL);

	while (result == SQLITE_OK && (result = sqlite3_step(names)) == SQLITE_ROW)
		result = add(db, sql, (const char *)sqlite3_column_text(names, 0),
			     (const char *)sqlite3_column_text(names, 1));
	sqlite3_finalize(names);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* CASE s.group_id WHEN 1 THEN s.delta_2 ... END AS "name" */
static int add_delta(sqlite3 *db, sqlite3_str *sql, const char *name, const char *column)
{
	sqlite3_stmt *slots;
	bool found = false;
	int result =
		sqlite3_prepare_v2(db,
				   "SELECT group_id, slot FROM counter WHERE slot IS NOT "
				   "NULL AND lower(name) = lower(?1) ORDER BY group_id",
				   -1, &slots, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_bind_text(slots, 1, name, -1, SQLITE_STATIC);
	sqlite3_str_appendall(sql, ",\n       CASE s.group_id");
	while (result == SQLITE_OK && (result = sqlite3_step(slots)) == SQLITE_ROW) {
		sqlite3_str_appendf(sql, " WHEN %lld THEN s.delta_%lld",
				    sqlite3_column_int64(slots, 0),
				    sqlite3_column_int64(slots, 1));
		result = SQLITE_OK;
		found = true;
	}
	/* None: a NUL within the name ended it here. */
	sqlite3_str_appendf(sql,
			    found ? " END AS \"%w\"" : " WHEN NULL THEN 0 END AS \"%w\"",
			    column);
	sqlite3_finalize(slots);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int add_sum(sqlite3 *db, sqlite3_str *sql, const char *name, const char *column)
{
	(void)db;
	sqlite3_str_appendf(
		sql,
		",\n       sum(value) FILTER (WHERE lower(counter) = lower(%Q)) "
		"AS \"%w\"",
		name, column);
	return SQLITE_OK;
}

/* The same, and 0 where a group of the trace was not on the CPUs of a process. */
static int add_cost(sqlite3 *db, sqlite3_str *sql, const char *name, const char *column)
{
	(void)db;
	sqlite3_str_appendf(
		sql,
		",\n       coalesce(sum(value) FILTER (WHERE lower(counter) = lower(%Q)),\n"
		"         (SELECT 0 FROM counter AS c WHERE c.trace_id = bill.trace_id\n"
		"          AND c.slot IS NOT NULL AND lower(c.name) = lower(%Q))) AS \"%w\"",
		name, name, column);
	return SQLITE_OK;
}

/*
 * Creates a view and frees its SQL.  It is put into the schema as SQLite would do it, but
 * not parsed twice for that; all are read at the end.
 */
static int create(sqlite3 *db, const char *name, sqlite3_str *sql, int result)
{
	char *text, *insert = NULL;

	if (result == SQLITE_OK)
		result = sqlite3_str_errcode(sql);
	text = sqlite3_str_finish(sql);
	if (text)
		insert = sqlite3_mprintf(
			"INSERT INTO sqlite_schema VALUES ('view', %Q, %Q, 0, %Q)", name,
			name, text);
	if (result == SQLITE_OK)
		result = insert ? sqlite3_exec(db, insert, NULL, NULL, NULL)
				: SQLITE_NOMEM;
	sqlite3_free(insert);
	sqlite3_free(text);
	return result;
}

static int create_named(sqlite3 *db)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	int result;

	sqlite3_str_appendall(sql, named_head);
	result = each_name(db, sql, add_delta);
	sqlite3_str_appendall(sql, named_tail);
	return create(db, "context_switch_named", sql, result);
}

/* One SELECT a slot: a switch has one row for each counter of its group. */
static int create_tall(sqlite3 *db)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	sqlite3_stmt *widest;
	sqlite3_int64 slots = 0;
	int result = sqlite3_prepare_v2(db, "SELECT max(counters) FROM counter_group", -1,
					&widest, NULL);

	if (result == SQLITE_OK && sqlite3_step(widest) == SQLITE_ROW)
		slots = sqlite3_column_int64(widest, 0);
	sqlite3_finalize(widest);
	sqlite3_str_appendall(
		sql, "CREATE VIEW switch_counters AS\n"
		     "SELECT s.switch_id, s.ts_ns, s.cpu, s.prev_thread_id, s.status,"
		     " c.counter_id, c.name, CASE c.slot");
	for (sqlite3_int64 slot = 0; slot < slots; slot++)
		sqlite3_str_appendf(sql, " WHEN %lld THEN s.delta_%lld", slot, slot);
	sqlite3_str_appendall(sql,
			      slots ? " END AS delta" : " WHEN NULL THEN 0 END AS delta");
	sqlite3_str_appendall(sql, "\nFROM context_switch AS s\n"
				   "JOIN counter AS c ON c.group_id = s.group_id AND "
				   "c.slot IS NOT NULL");
	return create(db, "switch_counters", sql, result);
}

/*
 * Which groups speak for time and switches: those that share no CPU with one that saw
 * more (lib/report/totals_lookup.h).
 */
#define SEEN                                                                           \
	"all_seen AS (\n"                                                              \
	"  SELECT g.trace_id, g.group_id, coalesce(sum(c.switches), 0) AS switches,\n" \
	"    row_number() OVER (PARTITION BY g.trace_id\n"                             \
	"      ORDER BY coalesce(sum(c.switches), 0) DESC, g.group_id) AS place\n"     \
	"  FROM counter_group AS g LEFT JOIN cpu_summary AS c USING (group_id)\n"      \
	"  GROUP BY g.group_id),\n"                                                    \
	"seen AS (\n"                                                                  \
	"  SELECT trace_id, group_id FROM all_seen AS g\n"                             \
	"  WHERE place = 1 OR switches > 0 AND NOT EXISTS (\n"                         \
	"    SELECT 1 FROM cpu_summary AS a\n"                                         \
	"    JOIN cpu_summary AS b ON b.trace_id = a.trace_id AND b.cpu = a.cpu\n"     \
	"    JOIN all_seen AS h ON h.group_id = b.group_id\n"                          \
	"    WHERE a.group_id = g.group_id AND h.trace_id = g.trace_id\n"              \
	"      AND h.place < g.place AND a.switches > 0 AND b.switches > 0)),\n"

/* After LEFT JOIN seen: of a process that only other groups saw, costs are known. */
#define SUMS_OF_SEEN                                                                    \
	"         sum(CASE WHEN seen.trace_id THEN s.switches - s.with_idle_switches\n" \
	"             ELSE 0 END) AS switches,\n"                                       \
	"         sum(CASE WHEN seen.trace_id THEN s.on_cpu_ns ELSE 0 END)\n"           \
	"             AS on_cpu_ns\n"

/*
 * The bill by the default rule, one row a process, and the rows that are not a process.
 */
_Static_assert(CHARGE_WITH_IDLE == 2, "u.status > 2 is charge_is_unproven()");
static const char *const bill_head =
	"CREATE VIEW process_bill AS\n"
	"WITH " SEEN "threads_of AS ( -- on CPUs of several such groups\n"
	"  SELECT t.process_id, count(DISTINCT t.thread_id) AS threads\n"
	"  FROM thread_summary AS s JOIN seen USING (group_id)\n"
	"  JOIN thread AS t USING (thread_id)\n"
	"  WHERE s.switches + s.reads > 0 GROUP BY t.process_id),\n"
	"bill AS (\n"
	"  SELECT p.trace_id, p.process_id AS line,\n"
	"         CASE p.pid WHEN 0 THEN '(idle)'\n"
	"         ELSE coalesce(nullif(p.name, ''), ':' || p.pid) END AS process,\n"
	"         nullif(p.pid, 0) AS pid, CASE count(seen.trace_id) WHEN 0 THEN 0\n"
	"         WHEN 1 THEN max(CASE WHEN seen.trace_id THEN s.threads ELSE 0 END)\n"
	"         ELSE (SELECT threads FROM threads_of AS t\n"
	"               WHERE t.process_id = p.process_id) END AS threads,\n" SUMS_OF_SEEN
	"  FROM process_summary AS s JOIN process AS p USING (process_id)\n"
	"  LEFT JOIN seen USING (group_id)\n"
	"  WHERE s.switches + s.reads > 0 GROUP BY p.process_id\n"
	"  UNION ALL\n"
	"  SELECT g.trace_id, -2, '(with idle)', NULL, NULL,\n"
	"         coalesce(sum(s.with_idle_switches), 0), 0\n"
	"  FROM counter_group AS g JOIN seen USING (group_id)\n"
	"  LEFT JOIN process_summary AS s ON s.group_id = g.group_id\n"
	"  GROUP BY g.trace_id\n"
	"  UNION ALL\n"
	"  SELECT g.trace_id, -3, '(interrupts)', NULL, NULL, 0, sum(s.interrupts_ns)\n"
	"  FROM process_summary AS s JOIN counter_group AS g USING (group_id)\n"
	"  JOIN seen USING (group_id) WHERE g.trace_id IN\n"
	"    (SELECT trace_id FROM interrupt WHERE kind NOT IN ('isr', 'dpc'))\n"
	"  GROUP BY g.trace_id\n"
	"  UNION ALL\n"
	"  SELECT g.trace_id, -1, '(unattributed)', NULL, NULL,\n"
	"         coalesce(sum(u.switches), 0), coalesce(sum(u.on_cpu_ns), 0)\n"
	"  FROM counter_group AS g JOIN seen USING (group_id)\n"
	"  LEFT JOIN status_summary AS u ON u.group_id = g.group_id AND u.status > 2\n"
	"  GROUP BY g.trace_id),\n"
	"cost AS (\n"
	"  SELECT c.trace_id, v.process_id AS line, c.name AS counter, v.charged AS value\n"
	"  FROM process_charge AS v JOIN counter AS c USING (counter_id)\n"
	"  UNION ALL\n"
	"  SELECT c.trace_id, -2, c.name, sum(v.with_idle)\n"
	"  FROM process_charge AS v JOIN counter AS c USING (counter_id)\n"
	"  GROUP BY c.counter_id\n"
	"  UNION ALL\n"
	"  SELECT c.trace_id, -3, c.name, sum(v.interrupts)\n"
	"  FROM process_charge AS v JOIN counter AS c USING (counter_id)\n"
	"  GROUP BY c.counter_id\n"
	"  UNION ALL\n"
	"  SELECT c.trace_id, -1, c.name, sum(v.unattributed)\n"
	"  FROM cpu_charge AS v JOIN counter AS c USING (counter_id)\n"
	"  GROUP BY c.counter_id)\n"
	"SELECT trace_id, process, pid, threads, switches, on_cpu_ns";
static const char *const bill_tail = "\nFROM bill LEFT JOIN cost USING (trace_id, line)\n"
				     "GROUP BY trace_id, line";

/* A view with the sum of each counter between `head` and `tail`. */
static int create_sums(sqlite3 *db, const char *name, const char *head, const char *tail,
		       int (*add)(sqlite3 *db, sqlite3_str *sql, const char *name,
				  const char *column))
{
	sqlite3_str *sql = sqlite3_str_new(db);
	int result;

	sqlite3_str_appendall(sql, head);
	result = each_name(db, sql, add);
	sqlite3_str_appendall(sql, tail);
	return create(db, name, sql, result);
}

/* --- by name, and with what each process has started --- */

static int add_column(sqlite3 *db, sqlite3_str *sql, const char *name, const char *column)
{
	(void)db;
	(void)name;
	sqlite3_str_appendf(sql, ",\n       sum(\"%w\") AS \"%w\"", column, column);
	return SQLITE_OK;
}

static int create_comm_bill(sqlite3 *db)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	int result;

	/* A process without a pid counts, idle and the rows of no process do not. */
	sqlite3_str_appendall(
		sql,
		"CREATE VIEW comm_bill AS\n"
		"SELECT trace_id, process AS comm, count(threads) FILTER (\n"
		"         WHERE pid IS NOT NULL OR process IS NOT '(idle)') AS processes,\n"
		"       sum(threads) AS threads, sum(switches) AS switches,\n"
		"       sum(on_cpu_ns) AS on_cpu_ns");
	result = each_name(db, sql, add_column);
	sqlite3_str_appendall(sql, "\nFROM process_bill GROUP BY trace_id, process");
	return create(db, "comm_bill", sql, result);
}

/* What threads did in each control group, as far as it is known. */
static const char *const cgroup_head =
	"CREATE VIEW cgroup_bill AS\n"
	"WITH " SEEN "path AS ( -- the last one of an id\n"
	"  SELECT trace_id, cgroup_id, path, max(rowid)\n"
	"  FROM cgroup GROUP BY trace_id, cgroup_id),\n"
	"part AS (\n"
	"  SELECT p.trace_id, s.cgroup_id, count(DISTINCT p.process_id) AS processes,\n"
	"         count(DISTINCT s.thread_id) AS threads,\n" SUMS_OF_SEEN
	"  FROM cgroup_summary AS s LEFT JOIN seen USING (group_id)\n"
	"  JOIN thread AS t USING (thread_id) JOIN process AS p USING (process_id)\n"
	"  WHERE s.switches + s.reads > 0\n"
	"  GROUP BY p.trace_id, s.cgroup_id),\n"
	"cost AS (\n"
	"  SELECT c.trace_id, v.cgroup_id, c.name AS counter, sum(v.charged) AS value\n"
	"  FROM cgroup_charge AS v JOIN counter AS c USING (counter_id)\n"
	"  GROUP BY v.cgroup_id, c.counter_id)\n"
	"SELECT trace_id, coalesce(path.path, ':' || cgroup_id) AS cgroup, cgroup_id,\n"
	"       processes, threads, switches, on_cpu_ns";
static const char *const cgroup_tail =
	"\nFROM part LEFT JOIN path USING (trace_id, cgroup_id)\n"
	"LEFT JOIN cost USING (trace_id, cgroup_id)\n"
	"GROUP BY trace_id, cgroup_id";

static const char *const tree_head =
	"CREATE VIEW process_tree AS\n"
	"WITH RECURSIVE " SEEN
	"candidate AS ( -- who had the parent's pid, and whether he did when the child began\n"
	"  SELECT p.process_id, q.process_id AS parent_id, p.start_ns IS NULL OR\n"
	"         q.start_ns IS NULL OR q.start_ns <= p.start_ns AS fits\n"
	"  FROM process AS p JOIN process AS q ON q.trace_id = p.trace_id\n"
	"       AND q.pid = p.parent_pid AND q.process_id <> p.process_id\n"
	"  WHERE p.pid <> 0 AND q.pid <> 0),\n"
	"link AS (\n"
	"  SELECT process_id, coalesce(max(parent_id) FILTER (WHERE fits),\n"
	"         min(parent_id)) AS parent_id\n"
	"  FROM candidate GROUP BY process_id),\n"
	"above(process_id, ancestor_id) AS ( -- each process is above itself\n"
	"  SELECT process_id, process_id FROM process\n"
	"  UNION SELECT a.process_id, l.parent_id\n"
	"  FROM above AS a JOIN link AS l ON l.process_id = a.ancestor_id),\n"
	"own AS (\n"
	"  SELECT s.process_id,\n" SUMS_OF_SEEN
	"  FROM process_summary AS s LEFT JOIN seen USING (group_id)\n"
	"  GROUP BY s.process_id),\n"
	"depth AS (SELECT process_id, count(*) - 1 AS depth FROM above GROUP BY 1),\n"
	"below AS (\n"
	"  SELECT a.ancestor_id AS process_id, sum(own.switches) AS switches,\n"
	"         sum(own.on_cpu_ns) AS on_cpu_ns\n"
	"  FROM above AS a JOIN own USING (process_id) GROUP BY 1),\n"
	"cost AS (\n"
	"  SELECT a.ancestor_id AS process_id, c.name AS counter, sum(v.charged) AS value\n"
	"  FROM above AS a JOIN process_charge AS v USING (process_id)\n"
	"  JOIN counter AS c USING (counter_id) GROUP BY 1, 2)\n"
	"SELECT p.trace_id, depth.depth, p.process_id, link.parent_id AS parent_process_id,\n"
	"       p.name AS process, p.pid, p.parent_pid, p.command,\n"
	"       below.switches AS switches, below.on_cpu_ns AS on_cpu_ns";
static const char *const tree_tail = "\nFROM process AS p JOIN depth USING (process_id)\n"
				     "JOIN below USING (process_id)\n"
				     "LEFT JOIN link USING (process_id)\n"
				     "LEFT JOIN cost USING (process_id)\n"
				     "WHERE p.pid <> 0 GROUP BY p.process_id";

static int create_ratios(sqlite3 *db)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	int result = sqlite_ratios_append(db, sql);

	return create(db, "process_metric", sql, result);
}

/* --- switches of counter groups as the tracepoint recorded them --- */

/* Columns of the switch's row are not in its detail. */
static const char *const kept_elsewhere =
	"SELECT name, CASE name WHEN 'prev_pid' THEN 'o.tid' WHEN 'next_pid' THEN 'n.tid'"
	" WHEN 'common_pid' THEN 'o.tid' WHEN 'prev_state' THEN 's.prev_state' END"
	" FROM pragma_table_info(?1) WHERE name NOT IN ('trace_id', 'detail_id')"
	" ORDER BY cid";

static int add_fields(sqlite3 *db, sqlite3_str *sql, const char *detail)
{
	sqlite3_stmt *fields;
	int result = sqlite3_prepare_v2(db, kept_elsewhere, -1, &fields, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_bind_text(fields, 1, detail, -1, SQLITE_STATIC);
	while (result == SQLITE_OK && (result = sqlite3_step(fields)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(fields, 0);
		const char *from = (const char *)sqlite3_column_text(fields, 1);

		if (from)
			sqlite3_str_appendf(sql, ",\n       %s AS \"%w\"", from, name);
		else
			sqlite3_str_appendf(sql, ",\n       d.\"%w\"", name);
		result = SQLITE_OK;
	}
	sqlite3_finalize(fields);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* <system>_<event> from <system>_<event>_detail, as the other tracepoints' tables are. */
static int create_traced(sqlite3 *db, const char *detail, const char *view)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	char *index = sqlite3_mprintf(
		"CREATE INDEX \"%w by id\" ON \"%w\" (detail_id, trace_id)", detail,
		detail);
	int result = index ? sqlite3_exec(db, index, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(index);
	sqlite3_str_appendf(sql,
			    "CREATE VIEW \"%w\" AS\n"
			    "SELECT g.trace_id, NULL AS sample_id, s.ts_ns, s.cpu,\n"
			    "       s.prev_thread_id AS thread_id, p.pid AS sample_pid,\n"
			    "       coalesce(o.recorder_tid, o.tid) AS sample_tid",
			    view);
	if (result == SQLITE_OK)
		result = add_fields(db, sql, detail);
	sqlite3_str_appendf(
		sql,
		"\nFROM context_switch AS s\n"
		"JOIN counter_group AS g USING (group_id)\n"
		"JOIN \"%w\" AS d ON d.detail_id = s.detail_id AND d.trace_id = g.trace_id\n"
		"LEFT JOIN thread AS o ON o.thread_id = s.prev_thread_id\n"
		"LEFT JOIN process AS p ON p.process_id = o.process_id\n"
		"LEFT JOIN thread AS n ON n.thread_id = s.next_thread_id",
		detail);
	return create(db, view, sql, result);
}

/* The view has the name without _detail, or with _counted if a table has that name. */
static const char *const detail_tables =
	"SELECT t.name, substr(t.name, 1, length(t.name) - 7) ||"
	" CASE WHEN EXISTS (SELECT 1 FROM sqlite_schema AS o WHERE lower(o.name) ="
	"   lower(substr(t.name, 1, length(t.name) - 7))) THEN '_counted' ELSE '' END"
	" FROM sqlite_schema AS t WHERE t.type = 'table' AND t.name LIKE '%\\_detail' ESCAPE '\\'"
	" AND EXISTS (SELECT 1 FROM tracepoint WHERE table_name = t.name)"
	" AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'detail_id')"
	" ORDER BY t.rowid";

static int create_all_traced(sqlite3 *db)
{
	sqlite3_stmt *details;
	sqlite3_str *names = sqlite3_str_new(db);
	int result = sqlite3_prepare_v2(db, detail_tables, -1, &details, NULL);
	char *list, *at;

	/* All names first: the schema must not change under the query. */
	while (result == SQLITE_OK && (result = sqlite3_step(details)) == SQLITE_ROW) {
		for (int i = 0; i < 2; i++) {
			sqlite3_str_appendall(
				names, (const char *)sqlite3_column_text(details, i));
			sqlite3_str_appendchar(names, 1, '\n'); /* not in any name */
		}
		result = SQLITE_OK;
	}
	sqlite3_finalize(details);
	result = result == SQLITE_DONE ? sqlite3_str_errcode(names) : result;
	list = at = sqlite3_str_finish(names);
	while (result == SQLITE_OK && at && *at) {
		char *detail = at, *view = strchr(detail, '\n') + 1;

		at = strchr(view, '\n') + 1;
		view[-1] = at[-1] = '\0';
		result = create_traced(db, detail, view);
	}
	sqlite3_free(list);
	return result;
}

int sqlite_views_create(sqlite3 *db)
{
	int result = sqlite3_exec(db, "PRAGMA writable_schema = ON", NULL, NULL, NULL);

	if (result == SQLITE_OK)
		result = create_named(db);
	if (result == SQLITE_OK)
		result = create_tall(db);
	if (result == SQLITE_OK)
		result = create_sums(db, "process_bill", bill_head, bill_tail, add_cost);
	if (result == SQLITE_OK)
		result = create_comm_bill(db);
	if (result == SQLITE_OK)
		result =
			create_sums(db, "cgroup_bill", cgroup_head, cgroup_tail, add_sum);
	if (result == SQLITE_OK)
		result = create_sums(db, "process_tree", tree_head, tree_tail, add_sum);
	if (result == SQLITE_OK)
		result = create_ratios(db);
	if (result == SQLITE_OK)
		result = create_all_traced(db);
	/* All views are read here: one that is not well-formed is an error. */
	if (result == SQLITE_OK)
		result = sqlite3_exec(db,
				      "PRAGMA writable_schema = RESET;"
				      "SELECT 1 FROM trace LIMIT 0",
				      NULL, NULL, NULL);
	return result;
}
