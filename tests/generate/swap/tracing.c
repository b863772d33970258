/* TRACING_DATA, the tracepoint formats in it, and RAW payloads field by field. */
#include "swap/swap.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DECLARATION = 256, MAX_TYPE = 64 };

enum field_kind { FIELD_NUMBERS, FIELD_DATA_LOC, FIELD_REL_LOC };

struct trace_field {
	enum field_kind kind;
	size_t offset;
	size_t size;
	size_t element_bytes; /* 0: cannot be told, the payload is refused */
	char declaration[MAX_DECLARATION];
};

/* A type name of at most MAX_TYPE letters without what does not change its size. */
static void plain_type(const char *declaration, char *type)
{
	static const char *const noise[] = { "__data_loc", "__rel_loc", "const",
					     "volatile",   "signed",	"unsigned" };
	const char *at = declaration;
	size_t length = 0;

	while (*at && *at != '[') {
		size_t word;
		bool skip = false;

		at += strspn(at, " ");
		word = strcspn(at, " [");
		for (size_t i = 0; i < COUNT(noise); i++)
			if (word == strlen(noise[i]) && !strncmp(at, noise[i], word))
				skip = true;
		if (!skip && length + word + 1 < MAX_TYPE) {
			if (length)
				type[length++] = ' ';
			memcpy(type + length, at, word);
			length += word;
		}
		at += word;
	}
	type[length] = '\0';
}

/* Bytes of a type, for arrays whose length does not say; 0 when it is unknown. */
static size_t type_bytes(const char *declaration, unsigned long_bytes)
{
	static const struct {
		const char *name;
		unsigned bytes; /* 0: a long */
	} types[] = {
		{ "char", 1 },	    { "u8", 1 },       { "__u8", 1 },
		{ "s8", 1 },	    { "__s8", 1 },     { "uint8_t", 1 },
		{ "bool", 1 },	    { "short", 2 },    { "u16", 2 },
		{ "__u16", 2 },	    { "uint16_t", 2 }, { "__le16", 2 },
		{ "int", 4 },	    { "u32", 4 },      { "__u32", 4 },
		{ "uint32_t", 4 },  { "__le32", 4 },   { "long", 0 },
		{ "long long", 8 }, { "u64", 8 },      { "__u64", 8 },
		{ "s64", 8 },	    { "uint64_t", 8 }, { "__le64", 8 },
		{ "cpumask_t", 0 },
	};
	char type[MAX_TYPE];

	plain_type(declaration, type);
	if (strchr(type, '*'))
		return long_bytes;
	if (!strncmp(type, "enum ", 5))
		return 4;
	for (size_t i = 0; i < COUNT(types); i++) {
		size_t length = strlen(types[i].name);

		/* "long" must not find "long long", "char" may find "char name". */
		if (strncmp(type, types[i].name, length) ||
		    (type[length] && type[length] != ' ') ||
		    !strncmp(type + length, " long", 5))
			continue;
		return types[i].bytes ? types[i].bytes : long_bytes;
	}
	return 0;
}

static bool is_number_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void classify(struct trace_field *field, unsigned long_bytes)
{
	const char *text = field->declaration;
	const char *bracket = strchr(text, '[');
	bool is_struct =
		(strstr(text, "struct ") || strstr(text, "union ")) && !strchr(text, '*');

	if (!strncmp(text, "__data_loc", 10) || !strncmp(text, "__rel_loc", 9)) {
		field->kind = text[2] == 'd' ? FIELD_DATA_LOC : FIELD_REL_LOC;
		field->element_bytes = type_bytes(text, long_bytes);
		return;
	}
	field->element_bytes = bracket ? type_bytes(text, long_bytes) : field->size;
	if (is_struct || !is_number_size(field->element_bytes) ||
	    field->size % field->element_bytes)
		field->element_bytes = 0;
}

/* One line "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;". */
static bool parse_field(const char *line, struct trace_field *field, unsigned long_bytes)
{
	unsigned long offset;
	unsigned long size;

	line += strspn(line, " \t");
	*field = (struct trace_field){ 0 };
	if (sscanf(line, "field:%255[^;]; offset:%lu; size:%lu;", field->declaration,
		   &offset, &size) != 3)
		return false;
	field->offset = offset;
	field->size = size;
	classify(field, long_bytes);
	return true;
}

static void parse_format(struct swapper *swapper, char *text)
{
	struct trace_format format = { 0 };
	size_t room = 0;
	char *rest = text;
	unsigned id;

	for (char *line; (line = strsep(&rest, "\n"));) {
		struct trace_field field;

		if (sscanf(line, "ID: %u", &id) == 1)
			format.id = id;
		if (!parse_field(line, &field, swapper->long_bytes))
			continue;
		format.fields = grow_array(format.fields, format.field_count, &room,
					   sizeof(field));
		format.fields[format.field_count++] = field;
	}
	swapper->formats = grow_array(swapper->formats, swapper->format_count,
				      &swapper->format_room, sizeof(format));
	swapper->formats[swapper->format_count++] = format;
}

