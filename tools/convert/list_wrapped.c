/* list_wrapped.c - prints a text over several lines, broken at blanks. */
#include "base/text.h"
#include "common/text_table.h"
#include "list.h"

#define WRAPPED_COLUMNS 1000 /* longer texts are cut */

/* Bytes of the next line: up to the last space that fits, or as much as fits. */
static size_t line_bytes(const char *text, size_t columns)
{
	size_t at = 0, space = 0, used = 0;

	while (text[at]) {
		if (((unsigned char)text[at] & 0xC0) != 0x80 && used++ == columns)
			return space ? space : at;
		if (text[at] == ' ')
			space = at;
		at++;
	}
	return at;
}

void list_print_wrapped(FILE *to, struct str text, size_t indent)
{
	char shown[4 * WRAPPED_COLUMNS + 8];
	const char *at = shown;

	text_shown(shown, sizeof(shown), text, WRAPPED_COLUMNS);
	for (;;) {
		size_t bytes = line_bytes(at, TEXT_TABLE_COLUMNS - indent);

		fprintf(to, "%.*s\n", (int)bytes, at);
		at += bytes;
		while (*at == ' ')
			at++;
		if (!*at)
			break;
		fprintf(to, "%*s", (int)indent, "");
	}
}
