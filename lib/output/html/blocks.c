/* blocks.c - deflates data and writes it as base64. */
#include "output/html/blocks.h"

#include <string.h>
#include <zlib.h>

#include "base/memory.h"

#define LEVEL 5
#define CHUNK_BYTES ((size_t)64 << 10)

bool block_deflate(struct bytes *to, const void *from, size_t size, size_t most)
{
	z_stream stream;
	int result = Z_OK;

	memset(&stream, 0, sizeof(stream));
	to->size = 0;
	if (deflateInit(&stream, LEVEL) != Z_OK) {
		memory_note_failure();
		return false;
	}
	stream.next_in = (Bytef *)(uintptr_t)from;
	do {
		uInt input = (uInt)(size < CHUNK_BYTES ? size : CHUNK_BYTES);
		uint8_t *room = bytes_extend(to, CHUNK_BYTES + 256);

		if (!room)
			break;
		size -= input;
		stream.avail_in = input;
		stream.next_out = room;
		stream.avail_out = (uInt)(CHUNK_BYTES + 256);
		result = deflate(&stream, size ? Z_NO_FLUSH : Z_FINISH);
		to->size -= stream.avail_out;
		while (result == Z_OK && (size == 0 || stream.avail_in)) {
			room = bytes_extend(to, CHUNK_BYTES);
			if (!room)
				break;
			stream.next_out = room;
			stream.avail_out = (uInt)CHUNK_BYTES;
			result = deflate(&stream, size ? Z_NO_FLUSH : Z_FINISH);
			to->size -= stream.avail_out;
		}
	} while (result == Z_OK && to->size <= most);
	(void)deflateEnd(&stream);
	return result == Z_STREAM_END || (result == Z_OK && to->size > most);
}

void block_base64(FILE *to, const void *from, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *bytes = from;
	char text[4096];
	size_t used = 0;

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t three = (uint32_t)bytes[i] << 16 |
				 (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				 (left > 2 ? (uint32_t)bytes[i + 2] : 0);

		text[used++] = digits[three >> 18];
		text[used++] = digits[three >> 12 & 63];
		text[used++] = left > 1 ? digits[three >> 6 & 63] : '=';
		text[used++] = left > 2 ? digits[three & 63] : '=';
		if (used == sizeof(text)) {
			fwrite(text, 1, used, to);
			used = 0;
		}
	}
	fwrite(text, 1, used, to);
}

void block_write(FILE *to, const char *id, const struct bytes *deflated)
{
	fprintf(to, "<script type=\"application/octet-stream\" id=\"%s\">", id);
	block_base64(to, deflated->data, deflated->size);
	fputs("</script>\n", to);
}
