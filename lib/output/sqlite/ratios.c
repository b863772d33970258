/*
 * ratios.c - the view process_metric: the ratios that the counters of each trace allow
 * (lib/counters/metric.h), a row for each process and ratio.
 */
#include "output/sqlite/ratios.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "counters/metric.h"

#define USES_MAX 64

/* Counters of one trace that are read at switches. */
struct counters {
	struct arena arena;
	struct metric_counter *all;
	sqlite3_int64 *ids;
	size_t count, room;
	struct str arch, cpu_model;
};

static struct str column_text(struct counters *counters, sqlite3_stmt *row, int column)
{
	struct str text = { (const char *)sqlite3_column_text(row, column),
			    (size_t)sqlite3_column_bytes(row, column) };

	return arena_str(&counters->arena, text.ptr ? text : STR(""));
}

static int64_t column_int(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL
		       ? INT64_MIN
		       : sqlite3_column_int64(row, column);
}

static bool has_room(struct counters *counters)
{
	size_t room = counters->room;

	return ARRAY_GROW(counters->all, room, counters->count) &&
	       ARRAY_GROW(counters->ids, counters->room, counters->count);
}

/* Each use as a row of VALUES. */
static void append_uses(sqlite3_str *sql, const struct counters *counters, bool *any)
{
	const struct metric_trace trace = { counters->all, counters->count,
					    counters->arch, counters->cpu_model };
	struct metric_use uses[USES_MAX];
	size_t count = metrics_possible(&trace, uses, USES_MAX);

	for (size_t i = 0; i < count; i++) {
		sqlite3_str_appendf(sql, "%s\n  (%Q, %lld, %lld, %!.17g, %Q, %d)",
				    *any ? "," : "", uses[i].name,
				    counters->ids[uses[i].numerator],
				    counters->ids[uses[i].denominator],
				    uses[i].metric->scale, uses[i].metric->unit,
				    uses[i].metric->of_idle);
		*any = true;
	}
}

static const char *const query =
	"SELECT c.trace_id, c.counter_id, c.event, c.type, c.config, c.group_id,"
	" t.arch, t.cpu_model FROM counter AS c JOIN trace AS t USING (trace_id)"
	" WHERE c.slot IS NOT NULL ORDER BY c.trace_id, c.group_id, c.slot";

/* Trace by trace; false: out of memory. */
static bool append_rows(sqlite3_stmt *rows, sqlite3_str *sql, struct counters *counters,
			bool *any, int *result)
{
	sqlite3_int64 trace_id = 0;

	while ((*result = sqlite3_step(rows)) == SQLITE_ROW) {
		if (sqlite3_column_int64(rows, 0) != trace_id) {
			append_uses(sql, counters, any);
			counters->count = 0;
			trace_id = sqlite3_column_int64(rows, 0);
			counters->arch = column_text(counters, rows, 6);
			counters->cpu_model = column_text(counters, rows, 7);
		}
		if (!has_room(counters))
			return false;
		counters->ids[counters->count] = sqlite3_column_int64(rows, 1);
		counters->all[counters->count++] = (struct metric_counter){
			{ column_text(counters, rows, 2), column_int(rows, 3),
			  column_int(rows, 4) },
			sqlite3_column_int64(rows, 5),
		};
	}
	append_uses(sql, counters, any);
	return true;
}

static int append_all(sqlite3 *db, sqlite3_str *sql)
{
	struct counters counters = { .count = 0 };
	sqlite3_stmt *rows;
	bool any = false, done = true;
	int result = sqlite3_prepare_v2(db, query, -1, &rows, NULL);

	if (result == SQLITE_OK)
		done = append_rows(rows, sql, &counters, &any, &result);
	sqlite3_finalize(rows);
	free(counters.all);
	free(counters.ids);
	arena_release(&counters.arena);
	if (!any) /* no such row */
		sqlite3_str_appendall(sql, "\n  (NULL, NULL, NULL, NULL, NULL, 0)");
	if (!done)
		return SQLITE_NOMEM;
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

int sqlite_ratios_append(sqlite3 *db, sqlite3_str *sql)
{
	int result;

	sqlite3_str_appendall(
		sql, "CREATE VIEW process_metric AS\n"
		     "WITH metric(name, numerator, denominator, scale, unit, idle) AS "
		     "(VALUES");
	result = append_all(db, sql);
	sqlite3_str_appendall(
		sql, ")\n"
		     "SELECT p.trace_id, p.process_id, p.name AS process, p.pid,\n"
		     "       m.name AS metric,\n"
		     "       m.scale * total(iif(m.idle, n.with_idle, n.charged))\n"
		     "           / total(d.charged + m.idle * d.with_idle) AS value,\n"
		     "       m.unit\n"
		     "FROM metric AS m\n"
		     "JOIN process_charge AS n ON n.counter_id = m.numerator\n"
		     "JOIN process_charge AS d ON d.counter_id = m.denominator\n"
		     "     AND d.process_id = n.process_id\n"
		     "JOIN process AS p ON p.process_id = n.process_id\n"
		     "WHERE p.pid <> 0\n"
		     "GROUP BY p.process_id, m.name\n"
		     "HAVING total(d.charged + m.idle * d.with_idle) > 0");
	return result;
}
