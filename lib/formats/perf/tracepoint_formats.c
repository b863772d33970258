/*
 * tracepoint_formats.c - tracepoint formats from the TRACING_DATA section.
 *
 * The blob, as trace-cmd and perf write it (trace-cmd.dat(5)):
 *   0x17 0x08 0x44 "tracing" | version "0.6\0" | u8 big endian | u8 long size |
 *   u32 page size | "header_page\0" u64 size, bytes | "header_event\0" u64 size, bytes |
 *   u32 count of ftrace formats, each u64 size, bytes |
 *   u32 count of systems, each name\0, u32 count of formats, each u64 size, bytes |
 *   kallsyms, printk formats and more, which are not needed here.
 * A format is the text of events/<system>/<name>/format.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "formats/perf/perf.h"
#include "formats/perf/tracepoints.h"

/* Fields of one event; the kernel's largest have about 60. */
#define TRACEPOINT_FIELDS_MAX (OWN_COLUMNS_MAX - 16)

/* Events in one system; the largest real one (syscalls) has about 800. */
#define FORMATS_MAX 100000u

/* --- the text of one format --- */

/* The next line, without its end; false when there is none. */
static bool next_line(struct str *text, struct str *line)
{
	const char *end;

	if (text->len == 0)
		return false;
	end = memchr(text->ptr, '\n', text->len);
	line->ptr = text->ptr;
	line->len = end ? (size_t)(end - text->ptr) : text->len;
	text->ptr += line->len + (end != NULL);
	text->len -= line->len + (end != NULL);
	return true;
}

/* The text between `key` and the next ';' (or the end of the line). */
static struct str value_of(struct str line, struct str key)
{
	for (size_t i = 0; i + key.len <= line.len; i++) {
		if (memcmp(line.ptr + i, key.ptr, key.len) == 0) {
			struct str value = { line.ptr + i + key.len,
					     line.len - i - key.len };
			const char *end =
				value.len ? memchr(value.ptr, ';', value.len) : NULL;

			if (end)
				value.len = (size_t)(end - value.ptr);
			while (value.len && value.ptr[0] == ' ') {
				value.ptr++;
				value.len--;
			}
			return value;
		}
	}
	return STR_NONE;
}

