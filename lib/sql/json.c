/* json.c - a row as a JSON object: for tables whose columns a statement does not know. */
#include "sql/private.h"

static void add_text(sqlite3_str *json, const char *text, size_t length)
{
	sqlite3_str_appendchar(json, 1, '"');
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			sqlite3_str_appendf(json, "\\%c", c);
		else if (c < ' ')
			sqlite3_str_appendf(json, "\\u%04x", c);
		else
			sqlite3_str_append(json, &text[i], 1);
	}
	sqlite3_str_appendchar(json, 1, '"');
}

static void add_hex(sqlite3_str *json, const char *bytes, size_t length)
{
	sqlite3_str_appendchar(json, 1, '"');
	for (size_t i = 0; i < length; i++)
		sqlite3_str_appendf(json, "%02x", (unsigned char)bytes[i]);
	sqlite3_str_appendchar(json, 1, '"');
}

static void add_value(sqlite3_str *json, const char *row, const struct field *field)
{
	struct str text;
	int64_t number;
	double real;

	if (field_is_text(field->kind)) {
		memcpy(&text, row + field->offset, sizeof(text));
		if (!text.ptr)
			sqlite3_str_appendall(json, "null");
		else if (field->kind == FIELD_TEXT)
			add_text(json, text.ptr, text.len);
		else
			add_hex(json, text.ptr, text.len);
		return;
	}
	if (field->kind == FIELD_REAL) {
		memcpy(&real, row + field->offset, sizeof(real));
		if (real == real) /* a number */
			sqlite3_str_appendf(json, "%!.17g", real);
		else
			sqlite3_str_appendall(json, "null");
		return;
	}
	memcpy(&number, row + field->offset, sizeof(number));
	if (number == INT_NONE && field->kind == FIELD_INT)
		sqlite3_str_appendall(json, "null");
	else
		sqlite3_str_appendf(json, "%lld", (long long)number);
}

void sql_result_json(sqlite3_context *context, const struct feed_row *row)
{
	sqlite3_str *json = sqlite3_str_new(sqlite3_context_db_handle(context));
	int length;
	char *text;

	for (size_t i = 0; i < row->table->field_count; i++) {
		sqlite3_str_appendall(json, i ? "," : "{");
		add_text(json, row->table->fields[i].name,
			 strlen(row->table->fields[i].name));
		sqlite3_str_appendchar(json, 1, ':');
		add_value(json, row->data, &row->table->fields[i]);
	}
	for (size_t i = 0; i < row->slots; i++)
		sqlite3_str_appendf(json, ",\"delta_%d\":%lld", (int)i,
				    (long long)row->deltas[i]);
	sqlite3_str_appendchar(json, 1, '}');
	length = sqlite3_str_length(json);
	text = sqlite3_str_finish(json);
	if (text)
		sqlite3_result_text(context, text, length, sqlite3_free);
	else
		sqlite3_result_error_nomem(context);
}
