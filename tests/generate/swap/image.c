/* The file in memory: bounds, the map of what was taken, and the swapping of numbers. */
#include "swap/swap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cursor_die(const struct cursor *cursor, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	die("%s at 0x%zx: %s", cursor->what, cursor->start, text);
}

void cursor_note(const struct cursor *cursor, const char *text)
{
	fprintf(stderr, "swap_trace: note: %s at 0x%zx: %s\n", cursor->what,
		cursor->start, text);
}

void image_load(struct image *image, const char *path)
{
	FILE *file = fopen(path, "rb");
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 ||
	    fseek(file, 0, SEEK_SET))
		die("%s: %s", path, strerror(errno));
	image->size = (size_t)size;
	image->data = malloc(image->size + 1);
	image->taken = calloc(image->size + 1, 1);
	if (!image->data || !image->taken)
		die("%s: no memory for %zu bytes", path, image->size);
	if (fread(image->data, 1, image->size, file) != image->size)
		die("%s: cannot be read", path);
	fclose(file);
}

void image_store(const struct image *image, const char *path)
{
	FILE *file = fopen(path, "wb");
	bool complete;

	if (!file)
		die("%s: %s", path, strerror(errno));
	complete = fwrite(image->data, 1, image->size, file) == image->size;
	if (fclose(file) || !complete) {
		int error = errno;

		remove(path);
		die("%s: %s", path, strerror(error));
	}
}

/* Zero bytes are the same in either order and need no word. */
void image_report_rest(const struct image *image)
{
	for (size_t at = 0; at < image->size; at++) {
		struct cursor gap = { .what = "gap", .start = at };
		uint8_t bits = 0;

		for (; at < image->size && !image->taken[at]; at++)
			bits |= image->data[at];
		if (bits)
			cursor_note(&gap, "bytes that belong to nothing are copied as "
					  "they are");
	}
}

void image_release(struct image *image)
{
	free(image->data);
	free(image->taken);
	*image = (struct image){ 0 };
}

struct cursor cursor_open(struct image *image, const char *what, uint64_t offset,
			  uint64_t size)
{
	struct cursor cursor = { .image = image, .what = what, .start = (size_t)offset };

	if (offset > image->size || size > image->size - offset)
		cursor_die(&cursor, "%llu bytes do not fit into a file of %zu",
			   (unsigned long long)size, image->size);
	cursor.at = cursor.start;
	cursor.end = cursor.start + (size_t)size;
	return cursor;
}

size_t cursor_left(const struct cursor *cursor)
{
	return cursor->end - cursor->at;
}

static void need(const struct cursor *cursor, size_t at, size_t count)
{
	if (at < cursor->start || at > cursor->end || count > cursor->end - at)
		cursor_die(cursor, "%zu bytes at 0x%zx go past its end at 0x%zx", count,
			   at, cursor->end);
}

static void take(const struct cursor *cursor, size_t at, size_t count)
{
	need(cursor, at, count);
	for (size_t i = at; i < at + count; i++)
		if (cursor->image->taken[i]++)
			cursor_die(cursor, "the byte at 0x%zx belongs to two things", i);
}

uint64_t cursor_peek(const struct cursor *cursor, size_t at, size_t width)
{
	uint64_t value = 0;

	need(cursor, at, width);
	for (size_t i = 0; i < width; i++)
		value |= (uint64_t)cursor->image->data[at + i] << (8 * i);
	return value;
}

const uint8_t *copy_bytes(struct cursor *cursor, size_t count)
{
	const uint8_t *bytes = cursor->image->data + cursor->at;

	take(cursor, cursor->at, count);
	cursor->at += count;
	return bytes;
}

void swap_number_at(struct cursor *cursor, size_t at, size_t width)
{
	uint8_t *bytes = cursor->image->data + at;

	take(cursor, at, width);
	for (size_t i = 0; i < width / 2; i++) {
		uint8_t byte = bytes[i];

		bytes[i] = bytes[width - 1 - i];
		bytes[width - 1 - i] = byte;
	}
}

uint64_t swap_number(struct cursor *cursor, size_t width)
{
	uint64_t value = cursor_peek(cursor, cursor->at, width);

	swap_number_at(cursor, cursor->at, width);
	cursor->at += width;
	return value;
}

uint16_t swap_u16(struct cursor *cursor)
{
	return (uint16_t)swap_number(cursor, 2);
}

uint32_t swap_u32(struct cursor *cursor)
{
	return (uint32_t)swap_number(cursor, 4);
}

uint64_t swap_u64(struct cursor *cursor)
{
	return swap_number(cursor, 8);
}

void copy_padding(struct cursor *cursor)
{
	size_t count = cursor_left(cursor);
	const uint8_t *bytes = copy_bytes(cursor, count);

	for (size_t i = 0; i < count; i++)
		if (bytes[i])
			cursor_die(cursor, "%zu bytes at its end are unknown", count);
}

uint64_t reverse_bits(uint64_t value, unsigned bits)
{
	uint64_t reversed = 0;

	for (unsigned i = 0; i < bits; i++)
		if (value >> i & 1)
			reversed |= (uint64_t)1 << (bits - 1 - i);
	return reversed;
}

void put_back(struct cursor *cursor, uint64_t value, size_t width)
{
	uint8_t *bytes = cursor->image->data + cursor->at - width;

	for (size_t i = 0; i < width; i++)
		bytes[i] = (uint8_t)(value >> (8 * (width - 1 - i)));
}
