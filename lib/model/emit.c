/* emit.c - a queue of records in blocks of memory that are reused. */
#include "model/emit.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/buffer_bytes.h"
#include "base/memory.h"
#include "base/sanitizer.h"

/* A sanitizer sees a stage that keeps a copy for too long. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

/* The first block; each further one is twice as large, up to the largest. */
#define BLOCK_BYTES_FIRST BUFFER_SIZE((size_t)16 << 10, (size_t)2 << 10)
#define BLOCK_BYTES_LARGEST ((size_t)1 << 20)
/* An empty queue keeps this much for the next record. */
#define RECORDS_KEPT 1024

struct emit_block {
	struct emit_block *next;
	size_t used, size;
	alignas(max_align_t) unsigned char bytes[];
};

/* --- memory --- */

static void fail(struct emit *emit, enum status status)
{
	if (emit->failed == ST_OK)
		emit->failed = status;
	emit->waiting = true;
}

/* Counts bytes that wait; false: over the limit, or the queue has failed before. */
static bool add_bytes(struct emit *emit, size_t bytes)
{
	if (emit->failed != ST_OK)
		return false;
	if (bytes > EMIT_BYTES_MAX - emit->bytes) {
		fail(emit, ST_LIMIT);
		return false;
	}
	emit->bytes += bytes;
	return true;
}

static struct emit_block *add_block(struct emit *emit, size_t least)
{
	size_t size = emit->blocks ? emit->blocks->size * 2 : BLOCK_BYTES_FIRST;
	struct emit_block *block;

	size = size < BLOCK_BYTES_LARGEST ? size : BLOCK_BYTES_LARGEST;
	size = size > least ? size : least;
	if (!add_bytes(emit, size))
		return NULL;
	block = memory_alloc(sizeof(*block) + size);
	if (!block) {
		fail(emit, ST_NOMEM);
		return NULL;
	}
	*block = (struct emit_block){ .next = emit->blocks, .size = size };
	ASAN_POISON_MEMORY_REGION(block->bytes, size);
	emit->blocks = block;
	return block;
}

static void free_block(struct emit *emit, struct emit_block *block)
{
	emit->bytes -= block->size;
	ASAN_UNPOISON_MEMORY_REGION(block->bytes, block->size);
	free(block);
}

/* Reuses the memory of an empty queue, and frees the blocks of a large record. */
static void empty(struct emit *emit)
{
	struct emit_block *block = emit->blocks;

	emit->next = emit->count = 0;
	if (emit->room > RECORDS_KEPT) {
		emit->bytes -= emit->room * sizeof(*emit->records);
		free(emit->records);
		emit->records = NULL;
		emit->room = 0;
	}
	while (block && (block->next || block->size > BLOCK_BYTES_FIRST)) {
		emit->blocks = block->next;
		free_block(emit, block);
		block = emit->blocks;
	}
	if (block) {
		ASAN_POISON_MEMORY_REGION(block->bytes, block->used);
		block->used = 0;
	}
}

/*
 * Called by every push: the first one for another input record ends the validity of the
 * last record and its texts.
 */
static void begin(struct emit *emit)
{
	if (emit->count && emit->next == emit->count)
		empty(emit);
}

static void *allocate(struct emit *emit, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct emit_block *block;
	void *at;

	if (size > EMIT_BYTES_MAX) {
		fail(emit, ST_LIMIT);
		return NULL;
	}
	size = (size + align - 1) / align * align;
	begin(emit);
	block = emit->blocks;
	if (!block || block->size - block->used < size)
		block = add_block(emit, size);
	if (!block)
		return NULL;
	at = block->bytes + block->used;
	block->used += size;
	ASAN_UNPOISON_MEMORY_REGION(at, size);
	return at;
}

static bool grow(struct emit *emit)
{
	size_t more = emit->room ? emit->room : 16;
	struct record *records;

	if (!add_bytes(emit, more * sizeof(*records)))
		return false;
	records = memory_resize(emit->records, (emit->room + more) * sizeof(*records));
	if (!records) {
		fail(emit, ST_NOMEM);
		return false;
	}
	emit->records = records;
	emit->room += more;
	return true;
}

void emit_release(struct emit *emit)
{
	while (emit->blocks) {
		struct emit_block *next = emit->blocks->next;

		free_block(emit, emit->blocks);
		emit->blocks = next;
	}
	free(emit->records);
	*emit = (struct emit){ .records = NULL };
}

/* --- in --- */

void emit_push(struct emit *emit, const struct record *record)
{
	begin(emit);
	if (emit->failed != ST_OK || (emit->count == emit->room && !grow(emit)))
		return;
	emit->records[emit->count++] = *record;
	emit->waiting = true;
}

static void push_copy(struct emit *emit, struct record record, size_t size)
{
	void *copy = allocate(emit, size);

	if (!copy)
		return;
	memcpy(copy, record.data, size);
	record.data = copy;
	emit_push(emit, &record);
}

void emit_push_event(struct emit *emit, enum record_kind kind, uint64_t offset,
		     const void *event, size_t size)
{
	push_copy(emit, (struct record){ .kind = kind, .offset = offset, .data = event },
		  size);
}

void emit_push_row(struct emit *emit, enum record_kind kind, uint64_t offset,
		   const void *row)
{
	emit_push_event(emit, kind, offset, row, tables[kind].row_size);
}

void emit_push_own_row(struct emit *emit, const struct table *table, uint64_t offset,
		       const void *row)
{
	push_copy(emit,
		  (struct record){ .kind = RECORD_OWN_TABLE,
				   .offset = offset,
				   .data = row,
				   .table = table },
		  table->row_size);
}

struct str emit_text(struct emit *emit, struct str text)
{
	char *copy;

	if (!text.ptr)
		return STR_NONE;
	copy = allocate(emit, text.len ? text.len : 1);
	if (!copy)
		return STR_NONE;
	memcpy(copy, text.ptr, text.len);
	return (struct str){ copy, text.len };
}

/* --- out --- */

enum status emit_pop_waiting(struct emit *emit, struct record *out, struct error *error)
{
	if (emit->failed == ST_NOMEM)
		return error_nomem(error);
	if (emit->failed != ST_OK)
		return error_set(error, emit->failed, ERROR_NO_OFFSET,
				 "one record gives more than %zu MiB of rows",
				 EMIT_BYTES_MAX >> 20);
	if (emit->next == emit->count) {
		emit->waiting = false;
		return ST_END;
	}
	*out = emit->records[emit->next++];
	emit->waiting = emit->next != emit->count;
	return ST_OK;
}
