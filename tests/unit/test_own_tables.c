/*
 * test_own_tables.c - lib/pipeline/own_tables.h: one table for what is alike, and no
 * name twice.
 */
#include "pipeline/own_tables.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "rows.h"
#include "schema.h"

#define FIELDS_MAX 3

/* A reader's table, as it would make one: nothing of it outlives reader_table_free(). */
struct reader_table {
	struct table table;
	struct field fields[FIELDS_MAX];
	char name[OWN_NAME_BYTES_MAX + 1];
	char names[FIELDS_MAX][16];
};

static struct reader_table *reader_table(const char *name, const char *const *columns,
					 enum field_kind last)
{
	struct reader_table *made = calloc(1, sizeof(*made));
	size_t at = 0, count = 0;

	for (; columns[count]; count++) {
		bool is_last = !columns[count + 1];

		snprintf(made->names[count], sizeof(made->names[0]), "%s",
			 columns[count]);
		made->fields[count] = (struct field){ made->names[count],
						      is_last ? last : FIELD_INT, at };
		at += is_last && !field_is_int(last) ? sizeof(struct str)
						     : sizeof(int64_t);
	}
	snprintf(made->name, sizeof(made->name), "%s", name);
	made->table = (struct table){ made->name, made->fields, count, at };
	return made;
}

static void reader_table_free(struct reader_table *made)
{
	memset(made, 'x', sizeof(*made)); /* a kept copy will show it */
	free(made);
}

static const char *const two_columns[] = { "trace_id", "a", NULL };

/* --- what is alike --- */

/* What comes back is a copy that outlives the reader. */
UNIT_TEST(copy)
{
	struct own_tables own = { .all = NULL };
	struct reader_table *reader = reader_table("s_e", two_columns, FIELD_BLOB);
	const struct table *table = own_table(&own, &reader->table);

	assert_non_null(table);
	assert_ptr_equal(own_table(&own, &reader->table), table);
	own_tables_forget_reader(&own);
	reader_table_free(reader);
	assert_string_equal(table->name, "s_e");
	assert_int_equal(table->field_count, 2);
	assert_int_equal(table->row_size, sizeof(int64_t) + sizeof(struct str));
	assert_string_equal(table->fields[0].name, "trace_id");
	assert_int_equal(table->fields[0].kind, FIELD_INT);
	assert_string_equal(table->fields[1].name, "a");
	assert_int_equal(table->fields[1].kind, FIELD_BLOB);
	assert_int_equal(table->fields[1].offset, sizeof(int64_t));
	own_tables_release(&own);
	own_tables_release(&own);
	assert_int_equal(own.count, 0);
}

/* The second reader's table against the first's, which is "s_e" (trace_id, a INTEGER). */
static const struct {
	int line;
	const char *name;
	const char *const columns[FIELDS_MAX + 1];
	enum field_kind last;
	const char *expected; /* its name; that of the first: it is the same table */
} seconds[] = {
	{ ROW, "s_e", { "trace_id", "a" }, FIELD_INT, "s_e" },
	{ ROW, "s_e", { "trace_id", "b" }, FIELD_INT, "s_e_2" },
	{ ROW, "s_e", { "trace_id", "A" }, FIELD_INT, "s_e_2" },
	{ ROW, "s_e", { "trace_id", "a" }, FIELD_VALUE, "s_e_2" },
	{ ROW, "s_e", { "trace_id", "a" }, FIELD_TEXT, "s_e_2" },
	{ ROW, "s_e", { "trace_id", "a" }, FIELD_BLOB, "s_e_2" },
	{ ROW, "s_e", { "trace_id", "a", "b" }, FIELD_INT, "s_e_2" },
	{ ROW, "s_e", { "trace_id" }, FIELD_INT, "s_e_2" },
	{ ROW, "s_E", { "trace_id", "a" }, FIELD_INT, "s_E_2" },
	{ ROW, "S_E", { "trace_id", "b" }, FIELD_INT, "S_E_2" },
	{ ROW, "s_e_2", { "trace_id", "a" }, FIELD_INT, "s_e_2" },
	{ ROW, "s_f", { "trace_id", "a" }, FIELD_INT, "s_f" },
	{ ROW, "s_e_", { "trace_id", "a" }, FIELD_INT, "s_e_" },
	{ ROW, "s_", { "trace_id", "a" }, FIELD_INT, "s_" },
};

