/*
 * csv.c - writes a directory with one RFC 4180 file for each table: LF line ends, a
 * header row, NULL as an empty field, texts always quoted (by libcsv), numbers never.
 *
 * context_switch gets its header with its first row, when the counters are known.  If a
 * group with more counters follows, the lines before it are short: csv_finish() then
 * rewrites the file with the missing commas.
 */
#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/background.h"
#include "base/text.h"
#include "output/outputs.h"
#include "output/sqlite/batch.h"
#include "output/target.h"

#define CSV_BUFFER_BYTES ((size_t)128 * 1024)
/* For a trace's own tables, of which there may be hundreds. */
#define CSV_OWN_BUFFER_BYTES ((size_t)16 * 1024)
/* Switches passed to the second thread at a time: a wake-up has a cost. */
#define CSV_SWITCHES ((size_t)16 * BATCH_ROWS)
/* Fewer are written at once. */
#define CSV_SWITCHES_FEW ((size_t)1024)

struct csv_file {
	int fd; /* -1: not open */
	size_t used, room;
	char *buffer;
};

struct csv_own {
	const struct table *table;
	struct csv_file file;
	struct csv_own *next;
};

struct csv_state {
	struct target target;
	int dir_fd;
	struct csv_file files[RECORD_TABLES];
	struct csv_own *own; /* tables that the traces define */
	size_t slots;	     /* delta columns that context_switch.csv needs so far */
	bool headed;	     /* its header is written, with the columns needed then */
	bool widened;	     /* more were needed later: there are short lines */

	/* There may be millions of switches: a second thread formats them. */
	struct background *background; /* NULL: everything in this thread */
	struct batch switches;	       /* being collected */
	struct batch full;	       /* being written */
	bool writing;
	enum status written; /* result of the second thread */
	size_t columns;	     /* delta columns of the lines being written */
};

/* --- a file, buffered --- */

static enum status write_failed(struct sink *sink, const char *table)
{
	return error_set(&sink->error, ST_IO, ERROR_NO_OFFSET, "cannot write %s.csv: %s",
			 table, strerror(errno));
}

static enum status file_flush(struct sink *sink, struct csv_file *file, const char *table)
{
	size_t done = 0;

	while (done < file->used) {
		ssize_t wrote = write(file->fd, file->buffer + done, file->used - done);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return write_failed(sink, table);
		done += (size_t)wrote;
	}
	file->used = 0;
	return ST_OK;
}

/* Room for `bytes` more, or NULL with the error set. */
static char *file_room(struct sink *sink, struct csv_file *file, const char *table,
		       size_t bytes)
{
	if (file->room - file->used < bytes) {
		if (file_flush(sink, file, table) != ST_OK)
			return NULL;
		if (bytes > file->room) { /* a line with a large blob */
			char *buffer = realloc(file->buffer, bytes);

			if (!buffer) {
				error_nomem(&sink->error);
				return NULL;
			}
			file->buffer = buffer;
			file->room = bytes;
		}
	}
	return file->buffer + file->used;
}

static enum status file_open(struct sink *sink, struct csv_file *file, const char *table,
			     size_t room)
{
	struct csv_state *csv = sink->state;
	char name[OWN_NAME_BYTES_MAX + 8];

	text_print(name, sizeof(name), "%s.csv", table);
	file->used = 0;
	file->room = room;
	file->buffer = malloc(file->room);
	if (!file->buffer)
		return error_nomem(&sink->error);
	file->fd =
		openat(csv->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return file->fd < 0 ? write_failed(sink, table) : ST_OK;
}

/* --- lines --- */

static enum status write_header(struct sink *sink, struct csv_file *file,
				const struct table *table, size_t slots)
{
	char *to =
		file_room(sink, file, table->name,
			  table->field_count * (OWN_NAME_BYTES_MAX + 2) + slots * 16 + 1);
	size_t at = 0;

	if (!to)
		return sink->error.status;
	for (size_t i = 0; i < table->field_count; i++)
		at += text_print(to + at, OWN_NAME_BYTES_MAX + 2, "%s%s", i ? "," : "",
				 table->fields[i].name);
	for (size_t i = 0; i < slots; i++)
		at += text_print(to + at, 16, ",delta_%zu", i);
	to[at++] = '\n';
	file->used += at;
	return ST_OK;
}

static bool looks_like_formula(struct str text)
{
	return text.len && memchr("=+-@\t\r", text.ptr[0], 6);
}

static size_t write_text(const struct sink *sink, char *to, struct str text)
{
	size_t bytes;

	if (!text.ptr)
		return 0;
	/* Worst case: every byte a quote. */
	bytes = csv_write(to, text.len * 2 + 2, text.ptr, text.len);
	if (sink->options.csv_safe && looks_like_formula(text)) {
		memmove(to + 2, to + 1, bytes - 1);
		to[1] = '\'';
		bytes++;
	}
	return bytes;
}

/* Hexadecimal digits, as in X'..' of SQL. */
static size_t write_blob(char *to, struct str bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.len; i++) {
		*to++ = digits[(uint8_t)bytes.ptr[i] >> 4];
		*to++ = digits[(uint8_t)bytes.ptr[i] & 15];
	}
	return bytes.len * 2;
}

