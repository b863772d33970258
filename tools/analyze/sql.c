/*
 * sql.c - see sql.h.
 *
 * The views of a database are not trusted.  They can read it, and call what is harmless;
 * nothing else.  A view may also go on for ever, within a single step of SQLite even: so
 * SIGINT is not caught here, but ends the program, which leaves no files.
 */
#include "sql.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "cells.h"
#include "common/json.h"
#include "counters/perf_counter_sql.h"
#include "formats/database/file.h"
#include "model/reader.h"
#include "sql/functions.h"
#include "sql_in_place.h"
#include "sql_trace.h"

/* SQLite unfolds nested views by recursion: thousands are too many.  We make seven. */
#define VIEWS_MAX 100
#define HEAP_BYTES_MAX (256 << 20)

struct query {
	sqlite3 *db;
	sqlite3_stmt *rows;
	int columns;
	const struct sql_options *options;
	struct error *error;
	struct sql_trace trace;
	struct sql_in_place in_place;
};

/* --- opening --- */

/* A file that a database may be in; the first bytes of a pipe are the trace's. */
static bool is_database(const char *path, struct error *error)
{
	struct input input;
	const uint8_t *head;
	bool found;

	if (strcmp(path, "-") == 0 || input_open(&input, path, error) != ST_OK)
		return false;
	head = input.seekable ? input_peek(&input, READER_PROBE_BYTES) : NULL;
	found = head && database_probe(head, READER_PROBE_BYTES) > 0;
	/* Closed before SQLite opens it: closing drops the locks of the process. */
	input_close(&input);
	return found;
}

static int only_reads(void *unused, int action, const char *first, const char *second,
		      const char *database, const char *view)
{
	(void)unused;
	(void)first;
	(void)database;
	(void)view;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return sqlite3_stricmp(second, "load_extension") == 0 ? SQLITE_DENY
								      : SQLITE_OK;
	default:
		return SQLITE_DENY;
	}
}

static enum status check_views(sqlite3 *db, struct error *error)
{
	sqlite3_stmt *statement;
	sqlite3_int64 views = 0;

	if (sqlite3_prepare_v2(db,
			       "SELECT count(*) FROM sqlite_schema WHERE type = 'view'",
			       -1, &statement, NULL) != SQLITE_OK)
		return database_file_failed(db, error);
	if (sqlite3_step(statement) == SQLITE_ROW)
		views = sqlite3_column_int64(statement, 0);
	if (sqlite3_finalize(statement) != SQLITE_OK)
		return database_file_failed(db, error);
	if (views > VIEWS_MAX)
		return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
				 "database: %lld views, expected at most %d",
				 (long long)views, VIEWS_MAX);
	return ST_OK;
}

static enum status limit(struct query *query)
{
	sqlite3_hard_heap_limit64(HEAP_BYTES_MAX);
	sqlite3_limit(query->db, SQLITE_LIMIT_ATTACHED, 0);
	if (sqlite3_set_authorizer(query->db, only_reads, NULL) != SQLITE_OK)
		return database_file_failed(query->db, query->error);
	return ST_OK;
}

/* As a temporary database: of totals, if that is enough. */
static enum status open_trace(struct query *query, const char *path)
{
	const char *text = query->options->query;
	enum status status;

	query->trace.only_totals = sql_trace_needs_totals(path, text);
	status = sql_trace_open(&query->trace, &query->db, path, query->error);
	if (status != ST_OK || !query->trace.only_totals ||
	    sql_trace_suffices(query->db, text))
		return status;
	sqlite3_close(query->db);
	query->db = NULL;
	query->trace.only_totals = false;
	return sql_trace_open(&query->trace, &query->db, path, query->error);
}

static enum status open_database(struct query *query, const char *path)
{
	struct error unseen = { .status = ST_OK }; /* reading it reports that */
	enum status status = ST_OK;

