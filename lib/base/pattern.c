/* pattern.c - matches texts with wildcards; see pattern.h. */
#include "base/pattern.h"

#include <stdint.h>

#include "base/text.h"

/* Bytes of the character there; a byte that is not UTF-8 counts as one. */
static size_t character_bytes(struct str text, size_t at)
{
	size_t length = text_utf8_length(text.ptr + at, text.len - at);

	return length ? length : 1;
}

/*
 * After a mismatch only the last * is retried, with one character more: this needs at
 * most pattern.len * text.len steps.
 */
bool pattern_match(struct str pattern, struct str text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, resume = 0;

	while (t < text.len) {
		char c = p < pattern.len ? pattern.ptr[p] : '\0';

		if (c == '*') {
			star = p++;
			resume = t;
		} else if (c == '?') {
			t += character_bytes(text, t);
			p++;
		} else if (p < pattern.len &&
			   ascii_lower(c) == ascii_lower(text.ptr[t])) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			resume += character_bytes(text, resume);
			t = resume;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.ptr[p] == '*')
		p++;
	return p == pattern.len;
}

bool pattern_has_wildcard(struct str text)
{
	return text.len &&
	       (memchr(text.ptr, '*', text.len) || memchr(text.ptr, '?', text.len));
}
