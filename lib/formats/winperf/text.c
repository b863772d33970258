/* text.c - names of older logs; see winperf.h. */
#include "base/text.h"
#include "formats/winperf/winperf.h"

static size_t until_nul(const uint8_t *at, size_t bytes)
{
	size_t length = 0;

	while (bytes - length >= 2 && (at[length] || at[length + 1]))
		length += 2;
	return length;
}

struct str winperf_utf8(struct winperf *w, const uint8_t *at, size_t bytes)
{
	size_t length = until_nul(at, bytes), used;
	char *to = w->text;

	if (length > WINPERF_NAME_BYTES_MAX)
		length = WINPERF_NAME_BYTES_MAX;
	for (size_t i = 0; i < length; i += used)
		to += text_write_safe_utf8(to, text_utf16_character(at + i, length - i,
								    &used));
	return (struct str){ w->text, (size_t)(to - w->text) };
}

bool winperf_utf16(struct cursor *c, const uint8_t **at, size_t *bytes)
{
	*at = c->pos;
	*bytes = until_nul(c->pos, cursor_left(c));
	cursor_skip(c, *bytes + 2);
	return !c->overrun;
}
