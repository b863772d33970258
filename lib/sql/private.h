/*
 * private.h - what the files of the functions share.
 */
#ifndef PERFTAB_SQL_PRIVATE_H
#define PERFTAB_SQL_PRIVATE_H

#ifdef PERFTAB_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

#include "feed/bill.h"
#include "feed/feed.h"
#include "sql/functions.h"

/* The rows of a function. */
enum sql_rows {
	SQL_TABLE,    /* of the table `kind` */
	SQL_SWITCHES, /* of context_switch, with deltas */
	SQL_ANY,      /* of the table that the second argument names */
	SQL_BILL,     /* of a bill, by the second argument */
};

struct sql_function {
	const char *name;
	enum sql_rows rows;
	enum record_kind kind;
	const char *second; /* name of the second argument; NULL: it has only one */
};

/* The data of a connection, which its modules share. */
struct sql_context {
	struct trace_functions options;
	int users;
};

struct sql_module {
	const struct sql_function *function;
	struct sql_context *context;
};

/* A function in a connection.  Its columns: shown ones, the arguments, hidden ones. */
struct sql_vtab {
	sqlite3_vtab base; /* SQLite's part, first */
	sqlite3 *db;
	const struct sql_function *function;
	const struct trace_functions *options;
	const struct table *table; /* SQL_ANY: NULL */
	int shown;		   /* columns before the arguments */
	int arguments;
	/* SQL_ANY: the columns of all tables by name, sorted; of several types: blobs. */
	struct sql_name {
		const char *name;
		enum field_kind kind;
	} * names;
	int name_count;
};

/* Which constraint an argument of xFilter is: letters of idxStr. */
#define SQL_ARG_PATH 'p'
#define SQL_ARG_SECOND 's'
#define SQL_ARG_CPU 'c'
#define SQL_ARG_AT 't'
#define SQL_ARG_FROM 'f'
#define SQL_ARG_AFTER 'F'
#define SQL_ARG_TO 'u'
#define SQL_ARG_BEFORE 'U'
/* idxNum: bits. */
#define SQL_PLAN_NO_DETAILS 1

/* columns.c: the declaration, and where hidden columns are. */
int sql_declare(struct sql_vtab *vtab);
/* The delta that a column is, or -1. */
int sql_delta_of(const struct sql_vtab *vtab, int column);
/* plan.c */
int sql_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info);
/* json.c: a row as an object. */
void sql_result_json(sqlite3_context *context, const struct feed_row *row);
/* cursor.c */
int sql_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor);
int sql_close(sqlite3_vtab_cursor *cursor);
int sql_filter(sqlite3_vtab_cursor *cursor, int plan, const char *arguments, int argc,
	       sqlite3_value **argv);
int sql_next(sqlite3_vtab_cursor *cursor);
int sql_eof(sqlite3_vtab_cursor *cursor);
int sql_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column);
int sql_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid);

#endif
