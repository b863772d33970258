/*
 * bytes.h - a growing piece of a trace, in this machine's byte order.
 *
 * When memory runs out `failed` is set and stays set; later bytes are dropped.
 */
#ifndef PERFTAB_BYTES_H
#define PERFTAB_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t *data;
	size_t size;
	size_t room;
	bool failed;
};

/* Appends `count` uninitialized bytes and returns their place; NULL: out of memory. */
uint8_t *bytes_extend(struct bytes *bytes, size_t count);
void bytes_put(struct bytes *bytes, const void *from, size_t count);
void bytes_zero(struct bytes *bytes, size_t count);
void bytes_u16(struct bytes *bytes, uint16_t value);
void bytes_u32(struct bytes *bytes, uint32_t value);
void bytes_u64(struct bytes *bytes, uint64_t value);
/* Appends the text and its NUL. */
void bytes_text(struct bytes *bytes, const char *text);
/* Appends zeros until the size less `start` is a multiple of `unit`. */
void bytes_pad(struct bytes *bytes, size_t start, size_t unit);
/* Empties it; frees room of more than 1 MiB of which less than an eighth was used. */
void bytes_clear(struct bytes *bytes);
void bytes_release(struct bytes *bytes);

#endif
