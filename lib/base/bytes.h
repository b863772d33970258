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

/* Room for `count` more bytes, which count from now on; NULL when there is no memory. */
uint8_t *bytes_extend(struct bytes *bytes, size_t count);
void bytes_put(struct bytes *bytes, const void *from, size_t count);
void bytes_zero(struct bytes *bytes, size_t count);
void bytes_u16(struct bytes *bytes, uint16_t value);
void bytes_u32(struct bytes *bytes, uint32_t value);
void bytes_u64(struct bytes *bytes, uint64_t value);
/* With its terminator. */
void bytes_text(struct bytes *bytes, const char *text);
/* Zeros up to a multiple of `unit` from `start` on. */
void bytes_pad(struct bytes *bytes, size_t start, size_t unit);
/* Empties it.  Much room (1 MiB) of which little was used (an eighth) is given back. */
void bytes_clear(struct bytes *bytes);
void bytes_release(struct bytes *bytes);

#endif
