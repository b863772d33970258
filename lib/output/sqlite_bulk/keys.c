/* keys.c - sorts index keys in memory, spills runs to a file, merges them. */
#include "output/sqlite_bulk/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/unroll.h"
#include "output/sqlite_bulk/sort.h"

/*
 * A block and its scratch fit the L2 cache, and sorting one is short enough not to stop
 * the first thread; fewer than 64 keys would be mostly overhead.
 */
#define BLOCK_KEYS_MAX ((size_t)1 << 14)
#define BLOCK_KEYS_MIN ((size_t)64)
/*
 * Keys merged at a time; half of the smallest block, so that two fit its packing buffer.
 */
#define KEYS_AT_ONCE (BLOCK_KEYS_MIN / 2)
/* A block is at most this part of the pool, which has room for as many. */
#define BLOCKS_PART 64
#define BLOCKS_MIN 8
/* Bytes of a run read at a time; all buffers of an index are this part of the pool. */
#define RUN_BUFFER_BYTES_MAX ((size_t)1 << 17)
#define RUN_BUFFER_BYTES_MIN ((size_t)1 << 10)
#define RUN_BUFFERS_PART 16
/* Blocks that have the same values, on average, from which on rounds are quicker. */
#define ROUNDS_DEPTH_MIN 4

/* --- the pool --- */

static size_t block_bytes(const struct bulk_key_pool *pool)
{
	return pool->block_keys * sizeof(struct bulk_key);
}

static size_t packed_room(const struct bulk_key_pool *pool)
{
	return pool->block_keys * PACKED_BYTES_MAX + PACKED_SLACK_BYTES;
}

bool key_pool_init(struct bulk_key_pool *pool, size_t bytes, const char *runs_path)
{
	*pool = (struct bulk_key_pool){ .runs_path = runs_path, .runs_fd = -1 };
	pool->block_keys = BLOCK_KEYS_MAX;
	while (pool->block_keys > BLOCK_KEYS_MIN &&
	       bytes / BLOCKS_PART < block_bytes(pool))
		pool->block_keys /= 2;
	pool->bytes = bytes;
	if (pool->bytes < BLOCKS_MIN * block_bytes(pool))
		pool->bytes = BLOCKS_MIN * block_bytes(pool);
	pool->scratch = malloc(block_bytes(pool));
	pool->packed = malloc(packed_room(pool));
	pool->used = block_bytes(pool) + packed_room(pool);
	return pool->scratch && pool->packed;
}

void key_pool_release(struct bulk_key_pool *pool)
{
	if (pool->scratch && pool->runs_fd >= 0)
		(void)os_close(pool->runs_fd);
	free(pool->scratch);
	free(pool->packed);
	*pool = (struct bulk_key_pool){ .runs_fd = -1 };
}

/* The file needs no cleanup. */
static enum status open_runs(struct bulk_key_pool *pool, struct error *error)
{
	if (pool->runs_fd >= 0)
		return ST_OK;
	pool->runs_fd = os_create_hidden(pool->runs_path);
	return pool->runs_fd < 0 ? error_system(error, "create", pool->runs_path) : ST_OK;
}

/* --- blocks --- */

/* Sorts and packs the filled block into a stretch. */
static enum status sort_block(struct bulk_keys *keys, struct error *error)
{
	struct bulk_key_pool *pool = keys->pool;
	struct bulk_key before = { 0, 0 };
	struct bulk_stretch block = { .count = keys->filled };
	uint8_t *end = pool->packed;

	sort_keys(&keys->filling, &pool->scratch, keys->filled);
	for (size_t i = 0; i < keys->filled; i++)
		end = pack_key(end, &before, keys->filling[i]);
	block.last_value = before.value;
	block.size = (size_t)(end - pool->packed);
	block.bytes = arena_alloc(&keys->bytes, block.size + PACKED_SLACK_BYTES);
	if (!block.bytes)
		return error_nomem(error);
	memcpy(block.bytes, pool->packed, block.size);
	keys->packed_bytes += block.size;
	pool->used += block.size;
	keys->filled = 0;
	return stretches_add(&keys->blocks, block, error);
}

