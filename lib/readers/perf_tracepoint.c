/*
 * perf_tracepoint.c - tracepoint formats from the TRACING_DATA section.
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

#include "readers/perf.h"

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

/* What stands between `key` and the next ';' (or the end of the line). */
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

/* Decimal digits at the start; more than ten of them are not a number we use. */
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

/* "char prev_comm[16]" -> "prev_comm". */
static struct str declared_name(struct str declaration)
{
	const char *bracket =
		declaration.len ? memchr(declaration.ptr, '[', declaration.len) : NULL;
	size_t end = bracket ? (size_t)(bracket - declaration.ptr) : declaration.len;
	size_t start = end;

	while (start > 0 && declaration.ptr[start - 1] != ' ' &&
	       declaration.ptr[start - 1] != '*')
		start--;
	return (struct str){ declaration.ptr + start, end - start };
}

static void take_field(struct tracepoint_format *format, struct str line)
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
	struct str name = declared_name(value_of(line, STR("field:")));

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (!str_equal(name, wanted[i].name))
			continue;
		wanted[i].field->offset =
			(uint32_t)number(value_of(line, STR("offset:")));
		wanted[i].field->size = (uint32_t)number(value_of(line, STR("size:")));
		wanted[i].field->is_signed = number(value_of(line, STR("signed:"))) != 0;
		if (format->bytes <
		    (size_t)wanted[i].field->offset + wanted[i].field->size)
			format->bytes =
				(size_t)wanted[i].field->offset + wanted[i].field->size;
	}
}

static void parse_format(struct str text, struct tracepoint_format *format)
{
	struct str line;

	while (next_line(&text, &line)) {
		if (line.len > 5 && memcmp(line.ptr, "name:", 5) == 0)
			format->name = value_of(line, STR("name:"));
		else if (line.len > 3 && memcmp(line.ptr, "ID:", 3) == 0)
			format->id = number(value_of(line, STR("ID:")));
		else if (line.len > 7 && memcmp(line.ptr, "\tfield:", 7) == 0)
			take_field(format, line);
		else if (line.len > 9 && memcmp(line.ptr, "print fmt", 9) == 0)
			break;
	}
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

/* Keeps a format when an event of the file is of it. */
static void keep_format(struct perf *perf, struct str system, struct str text)
{
	struct tracepoint_format parsed = { 0 };
	struct tracepoint_format *kept = NULL;
	const struct perf_event *wanted;

	parse_format(text, &parsed);
	wanted = map_get(&perf->tracepoints, parsed.id);
	if (!wanted || wanted->format)
		return;
	for (size_t i = 0; i < perf->event_count; i++) {
		struct perf_event *event = &perf->events[i];

		if (event->type != PERF_TYPE_TRACEPOINT || event->config != parsed.id ||
		    event->format)
			continue;
		if (!kept) {
			kept = arena_alloc(&perf->arena, sizeof(*kept));
			if (!kept)
				return;
			*kept = parsed;
			kept->system = arena_str(&perf->arena, system);
			kept->name = arena_str(&perf->arena, parsed.name);
			kept->next = perf->formats;
			perf->formats = kept;
		}
		event->format = kept;
	}
}

static bool read_header(struct cursor *c)
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

void perf_tracing_data_read(struct reader *reader, struct cursor *blob)
{
	struct perf *perf = reader->state;
	uint32_t systems, formats;

	for (size_t i = 0; i < perf->event_count; i++)
		if (perf->events[i].type == PERF_TYPE_TRACEPOINT)
			(void)map_put(&perf->tracepoints, perf->events[i].config,
				      &perf->events[i]);
	if (!read_header(blob))
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
				keep_format(perf, system, text);
		}
	}
	if (!blob->overrun)
		return;
bad:
	finding_say(
		&reader->findings, FINDING_BAD_SECTION, blob->offset,
		"TRACING_DATA at 0x%llx: not as expected; formats behind it are missing",
		(unsigned long long)blob->offset);
}
