/*
 * text.h - makes texts from traces safe to print, and numbers readable.
 */
#ifndef PERFTAB_TEXT_H
#define PERFTAB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

/* snprintf that always terminates the buffer and returns the length stored. */
size_t text_print(char *to, size_t size, const char *format, ...) PRINTF_LIKE(3, 4);

/* Bytes of the UTF-8 character at text[0], 1..4; 0 when it is not valid UTF-8. */
size_t text_utf8_length(const char *text, size_t left);

/* The code point of a character of `length` bytes, as text_utf8_length() returned. */
uint32_t text_utf8_code(const char *text, size_t length);
/*
 * Whether the code point is invisible but changes the text around it: controls, line
 * separators, marks of direction, characters without width.  A name with one of them can
 * look like another name.
 */
bool text_is_control(uint32_t code);

/*
 * A code point as UTF-8, at most 4 bytes; returns how many.  Surrogates are encoded too.
 */
size_t text_write_utf8(char *to, uint32_t code);
/*
 * The same, but a surrogate, which is not valid in UTF-8, becomes the \xNN of its three
 * bytes: at most 12 bytes, no terminator.
 */
#define TEXT_SAFE_UTF8_MAX 12
size_t text_write_safe_utf8(char *to, uint32_t code);
/*
 * The code point at the start of UTF-16, little-endian; `bytes` is at least 2, *used 2
 * or 4.  A lone surrogate is returned as it is.
 */
uint32_t text_utf16_character(const uint8_t *at, size_t bytes, size_t *used);
static inline bool text_is_surrogate(uint32_t code)
{
	return code >= 0xd800 && code < 0xe000;
}

/* "{3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c}" of the 16 bytes of a GUID in a file of
 * Windows. */
#define TEXT_GUID_BYTES 39
void text_guid(char to[TEXT_GUID_BYTES], const uint8_t *guid);

/* Whether all of the text is valid UTF-8. */
bool text_is_valid(struct str text);

/* A copy in which every byte that is not part of valid UTF-8 becomes \xNN. */
struct str text_valid_utf8(struct arena *arena, struct str text);

/*
 * For terminals: bytes of control characters (text_is_control()) and invalid bytes as
 * \xNN, at most `columns` characters, with a trailing '~' if cut.  Returns the columns
 * used.
 */
size_t text_shown(char *to, size_t size, struct str text, size_t columns);
/* The same, cut in the middle: the end of a path, or of an instance, says most. */
void text_shown_ends(char *to, size_t size, struct str text, size_t columns);

/* Decimal, no terminator.  `to` must have room for 20 characters.  Returns how many. */
size_t text_int(char *to, int64_t value);
#define TEXT_INT_MAX 20

/* Decimal with thousands separators, terminated. */
void text_grouped(char *to, size_t size, int64_t value);

#endif
