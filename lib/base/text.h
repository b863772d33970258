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

/* Returns the bytes of the UTF-8 character at text[0], 1 to 4; 0: not valid UTF-8. */
size_t text_utf8_length(const char *text, size_t left);

/* Returns the code point of a character whose text_utf8_length() is `length`. */
uint32_t text_utf8_code(const char *text, size_t length);
/*
 * Whether the code point is invisible but changes the text around it: controls, line
 * separators, marks of direction, characters without width.  A name with one of them can
 * look like another name.
 */
bool text_is_control(uint32_t code);

/*
 * Writes a code point as UTF-8, at most 4 bytes, and returns how many.  Encodes
 * surrogates, too.
 */
size_t text_write_utf8(char *to, uint32_t code);
/*
 * As text_write_utf8(), but writes a surrogate, which is not valid in UTF-8, as the \xNN
 * of its three bytes: at most 12 bytes, no terminator.
 */
#define TEXT_SAFE_UTF8_MAX 12
size_t text_write_safe_utf8(char *to, uint32_t code);
/*
 * Returns the first code point of little-endian UTF-16 of `bytes` bytes, at least 2; sets
 * *used to its own, 2 or 4.  Returns a lone surrogate unchanged.
 */
uint32_t text_utf16_character(const uint8_t *at, size_t bytes, size_t *used);
static inline bool text_is_surrogate(uint32_t code)
{
	return code >= 0xd800 && code < 0xe000;
}

/* Writes the 16 bytes of a Windows GUID as "{3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c}". */
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
/* As text_shown(), but cut in the middle: the end of a path or instance says most. */
void text_shown_ends(char *to, size_t size, struct str text, size_t columns);

/* Returns the value of a hexadecimal digit in lower case; -1: it is not one. */
static inline int text_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Writes up to TEXT_INT_MAX decimal characters, no terminator, and returns how many. */
size_t text_int(char *to, int64_t value);
#define TEXT_INT_MAX 20

/* Writes a decimal number with thousands separators and a terminator. */
void text_grouped(char *to, size_t size, int64_t value);
/* Writes nanoseconds as milliseconds with three decimals: "1,234.567". */
void text_ms(char *to, size_t size, int64_t ns);

#endif
