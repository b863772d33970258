/*
 * pack_switches.c - single switches, column by column.
 *
 * A block is a count, then so many of each: CPU + 1 (0: not known), time since the one
 * before (zigzag, the first since the start that the document names), time on the CPU
 * (zigzag), thread, kind, book; then for each book the counters of its intervals, zigzag,
 * counter by counter.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/varint.h"
#include "output/html/blocks.h"
#include "output/html/pack.h"
#include "report/totals.h"

enum { COLUMN_CPU, COLUMN_TIME, COLUMN_NS, COLUMN_THREAD, COLUMN_KIND, COLUMN_BOOK };
#define COLUMNS 6

struct columns {
	struct bytes columns[COLUMNS];
	struct bytes counters[PERIOD_BOOKS_MAX][PERIOD_BOOK_COUNTERS_MAX];
	struct map thread_by_key; /* number + 1 */
	int64_t *threads;	  /* ids, in the order of their numbers; -1: not known */
	size_t thread_count, thread_room;
	int64_t last_ns;
};

/* SIZE_MAX: out of memory. */
static size_t thread_number(struct columns *columns, uint64_t key)
{
	size_t number = (size_t)(uintptr_t)map_get(&columns->thread_by_key, key);

	if (number)
		return number - 1;
	number = columns->thread_count;
	if (!ARRAY_GROW(columns->threads, columns->thread_room, number))
		return SIZE_MAX;
	columns->threads[number] = key < KEY_THREADS ? -1 : (int64_t)(key - KEY_THREADS);
	columns->thread_count++;
	return map_put(&columns->thread_by_key, key, (void *)(uintptr_t)(number + 1))
		       ? number
		       : SIZE_MAX;
}

static bool split(struct columns *columns, const struct collect *collect,
		  int64_t start_ns)
{
	struct switches_reader reader;
	struct switch_entry entry;

	columns->last_ns = start_ns;
	switches_read(&reader, &collect->switches);
	while (switches_next(&reader, &entry)) {
		size_t thread = thread_number(columns, entry.key);
		size_t book = collect_rank(collect, entry.book);
		struct bytes *to = columns->columns;

		if (thread == SIZE_MAX)
			return false;
		varint_put(&to[COLUMN_CPU], (uint64_t)entry.cpu + 1);
		varint_put(&to[COLUMN_TIME],
			   varint_zigzag((int64_t)((uint64_t)entry.ts_ns -
						   (uint64_t)columns->last_ns)));
		varint_put(&to[COLUMN_NS], varint_zigzag(entry.on_cpu_ns));
		varint_put(&to[COLUMN_THREAD], thread);
		varint_put(&to[COLUMN_KIND], entry.kind);
		varint_put(&to[COLUMN_BOOK], book);
		columns->last_ns = entry.ts_ns;
		for (size_t i = 0; i < entry.count && i < PERIOD_BOOK_COUNTERS_MAX; i++)
			varint_put(&columns->counters[book][i],
				   varint_zigzag(entry.deltas[i]));
	}
	return true;
}

static bool join(struct columns *columns, const struct switches *switches,
		 struct bytes *deflated)
{
	struct bytes block = { .data = NULL };
	bool done = true;

	varint_put(&block, switches->count);
	for (size_t i = 0; i < COLUMNS; i++) {
		done &= !columns->columns[i].failed;
		bytes_put(&block, columns->columns[i].data, columns->columns[i].size);
	}
	for (size_t b = 0; b < PERIOD_BOOKS_MAX; b++)
		for (size_t i = 0; i < PERIOD_BOOK_COUNTERS_MAX; i++) {
			done &= !columns->counters[b][i].failed;
			bytes_put(&block, columns->counters[b][i].data,
				  columns->counters[b][i].size);
		}
	done = done && !block.failed &&
	       block_deflate(deflated, block.data, block.size, SIZE_MAX);
	bytes_release(&block);
	return done;
}

/* The line of each thread and its tid: [line, tid], null for those that have none. */
static void write_threads(const struct packing *packing, const struct columns *columns)
{
	FILE *to = packing->document;

	fputs(", \"threads\": [", to);
	for (size_t i = 0; i < columns->thread_count; i++) {
		int64_t id = columns->threads[i];
		size_t line = id < 0 ? SIZE_MAX : colours_line(packing->colours, id);
		const struct totals_thread *thread =
			id < 0 ? NULL
			       : map_get(&packing->colours->totals->thread_by_id,
					 (uint64_t)id);

		fputs(i ? "," : "", to);
		if (line == SIZE_MAX)
			fputs("[null,", to);
		else
			fprintf(to, "[%zu,", line);
		if (thread)
			fprintf(to, "%lld]", (long long)thread->row.tid);
		else
			fputs("null]", to);
	}
	fputs("]", to);
}

static void release(struct columns *columns)
{
	for (size_t i = 0; i < COLUMNS; i++)
		bytes_release(&columns->columns[i]);
	for (size_t b = 0; b < PERIOD_BOOKS_MAX; b++)
		for (size_t i = 0; i < PERIOD_BOOK_COUNTERS_MAX; i++)
			bytes_release(&columns->counters[b][i]);
	map_release(&columns->thread_by_key);
	free(columns->threads);
}

bool pack_switches(struct packing *packing)
{
	const struct switches *switches = &packing->collect->switches;
	int64_t start_ns = packing->colours->totals->trace.first_ns;
	struct columns columns = { .thread_count = 0 };
	struct bytes deflated = { .data = NULL };
	bool done = switches->count > 0;
	char id[32];

	if (!done)
		return true;
	start_ns = start_ns == INT_NONE ? 0 : start_ns;
	done = split(&columns, packing->collect, start_ns) &&
	       join(&columns, switches, &deflated);
	if (done) {
		snprintf(id, sizeof(id), "block%zu", packing->blocks++);
		block_write(packing->to, id, &deflated);
		fprintf(packing->document,
			",\n \"switches\": {\"block\": \"%s\", \"start_ns\": \"%lld\"",
			id, (long long)start_ns);
		if (switches->is_full)
			fprintf(packing->document, ", \"to_ns\": \"%lld\"",
				(long long)switches->left_out_ns);
		write_threads(packing, &columns);
		fputs("}", packing->document);
	}
	bytes_release(&deflated);
	release(&columns);
	return done;
}
