/* input.c - blocks of a file, pipe or memory; those of a file may be read ahead. */
#include "base/input.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/input_ahead.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/scope.h"

#define WAIT_MS 20
/* Bytes copied out at a time. */
#define COPY_BYTES BUFFER_SIZE((size_t)1 << 20, (size_t)1 << 14)

static enum status open_failed(struct input *in, const char *doing)
{
	return error_set(in->error, errno == ENOMEM ? ST_NOMEM : ST_IO, ERROR_NO_OFFSET,
			 "cannot %s: %s", doing, strerror(errno));
}

/* Moves the buffered bytes to a new buffer for peeks of this size. */
static bool make_buffer(struct input *in, size_t bytes)
{
	size_t kept = input_buffered(in), room = bytes + INPUT_PAGE_BYTES;
	uint8_t *buffer = memory_alloc_aligned(INPUT_PAGE_BYTES, room);

	if (!buffer)
		return false;
	if (kept)
		memcpy(buffer + in->offset % INPUT_PAGE_BYTES, in->pos, kept);
	free(in->buffer);
	in->buffer = buffer;
	in->room = room;
	in->pos = input_place(in);
	in->end = in->pos + kept;
	return true;
}

/* For the largest peek; of a smaller file, for all of it; of a pipe, for one read. */
static enum status make_first_buffer(struct input *in)
{
	size_t bytes = INPUT_BUFFER_BYTES;

	if (in->size == INPUT_SIZE_UNKNOWN)
		bytes = INPUT_READ_BYTES; /* it grows */
	else if (in->size < bytes)
		bytes = ((size_t)in->size + INPUT_PAGE_BYTES - 1) / INPUT_PAGE_BYTES *
			INPUT_PAGE_BYTES;
	return make_buffer(in, bytes) ? ST_OK : error_nomem(in->error);
}

/* --- opening --- */

static enum status inspect_file(struct input *in)
{
	struct os_info info;

	if (!os_inspect(in->fd, &info))
		return open_failed(in, "stat");
	if (info.kind == OS_FOLDER)
		return error_set(in->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "is a directory, expected a trace file");
	in->seekable = info.kind == OS_FILE;
	if (in->seekable) {
		in->size = info.size;
		/* Standard input may have been read from before. */
		in->offset = os_position(in->fd);
		os_expect_sequential(in->fd);
	}
	return make_first_buffer(in);
}

enum status input_open(struct input *in, const char *path, struct error *error)
{
	enum status status;

	*in = (struct input){ .fd = OS_STDIN,
			      .size = INPUT_SIZE_UNKNOWN,
			      .error = error };
	if (strcmp(path, "-") != 0) {
		in->fd = os_open(path, scope_current() ? OS_READ_AT_ONCE : OS_READ);
		if (in->fd < 0)
			return open_failed(in, "open");
		in->owns_fd = true;
	}
	status = inspect_file(in);
	if (status != ST_OK)
		input_close(in);
	return status;
}

enum status input_open_regular(struct input *in, const char *path, struct error *error)
{
	int fd = os_open(path, OS_READ_AT_ONCE);
	struct os_info info;

	*in = (struct input){ .fd = -1, .error = error };
	if (fd < 0)
		return open_failed(in, "open");
	if (os_inspect(fd, &info) && info.kind != OS_FILE) {
		(void)os_close(fd);
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "is not a regular file");
	}
	return input_open_fd(in, fd, error);
}

enum status input_open_fd(struct input *in, int fd, struct error *error)
{
	enum status status;

	*in = (struct input){
		.fd = fd, .owns_fd = true, .size = INPUT_SIZE_UNKNOWN, .error = error
	};
	status = inspect_file(in);
	if (status != ST_OK)
		input_close(in);
	return status;
}

void input_open_memory(struct input *in, const void *bytes, size_t size,
		       struct error *error)
{
	*in = (struct input){ .fd = -1, .size = size, .seekable = true, .error = error };
	in->memory = bytes;
	in->pos = bytes;
	in->end = size ? in->pos + size : in->pos;
}

