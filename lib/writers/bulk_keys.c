/* bulk_keys.c - see bulk_keys.h. */
#include "writers/bulk_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A block and its scratch fit the L2 cache; fewer than 64 would be all overhead. */
#define BLOCK_KEYS_MAX ((size_t)1 << 17)
#define BLOCK_KEYS_MIN ((size_t)64)
#define BLOCKS_MIN 4
/* Of a run, at a time; the buffers of all runs of an index are this part of the pool. */
#define RUN_BUFFER_KEYS_MAX ((size_t)1 << 13)
#define RUN_BUFFER_KEYS_MIN ((size_t)64)
#define RUN_BUFFERS_PART 16

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

/* --- the pool --- */

bool key_pool_init(struct bulk_key_pool *pool, size_t bytes, const char *runs_path)
{
	size_t keys = bytes / sizeof(struct bulk_key);

	*pool = (struct bulk_key_pool){ .runs_path = runs_path, .runs_fd = -1 };
	/* A run that was killed may have left its own, see open_runs(). */
	(void)unlink(runs_path);
	pool->block_keys = BLOCK_KEYS_MAX;
	while (pool->block_keys > BLOCK_KEYS_MIN && keys / pool->block_keys < 64)
		pool->block_keys /= 2;
	pool->keys = keys;
	pool->free = keys / pool->block_keys;
	if (pool->free < BLOCKS_MIN)
		pool->free = BLOCKS_MIN;
	pool->scratch = malloc(pool->block_keys * sizeof(*pool->scratch));
	return pool->scratch != NULL;
}

void key_pool_release(struct bulk_key_pool *pool)
{
	if (pool->scratch && pool->runs_fd >= 0)
		close(pool->runs_fd);
	free(pool->scratch);
	*pool = (struct bulk_key_pool){ .runs_fd = -1 };
}

static enum status failed(const struct bulk_key_pool *pool, const char *doing,
			  struct error *error)
{
	return error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot %s %s: %s", doing,
			 pool->runs_path,
			 errno == ENOSPC ? "the disk is full" : strerror(errno));
}