/* The keys that were counted so far go to blocks, and so do all later ones. */
static enum status sort_counted(struct bulk_keys *keys, struct error *error)
{
	struct bulk_key *filled = keys->filling;
	size_t count = keys->filled;
	enum status status;

	keys->is_sorted_by_block = true;
	keys->filling = malloc(block_bytes(keys->pool));
	status = keys->filling ? ST_OK : error_nomem(error);
	for (size_t b = 0; b < keys->counted.block_count && status == ST_OK; b++) {
		keys->filled = counted_block(&keys->counted, b, keys->filling);
		status = sort_block(keys, error);
	}
	free(keys->filling);
	keys->pool->used -= counted_bytes(&keys->counted);
	counted_release(&keys->counted);
	keys->filling = filled;
	keys->filled = count;
	return status;
}

/* Counts the block, or sorts it. */
static enum status end_block(struct bulk_keys *keys, struct error *error)
{
	struct bulk_counted *counted = &keys->counted;
	size_t before = counted_bytes(counted);

	if (!keys->filled)
		return ST_OK;
	/* Keys in order cost nothing to sort. */
	if (!counted->count && !keys->is_sorted_by_block)
		keys->is_sorted_by_block = sort_is_done(keys->filling, keys->filled);
	if (!keys->is_sorted_by_block) {
		bool added = counted_add(counted, keys->filling, keys->filled);

		keys->pool->used += counted_bytes(counted) - before;
		if (added)
			keys->filled = 0;
		if (added && keys->pool->used <= keys->pool->bytes)
			return ST_OK;
		if (sort_counted(keys, error) != ST_OK)
			return error->status;
	}
	return keys->filled ? sort_block(keys, error) : ST_OK;
}

/* Moves the rest of a run's buffer to its front and reads more after it. */
static enum status read_run(const struct bulk_keys *sorter, struct bulk_stretch *stretch,
			    struct error *error)
{
	const struct bulk_key_pool *pool = sorter->pool;
	size_t kept = (size_t)(stretch->bytes + stretch->size - stretch->at);
	size_t room = sorter->buffer_bytes - kept;
	size_t size = stretch->left < room ? (size_t)stretch->left : room;

	memmove(stretch->bytes, stretch->at, kept);
	if (!os_read_all_at(pool->runs_fd, stretch->bytes + kept, size, stretch->offset))
		return error_system(error, "read", pool->runs_path);
	stretch->offset += size;
	stretch->left -= size;
	stretch->at = stretch->bytes;
	stretch->size = kept + size;
	stretch->last = stretch->bytes + stretch->size;
	if (stretch->left) /* the last key may be cut off */
		stretch->last -= PACKED_BYTES_MAX;
	return ST_OK;
}

/* --- merging --- */

/*
 * Sources are in the order of their row ids: of equal values the earlier source is less.
 * No branch: which of two CPUs' times comes next is random.
 */
static inline bool is_less(const struct bulk_head *a, const struct bulk_head *b)
{
	return (a->value < b->value) | ((a->value == b->value) & (a->source < b->source));
}

/* The first source stays first up to the lesser of its two children. */
static inline void find_most(struct bulk_keys *keys)
{
	const struct bulk_head *heap = keys->heap, *second = heap + 1;

	keys->most = UINT64_MAX;
	if (keys->heap_count < 2)
		return;
	second += is_less(&heap[2], &heap[1]); /* heap[2] may be the end */
	keys->most = second->value - (heap->source > second->source);
}

/* The entry after the last one is greater than all keys. */
static void end_heap(struct bulk_keys *keys)
{
	keys->heap[keys->heap_count] = (struct bulk_head){ UINT64_MAX, UINT32_MAX };
}

/* Moves the first entry of the heap down to its place. */
static void sink_first(struct bulk_keys *keys)
{
	struct bulk_head *heap = keys->heap, moved = heap[0];
	size_t place = 0, count = keys->heap_count;

	for (;;) {
		size_t child = 2 * place + 1;

		if (child >= count)
			break;
		child += is_less(&heap[child + 1], &heap[child]);
		if (!is_less(&heap[child], &moved))
			break;
		heap[place] = heap[child];
		place = child;
	}
	heap[place] = moved;
	find_most(keys);
}

