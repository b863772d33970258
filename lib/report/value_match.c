/* value_match.c - names with wildcards, as Windows' tools take them. */
#include "base/text.h"
#include "report/values.h"

static size_t character(struct str text, size_t at)
{
	size_t length = text_utf8_length(text.ptr + at, text.len - at);

	return length ? length : 1;
}

bool value_match(const char *pattern, struct str text)
{
	const char *star = NULL;
	size_t at = 0, resume = 0;

	/* After a mismatch the last * matches one character more; no other has to. */
	while (at < text.len) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = at;
		} else if (*pattern == '?') {
			pattern++;
			at += character(text, at);
		} else if (*pattern &&
			   ascii_lower(*pattern) == ascii_lower(text.ptr[at])) {
			pattern++;
			at++;
		} else if (star) {
			pattern = star;
			resume += character(text, resume);
			at = resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}
