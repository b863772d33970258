/*
 * input.h - bytes from a file, a pipe or memory, behind one peek / consume pair.
 *
 * input_peek() gives a pointer to at least n bytes without moving; input_consume() moves.
 * A copy happens only when a request spans what is buffered.  A pipe is as good as a file
 * for everything but input_seek().  Nothing is ever mapped, so a file that shrinks while
 * it is read is a truncation, not a crash.
 */
#ifndef PERFTAB_INPUT_H
#define PERFTAB_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The largest peek. */
#define INPUT_BUFFER_BYTES ((size_t)1 << 22)
/* Read at once when less would do. */
#define INPUT_READ_BYTES ((size_t)128 * 1024)

#define INPUT_SIZE_UNKNOWN UINT64_MAX

/*
 * Bytes that somebody makes: up to `room` of them.  Returns how many, 0 at the end, -1
 * when it failed and said so in the input's error.
 */
typedef ptrdiff_t input_pull(void *context, uint8_t *to, size_t room);

struct input {
	const uint8_t *pos; /* buffered and not consumed: [pos, end) */
	const uint8_t *end;
	uint64_t offset; /* of *pos in the input */
	uint64_t size;	 /* whole input, or INPUT_SIZE_UNKNOWN (a pipe) */
	bool seekable;
	int fd; /* -1: memory */
	bool owns_fd;
	uint8_t *buffer;
	struct background *ahead;  /* NULL: read when it is needed */
	struct input_block *block; /* its job */
	const uint8_t *memory;
	input_pull *pull; /* NULL: fd or memory */
	void *pull_context;
	bool is_live; /* bytes are made while they are read: do not wait for many */
	struct error *error; /* borrowed; filled when the system refuses to read */
};

/* "-" is standard input.  A directory is refused with a sentence. */
MUST_CHECK enum status input_open(struct input *in, const char *path,
				  struct error *error);
/* Borrows bytes until input_close(). */
void input_open_memory(struct input *in, const void *bytes, size_t size,
		       struct error *error);
/* Bytes from pull(), numbered from `offset` on; read like a pipe. */
MUST_CHECK enum status input_open_pull(struct input *in, input_pull *pull, void *context,
				       uint64_t offset, struct error *error);
void input_close(struct input *in);
/* Nothing more will be asked of it: gives back the memory, and ends what reads ahead. */
void input_end(struct input *in);

/*
 * At least n bytes at the current place, or NULL when fewer are left or reading failed
 * (error is set).  n must not exceed INPUT_BUFFER_BYTES.
 */
const uint8_t *input_fill(struct input *in, size_t n);

static inline size_t input_buffered(const struct input *in)
{
	return (size_t)(in->end - in->pos);
}

static inline const uint8_t *input_peek(struct input *in, size_t n)
{
	if (input_buffered(in) >= n)
		return in->pos;
	return input_fill(in, n);
}

/* Buffers up to n bytes, fewer at the end of the input; returns how many there are. */
size_t input_peek_some(struct input *in, size_t n);

/*
 * One more pull behind what is buffered, however little that gives; false at the end, on
 * failure, or when the buffer is full.  For live inputs.
 */
bool input_pull_more(struct input *in);

/*
 * From here on the input is read from front to back: a regular file is then read a block
 * ahead, by a second thread.  input_seek() ends that.
 */
void input_stream(struct input *in);

/*
 * Past n bytes, which need not have been peeked; ST_TRUNCATED when the input is shorter.
 */
MUST_CHECK enum status input_skip(struct input *in, uint64_t n);

/* Past n bytes of what input_peek() gave. */
static inline void input_consume(struct input *in, size_t n)
{
	in->pos += n;
	in->offset += n;
}

/* To a place in the input; ST_UNSUPPORTED for a pipe, ST_TRUNCATED past the end. */
MUST_CHECK enum status input_seek(struct input *in, uint64_t offset);

/*
 * Copies n bytes from anywhere in a regular file or memory; the current place stays.
 * ST_TRUNCATED when the input ends before, ST_UNSUPPORTED for a pipe.
 */
MUST_CHECK enum status input_read_at(struct input *in, uint64_t offset, void *to,
				     size_t n);

/* Copies n bytes out and moves past them; ST_TRUNCATED when fewer are left. */
MUST_CHECK enum status input_read(struct input *in, void *to, size_t n);

/* Bytes that were copied out of an input; owned, grown on demand. */
struct input_bytes {
	uint8_t *bytes;
	size_t room;
};

/*
 * Copies up to n bytes out and moves past them; *got is less at the end of the input.  n
 * may be anybody's claim: what is allocated is never much more than what came.
 */
MUST_CHECK enum status input_copy_out(struct input *in, size_t n, struct input_bytes *to,
				      size_t *got);

#endif
