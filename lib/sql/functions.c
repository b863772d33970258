/* functions.c - registers the table-valued functions of a connection. */
#include "base/array.h"
#include "sql/private.h"

static const struct sql_function functions[] = {
	{ "perftab_switches", SQL_SWITCHES, RECORD_context_switch, NULL },
	{ "perftab_samples", SQL_TABLE, RECORD_sample, NULL },
	{ "perftab_findings", SQL_TABLE, RECORD_finding, NULL },
	{ "perftab_table", SQL_ANY, RECORD_OWN_TABLE, "of_table" },
	{ "perftab_bill", SQL_BILL, RECORD_OWN_TABLE, "bill_by" },
};

static int disconnect(sqlite3_vtab *base)
{
	sqlite3_free(((struct sql_vtab *)base)->names);
	sqlite3_free(base);
	return SQLITE_OK;
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
		   sqlite3_vtab **out, char **error)
{
	const struct sql_module *module = aux;
	struct sql_vtab *vtab = sqlite3_malloc(sizeof(*vtab));
	int result;

	(void)argc, (void)argv, (void)error;
	if (!vtab)
		return SQLITE_NOMEM;
	memset(vtab, 0, sizeof(*vtab));
	vtab->db = db;
	vtab->function = module->function;
	vtab->options = &module->context->options;
	result = sql_declare(vtab);
	/* The views and triggers of a database may not choose which files are read. */
	if (result == SQLITE_OK && !vtab->options->for_views)
		result = sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
	if (result == SQLITE_OK)
		*out = &vtab->base;
	else
		disconnect(&vtab->base);
	return result;
}

/* No xCreate: exist only as functions, never as tables of a schema. */
static const sqlite3_module module_methods = {
	.xConnect = connect,
	.xBestIndex = sql_best_index,
	.xDisconnect = disconnect,
	.xOpen = sql_open,
	.xClose = sql_close,
	.xFilter = sql_filter,
	.xNext = sql_next,
	.xEof = sql_eof,
	.xColumn = sql_column,
	.xRowid = sql_rowid,
};

static void release_module(void *aux)
{
	struct sql_module *module = aux;

	if (--module->context->users == 0)
		sqlite3_free(module->context);
	sqlite3_free(module);
}

static int add(sqlite3 *db, const struct sql_function *function,
	       struct sql_context *context)
{
	struct sql_module *module = sqlite3_malloc(sizeof(*module));

	if (!module)
		return SQLITE_NOMEM;
	*module = (struct sql_module){ function, context };
	context->users++;
	/* Releases the module on failure too. */
	return sqlite3_create_module_v2(db, function->name, &module_methods, module,
					release_module);
}

int trace_functions_register(sqlite3 *db, const struct trace_functions *options)
{
	struct sql_context *context = sqlite3_malloc(sizeof(*context));
	int result = SQLITE_OK;

	if (!context)
		return SQLITE_NOMEM;
	*context = (struct sql_context){ .users = 1 };
	if (options)
		context->options = *options;
	for (size_t i = 0; i < ARRAY_COUNT(functions) && result == SQLITE_OK; i++)
		result = add(db, &functions[i], context);
	if (--context->users == 0)
		sqlite3_free(context);
	return result;
}

bool trace_functions_declare(sqlite3 *db)
{
	bool done = true;

	for (size_t i = 0; i < ARRAY_COUNT(functions) && done; i++) {
		char *query = sqlite3_mprintf("SELECT 1 FROM %s", functions[i].name);
		sqlite3_stmt *statement = NULL;

		done = query &&
		       sqlite3_prepare_v2(db, query, -1, &statement, NULL) == SQLITE_OK;
		sqlite3_finalize(statement);
		sqlite3_free(query);
	}
	return done;
}
