/* rows.c - see rows.h. */
#include "rows.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/file_name.h"

/* --- handwritten rows --- */

static struct record *add(struct rows *rows, enum record_kind kind,
			  const struct table *table, const void *row)
{
	void *copy = unit_alloc(table->row_size);

	memcpy(copy, row, table->row_size);
	if (rows->count == rows->room) {
		const struct record *old = rows->records;

		rows->room = rows->room ? 2 * rows->room : 64;
		rows->records = unit_alloc(rows->room * sizeof(*rows->records));
		if (old)
			memcpy(rows->records, old, rows->count * sizeof(*old));
	}
	rows->records[rows->count] =
		(struct record){ .kind = kind, .data = copy, .table = table };
	return &rows->records[rows->count++];
}

void rows_add(struct rows *rows, enum record_kind kind, const void *row)
{
	(void)add(rows, kind, &tables[kind], row);
}

void rows_add_own(struct rows *rows, const struct table *table, const void *row)
{
	(void)add(rows, RECORD_OWN_TABLE, table, row);
}

void rows_add_switch(struct rows *rows, int64_t id, int64_t group_id, size_t slots,
		     int64_t delta)
{
	const struct context_switch_row row = { .switch_id = id,
						.ts_ns = 1000 + id,
						.cpu = id % 3,
						.group_id = group_id,
						.prev_thread_id = id % 2 ? 1 : INT_NONE,
						.next_thread_id = 1,
						.prev_state = INT_NONE,
						.status = id % 2,
						.on_cpu_ns = id,
						.running_ns = INT_NONE,
						.detail_id = id % 2 ? id : INT_NONE };
	struct record *record =
		add(rows, RECORD_context_switch, &tables[RECORD_context_switch], &row);
	int64_t *deltas = unit_alloc(2 * (slots + 1) * sizeof(*deltas));

	for (size_t i = 0; i < slots; i++)
		deltas[i] = (int64_t)((uint64_t)delta + i);
	memcpy(deltas + slots, deltas, slots * sizeof(*deltas));
	record->deltas = deltas;
	record->values = deltas + slots;
	record->slots = slots;
}

void rows_add_group(struct rows *rows, int64_t id, int64_t counters)
{
	static const char *const names[] = { "sched:sched_switch", "cycles", "a \"b\", c",
					     "status" };

	rows_add(rows, RECORD_counter_group,
		 &(struct counter_group_row){ id, 1, STR("leader"), counters, STR("cpu"),
					      STR("no") });
	for (int64_t slot = 0; slot < counters; slot++) {
		struct str name =
			slot < (int64_t)COUNT(names) ? str_of(names[slot]) : STR("other");

		rows_add(rows, RECORD_counter,
			 &(struct counter_row){ .counter_id = id * 1000 + slot,
						.trace_id = 1,
						.group_id = id,
						.slot = slot,
						.name = name,
						.event = name,
						.unit = STR_NONE,
						.source = STR("test"),
						.type = 0,
						.config = slot,
						.period = INT_NONE });
	}
}

static const struct str texts[] = {
	STR("plain"),	     STR(""),
	STR("a,b"),	     STR("say \"x\""),
	STR("\""),	     STR("two\nlines"),
	STR("two\r\nlines"), STR(" spaces "),
	STR("caf\xc3\xa9"),  STR("bad \xff\xfe utf"),
	STR("=1+1"),	     STR("NULL"),
	STR("12"),	     STR("'; DROP TABLE trace; --"),
	STR("nul\0inside"),  STR("\x1b[31m"),
};

static const int64_t numbers[] = { 0, 1, -1, INT64_MAX, INT64_MIN + 1, 1000000007 };

/* Row number n of a table, each cell another one of the lists; first cells are ids. */
static void add_made(struct rows *rows, enum record_kind kind, size_t n)
{
	const struct table *table = &tables[kind];
	char *row = unit_alloc(table->row_size);

	for (size_t i = 0; i < table->field_count; i++) {
		const struct field *field = &table->fields[i];
		struct str text = texts[(n + i) % COUNT(texts)];
		int64_t number = i ? numbers[(n + i) % COUNT(numbers)] : (int64_t)n + 1;
		double real = (double)number / 3;

		/* A counter may stand anywhere; elsewhere this is NULL. */
		if (field->kind == FIELD_VALUE && n == 0)
			number = INT64_MIN;
		if (field->kind == FIELD_REAL)
			memcpy(row + field->offset, &real, sizeof(real));
		else if (!field_is_int(field->kind))
			memcpy(row + field->offset, &text, sizeof(text));
		else
			memcpy(row + field->offset, &number, sizeof(number));
	}
	rows_add(rows, kind, row);
}

