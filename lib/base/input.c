/* input.c - blocks of a file, pipe or memory; the next one is read in the background. */
#include "base/input.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/background.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/scope.h"

#define PAGE_BYTES ((size_t)4096)
#define HUGE_PAGE_BYTES BUFFER_SIZE((size_t)2 << 20, PAGE_BYTES)
/* Read at once by the second thread, and how many of those after the buffered bytes. */
#define BLOCK_BYTES BUFFER_SIZE((size_t)1 << 20, (size_t)1 << 17)
#define BLOCKS_AHEAD 4
/*
 * What look-ahead needs at the start, and a little more.  The next blocks are small, and
 * first there is but one, so that a reader who stops at the first row has hardly read
 * more.
 */
#define FIRST_BYTES (INPUT_BUFFER_BYTES + BLOCK_BYTES / 4)
#define SECOND_BYTES (BLOCK_BYTES / 2)
#define WAIT_MS 20
/* Bytes copied out at a time. */
#define COPY_BYTES BUFFER_SIZE((size_t)1 << 20, (size_t)1 << 14)

static enum status open_failed(struct input *in, const char *doing)
{
	return error_set(in->error, errno == ENOMEM ? ST_NOMEM : ST_IO, ERROR_NO_OFFSET,
			 "cannot %s: %s", doing, strerror(errno));
}

/*
 * The place in the buffer of the byte at in->offset: as far into a page as it is in the
 * file.  The kernel copies between pages that are aligned alike four times as fast
 * (measured on 6.18, AMD Zen 3: 10 GB/s against 2.3).
 */
static uint8_t *place(const struct input *in)
{
	return in->buffer + in->offset % PAGE_BYTES;
}

static void empty_buffer(struct input *in)
{
	in->pos = in->end = place(in);
}

