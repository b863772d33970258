/* test_schema.c - schema/tables.sql says what the code says, and says what it means. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "schema.h"

static int setup(void **state)
{
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
	    sqlite3_exec(db, schema_tables, NULL, NULL, NULL) != SQLITE_OK)
		return -1;
	*state = db;
	return 0;
}

static int teardown(void **state)
{
	return sqlite3_close(*state);
}

UNIT_GROUP(setup, teardown);

static sqlite3_stmt *ask(sqlite3 *db, const char *sql, const char *argument)
{
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	if (argument)
		sqlite3_bind_text(statement, 1, argument, -1, SQLITE_STATIC);
	return statement;
}

static const char *text_of(sqlite3_stmt *statement, int column)
{
	return (const char *)sqlite3_column_text(statement, column);
}

/* Column for column: names, order and kind. */
UNIT_TEST(columns)
{
	for (size_t t = 0; t < RECORD_TABLES; t++) {
		const struct table *table = &tables[t];
		sqlite3_stmt *info =
			ask(*state,
			    "SELECT name, type, \"notnull\" FROM pragma_table_info(?1) "
			    "ORDER BY cid",
			    table->name);

		for (size_t i = 0; i < table->field_count; i++) {
			const struct field *field = &table->fields[i];

			if (sqlite3_step(info) != SQLITE_ROW)
				fail_msg("%s lacks %s", table->name, field->name);
			if (strcmp(text_of(info, 0), field->name) != 0)
				fail_msg("%s.%s is where %s is expected", table->name,
					 text_of(info, 0), field->name);
			assert_string_equal(text_of(info, 1),
					    field_is_int(field->kind)	? "INTEGER"
					    : field->kind == FIELD_REAL ? "REAL"
					    : field->kind == FIELD_TEXT ? "TEXT"
									: "BLOB");
		}
		if (sqlite3_step(info) == SQLITE_ROW)
			fail_msg("%s.%s is not in tables.def", table->name,
				 text_of(info, 0));
		sqlite3_finalize(info);
	}
}

/* And table for table; charge_status alone has its rows in the schema. */
UNIT_TEST(tables)
{
	sqlite3_stmt *names = ask(*state,
				  "SELECT name, strict FROM pragma_table_list "
				  "WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'",
				  NULL);
	size_t found = 0;

	while (sqlite3_step(names) == SQLITE_ROW) {
		bool known = strcmp(text_of(names, 0), "charge_status") == 0;

		for (size_t t = 0; t < RECORD_TABLES; t++)
			known |= strcmp(text_of(names, 0), tables[t].name) == 0;
		if (!known)
			fail_msg("the table %s is not in tables.def", text_of(names, 0));
		assert_int_equal(sqlite3_column_int(names, 1), 1);
		found++;
	}
	assert_int_equal(found, RECORD_TABLES + 1);
	sqlite3_finalize(names);
}

UNIT_TEST(statuses)
{
	sqlite3_stmt *rows = ask(*state,
				 "SELECT status, name, reason, words FROM charge_status "
				 "ORDER BY status",
				 NULL);

	for (int s = 0; s < CHARGE_STATUSES; s++) {
		assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
		assert_int_equal(sqlite3_column_int(rows, 0), s);
		assert_string_equal(text_of(rows, 1), charge_status_words[s].name);
		assert_string_equal(text_of(rows, 2), charge_status_words[s].reason);
		assert_string_equal(text_of(rows, 3), charge_status_words[s].words);
	}
	assert_int_equal(sqlite3_step(rows), SQLITE_DONE);
	sqlite3_finalize(rows);
}

/* No index or table of the schema is called like another, whatever the case. */
UNIT_TEST(names_differ)
{
	sqlite3_stmt *same = ask(*state,
				 "SELECT min(name) FROM sqlite_schema "
				 "GROUP BY lower(name) HAVING count(*) > 1",
				 NULL);

	assert_int_equal(sqlite3_step(same), SQLITE_DONE);
	sqlite3_finalize(same);
}

/* Whatever a column refers to is there. */
UNIT_TEST(references)
{
	sqlite3_stmt *lost =
		ask(*state,
		    "SELECT l.name, f.\"table\" FROM pragma_table_list AS l, "
		    "pragma_foreign_key_list(l.name) AS f "
		    "WHERE f.\"table\" NOT IN (SELECT name FROM pragma_table_list)",
		    NULL);

	if (sqlite3_step(lost) == SQLITE_ROW)
		fail_msg("%s refers to %s, which is not a table", text_of(lost, 0),
			 text_of(lost, 1));
	sqlite3_finalize(lost);
}

