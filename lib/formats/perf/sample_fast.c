/*
 * sample_fast.c - plain switches: samples that are shaped like the last one of their
 * stream.
 *
 * A large trace consists of those.  Their header, their length and the ids of their
 * members are compared, and the fields are loaded from the offsets that sample.c found
 * step by step.  Any other record is left to walk.c and sample.c, which decode it from
 * the beginning: nothing was consumed or reported here.
 */
#include "formats/perf/sample_shape.h"
#include "formats/perf/tracepoints.h"

/* --- shapes --- */

/* Fields of varying length, and those of a newer kernel. */
#define UNUSUAL_FIELDS                                                           \
	(PERF_CALLCHAIN | PERF_BRANCH_STACK | PERF_REGS_USER | PERF_STACK_USER | \
	 PERF_REGS_INTR | PERF_AUX | ~PERF_SAMPLE_BITS_KNOWN)

/* Thread ids have 4 bytes, the state 4 or 8, since Linux 2.6.33; both names or none. */
static bool is_usual(const struct tracepoint_format *format)
{
	const struct tracepoint_field *prev = &format->prev_pid,
				      *next = &format->next_pid,
				      *state = &format->prev_state;

	return prev->size == 4 && prev->is_signed && next->size == 4 && next->is_signed &&
	       (state->size == 8 || (state->size == 4 && state->is_signed)) &&
	       !format->prev_comm.size == !format->next_comm.size;
}

static void find_payload(struct perf_shape *shape, const struct tracepoint_format *format)
{
	size_t payload = shape->raw + 4;

	shape->prev_pid = payload + format->prev_pid.offset;
	shape->next_pid = payload + format->next_pid.offset;
	shape->prev_state = payload + format->prev_state.offset;
	shape->is_long_state = format->prev_state.size == 8;
	shape->prev_comm = payload + format->prev_comm.offset;
	shape->next_comm = payload + format->next_comm.offset;
	shape->has_comms = format->prev_comm.size && format->next_comm.size;
}

void perf_learn_shape(struct perf_stream *stream, const struct cursor *body,
		      const struct perf_sample *sample)
{
	const struct perf_event *event = stream->event;
	const struct tracepoint_format *format = event->format;
	const uint64_t wanted = PERF_READ_GROUP | PERF_READ_ID;
	struct perf_shape *shape = &stream->shape;
	uint64_t read = event->read_format;
	size_t at = event->layout.bytes, end;

	/* Only common layouts, with offsets that do not vary, and nothing to report. */
	if (!(event->sample_type & PERF_READ) || (read & wanted) != wanted ||
	    (event->sample_type & UNUSUAL_FIELDS) || event->layout.time < 0 ||
	    event->layout.tid < 0 || event->layout.cpu < 0 || body->big_endian ||
	    (format && (sample->raw_size < format->bytes || !is_usual(format))))
		return;
	*shape = (struct perf_shape){ .read = at };
	stream->summed = NULL; /* it may be another */
	at += 8;
	if (read & PERF_READ_ENABLED) {
		shape->enabled = at;
		at += 8;
	}
	if (read & PERF_READ_RUNNING) {
		shape->running = at;
		at += 8;
	}
	shape->members = at;
	shape->each = 16;
	if (read & PERF_READ_LOST) {
		shape->lost = at + 16;
		shape->each = 24;
	}
	end = shape->members + sample->count * shape->each;
	if (event->sample_type & PERF_RAW) {
		shape->raw = end;
		shape->raw_bytes = (uint32_t)sample->raw_size;
		end += sizeof(uint32_t) + shape->raw_bytes;
	}
	if (end > cursor_left(body)) /* the sample ends before its payload */
		return;
	if (format)
		find_payload(shape, format);
	if (event->sample_type & PERF_CGROUP) {
		/* The only field after RAW? */
		if (end + 8 != cursor_left(body))
			return;
		shape->cgroup = end;
	}
	shape->bytes = cursor_left(body);
}

/* The same members and the same length of payload?  Loads the values. */
static inline bool has_shape(struct perf_scratch *scratch,
			     const struct perf_stream *stream, const uint8_t *body)
{
	const struct perf_shape *shape = &stream->shape;
	const uint8_t *at = body + shape->members;
	const uint64_t *ids = stream->member_ids;
	size_t count = stream->event->group->count;
	uint64_t different = u64_at(body, shape->read) ^ count;

	if (shape->raw)
		different |= u32_at(body, shape->raw) ^ shape->raw_bytes;
	for (size_t i = 0; i < count; i++, at += shape->each) {
		scratch->values[i] = u64_at(at, 0);
		different |= u64_at(at, 8) ^ ids[i];
	}
	return different == 0;
}