UNIT_TEST(two_readers)
{
	for (size_t i = 0; i < COUNT(seconds); i++) {
		struct own_tables own = { .all = NULL };
		struct reader_table *first = reader_table("s_e", two_columns, FIELD_INT);
		struct reader_table *second = reader_table(
			seconds[i].name, seconds[i].columns, seconds[i].last);
		const struct table *one = own_table(&own, &first->table), *two;
		bool same = strcmp(seconds[i].expected, "s_e") == 0;

		own_tables_forget_reader(&own);
		reader_table_free(first);
		two = own_table(&own, &second->table);
		ROW_TEXT(&seconds[i], two->name, seconds[i].expected);
		ROW_INT(&seconds[i], one == two, same);
		ROW_INT(&seconds[i], own.count, same ? 1 : 2);
		ROW_TEXT(&seconds[i], one->name, "s_e");
		reader_table_free(second);
		own_tables_release(&own);
	}
}

/* The number after a name is the first that is free, whichever names have the others. */
UNIT_TEST(numbers)
{
	static const char *const asked[] = { "x_y_2", "x_y", "X_Y", "x_y_3", "x_Y" };
	static const char *const got[] = { "x_y_2", "x_y", "X_Y_3", "x_y_3_2", "x_Y_4" };
	struct own_tables own = { .all = NULL };

	for (size_t i = 0; i < COUNT(asked); i++) {
		struct reader_table *reader =
			reader_table(asked[i], two_columns, FIELD_INT);

		assert_string_equal(own_table(&own, &reader->table)->name, got[i]);
		own_tables_forget_reader(&own);
		reader_table_free(reader);
	}
	own_tables_release(&own);
}

/*
 * Once a reader is forgotten, another table that lies where its table lay is another.
 */
UNIT_TEST(forget_reader)
{
	static const char *const other[] = { "trace_id", "b", NULL };
	struct own_tables own = { .all = NULL };
	struct reader_table *reader = reader_table("s_e", two_columns, FIELD_INT);
	struct reader_table *made = reader_table("t_f", other, FIELD_TEXT);
	const struct table *one = own_table(&own, &reader->table), *two;

	own_tables_forget_reader(&own);
	reader->table = made->table;
	two = own_table(&own, &reader->table);
	assert_ptr_not_equal(one, two);
	assert_string_equal(two->name, "t_f");
	assert_int_equal(two->fields[1].kind, FIELD_TEXT);
	reader_table_free(reader);
	reader_table_free(made);
	own_tables_release(&own);
}

/* No more than OWN_TABLES_MAX, but those that are there can still be had. */
UNIT_TEST(max)
{
	struct own_tables own = { .all = NULL };
	char name[32];

	for (int i = 0; i < OWN_TABLES_MAX + 5; i++) {
		struct reader_table *reader;
		const struct table *table;

		snprintf(name, sizeof(name), "s_%d", i);
		reader = reader_table(name, two_columns, FIELD_INT);
		table = own_table(&own, &reader->table);
		if (i < OWN_TABLES_MAX)
			assert_string_equal(table->name, name);
		else
			assert_null(table);
		own_tables_forget_reader(&own);
		reader_table_free(reader);
	}
	assert_int_equal(own.count, OWN_TABLES_MAX);
	for (int i = 0; i < OWN_TABLES_MAX; i += 73) {
		struct reader_table *reader;

		snprintf(name, sizeof(name), "s_%d", i);
		reader = reader_table(name, two_columns, FIELD_INT);
		assert_string_equal(own_table(&own, &reader->table)->name, name);
		own_tables_forget_reader(&own);
		reader_table_free(reader);
	}
	own_tables_release(&own);
}

