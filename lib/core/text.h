/*
 * text.h - texts from traces made safe, numbers made readable.
 */
#ifndef PERFTAB_TEXT_H
#define PERFTAB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/str.h"

/* snprintf that never leaves the buffer unterminated and returns what was stored. */
size_t text_print(char *to, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Bytes of the UTF-8 character at text[0], 1..4; 0 when it is not valid UTF-8. */
size_t text_utf8_length(const char *text, size_t left);

/* Nothing but valid UTF-8. */
bool text_is_valid(struct str text);

/* A copy in which every byte that is not part of valid UTF-8 stands as \xNN. */
struct str text_valid_utf8(struct arena *arena, struct str text);

/*
 * For terminals: control characters and invalid bytes as \xNN, cut to at most `columns`
 * characters with a trailing '~' when something had to go.  Returns the columns used.
 */
size_t text_shown(char *to, size_t size, struct str text, size_t columns);

/* Decimal, no terminator.  `to` must have room for 20 characters.  Returns how many. */
size_t text_int(char *to, int64_t value);
#define TEXT_INT_MAX 20

/* Decimal with thousands separators, terminated. */
void text_grouped(char *to, size_t size, int64_t value);

#endif
