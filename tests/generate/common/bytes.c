/* Growing byte buffer that writes numbers in the byte order wanted, on any host. */
#include "bytes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void die(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

void *grow_array(void *items, size_t count, size_t *room, size_t size)
{
	void *grown;

	if (count < *room)
		return items;
	*room = *room ? *room * 2 : 64;
	grown = realloc(items, *room * size);
	if (!grown)
		die("no memory for %zu items", *room);
	return grown;
}

static uint8_t *buf_extend(struct byte_buf *buf, size_t count)
{
	uint8_t *start;

	if (buf->size + count > buf->room) {
		size_t room = buf->room ? buf->room : 256;
		uint8_t *grown;

		while (room < buf->size + count)
			room *= 2;
		grown = realloc(buf->data, room);
		if (!grown)
			die("no memory for %zu bytes", room);
		buf->data = grown;
		buf->room = room;
	}
	start = buf->data + buf->size;
	buf->size += count;
	return start;
}

static void store(const struct byte_buf *buf, uint8_t *at, uint64_t value, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t place = buf->big_endian ? count - 1 - i : i;

		at[place] = (uint8_t)(value >> (8 * i));
	}
}

void buf_bytes(struct byte_buf *buf, const void *bytes, size_t count)
{
	if (count)
		memcpy(buf_extend(buf, count), bytes, count);
}

void buf_append(struct byte_buf *buf, const struct byte_buf *more)
{
	buf_bytes(buf, more->data, more->size);
}

void buf_fill(struct byte_buf *buf, uint8_t value, size_t count)
{
	if (count)
		memset(buf_extend(buf, count), value, count);
}

void buf_zero(struct byte_buf *buf, size_t count)
{
	buf_fill(buf, 0, count);
}

void buf_align(struct byte_buf *buf, size_t start, size_t to)
{
	buf_zero(buf, (to - (buf->size - start) % to) % to);
}

void buf_number(struct byte_buf *buf, uint64_t value, size_t count)
{
	uint8_t *at = buf_extend(buf, count);

	store(buf, at, value, count);
}

void buf_u8(struct byte_buf *buf, uint8_t value)
{
	buf_number(buf, value, 1);
}

void buf_u16(struct byte_buf *buf, uint16_t value)
{
	buf_number(buf, value, 2);
}

void buf_u32(struct byte_buf *buf, uint32_t value)
{
	buf_number(buf, value, 4);
}

void buf_u64(struct byte_buf *buf, uint64_t value)
{
	buf_number(buf, value, 8);
}

void buf_structure(struct byte_buf *buf, const char *layout, const uint64_t *values,
		   size_t count)
{
	if (strlen(layout) != count)
		die("layout \"%s\" has another number of values: %zu", layout, count);
	for (size_t i = 0; i < count; i++)
		buf_number(buf, values[i], (size_t)(layout[i] - '0'));
}

void buf_text(struct byte_buf *buf, const char *format, ...)
{
	va_list args;
	char text[2048];
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof(text))
		die("text of %d bytes is too long", length);
	buf_bytes(buf, text, (size_t)length);
}

void buf_wide(struct byte_buf *buf, const char *text)
{
	for (; *text; text++)
		buf_u16(buf, (uint8_t)*text);
}

void buf_wide_z(struct byte_buf *buf, const char *text)
{
	buf_wide(buf, text);
	buf_u16(buf, 0);
}

void buf_set(struct byte_buf *buf, size_t at, uint64_t value, size_t count)
{
	store(buf, buf->data + at, value, count);
}

void buf_set_u16(struct byte_buf *buf, size_t at, uint16_t value)
{
	buf_set(buf, at, value, 2);
}

void buf_set_u32(struct byte_buf *buf, size_t at, uint32_t value)
{
	buf_set(buf, at, value, 4);
}

void buf_set_u64(struct byte_buf *buf, size_t at, uint64_t value)
{
	buf_set(buf, at, value, 8);
}

void buf_set_size(struct byte_buf *buf, size_t at, size_t start)
{
	buf_set(buf, at, buf->size - start, 4);
}

uint16_t buf_get_u16(const struct byte_buf *buf, size_t at)
{
	const uint8_t *bytes = buf->data + at;
	unsigned high = bytes[buf->big_endian ? 0 : 1];
	unsigned low = bytes[buf->big_endian ? 1 : 0];

	return (uint16_t)(high << 8 | low);
}

void buf_release(struct byte_buf *buf)
{
	free(buf->data);
	*buf = (struct byte_buf){ 0 };
}

FILE *file_create(const char *path)
{
	FILE *file = fopen(path, "wb");

	if (!file)
		die("%s: %s", path, strerror(errno));
	return file;
}

void file_write(FILE *file, const char *path, const void *bytes, size_t count)
{
	if (count && fwrite(bytes, count, 1, file) != 1)
		die("%s: %s", path, strerror(errno));
}

void file_close(FILE *file, const char *path)
{
	if (fclose(file))
		die("%s: %s", path, strerror(errno));
}

void file_save(const char *path, const struct byte_buf *bytes)
{
	FILE *file = file_create(path);

	file_write(file, path, bytes->data, bytes->size);
	file_close(file, path);
}
