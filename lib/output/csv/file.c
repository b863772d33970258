/* file.c - buffers, cells and lines of CSV files. */
#include "output/csv/file.h"

#include <csv.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/os.h"
#include "base/text.h"

enum status csv_file_failed(struct sink *sink, const char *table)
{
	return error_set(&sink->error, ST_IO, ERROR_NO_OFFSET,
			 "cannot write %s/%s.csv: %s", sink->options.path, table,
			 strerror(errno));
}

static bool write_bytes(struct csv_file *file, const char *from, size_t size)
{
	file->written += size;
	os_reserve(file->fd, &file->reserved, file->written);
	return os_write_all(file->fd, from, size);
}

static bool flush(struct csv_file *file)
{
	if (!write_bytes(file, file->buffer, file->used))
		return false;
	file->used = 0;
	return true;
}

enum status csv_file_flush(struct sink *sink, struct csv_file *file, const char *table)
{
	return flush(file) ? ST_OK : csv_file_failed(sink, table);
}

bool csv_file_write(struct csv_file *file, char *text, size_t size)
{
	uint64_t end;
	size_t before, now;

	if (file->used > CSV_UNIT_BYTES && !flush(file)) /* a long header */
		return false;
	before = file->used;
	end = file->written + before + size;
	end -= end % CSV_UNIT_BYTES;
	if (end > file->written) {
		now = (size_t)(end - file->written);
		memcpy(text - before, file->buffer, before);
		if (!write_bytes(file, text - before, now))
			return false;
		text += now - before;
		size -= now - before;
		file->used = 0;
	}
	memcpy(file->buffer + file->used, text, size);
	file->used += size;
	return true;
}

/* Room for `bytes` more, or NULL with the error set. */
char *csv_room(struct sink *sink, struct csv_file *file, const char *table, size_t bytes)
{
	if (file->room - file->used < bytes) {
		if (csv_file_flush(sink, file, table) != ST_OK)
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

enum status csv_file_open(struct sink *sink, struct csv_file *file,
			  struct os_folder *folder, const char *table, size_t room)
{
	char name[OWN_NAME_BYTES_MAX + 16];

	text_print(name, sizeof(name), "%s%s.csv", table, file_name_suffix(table));
	*file = (struct csv_file){ .fd = -1, .room = room, .buffer = malloc(room) };
	if (!file->buffer)
		return error_nomem(&sink->error);
	file->fd = os_open_in(folder, name, OS_CREATE);
	return file->fd < 0 ? csv_file_failed(sink, table) : ST_OK;
}

enum status csv_file_finish(struct sink *sink, struct csv_file *file, const char *table)
{
	enum status status = csv_file_flush(sink, file, table);

	os_give_back(file->fd, &file->reserved);
	if (status == ST_OK && !os_close(file->fd))
		status = csv_file_failed(sink, table);
	file->fd = -1;
	return status;
}

void csv_file_close(struct csv_file *file)
{
	if (file->fd >= 0)
		(void)os_close(file->fd);
	free(file->buffer);
	*file = (struct csv_file){ .fd = -1 };
}

/* --- lines --- */

enum status csv_header(struct sink *sink, struct csv_file *file,
		       const struct table *table, size_t slots)
{
	char *to =
		csv_room(sink, file, table->name,
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

size_t csv_text(const struct sink *sink, char *to, struct str text)
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

/* An upper bound of the line's length. */
static size_t line_room(const struct table *table, const char *row)
{
	size_t bytes = table->field_count * (CSV_NUMBER_BYTES + 1) + 1;

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
	return value == value ? text_print(to, CSV_NUMBER_BYTES, "%.17g", value) : 0;
}

static size_t write_number(char *to, const char *field, enum field_kind kind)
{
	return kind == FIELD_REAL ? write_real(to, field) : write_int(to, field, kind);
}

enum status csv_line(struct sink *sink, struct csv_file *file, const struct table *table,
		     const char *row)
{
	char *to = csv_room(sink, file, table->name, line_room(table, row));
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
						: csv_text(sink, to, text);
	}
	*to++ = '\n';
	file->used += (size_t)(to - start);
	return ST_OK;
}
