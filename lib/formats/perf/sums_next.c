/*
 * sums_next.c - gives sums of plain switches instead of their records.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "formats/perf/sums_private.h"

/* Less than that costs more than to judge the switches in runs. */
#define SWITCHES_MIN 64
#define SWITCHES_A_THREAD_MIN 3

void perf_sums_open(struct reader *reader)
{
	struct perf *perf = reader->state;
	const struct input *in = perf->source.in;
	size_t least = reader->options.least_sum;
	struct perf_sums *sums;

	if (!reader->sum_run || in != perf->source.input ||
	    !(in->ahead || (in->memory && least)))
		return;
	sums = perf->sums = memory_alloc(sizeof(*sums));
	if (!sums) /* which is noted: the bill will not be given */
		return;
	sums->sum = reader->sum_run;
	sums->least = least ? least : SWITCHES_MIN;
	sums->least_a_thread = least ? 1 : SWITCHES_A_THREAD_MIN;
	atomic_init(&sums->pattern_count, 0);
	atomic_init(&sums->limit_count, 0);
	atomic_init(&sums->known, PERF_NOWHERE);
	atomic_init(&sums->refusals, 0);
	atomic_init(&sums->made, 0);
	atomic_init(&sums->used, 0);
	sums->at = PERF_NOWHERE;
	sums->at_size = 0;
	sums->begun = NULL;
	sums->tried = sums->worth = sums->skip_left = sums->skip_next = 0;
	sums->scanned = sums->patterns_tried = 0;
	sums->given = NULL;
	input_work_ahead(perf->source.in, perf_sum_block, sums);
}

void perf_sums_close(struct perf *perf)
{
	if (perf->sums)
		input_end(perf->source.input); /* no thread uses them then */
	free(perf->sums);
	perf->sums = NULL;
}

/* --- what the thread that reads ahead is to know --- */

void perf_sums_know_record(struct perf_sums *sums, uint64_t offset)
{
	if (sums)
		atomic_store(&sums->known, offset);
}

static bool can_sum(const struct perf_pattern *pattern)
{
	size_t name = sizeof(((struct thread_sums *)NULL)->comm);

	return pattern->count <= RUN_SUMS_COUNTERS_MAX && pattern->size % 8 == 0 &&
	       (!pattern->shape.has_comms ||
		(pattern->prev_comm_bytes == name && pattern->next_comm_bytes == name));
}

void perf_sums_know_stream(struct perf_sums *sums, struct perf_stream *stream,
			   const struct perf_pattern *pattern)
{
	size_t count = sums ? atomic_load(&sums->pattern_count) : PERF_SUMS_PATTERNS;
	struct perf_pattern *to;

	if (stream->summed || count == PERF_SUMS_PATTERNS || !can_sum(pattern))
		return;
	to = &sums->patterns[count];
	*to = *pattern;
	memcpy(to->ids, pattern->member_ids, pattern->count * sizeof(to->ids[0]));
	to->member_ids = to->ids;
	stream->summed = to;
	atomic_store(&sums->pattern_count, count + 1);
}

static void know_limits(struct perf_sums *sums, const struct run_limits *limits)
{
	size_t count = atomic_load(&sums->limit_count);

	if (!limits->version || count == PERF_SUMS_LIMITS ||
	    (count && sums->limits[count - 1].version == limits->version))
		return;
	sums->limits[count] = *limits;
	atomic_store(&sums->limit_count, count + 1);
}

/* --- stretches --- */

/* The first from *at on whose records are not before `offset`; NULL: there is none. */
static struct perf_stretch *first_from(struct perf_sums *sums, size_t *at,
				       uint64_t offset)
{
	size_t made = atomic_load(&sums->made);

	while (*at < made && perf_stretch_at(sums, *at)->from < offset)
		++*at;
	return *at < made ? perf_stretch_at(sums, *at) : NULL;
}

uint64_t perf_sums_skip(struct perf_sums *sums, uint64_t offset, uint64_t limit,
			uint64_t *next, size_t *size)
{
	const struct perf_stretch *stretch;
	size_t used;

	*next = limit;
	if (!sums)
		return offset;
	used = atomic_load(&sums->used);
	if (sums->scanned < used)
		sums->scanned = used;
	while ((stretch = first_from(sums, &sums->scanned, offset)) != NULL &&
	       stretch->from == offset && stretch->to <= limit) {
		offset = stretch->to;
		*size = stretch->pattern->size;
	}
	if (stretch && stretch->from > offset && stretch->from < limit)
		*next = stretch->from;
	return offset;
}

