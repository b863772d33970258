/*
 * perf_event.c - one record of the data section, understood.
 *
 * Samples are perf_sample.c's; task, loss, throttle and switch records are understood
 * here.
 */
#include <stdlib.h>

#include "readers/perf.h"

#define MISC_COMM_EXEC (1u << 13)
#define MISC_SWITCH_OUT (1u << 13)

/* --- the trailer that all records but samples may have --- */

struct sample_id {
	int64_t pid, tid, ts_ns, cpu;
	const struct perf_stream *stream;
};

static int32_t tid_of(uint32_t number)
{
	return (int32_t)number;
}

static size_t trailer_size(uint64_t sample_type)
{
	uint64_t fields = sample_type & (PERF_TID | PERF_TIME | PERF_ID | PERF_STREAM_ID |
					 PERF_CPU | PERF_IDENTIFIER);

	return (size_t)__builtin_popcountll(fields) * 8;
}

/* Takes the trailer off the end of the record; without one everything is unknown. */
static struct sample_id take_trailer(struct perf *perf, struct cursor *body)
{
	struct sample_id id = { INT_NONE, INT_NONE, INT_NONE, INT_NONE, NULL };
	const struct perf_event *event = perf->events;
	size_t left = cursor_left(body), size;
	struct cursor c;

	if (perf->event_count == 0)
		return id;
	if (perf->id_in_trailer > 0 && left >= (size_t)perf->id_in_trailer) {
		c = cursor_over(body->end - perf->id_in_trailer, 8, 0, body->big_endian);
		id.stream = map_get(&perf->streams, cursor_u64(&c));
		if (id.stream)
			event = id.stream->event;
	}
	if (!(event->flags & PERF_FLAG_SAMPLE_ID_ALL))
		return id;
	size = trailer_size(event->sample_type);
	if (left < size)
		return id;
	c = cursor_over(body->end - size, size, 0, body->big_endian);
	body->end -= size;
	if (event->sample_type & PERF_TID) {
		id.pid = tid_of(cursor_u32(&c));
		id.tid = tid_of(cursor_u32(&c));
	}
	if (event->sample_type & PERF_TIME)
		id.ts_ns = (int64_t)cursor_u64(&c);
	if (event->sample_type & PERF_ID)
		cursor_skip(&c, 8);
	if (event->sample_type & PERF_STREAM_ID)
		cursor_skip(&c, 8);
	if (event->sample_type & PERF_CPU)
		id.cpu = cursor_u32(&c);
	return id;
}

/* --- records without samples --- */

static bool read_comm(struct perf *perf, struct cursor *c, uint16_t misc,
		      struct record *out)
{
	struct task_comm_event *comm = &perf->event.comm;
	struct sample_id id = take_trailer(perf, c);

	comm->ts_ns = id.ts_ns;
	comm->pid = tid_of(cursor_u32(c));
	comm->tid = tid_of(cursor_u32(c));
	comm->is_exec = (misc & MISC_COMM_EXEC) != 0;
	comm->name = cursor_padded_str(c, cursor_left(c));
	if (comm->name.len > PERF_NAME_BYTES_MAX)
		comm->name.len = PERF_NAME_BYTES_MAX;
	out->kind = RECORD_TASK_COMM;
	return !c->overrun;
}

/* pid, parent pid, tid, parent tid, time: FORK and EXIT alike. */
static bool read_fork(struct perf *perf, struct cursor *c, struct record *out)
{
	struct task_fork_event *fork = &perf->event.fork;
	struct sample_id id = take_trailer(perf, c);

	fork->pid = tid_of(cursor_u32(c));
	fork->parent_pid = tid_of(cursor_u32(c));
	fork->tid = tid_of(cursor_u32(c));
	fork->parent_tid = tid_of(cursor_u32(c));
	fork->ts_ns = (int64_t)cursor_u64(c);
	if (id.ts_ns == 0) /* synthesised by perf record: was there before */
		fork->ts_ns = 0;
	out->kind = RECORD_TASK_FORK;
	return !c->overrun;
}

int64_t perf_task_time(struct perf *perf, const uint8_t *record,
		       const struct perf_header *header)
{
	struct cursor c = cursor_over(record + PERF_RECORD_HEADER_BYTES,
				      header->size - PERF_RECORD_HEADER_BYTES, 0, false);

	if (header->type == PERF_RECORD_COMM)
		return take_trailer(perf, &c).ts_ns;
	cursor_skip(&c, 16);
	return (int64_t)cursor_u64(&c);
}

static bool read_exit(struct perf *perf, struct cursor *c, struct record *out)
{
	struct task_exit_event *exit = &perf->event.exit;
	struct sample_id id = take_trailer(perf, c);

	exit->cpu = id.cpu;
	exit->pid = tid_of(cursor_u32(c));
	cursor_skip(c, 4);
	exit->tid = tid_of(cursor_u32(c));
	cursor_skip(c, 4);
	exit->ts_ns = (int64_t)cursor_u64(c);
	perf_note_time(perf, exit->ts_ns);
	out->kind = RECORD_TASK_EXIT;
	return !c->overrun;
}

/* A count of lost events that does not fit a signed integer is as good as the largest. */
static int64_t lost_count(uint64_t events)
{
	return events > INT64_MAX ? INT64_MAX : (int64_t)events;
}