	query->in_place.path = path;
	if (!is_database(path, &unseen)) {
		if (sql_in_place_open(&query->db, &query->in_place,
				      query->options->query))
			return limit(query);
		status = open_trace(query, path);
	} else {
		status = database_file_open(&query->db, path, query->error);
	}
	if (status != ST_OK)
		return status;
	sqlite3_hard_heap_limit64(HEAP_BYTES_MAX); /* declaring reads the schema */
	if (perf_counter_sql_register(query->db) != SQLITE_OK ||
	    trace_functions_register(query->db, NULL) != SQLITE_OK ||
	    !trace_functions_declare(query->db))
		return database_file_failed(query->db, query->error);
	status = limit(query);
	return status == ST_OK ? check_views(query->db, query->error) : status;
}

/* --- the statement --- */

/* The trace of a function, as the sandbox refuses all but the input. */
static bool is_refused(const char *message)
{
	const char *reason = strstr(message, "cannot open: ");

	return reason && strcmp(reason + strlen("cannot open: "), strerror(EACCES)) == 0;
}

static enum status query_failed(const struct query *query)
{
	const char *message = sqlite3_errmsg(query->db), *path = query->in_place.path;
	size_t length = strlen(path);

	/* A function names the trace that it cannot read, and so does the program. */
	if (strncmp(message, path, length) == 0 && message[length] == ':')
		return error_set(query->error, ST_UNSUPPORTED, ERROR_NO_OFFSET, "%s",
				 message + length + strspn(message + length, ": "));
	if (sqlite3_errcode(query->db) == SQLITE_AUTH)
		return error_set(query->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "database: %s: --sql only reads", message);
	if (!query->options->no_sandbox && is_refused(message))
		return error_set(query->error, ST_IO, ERROR_NO_OFFSET,
				 "database: %s: the sandbox allows only the input "
				 "(--no-sandbox)",
				 message);
	return database_file_failed(query->db, query->error);
}

/* After the first there may be blanks and comments, which give no statement. */
static bool is_alone(struct query *query, const char *rest)
{
	while (*rest) {
		sqlite3_stmt *another = NULL;
		int result = sqlite3_prepare_v2(query->db, rest, -1, &another, &rest);

		sqlite3_finalize(another);
		if (result != SQLITE_OK || another)
			return false;
	}
	return true;
}

/* A document with two members of one name is read as if it had the last alone. */
static enum status check_names(const struct query *query)
{
	for (int i = 0; i < query->columns; i++)
		for (int j = 0; j < i; j++) {
			const char *name = sqlite3_column_name(query->rows, i);
			const char *other = sqlite3_column_name(query->rows, j);

			if (!name || !other)
				return error_nomem(query->error);
			if (strcmp(name, other) == 0)
				return error_set(
					query->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
					"--sql: two columns are named '%.80s': name "
					"one with AS",
					name);
		}
	return ST_OK;
}

static enum status prepare(struct query *query)
{
	const char *rest;
	int result = sqlite3_prepare_v2(query->db, query->options->query, -1,
					&query->rows, &rest);

	if (result != SQLITE_OK)
		return query_failed(query);
	query->columns = sqlite3_column_count(query->rows);
	if (query->columns == 0 || !sqlite3_stmt_readonly(query->rows) ||
	    !is_alone(query, rest))
		return error_set(query->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "--sql accepts one SELECT statement");
	return query->options->json ? check_names(query) : ST_OK;
}

/* --- cells --- */

static void print_hex(FILE *to, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		fputc(digits[bytes[i] >> 4], to);
		fputc(digits[bytes[i] & 15], to);
	}
}

static void print_integer(int64_t value)
{
	char digits[TEXT_INT_MAX];

	fwrite(digits, 1, text_int(digits, value), stdout);
}

/* As in tables, a terminal gets no bytes that it could obey.  False: out of memory. */
static bool print_csv_text(const struct query *query, struct str text)
{
	size_t size = 4 * text.len + 8; /* each byte as \xNN */
	char *shown;

	if (!text.len || !os_is_terminal(OS_STDOUT)) {
		csv_cell(stdout, text, query->options->csv_safe);
		return true;
	}
	shown = memory_alloc(size);
	if (shown) {
		(void)text_shown(shown, size, text, SIZE_MAX);
		csv_cell(stdout, str_of(shown), query->options->csv_safe);
	}
	free(shown);
	return shown != NULL;
}