/* --- the switch --- */

/* Names, ids and state of both threads, from the payload. */
static inline void decode_payload(const struct perf_stream *stream, const uint8_t *body,
				  struct switch_event *event)
{
	const struct tracepoint_format *format = stream->event->format;
	const struct perf_shape *shape = &stream->shape;

	event->prev_tid = (int32_t)u32_at(body, shape->prev_pid);
	event->next_tid = (int32_t)u32_at(body, shape->next_pid);
	event->prev_state = shape->is_long_state
				    ? (int64_t)u64_at(body, shape->prev_state)
				    : (int32_t)u32_at(body, shape->prev_state);
	event->prev_exited = perf_is_exited(event->prev_state);
	if (LIKELY(shape->has_comms)) {
		event->prev_comm = (struct str){ (const char *)body + shape->prev_comm,
						 format->prev_comm.size };
		event->next_comm = (struct str){ (const char *)body + shape->next_comm,
						 format->next_comm.size };
	}
}

/* The fields that differ from switch to switch. */
static inline void decode_switch(const struct perf_stream *stream, const uint8_t *body,
				 struct switch_event *event)
{
	const struct perf_shape *shape = &stream->shape;
	size_t tid = (size_t)stream->event->layout.tid;

	event->sample_pid = (int32_t)u32_at(body, tid);
	event->sample_tid = perf_tid(event->sample_pid, (int32_t)u32_at(body, tid + 4));
	if (event->per_task)
		perf_name_exited(stream, event);
	if (shape->enabled)
		event->enabled_ns = (int64_t)u64_at(body, shape->enabled);
	if (shape->running)
		event->running_ns = (int64_t)u64_at(body, shape->running);
	if (shape->lost)
		event->leader_lost = (int64_t)u64_at(body, shape->lost);
	if (shape->cgroup)
		event->cgroup_id = (int64_t)u64_at(body, shape->cgroup);
	if (shape->prev_pid)
		decode_payload(stream, body, event);
}

/* The fields that are the same for all switches of a stream. */
static void begin_stream(struct perf_scratch *scratch, struct perf_stream *stream)
{
	struct switch_event *event = &scratch->event.switched;

	*event = (struct switch_event){ .prev_tid = INT_NONE,
					.next_tid = INT_NONE,
					.prev_state = INT_NONE,
					.enabled_ns = INT_NONE,
					.running_ns = INT_NONE,
					.leader_lost = INT_NONE,
					.detail_id = INT_NONE,
					.values = scratch->values,
					.count = stream->event->group->count };
	perf_begin_switch(stream, event);
	scratch->plain = stream;
}

bool perf_decode_plain(struct reader *reader, struct record *out)
{
	struct perf *perf = reader->state;
	struct input *in = perf->source.in;
	struct perf_scratch *scratch = &perf->scratch;
	struct switch_event *event = &scratch->event.switched;
	const uint8_t *at = in->pos, *body; /* NULL after the end of the data */
	struct perf_stream *stream;
	const struct perf_layout *layout;
	int64_t ts_ns, cpu;
	size_t size;

	if (in->offset >= perf->walk.plain_to || emit_is_waiting(&perf->rows.emit))
		return false;
	stream = find_stream(&perf->catalog, at, input_buffered(in), &size);
	if (!stream)
		return false;
	body = at + PERF_RECORD_HEADER_BYTES;
	if (!has_shape(scratch, stream, body))
		return false;
	layout = &stream->event->layout;
	ts_ns = (int64_t)u64_at(body, (size_t)layout->time);
	cpu = u32_at(body, (size_t)layout->cpu);
	if (ts_ns == INT_NONE || cpu >= CPU_MAX ||
	    (stream->is_indexed && cpu != stream->cpu))
		return false;
	if (scratch->plain != stream)
		begin_stream(scratch, stream);
	if (reader->options.want_rows && stream->shape.prev_pid) {
		const uint8_t *raw = body + stream->shape.raw + 4;

		if (!perf_find_details(stream->event->format, raw,
				       stream->shape.raw_bytes, 0, &event->detail_id, 1))
			return false;
	}
	event->ts_ns = ts_ns;
	event->cpu = cpu;
	decode_switch(stream, body, event);
	perf_note_time(&perf->rows, ts_ns);
	perf->rows.counts[PERF_RECORD_SAMPLE]++;
	out->kind = RECORD_SWITCH;
	out->offset = in == perf->source.input
			      ? in->offset
			      : perf_source_offset(&perf->source, in->offset);
	out->data = event;
	input_consume(in, size);
	return true;
}