static void rise_last(struct bulk_keys *keys)
{
	struct bulk_head *heap = keys->heap;
	size_t place = keys->heap_count - 1;
	struct bulk_head moved = heap[place];

	for (; place && is_less(&moved, &heap[(place - 1) / 2]); place = (place - 1) / 2)
		heap[place] = heap[(place - 1) / 2];
	heap[place] = moved;
}

static enum status begin_source(struct bulk_keys *keys, struct bulk_stretch *source,
				struct error *error)
{
	bool is_run = source->left != 0;

	if (is_run) /* else all of it is in memory */
		source->bytes = arena_alloc(&keys->bytes,
					    keys->buffer_bytes + PACKED_SLACK_BYTES);
	if (!source->bytes)
		return error_nomem(error);
	source->at = source->bytes;
	source->last = source->bytes + source->size;
	if (is_run) {
		enum status status = read_run(keys, source, error);

		if (status != ST_OK)
			return status;
	}
	source->at = unpack_key(source->at, &source->key);
	return ST_OK;
}

static enum status begin_rounds(struct bulk_keys *keys,
				const struct bulk_stretches *blocks,
				struct bulk_spread spread, struct error *error)
{
	size_t room = keys->pool->block_keys;

	keys->has_rounds = true;
	if (!merge_rounds_init(&keys->rounds, blocks->count, room,
			       (spread.most - spread.least) / (spread.keys / room + 1)))
		return error_nomem(error);
	for (size_t i = 0; i < blocks->count; i++)
		merge_rounds_add(&keys->rounds, blocks->list[i].bytes,
				 blocks->list[i].count);
	return ST_OK;
}

static enum status begin_heap(struct bulk_keys *keys,
			      const struct bulk_stretches *sources, struct error *error)
{
	struct bulk_stretch *list = sources->list;
	enum status status = ST_OK;

	keys->sources = list;
	keys->heap = malloc((sources->count + 1) * sizeof(*keys->heap));
	if (!keys->heap)
		return error_nomem(error);
	for (size_t i = 0; i < sources->count && status == ST_OK; i++) {
		status = begin_source(keys, &list[i], error);
		keys->heap[keys->heap_count++] =
			(struct bulk_head){ list[i].key.value, (uint32_t)i };
		rise_last(keys);
	}
	end_heap(keys);
	find_most(keys);
	return status;
}

/* Runs, or blocks, or both. */
static enum status begin_merge(struct bulk_keys *keys,
			       const struct bulk_stretches *sources, struct error *error)
{
	struct bulk_spread spread = { 0, 0, 0, 0 };

	if (sources->count && !sources->list[0].left)
		spread = stretches_spread(sources);
	return spread.depth >= ROUNDS_DEPTH_MIN
		       ? begin_rounds(keys, sources, spread, error)
		       : begin_heap(keys, sources, error);
}

static void end_merge(struct bulk_keys *keys)
{
	merge_rounds_release(&keys->rounds);
	keys->has_rounds = false;
	free(keys->heap);
	keys->heap = NULL;
	keys->heap_count = 0;
}

/* Outputs keys of a source while it stays first; leaves it at its next key. */
static enum status next_of_first(const struct bulk_keys *keys,
				 struct bulk_stretch *source, struct bulk_key *to,
				 size_t room, size_t *taken, struct error *error)
{
	const uint8_t *at = source->at;
	struct bulk_key key = source->key;
	uint64_t left = source->count;
	size_t count = 0;

	do {
		to[count++] = key;
		if (--left == 0)
			break;
		if (at > source->last) {
			enum status status;

			source->at = at;
			status = read_run(keys, source, error);
			if (status != ST_OK)
				return status;
			at = source->at;
		}
		at = unpack_key(at, &key);
	} while (count < room && key.value <= keys->most);
	source->at = at;
	source->key = key;
	source->count = left;
	*taken += count;
	return ST_OK;
}

