/* source.c - helpers of sources: buffers and texts of codes; see source.h. */
#include "capture/perflib/source.h"

#include <string.h>

#include "base/array.h"
#include "base/text.h"

uint32_t source_fill(struct source_buffer *buffer, const void *bytes, size_t size)
{
	if (size > UINT32_MAX)
		return CODE_INVALID_PARAMETER;
	buffer->size = (uint32_t)size;
	if (size > buffer->room)
		return CODE_NOT_ENOUGH_MEMORY;
	if (size)
		memcpy(buffer->bytes, bytes, size);
	return CODE_DONE;
}

const char *source_code_text(uint32_t code)
{
	static const struct {
		uint32_t code;
		const char *text;
	} texts[] = {
		{ CODE_FILE_NOT_FOUND, "file not found" },
		{ 3, "path not found" },
		{ CODE_ACCESS_DENIED, "access denied" },
		{ CODE_NOT_ENOUGH_MEMORY, "not enough memory" },
		{ CODE_OUT_OF_MEMORY, "out of memory" },
		{ CODE_READ_FAULT, "read fault" },
		{ CODE_INVALID_PARAMETER, "invalid parameter" },
		{ 120, "call not implemented" },
		{ CODE_NO_FUNCTION, "this system lacks the function" },
		{ 183, "already exists" },
		{ CODE_NO_MORE_ITEMS, "no more items" },
		{ CODE_NOT_FOUND, "not found" },
		{ CODE_SET_NOT_FOUND, "no such counterset" },
		{ CODE_INSTANCE_NOT_FOUND, "no such instance" },
		{ CODE_COUNTER_NOT_FOUND, "no such counter" },
		{ 4211, "invalid registration" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
		if (texts[i].code == code)
			return texts[i].text;
	return "";
}

const char *source_code_words(char to[SOURCE_CODE_WORDS], uint32_t code)
{
	const char *text = source_code_text(code);

	if (*text)
		text_print(to, SOURCE_CODE_WORDS, "%s (error %u)", text, code);
	else
		text_print(to, SOURCE_CODE_WORDS, "error %u", code);
	return to;
}