/* Decimal digits at the start; more than ten are not a number that is used. */
static uint64_t number(struct str text)
{
	uint64_t value = 0;

	for (size_t i = 0; i < text.len && i < 10; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			break;
		value = value * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	return value;
}

/* "char prev_comm[16]" -> "prev_comm", "__data_loc char[] name" -> "name". */
static struct str declared_name(struct str declaration)
{
	size_t start = declaration.len;
	const char *bracket;
	struct str name;

	while (start > 0 && declaration.ptr[start - 1] != ' ' &&
	       declaration.ptr[start - 1] != '*')
		start--;
	name = (struct str){ declaration.ptr + start, declaration.len - start };
	bracket = name.len ? memchr(name.ptr, '[', name.len) : NULL;
	if (bracket)
		name.len = (size_t)(bracket - name.ptr);
	return name;
}

static bool begins_with(struct str text, const char *word)
{
	size_t len = strlen(word);

	return text.len >= len && memcmp(text.ptr, word, len) == 0;
}

static bool is_array(struct str declaration)
{
	return declaration.len && memchr(declaration.ptr, '[', declaration.len);
}

/* How the field is stored, from its declaration and size. */
static void find_kind(struct tracepoint_field *field)
{
	struct str declaration = field->declaration;

	field->kind = TRACEPOINT_BLOB;
	if (begins_with(declaration, "__data_loc ") ||
	    begins_with(declaration, "__rel_loc ")) {
		size_t skip = declaration.ptr[2] == 'd' ? 11 : 10;

		if (field->size == 4)
			field->kind = declaration.ptr[2] == 'd' ? TRACEPOINT_DATA_LOC
								: TRACEPOINT_REL_LOC;
		declaration.ptr += skip;
		declaration.len -= skip;
		field->is_text = begins_with(declaration, "char");
	} else if (is_array(declaration)) {
		if (begins_with(declaration, "char"))
			field->kind = TRACEPOINT_TEXT;
	} else if (field->size == 1 || field->size == 2 || field->size == 4 ||
		   field->size == 8) {
		field->kind = TRACEPOINT_INT;
	}
}

static bool parse_field(struct str line, struct tracepoint_field *field)
{
	*field = (struct tracepoint_field){
		.declaration = value_of(line, STR("field:")),
		.offset = (uint32_t)number(value_of(line, STR("offset:"))),
		.size = (uint32_t)number(value_of(line, STR("size:"))),
		.is_signed = number(value_of(line, STR("signed:"))) != 0,
	};
	field->name = declared_name(field->declaration);
	find_kind(field);
	return field->name.len > 0;
}

/* The fields of a switch are known by their names. */
static void set_role(struct tracepoint_format *format,
		     const struct tracepoint_field *field)
{
	const struct {
		struct str name;
		struct tracepoint_field *field;
	} wanted[] = {
		{ STR("prev_comm"), &format->prev_comm },
		{ STR("prev_pid"), &format->prev_pid },
		{ STR("prev_state"), &format->prev_state },
		{ STR("next_comm"), &format->next_comm },
		{ STR("next_pid"), &format->next_pid },
	};

	for (size_t i = 0; i < ARRAY_COUNT(wanted); i++) {
		if (!str_equal(field->name, wanted[i].name))
			continue;
		*wanted[i].field = *field;
		if (format->bytes < (size_t)field->offset + field->size)
			format->bytes = (size_t)field->offset + field->size;
	}
}

static bool is_field_line(struct str line)
{
	return line.len > 7 && memcmp(line.ptr, "\tfield:", 7) == 0;
}

/* Name and id alone. */
static void parse_head(struct str text, struct tracepoint_format *format)
{
	struct str line;

	while (next_line(&text, &line) && !is_field_line(line)) {
		if (begins_with(line, "name:"))
			format->name = value_of(line, STR("name:"));
		else if (begins_with(line, "ID:"))
			format->id = number(value_of(line, STR("ID:")));
	}
}

/* All fields, kept in the arena, which has `text` already. */
static bool parse_fields(struct perf_catalog *catalog, struct str text,
			 struct tracepoint_format *format)
{
	struct str rest = text, line;
	size_t count = 0;

	while (next_line(&rest, &line))
		count += is_field_line(line);
	if (count > TRACEPOINT_FIELDS_MAX)
		count = TRACEPOINT_FIELDS_MAX;
	format->fields =
		arena_alloc(&catalog->arena, (count + 1) * sizeof(*format->fields));
	if (!format->fields)
		return false;
	while (next_line(&text, &line) && format->field_count < count) {
		struct tracepoint_field *field = &format->fields[format->field_count];

		if (!is_field_line(line) || !parse_field(line, field))
			continue;
		set_role(format, field);
		format->field_count++;
	}
	return true;
}

/* --- the blob --- */

static bool expect(struct cursor *c, const char *bytes, size_t size)
{
	const uint8_t *at = cursor_bytes(c, size);

	return at && memcmp(at, bytes, size) == 0;
}

/* u64 size, then that many bytes. */
static struct str sized_text(struct cursor *c)
{
	uint64_t size = cursor_u64(c);
	const uint8_t *at;

	if (size > cursor_left(c)) {
		c->overrun = true;
		return STR_NONE;
	}
	at = cursor_bytes(c, (size_t)size);
	return (struct str){ (const char *)at, at ? (size_t)size : 0 };
}

void perf_index_tracepoints(struct perf_catalog *catalog)
{
	for (size_t i = 0; i < catalog->event_count; i++)
		if (catalog->events[i]->type == PERF_TYPE_TRACEPOINT)
			(void)map_put(&catalog->tracepoints, catalog->events[i]->config,
				      catalog->events[i]);
}

void perf_parse_format(struct reader *reader, struct str system, struct str text,
		       const char *from)
{
	struct perf *perf = reader->state;
	struct tracepoint_format head = { .from = from }, *kept = NULL;
	const struct perf_event *wanted;

	parse_head(text, &head);
	wanted = map_get(&perf->catalog.tracepoints, head.id);
	if (!wanted || wanted->format)
		return;
	for (size_t i = 0; i < perf->catalog.event_count; i++) {
		struct perf_event *event = perf->catalog.events[i];

		if (event->type != PERF_TYPE_TRACEPOINT || event->config != head.id ||
		    event->format)
			continue;
		if (!kept) {
			kept = arena_alloc(&perf->catalog.arena, sizeof(*kept));
			text = arena_str(&perf->catalog.arena, text);
			if (!kept || !text.ptr)
				return;
			*kept = head;
			parse_head(text, kept);
			kept->system = text_valid_utf8(&perf->catalog.arena, system);
			kept->name = text_valid_utf8(&perf->catalog.arena, kept->name);
			if (!kept->name.ptr || !kept->system.ptr ||
			    !parse_fields(&perf->catalog, text, kept))
				return;
			kept->next = perf->catalog.formats;
			perf->catalog.formats = kept;
		}
		event->format = kept;
		if (i < perf->catalog.settled) /* it came late */
			perf_find_role(reader, event);
	}
}

static bool decode_header(struct cursor *c)
{
	if (!expect(c, "\x17\x08\x44tracing", 10))
		return false;
	(void)cursor_nul_str(c); /* version */
	c->big_endian = cursor_u8(c) == 1;
	cursor_skip(c, 1 + 4); /* long size, page size */
	if (!expect(c, "header_page", 12))
		return false;
	(void)sized_text(c);
	if (!expect(c, "header_event", 13))
		return false;
	(void)sized_text(c);
	return !c->overrun;
}

void perf_decode_tracing_data(struct reader *reader, struct cursor *blob)
{
	struct perf *perf = reader->state;
	uint32_t systems, formats;

	perf_index_tracepoints(&perf->catalog);
	if (!decode_header(blob))
		goto bad;
	formats = cursor_u32(blob);
	for (uint32_t i = 0; i < formats && !blob->overrun && i < FORMATS_MAX; i++)
		(void)sized_text(blob);
	systems = cursor_u32(blob);
	for (uint32_t s = 0; s < systems && !blob->overrun && s < FORMATS_MAX; s++) {
		struct str system = cursor_nul_str(blob);

		formats = cursor_u32(blob);
		for (uint32_t i = 0; i < formats && !blob->overrun && i < FORMATS_MAX;
		     i++) {
			struct str text = sized_text(blob);

			if (!blob->overrun)
				perf_parse_format(reader, system, text, "file");
		}
	}
	if (!blob->overrun)
		return;
bad:
	finding_gap(&reader->findings, FINDING_BAD_SECTION, blob->offset,
		    blob->offset + cursor_left(blob),
		    "TRACING_DATA at 0x%llx: invalid; the formats after it are missing",
		    (unsigned long long)blob->offset);
}