/* A real of 17 digits, with its signs, point and exponent; integers are shorter. */
#define NUMBER_BYTES_MAX 32

/* An upper bound of the line's length. */
static size_t line_room(const struct table *table, const char *row, size_t slots)
{
	size_t bytes = (table->field_count + slots) * (NUMBER_BYTES_MAX + 1) + 1;

	for (size_t i = 0; i < table->field_count; i++) {
		struct str text;

		if (!field_is_text(table->fields[i].kind))
			continue;
		memcpy(&text, row + table->fields[i].offset, sizeof(text));
		bytes += text.len * 2 + 3;
	}
	return bytes;
}

static size_t write_int(char *to, const char *field, enum field_kind kind)
{
	int64_t value;

	memcpy(&value, field, sizeof(value));
	if ((uint64_t)value <
	    10) { /* the common case: CPUs, states, statuses, small deltas */
		*to = (char)('0' + value);
		return 1;
	}
	return value == INT_NONE && kind == FIELD_INT ? 0 : text_int(to, value);
}

/* With the digits needed to read the same number back. */
static size_t write_real(char *to, const char *field)
{
	double value;

	memcpy(&value, field, sizeof(value));
	return value == value ? text_print(to, NUMBER_BYTES_MAX, "%.17g", value) : 0;
}

static size_t write_number(char *to, const char *field, enum field_kind kind)
{
	return kind == FIELD_REAL ? write_real(to, field) : write_int(to, field, kind);
}

/* `slots` delta columns, of which the record may fill fewer. */
static enum status write_line(struct sink *sink, struct csv_file *file,
			      const struct table *table, const struct record *record,
			      size_t slots)
{
	const char *row = record->data;
	char *to = file_room(sink, file, table->name, line_room(table, row, slots));
	char *start = to;

	if (!to)
		return sink->error.status;
	for (size_t i = 0; i < table->field_count; i++) {
		const struct field *field = &table->fields[i];
		struct str text;

		if (i)
			*to++ = ',';
		if (!field_is_text(field->kind)) {
			to += write_number(to, row + field->offset, field->kind);
			continue;
		}
		memcpy(&text, row + field->offset, sizeof(text));
		to += field->kind == FIELD_BLOB ? write_blob(to, text)
						: write_text(sink, to, text);
	}
	for (size_t i = 0; i < record->slots; i++) {
		*to++ = ',';
		to += text_int(to, record->deltas[i]);
	}
	for (size_t i = record->slots; i < slots; i++)
		*to++ = ',';
	*to++ = '\n';
	file->used += (size_t)(to - start);
	return ST_OK;
}

/* --- rewriting the file, every line with all its commas --- */

/* Copies the old file's lines, each padded to `columns`. */
static enum status copy_padded(struct sink *sink, int from, struct csv_file *to,
			       const char *table, size_t columns)
{
	char *chunk = malloc(CSV_BUFFER_BYTES);
	size_t commas = 0;
	bool header = true;
	ssize_t got = 0;
	enum status status = chunk ? ST_OK : error_nomem(&sink->error);

	while (status == ST_OK && (got = read(from, chunk, CSV_BUFFER_BYTES)) > 0) {
		for (ssize_t i = 0; i < got && status == ST_OK; i++) {
			char *room;

			commas += chunk[i] == ',';
			if (header) { /* the new header is written already */
				header = chunk[i] != '\n';
				commas = 0;
				continue;
			}
			room = file_room(sink, to, table, columns + 1);
			if (!room) {
				status = sink->error.status;
				break;
			}
			for (; chunk[i] == '\n' && commas + 1 < columns; commas++) {
				*room++ = ',';
				to->used++;
			}
			*room = chunk[i];
			to->used++;
			if (chunk[i] == '\n')
				commas = 0;
		}
	}
	if (status == ST_OK && got < 0)
		status = write_failed(sink, table);
	free(chunk);
	return status;
}

