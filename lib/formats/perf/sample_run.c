/*
 * sample_run.c - runs: plain switches of one stream, decoded into columns.
 *
 * Each is compared with the shape that sample.c found, as in sample_fast.c, and the run
 * ends before the first record that differs in anything: its kind, its length, its ids,
 * its CPU, or a detail that has no row yet.  walk.c decodes that record.
 */
#include "base/unroll.h"
#include "formats/perf/sample_shape.h"
#include "formats/perf/tracepoints.h"

/* What is the same for all samples of a run. */
struct pattern {
	struct perf_shape shape;
	uint64_t header; /* without PERF_MISC_MASK */
	uint64_t id;
	const uint64_t *member_ids;
	size_t size, id_at, time, tid, cpu_at;
	uint64_t count;
	uint32_t cpu;
};

/*
 * Switches whose interval needs nothing but its values and both threads.  Groups that
 * follow a task or a control group, samples of the control group itself, and groups with
 * edges of interrupts are left to the road of records.
 */
static bool can_run(const struct perf_stream *stream)
{
	const struct perf_group *group = stream->event->group;

	return stream->shape.prev_pid && !stream->shape.cgroup && group->count > 0 &&
	       group->count <= RUN_VALUES_MAX / 2 && !group->per_task &&
	       !group->per_cgroup && !group->edges;
}

static struct pattern pattern_of(const struct perf_catalog *catalog,
				 const struct perf_stream *stream, const uint8_t *at)
{
	const struct perf_layout *layout = &stream->event->layout;
	struct pattern pattern = {
		.shape = stream->shape,
		.header = u64_at(at, 0) & ~PERF_MISC_MASK,
		.member_ids = stream->member_ids,
		.size = PERF_RECORD_HEADER_BYTES + stream->shape.bytes,
		.id_at = catalog->named_sample_bytes - sizeof(uint64_t),
		.time = (size_t)layout->time,
		.tid = (size_t)layout->tid,
		.cpu_at = (size_t)layout->cpu,
		.count = stream->event->group->count,
	};

	pattern.id = u64_at(at, pattern.id_at);
	pattern.cpu = u32_at(at + PERF_RECORD_HEADER_BYTES, pattern.cpu_at);
	return pattern;
}

/* Whether the record is like the first one; loads its values. */
static inline bool is_like(const struct pattern *p, const uint8_t *at, uint64_t *values)
{
	const uint8_t *body = at + PERF_RECORD_HEADER_BYTES;
	const uint8_t *member = body + p->shape.members;
	size_t each = p->shape.each;
	uint64_t different = ((u64_at(at, 0) & ~PERF_MISC_MASK) ^ p->header) |
			     (u64_at(at, p->id_at) ^ p->id) |
			     (u64_at(body, p->shape.read) ^ p->count) |
			     (u32_at(body, p->shape.raw) ^ p->shape.raw_bytes) |
			     (u32_at(body, p->cpu_at) ^ p->cpu);

	if (different)
		return false;
	UNROLLED
	for (size_t i = 0; i < p->count; i++, member += each) {
		values[i] = u64_at(member, 0);
		different |= u64_at(member, 8) ^ p->member_ids[i];
	}
	return different == 0;
}

/* How many samples from `at` on are alike; the first are below `limit`. */
static size_t find_alike(const struct pattern *p, const uint8_t *at, size_t limit,
			 size_t have, uint64_t *values)
{
	size_t most = RUN_VALUES_MAX / p->count - 1, count = 0;

	if (most > RUN_SWITCHES_MAX)
		most = RUN_SWITCHES_MAX;
	if (most > have / p->size)
		most = have / p->size;
	if (most > (limit + p->size - 1) / p->size)
		most = (limit + p->size - 1) / p->size;
	while (count < most && is_like(p, at, values)) {
		at += p->size;
		values += p->count;
		count++;
	}
	return count;
}

/* --- columns, from the same place of each record --- */

static inline void load_u64s(const struct run *run, size_t place, int64_t *column)
{
	size_t count = run->count, bytes = run->bytes;
	const uint8_t *at = run->first + PERF_RECORD_HEADER_BYTES + place;

	UNROLLED
	for (size_t i = 1; i <= count; i++, at += bytes)
		memcpy(&column[i], at, sizeof(column[i]));
}

static inline void load_i32s(const struct run *run, size_t place, int32_t *column)
{
	size_t count = run->count, bytes = run->bytes;
	const uint8_t *at = run->first + PERF_RECORD_HEADER_BYTES + place;

	UNROLLED
	for (size_t i = 1; i <= count; i++, at += bytes)
		memcpy(&column[i], at, sizeof(column[i]));
}

static void load_states(const struct perf_shape *shape, struct run *run)
{
	size_t count = run->count, bytes = run->bytes;
	const uint8_t *at = run->first + PERF_RECORD_HEADER_BYTES + shape->prev_state;

	if (shape->is_long_state) {
		load_u64s(run, shape->prev_state, run->prev_state);
		return;
	}
	UNROLLED
	for (size_t i = 1; i <= count; i++, at += bytes)
		run->prev_state[i] = (int32_t)u32_at(at, 0);
}

static void load_samples(const struct pattern *p, struct run *run)
{
	size_t count = run->count, bytes = run->bytes;
	const uint8_t *at = run->first + PERF_RECORD_HEADER_BYTES + p->tid;

	UNROLLED
	for (size_t i = 1; i <= count; i++, at += bytes)
		memcpy(&run->sample[i], at, sizeof(run->sample[i]));
}

