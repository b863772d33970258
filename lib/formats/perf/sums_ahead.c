/*
 * sums_ahead.c - the thread that reads ahead sums up plain switches, too.
 *
 * Where only a bill is wanted, that thread has time left.  So it follows the records of
 * each block that it has read, decodes runs of streams that are known by then, and adds
 * them up (model/run_sums.h).  It knows nothing of damage, tasks and rounds: a stretch is
 * used only where the walk comes to the first of its records, and only as a whole
 * (sums_next.c).
 */
#include "formats/perf/sums_private.h"

/* Where sums are not worth it, or are refused, this many blocks are left out at most. */
#define SKIP_MAX 64
#define REFUSALS_MAX 16

/* --- a stretch --- */

static const struct perf_pattern *find_pattern(const struct perf_sums *sums, size_t count,
					       const uint8_t *at, size_t have)
{
	for (size_t i = count; i-- > 0;) {
		const struct perf_pattern *p = &sums->patterns[i];

		if (have >= p->size && (u64_at(at, 0) & ~PERF_MISC_MASK) == p->header &&
		    u64_at(at, p->id_at) == p->id)
			return p;
	}
	return NULL;
}

size_t perf_load_alike(const struct perf_pattern *p, const uint8_t *at, size_t most,
		       size_t have, struct run *run)
{
	perf_load_run(p, at, most * p->size, have, run);
	if (run->count)
		perf_load_columns(p, run);
	return run->count;
}

/* The last switch of the run is the one before the next. */
static void keep_last(struct run *run)
{
	size_t slots = run->common.count, last = run->count;

	run->ts_ns[0] = run->ts_ns[last];
	run->next_tid[0] = run->next_tid[last];
	run->enabled_ns[0] = run->enabled_ns[last];
	run->running_ns[0] = run->running_ns[last];
	run->leader_lost[0] = run->leader_lost[last];
	memcpy(run->values, run->values + last * slots, slots * sizeof(run->values[0]));
}

static struct perf_place place_before(const struct run *run)
{
	struct perf_place place = { run->ts_ns[0],	run->enabled_ns[0],
				    run->running_ns[0], run->leader_lost[0],
				    run->next_tid[0],	{ 0 } };

	memcpy(place.values, run->values, run->common.count * sizeof(place.values[0]));
	return place;
}

static void begin_stretch(struct perf_sums *sums, const struct perf_pattern *p,
			  struct perf_stretch *stretch)
{
	size_t limits = atomic_load(&sums->limit_count);

	stretch->pattern = p;
	stretch->from = sums->at;
	stretch->before = place_before(&sums->run);
	stretch->sums = (struct run_sums){
		.slots = p->count,
		.limits = limits ? &sums->limits[limits - 1] : NULL,
		.has_comms = p->shape.has_comms,
		.threads = stretch->threads,
		.counts = stretch->counts,
		.places = sums->places,
	};
	memset(sums->places, 0, sizeof(sums->places));
}

/* Adds records from sums->at on, until one differs or there is no time. */
static void add_records(struct perf_sums *sums, const struct perf_pattern *p,
			const uint8_t *at, size_t have, const struct input_piece *piece,
			struct perf_stretch *stretch)
{
	struct run *run = &sums->run;
	size_t added;

	do {
		size_t room = RUN_SUMS_SWITCHES_MAX - stretch->sums.count;

		sums->begun = NULL;
		if (!perf_load_alike(p, at, room, have, run))
			break;
		added = sums->sum(&stretch->sums, run);
		at += added * p->size;
		have -= added * p->size;
		sums->at += added * p->size;
		if (added < run->count)
			break;
		keep_last(run);
		sums->begun = p;
	} while (stretch->sums.count < RUN_SUMS_SWITCHES_MAX && input_has_time(piece));
	stretch->to = sums->at;
}

static bool is_worth(const struct perf_sums *sums, const struct run_sums *of)
{
	return of->count >= sums->least &&
	       of->count >= sums->least_a_thread * of->thread_count;
}