void release_formats(struct swapper *swapper)
{
	for (size_t i = 0; i < swapper->format_count; i++)
		free(swapper->formats[i].fields);
	free(swapper->formats);
}

static void need_text(struct cursor *cursor, const char *text, size_t size)
{
	size_t at = cursor->at;

	if (memcmp(copy_bytes(cursor, size), text, size))
		cursor_die(cursor, "\"%s\" is expected at 0x%zx", text, at);
}

static const char *copy_string(struct cursor *cursor)
{
	size_t at = cursor->at;

	while (*copy_bytes(cursor, 1))
		;
	return (const char *)cursor->image->data + at;
}

static void swap_event_format(struct swapper *swapper, struct cursor *cursor)
{
	size_t size = (size_t)swap_u64(cursor);
	const uint8_t *bytes = copy_bytes(cursor, size);
	char *text = strndup((const char *)bytes, size);

	if (!text)
		die("no memory for %zu bytes", size);
	parse_format(swapper, text);
	free(text);
}

static void swap_event_formats(struct swapper *swapper, struct cursor *cursor)
{
	uint32_t systems = swap_u32(cursor);

	while (systems--) {
		uint32_t count;

		copy_string(cursor);
		count = swap_u32(cursor);
		while (count--)
			swap_event_format(swapper, cursor);
	}
}

void swap_tracing_data(struct swapper *swapper, struct cursor *cursor)
{
	const char *version;
	uint32_t count;

	need_text(cursor, "\x17\x08\x44tracing", 10);
	version = copy_string(cursor);
	if (cursor_peek(cursor, cursor->at, 1))
		cursor_die(cursor, "it is big-endian already");
	cursor->image->data[cursor->at] = 1;
	copy_bytes(cursor, 1);
	swapper->long_bytes = *copy_bytes(cursor, 1);
	swap_u32(cursor);
	need_text(cursor, "header_page", 12);
	copy_bytes(cursor, (size_t)swap_u64(cursor));
	need_text(cursor, "header_event", 13);
	copy_bytes(cursor, (size_t)swap_u64(cursor));
	count = swap_u32(cursor);
	while (count--)
		copy_bytes(cursor, (size_t)swap_u64(cursor));
	swap_event_formats(swapper, cursor);
	copy_bytes(cursor, swap_u32(cursor)); /* kallsyms */
	copy_bytes(cursor, swap_u32(cursor)); /* printk formats */
	if (strtod(version, NULL) >= 0.6)
		copy_bytes(cursor, (size_t)swap_u64(cursor)); /* saved command lines */
	copy_padding(cursor);
}

static void swap_numbers(struct cursor *payload, size_t offset, size_t size, size_t width)
{
	if (offset > cursor_left(payload) || size > cursor_left(payload) - offset)
		cursor_die(payload, "a field at %zu of %zu bytes goes past its %zu bytes",
			   offset, size, cursor_left(payload));
	for (size_t i = 0; i < size; i += width)
		swap_number_at(payload, payload->at + offset + i, width);
}

static void swap_field(struct cursor *payload, const struct trace_field *field)
{
	size_t width = field->kind == FIELD_NUMBERS ? field->element_bytes : 4;
	size_t offset;
	size_t size;
	uint64_t place;

	if (!field->element_bytes)
		cursor_die(payload, "the type of \"%s\" is unknown", field->declaration);
	if (field->kind == FIELD_NUMBERS) {
		swap_numbers(payload, field->offset, field->size, width);
		return;
	}
	place = cursor_peek(payload, payload->at + field->offset, 4);
	swap_numbers(payload, field->offset, 4, 4);
	offset = place & 0xffff;
	size = (size_t)(place >> 16);
	if (field->kind == FIELD_REL_LOC)
		offset += field->offset + 4;
	if (size % field->element_bytes)
		cursor_die(payload, "\"%s\" has %zu bytes", field->declaration, size);
	if (field->element_bytes > 1)
		swap_numbers(payload, offset, size, field->element_bytes);
}

void swap_payload(const struct swapper *swapper, struct cursor *cursor, size_t size)
{
	struct cursor payload = *cursor;
	uint64_t id = cursor_peek(cursor, cursor->at, 2);
	const struct trace_format *format = NULL;

	payload.end = cursor->at + size;
	for (size_t i = 0; i < swapper->format_count; i++)
		if (swapper->formats[i].id == id)
			format = &swapper->formats[i];
	if (!format)
		cursor_die(cursor,
			   "the format of its tracepoint, %llu, is not in the file",
			   (unsigned long long)id);
	for (size_t i = 0; i < format->field_count; i++)
		swap_field(&payload, &format->fields[i]);
	for (; cursor->at < payload.end; cursor->at++)
		cursor->image->taken[cursor->at] = 1;
}