void rows_add_nasty(struct rows *rows)
{
	for (int kind = 0; kind < RECORD_TABLES; kind++)
		for (size_t n = 0; n < COUNT(texts); n++)
			if (kind != RECORD_context_switch &&
			    kind != RECORD_counter_group && kind != RECORD_counter)
				add_made(rows, (enum record_kind)kind, n);
	/* Where NULL is allowed, it is not the same as an empty text or 0. */
	rows_add(rows, RECORD_trace,
		 &(struct trace_row){ 100, STR_NONE, STR("f"), STR("s"), INT_NONE,
				      INT_NONE, INT_NONE, STR_NONE, INT_NONE, INT_NONE,
				      STR_NONE, STR_NONE, STR_NONE, INT_NONE, STR_NONE,
				      STR_NONE, STR_NONE, STR_NONE, STR_NONE });
	rows_add(rows, RECORD_trace,
		 &(struct trace_row){ 101, STR(""), STR(""), STR(""), 0, 0, 0, STR(""), 0,
				      0, STR(""), STR(""), STR(""), 0, STR(""), STR(""),
				      STR(""), STR(""), STR("") });
	rows_add_group(rows, 1, 2);
	for (int64_t id = 1; id <= 6; id++)
		rows_add_switch(rows, id, 1, 2, id % 2 ? INT64_MIN : INT64_MAX);
}

void rows_write(const struct rows *rows, const struct sink_ops *ops,
		const struct sink_options *options)
{
	struct sink sink;

	if (sink_open(&sink, ops, options) != ST_OK)
		fail_msg("%s: %s", options->path, sink.error.text);
	for (size_t i = 0; i < rows->count; i++)
		if (sink_put(&sink, &rows->records[i]) != ST_OK)
			fail_msg("record %zu: %s", i, sink.error.text);
	if (sink_finish(&sink) != ST_OK)
		fail_msg("finish: %s", sink.error.text);
	sink_close(&sink);
}

struct limited {
	const struct sink_ops *ops;
	struct sink_options options;
	size_t bytes;
	int64_t switches;
};

static int write_limited(void *context)
{
	const struct limited *limited = context;
	const struct rlimit limit = { limited->bytes, limited->bytes };
	struct rows rows = { NULL, 0, 0 };
	enum status status = ST_OK;
	struct sink sink;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	if (sink_open(&sink, limited->ops, &limited->options) != ST_OK)
		return 1;
	for (int64_t id = 1; id < limited->switches; id++)
		rows_add_switch(&rows, id, 1, 0, 0);
	for (size_t i = 0; i < rows.count && status == ST_OK; i++)
		status = sink_put(&sink, &rows.records[i]);
	if (status == ST_OK)
		status = sink_finish(&sink);
	fprintf(stderr, "%s", sink.error.text);
	sink_close(&sink);
	return status == ST_IO ? 0 : 2;
}

void rows_write_limited(const struct sink_ops *ops, const char *name, size_t bytes,
			int64_t switches, struct unit_output *output)
{
	struct limited limited = { ops, { .path = unit_path(name) }, bytes, switches };
	char partial[64];

	snprintf(partial, sizeof(partial), "%s.", name);
	unit_capture(write_limited, &limited, output);
	assert_int_equal(output->status, 0);
	assert_false(unit_exists(limited.options.path));
	assert_int_equal(unit_count(unit_path(""), partial), 0);
}

/* --- both outputs in one form --- */

static void print_text(FILE *to, const char *text, size_t size)
{
	fputc('\'', to);
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c > 0x7e)
			fprintf(to, "\\x%02x", c);
		else
			fputc(c, to);
	}
	fputc('\'', to);
}

static void print_blob(FILE *to, const uint8_t *bytes, int size)
{
	for (int i = 0; i < size; i++)
		fprintf(to, "%02x", bytes[i]);
	if (size == 0)
		fputs("NULL", to);
}

static void print_cell(FILE *to, sqlite3_stmt *statement, int column)
{
	const unsigned char *text;

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		fputs("NULL", to);
		break;
	case SQLITE_INTEGER:
		fprintf(to, "%lld", (long long)sqlite3_column_int64(statement, column));
		break;
	case SQLITE_FLOAT: /* the same double, however it is written */
		fprintf(to, "%.17g", sqlite3_column_double(statement, column));
		break;
	case SQLITE_BLOB:
		print_blob(to, sqlite3_column_blob(statement, column),
			   sqlite3_column_bytes(statement, column));
		break;
	default:
		text = sqlite3_column_text(statement, column);
		print_text(to, (const char *)text,
			   (size_t)sqlite3_column_bytes(statement, column));
	}
}

