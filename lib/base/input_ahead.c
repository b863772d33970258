/* input_ahead.c - blocks that a second thread reads before they are needed. */
#include "base/input_ahead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/background.h"
#include "base/os.h"

#define HUGE_PAGE_BYTES BUFFER_SIZE((size_t)2 << 20, INPUT_PAGE_BYTES)
/* Read at once by the second thread, and how many of those after the buffered bytes. */
#define BLOCK_BYTES BUFFER_SIZE((size_t)1 << 20, (size_t)1 << 17)
#define BLOCKS_AHEAD 4
/* Most that are kept for work: what the ring has room for. */
#define PIECES_MAX 8
/*
 * What look-ahead needs at the start, and a little more.  The next blocks are small, and
 * first there is but one, so that a reader who stops at the first row has hardly read
 * more.
 */
#define FIRST_BYTES (INPUT_BUFFER_BYTES + BLOCK_BYTES / 4)
#define SECOND_BYTES (BLOCK_BYTES / 2)
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
	struct input_blocks *blocks;
	uint64_t offset;
	uint8_t *to;
	size_t size;
	ptrdiff_t got; /* 0: the end; -1: error */
	int error;
	atomic_bool is_read; /* though its job may go on with other work */
	size_t number;	     /* of all that were begun */
	size_t before;	     /* bytes of the file that stand before it in the ring */
	input_work_fn *work; /* NULL: there is none */
	void *work_context;
};

/* A ring of the blocks that were begun and not yet used. */
struct input_blocks {
	int fd;
	struct input_block list[BLOCKS_AHEAD];
	size_t first, count, most; /* most: at once, for now */
	uint64_t offset;	   /* after the last one */
	size_t used;		   /* of the ring, up to its end */
	size_t bytes;		   /* of the next one, if they fit */
	uint64_t ring_offset;	   /* of the first byte in the ring, since it began */
	input_work_fn *work;
	void *work_context;
	atomic_size_t begun;
	atomic_bool is_waited; /* for */

	/* The jobs alone, one at a time: read and not worked on. */
	struct input_piece pieces[PIECES_MAX];
	size_t piece_count;
};

