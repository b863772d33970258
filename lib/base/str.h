/*
 * str.h - a borrowed piece of text: pointer and length, not terminated.
 *
 * The function that returns one documents how long it is valid; a reader's texts are
 * valid until its next call.  ptr NULL means "not known" and becomes NULL in a table; an
 * empty text is not NULL.
 */
#ifndef PERFTAB_STR_H
#define PERFTAB_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
	const char *ptr;
	size_t len;
};

#define STR(literal) ((struct str){ (literal), sizeof(literal) - 1 })
#define STR_NONE ((struct str){ NULL, 0 })

static inline struct str str_of(const char *text)
{
	return (struct str){ text, text ? strlen(text) : 0 };
}

static inline bool str_equal(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* The lower case of an ASCII letter, whatever the locale; any other byte unchanged. */
static inline char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Whether the texts differ at most in the case of ASCII letters, as names in SQL may. */
static inline bool str_equal_nocase(struct str a, struct str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (ascii_lower(a.ptr[i]) != ascii_lower(b.ptr[i]))
			return false;
	return true;
}

/* Bytewise order, a prefix first; independent of the locale. */
static inline int str_compare(struct str a, struct str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n ? memcmp(a.ptr, b.ptr, n) : 0;

	if (order)
		return order;
	return a.len < b.len ? -1 : a.len > b.len;
}

#endif