enum status keys_next(struct bulk_keys *keys, struct bulk_key *to, size_t room,
		      size_t *taken, struct error *error)
{
	*taken = 0;
	if (keys->counted.count) {
		*taken = counted_next(&keys->counted, to, room);
		return ST_OK;
	}
	if (keys->has_rounds) {
		*taken = merge_rounds_next(&keys->rounds, to, room);
		return ST_OK;
	}
	while (*taken < room && keys->heap_count) {
		struct bulk_head *first = &keys->heap[0];
		struct bulk_stretch *source = &keys->sources[first->source];
		enum status status = next_of_first(keys, source, to + *taken,
						   room - *taken, taken, error);

		if (status != ST_OK)
			return status;
		first->value = source->key.value;
		if (!source->count) {
			*first = keys->heap[--keys->heap_count];
			end_heap(keys);
		}
		sink_first(keys);
	}
	return ST_OK;
}

/* --- runs --- */

static enum status write_packed(struct bulk_key_pool *pool, const uint8_t *bytes,
				size_t size, struct error *error)
{
	os_reserve(pool->runs_fd, &pool->reserved, pool->runs_end + size);
	if (!os_write_all_at(pool->runs_fd, bytes, size, pool->runs_end))
		return error_system(error, "write", pool->runs_path);
	pool->runs_end += size;
	return ST_OK;
}

/* Merged keys use the packing buffer of blocks; no block ends meanwhile. */
static enum status write_merged(struct bulk_keys *keys, struct error *error)
{
	struct bulk_key_pool *pool = keys->pool;
	const uint8_t *full = pool->packed + packed_room(pool) - PACKED_SLACK_BYTES -
			      KEYS_AT_ONCE * PACKED_BYTES_MAX;
	struct bulk_key taken[KEYS_AT_ONCE], before = { 0, 0 };
	uint8_t *end = pool->packed;
	enum status status;
	size_t count;

	while ((status = keys_next(keys, taken, KEYS_AT_ONCE, &count, error)) == ST_OK &&
	       count) {
		for (size_t i = 0; i < count; i++)
			end = pack_key(end, &before, taken[i]);
		if (end <= full)
			continue;
		status = write_packed(pool, pool->packed, (size_t)(end - pool->packed),
				      error);
		if (status != ST_OK)
			return status;
		end = pool->packed;
	}
	return status == ST_OK ? write_packed(pool, pool->packed,
					      (size_t)(end - pool->packed), error)
			       : status;
}

/* The blocks of a sorter. */
static bool overlap_much(const struct bulk_keys *keys)
{
	return stretches_spread(&keys->blocks).depth >= ROUNDS_DEPTH_MIN;
}

static void drop_blocks(struct bulk_keys *keys)
{
	arena_release(&keys->bytes);
	stretches_release(&keys->blocks);
	keys->pool->used -= keys->packed_bytes;
	keys->packed_bytes = 0;
}

/* Merges all blocks of a sorter into one run. */
static enum status merge_blocks(struct bulk_keys *keys, struct error *error)
{
	struct bulk_key_pool *pool = keys->pool;
	struct bulk_stretch run = { .offset = pool->runs_end };
	enum status status;

	for (size_t i = 0; i < keys->blocks.count; i++)
		run.count += keys->blocks.list[i].count;
	status = begin_merge(keys, &keys->blocks, error);
	if (status == ST_OK)
		status = write_merged(keys, error);
	end_merge(keys);
	run.left = pool->runs_end - run.offset;
	return status == ST_OK ? stretches_add(&keys->runs, run, error) : status;
}

/* Each block becomes a run: what hardly overlaps costs little to merge at the end. */
static enum status write_blocks(struct bulk_keys *keys, struct error *error)
{
	struct bulk_key_pool *pool = keys->pool;
	enum status status = ST_OK;

	for (size_t i = 0; i < keys->blocks.count && status == ST_OK; i++) {
		const struct bulk_stretch *block = &keys->blocks.list[i];
		struct bulk_stretch run = { .count = block->count,
					    .offset = pool->runs_end,
					    .left = block->size };

		status = write_packed(pool, block->bytes, block->size, error);
		if (status == ST_OK)
			status = stretches_add(&keys->runs, run, error);
	}
	return status;
}