/* The file has its name only until it is open: nothing has to be cleaned up. */
static enum status open_runs(struct bulk_key_pool *pool, struct error *error)
{
	if (pool->runs_fd >= 0)
		return ST_OK;
	(void)unlink(pool->runs_path);
	pool->runs_fd = open(pool->runs_path,
			     O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (pool->runs_fd < 0)
		return failed(pool, "create", error);
	(void)unlink(pool->runs_path);
	return ST_OK;
}

/* --- sorting a block --- */

static bool is_sorted(const struct bulk_key *keys, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (keys[i - 1].value > keys[i].value)
			return false;
	return true;
}

/* One pass: by one digit of the distance from `least`, otherwise in the order there is.
 */
static void sort_by_digit(const struct bulk_key *from, struct bulk_key *to, size_t count,
			  uint64_t least, unsigned int shift)
{
	uint32_t place[DIGITS] = { 0 };
	uint32_t sum = 0;

	for (size_t i = 0; i < count; i++)
		place[(from[i].value - least) >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		uint32_t here = place[i];

		place[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[place[(from[i].value - least) >> shift & (DIGITS - 1)]++] = from[i];
}

/*
 * By value; equal values keep their order, which is that of their row ids.  The sorted
 * keys are in what *keys is afterwards, which may have become the scratch and the other
 * way round.
 */
static void sort(struct bulk_key **keys, struct bulk_key **scratch, size_t count)
{
	uint64_t least = UINT64_MAX, most = 0;

	if (is_sorted(*keys, count))
		return;
	for (size_t i = 0; i < count; i++) {
		uint64_t value = (*keys)[i].value;

		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	for (unsigned int shift = 0; shift < 64 && (most - least) >> shift;
	     shift += DIGIT_BITS) {
		struct bulk_key *sorted = *scratch;

		sort_by_digit(*keys, sorted, count, least, shift);
		*scratch = *keys;
		*keys = sorted;
	}
}

/* --- stretches --- */

static bool add_stretch(struct bulk_stretch **list, size_t *count,
			struct bulk_stretch stretch)
{
	/* Doubled whenever it is full, at powers of two. */
	if ((*count & (*count - 1)) == 0) {
		struct bulk_stretch *more =
			realloc(*list, (*count ? 2 * *count : 1) * sizeof(*more));

		if (!more)
			return false;
		*list = more;
	}
	(*list)[(*count)++] = stretch;
	return true;
}

/* The block that is being filled becomes a sorted stretch. */
static enum status end_block(struct bulk_keys *keys, struct error *error)
{
	struct bulk_stretch stretch = { NULL, NULL, NULL, 0, 0 };

	if (!keys->filling)
		return ST_OK;
	sort(&keys->filling, &keys->pool->scratch, keys->filled);
	stretch.keys = stretch.at = keys->filling;
	stretch.end = keys->filling + keys->filled;
	if (!add_stretch(&keys->blocks, &keys->block_count, stretch))
		return error_nomem(error);
	keys->filling = NULL;
	keys->filled = 0;
	return ST_OK;
}

static enum status read_run(const struct bulk_keys *sorter, struct bulk_stretch *stretch,
			    struct error *error)
{
	const struct bulk_key_pool *pool = sorter->pool;
	size_t keys = stretch->left < sorter->buffer_keys ? (size_t)stretch->left
							  : sorter->buffer_keys;
	size_t size = keys * sizeof(*stretch->keys);
	ssize_t got;

	do
		got = pread(pool->runs_fd, stretch->keys, size, (off_t)stretch->offset);
	while (got < 0 && errno == EINTR);
	if (got != (ssize_t)size) {
		errno = got < 0 ? errno : EIO;
		return failed(pool, "read", error);
	}
	stretch->offset += size;
	stretch->left -= keys;
	stretch->at = stretch->keys;
	stretch->end = stretch->keys + keys;
	return ST_OK;
}

/* --- merging --- */

/* Sources are in the order of their row ids: of equal values the earlier one's is less.
 */
static bool is_less(const struct bulk_keys *keys, uint32_t a, uint32_t b)
{
	uint64_t x = keys->sources[a].at->value, y = keys->sources[b].at->value;

	return x < y || (x == y && a < b);
}

/* Lets the first of the heap sink to its place. */
static void sink_first(struct bulk_keys *keys)
{
	uint32_t moved = keys->heap[0];
	size_t place = 0;

	for (;;) {
		size_t child = 2 * place + 1;

		if (child >= keys->heap_count)
			break;
		if (child + 1 < keys->heap_count &&
		    is_less(keys, keys->heap[child + 1], keys->heap[child]))
			child++;
		if (!is_less(keys, keys->heap[child], moved))
			break;
		keys->heap[place] = keys->heap[child];
		place = child;
	}
	keys->heap[place] = moved;
}

static void rise_last(struct bulk_keys *keys)
{
	size_t place = keys->heap_count - 1;
	uint32_t moved = keys->heap[place];

	for (; place && is_less(keys, moved, keys->heap[(place - 1) / 2]);
	     place = (place - 1) / 2)
		keys->heap[place] = keys->heap[(place - 1) / 2];
	keys->heap[place] = moved;
}

static enum status begin_merge(struct bulk_keys *keys, struct bulk_stretch *sources,
			       size_t count, struct error *error)
{
	keys->sources = sources;
	keys->source_count = count;
	keys->heap_count = 0;
	keys->merging = false;
	keys->heap = malloc((count ? count : 1) * sizeof(*keys->heap));
	if (!keys->heap)
		return error_nomem(error);
	for (size_t i = 0; i < count; i++) {
		if (sources[i].at == sources[i].end)
			continue;
		keys->heap[keys->heap_count++] = (uint32_t)i;
		rise_last(keys);
	}
	return ST_OK;
}

static void end_merge(struct bulk_keys *keys)
{
	free(keys->heap);
	keys->heap = NULL;
	keys->heap_count = keys->source_count = 0;
}

/* The first key of the heap was handed out: the next one of its source, if any. */
static enum status go_on(struct bulk_keys *keys, struct error *error)
{
	struct bulk_stretch *source = &keys->sources[keys->heap[0]];

	if (++source->at == source->end && source->left) {
		enum status status = read_run(keys, source, error);

		if (status != ST_OK)
			return status;
	}
	if (source->at == source->end)
		keys->heap[0] = keys->heap[--keys->heap_count];
	if (keys->heap_count)
		sink_first(keys);
	return ST_OK;
}

enum status keys_next(struct bulk_keys *keys, struct bulk_key *key, struct error *error)
{
	if (keys->merging) {
		enum status status = go_on(keys, error);

		if (status != ST_OK)
			return status;
	}
	keys->merging = keys->heap_count > 0;
	if (!keys->merging)
		return ST_END;
	*key = *keys->sources[keys->heap[0]].at;
	return ST_OK;
}

/* --- runs --- */

static enum status write_keys(struct bulk_key_pool *pool, const struct bulk_key *from,
			      size_t count, struct error *error)
{
	const char *at = (const char *)from;
	size_t size = count * sizeof(*from);

	while (size) {
		ssize_t wrote = pwrite(pool->runs_fd, at, size, (off_t)pool->runs_end);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return failed(pool, "write", error);
		at += wrote;
		size -= (size_t)wrote;
		pool->runs_end += (uint64_t)wrote;
	}
	return ST_OK;
}

/* What is merged is written by whole scratch blocks; nothing is being sorted meanwhile.
 */
static enum status write_merged(struct bulk_keys *keys, struct error *error)
{
	struct bulk_key_pool *pool = keys->pool;
	enum status status;
	size_t held = 0;

	while ((status = keys_next(keys, &pool->scratch[held], error)) == ST_OK) {
		if (++held < pool->block_keys)
			continue;
		status = write_keys(pool, pool->scratch, held, error);
		if (status != ST_OK)
			return status;
		held = 0;
	}
	return status == ST_END ? write_keys(pool, pool->scratch, held, error) : status;
}

/* All full blocks of a sorter become one run, and are free again. */
static enum status spill(struct bulk_keys *keys, struct error *error)
{
	struct bulk_key_pool *pool = keys->pool;
	struct bulk_stretch run = { .offset = pool->runs_end };
	enum status status = open_runs(pool, error);

	if (status != ST_OK)
		return status;
	for (size_t i = 0; i < keys->block_count; i++)
		run.left += (uint64_t)(keys->blocks[i].end - keys->blocks[i].at);
	status = begin_merge(keys, keys->blocks, keys->block_count, error);
	if (status == ST_OK)
		status = write_merged(keys, error);
	end_merge(keys);
	for (size_t i = 0; i < keys->block_count; i++)
		free(keys->blocks[i].keys);
	pool->free += keys->block_count;
	keys->block_count = 0;
	free(keys->blocks);
	keys->blocks = NULL;
	if (status == ST_OK && !add_stretch(&keys->runs, &keys->run_count, run))
		status = error_nomem(error);
	return status;
}

static struct bulk_keys *largest(struct bulk_key_pool *pool)
{
	struct bulk_keys *most = NULL;

	for (struct bulk_keys *keys = pool->sorters; keys; keys = keys->next)
		if (!most || keys->block_count > most->block_count)
			most = keys;
	return most;
}

/* --- from outside --- */

void keys_init(struct bulk_keys *keys, struct bulk_key_pool *pool)
{
	*keys = (struct bulk_keys){ .pool = pool, .next = pool->sorters };
	pool->sorters = keys;
}

enum status keys_turn(struct bulk_keys *keys, struct error *error)
{
	struct bulk_key_pool *pool = keys->pool;
	enum status status = end_block(keys, error);

	if (status == ST_OK && pool->free == 0 && largest(pool)->block_count)
		status = spill(largest(pool), error);
	if (status != ST_OK)
		return status;
	keys->filling = malloc(pool->block_keys * sizeof(*keys->filling));
	if (!keys->filling)
		return error_nomem(error);
	pool->free -= pool->free > 0;
	return ST_OK;
}

static size_t buffer_keys(const struct bulk_keys *keys)
{
	size_t share = keys->pool->keys / RUN_BUFFERS_PART /
		       (keys->run_count ? keys->run_count : 1);

	return share < RUN_BUFFER_KEYS_MIN   ? RUN_BUFFER_KEYS_MIN
	       : share > RUN_BUFFER_KEYS_MAX ? RUN_BUFFER_KEYS_MAX
					     : share;
}

/* The runs before the blocks: that is the order of their row ids. */
enum status keys_merge(struct bulk_keys *keys, struct error *error)
{
	size_t runs = keys->run_count;
	enum status status = end_block(keys, error);

	keys->buffer_keys = buffer_keys(keys);
	for (size_t i = 0; i < keys->block_count && status == ST_OK; i++)
		if (!add_stretch(&keys->runs, &keys->run_count, keys->blocks[i]))
			status = error_nomem(error);
		else
			keys->blocks[i].keys = NULL;
	for (size_t i = 0; i < runs && status == ST_OK; i++) {
		struct bulk_stretch *run = &keys->runs[i];

		run->keys = malloc(keys->buffer_keys * sizeof(*run->keys));
		status = run->keys ? read_run(keys, run, error) : error_nomem(error);
	}
	return status == ST_OK ? begin_merge(keys, keys->runs, keys->run_count, error)
			       : status;
}

void keys_release(struct bulk_keys *keys)
{
	end_merge(keys);
	free(keys->filling);
	for (size_t i = 0; i < keys->block_count; i++)
		free(keys->blocks[i].keys);
	for (size_t i = 0; i < keys->run_count; i++)
		free(keys->runs[i].keys);
	free(keys->blocks);
	free(keys->runs);
	*keys = (struct bulk_keys){ .pool = keys->pool };
}
