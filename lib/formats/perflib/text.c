/* text.c - the UTF-16 of PerfLib as texts; see perflib.h. */
#include "base/text.h"
#include "formats/perflib/perflib.h"

bool perflib_nul(const uint8_t *at, size_t bytes, size_t *length)
{
	for (*length = 0; bytes - *length >= 2; *length += 2)
		if (!at[*length] && !at[*length + 1])
			return true;
	return false;
}

bool perflib_utf16_is_valid(const uint8_t *at, size_t bytes)
{
	size_t used;

	for (; bytes >= 2; at += used, bytes -= used)
		if (text_is_surrogate(text_utf16_character(at, bytes, &used)))
			return false;
	return true;
}

struct str perflib_utf8(struct perflib *perflib, const uint8_t *at, size_t bytes,
			uint64_t offset)
{
	char one[TEXT_SAFE_UTF8_MAX], *copy;
	size_t length = 0, used;

	for (size_t i = 0; bytes - i >= 2; i += used)
		length += text_write_safe_utf8(
			one, text_utf16_character(at + i, bytes - i, &used));
	if (length > PERFLIB_TEXT_BYTES_MAX - perflib->text_bytes) {
		finding_add(perflib->findings, FINDING_PERFLIB_LIMIT, offset, 1);
		return STR_NONE;
	}
	copy = arena_alloc(&perflib->arena, length + 1);
	if (!copy) {
		perflib->out_of_memory = true;
		return STR_NONE;
	}
	perflib->text_bytes += length;
	length = 0;
	for (size_t i = 0; bytes - i >= 2; i += used)
		length += text_write_safe_utf8(
			copy + length, text_utf16_character(at + i, bytes - i, &used));
	return (struct str){ copy, length };
}

struct str perflib_guid_text(struct perflib *perflib, const uint8_t *guid)
{
	char text[TEXT_GUID_BYTES];
	struct str copy;

	text_guid(text, guid);
	copy = arena_str(&perflib->arena, str_of(text));
	perflib->out_of_memory |= !copy.ptr;
	return copy;
}
