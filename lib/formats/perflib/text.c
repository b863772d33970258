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

struct str perflib_guid_text(struct registry *registry, const uint8_t *guid)
{
	char text[TEXT_GUID_BYTES];
	struct str copy;

	text_guid(text, guid);
	copy = arena_str(&registry->arena, str_of(text));
	registry->out_of_memory |= !copy.ptr;
	return copy;
}
