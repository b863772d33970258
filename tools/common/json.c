/* json.c - writes JSON values, escaped, and rows of tables. */
#include "json.h"

#include "base/text.h"

static void put_escape(FILE *to, uint32_t code)
{
	if (code >= 0x10000)
		fprintf(to, "\\u%04x\\u%04x",
			(unsigned int)(0xd800 + ((code - 0x10000) >> 10)),
			(unsigned int)(0xdc00 + (code & 0x3ff)));
	else
		fprintf(to, "\\u%04x", (unsigned int)code);
}

void json_text(FILE *to, struct str text)
{
	if (!text.ptr) {
		fputs("null", to);
		return;
	}
	fputc('"', to);
	for (size_t i = 0; i < text.len;) {
		size_t length = text_utf8_length(text.ptr + i, text.len - i);
		unsigned char byte = (unsigned char)text.ptr[i];
		uint32_t code = length ? text_utf8_code(text.ptr + i, length) : 0;

		if (length == 0) /* JSON is UTF-8 or it is not JSON */
			fputs("\\ufffd", to);
		else if (byte == '"' || byte == '\\')
			fprintf(to, "\\%c", byte);
		else if (text_is_control(code)) /* terminals obey some of them */
			put_escape(to, code);
		else
			fwrite(text.ptr + i, 1, length, to);
		i += length ? length : 1;
	}
	fputc('"', to);
}

void json_number(FILE *to, int64_t value)
{
	if (value == INT_NONE)
		fputs("null", to);
	else
		fprintf(to, "%lld", (long long)value);
}

void json_member_text(FILE *to, const char *name, struct str text)
{
	fprintf(to, ", \"%s\": ", name);
	json_text(to, text);
}

void json_member_number(FILE *to, const char *name, int64_t value)
{
	fprintf(to, ", \"%s\": ", name);
	json_number(to, value);
}

/* --- rows --- */

static const struct field *find_field(const struct table *table, struct str name)
{
	for (size_t i = 0; i < table->field_count; i++)
		if (str_equal(str_of(table->fields[i].name), name))
			return &table->fields[i];
	return NULL;
}

static void write_member(FILE *to, const struct table *table, const void *row,
			 struct str word)
{
	const char *equals = memchr(word.ptr, '=', word.len);
	struct str name = { word.ptr, equals ? (size_t)(equals - word.ptr) : word.len };
	size_t skip = equals ? name.len + 1 : 0;
	const struct field *field =
		find_field(table, (struct str){ word.ptr + skip, word.len - skip });
	const void *cell;

	fprintf(to, "\"%.*s\": ", (int)name.len, name.ptr);
	cell = field ? (const char *)row + field->offset : NULL;
	if (!field)
		fputs("null", to);
	else if (field_is_int(field->kind))
		json_number(to, *(const int64_t *)cell);
	else
		json_text(to, *(const struct str *)cell);
}

void json_table_members(FILE *to, const struct table *table, const void *row,
			const char *columns)
{
	while (*columns) {
		size_t length = strcspn(columns, " ");

		write_member(to, table, row, (struct str){ columns, length });
		columns += length;
		if (*columns++ == '\0')
			break;
		fputs(", ", to);
	}
}

void json_table_row(FILE *to, const struct table *table, const void *row,
		    const char *columns)
{
	fputs("{", to);
	json_table_members(to, table, row, columns);
	fputs("}", to);
}
