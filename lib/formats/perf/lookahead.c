/*
 * lookahead.c - looks ahead for task records, and for bytes that are not records.
 *
 * A file is written ring by ring: what CPU 1 did follows what CPU 0 did later.  So the
 * FORK of a thread may follow its first switches; where a tid is reused, those would be
 * charged to the previous thread.  perf sorts all records.  Here only COMM, FORK and
 * EXIT, which are few, are emitted early and in order of time: the headers in the buffer
 * are scanned, and samples are decoded only up to where all earlier task records were
 * seen.
 *
 * FINISHED_ROUND marks that place: after the end of a round, no record is older than the
 * newest of the round before it.  Where two rounds do not fit the buffer, an eighth of
 * the buffer (512 KiB) is kept ahead instead.
 *
 * The same scan finds damage: an invalid header begins a gap, up to the next place where
 * records follow one another again.  The record before it may be the culprit, with a size
 * that is too large; so the search begins within that one.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/os.h"
#include "formats/perf/perf.h"
#include "formats/perf/sums.h"

/* So many samples are prefetched: about 7 KB. */
#define SAMPLES_FETCHED 32

static bool is_task_record(uint32_t type)
{
	return type == PERF_RECORD_COMM || type == PERF_RECORD_EXIT ||
	       type == PERF_RECORD_FORK;
}