/* With the room before the ring; only whole large pages are large, and stay so. */
static size_t buffer_bytes(void)
{
	return (INPUT_BUFFER_BYTES + RING_BYTES + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES *
	       HUGE_PAGE_BYTES;
}

/* Of an input that others follow, for the next one: its pages need not be cleared. */
static _Atomic(uint8_t *) spare_buffer;

static uint8_t *new_buffer(void)
{
	uint8_t *buffer = atomic_exchange(&spare_buffer, NULL);

	if (buffer)
		return buffer;
	buffer = os_alloc_aligned(HUGE_PAGE_BYTES, buffer_bytes());
	if (buffer)
		os_prefer_large_pages(buffer, buffer_bytes());
	return buffer;
}

/* Pieces, and bytes before them, that a block overwrites are gone. */
static void forget_pieces(struct input_blocks *blocks, const struct input_block *block)
{
	const uint8_t *end = block->to + block->size;
	size_t kept = 0;

	for (size_t i = 0; i < blocks->piece_count; i++) {
		struct input_piece piece = blocks->pieces[i];

		if (block->to < piece.bytes + piece.size && end > piece.bytes)
			continue;
		if (end <= piece.bytes && (size_t)(piece.bytes - end) < piece.before)
			piece.before = (size_t)(piece.bytes - end);
		blocks->pieces[kept++] = piece;
	}
	blocks->piece_count = kept;
}

static void add_piece(struct input_blocks *blocks, const struct input_block *block)
{
	if (blocks->piece_count == PIECES_MAX)
		memmove(blocks->pieces, blocks->pieces + 1,
			--blocks->piece_count * sizeof(blocks->pieces[0]));
	blocks->pieces[blocks->piece_count++] = (struct input_piece){
		.bytes = block->to,
		.size = (size_t)block->got,
		.before = block->before,
		.offset = block->offset,
		.begun = &blocks->begun,
		.is_waited = &blocks->is_waited,
	};
}

/* Reading comes first: what is not worked on by then waits for the next job. */
static void work_on_pieces(struct input_blocks *blocks, input_work_fn *work,
			   void *context, size_t number)
{
	size_t done = 0;

	while (done < blocks->piece_count) {
		blocks->pieces[done].number = number;
		if (!input_has_time(&blocks->pieces[done]))
			break;
		work(context, &blocks->pieces[done]);
		if (input_has_time(&blocks->pieces[done]))
			done++;
	}
	blocks->piece_count -= done;
	memmove(blocks->pieces, blocks->pieces + done,
		blocks->piece_count * sizeof(blocks->pieces[0]));
}

/* Reads the whole block; less only at the end of the file. */
static void read_block(void *context)
{
	struct input_block *block = context;
	struct input_blocks *blocks = block->blocks;
	input_work_fn *work = block->work;
	void *work_context = block->work_context;
	size_t done = 0, number = block->number;
	ptrdiff_t got = 1;

	forget_pieces(blocks, block);
	while (done < block->size && got != 0) {
		got = os_read_at(blocks->fd, block->to + done, block->size - done,
				 block->offset + done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		done += (size_t)got;
	}
	block->got = done || got >= 0 ? (ptrdiff_t)done : -1;
	block->error = errno;
	if (work && done)
		add_piece(blocks, block);
	atomic_store(&block->is_read, true); /* now it may become another one */
	if (work)
		work_on_pieces(blocks, work, work_context, number);
}

static bool overwrites(const struct input *in, const struct input_block *block)
{
	return input_buffered(in) && block->to < in->end &&
	       block->to + block->size > in->pos;
}

/* Prepares the next block if it has room; blocks end with a page, and with the ring. */
static struct input_block *prepare_block(struct input *in)
{
	struct input_blocks *blocks = in->blocks;
	struct input_block *block =
		&blocks->list[(blocks->first + blocks->count) % BLOCKS_AHEAD];
	size_t used = blocks->used < RING_BYTES ? blocks->used : 0;
	size_t size = blocks->bytes - used % INPUT_PAGE_BYTES;

	*block = (struct input_block){ .blocks = blocks,
				       .offset = blocks->offset,
				       .to = in->buffer + INPUT_BUFFER_BYTES + used,
				       .size = size < RING_BYTES - used
						       ? size
						       : RING_BYTES - used,
				       .work = blocks->work,
				       .work_context = blocks->work_context };
	if (overwrites(in, block))
		return NULL;
	if (!used)
		blocks->ring_offset = blocks->offset;
	block->before = (size_t)(blocks->offset - blocks->ring_offset);
	block->number = atomic_fetch_add(&blocks->begun, 1) + 1;
	blocks->count++;
	blocks->offset += block->size;
	blocks->used = used + block->size;
	if (blocks->bytes == FIRST_BYTES)
		blocks->bytes = SECOND_BYTES;
	else if (blocks->bytes < BLOCK_BYTES)
		blocks->bytes *= 2;
	return block;
}

static void begin_blocks(struct input *in)
{
	struct input_blocks *blocks = in->blocks;
	void *begun[BLOCKS_AHEAD];
	size_t count = 0;

	while (blocks->count < blocks->most && (begun[count] = prepare_block(in)) != NULL)
		count++;
	if (count)
		background_run_each(in->ahead, read_block, begun, count);
}

void input_work_ahead(struct input *in, input_work_fn *work, void *context)
{
	if (!in->blocks)
		return;
	in->blocks->work = work;
	in->blocks->work_context = context;
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

void input_ahead_stop(struct input *in)
{
	background_stop(in->ahead);
	free(in->blocks);
	in->ahead = NULL;
	in->blocks = NULL;
}

void input_ahead_end(struct input *in)
{
	bool has_ring = in->ahead != NULL;
	uint8_t *spare = has_ring && in->more_follow ? in->buffer : NULL;

	input_ahead_stop(in);
	if (spare || !in->more_follow)
		free(atomic_exchange(&spare_buffer, spare));
	if (spare)
		in->buffer = NULL;
	else if (has_ring)
		os_drop_pages(in->buffer, buffer_bytes());
}

void input_stream(struct input *in)
{
	uint8_t *buffer;

	/* A small file is only one block. */
	if (in->fd < 0 || !in->seekable || in->ahead || in->size <= INPUT_BUFFER_BYTES)
		return;
	buffer = new_buffer();
	in->blocks = calloc(1, sizeof(*in->blocks));
	if (buffer && in->blocks)
		in->ahead = background_start(BACKGROUND_READS);
	if (!in->ahead) { /* optional: falls back to one thread */
		free(buffer);
		input_ahead_stop(in);
		return;
	}
	free(in->buffer);
	in->buffer = buffer;
	/* Buffered bytes are read again, which is simpler than copying them. */
	input_empty(in);
	in->blocks->fd = in->fd;
	in->blocks->offset = in->blocks->ring_offset = in->offset;
	in->blocks->used = in->offset % INPUT_PAGE_BYTES;
	in->blocks->bytes = FIRST_BYTES;
	in->blocks->most = 1;
	begin_blocks(in);
}

/* The first blocks, so many. */
static void wait_for(struct input *in, size_t count)
{
	struct input_blocks *blocks = in->blocks;
	size_t last = (blocks->first + count - 1) % BLOCKS_AHEAD;

	if (!count || atomic_load(&blocks->list[last].is_read))
		return;
	atomic_store(&blocks->is_waited, true);
	background_wait(in->ahead, blocks->count - count);
	atomic_store(&blocks->is_waited, false);
}

/* Waits for as many as come to n bytes, together. */
static void wait_for_bytes(struct input *in, size_t n)
{
	const struct input_blocks *blocks = in->blocks;
	size_t count = 0, bytes = input_buffered(in);

	while (count < blocks->count && bytes < n)
		bytes += blocks->list[(blocks->first + count++) % BLOCKS_AHEAD].size;
	wait_for(in, count);
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
	wait_for(in, 1);
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

void input_ahead_fill(struct input *in, size_t n)
{
	wait_for_bytes(in, n);
	while (input_buffered(in) < n && next_block(in))
		;
	begin_blocks(in); /* together: waking a thread costs much */
}
