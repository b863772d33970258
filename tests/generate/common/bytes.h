/*
 * Growing byte buffer that writes numbers in either byte order, and files.
 * A failed allocation or write ends the program: a generator has no caller to report to.
 */
#ifndef GENERATE_BYTES_H
#define GENERATE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
void buf_append(struct byte_buf *buf, const struct byte_buf *more);
void buf_fill(struct byte_buf *buf, uint8_t value, size_t count);
void buf_zero(struct byte_buf *buf, size_t count);
/* Zeros until size - start is a multiple of `to`. */
void buf_align(struct byte_buf *buf, size_t start, size_t to);
void buf_u8(struct byte_buf *buf, uint8_t value);
void buf_u16(struct byte_buf *buf, uint16_t value);
void buf_u32(struct byte_buf *buf, uint32_t value);
void buf_u64(struct byte_buf *buf, uint64_t value);

/* A number of count bytes, 1 to 8. */
void buf_number(struct byte_buf *buf, uint64_t value, size_t count);

/*
 * A structure: BUF(out, "448", pid, tid, time_ns) writes numbers of the sizes that the
 * layout names, in that order.  Their count must be that of the layout.
 */
#define BUF(buf, layout, ...)                                       \
	buf_structure((buf), (layout), (uint64_t[]){ __VA_ARGS__ }, \
		      sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))
void buf_structure(struct byte_buf *buf, const char *layout, const uint64_t *values,
		   size_t count);

void buf_text(struct byte_buf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Latin-1 as UTF-16 without an end, and with a NUL. */
void buf_wide(struct byte_buf *buf, const char *text);
void buf_wide_z(struct byte_buf *buf, const char *text);

/* Overwrites bytes written before. */
void buf_set(struct byte_buf *buf, size_t at, uint64_t value, size_t count);
void buf_set_u16(struct byte_buf *buf, size_t at, uint16_t value);
void buf_set_u32(struct byte_buf *buf, size_t at, uint32_t value);
void buf_set_u64(struct byte_buf *buf, size_t at, uint64_t value);
/* Overwrites the u32 at `at` with the bytes from `start` to the end. */
void buf_set_size(struct byte_buf *buf, size_t at, size_t start);

/* Returns a number written before. */
uint16_t buf_get_u16(const struct byte_buf *buf, size_t at);

void buf_release(struct byte_buf *buf);

/* The file, or death with its path and the reason. */
FILE *file_create(const char *path);
void file_write(FILE *file, const char *path, const void *bytes, size_t count);
void file_close(FILE *file, const char *path);
/* A file of these bytes. */
void file_save(const char *path, const struct byte_buf *bytes);

#endif