/* The record at sums->at becomes the one before a stretch. */
static void begin_with(struct perf_sums *sums, const struct perf_pattern *p,
		       const uint8_t *at, size_t have)
{
	sums->begun = NULL;
	perf_begin_columns(p, &sums->run);
	if (perf_load_alike(p, at, 1, have, &sums->run)) {
		keep_last(&sums->run);
		sums->begun = p;
	}
	sums->at += p->size;
}

/* The record at sums->at is like those of a stream; false: no room for more sums. */
static bool sum_samples(struct perf_sums *sums, const struct perf_pattern *p,
			const uint8_t *at, size_t have, const struct input_piece *piece)
{
	size_t made = atomic_load(&sums->made);
	struct perf_stretch *stretch = perf_stretch_at(sums, made);

	if (made - atomic_load(&sums->used) == PERF_SUMS_STRETCHES)
		return false;
	if (sums->begun != p) {
		begin_with(sums, p, at, have);
		return true;
	}
	begin_stretch(sums, p, stretch);
	add_records(sums, p, at, have, piece, stretch);
	sums->tried += stretch->sums.count;
	if (is_worth(sums, &stretch->sums)) {
		sums->worth += stretch->sums.count;
		atomic_store(&sums->made, made + 1);
	}
	return true;
}

/* --- the records of a block --- */

/* Goes over the record at `at`; false: where it ends is not known. */
static bool skip_record(struct perf_sums *sums, const uint8_t *at, size_t have)
{
	struct perf_header header = perf_decode_header(at, false);

	sums->begun = NULL;
	if (header.size > have) {
		sums->at_size = header.size;
		return false;
	}
	if (header.size < PERF_RECORD_HEADER_BYTES ||
	    (header.type >= PERF_RECORD_TRACING_DATA &&
	     header.type != PERF_RECORD_FINISHED_ROUND)) {
		sums->at = PERF_NOWHERE;
		return false;
	}
	sums->at += header.size;
	return true;
}

static void follow_records(struct perf_sums *sums, const struct input_piece *piece)
{
	size_t patterns = atomic_load(&sums->pattern_count);
	uint64_t end = piece->offset + piece->size;
	bool goes_on = patterns > 0;

	sums->at_size = 0;
	while (goes_on && sums->at + PERF_RECORD_HEADER_BYTES <= end &&
	       input_has_time(piece)) {
		/* It may be in the block before. */
		const uint8_t *at = piece->bytes + (ptrdiff_t)(sums->at - piece->offset);
		size_t have = (size_t)(end - sums->at);
		const struct perf_pattern *p = find_pattern(sums, patterns, at, have);

		goes_on = p ? sum_samples(sums, p, at, have, piece)
			    : skip_record(sums, at, have);
	}
}

void perf_sum_records(struct perf_sums *sums, const struct input_piece *piece)
{
	sums->at = piece->offset;
	sums->begun = NULL;
	follow_records(sums, piece);
}

/* Where they are of no use, fewer and fewer blocks are tried. */
static bool is_resting(struct perf_sums *sums)
{
	bool is_useful = sums->worth >= sums->tried / 2 &&
			 atomic_load(&sums->refusals) < REFUSALS_MAX;

	if (sums->skip_left) {
		sums->skip_left--;
		return true;
	}
	if (sums->tried < RUN_SUMS_SWITCHES_MAX)
		return false;
	sums->skip_next = is_useful ? 0 : 2 * sums->skip_next + 1;
	if (sums->skip_next > SKIP_MAX)
		sums->skip_next = SKIP_MAX;
	sums->skip_left = sums->skip_next;
	sums->tried = sums->worth = 0;
	return sums->skip_left > 0;
}

/* Goes on where the last block ended, or where the look-ahead is by now. */
void perf_sum_block(void *context, const struct input_piece *piece)
{
	struct perf_sums *sums = context;
	uint64_t from = piece->offset - piece->before, end = piece->offset + piece->size;
	uint64_t known = atomic_load(&sums->known);

	if (sums->at < from && sums->at_size) { /* the record ends in this block */
		sums->at += sums->at_size;
		sums->begun = NULL;
	}
	if (sums->at < known || sums->at > end) {
		sums->at = known;
		sums->begun = NULL;
	}
	if (sums->at >= from && sums->at <= end && !is_resting(sums))
		follow_records(sums, piece);
}
