/* text.c - checks and escapes UTF-8, decodes UTF-16, formats numbers. */
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "base/digits.h"

size_t text_print(char *to, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(to, size, format, args);
	va_end(args);
	if (length < 0)
		return 0;
	return (size_t)length < size ? (size_t)length : size - 1;
}

/* Table 3-7 of the Unicode standard: what may follow each first byte. */
size_t text_utf8_length(const char *text, size_t left)
{
	const unsigned char *b = (const unsigned char *)text;
	size_t length = b[0] < 0x80   ? 1
			: b[0] < 0xC2 ? 0
			: b[0] < 0xE0 ? 2
			: b[0] < 0xF0 ? 3
			: b[0] < 0xF5 ? 4
				      : 0;

	if (length == 0 || length > left)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((b[i] & 0xC0) != 0x80)
			return 0;
	if ((b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xED && b[1] > 0x9F) ||
	    (b[0] == 0xF0 && b[1] < 0x90) || (b[0] == 0xF4 && b[1] > 0x8F))
		return 0;
	return length;
}

uint32_t text_utf8_code(const char *text, size_t length)
{
	static const uint8_t masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)text[0] & masks[length];

	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3fu);
	return code;
}

/*
 * The controls of ASCII and Latin 1, and what Unicode 15 calls Default_Ignorable or
 * Bidi_Control, or a separator of lines or paragraphs.
 */
bool text_is_control(uint32_t code)
{
	static const uint32_t ranges[][2] = {
		{ 0x00, 0x1f },	      { 0x7f, 0x9f },	    { 0xad, 0xad },
		{ 0x34f, 0x34f },     { 0x61c, 0x61c },	    { 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 },   { 0x180b, 0x180f },   { 0x200b, 0x200f },
		{ 0x2028, 0x202e },   { 0x2060, 0x206f },   { 0x3164, 0x3164 },
		{ 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },
		{ 0xfff0, 0xfffb },   { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < ARRAY_COUNT(ranges); i++)
		if (code <= ranges[i][1])
			return code >= ranges[i][0];
	return false;
}

size_t text_write_utf8(char *to, uint32_t code)
{
	size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = count; i-- > 1; code >>= 6)
		to[i] = (char)(0x80 | (code & 0x3f));
	to[0] = (char)(first[count] | code);
	return count;
}

size_t text_write_safe_utf8(char *to, uint32_t code)
{
	char bytes[4], shown[TEXT_SAFE_UTF8_MAX + 1];
	size_t count = text_write_utf8(bytes, code);

	if (!text_is_surrogate(code)) {
		memcpy(to, bytes, count);
		return count;
	}
	count = text_print(shown, sizeof(shown), "\\x%02x\\x%02x\\x%02x",
			   (uint8_t)bytes[0], (uint8_t)bytes[1], (uint8_t)bytes[2]);
	memcpy(to, shown, count);
	return count;
}

