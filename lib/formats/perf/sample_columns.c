/*
 * sample_columns.c - columns of plain switches, from the same place of each record.
 *
 * Each is compared with the shape that sample.c found, as in sample_fast.c; they end
 * before the first record that differs in anything: its kind, its length, its ids or its
 * CPU.
 */
#include "base/unroll.h"
#include "formats/perf/sample_shape.h"
#include "formats/perf/tracepoints.h"

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

static struct perf_pattern pattern_of(const struct perf_catalog *catalog,
				      const struct perf_stream *stream, const uint8_t *at)
{
	const struct perf_layout *layout = &stream->event->layout;
	struct perf_pattern pattern = {
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

	if (pattern.shape.has_comms) {
		pattern.prev_comm_bytes = stream->event->format->prev_comm.size;
		pattern.next_comm_bytes = stream->event->format->next_comm.size;
	}
	pattern.id = u64_at(at, pattern.id_at);
	pattern.cpu = u32_at(at + PERF_RECORD_HEADER_BYTES, pattern.cpu_at);
	return pattern;
}

/* Whether the record is like the first one; loads its values. */
static inline bool is_like(const struct perf_pattern *p, const uint8_t *at,
			   uint64_t *values)
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
static size_t find_alike(const struct perf_pattern *p, const uint8_t *at, size_t limit,
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

/* --- columns --- */

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

static void load_samples(const struct perf_pattern *p, struct run *run)
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

static void load_times(const struct perf_pattern *p, struct run *run)
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

void perf_load_columns(const struct perf_pattern *p, struct run *run)
{
	load_i32s(run, p->shape.prev_pid, run->prev_tid);
	load_i32s(run, p->shape.next_pid, run->next_tid);
	load_states(&p->shape, run);
	load_samples(p, run);
}

/* --- the run --- */

void perf_begin_columns(const struct perf_pattern *p, struct run *run)
{
	run->common.count = p->count;
	run->stream_count = 0;
	run->exit_states = PERF_EXIT_STATES;
	run->prev_comm_at = run->next_comm_at = 0;
	if (p->shape.has_comms) {
		run->prev_comm_at = PERF_RECORD_HEADER_BYTES + p->shape.prev_comm;
		run->next_comm_at = PERF_RECORD_HEADER_BYTES + p->shape.next_comm;
		run->common.prev_comm.len = p->prev_comm_bytes;
		run->common.next_comm.len = p->next_comm_bytes;
	}
	run->bytes = p->size;
	run->has_enabled = p->shape.enabled != 0;
	run->has_running = p->shape.running != 0;
	run->has_lost = p->shape.lost != 0;
	run->has_details = false;
}

/* The fields that all have in common. */
void perf_begin_run(const struct perf_stream *stream, const struct perf_pattern *p,
		    struct run *run)
{
	run->common = (struct switch_event){ .cpu = p->cpu };
	perf_begin_switch(stream, &run->common);
	perf_begin_columns(p, run);
}

void perf_load_run(const struct perf_pattern *p, const uint8_t *at, size_t limit,
		   size_t have, struct run *run)
{
	run->first = at;
	run->count = find_alike(p, at, limit, have, run->values + p->count);
	load_times(p, run);
}

/* The next record's stream, if its samples can be a run; NULL: they cannot. */
struct perf_stream *perf_next_stream(struct perf *perf, struct perf_pattern *pattern)
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
