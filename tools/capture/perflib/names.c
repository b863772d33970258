/* names.c - converts names; see names.h. */
#include "capture/perflib/names.h"

#include "base/little_endian.h"
#include "base/text.h"

#define REPLACEMENT UINT32_C(0xfffd)

struct str names_utf8(struct arena *arena, const uint8_t *at, size_t bytes)
{
	size_t length = 0, used = 0;
	char *to;

	while (length + 2 <= bytes && le_u16(at + length) != 0)
		length += 2;
	to = arena_alloc(arena, length / 2 * 3 + 1);
	if (!to)
		return STR_NONE;
	for (size_t i = 0, step; i < length; i += step) {
		uint32_t code = text_utf16_character(at + i, length - i, &step);

		used += text_write_utf8(to + used,
					text_is_surrogate(code) ? REPLACEMENT : code);
	}
	return (struct str){ to, used };
}

/*
 * The code point at the start of a text, and its length in bytes.  A NUL is replaced: it
 * would end the name.
 */
static uint32_t utf8_character(const char *text, size_t left, size_t *used)
{
	static const uint8_t masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t length = text_utf8_length(text, left);
	uint32_t code = length && *text ? (uint8_t)text[0] & masks[length] : REPLACEMENT;

	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((uint8_t)text[i] & 0x3f);
	*used = length ? length : 1;
	return code;
}

size_t names_utf16(uint8_t *to, size_t room, struct str text)
{
	size_t at = 0;

	for (size_t i = 0, step; i < text.len; i += step) {
		uint32_t code = utf8_character(text.ptr + i, text.len - i, &step);
		size_t bytes = code < 0x10000 ? 2 : 4;

		if (at + bytes <= room && bytes == 2) {
			le_write_u16(to + at, (uint16_t)code);
		} else if (at + bytes <= room) {
			code -= 0x10000;
			le_write_u16(to + at, (uint16_t)(0xd800 | code >> 10));
			le_write_u16(to + at + 2, (uint16_t)(0xdc00 | (code & 0x3ff)));
		}
		at += bytes;
	}
	return at;
}