enum status input_open_pull(struct input *in, input_pull_fn *pull, void *context,
			    uint64_t offset, struct error *error)
{
	*in = (struct input){ .fd = -1,
			      .size = INPUT_SIZE_UNKNOWN,
			      .offset = offset,
			      .pull = pull,
			      .pull_context = context,
			      .error = error };
	return make_first_buffer(in);
}

void input_end(struct input *in)
{
	input_ahead_end(in);
	free(in->buffer);
	in->buffer = NULL;
	in->pos = in->end = NULL;
}

void input_close(struct input *in)
{
	input_end(in);
	if (in->owns_fd)
		(void)os_close(in->fd);
	*in = (struct input){ .fd = -1 };
}

/*
 * A signal ends the wait of a program for more bytes.  No signal reaches the thread of a
 * handle (scope.h): it looks every WAIT_MS whether it is to stop.
 */
static ptrdiff_t read_pipe(int fd, uint8_t *to, size_t room)
{
	ptrdiff_t got = -1;

	errno = EINTR;
	if (os_wait_to_read(fd, scope_current() ? WAIT_MS : -1))
		got = os_read(fd, to, room);
	if (got < 0 && errno == EAGAIN)
		errno = EINTR;
	return got;
}

/*
 * Reads once after the buffered bytes, `wanted` bytes or at least INPUT_READ_BYTES: > 0
 * bytes, 0 at the end, -1 on failure.
 */