/* With more runs their buffers would take more than their part of the pool. */
static bool can_be_runs(const struct bulk_keys *keys)
{
	return keys->runs.count + keys->blocks.count <=
	       keys->pool->bytes / RUN_BUFFERS_PART / RUN_BUFFER_BYTES_MIN;
}

/* Makes room: the blocks of a sorter go to the file. */
static enum status spill(struct bulk_keys *keys, struct error *error)
{
	enum status status = open_runs(keys->pool, error);

	if (status == ST_OK)
		status = can_be_runs(keys) && !overlap_much(keys)
				 ? write_blocks(keys, error)
				 : merge_blocks(keys, error);
	drop_blocks(keys);
	return status;
}

static struct bulk_keys *largest(struct bulk_key_pool *pool)
{
	struct bulk_keys *most = pool->sorters;

	for (struct bulk_keys *keys = pool->sorters; keys; keys = keys->next)
		if (keys->packed_bytes > most->packed_bytes)
			most = keys;
	return most;
}

/* --- interface --- */

void keys_init(struct bulk_keys *keys, struct bulk_key_pool *pool)
{
	*keys = (struct bulk_keys){ .pool = pool, .next = pool->sorters };
	pool->sorters = keys;
}

enum status keys_begin_block(struct bulk_keys *keys, struct error *error)
{
	struct bulk_key_pool *pool = keys->pool;
	enum status status = end_block(keys, error);

	if (!keys->filling) {
		keys->filling = malloc(block_bytes(pool));
		if (!keys->filling)
			return error_nomem(error);
		keys->room = pool->block_keys;
		pool->used += block_bytes(pool);
	}
	while (status == ST_OK && pool->used > pool->bytes && largest(pool)->packed_bytes)
		status = spill(largest(pool), error);
	return status;
}

enum status keys_add_rows(struct bulk_keys *keys, const int64_t *values, size_t count,
			  int64_t first_id, struct error *error)
{
	for (size_t at = 0, end; at < count; at = end) {
		enum status status = keys->filled == keys->room
					     ? keys_begin_block(keys, error)
					     : ST_OK;
		size_t room = keys->room - keys->filled;
		struct bulk_key *to = keys->filling + keys->filled;

		if (status != ST_OK)
			return status;
		end = room < count - at ? at + room : count;
		keys->filled += end - at;
		UNROLLED
		for (size_t i = at; i < end; i++)
			*to++ = (struct bulk_key){ key_value(values[i]),
						   first_id + (int64_t)i };
	}
	return ST_OK;
}

static size_t buffer_bytes(const struct bulk_keys *keys)
{
	size_t share = keys->pool->bytes / RUN_BUFFERS_PART /
		       (keys->runs.count ? keys->runs.count : 1);

	return share < RUN_BUFFER_BYTES_MIN   ? RUN_BUFFER_BYTES_MIN
	       : share > RUN_BUFFER_BYTES_MAX ? RUN_BUFFER_BYTES_MAX
					      : share;
}

/* Runs precede blocks: the order of their row ids. */
enum status keys_merge(struct bulk_keys *keys, struct error *error)
{
	enum status status = end_block(keys, error);

	if (status == ST_OK && keys->runs.count && overlap_much(keys))
		status = spill(keys, error);
	free(keys->filling);
	keys->filling = NULL;
	if (status == ST_OK && keys->counted.count)
		return counted_order(&keys->counted) ? ST_OK : error_nomem(error);
	keys->buffer_bytes = buffer_bytes(keys);
	for (size_t i = 0; i < keys->blocks.count && status == ST_OK; i++)
		status = stretches_add(&keys->runs, keys->blocks.list[i], error);
	keys->packed_bytes = 0; /* it cannot make room for others any more */
	return status == ST_OK ? begin_merge(keys, &keys->runs, error) : status;
}

void keys_release(struct bulk_keys *keys)
{
	end_merge(keys);
	free(keys->filling);
	counted_release(&keys->counted);
	arena_release(&keys->bytes);
	stretches_release(&keys->blocks);
	stretches_release(&keys->runs);
	*keys = (struct bulk_keys){ .pool = keys->pool };
}