/* No thread reads ahead in memory: sums are made when they are needed (tests). */
static void sum_memory(struct perf_sums *sums, const struct input *in)
{
	const atomic_size_t begun = 0;
	const atomic_bool is_waited = false;
	const struct input_piece all = { .bytes = in->pos,
					 .size = input_buffered(in),
					 .offset = in->offset,
					 .begun = &begun,
					 .is_waited = &is_waited };
	size_t patterns = atomic_load(&sums->pattern_count);

	if (sums->patterns_tried == patterns && sums->at > in->offset)
		return;
	sums->patterns_tried = patterns;
	perf_sum_records(sums, &all);
}

/* The next one, which may begin later. */
static struct perf_stretch *next_stretch(struct perf_sums *sums, const struct input *in)
{
	size_t used = atomic_load(&sums->used);
	struct perf_stretch *stretch = first_from(sums, &used, in->offset);

	atomic_store(&sums->used, used);
	if (!stretch && in->memory) {
		sum_memory(sums, in);
		stretch = first_from(sums, &used, in->offset);
	}
	return stretch;
}

static void drop_stretch(struct perf_sums *sums)
{
	atomic_store(&sums->used, atomic_load(&sums->used) + 1);
}

/* --- the walk --- */

/* The last stretch was accepted, or its records come again. */
static void settle(struct perf *perf)
{
	struct perf_sums *sums = perf->sums;
	struct input *in = perf->source.in;
	const struct perf_stretch *given = sums->given;
	const struct run *ends = sums->summed.ends;

	sums->given = NULL;
	if (sums->summed.is_refused) {
		in->pos -= given->to - given->from;
		in->offset = given->from;
		atomic_store(&sums->refusals, atomic_load(&sums->refusals) + 1);
		know_limits(sums, &sums->summed.limits);
	} else {
		perf_note_time(&perf->rows, ends->ts_ns[ends->count]);
		perf->rows.counts[PERF_RECORD_SAMPLE] += given->sums.count;
		atomic_store(&sums->refusals, 0);
	}
	drop_stretch(sums);
}

/* The ends of the stretch, whose records begin at `at`; false: it has none. */
static bool load_ends(const struct perf_stream *stream,
		      const struct perf_stretch *stretch, const struct perf_pattern *p,
		      const uint8_t *at, struct run *run)
{
	const struct perf_place *before = &stretch->before;

	perf_begin_run(stream, p, run);
	if (stretch->sums.count < 2 ||
	    perf_load_alike(p, at + (stretch->sums.count - 2) * p->size, 2, 2 * p->size,
			    run) != 2)
		return false;
	run->ts_ns[0] = before->ts_ns;
	run->next_tid[0] = before->next_tid;
	run->enabled_ns[0] = before->enabled_ns;
	run->running_ns[0] = before->running_ns;
	run->leader_lost[0] = before->leader_lost;
	memcpy(run->values, before->values, p->count * sizeof(run->values[0]));
	return true;
}

/* The stretch is of records as the walk knows them now, and all of them are here. */
static bool prepare(struct perf *perf, const struct perf_stretch *stretch)
{
	const struct input *in = perf->source.in;
	struct perf_pattern pattern = { .count = 0 };
	const struct perf_stream *stream = perf_next_stream(perf, &pattern);

	return stream && stream->summed == stretch->pattern &&
	       stretch->to - stretch->from <= input_buffered(in) &&
	       load_ends(stream, stretch, &pattern, in->pos, perf->scratch.run);
}

bool perf_decode_sums(struct perf *perf, uint64_t *limit, struct record *out)
{
	struct perf_sums *sums = perf->sums;
	struct input *in = perf->source.in;
	struct perf_stretch *stretch;

	if (sums->given)
		settle(perf);
	stretch = next_stretch(sums, in);
	if (!stretch)
		return false;
	if (stretch->from > in->offset) {
		if (stretch->from < *limit)
			*limit = stretch->from;
		return false;
	}
	if (stretch->to > *limit || !prepare(perf, stretch)) {
		drop_stretch(sums);
		return false;
	}
	sums->given = stretch;
	sums->summed.sums = &stretch->sums;
	sums->summed.ends = perf->scratch.run;
	sums->summed.limits.version = 0;
	perf->scratch.plain = NULL;
	out->kind = RECORD_RUN_SUMS;
	out->offset = in->offset;
	out->summed = &sums->summed;
	input_consume(in, (size_t)(stretch->to - stretch->from));
	return true;
}
