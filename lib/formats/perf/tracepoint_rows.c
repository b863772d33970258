/*
 * tracepoint_rows.c - tracepoints as rows: a column for each field of the recorded
 * format.
 *
 * A field becomes an integer, a text (characters up to the first NUL) or a blob (other
 * arrays and structures).  A __data_loc or __rel_loc field leads to bytes after the
 * fields.  Where a field lies outside the payload its column is NULL.
 *
 * Switches of a counter group have a row each already, by the million: they have details
 * instead, see tracepoint_details.c.
 */
#include "base/array.h"
#include "base/text.h"
#include "formats/perf/tracepoints.h"

/* --- tables --- */

/* Letters, digits and _ of a name, anything else as _. */
static size_t plain_name(char *to, size_t size, struct str name)
{
	size_t at = 0;

	for (size_t i = 0; i < name.len && at + 1 < size; i++) {
		char c = name.ptr[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9');

		to[at++] = plain ? c : '_';
	}
	to[at] = '\0';
	return at;
}

static bool has_column(const struct table *table, const char *name)
{
	for (size_t i = 0; i < table->field_count; i++)
		if (str_equal_nocase(str_of(table->fields[i].name), str_of(name)))
			return true;
	return false;
}

/* The column's name: the field's, unless it is taken. */
static const char *column_name(struct perf_catalog *catalog, const struct table *table,
			       struct str field)
{
	char name[OWN_NAME_BYTES_MAX];
	size_t len = plain_name(name, sizeof(name) - 16, field);

	if (len == 0 || has_column(table, name)) {
		len = plain_name(name, sizeof(name) - 16, STR("field_"));
		plain_name(name + len, sizeof(name) - 16 - len, field);
	}
	for (size_t n = table->field_count; has_column(table, name); n++)
		text_print(name, sizeof(name), "field_%zu", n);
	return arena_str(&catalog->arena, str_of(name)).ptr;
}

static enum field_kind column_kind(const struct tracepoint_field *field)
{
	switch (field->kind) {
	case TRACEPOINT_INT:
		return FIELD_INT;
	case TRACEPOINT_TEXT:
		return FIELD_TEXT;
	case TRACEPOINT_DATA_LOC:
	case TRACEPOINT_REL_LOC:
		return field->is_text ? FIELD_TEXT : FIELD_BLOB;
	default:
		return FIELD_BLOB;
	}
}

static const struct field head_fields[] = {
	{ "trace_id", FIELD_INT, offsetof(struct traced_head, trace_id) },
	{ "sample_id", FIELD_INT, offsetof(struct traced_head, sample_id) },
	{ "ts_ns", FIELD_INT, offsetof(struct traced_head, ts_ns) },
	{ "cpu", FIELD_INT, offsetof(struct traced_head, cpu) },
	{ "thread_id", FIELD_INT, offsetof(struct traced_head, thread_id) },
	{ "sample_pid", FIELD_INT, offsetof(struct traced_head, sample_pid) },
	{ "sample_tid", FIELD_INT, offsetof(struct traced_head, sample_tid) },
};
#define HEAD_FIELDS ARRAY_COUNT(head_fields)

/* The first columns of a detail; it shares the room of the row. */
static const struct field detail_fields[] = {
	{ "trace_id", FIELD_INT, offsetof(struct traced_head, trace_id) },
	{ "detail_id", FIELD_INT, offsetof(struct traced_head, sample_id) },
};
#define DETAIL_FIELDS ARRAY_COUNT(detail_fields)

static size_t column_size(enum field_kind kind)
{
	return field_is_int(kind) ? sizeof(int64_t) : sizeof(struct str);
}

/*
 * user_events and similar ones append data to their declared fields.  Up to 7 bytes are
 * padding, and the targets of locations are there as well.
 */
static size_t tail_begin(const struct tracepoint_format *format, size_t raw_size)
{
	size_t end = 0;

	for (size_t i = 0; i < format->field_count; i++) {
		const struct tracepoint_field *field = &format->fields[i];

		if (field->kind == TRACEPOINT_DATA_LOC ||
		    field->kind == TRACEPOINT_REL_LOC)
			return raw_size;
		if (end < (size_t)field->offset + field->size)
			end = (size_t)field->offset + field->size;
	}
	return end + 8 > raw_size ? raw_size : end;
}

static struct table *new_table(struct perf_catalog *catalog,
			       const struct tracepoint_format *format,
			       const struct field *head, size_t head_count,
			       const char *suffix, bool has_tail)
{
	struct table *table = arena_alloc(&catalog->arena, sizeof(*table));
	struct field *fields =
		arena_alloc(&catalog->arena,
			    (head_count + format->field_count + 1) * sizeof(*fields));
	char name[OWN_NAME_BYTES_MAX];
	size_t len;

	if (!table || !fields)
		return NULL;
	len = plain_name(name, sizeof(name) / 2 - 8, format->system);
	name[len++] = '_';
	len += plain_name(name + len, sizeof(name) / 2, format->name);
	text_print(name + len, sizeof(name) - len, "%s", suffix);
	memcpy(fields, head, head_count * sizeof(*fields));
	*table = (struct table){ arena_str(&catalog->arena, str_of(name)).ptr, fields,
				 head_count, sizeof(struct traced_head) };
	for (size_t i = 0; i < format->field_count; i++) {
		struct field *field = &fields[table->field_count];

		field->name = column_name(catalog, table, format->fields[i].name);
		field->kind = column_kind(&format->fields[i]);
		field->offset = table->row_size;
		if (!field->name)
			return NULL;
		table->row_size += column_size(field->kind);
		table->field_count++;
	}
	if (has_tail) {
		fields[table->field_count++] =
			(struct field){ "raw_tail", FIELD_BLOB, table->row_size };
		table->row_size += column_size(FIELD_BLOB);
	}
	return table->name ? table : NULL;
}

static bool prepare_rows(struct perf_catalog *catalog, struct tracepoint_format *format)
{
	size_t bytes = sizeof(struct traced_head) +
		       (format->field_count + 1) * sizeof(struct str); /* raw_tail */

	if (!format->row)
		format->row = arena_alloc(&catalog->arena, bytes);
	return format->row != NULL;
}

/* The catalogue's row of a table goes before the table's first row. */
static void emit_format(struct perf_rows *rows, struct perf_catalog *catalog,
			const struct tracepoint_format *format, const struct table *table,
			bool *emitted)
{
	struct tracepoint_row *row;
	size_t room = 1, at = 0;
	char *text;

	if (*emitted)
		return;
	*emitted = true;
	for (size_t i = 0; i < format->field_count; i++)
		room += format->fields[i].declaration.len + 1;
	row = arena_alloc(&catalog->arena, sizeof(*row));
	text = arena_alloc(&catalog->arena, room);
	if (!row)
		return;
	for (size_t i = 0; text && i < format->field_count; i++) {
		struct str line = format->fields[i].declaration;

		memcpy(text + at, line.ptr, line.len);
		at += line.len;
		text[at++] = '\n';
	}
	*row = (struct tracepoint_row){
		.system = format->system,
		.name = format->name,
		.format_from = str_of(format->from),
		.format = { text, at },
	};
	emit_push(&rows->emit, &(struct record){ .kind = RECORD_tracepoint,
						 .data = row,
						 .table = table });
}

/* --- fields --- */

static struct str text_at(const uint8_t *at, size_t size)
{
	const uint8_t *nul = size ? memchr(at, 0, size) : NULL;

	return (struct str){ (const char *)at, nul ? (size_t)(nul - at) : size };
}

/* The target of a location; ptr NULL: outside the payload. */
static struct str located(const struct tracepoint_field *field, const uint8_t *raw,
			  size_t size, bool big_endian)
{
	struct cursor c = cursor_over(raw + field->offset, 4, 0, big_endian);
	uint32_t location = cursor_u32(&c);
	size_t from = location & 0xffff, length = location >> 16;

	if (field->kind == TRACEPOINT_REL_LOC)
		from += field->offset + 4;
	if (from > size || length > size - from)
		return STR_NONE;
	if (field->is_text)
		return text_at(raw + from, length);
	return (struct str){ (const char *)raw + from, length };
}

static void fill_column(char *row, const struct field *column,
			const struct tracepoint_field *field, const uint8_t *raw,
			size_t size, bool big_endian)
{
	bool there = field->offset <= size && field->size <= size - field->offset;
	struct str text = STR_NONE;
	int64_t number = INT_NONE;

	if (column->kind == FIELD_INT) {
		if (there)
			number = tracepoint_int(field, raw, big_endian);
		memcpy(row + column->offset, &number, sizeof(number));
		return;
	}
	if (there && field->kind == TRACEPOINT_TEXT)
		text = text_at(raw + field->offset, field->size);
	else if (there && field->kind == TRACEPOINT_BLOB)
		text = (struct str){ (const char *)raw + field->offset, field->size };
	else if (there)
		text = located(field, raw, size, big_endian);
	memcpy(row + column->offset, &text, sizeof(text));
}

static void fill_row(struct tracepoint_format *format, const struct table *table,
		     size_t head_count, const uint8_t *raw, size_t size, bool big_endian)
{
	for (size_t i = 0; i < format->field_count; i++)
		fill_column((char *)format->row, &table->fields[head_count + i],
			    &format->fields[i], raw, size, big_endian);
}

/* The last column, if the table has one more than the format has fields. */
static void fill_tail(struct tracepoint_format *format, const struct perf_sample *sample,
		      size_t tail)
{
	const struct table *table = format->table;
	struct str bytes = STR_NONE;

	if (table->field_count == HEAD_FIELDS + format->field_count)
		return;
	if (tail < sample->raw_size)
		bytes = (struct str){ (const char *)sample->raw + tail,
				      sample->raw_size - tail };
	memcpy((char *)format->row + table->fields[table->field_count - 1].offset, &bytes,
	       sizeof(bytes));
}

enum status perf_emit_traced(struct perf_rows *rows, struct perf_catalog *catalog,
			     const struct perf_event *event,
			     const struct perf_sample *sample, bool of_switch,
			     const struct record *out)
{
	struct tracepoint_format *format = event->format;
	struct traced_event traced;
	size_t tail;

	if (!format || !sample->raw || !prepare_rows(catalog, format))
		return ST_OK;
	tail = tail_begin(format, sample->raw_size);
	if (!format->table)
		format->table =
			new_table(catalog, format, head_fields, HEAD_FIELDS, "",
				  tail < sample->raw_size ||
					  str_equal(format->system, STR("user_events")));
	if (!format->table)
		return ST_OK;
	*format->row = (struct traced_head){ .ts_ns = sample->ts_ns,
					     .cpu = sample->cpu,
					     .sample_pid = sample->pid,
					     .sample_tid = sample->tid };
	fill_row(format, format->table, HEAD_FIELDS, sample->raw, sample->raw_size,
		 catalog->big_endian);
	fill_tail(format, sample, tail);
	emit_push(&rows->emit, out);
	emit_format(rows, catalog, format, format->table, &format->emitted);
	traced = (struct traced_event){ of_switch, format->table, format->row };
	emit_push_event(&rows->emit, RECORD_TRACED, 0, &traced, sizeof(traced));
	return ST_END;
}

/* --- details --- */

int64_t perf_intern_detail(struct perf_catalog *catalog, const struct perf_event *event,
			   const uint8_t *raw, size_t raw_size)
{
	struct tracepoint_format *format = event->format;
	const struct detail *detail;
	int64_t id;

	if (!format->mask &&
	    (!prepare_rows(catalog, format) || !perf_begin_details(catalog, format)))
		format->has_no_details = true;
	if (perf_find_details(format, raw, raw_size, 0, &id, 1))
		return id;
	if (!format->detail)
		format->detail = new_table(catalog, format, detail_fields, DETAIL_FIELDS,
					   "_detail", false);
	detail = format->detail ? perf_new_detail(catalog, format, raw, raw_size) : NULL;
	if (!detail)
		return INT_NONE;
	if (raw_size > format->detail_bytes)
		raw_size = format->detail_bytes;
	fill_row(format, format->detail, DETAIL_FIELDS, (const uint8_t *)detail->words,
		 raw_size, catalog->big_endian);
	format->row->sample_id = detail->id; /* the room of detail_id */
	return detail->id;
}

void perf_emit_detail(struct perf_rows *rows, struct perf_catalog *catalog,
		      struct tracepoint_format *format)
{
	emit_format(rows, catalog, format, format->detail, &format->detail_emitted);
	emit_push(&rows->emit, &(struct record){ .kind = RECORD_OWN_TABLE,
						 .data = format->row,
						 .table = format->detail });
}
