/* perflib_text.c - the UTF-16 of PerfLib as texts; see perflib.h. */
#include "core/text.h"
#include "readers/perflib.h"

static uint32_t unit_at(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

bool perflib_nul(const uint8_t *at, size_t bytes, size_t *length)
{
	for (*length = 0; bytes - *length >= 2; *length += 2)
		if (unit_at(at + *length) == 0)
			return true;
	return false;
}

/* The character at `at`, and how many bytes it takes; a lone surrogate is itself. */
static uint32_t character(const uint8_t *at, size_t bytes, size_t *used)
{
	uint32_t unit = unit_at(at);

	*used = 2;
	if (unit < 0xd800 || unit >= 0xdc00 || bytes < 4 ||
	    (unit_at(at + 2) & 0xfc00) != 0xdc00)
		return unit;
	*used = 4;
	return 0x10000 + ((unit - 0xd800) << 10) + (unit_at(at + 2) - 0xdc00);
}

static bool is_lone(uint32_t code)
{
	return code >= 0xd800 && code < 0xe000;
}

bool perflib_utf16_is_valid(const uint8_t *at, size_t bytes)
{
	size_t used;

	for (; bytes >= 2; at += used, bytes -= used)
		if (is_lone(character(at, bytes, &used)))
			return false;
	return true;
}

/* At most 12 bytes: what a lone surrogate takes. */
static size_t put(char *to, uint32_t code)
{
	uint8_t bytes[4];
	size_t count = 0;

	if (code < 0x80) {
		bytes[count++] = (uint8_t)code;
	} else if (code < 0x800) {
		bytes[count++] = (uint8_t)(0xc0 | code >> 6);
	} else if (code < 0x10000) {
		bytes[count++] = (uint8_t)(0xe0 | code >> 12);
		bytes[count++] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	} else {
		bytes[count++] = (uint8_t)(0xf0 | code >> 18);
		bytes[count++] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
		bytes[count++] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	}
	if (code >= 0x80)
		bytes[count++] = (uint8_t)(0x80 | (code & 0x3f));
	if (!is_lone(code)) {
		memcpy(to, bytes, count);
		return count;
	}
	return text_print(to, 13, "\\x%02x\\x%02x\\x%02x", bytes[0], bytes[1], bytes[2]);
}

struct str perflib_utf8(struct perflib *perflib, const uint8_t *at, size_t bytes,
			uint64_t offset)
{
	char one[13], *copy;
	size_t length = 0, used;

	for (size_t i = 0; bytes - i >= 2; i += used)
		length += put(one, character(at + i, bytes - i, &used));
	if (length > PERFLIB_TEXT_BYTES_MAX - perflib->text_bytes) {
		finding_add(perflib->findings, FINDING_PERFLIB_LIMIT, offset, 1);
		return STR_NONE;
	}
	copy = arena_alloc(&perflib->arena, length + sizeof(one));
	if (!copy) {
		perflib->out_of_memory = true;
		return STR_NONE;
	}
	perflib->text_bytes += length;
	length = 0;
	for (size_t i = 0; bytes - i >= 2; i += used)
		length += put(copy + length, character(at + i, bytes - i, &used));
	return (struct str){ copy, length };
}

struct str perflib_guid_text(struct perflib *perflib, const uint8_t *guid)
{
	char text[40];
	struct str copy;

	text_print(
		text, sizeof(text),
		"{%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x}",
		guid[3], guid[2], guid[1], guid[0], guid[5], guid[4], guid[7], guid[6],
		guid[8], guid[9], guid[10], guid[11], guid[12], guid[13], guid[14],
		guid[15]);
	copy = arena_str(&perflib->arena, str_of(text));
	perflib->out_of_memory |= !copy.ptr;
	return copy;
}