char *rows_of_table(sqlite3 *db, const char *table)
{
	char *lines = NULL;
	size_t size;
	FILE *to = open_memstream(&lines, &size);
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\" ORDER BY rowid", table);
	sqlite3_stmt *statement;
	int columns;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	columns = sqlite3_column_count(statement);
	for (int i = 0; i < columns; i++)
		fprintf(to, "%s%s", i ? "," : "", sqlite3_column_name(statement, i));
	while (sqlite3_step(statement) == SQLITE_ROW) {
		for (int i = 0; i < columns; i++) {
			fputc(i ? ',' : '\n', to);
			print_cell(to, statement, i);
		}
	}
	fputc('\n', to);
	fclose(to);
	sqlite3_finalize(statement);
	sqlite3_free(sql);
	return unit_keep(lines);
}

/* One field of RFC 4180 at *at; a quoted one is a text, an empty one NULL. */
static void print_field(FILE *to, const char **at, bool header)
{
	const char *p = *at;
	char *text = NULL;
	size_t size;
	FILE *unquoted;

	if (*p != '"') {
		size = strcspn(p, ",\n");
		if (header || size)
			fwrite(p, 1, size, to);
		else
			fputs("NULL", to);
		*at = p + size;
		return;
	}
	unquoted = open_memstream(&text, &size);
	for (p++; *p != '"' || p[1] == '"'; p++) {
		fputc(*p, unquoted);
		p += *p == '"';
	}
	fclose(unquoted);
	print_text(to, text, size);
	free(text);
	*at = p + 1;
}

char *rows_of_csv(const char *directory, const char *table)
{
	char *lines = NULL, *bytes, name[256];
	size_t size, file_size;
	const char *at;
	bool header = true;
	FILE *to;

	snprintf(name, sizeof(name), "%s%s.csv", table, file_name_suffix(table));
	bytes = unit_read_file(unit_below(directory, name), &file_size);
	if (!bytes)
		return NULL;
	to = open_memstream(&lines, &size);
	for (at = bytes; at < bytes + file_size; at++) {
		print_field(to, &at, header);
		if (*at != ',' && *at != '\n')
			fail_msg("%s: a field is followed by 0x%02x", name, *at);
		header &= *at != '\n';
		fputc(*at, to);
	}
	fclose(to);
	return unit_keep(lines);
}

static int by_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* Pointers to the lines, which lose their ends; to be freed. */
static char **split_sorted(char *lines, size_t *count)
{
	char **split = NULL;

	*count = 0;
	for (char *line = lines, *end; (end = strchr(line, '\n')); line = end + 1) {
		if (*count % 256 == 0)
			split = realloc(split, (*count + 256) * sizeof(*split));
		*end = '\0';
		split[(*count)++] = line;
	}
	qsort(split, *count, sizeof(*split), by_text);
	return split;
}

bool rows_agree(char *csv, char *sql)
{
	/* A file that is not there: only the names of the columns. */
	return csv ? rows_same(csv, sql) : strchr(sql, '\n') == sql + strlen(sql) - 1;
}

bool rows_same(char *a, char *b)
{
	size_t a_count, b_count;
	char **a_lines = split_sorted(a, &a_count), **b_lines = split_sorted(b, &b_count);
	bool same = a_count == b_count;

	for (size_t i = 0; i < a_count && same; i++)
		same = strcmp(a_lines[i], b_lines[i]) == 0;
	free(a_lines);
	free(b_lines);
	return same;
}

static void close_database(void *db)
{
	sqlite3_close(db);
}

sqlite3 *rows_open_database(const char *path)
{
	sqlite3 *db;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		fail_msg("%s: %s", path, sqlite3_errmsg(db));
	unit_at_end(close_database, db);
	return db;
}

const char *rows_ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement;
	char *answer;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
	    sqlite3_step(statement) != SQLITE_ROW)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	if (sqlite3_column_type(statement, 0) == SQLITE_NULL)
		answer = strdup("NULL");
	else
		answer = strdup((const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return unit_keep(answer);
}

void rows_answer(sqlite3 *db, const char *sql, const char *expected)
{
	const char *answer = rows_ask(db, sql);

	if (strcmp(answer, expected) != 0)
		fail_msg("%s: '%s', expected '%s'", sql, answer, expected);
}
