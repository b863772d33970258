/* bytes.c - appends numbers, texts and padding to a buffer. */
#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MUCH_ROOM ((size_t)1 << 20)

uint8_t *bytes_extend(struct bytes *bytes, size_t count)
{
	uint8_t *start;

	if (bytes->failed)
		return NULL;
	if (count > bytes->room - bytes->size) {
		size_t room = bytes->room ? bytes->room : 4096;
		uint8_t *bigger;

		while (room - bytes->size < count && room <= SIZE_MAX / 2)
			room *= 2;
		bigger = room - bytes->size < count ? NULL
						    : memory_resize(bytes->data, room);
		if (!bigger) {
			bytes->failed = true;
			return NULL;
		}
		bytes->data = bigger;
		bytes->room = room;
	}
	start = bytes->data + bytes->size;
	bytes->size += count;
	return start;
}

void bytes_put(struct bytes *bytes, const void *from, size_t count)
{
	uint8_t *to = bytes_extend(bytes, count);

	if (to && count)
		memcpy(to, from, count);
}

void bytes_zero(struct bytes *bytes, size_t count)
{
	uint8_t *to = bytes_extend(bytes, count);

	if (to && count)
		memset(to, 0, count);
}

void bytes_u16(struct bytes *bytes, uint16_t value)
{
	bytes_put(bytes, &value, sizeof(value));
}

void bytes_u32(struct bytes *bytes, uint32_t value)
{
	bytes_put(bytes, &value, sizeof(value));
}

void bytes_u64(struct bytes *bytes, uint64_t value)
{
	bytes_put(bytes, &value, sizeof(value));
}

void bytes_text(struct bytes *bytes, const char *text)
{
	bytes_put(bytes, text, strlen(text) + 1);
}

void bytes_pad(struct bytes *bytes, size_t start, size_t unit)
{
	size_t over = (bytes->size - start) % unit;

	if (over)
		bytes_zero(bytes, unit - over);
}

void bytes_clear(struct bytes *bytes)
{
	if (bytes->room > MUCH_ROOM && bytes->size < bytes->room / 8)
		bytes_release(bytes);
	bytes->size = 0;
}

void bytes_release(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){ .data = NULL };
}