static enum status widen(struct sink *sink)
{
	struct csv_state *csv = sink->state;
	const struct table *table = &tables[RECORD_context_switch];
	struct csv_file *narrow = &csv->files[RECORD_context_switch];
	struct csv_file wide = { .fd = -1 };
	enum status status = file_flush(sink, narrow, table->name);
	int from = openat(csv->dir_fd, "context_switch.csv", O_RDONLY | O_CLOEXEC);

	if (from < 0)
		return write_failed(sink, table->name);
	if (status == ST_OK && unlinkat(csv->dir_fd, "context_switch.csv", 0) != 0)
		status = write_failed(sink, table->name);
	if (status == ST_OK)
		status = file_open(sink, &wide, table->name, CSV_BUFFER_BYTES);
	if (status == ST_OK)
		status = write_header(sink, &wide, table, csv->slots);
	if (status == ST_OK)
		status = copy_padded(sink, from, &wide, table->name,
				     table->field_count + csv->slots);
	close(from);
	close(narrow->fd);
	free(narrow->buffer);
	*narrow = wide;
	return status;
}

/* --- the sink --- */

static enum status write_statuses(struct sink *sink)
{
	struct csv_file file = { .fd = -1 };
	enum status status = file_open(sink, &file, "charge_status", CSV_BUFFER_BYTES);
	char *to = status == ST_OK ? file.buffer : NULL;
	size_t at = 0;

	if (to)
		at = text_print(to, 64, "status,name,reason,words\n");
	for (int i = 0; to && i < CHARGE_STATUSES; i++)
		at += text_print(to + at, 256, "%d,\"%s\",\"%s\",\"%s\"\n", i,
				 charge_status_words[i].name,
				 charge_status_words[i].reason,
				 charge_status_words[i].words);
	file.used = at;
	if (to)
		status = file_flush(sink, &file, "charge_status");
	if (file.fd >= 0)
		close(file.fd);
	free(file.buffer);
	return status;
}

static enum status csv_open(struct sink *sink)
{
	struct csv_state *csv = sink->state;
	enum status status;

	csv->dir_fd = -1;
	for (size_t i = 0; i < RECORD_TABLES; i++)
		csv->files[i].fd = -1;
	status = target_begin(&csv->target, &sink->options, true, &sink->error);
	if (status != ST_OK)
		return status;
	csv->dir_fd = fcntl(csv->target.lock_fd, F_DUPFD_CLOEXEC, 0);
	if (csv->dir_fd < 0)
		return write_failed(sink, tables[0].name);
	csv->background = background_start(BACKGROUND_WORKS);
	for (size_t i = 0; i < RECORD_TABLES && status == ST_OK; i++) {
		status =
			file_open(sink, &csv->files[i], tables[i].name, CSV_BUFFER_BYTES);
		/* context_switch gets its header with its first group: see csv_put(). */
		if (status == ST_OK && i != RECORD_context_switch)
			status = write_header(sink, &csv->files[i], &tables[i], 0);
	}
	return status == ST_OK ? write_statuses(sink) : status;
}

/* The job of the second thread: the full batch. */
static void write_switches(void *context)
{
	struct sink *sink = context;
	struct csv_state *csv = sink->state;
	const struct batch *batch = &csv->full;
	struct record record = { .kind = RECORD_context_switch, .slots = batch->slots };

	csv->written = ST_OK;
	for (size_t i = 0; i < batch->count && csv->written == ST_OK; i++) {
		record.data = batch_row(batch, i);
		record.deltas = (const int64_t *)((const char *)record.data +
						  batch->table->row_size);
		csv->written = write_line(sink, &csv->files[RECORD_context_switch],
					  batch->table, &record, csv->columns);
	}
	batch_clear(&csv->full);
}

/* Waits until no switches are being written. */
static enum status wait_for_switches(struct csv_state *csv)
{
	if (csv->writing && csv->background)
		background_wait(csv->background, 0);
	csv->writing = false;
	return csv->written;
}

/* Passes the collected switches on, and continues with the other batch. */
static enum status flush_switches(struct sink *sink)
{
	struct csv_state *csv = sink->state;
	enum status status = wait_for_switches(csv);
	struct batch collected = csv->switches;

	if (status != ST_OK || collected.count == 0)
		return status;
	csv->switches = csv->full;
	csv->full = collected;
	csv->columns = csv->slots;
	if (csv->background && collected.count >= CSV_SWITCHES_FEW) {
		csv->writing = true;
		background_run(csv->background, write_switches, sink);
		return ST_OK;
	}
	write_switches(sink);
	return csv->written;
}

/* Batches for switches of groups that are `slots` wide. */
static enum status begin_switches(struct sink *sink, size_t slots)
{
	struct csv_state *csv = sink->state;
	const struct table *table = &tables[RECORD_context_switch];
	enum status status = flush_switches(sink);

