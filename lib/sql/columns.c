/* columns.c - declares the columns of each function. */
#include <stdlib.h>

#include "base/text.h"
#include "sql/private.h"

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct sql_name *)a)->name,
		      ((const struct sql_name *)b)->name);
}

static bool are_alike(enum field_kind a, enum field_kind b)
{
	return a == b || (field_is_int(a) && field_is_int(b));
}

/* Each name once. */
static int unite(struct sql_name *names, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct sql_name *last = kept ? &names[kept - 1] : NULL;

		if (!last || strcmp(last->name, names[i].name) != 0)
			names[kept++] = names[i];
		else if (!are_alike(last->kind, names[i].kind))
			last->kind = FIELD_BLOB;
	}
	return (int)kept;
}

static int find_names(struct sql_vtab *vtab)
{
	size_t count = 0;

	for (size_t i = 0; i < RECORD_TABLES; i++)
		count += tables[i].field_count;
	vtab->names = sqlite3_malloc64(count * sizeof(*vtab->names));
	if (!vtab->names)
		return SQLITE_NOMEM;
	count = 0;
	for (size_t i = 0; i < RECORD_TABLES; i++)
		for (size_t j = 0; j < tables[i].field_count; j++)
			vtab->names[count++] =
				(struct sql_name){ tables[i].fields[j].name,
						   tables[i].fields[j].kind };
	qsort(vtab->names, count, sizeof(*vtab->names), compare_names);
	vtab->name_count = unite(vtab->names, count);
	return SQLITE_OK;
}

/* Shown columns are before the arguments, hidden ones after them. */
static void add_column(sqlite3_str *sql, const char *name, enum field_kind kind,
		       bool is_hidden)
{
	static const char *const types[] = {
		[FIELD_INT] = "INTEGER", [FIELD_VALUE] = "INTEGER", [FIELD_REAL] = "REAL",
		[FIELD_TEXT] = "TEXT",	 [FIELD_BLOB] = "BLOB",
	};

	sqlite3_str_appendf(sql, is_hidden ? ", \"%w\" %s HIDDEN" : "\"%w\" %s, ", name,
			    types[kind]);
}

static void add_deltas(sqlite3_str *sql, int from, int to, bool is_hidden)
{
	char name[24];

	for (int i = from; i < to; i++) {
		text_print(name, sizeof(name), "delta_%d", i);
		add_column(sql, name, FIELD_INT, is_hidden);
	}
}

static void add_shown(sqlite3_str *sql, struct sql_vtab *vtab)
{
	const struct table *table = vtab->table;

	if (!table) {
		add_column(sql, "json", FIELD_TEXT, false);
		vtab->shown = 1;
		return;
	}
	for (size_t i = 0; i < table->field_count; i++)
		add_column(sql, table->fields[i].name, table->fields[i].kind, false);
	vtab->shown = (int)table->field_count;
	if (vtab->function->rows != SQL_SWITCHES)
		return;
	add_deltas(sql, 0, SQL_DELTAS_SHOWN, false);
	vtab->shown += SQL_DELTAS_SHOWN;
}

static void add_hidden(sqlite3_str *sql, const struct sql_vtab *vtab)
{
	for (int i = 0; i < vtab->name_count; i++)
		add_column(sql, vtab->names[i].name, vtab->names[i].kind, true);
	if (vtab->function->rows == SQL_ANY)
		add_deltas(sql, 0, SQL_DELTAS_SHOWN, true);
	if (vtab->function->rows == SQL_SWITCHES)
		add_deltas(sql, SQL_DELTAS_SHOWN, GROUP_COUNTERS_MAX, true);
}

int sql_declare(struct sql_vtab *vtab)
{
	const struct sql_function *function = vtab->function;
	int result = function->rows == SQL_ANY ? find_names(vtab) : SQLITE_OK;
	sqlite3_str *sql;
	char *text;

	if (result != SQLITE_OK)
		return result;
	if (function->rows == SQL_BILL)
		vtab->table = &feed_bill_table;
	else if (function->rows != SQL_ANY)
		vtab->table = &tables[function->kind];
	vtab->arguments = function->second ? 2 : 1;
	sql = sqlite3_str_new(vtab->db);
	sqlite3_str_appendall(sql, "CREATE TABLE x(");
	add_shown(sql, vtab);
	sqlite3_str_appendall(sql, "input TEXT HIDDEN");
	if (function->second)
		add_column(sql, function->second, FIELD_TEXT, true);
	add_hidden(sql, vtab);
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	result = text ? sqlite3_declare_vtab(vtab->db, text) : SQLITE_NOMEM;
	sqlite3_free(text);
	return result;
}

int sql_delta_of(const struct sql_vtab *vtab, int column)
{
	int hidden = column - vtab->shown - vtab->arguments;

	if (vtab->function->rows == SQL_ANY)
		return hidden >= vtab->name_count &&
				       hidden < vtab->name_count + SQL_DELTAS_SHOWN
			       ? hidden - vtab->name_count
			       : -1;
	if (vtab->function->rows != SQL_SWITCHES)
		return -1;
	if (column < vtab->shown)
		return column - (vtab->shown - SQL_DELTAS_SHOWN);
	return hidden >= 0 ? hidden + SQL_DELTAS_SHOWN : -1;
}