static ptrdiff_t read_some(struct input *in, size_t wanted)
{
	uint8_t *to = in->buffer + (in->end - in->buffer);
	size_t room = in->room - (size_t)(in->end - in->buffer);
	ptrdiff_t got;

	/* Whole pages, so that the next read begins with one. */
	wanted = wanted > INPUT_READ_BYTES ? wanted : INPUT_READ_BYTES;
	wanted += (INPUT_PAGE_BYTES -
		   (in->offset + input_buffered(in) + wanted) % INPUT_PAGE_BYTES) %
		  INPUT_PAGE_BYTES;
	room = wanted < room ? wanted : room;

	do {
		/* A live input ends by itself, after its remaining bytes. */
		if (os_interrupted() && !in->is_live) {
			error_set(in->error, ST_INTERRUPTED, ERROR_NO_OFFSET,
				  "interrupted");
			return -1;
		}
		if (in->pull)
			return in->pull(in->pull_context, to, room);
		got = in->seekable ? os_read_at(in->fd, to, room,
						in->offset + input_buffered(in))
				   : read_pipe(in->fd, to, room);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		error_set(in->error, ST_IO, in->offset + input_buffered(in),
			  "cannot read at 0x%llx: %s",
			  (unsigned long long)(in->offset + input_buffered(in)),
			  strerror(errno));
	return got;
}

/* Moves the buffered bytes to the front of the buffer; a full one becomes larger. */
static bool make_room(struct input *in)
{
	size_t kept = input_buffered(in);

	if (in->pos != input_place(in)) {
		memmove(input_place(in), in->pos, kept);
		in->pos = input_place(in);
		in->end = in->pos + kept;
	}
	if (in->end < in->buffer + in->room || make_buffer(in, INPUT_BUFFER_BYTES))
		return true;
	error_nomem(in->error);
	return false;
}

bool input_pull_more(struct input *in)
{
	ptrdiff_t got;

	if (input_buffered(in) >= INPUT_BUFFER_BYTES || !make_room(in))
		return false;
	got = read_some(in, INPUT_BUFFER_BYTES - input_buffered(in));
	if (got > 0)
		in->end += got;
	return got > 0;
}

size_t input_peek_some(struct input *in, size_t n)
{
	size_t kept = input_buffered(in);

	assert(n <= INPUT_BUFFER_BYTES);
	if (kept >= n || !in->buffer) /* in memory, or ended */
		return kept;
	if (in->ahead) { /* up to n bytes fit before a block */
		input_ahead_fill(in, n);
		return input_buffered(in);
	}
	while (input_buffered(in) < n && make_room(in)) {
		ptrdiff_t got = read_some(in, n - input_buffered(in));

		if (got <= 0)
			break;
		in->end += got;
	}
	return input_buffered(in);
}

const uint8_t *input_fill(struct input *in, size_t n)
{
	return input_peek_some(in, n) >= n ? in->pos : NULL;
}

enum status input_seek(struct input *in, uint64_t offset)
{
	uint64_t buffered_from = in->offset;

	if (offset >= buffered_from && offset - buffered_from <= input_buffered(in)) {
		input_consume(in, (size_t)(offset - buffered_from));
		return ST_OK;
	}
	if (!in->seekable)
		return error_set(in->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "cannot seek in a pipe: save the trace to a file first");
	if (offset > in->size)
		return ST_TRUNCATED;
	input_ahead_stop(in);
	if (in->memory)
		in->pos = in->memory + offset;
	in->offset = offset;
	if (in->buffer)
		input_empty(in);
	return ST_OK;
}

enum status input_skip(struct input *in, uint64_t n)
{
	if (in->seekable) {
		if (n > in->size || in->offset > in->size - n)
			return ST_TRUNCATED;
		return input_seek(in, in->offset + n);
	}
	while (n > input_buffered(in)) {
		n -= input_buffered(in);
		input_consume(in, input_buffered(in));
		if (!input_fill(in, 1))
			return ST_TRUNCATED;
	}
	input_consume(in, (size_t)n);
	return ST_OK;
}

enum status input_read(struct input *in, void *to, size_t n)
{
	uint8_t *out = to;

	while (n > 0) {
		size_t part = input_buffered(in);

		if (part == 0) {
			if (!input_fill(in, 1))
				return in->error->status < ST_OK ? in->error->status
								 : ST_TRUNCATED;
			continue;
		}
		part = part < n ? part : n;
		memcpy(out, in->pos, part);
		input_consume(in, part);
		out += part;
		n -= part;
	}
	return ST_OK;
}

static enum status memory_at(const struct input *in, uint64_t offset, void *to, size_t n)
{
	if (n > in->size - offset)
		return ST_TRUNCATED;
	if (n)
		memcpy(to, in->memory + offset, n);
	return ST_OK;
}

enum status input_read_at(struct input *in, uint64_t offset, void *to, size_t n)
{
	uint8_t *out = to;

	if (!in->seekable)
		return ST_UNSUPPORTED;
	if (offset > in->size)
		return ST_TRUNCATED;
	if (in->fd < 0)
		return memory_at(in, offset, to, n);
	while (n > 0) {
		ptrdiff_t got;

		if (os_interrupted())
			return error_set(in->error, ST_INTERRUPTED, ERROR_NO_OFFSET,
					 "interrupted");
		got = os_read_at(in->fd, out, n, offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set(in->error, ST_IO, offset,
					 "cannot read at 0x%llx: %s",
					 (unsigned long long)offset, strerror(errno));
		if (got == 0)
			return ST_TRUNCATED;
		out += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return ST_OK;
}

enum status input_copy_out(struct input *in, size_t n, struct input_bytes *to,
			   size_t *got)
{
	*got = 0;
	while (*got < n) {
		size_t left = n - *got;
		size_t there = input_peek_some(in, left < COPY_BYTES ? left : COPY_BYTES);

		if (there == 0)
			break;
		if (there > left)
			there = left;
		if (!ARRAY_GROW(to->bytes, to->room, *got + there))
			return error_nomem(in->error);
		memcpy(to->bytes + *got, in->pos, there);
		input_consume(in, there);
		*got += there;
	}
	return in->error->status < ST_OK ? in->error->status : ST_OK;
}
