/*
 * sql_in_place.c - views with the columns of a converted trace, over its functions.
 *
 * Nothing is reported here: where a step fails, the trace is converted instead, and that
 * says what is wrong.
 */
#include "sql_in_place.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "common/cli.h"
#include "counters/perf_counter_sql.h"
#include "feed/feed.h"
#include "model/reader.h"
#include "sql/functions.h"

/* A query that asks for the schema wants that of a database. */
static const char *const schema_words[] = { "sqlite_", "pragma", "rowid", "oid" };

/* In any case; a _ of the word is any character. */
static bool mentions(const char *query, const char *word)
{
	char pattern[OWN_NAME_BYTES_MAX + 3];

	text_print(pattern, sizeof(pattern), "%%%s%%", word);
	return sqlite3_strlike(pattern, query, 0) == 0;
}

static bool asks_for_schema(const char *query)
{
	for (size_t i = 0; i < ARRAY_COUNT(schema_words); i++)
		if (mentions(query, schema_words[i]))
			return true;
	return false;
}

/* How many deltas a switch has; -1: the trace cannot be read so far. */
static int count_slots(const char *path)
{
	const struct feed_source source = { .path = path };
	struct feed_request request = feed_request_all();
	struct feed_row row;
	struct feed *feed;
	int64_t slots = 0;
	enum status status;

	memset(request.tables, 0, sizeof(request.tables));
	request.tables[RECORD_counter_group] = request.tables[RECORD_context_switch] =
		true;
	request.no_sandbox = true; /* the program is in one */
	feed = feed_open(&source, &request);
	if (!feed)
		return -1;
	/* Groups precede their switches. */
	while ((status = feed_next(feed, &row)) == ST_OK) {
		const struct counter_group_row *group = (const void *)row.data;

		if (row.table != &tables[RECORD_counter_group])
			break;
		if (group->counters > slots)
			slots = group->counters;
	}
	feed_close(feed);
	return status < ST_OK || slots > GROUP_COUNTERS_MAX ? -1 : (int)slots;
}

/* --- views --- */

/* Whether another table has a column of that name and of another type. */
static bool is_ambiguous(const struct field *field)
{
	for (size_t i = 0; i < RECORD_TABLES; i++)
		for (size_t j = 0; j < tables[i].field_count; j++) {
			const struct field *other = &tables[i].fields[j];

			if (strcmp(field->name, other->name) == 0 &&
			    field_is_int(field->kind) != field_is_int(other->kind))
				return true;
		}
	return false;
}

/* A column has the type, and so the comparisons, that it has in a database. */
static void add_column(sqlite3_str *sql, const struct field *field)
{
	if (!is_ambiguous(field))
		sqlite3_str_appendf(sql, "\"%w\"", field->name);
	else
		sqlite3_str_appendf(sql, "CAST(\"%w\" AS %s) AS \"%w\"", field->name,
				    field_is_int(field->kind)	? "INTEGER"
				    : field->kind == FIELD_TEXT ? "TEXT"
								: "BLOB",
				    field->name);
}

static bool add_view(sqlite3 *db, enum record_kind kind, const char *path, int slots)
{
	const struct table *table = &tables[kind];
	sqlite3_str *sql = sqlite3_str_new(db);
	bool done;
	char *text;

	sqlite3_str_appendf(sql, "CREATE VIEW \"%w\" AS SELECT ", table->name);
	for (size_t i = 0; i < table->field_count; i++) {
		sqlite3_str_appendall(sql, i ? ", " : "");
		if (kind == RECORD_context_switch)
			sqlite3_str_appendf(sql, "\"%w\"", table->fields[i].name);
		else
			add_column(sql, &table->fields[i]);
	}
	for (int i = 0; i < slots && kind == RECORD_context_switch; i++)
		sqlite3_str_appendf(sql, ", delta_%d", i);
	if (kind == RECORD_context_switch)
		sqlite3_str_appendf(sql, " FROM perftab_switches(%Q)", path);
	else
		sqlite3_str_appendf(sql, " FROM perftab_table(%Q, %Q)", path,
				    table->name);
	text = sqlite3_str_finish(sql);
	done = text && sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK;
	sqlite3_free(text);
	return done;
}

/* Of the tables that the query may mean: names that are in its text. */
static bool add_views(sqlite3 *db, const char *path, const char *query)
{
	for (size_t i = 0; i < RECORD_TABLES; i++) {
		int slots = 0;

		if (!mentions(query, tables[i].name))
			continue;
		if (i == RECORD_context_switch)
			slots = count_slots(path);
		if (slots < 0 || !add_view(db, (enum record_kind)i, path, slots))
			return false;
	}
	return true;
}

/* --- the query --- */

/* Passes over the trace: the cursors that the statement opens. */
static int count_passes(sqlite3 *db, const char *query)
{
	sqlite3_stmt *steps = NULL;
	char *text = sqlite3_mprintf("EXPLAIN %s", query);
	int passes = 0, result;

	if (!text || sqlite3_prepare_v2(db, text, -1, &steps, NULL) != SQLITE_OK ||
	    sqlite3_column_count(steps) < 2) {
		sqlite3_finalize(steps);
		sqlite3_free(text);
		return -1;
	}
	while ((result = sqlite3_step(steps)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(steps, 1);

		passes += name && strcmp(name, "VOpen") == 0;
	}
	sqlite3_finalize(steps);
	sqlite3_free(text);
	return result == SQLITE_DONE ? passes : -1;
}

static void report_finding(void *context, const char *format,
			   const struct finding_row *finding)
{
	struct sql_in_place *in_place = context;

	if (!str_equal(finding->severity, STR("damage")))
		return;
	atomic_store(&in_place->is_damaged, true);
	cli_finding("perftab-analyze", in_place->path, format, finding->text);
}

bool sql_in_place_open(sqlite3 **db, struct sql_in_place *in_place, const char *query)
{
	const struct trace_functions options = { .for_views = true,
						 .no_sandbox = true,
						 .finding = report_finding,
						 .context = in_place };

	*db = NULL;
	if (!reader_is_repeatable(in_place->path) || asks_for_schema(query))
		return false;
	if (sqlite3_open_v2(":memory:", db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				    SQLITE_OPEN_NOMUTEX,
			    NULL) == SQLITE_OK &&
	    sqlite3_db_config(*db, SQLITE_DBCONFIG_DQS_DML, 0, NULL) == SQLITE_OK &&
	    trace_functions_register(*db, &options) == SQLITE_OK &&
	    perf_counter_sql_register(*db) == SQLITE_OK &&
	    add_views(*db, in_place->path, query) && count_passes(*db, query) == 1)
		return true;
	sqlite3_close(*db);
	*db = NULL;
	return false;
}