/* Without a trailer the CPU is that of the event instance the record is about. */
static int64_t cpu_of(const struct sample_id *id, const struct perf_stream *stream)
{
	return id->cpu == INT_NONE && stream ? stream->cpu : id->cpu;
}

static bool read_lost(struct perf *perf, struct cursor *c, bool samples,
		      struct record *out)
{
	struct sample_id id = take_trailer(perf, c);
	const struct perf_stream *stream = id.stream;

	if (!samples)
		stream = map_get(&perf->streams, cursor_u64(c));
	perf->event.loss = (struct loss_event){
		.ts_ns = id.ts_ns,
		.cpu = cpu_of(&id, stream),
		.counter_id = perf_counter_id(perf, stream),
		.events = lost_count(cursor_u64(c)),
		.record = samples ? STR("LOST_SAMPLES") : STR("LOST"),
	};
	out->kind = RECORD_LOSS;
	return !c->overrun;
}

static bool read_throttle(struct perf *perf, struct cursor *c, bool throttled,
			  struct record *out)
{
	struct sample_id id = take_trailer(perf, c);
	int64_t ts_ns = (int64_t)cursor_u64(c);
	const struct perf_stream *stream = map_get(&perf->streams, cursor_u64(c));

	perf->event.throttled = (struct throttled_event){
		.ts_ns = ts_ns,
		.cpu = cpu_of(&id, stream),
		.counter_id = perf_counter_id(perf, stream),
		.throttled = throttled,
	};
	out->kind = RECORD_THROTTLED;
	return !c->overrun;
}

static bool read_switch(struct perf *perf, struct cursor *c, bool cpu_wide, uint16_t misc,
			struct record *out)
{
	struct sample_id id = take_trailer(perf, c);
	struct switch_in_event *event = &perf->event.switched_in;

	*event = (struct switch_in_event){ id.ts_ns, id.cpu, id.tid,
					   !(misc & MISC_SWITCH_OUT), INT_NONE };
	if (cpu_wide) {
		cursor_skip(c, 4);
		event->next_tid = tid_of(cursor_u32(c));
	}
	perf_note_time(perf, id.ts_ns);
	out->kind = RECORD_SWITCH_IN;
	return !c->overrun;
}

/* nr, then for each id: id, idx, cpu, tid (all u64): whom a kernel event instance
 * follows. */
static bool read_id_index(struct perf *perf, struct cursor *c)
{
	uint64_t count = cursor_u64(c);

	if (count > cursor_left(c) / 32)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct perf_stream *stream = map_get(&perf->streams, cursor_u64(c));
		int64_t cpu, tid;

		cursor_skip(c, 8);
		cpu = (int64_t)cursor_u64(c);
		tid = (int64_t)cursor_u64(c);
		if (!stream)
			continue;
		if (cpu >= 0 &&
		    cpu < CPU_MAX) /* -1: it follows its thread over all CPUs */
			stream->cpu = cpu;
		if (tid != -1 && tid != UINT32_MAX)
			stream->task = tid;
	}
	return true;
}

/* --- dispatch --- */

static bool is_known_type(uint32_t type)
{
	return (type >= 1 && type <= PERF_RECORD_KERNEL_LAST) ||
	       (type >= PERF_RECORD_TOOL_FIRST && type <= PERF_RECORD_TOOL_LAST);
}

static enum status skip_record(struct reader *reader, uint32_t type, uint64_t offset)
{
	if (type == PERF_RECORD_COMPRESSED || type == PERF_RECORD_COMPRESSED2)
		finding_add(&reader->findings, FINDING_COMPRESSED, offset, 1);
	else
		finding_add(&reader->findings,
			    is_known_type(type) ? FINDING_SKIPPED_RECORD
						: FINDING_UNKNOWN_RECORD,
			    offset, 1);
	return ST_END;
}

enum status perf_record_read(struct reader *reader, struct cursor *body,
			     const struct perf_header *header, struct record *out)
{
	uint32_t type = header->type;
	struct perf *perf = reader->state;
	bool whole = true;

	switch (type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		whole = read_switch(perf, body, type == PERF_RECORD_SWITCH_CPU_WIDE,
				    header->misc, out);
		if (whole && perf->event.switched_in.cpu == INT_NONE)
			return ST_END; /* no trailer: of no use */
		break;
	case PERF_RECORD_COMM:
		whole = read_comm(perf, body, header->misc, out);
		break;
	case PERF_RECORD_FORK:
		whole = read_fork(perf, body, out);
		break;
	case PERF_RECORD_EXIT:
		whole = read_exit(perf, body, out);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		whole = read_lost(perf, body, type == PERF_RECORD_LOST_SAMPLES, out);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		whole = read_throttle(perf, body, type == PERF_RECORD_THROTTLE, out);
		break;
	case PERF_RECORD_ID_INDEX:
		whole = read_id_index(perf, body);
		if (whole)
			return ST_END;
		break;
	case PERF_RECORD_FINISHED_ROUND: /* attribution needs only the order of each CPU
					  */
	case PERF_RECORD_FINISHED_INIT:
		return ST_END;
	default:
		return skip_record(reader, type, out->offset);
	}
	if (whole)
		return ST_OK;
	finding_add(&reader->findings, FINDING_SHORT_RECORD, out->offset, 1);
	return ST_END;
}
