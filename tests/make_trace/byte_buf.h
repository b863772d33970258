/*
 * Growing byte buffer that writes numbers in either byte order, and the one way out on
 * failure.
 * A failed allocation ends the program: a test generator has nobody to report it to.
 */
#ifndef BYTE_BUF_H
#define BYTE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_buf {
	uint8_t *data;
	size_t size;
	size_t room;
	bool big_endian; /* byte order of the numbers put or set from now on */
};

/* Prints "<program>: <text>" on stderr and exits with 1. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns items grown to hold at least count + 1 of size bytes each; *room is kept. */
void *grow_array(void *items, size_t count, size_t *room, size_t size);

void buf_bytes(struct byte_buf *buf, const void *bytes, size_t count);
void buf_zero(struct byte_buf *buf, size_t count);
void buf_u8(struct byte_buf *buf, uint8_t value);
void buf_u16(struct byte_buf *buf, uint16_t value);
void buf_u32(struct byte_buf *buf, uint32_t value);
void buf_u64(struct byte_buf *buf, uint64_t value);

/* A number of count bytes, 1 to 8. */
void buf_number(struct byte_buf *buf, uint64_t value, size_t count);

void buf_text(struct byte_buf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Overwrites bytes written before. */
void buf_set_u16(struct byte_buf *buf, size_t at, uint16_t value);
void buf_set_u32(struct byte_buf *buf, size_t at, uint32_t value);
void buf_set_u64(struct byte_buf *buf, size_t at, uint64_t value);

/* Returns a number written before. */
uint16_t buf_get_u16(const struct byte_buf *buf, size_t at);

void buf_release(struct byte_buf *buf);

#endif