UNIT_TEST(indexes_and_numbers)
{
	char *error = NULL;

	(void)sqlite3_exec(*state, schema_indexes, NULL, NULL, &error);
	if (error)
		fail_msg("indexes.sql: %s", error);
	(void)sqlite3_exec(*state, schema_late_indexes, NULL, NULL, &error);
	if (error)
		fail_msg("late_indexes.sql: %s", error);
	assert_true(SCHEMA_VERSION >= 2);
	assert_int_equal(SCHEMA_APPLICATION_ID, 0x70746162); /* "ptab" */
}

/* --- what each column means --- */

/* Names that say it all, given the conventions at the top of tables.sql. */
static bool is_self_evident(const char *name, size_t len)
{
	static const char *const endings[] = { "_id", "_ns", "_switches", "_page_bytes",
					       "_generation" };
	static const char *const plain[] = {
		"cpu",	      "status",	      "switches",   "name",	 "key",
		"value",      "text",	      "count",	    "charged",	 "with_idle",
		"idle",	      "unattributed", "unproven",   "throttled", "cpu_model",
		"parent_pid", "first_value",  "last_value", "addr",	 "phys_addr",
		"from_ip",    "to_ip",	      "bytes",	    "old_bytes", "new_bytes",
		"filename",   "path",	      "inode",	    "device",	 "minor",
		"system",     "table_name",   "samples",    "records",	 "record",
		"is_removed", "file_offset",  "round",
	};

	for (size_t i = 0; i < COUNT(endings); i++) {
		size_t ending = strlen(endings[i]);

		if (len > ending && memcmp(name + len - ending, endings[i], ending) == 0)
			return true;
	}
	for (size_t i = 0; i < COUNT(plain); i++)
		if (len == strlen(plain[i]) && memcmp(name, plain[i], len) == 0)
			return true;
	return false;
}

/*
 * A column line is one that begins with a tab and a lower-case name.  Returns how many
 * comments are missing.
 */
static int check_line(const char *line, size_t len, size_t number, size_t *columns)
{
	size_t name = 0;
	const char *comment = memmem(line, len, "--", 2);

	if (len < 2 || line[0] != '\t' || !islower((unsigned char)line[1]))
		return 0;
	while (name + 1 < len &&
	       (islower((unsigned char)line[name + 1]) ||
		isdigit((unsigned char)line[name + 1]) || line[name + 1] == '_'))
		name++;
	++*columns;
	if (is_self_evident(line + 1, name) ||
	    (comment && (size_t)(line + len - comment) >= 4))
		return 0;
	print_error("tables.sql:%zu: %.*s has no comment\n", number, (int)name, line + 1);
	return 1;
}

UNIT_TEST(comments)
{
	size_t number = 1, columns = 0, expected = 4; /* of charge_status */
	const char *before = "";
	int missing = 0;

	for (size_t t = 0; t < RECORD_TABLES; t++)
		expected += tables[t].field_count;
	for (const char *line = schema_tables; *line; number++) {
		size_t len = strcspn(line, "\n");

		missing += check_line(line, len, number, &columns);
		/*
		 * A comment, or what the tables of a family have in common, comes first.
		 */
		if (strncmp(line, "CREATE TABLE", 12) == 0 &&
		    strncmp(line, "CREATE TABLE process_", 21) != 0 &&
		    strncmp(line, "CREATE TABLE thread_", 20) != 0 &&
		    strncmp(line, "CREATE TABLE cpu_summary", 24) != 0 &&
		    strncmp(line, "CREATE TABLE status_", 20) != 0 &&
		    strncmp(line, "CREATE TABLE stat_round", 23) != 0 &&
		    strncmp(line, "CREATE TABLE sample_summary", 27) != 0 &&
		    strncmp(line, "CREATE TABLE sample_cpu_", 24) != 0 &&
		    strncmp(before, "--", 2) != 0) {
			print_error("tables.sql:%zu: a table without a comment\n",
				    number);
			missing++;
		}
		before = line;
		line += len + (line[len] == '\n');
	}
	assert_int_equal(columns, expected);
	assert_int_equal(missing, 0);
}