/* The longest name a reader may give, and its number after it. */
UNIT_TEST(long_names)
{
	static const char *const other[] = { "trace_id", "b", NULL };
	struct own_tables own = { .all = NULL };
	char name[OWN_NAME_BYTES_MAX + 1], expected[OWN_NAME_BYTES_MAX + 8];
	struct reader_table *first, *second;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	first = reader_table(name, two_columns, FIELD_INT);
	second = reader_table(name, other, FIELD_INT);
	assert_string_equal(own_table(&own, &first->table)->name, name);
	snprintf(expected, sizeof(expected), "%s_2", name);
	assert_string_equal(own_table(&own, &second->table)->name, expected);
	reader_table_free(first);
	reader_table_free(second);
	own_tables_release(&own);
}

/* --- names of the schema --- */

/* The name that `wanted` gets, which must not be that of anything in the schema. */
static bool is_kept(const char *wanted)
{
	struct own_tables own = { .all = NULL };
	struct reader_table *reader = reader_table(wanted, two_columns, FIELD_INT);
	bool kept = strcasecmp(own_table(&own, &reader->table)->name, wanted) == 0;

	own_tables_release(&own);
	reader_table_free(reader);
	return kept;
}

/* In both cases; reports, and counts, names that would be there twice. */
static int count_kept(const char *name)
{
	char upper[128];
	size_t i = 0;

	for (; name[i] && i < sizeof(upper) - 1; i++)
		upper[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] & ~0x20
								   : name[i]);
	upper[i] = '\0';
	if (!is_kept(name) && !is_kept(upper))
		return 0;
	print_error("the schema has a %s already\n", name);
	return 1;
}

/*
 * Tables, indexes and views share one space of names, and the writer's own function must
 * not be hidden: none of them can be the name of a trace's table.
 */
UNIT_TEST(schema_names)
{
	static const char *const others[] = {
		"context_switch_named", "switch_counters", "process_bill", "comm_bill",
		"process_tree",		"process_metric",  "perftab_rows",
	};
	sqlite3_stmt *names;
	sqlite3 *db;
	int kept = 0, seen = 0;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, schema_tables, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, schema_indexes, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, schema_late_indexes, NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, schema_views, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, schema_perflib_views, NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT name FROM sqlite_schema", -1,
					    &names, NULL),
			 SQLITE_OK);
	while (sqlite3_step(names) == SQLITE_ROW) {
		kept += count_kept((const char *)sqlite3_column_text(names, 0));
		seen++;
	}
	sqlite3_finalize(names);
	sqlite3_close(db);
	assert_true(seen > RECORD_TABLES);
	for (size_t i = 0; i < COUNT(others); i++)
		kept += count_kept(others[i]);
	assert_int_equal(kept, 0);
}

/* SQLite keeps these for itself: no number after such a name makes it free. */
static int name_of_sqlite(void *name)
{
	struct own_tables own = { .all = NULL };
	struct reader_table *reader = reader_table(name, two_columns, FIELD_INT);
	const struct table *table;
	bool right;

	alarm(5); /* it ends */
	table = own_table(&own, &reader->table);
	right = !table || strncasecmp(table->name, "sqlite_", 7) != 0;
	own_tables_release(&own);
	reader_table_free(reader);
	return right ? 0 : 1;
}

UNIT_TEST(names_of_sqlite)
{
	static char names[][16] = { "sqlite_stat1", "SQLite_x", "sqlite_" };
	struct unit_output output;

	for (size_t i = 0; i < COUNT(names); i++) {
		unit_capture(name_of_sqlite, names[i], &output);
		assert_int_equal(output.status, 0);
	}
}

/* What only begins or ends like one of them is free. */
UNIT_TEST(free_names)
{
	static const char *const names[] = { "sample_",	     "sqlite",	    "sampl",
					     "xsample",	     "sqlitex_a",   "trace_trace",
					     "sched_switch", "finding_sort" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (!is_kept(names[i]))
			fail_msg("%s is free", names[i]);
}