/* Moves the buffered bytes to a new buffer for peeks of this size. */
static bool make_buffer(struct input *in, size_t bytes)
{
	size_t kept = input_buffered(in), room = bytes + PAGE_BYTES;
	uint8_t *buffer = memory_alloc_aligned(PAGE_BYTES, room);

	if (!buffer)
		return false;
	if (kept)
		memcpy(buffer + in->offset % PAGE_BYTES, in->pos, kept);
	free(in->buffer);
	in->buffer = buffer;
	in->room = room;
	in->pos = place(in);
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
		bytes = ((size_t)in->size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	return make_buffer(in, bytes) ? ST_OK : error_nomem(in->error);
}

/* --- reading ahead --- */

/*
 * Blocks are read one after the other into a ring, so that every record is contiguous,
 * and the ring is as small as it can be: it stays in the cache that CPUs share.  Where
 * the ring begins again, the bytes left over are copied to the room before it: fewer than
 * INPUT_BUFFER_BYTES, as the reader waits for a block only then.  A block that would
 * overwrite buffered bytes is not begun; one after them always has room.
 */
#define RING_BYTES (INPUT_BUFFER_BYTES + (BLOCKS_AHEAD + 1) * BLOCK_BYTES)

/* A block that is being read. */
struct input_block {
	int fd;
	uint64_t offset;
	uint8_t *to;
	size_t size;
	ptrdiff_t got; /* 0: the end; -1: error */
	int error;
};

/* Those that were begun and not taken, in a ring of their own. */
struct input_blocks {
	struct input_block list[BLOCKS_AHEAD];
	size_t first, count, most; /* most: at once, for now */
	uint64_t offset;	   /* after the last one */
	size_t used;		   /* of the ring, up to its end */
	size_t bytes;		   /* of the next one, if they fit */
};

static uint8_t *new_ring(void)
{
	/* Only whole large pages are large. */
	size_t bytes = (INPUT_BUFFER_BYTES + RING_BYTES + HUGE_PAGE_BYTES - 1) /
		       HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
	uint8_t *buffer = os_alloc_aligned(HUGE_PAGE_BYTES, bytes);

	if (buffer)
		os_prefer_large_pages(buffer, bytes);
	return buffer;
}

/* Reads the whole block; less only at the end of the file. */
static void read_block(void *context)
{
	struct input_block *block = context;
	size_t done = 0;
	ptrdiff_t got = 1;

	while (done < block->size && got != 0) {
		got = os_read_at(block->fd, block->to + done, block->size - done,
				 block->offset + done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		done += (size_t)got;
	}
	block->got = done || got >= 0 ? (ptrdiff_t)done : -1;
	block->error = errno;
}

static bool overwrites(const struct input *in, const struct input_block *block)
{
	return input_buffered(in) && block->to < in->end &&
	       block->to + block->size > in->pos;
}

/* Begins the next block if it has room; blocks end with a page, and with the ring. */
static bool begin_block(struct input *in)
{
	struct input_blocks *blocks = in->blocks;
	struct input_block *block =
		&blocks->list[(blocks->first + blocks->count) % BLOCKS_AHEAD];
	size_t used = blocks->used < RING_BYTES ? blocks->used : 0;
	size_t size = blocks->bytes - used % PAGE_BYTES;

	*block = (struct input_block){ .fd = in->fd,
				       .offset = blocks->offset,
				       .to = in->buffer + INPUT_BUFFER_BYTES + used,
				       .size = size < RING_BYTES - used
						       ? size
						       : RING_BYTES - used };
	if (overwrites(in, block))
		return false;
	blocks->count++;
	blocks->offset += block->size;
	blocks->used = used + block->size;
	if (blocks->bytes == FIRST_BYTES)
		blocks->bytes = SECOND_BYTES;
	else if (blocks->bytes < BLOCK_BYTES)
		blocks->bytes *= 2;
	background_run(in->ahead, read_block, block);
	return true;
}

static void begin_blocks(struct input *in)
{
	while (in->blocks->count < in->blocks->most && begin_block(in))
		;
}

/* Drops what is being read: the next block begins at in->end. */
static void begin_again(struct input *in, uint64_t offset)
{
	struct input_blocks *blocks = in->blocks;

	background_wait(in->ahead, 0);
	blocks->count = 0;
	blocks->most = 1;
	blocks->offset = offset;
	blocks->used = (size_t)(in->end - in->buffer) - INPUT_BUFFER_BYTES;
}

static void stop_stream(struct input *in)
{
	background_stop(in->ahead);
	free(in->blocks);
	in->ahead = NULL;
	in->blocks = NULL;
}

void input_stream(struct input *in)
{
	uint8_t *buffer;

	/* One block would be all of a small file. */
	if (in->fd < 0 || !in->seekable || in->ahead || in->size <= INPUT_BUFFER_BYTES)
		return;
	buffer = new_ring();
	in->blocks = calloc(1, sizeof(*in->blocks));
	if (buffer && in->blocks)
		in->ahead = background_start(BACKGROUND_READS);
	if (!in->ahead) { /* optional: falls back to one thread */
		free(buffer);
		stop_stream(in);
		return;
	}
	free(in->buffer);
	in->buffer = buffer;
	/* Buffered bytes are read again, which is simpler than copying them. */
	empty_buffer(in);
	in->blocks->offset = in->offset;
	in->blocks->used = in->offset % PAGE_BYTES;
	in->blocks->bytes = FIRST_BYTES;
	in->blocks->most = 1;
	begin_blocks(in);
}

/* Appends the next block to the rest of this one; false at the end, or on failure. */
static bool next_block(struct input *in)
{
	struct input_blocks *blocks = in->blocks;
	const struct input_block *block = &blocks->list[blocks->first];
	size_t kept = input_buffered(in);
	uint64_t next = in->offset + kept;
	bool is_short;

	if (!blocks->count)
		begin_blocks(in);
	background_wait(in->ahead, blocks->count - 1);
	errno = block->error;
	if (block->got < 0)
		error_set(in->error, ST_IO, next, "cannot read at 0x%llx: %s",
			  (unsigned long long)next, strerror(errno));
	if (os_interrupted())
		error_set(in->error, ST_INTERRUPTED, ERROR_NO_OFFSET, "interrupted");
	if (block->got <= 0 || in->error->status < ST_OK)
		return false; /* a further call does the same */
	if (block->to != in->end)
		memcpy(block->to - kept, in->pos, kept);
	in->pos = block->to - kept;
	in->end = block->to + block->got;
	is_short = (size_t)block->got < block->size;
	blocks->first = (blocks->first + 1) % BLOCKS_AHEAD;
	blocks->count--;
	if (is_short)
		begin_again(in, next + (uint64_t)block->got);
	else if (blocks->most < BLOCKS_AHEAD)
		blocks->most++;
	return true;
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

enum status input_open_pull(struct input *in, input_pull *pull, void *context,
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
	stop_stream(in);
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
	wanted += (PAGE_BYTES - (in->offset + input_buffered(in) + wanted) % PAGE_BYTES) %
		  PAGE_BYTES;
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
		error_set(in->error, ST_IO, in->offset, "cannot read at 0x%llx: %s",
			  (unsigned long long)in->offset, strerror(errno));
	return got;
}

/* Moves the buffered bytes to the front of the buffer; a full one becomes larger. */
static bool make_room(struct input *in)
{
	size_t kept = input_buffered(in);

	if (in->pos != place(in)) {
		memmove(place(in), in->pos, kept);
		in->pos = place(in);
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
		while (input_buffered(in) < n && next_block(in))
			;
		begin_blocks(in); /* together: waking a thread costs much */
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
	stop_stream(in);
	if (in->memory)
		in->pos = in->memory + offset;
	in->offset = offset;
	if (in->buffer)
		empty_buffer(in);
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

static bool make_bytes_room(struct input_bytes *to, size_t wanted)
{
	size_t room = to->room ? to->room : PAGE_BYTES;
	uint8_t *bytes;

	if (wanted <= to->room)
		return true;
	while (room < wanted)
		room *= 2;
	bytes = memory_resize(to->bytes, room);
	if (!bytes)
		return false;
	to->bytes = bytes;
	to->room = room;
	return true;
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
		if (!make_bytes_room(to, *got + there))
			return error_nomem(in->error);
		memcpy(to->bytes + *got, in->pos, there);
		input_consume(in, there);
		*got += there;
	}
	return in->error->status < ST_OK ? in->error->status : ST_OK;
}
