/* perflib_text.c - the UTF-16 of PerfLib as texts; see perflib.h. */
#include "core/text.h"
#include "readers/perflib.h"

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

/* At most 12 bytes: what a lone surrogate takes, whose bytes are no UTF-8. */
static size_t put(char *to, uint32_t code)
{
	char bytes[4];
	size_t count = text_put_utf8(bytes, code);

	if (text_is_surrogate(code))
		return text_print(to, 13, "\\x%02x\\x%02x\\x%02x", (uint8_t)bytes[0],
				  (uint8_t)bytes[1], (uint8_t)bytes[2]);
	memcpy(to, bytes, count);
	return count;
}

struct str perflib_utf8(struct perflib *perflib, const uint8_t *at, size_t bytes,
			uint64_t offset)
{
	char one[13], *copy;
	size_t length = 0, used;

	for (size_t i = 0; bytes - i >= 2; i += used)
		length += put(one, text_utf16_character(at + i, bytes - i, &used));
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
		length += put(copy + length,
			      text_utf16_character(at + i, bytes - i, &used));
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
