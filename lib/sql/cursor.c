/* cursor.c - a cursor: the arguments, a feed, and the values of its rows. */
#include <stdlib.h>

#include "sql/field.h"
#include "sql/private.h"

struct cursor {
	sqlite3_vtab_cursor base; /* SQLite's part, first */
	struct feed *feed;
	struct feed_bill bill;
	struct feed_row row;
	bool has_ended;
	sqlite3_int64 number;	    /* of the row */
	char *path, *second;	    /* the arguments */
	sqlite3_stmt *poll;	    /* fails once the connection is interrupted */
	const struct table *mapped; /* SQL_ANY: `fields` are of this table */
	int *fields;		    /* by name: its field + 1; 0: it has none */
};

static struct sql_vtab *vtab_of(struct cursor *cursor)
{
	return (struct sql_vtab *)cursor->base.pVtab;
}

int sql_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	struct cursor *cursor = sqlite3_malloc(sizeof(*cursor));

	(void)vtab;
	if (!cursor)
		return SQLITE_NOMEM;
	memset(cursor, 0, sizeof(*cursor));
	*out = &cursor->base;
	return SQLITE_OK;
}

static void end(struct cursor *cursor)
{
	feed_close(cursor->feed);
	sqlite3_free(cursor->path);
	sqlite3_free(cursor->second);
	sqlite3_free(cursor->fields);
	sqlite3_finalize(cursor->poll);
	cursor->feed = NULL;
	cursor->path = cursor->second = NULL;
	cursor->mapped = NULL;
	cursor->fields = NULL;
	cursor->poll = NULL;
}

int sql_close(sqlite3_vtab_cursor *base)
{
	end((struct cursor *)base);
	sqlite3_free(base);
	return SQLITE_OK;
}

/* --- failures --- */

static int fail(struct cursor *cursor, const char *text)
{
	struct sql_vtab *vtab = vtab_of(cursor);

	sqlite3_free(vtab->base.zErrMsg);
	vtab->base.zErrMsg = sqlite3_mprintf(
		"%s: %s", cursor->path ? cursor->path : vtab->function->name, text);
	return SQLITE_ERROR;
}

static int fail_as(struct cursor *cursor, const struct error *error)
{
	if (error->status == ST_NOMEM)
		return SQLITE_NOMEM;
	if (error->status == ST_INTERRUPTED)
		return SQLITE_INTERRUPT;
	return fail(cursor, error->text);
}

/* Older versions of SQLite have no other question for this. */
static bool is_interrupted(void *context)
{
	struct cursor *cursor = context;
	int result = sqlite3_step(cursor->poll);

	(void)sqlite3_reset(cursor->poll);
	return result == SQLITE_INTERRUPT;
}

/* --- arguments --- */

static void raise_to(int64_t *bound, int64_t value)
{
	*bound = value > *bound ? value : *bound;
}

static void lower_to(int64_t *bound, int64_t value)
{
	*bound = value < *bound ? value : *bound;
}

/* Of a constraint that is an integer; others are left to SQLite. */
static void restrict_rows(struct feed_request *request, char letter, int64_t value)
{
	switch (letter) {
	case SQL_ARG_CPU:
		request->cpu = value; /* of several one is enough: SQLite checks all */
		break;
	case SQL_ARG_AT:
		raise_to(&request->from_ns, value);
		lower_to(&request->to_ns, value);
		break;
	case SQL_ARG_FROM:
	case SQL_ARG_AFTER:
		raise_to(&request->from_ns, value);
		break;
	case SQL_ARG_TO:
	case SQL_ARG_BEFORE:
		lower_to(&request->to_ns, value);
		break;
	default:
		break;
	}
}

/* A copy of a text; SQLITE_ERROR: it is none. */
static int copy_text(sqlite3_value *value, char **to)
{
	const unsigned char *text = sqlite3_value_text(value);

	if (!text || (size_t)sqlite3_value_bytes(value) != strlen((const char *)text))
		return SQLITE_ERROR;
	sqlite3_free(*to);
	*to = sqlite3_mprintf("%s", text);
	return *to ? SQLITE_OK : SQLITE_NOMEM;
}

static int read_arguments(struct cursor *cursor, struct feed_request *request,
			  const char *letters, int argc, sqlite3_value **argv)
{
	int result = SQLITE_OK;

	for (int i = 0; i < argc && result == SQLITE_OK; i++) {
		if (letters[i] == SQL_ARG_PATH)
			result = copy_text(argv[i], &cursor->path);
		else if (letters[i] == SQL_ARG_SECOND)
			result = copy_text(argv[i], &cursor->second);
		else if (sqlite3_value_type(argv[i]) == SQLITE_INTEGER)
			restrict_rows(request, letters[i], sqlite3_value_int64(argv[i]));
	}
	if (result == SQLITE_ERROR)
		return fail(cursor, "the arguments are texts");
	if (result == SQLITE_OK && !cursor->path)
		return fail(cursor, "expected the path of a trace as the argument");
	return result;
}