/* False: there was no memory to convert it. */
static bool print_text_cell(const struct query *query, int column)
{
	struct str text = {
		.ptr = (const char *)sqlite3_column_text(query->rows, column),
		.len = (size_t)sqlite3_column_bytes(query->rows, column),
	};

	if (!query->options->json)
		return print_csv_text(query, text) && text.ptr;
	json_text(stdout, text);
	return text.ptr != NULL;
}

static void print_blob_cell(const struct query *query, int column)
{
	const uint8_t *bytes = sqlite3_column_blob(query->rows, column);
	size_t count = (size_t)sqlite3_column_bytes(query->rows, column);

	fputs(query->options->json ? "\"" : "", stdout);
	print_hex(stdout, bytes, count);
	fputs(query->options->json ? "\"" : "", stdout);
}

static bool print_cell(const struct query *query, int column)
{
	switch (sqlite3_column_type(query->rows, column)) {
	case SQLITE_INTEGER:
		print_integer(sqlite3_column_int64(query->rows, column));
		return true;
	case SQLITE_FLOAT:
		print_real(stdout, sqlite3_column_double(query->rows, column));
		return true;
	case SQLITE_NULL:
		fputs(query->options->json ? "null" : "", stdout);
		return true;
	case SQLITE_BLOB:
		print_blob_cell(query, column);
		return true;
	default:
		return print_text_cell(query, column);
	}
}

/* Not every reader accepts an empty line as a row. */
static bool is_empty_line(const struct query *query)
{
	return query->columns == 1 && !query->options->json &&
	       sqlite3_column_type(query->rows, 0) != SQLITE_INTEGER &&
	       sqlite3_column_type(query->rows, 0) != SQLITE_FLOAT &&
	       sqlite3_column_bytes(query->rows, 0) == 0;
}

static struct str column_name(const struct query *query, int column)
{
	return str_of(sqlite3_column_name(query->rows, column));
}

/* --- rows --- */

static bool print_head(const struct query *query)
{
	bool printed = true;

	if (query->options->json) {
		fputs("[", stdout);
		return true;
	}
	for (int i = 0; i < query->columns; i++) {
		fputs(i ? "," : "", stdout);
		printed &= print_csv_text(query, column_name(query, i));
	}
	fputs("\n", stdout);
	return printed;
}

static bool print_row(const struct query *query, bool is_first)
{
	bool json = query->options->json;
	bool printed = true;

	if (json)
		fputs(is_first ? "\n  {" : ",\n  {", stdout);
	for (int i = 0; i < query->columns; i++) {
		fputs(i == 0 ? "" : json ? ", " : ",", stdout);
		if (json) {
			json_text(stdout, column_name(query, i));
			fputs(": ", stdout);
		}
		printed &= print_cell(query, i);
	}
	if (is_empty_line(query))
		fputs("\"\"", stdout);
	fputs(json ? "}" : "\n", stdout);
	return printed;
}

static enum status print_rows(struct query *query)
{
	enum status status = ST_OK;
	int result = sqlite3_step(query->rows);
	bool is_first = true;

	if (result != SQLITE_ROW && result != SQLITE_DONE)
		return query_failed(query);
	if (!print_head(query))
		status = error_nomem(query->error);
	/* A full disk is reported when stdout is closed; no more is to be worked out. */
	while (result == SQLITE_ROW && status == ST_OK && !ferror(stdout)) {
		if (!print_row(query, is_first))
			status = error_nomem(query->error);
		is_first = false;
		result = sqlite3_step(query->rows);
	}
	if (result != SQLITE_ROW && result != SQLITE_DONE)
		status = query_failed(query);
	if (query->options->json)
		fputs(is_first ? "]\n" : "\n]\n", stdout);
	return status;
}

enum status sql_print(const char *path, const struct sql_options *options,
		      bool *is_damaged, struct error *error)
{
	struct query query = { .options = options, .error = error };
	enum status status = open_database(&query, path);

	if (status == ST_OK)
		status = prepare(&query);
	if (status == ST_OK)
		status = print_rows(&query);
	sqlite3_finalize(query.rows);
	sqlite3_close(query.db);
	*is_damaged = query.trace.is_damaged || query.in_place.is_damaged;
	return status;
}