static bool add_task(struct perf *perf, const uint8_t *at,
		     const struct perf_header *header, uint64_t offset)
{
	struct perf_ahead *ahead = &perf->walk.ahead;
	int64_t ts_ns = perf_record_time(&perf->catalog, at, header);

	/* Emitted already, before a second scan. */
	if (offset < ahead->noted_to && offset >= ahead->reopened_to)
		return true;
	if (!ARRAY_GROW(ahead->tasks, ahead->room, ahead->count))
		return false;
	/* A record without a time keeps its place after the one before it. */
	if (ts_ns == INT_NONE)
		ts_ns = ahead->count ? ahead->tasks[ahead->count - 1].ts_ns : 0;
	ahead->tasks[ahead->count++] = (struct perf_task){ ts_ns, offset };
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct perf_task *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* --- gaps --- */

static bool add_gap(struct perf_ahead *ahead, struct perf_gap gap)
{
	if (!ARRAY_GROW(ahead->gaps, ahead->gap_room, ahead->gap_count))
		return false;
	ahead->gaps[ahead->gap_count++] = gap;
	return true;
}

/* The buffered part of the data. */
struct window {
	const uint8_t *bytes;
	uint64_t base;
	uint64_t limit;
	bool last; /* no data follows it */
};

/* Drops task records inside a record that was wrong. */
static void forget_tasks(struct perf_ahead *ahead, uint64_t from)
{
	while (ahead->count && ahead->tasks[ahead->count - 1].offset >= from)
		ahead->count--;
}

/*
 * No record can begin at ahead->scanned.  Continues at the next one; false: out of
 * memory.
 */
static bool skip_gap(struct perf *perf, const struct window *w, enum perf_fault fault,
		     uint64_t value)
{
	struct perf_ahead *ahead = &perf->walk.ahead;
	uint64_t from = ahead->scanned, search = from + (ahead->lost ? 0 : 8), next;

	if (!ahead->lost && ahead->last >= w->base && ahead->last < from)
		search = ahead->last + 8;
	next = perf_resync(&perf->catalog, w->bytes, w->base, search, w->limit, w->last);
	if (next < from) {
		from = ahead->last;
		forget_tasks(ahead, from);
	}
	ahead->lost = next == w->limit;
	/*
	 * A record may begin within the last bytes and be recognised with the next block.
	 */
	if (ahead->lost && !w->last && next - from >= 64)
		next = from + (next - from - 48) / 8 * 8;
	ahead->scanned = ahead->last = next;
	return from == next ||
	       add_gap(ahead, (struct perf_gap){ from, next, fault, value });
}

/* --- the walk --- */

/* The bytes from `offset` to the end of the data or file, as far as known. */
static uint64_t bytes_left(const struct perf *perf, uint64_t offset)
{
	if (perf->source.data_end != UINT64_MAX)
		return perf->source.data_end - offset;
	if (perf->source.in == perf->source.input &&
	    perf->source.input->size != INPUT_SIZE_UNKNOWN)
		return perf->source.input->size - offset;
	return UINT64_MAX;
}

/*
 * Checks the header at ahead->scanned and advances, or returns why it is invalid.  *stop:
 * the rest depends on records that are not decoded or buffered yet.
 */
static enum perf_fault scan_record(struct perf *perf, const struct window *w,
				   uint64_t *value, bool *stop, bool *failed)
{
	struct perf_ahead *ahead = &perf->walk.ahead;
	const uint8_t *at = w->bytes + (ahead->scanned - w->base);
	size_t have = (size_t)(w->limit - ahead->scanned);
	struct perf_header header = perf_decode_header(at, perf->catalog.big_endian);
	struct perf_extent extent;

	/* Before the events are known, only records that describe them can be decoded. */
	if (perf_is_compressed(header.type)
		    ? perf->source.in == perf->source.input
		    : !perf->walk.described && perf_is_kernel_type(header.type)) {
		*stop = true;
		return PERF_FAULT_NONE;
	}
	extent = perf_find_extent(&perf->catalog, at, have);
	*value = extent.value;
	if (extent.fault)
		return extent.fault;
	if (extent.record > have && extent.record <= INPUT_BUFFER_BYTES) {
		*stop = !w->last; /* the rest of it is not here yet */
		return w->last ? PERF_FAULT_OVER_END : PERF_FAULT_NONE;
	}
	if (extent.whole > (w->last ? have : bytes_left(perf, ahead->scanned)))
		return PERF_FAULT_OVER_END;
	if (!perf_record_name(header.type)) {
		*value = header.type;
		if (perf_is_unlikely(&perf->catalog, at, have, extent.whole))
			return PERF_FAULT_UNLIKELY;
	}
	if (header.type != PERF_RECORD_SAMPLE && perf_is_kernel_type(header.type) &&
	    perf_is_oversized(&perf->catalog, at, extent.record)) {
		*value = extent.record;
		return PERF_FAULT_OVERSIZED;
	}
	perf->catalog.scope.has_task_switches |= header.type == PERF_RECORD_SWITCH;
	perf->catalog.scope.has_cpu_switches |=
		header.type == PERF_RECORD_SWITCH_CPU_WIDE;
	if (is_task_record(header.type) && !add_task(perf, at, &header, ahead->scanned)) {
		*failed = true;
		return PERF_FAULT_NONE;
	}
	ahead->last = ahead->scanned;
	ahead->scanned += extent.whole;
	ahead->lost = false;
	if (header.type == PERF_RECORD_FINISHED_ROUND) {
		ahead->round_before = ahead->round;
		ahead->round = ahead->scanned;
	}
	return PERF_FAULT_NONE;
}

/*
 * Skips samples that have the size of the one at `at`, as most have.  The next one is
 * found through the header of this one, so the processor cannot prefetch it; but where it
 * must be if it has that size is known.
 */
static uint64_t skip_like(const struct window *w, uint64_t at, uint32_t size,
			  uint64_t limit)
{
	const uint8_t *first = w->bytes + (at - w->base), *record = first;
	uint64_t header, pattern;
	size_t left = (size_t)(limit - at) / size;

	memcpy(&pattern, record, sizeof(pattern));
	do {
		if (left >= SAMPLES_FETCHED)
			__builtin_prefetch(record + (size_t)size * (SAMPLES_FETCHED - 1));
		record += size;
		if (--left == 0)
			break;
		memcpy(&header, record, sizeof(header));
	} while (((header ^ pattern) & ~PERF_MISC_MASK) == 0);
	return at + (uint64_t)(record - first);
}

/* Skips plain samples, which nearly all records are. */
static void skip_samples(struct perf *perf, const struct window *w)
{
	uint64_t at = perf->walk.ahead.scanned, next;

	for (;;) {
		struct perf_header header;
		size_t size = 0;

		at = perf_sums_skip(perf_sums_of(perf), at, w->limit, &next, &size);
		if (size)
			perf->walk.ahead.last = at - size;
		if (w->limit - at < PERF_RECORD_HEADER_BYTES)
			break;
		header = perf_decode_header(w->bytes + (at - w->base),
					    perf->catalog.big_endian);
		if (header.type != PERF_RECORD_SAMPLE || header.size % 8 ||
		    header.size < PERF_RECORD_HEADER_BYTES || header.size > w->limit - at)
			break;
		at = skip_like(w, at, header.size,
			       header.size > next - at ? w->limit : next);
		perf->walk.ahead.last = at - header.size;
	}
	perf->walk.ahead.scanned = at;
}

/* False: out of memory.  Ends early when the program is interrupted. */
static bool scan_records(struct perf *perf, const struct window *w)
{
	struct perf_ahead *ahead = &perf->walk.ahead;
	bool stop = false, failed = false;

	if (ahead->lost && !skip_gap(perf, w, PERF_FAULT_NONE, 0))
		return false;
	while (!stop && !ahead->lost && ahead->scanned < w->limit &&
	       w->limit - ahead->scanned >= PERF_RECORD_HEADER_BYTES) {
		uint64_t value = 0;
		enum perf_fault fault;

		if (perf->walk.described)
			skip_samples(perf, w);
		if (w->limit - ahead->scanned < PERF_RECORD_HEADER_BYTES)
			break;
		fault = scan_record(perf, w, &value, &stop, &failed);

		if (failed || (fault && !skip_gap(perf, w, fault, value)))
			return false;
		stop |= fault && os_interrupted();
	}
	return true;
}

/* How far samples may be decoded, after headers up to ahead->scanned were checked. */
static uint64_t safe_place(const struct perf *perf, const struct window *w)
{
	const struct perf_ahead *ahead = &perf->walk.ahead;
	const struct input *in = perf->source.in;
	uint64_t safe;

	if (w->last)
		safe = w->limit;
	else if (ahead->round_before > in->offset)
		safe = ahead->round_before;
	else if (!in->is_live || w->limit - in->offset >= INPUT_BUFFER_BYTES)
		safe = in->offset + (w->limit - in->offset) / 8 * 7;
	else /* the end of the round will come; a description has none */
		safe = perf->walk.described ? in->offset : ahead->scanned;
	return safe < ahead->scanned ? safe : ahead->scanned;
}

/* Scans `have` bytes of `wanted`; false: out of memory. */
static bool scan_window(struct perf *perf, size_t have, size_t wanted, bool is_all)
{
	struct perf_ahead *ahead = &perf->walk.ahead;
	struct input *in = perf->source.in;
	struct window w = { in->pos, in->offset,
			    in->offset + (have < wanted ? have : wanted), false };

	w.last = is_all || w.limit == perf->source.data_end;
	if (ahead->scanned <= in->offset) {
		ahead->scanned = in->offset;
		if (ahead->last < in->offset)
			ahead->last = in->offset;
	}
	if (!scan_records(perf, &w))
		return false;
	if (ahead->noted_to < ahead->scanned)
		ahead->noted_to = ahead->scanned;
	ahead->safe = safe_place(perf, &w);
	perf_sums_know_record(perf_sums_of(perf), ahead->scanned);
	return true;
}

void perf_forget_ahead(struct perf_walk *walk, const struct perf_source *source)
{
	struct perf_ahead *ahead = &walk->ahead;

	ahead->scanned = ahead->safe = ahead->last = source->in->offset;
	ahead->gap_count = ahead->gap_next = 0;
	ahead->lost = false;
	walk->plain_to = 0;
}

/*
 * Frees the room of gaps that were skipped.  Later ones stay: their bytes were scanned
 * and are not scanned again.
 */
static void drop_skipped_gaps(struct perf_ahead *ahead, uint64_t offset)
{
	size_t skipped = ahead->gap_next;

	while (skipped < ahead->gap_count && ahead->gaps[skipped].to <= offset)
		skipped++;
	ahead->gap_count -= skipped;
	if (ahead->gap_count && skipped)
		memmove(ahead->gaps, ahead->gaps + skipped,
			ahead->gap_count * sizeof(*ahead->gaps));
	ahead->gap_next = 0;
}

void perf_scan_again(struct perf *perf, size_t bytes)
{
	struct perf_ahead *ahead = &perf->walk.ahead;
	const struct input *in = perf->source.in;
	const struct window w = { in->pos, in->offset, in->offset + bytes, true };
	struct perf_ahead before;

	drop_skipped_gaps(ahead, in->offset);
	before = *ahead;
	ahead->scanned = ahead->last = in->offset;
	ahead->lost = false;
	ahead->count = ahead->next = 0;
	if (before.scanned < w.limit || !scan_records(perf, &w) ||
	    ahead->gap_count != before.gap_count) {
		perf_forget_ahead(&perf->walk, &perf->source);
		return;
	}
	if (ahead->count > 1)
		qsort(ahead->tasks, ahead->count, sizeof(*ahead->tasks), by_time);
	ahead->scanned = before.scanned;
	ahead->last = before.last;
	ahead->lost = before.lost;
	ahead->round = before.round;
	ahead->round_before = before.round_before;
	perf->walk.plain_to = 0;
}

/* A record can be decoded, or something must be settled first. */
static bool is_ready(const struct perf *perf)
{
	const struct perf_ahead *ahead = &perf->walk.ahead;
	const struct input *in = perf->source.in;

	return ahead->safe > in->offset ||
	       (ahead->gap_count && ahead->gaps[0].from <= in->offset) ||
	       (!perf->walk.described && input_buffered(in) >= PERF_RECORD_HEADER_BYTES &&
		ahead->scanned == in->offset);
}

enum status perf_scan_ahead(struct reader *reader)
{
	struct perf *perf = reader->state;
	struct perf_ahead *ahead = &perf->walk.ahead;
	struct input *in = perf->source.in;
	uint64_t left = perf->source.data_end - in->offset;
	size_t wanted = left < INPUT_BUFFER_BYTES ? (size_t)left : INPUT_BUFFER_BYTES;
	size_t have = in->is_live ? input_buffered(in) : input_peek_some(in, wanted);
	bool is_all = !in->is_live && have < wanted;

	ahead->count = ahead->next = 0;
	drop_skipped_gaps(ahead, in->offset);
	for (;;) {
		if (!scan_window(perf, have, wanted, is_all))
			return error_nomem(&reader->error);
		if (!in->is_live || is_all || is_ready(perf))
			break;
		is_all = !input_pull_more(in);
		have = input_buffered(in);
	}
	if (reader_interrupted(reader))
		return ST_INTERRUPTED;
	if (ahead->count > 1)
		qsort(ahead->tasks, ahead->count, sizeof(*ahead->tasks), by_time);
	return ST_OK;
}