	if (status == ST_OK)
		status = wait_for_switches(csv);
	batch_release(&csv->switches);
	batch_release(&csv->full);
	if (status == ST_OK && (!batch_init(&csv->switches, table, slots, CSV_SWITCHES) ||
				!batch_init(&csv->full, table, slots, CSV_SWITCHES)))
		status = error_nomem(&sink->error);
	return status;
}

static enum status write_switch(struct sink *sink, const struct record *record)
{
	struct csv_state *csv = sink->state;
	enum status status = ST_OK;

	if (!csv->headed) {
		csv->headed = true;
		status = write_header(sink, &csv->files[RECORD_context_switch],
				      &tables[RECORD_context_switch], csv->slots);
	}
	if (status == ST_OK &&
	    (!csv->switches.rows || csv->switches.slots != record->slots))
		status = begin_switches(sink, record->slots);
	if (status == ST_OK && !batch_add(&csv->switches, record))
		status = error_nomem(&sink->error);
	if (status == ST_OK && batch_is_full(&csv->switches))
		status = flush_switches(sink);
	return status;
}

/* The file of a table that the trace defines; NULL with the error set. */
static struct csv_file *own_file(struct sink *sink, const struct table *table)
{
	struct csv_state *csv = sink->state;
	struct csv_own *own = csv->own;

	while (own && own->table != table)
		own = own->next;
	if (own)
		return &own->file;
	own = calloc(1, sizeof(*own));
	if (!own) {
		error_nomem(&sink->error);
		return NULL;
	}
	own->table = table;
	own->file.fd = -1;
	own->next = csv->own;
	csv->own = own;
	if (file_open(sink, &own->file, table->name, CSV_OWN_BUFFER_BYTES) != ST_OK ||
	    write_header(sink, &own->file, table, 0) != ST_OK)
		return NULL;
	return &own->file;
}

static enum status csv_write_row(struct sink *sink, const struct record *record)
{
	struct csv_state *csv = sink->state;

	if (record->kind == RECORD_context_switch)
		return write_switch(sink, record);
	if (record->kind == RECORD_OWN_TABLE) {
		struct csv_file *file = own_file(sink, record->table);

		return file ? write_line(sink, file, record->table, record, 0)
			    : sink->error.status;
	}
	if (record->kind == RECORD_counter_group) {
		size_t counters = (size_t)RECORD_DATA(record, counter_group)->counters;

		csv->widened |= csv->headed && counters > csv->slots;
		csv->slots = counters > csv->slots ? counters : csv->slots;
	}
	return write_line(sink, &csv->files[record->kind], &tables[record->kind], record,
			  0);
}

static enum status file_finish(struct sink *sink, struct csv_file *file,
			       const char *table)
{
	enum status status = file_flush(sink, file, table);

	if (status == ST_OK && close(file->fd) != 0)
		status = write_failed(sink, table);
	file->fd = -1;
	return status;
}

static enum status csv_finish(struct sink *sink)
{
	struct csv_state *csv = sink->state;
	enum status status = ST_OK;

	status = flush_switches(sink);
	if (status == ST_OK)
		status = wait_for_switches(csv);
	if (status != ST_OK)
		return status;
	if (!csv->headed)
		status = write_header(sink, &csv->files[RECORD_context_switch],
				      &tables[RECORD_context_switch], csv->slots);
	else if (csv->widened)
		status = widen(sink);
	for (size_t i = 0; i < RECORD_TABLES && status == ST_OK; i++)
		status = file_finish(sink, &csv->files[i], tables[i].name);
	for (struct csv_own *own = csv->own; own && status == ST_OK; own = own->next)
		status = file_finish(sink, &own->file, own->table->name);
	return status == ST_OK ? target_commit(&csv->target, &sink->error) : status;
}

static void file_close(struct csv_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->buffer);
}

static void csv_close(struct sink *sink)
{
	struct csv_state *csv = sink->state;

	background_stop(csv->background); /* after its last job */
	batch_release(&csv->switches);
	batch_release(&csv->full);
	for (size_t i = 0; i < RECORD_TABLES; i++)
		file_close(&csv->files[i]);
	while (csv->own) {
		struct csv_own *own = csv->own;

		csv->own = own->next;
		file_close(&own->file);
		free(own);
	}
	if (csv->dir_fd >= 0)
		close(csv->dir_fd);
	target_release(&csv->target);
}

const struct sink_ops csv_writer = {
	.name = "csv",
	.state_size = sizeof(struct csv_state),
	.open = csv_open,
	.put = csv_write_row,
	.finish = csv_finish,
	.close = csv_close,
};