static uint16_t unit_at(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

uint32_t text_utf16_character(const uint8_t *at, size_t bytes, size_t *used)
{
	uint32_t unit = unit_at(at);

	*used = 2;
	if ((unit & 0xfc00) != 0xd800 || bytes < 4 ||
	    (unit_at(at + 2) & 0xfc00) != 0xdc00)
		return unit;
	*used = 4;
	return 0x10000 + ((unit - 0xd800) << 10) + (unit_at(at + 2) - 0xdc00u);
}

/* Its first three parts are numbers, little-endian. */
void text_guid(char to[TEXT_GUID_BYTES], const uint8_t *guid)
{
	text_print(to, TEXT_GUID_BYTES,
		   "{%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
		   "%02x%02x%02x%02x%02x%02x}",
		   guid[3], guid[2], guid[1], guid[0], guid[5], guid[4], guid[7], guid[6],
		   guid[8], guid[9], guid[10], guid[11], guid[12], guid[13], guid[14],
		   guid[15]);
}

bool text_is_valid(struct str text)
{
	for (size_t i = 0; i < text.len;) {
		size_t length = (unsigned char)text.ptr[i] < 0x80
					? 1
					: text_utf8_length(text.ptr + i, text.len - i);

		if (length == 0)
			return false;
		i += length;
	}
	return true;
}

struct str text_valid_utf8(struct arena *arena, struct str text)
{
	size_t bad = 0, at = 0;
	char *copy;

	for (size_t i = 0; i < text.len;) {
		size_t length = text_utf8_length(text.ptr + i, text.len - i);

		bad += length == 0;
		i += length ? length : 1;
	}
	if (bad == 0)
		return arena_str(arena, text);
	copy = arena_alloc(arena, text.len + 3 * bad + 1);
	if (!copy)
		return STR_NONE;
	for (size_t i = 0; i < text.len;) {
		size_t length = text_utf8_length(text.ptr + i, text.len - i);

		if (length == 0)
			at += text_print(copy + at, 5, "\\x%02x",
					 (unsigned char)text.ptr[i]);
		else
			memcpy(copy + at, text.ptr + i, length);
		at += length;
		i += length ? length : 1;
	}
	return (struct str){ copy, at };
}

/* Bytes of the text's first character and its columns; escaped bytes go one by one. */
static size_t first_shown(struct str text, size_t *columns)
{
	size_t length = text_utf8_length(text.ptr, text.len);
	bool is_plain = length && !text_is_control(text_utf8_code(text.ptr, length));

	*columns = is_plain ? 1 : 4;
	return is_plain ? length : 1;
}

size_t text_shown(char *to, size_t size, struct str text, size_t columns)
{
	size_t at = 0, used = 0;

	for (size_t i = 0; i < text.len;) {
		unsigned char byte = (unsigned char)text.ptr[i];
		size_t width, length = first_shown(
				      (struct str){ text.ptr + i, text.len - i }, &width);
		size_t rest = text.len - i - length;

		/* Room for this one, and for '~' when more is to come. */
		if (used + width + (rest != 0) > columns || at + 6 > size) {
			if (at + 2 <= size && used < columns) {
				to[at++] = '~';
				used++;
			}
			break;
		}
		if (width == 1) {
			memcpy(to + at, text.ptr + i, length);
			at += length;
		} else {
			at += text_print(to + at, size - at, "\\x%02x", byte);
		}
		used += width;
		i += length;
	}
	to[at] = '\0';
	return used;
}

void text_shown_ends(char *to, size_t size, struct str text, size_t columns)
{
	size_t head = columns / 3, tail = columns - head - 1, all = 0, each, begun;

	for (size_t at = 0; at < text.len; all += each)
		at += first_shown((struct str){ text.ptr + at, text.len - at }, &each);
	text_shown(to, size, text, all > columns ? head + 1 : columns);
	if (all <= columns)
		return;
	for (; all > tail; all -= each) {
		size_t bytes = first_shown(text, &each);

		text = (struct str){ text.ptr + bytes, text.len - bytes };
	}
	begun = strlen(to);
	text_shown(to + begun, size - begun, text, tail);
}

size_t text_int(char *to, int64_t value)
{
	return (size_t)(digits_put_int(to, value) - to);
}

void text_grouped(char *to, size_t size, int64_t value)
{
	char digits[TEXT_INT_MAX];
	size_t count = text_int(digits, value);
	size_t at = 0;

	for (size_t i = 0; i < count && at + 2 < size; i++) {
		to[at++] = digits[i];
		if (digits[i] != '-' && i + 1 < count && (count - i - 1) % 3 == 0)
			to[at++] = ',';
	}
	to[at] = '\0';
}

void text_ms(char *to, size_t size, int64_t ns)
{
	char whole[40];
	int64_t us = ns / 1000 + (ns % 1000 >= 500) - (ns % 1000 <= -500);

	text_grouped(whole, sizeof(whole), us / 1000);
	text_print(to, size, "%s%s.%03d", us < 0 && us > -1000 ? "-" : "", whole,
		   (int)(us < 0 ? -(us % 1000) : us % 1000));
}
