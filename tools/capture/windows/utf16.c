/* utf16.c - converts between UTF-8 and UTF-16; see utf16.h. */
#include "capture/windows/utf16.h"

#include <string.h>

#include "base/text.h"

#define REPLACEMENT 0xfffdu

/* text_utf8_length() has validated it. */
static uint32_t code_of(const char *text, size_t length)
{
	static const uint8_t mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (uint8_t)text[0] & mask[length];

	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((uint8_t)text[i] & 0x3fu);
	return code;
}

bool utf16_of(uint16_t *to, size_t units, const char *text)
{
	size_t left = strlen(text), at = 0;

	while (left) {
		size_t length = text_utf8_length(text, left);
		uint32_t code = length ? code_of(text, length) : REPLACEMENT;

		length = length ? length : 1;
		if (at + (code > 0xffff ? 2 : 1) >= units)
			return false;
		if (code > 0xffff) {
			to[at++] = (uint16_t)(0xd800 + ((code - 0x10000) >> 10));
			to[at++] = (uint16_t)(0xdc00 + ((code - 0x10000) & 0x3ff));
		} else {
			to[at++] = (uint16_t)code;
		}
		text += length;
		left -= length;
	}
	if (at >= units)
		return false;
	to[at] = 0;
	return true;
}

void utf16_to_utf8(char *to, size_t size, const uint16_t *text, size_t units)
{
	size_t at = 0;

	for (size_t i = 0; i < units && text[i] && at + 5 <= size;) {
		uint8_t bytes[4] = { (uint8_t)text[i], (uint8_t)(text[i] >> 8), 0, 0 };
		size_t used;
		uint32_t code;

		if (i + 1 < units) {
			bytes[2] = (uint8_t)text[i + 1];
			bytes[3] = (uint8_t)(text[i + 1] >> 8);
		}
		code = text_utf16_character(bytes, i + 1 < units ? 4 : 2, &used);
		at += text_write_utf8(to + at,
				      text_is_surrogate(code) ? REPLACEMENT : code);
		i += used / 2;
	}
	to[at] = '\0';
}