/* The run ends before the first negative number. */
static void cut_negative(struct run *run, const int64_t *column)
{
	int64_t signs = 0;
	size_t at = 1;

	UNROLLED
	for (size_t i = 1; i <= run->count; i++)
		signs |= column[i];
	if (LIKELY(signs >= 0))
		return;
	while (column[at] >= 0)
		at++;
	run->count = at - 1;
}

static void load_times(const struct pattern *p, struct run *run)
{
	load_u64s(run, p->time, run->ts_ns);
	cut_negative(run, run->ts_ns);
	if (run->has_enabled) {
		load_u64s(run, p->shape.enabled, run->enabled_ns);
		cut_negative(run, run->enabled_ns);
	}
	if (run->has_running) {
		load_u64s(run, p->shape.running, run->running_ns);
		cut_negative(run, run->running_ns);
	}
	if (run->has_lost)
		load_u64s(run, p->shape.lost, run->leader_lost);
}

/* The run ends before the first detail that is new. */
static void find_details(struct tracepoint_format *format, const struct pattern *p,
			 struct run *run)
{
	const uint8_t *raw = run->first + PERF_RECORD_HEADER_BYTES + p->shape.raw + 4;

	run->count = perf_find_details(format, raw, p->shape.raw_bytes, run->bytes,
				       run->detail_id + 1, run->count);
}

static void load_columns(const struct pattern *p, struct run *run)
{
	load_i32s(run, p->shape.prev_pid, run->prev_tid);
	load_i32s(run, p->shape.next_pid, run->next_tid);
	load_states(&p->shape, run);
	load_samples(p, run);
}

/* --- the run --- */

/* The fields that all have in common. */
static void begin_run(const struct perf_stream *stream, const struct pattern *p,
		      bool want_rows, struct run *run)
{
	const struct tracepoint_format *format = stream->event->format;

	run->common = (struct switch_event){ .cpu = p->cpu, .count = p->count };
	perf_begin_switch(stream, &run->common);
	run->stream_count = 0;
	run->exit_states = PERF_EXIT_STATES;
	run->prev_comm_at = run->next_comm_at = 0;
	if (p->shape.has_comms) {
		run->prev_comm_at = PERF_RECORD_HEADER_BYTES + p->shape.prev_comm;
		run->next_comm_at = PERF_RECORD_HEADER_BYTES + p->shape.next_comm;
		run->common.prev_comm.len = format->prev_comm.size;
		run->common.next_comm.len = format->next_comm.size;
	}
	run->bytes = p->size;
	run->has_enabled = p->shape.enabled != 0;
	run->has_running = p->shape.running != 0;
	run->has_lost = p->shape.lost != 0;
	run->has_details = want_rows;
}

/* As perf_note_time() of each. */
static void note_times(struct perf *perf, const struct run *run)
{
	int64_t first = INT64_MAX, last = 0;

	UNROLLED
	for (size_t i = 1; i <= run->count; i++) {
		int64_t ts_ns = run->ts_ns[i], known = ts_ns ? ts_ns : INT64_MAX;

		first = known < first ? known : first;
		last = ts_ns > last ? ts_ns : last;
	}
	if (last) { /* else no time is known */
		perf_note_time(&perf->rows, first);
		perf_note_time(&perf->rows, last);
	}
}

/* Where the records are in the input, and when. */
static void note_records(struct perf *perf, struct run *run)
{
	const struct input *in = perf->source.in;

	run->offset = in->offset;
	run->has_offsets = in != perf->source.input;
	for (size_t i = 1; run->has_offsets && i <= run->count; i++)
		run->offsets[i] = perf_source_offset(&perf->source,
						     in->offset + (i - 1) * run->bytes);
	note_times(perf, run);
	perf->rows.counts[PERF_RECORD_SAMPLE] += run->count;
}

/* The next record's stream, if its samples can be a run; NULL: they cannot. */
static struct perf_stream *next_stream(struct perf *perf, struct pattern *pattern)
{
	const struct input *in = perf->source.in;
	struct perf_stream *stream;
	size_t size;

	if (in->offset >= perf->walk.plain_to || emit_is_waiting(&perf->rows.emit))
		return NULL;
	stream = find_stream(&perf->catalog, in->pos, input_buffered(in), &size);
	if (!stream || !can_run(stream))
		return NULL;
	*pattern = pattern_of(&perf->catalog, stream, in->pos);
	return pattern->cpu < CPU_MAX &&
			       (!stream->is_indexed || pattern->cpu == stream->cpu)
		       ? stream
		       : NULL;
}

bool perf_decode_run(struct reader *reader, struct record *out)
{
	struct perf *perf = reader->state;
	struct input *in = perf->source.in;
	struct run *run = perf->scratch.run;
	struct pattern pattern = { .count = 0 };
	const struct perf_stream *stream = next_stream(perf, &pattern);

	if (!stream)
		return false;
	if (!run)
		run = perf->scratch.run = arena_alloc(&perf->scratch.arena, sizeof(*run));
	if (!run)
		return false;
	begin_run(stream, &pattern, reader->options.want_rows, run);
	run->first = in->pos;
	run->count =
		find_alike(&pattern, in->pos, (size_t)(perf->walk.plain_to - in->offset),
			   input_buffered(in), run->values + pattern.count);
	load_times(&pattern, run);
	if (run->has_details)
		find_details(stream->event->format, &pattern, run);
	if (run->count < 2) /* not worth it */
		return false;
	load_columns(&pattern, run);
	note_records(perf, run);
	perf->scratch.plain = NULL;
	out->kind = RECORD_RUN;
	out->offset = run_offset(run, 1);
	out->run = run;
	/* Consumed bytes stay in the buffer until the next peek. */
	input_consume(in, run->count * run->bytes);
	return true;
}
