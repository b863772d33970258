/*
 * input.h - bytes from a file, a pipe or memory, through one peek / consume pair.
 *
 * input_peek() gives a pointer to at least n bytes without moving; input_consume() moves.
 * Bytes are copied only when a request goes past the buffered ones.  A pipe serves as
 * well as a file, except for input_seek().  Files are never mapped, so a file that
 * shrinks while it is read is a truncation, not a crash.
 */
#ifndef PERFTAB_INPUT_H
#define PERFTAB_INPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer_bytes.h"
#include "base/error.h"

/* Maximum of bytes that a peek can return. */
#define INPUT_BUFFER_BYTES BUFFER_SIZE((size_t)1 << 22, (size_t)1 << 16)
/* Minimum of bytes that one read asks for. */
#define INPUT_READ_BYTES BUFFER_SIZE((size_t)256 * 1024, (size_t)16 * 1024)

#define INPUT_SIZE_UNKNOWN UINT64_MAX

/*
 * Produces up to `room` bytes.  Returns how many, 0 at the end, -1 on failure, with the
 * input's error set.
 */
typedef ptrdiff_t input_pull_fn(void *context, uint8_t *to, size_t room);

struct input {
	const uint8_t *pos; /* buffered and not consumed: [pos, end) */
	const uint8_t *end;
	uint64_t offset; /* of *pos in the input */
	uint64_t size;	 /* bytes of the whole input; INPUT_SIZE_UNKNOWN: a pipe */
	bool seekable;
	int fd; /* -1: memory */
	bool owns_fd;
	uint8_t *buffer;
	size_t room;		     /* of the buffer, in bytes, unless reading ahead */
	struct background *ahead;    /* NULL: no reading ahead */
	struct input_blocks *blocks; /* jobs of `ahead` */
	const uint8_t *memory;
	input_pull_fn *pull; /* NULL: fd or memory */
	void *pull_context;
	bool more_follow;    /* other inputs follow and may reuse its memory */
	bool is_live;	     /* bytes appear while they are read: do not wait for many */
	struct error *error; /* borrowed; filled when the system refuses to read */
};

/* "-" is standard input.  A directory is refused with an error. */
MUST_CHECK enum status input_open(struct input *in, const char *path,
				  struct error *error);
/*
 * For the files of a folder: opens without waiting; ST_UNSUPPORTED for anything but a
 * regular file, such as a FIFO that no process writes to.
 */
MUST_CHECK enum status input_open_regular(struct input *in, const char *path,
					  struct error *error);
/* The descriptor is closed with the input, also on failure. */
MUST_CHECK enum status input_open_fd(struct input *in, int fd, struct error *error);
/* Borrows bytes until input_close(). */
void input_open_memory(struct input *in, const void *bytes, size_t size,
		       struct error *error);
/* Reads from pull() as from a pipe; the first byte has the offset `offset`. */
MUST_CHECK enum status input_open_pull(struct input *in, input_pull_fn *pull,
				       void *context, uint64_t offset,
				       struct error *error);
void input_close(struct input *in);
/* Ends the use of the input: frees the buffer and ends reading ahead. */
void input_end(struct input *in);

/*
 * Returns at least n bytes at the current place; NULL when fewer are left or reading
 * failed (error is set).  n must not exceed INPUT_BUFFER_BYTES.
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
 * Pulls once more and appends the bytes, however few, to the buffered ones; false at the
 * end, on failure, or when the buffer is full.  For live inputs.
 */
bool input_pull_more(struct input *in);

/*
 * Announces that the input is read sequentially from here on: a second thread then reads
 * a regular file of more than INPUT_BUFFER_BYTES some blocks ahead.  input_seek() ends
 * that.
 */
void input_stream(struct input *in);

/* A block that was read ahead. */
struct input_piece {
	const uint8_t *bytes;
	size_t size;
	size_t before; /* bytes of the input that precede these in memory, unchanged */
	uint64_t offset;
	/* For input_has_time(). */
	const atomic_size_t *begun;
	size_t number;
	const atomic_bool *is_waited;
};

/* Returns false if the reader waits, or if there are more blocks to read. */
static inline bool input_has_time(const struct input_piece *piece)
{
	return !atomic_load_explicit(piece->is_waited, memory_order_relaxed) &&
	       atomic_load_explicit(piece->begun, memory_order_relaxed) == piece->number;
}

typedef void input_work_fn(void *context, const struct input_piece *piece);

/*
 * Has a thread that reads ahead call `work` for each block that it reads from here on, in
 * order, when no block is left to read; again for a block whose work had no time.  The
 * reader may have reached the block meanwhile, and bytes that it has passed may be gone.
 * Does nothing where no thread reads ahead.
 */
void input_work_ahead(struct input *in, input_work_fn *work, void *context);

/*
 * Skips n bytes, peeked or not; ST_TRUNCATED when the input is shorter.
 */
MUST_CHECK enum status input_skip(struct input *in, uint64_t n);

/*
 * Skips n bytes that input_peek() returned.  They stay in the buffer until the next peek,
 * so pointers to them are valid until then.
 */
static inline void input_consume(struct input *in, size_t n)
{
	in->pos += n;
	in->offset += n;
}

/* Moves to an offset; ST_UNSUPPORTED for a pipe, ST_TRUNCATED past the end. */
MUST_CHECK enum status input_seek(struct input *in, uint64_t offset);

/*
 * Makes an input seekable of which nothing has been consumed: copies a pipe to a
 * temporary file without a name.  A file or memory stays as it is.
 */
MUST_CHECK enum status input_spool(struct input *in);

/*
 * Copies n bytes from anywhere in a regular file or memory; the current place stays.
 * ST_TRUNCATED when the input ends before, ST_UNSUPPORTED for a pipe.
 */
MUST_CHECK enum status input_read_at(struct input *in, uint64_t offset, void *to,
				     size_t n);

/* Copies n bytes out and moves past them; ST_TRUNCATED when fewer are left. */
MUST_CHECK enum status input_read(struct input *in, void *to, size_t n);

/* Bytes copied out of an input; owned, grown on demand. */
struct input_bytes {
	uint8_t *bytes;
	size_t room;
};

/*
 * Copies up to n bytes out and moves past them; *got is less at the end of the input.  n
 * may come from untrusted input: memory is allocated as bytes arrive.
 */
MUST_CHECK enum status input_copy_out(struct input *in, size_t n, struct input_bytes *to,
				      size_t *got);

#endif