static int choose_rows(struct cursor *cursor, struct feed_request *request)
{
	const struct sql_function *function = vtab_of(cursor)->function;
	enum record_kind kind = function->kind;

	memset(request->tables, 0, sizeof(request->tables));
	if (function->rows == SQL_BILL) {
		if (!feed_bill_by(cursor->second ? cursor->second : "process",
				  &cursor->bill.by))
			return fail(cursor, "unknown bill: expected " CUT_WORDS);
		cursor->bill.is_tall = true;
		request->run = feed_run_bill;
		request->run_context = &cursor->bill;
		request->no_details = true;
		return SQLITE_OK;
	}
	if (function->rows == SQL_ANY) {
		if (!cursor->second)
			return fail(cursor, "expected the name of a table as the second "
					    "argument");
		if (feed_view(cursor->second))
			return fail(cursor, feed_view(cursor->second));
		kind = feed_table_kind(cursor->second);
		if (kind == RECORD_OWN_TABLE)
			request->own_table = cursor->second;
	}
	request->tables[kind] = true;
	return SQLITE_OK;
}

int sql_filter(sqlite3_vtab_cursor *base, int plan, const char *letters, int argc,
	       sqlite3_value **argv)
{
	struct cursor *cursor = (struct cursor *)base;
	const struct sql_vtab *vtab = vtab_of(cursor);
	struct feed_request request = feed_request_all();
	struct feed_source source = { .path = NULL };
	int result;

	end(cursor);
	cursor->has_ended = false;
	cursor->number = 0;
	request.no_sandbox = vtab->options->no_sandbox;
	request.no_details = plan & SQL_PLAN_NO_DETAILS;
	request.finding = vtab->options->finding;
	request.finding_context = vtab->options->context;
	request.interrupted = is_interrupted;
	request.context = cursor;
	result = read_arguments(cursor, &request, letters, argc, argv);
	if (result == SQLITE_OK)
		result = choose_rows(cursor, &request);
	if (result == SQLITE_OK)
		result =
			sqlite3_prepare_v2(vtab->db, "SELECT 1", -1, &cursor->poll, NULL);
	if (result != SQLITE_OK)
		return result;
	source.path = cursor->path;
	cursor->feed = feed_open(&source, &request);
	return cursor->feed ? sql_next(base) : SQLITE_NOMEM;
}

/* --- rows --- */

int sql_next(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;
	enum status status = feed_next(cursor->feed, &cursor->row);

	cursor->number++;
	cursor->has_ended = status != ST_OK;
	return status < ST_OK ? fail_as(cursor, feed_error(cursor->feed)) : SQLITE_OK;
}

int sql_eof(sqlite3_vtab_cursor *base)
{
	return ((struct cursor *)base)->has_ended;
}

int sql_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	*rowid = ((struct cursor *)base)->number;
	return SQLITE_OK;
}

/* Where the columns of all tables are in the rows of this one.  False: no memory. */
static bool map_fields(struct cursor *cursor)
{
	const struct sql_vtab *vtab = vtab_of(cursor);
	const struct table *table = cursor->row.table;
	size_t size = (size_t)vtab->name_count * sizeof(*cursor->fields);

	if (!cursor->fields)
		cursor->fields = sqlite3_malloc64(size);
	if (!cursor->fields)
		return false;
	memset(cursor->fields, 0, size);
	for (int i = 0; i < vtab->name_count; i++)
		for (size_t j = 0; j < table->field_count; j++)
			if (strcmp(vtab->names[i].name, table->fields[j].name) == 0)
				cursor->fields[i] = (int)j + 1;
	cursor->mapped = table;
	return true;
}

static void result_any(struct cursor *cursor, sqlite3_context *context, int name)
{
	const struct feed_row *row = &cursor->row;
	const struct field *field;

	if (cursor->mapped != row->table && !map_fields(cursor)) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (cursor->fields[name] == 0)
		return;
	field = &row->table->fields[cursor->fields[name] - 1];
	sql_result_field(context, row->data + field->offset, field->kind,
			 SQLITE_TRANSIENT);
}

int sql_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	struct cursor *cursor = (struct cursor *)base;
	const struct sql_vtab *vtab = vtab_of(cursor);
	const struct feed_row *row = &cursor->row;
	int delta, hidden = column - vtab->shown - vtab->arguments;

	if (vtab->table && (size_t)column < vtab->table->field_count) {
		const struct field *field = &vtab->table->fields[column];

		sql_result_field(context, row->data + field->offset, field->kind,
				 SQLITE_TRANSIENT);
		return SQLITE_OK;
	}
	delta = sql_delta_of(vtab, column);
	if (column == vtab->shown)
		sqlite3_result_text(context, cursor->path, -1, SQLITE_TRANSIENT);
	else if (column == vtab->shown + 1 && vtab->arguments > 1)
		sqlite3_result_text(context, cursor->second, -1, SQLITE_TRANSIENT);
	else if (delta >= 0 && (size_t)delta < row->slots)
		sqlite3_result_int64(context, row->deltas[delta]);
	else if (!vtab->table && column == 0)
		sql_result_json(context, row);
	else if (!vtab->table && hidden >= 0 && hidden < vtab->name_count)
		result_any(cursor, context, hidden);
	return SQLITE_OK;
}
