/* json.c - see json.h. */
#include "json.h"

#include "base/text.h"
#include "model/record.h"

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
		unsigned char second = length == 2 ? (unsigned char)text.ptr[i + 1] : 0;

		if (length == 0) /* JSON is UTF-8 or it is not JSON */
			fputs("\\ufffd", to);
		else if (byte == '"' || byte == '\\')
			fprintf(to, "\\%c", byte);
		else if (byte < 0x20 || byte == 0x7F)
			fprintf(to, "\\u%04x", byte);
		else if (byte == 0xC2 &&
			 second < 0xA0) /* some terminals obey these too */
			fprintf(to, "\\u%04x", second);
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
