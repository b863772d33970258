/*
 * records.c - decodes one record of the data section.
 *
 * Samples are in sample.c.  What attribution needs of tasks, losses, throttling and
 * switches is decoded here, rows that are stored unchanged in kernel_rows.c and
 * tool_rows.c.
 */
#include <stdlib.h>

#include "formats/perf/records.h"

#define MISC_COMM_EXEC (1u << 13)
#define MISC_SWITCH_OUT (1u << 13)
#define MISC_SWITCH_PREEMPT (1u << 14)

/* --- records without samples --- */

static int32_t tid_of(uint32_t number)
{
	return (int32_t)number;
}

static bool decode_comm(struct perf *perf, struct cursor *c, uint16_t misc,
			struct record *out)
{
	struct task_comm_event *comm = &perf->scratch.event.comm;
	struct perf_trailer id = perf_decode_trailer(perf, c);

	comm->ts_ns = id.ts_ns;
	comm->pid = tid_of(cursor_u32(c));
	comm->tid = tid_of(cursor_u32(c));
	comm->is_exec = (misc & MISC_COMM_EXEC) != 0;
	if (cursor_left(c) == 0) /* not even the end of a name */
		return false;
	comm->name = cursor_padded_str(c, cursor_left(c));
	if (comm->name.len > PERF_NAME_BYTES_MAX)
		comm->name.len = PERF_NAME_BYTES_MAX;
	out->kind = RECORD_TASK_COMM;
	return !c->overrun;
}

/* pid, parent pid, tid, parent tid, time: FORK and EXIT alike. */
static bool decode_fork(struct perf *perf, struct cursor *c, struct record *out)
{
	struct task_fork_event *fork = &perf->scratch.event.fork;
	struct perf_trailer id = perf_decode_trailer(perf, c);

	fork->pid = tid_of(cursor_u32(c));
	fork->parent_pid = tid_of(cursor_u32(c));
	fork->tid = tid_of(cursor_u32(c));
	fork->parent_tid = tid_of(cursor_u32(c));
	fork->ts_ns = (int64_t)cursor_u64(c);
	if (id.ts_ns == 0) /* synthesised by perf record: existed before */
		fork->ts_ns = 0;
	out->kind = RECORD_TASK_FORK;
	return !c->overrun;
}

static bool decode_exit(struct perf *perf, struct cursor *c, struct record *out)
{
	struct task_exit_event *exit = &perf->scratch.event.exit;
	struct perf_trailer id = perf_decode_trailer(perf, c);

	exit->cpu = id.cpu;
	exit->pid = tid_of(cursor_u32(c));
	cursor_skip(c, 4);
	exit->tid = tid_of(cursor_u32(c));
	cursor_skip(c, 4);
	exit->ts_ns = (int64_t)cursor_u64(c);
	perf_note_time(&perf->rows, exit->ts_ns);
	out->kind = RECORD_TASK_EXIT;
	return !c->overrun;
}

/* A count of lost events that does not fit a signed integer becomes the largest one. */
static int64_t lost_count(uint64_t events)
{
	return events > INT64_MAX ? INT64_MAX : (int64_t)events;
}

/* Without a trailer the CPU is that of the record's stream. */
static int64_t cpu_of(const struct perf_trailer *id, const struct perf_stream *stream)
{
	return id->cpu == INT_NONE && stream ? stream->cpu : id->cpu;
}

static bool decode_lost(struct perf *perf, struct cursor *c, bool samples,
			struct record *out)
{
	struct perf_trailer id = perf_decode_trailer(perf, c);
	const struct perf_stream *stream = id.stream;

	if (!samples)
		stream = map_get(&perf->catalog.streams, cursor_u64(c));
	perf->scratch.event.loss = (struct loss_event){
		.ts_ns = id.ts_ns,
		.cpu = cpu_of(&id, stream),
		.counter_id = perf_counter_id(stream),
		.events = lost_count(cursor_u64(c)),
		.record = samples ? STR("LOST_SAMPLES") : STR("LOST"),
	};
	out->kind = RECORD_LOSS;
	return !c->overrun;
}

static bool decode_throttle(struct perf *perf, struct cursor *c, bool throttled,
			    struct record *out)
{
	struct perf_trailer id = perf_decode_trailer(perf, c);
	int64_t ts_ns = (int64_t)cursor_u64(c);
	const struct perf_stream *stream = map_get(&perf->catalog.streams, cursor_u64(c));

	perf->scratch.event.throttled = (struct throttled_event){
		.ts_ns = ts_ns,
		.cpu = cpu_of(&id, stream),
		.counter_id = perf_counter_id(stream),
		.throttled = throttled,
	};
	out->kind = RECORD_THROTTLED;
	return !c->overrun;
}

static bool decode_switch(struct perf *perf, struct cursor *c, bool cpu_wide,
			  uint16_t misc, struct record *out)
{
	struct perf_trailer id = perf_decode_trailer(perf, c);
	struct switch_in_event *event = &perf->scratch.event.switched_in;

	*event = (struct switch_in_event){ .ts_ns = id.ts_ns,
					   .cpu = id.cpu,
					   .tid = id.tid,
					   .in = !(misc & MISC_SWITCH_OUT),
					   .preempted = (misc & MISC_SWITCH_PREEMPT) != 0,
					   .next_tid = INT_NONE };
	if (cpu_wide) {
		int32_t pid = tid_of(cursor_u32(c));

		event->next_tid = perf_tid(pid, tid_of(cursor_u32(c)));
	}
	perf_note_time(&perf->rows, id.ts_ns);
	out->kind = RECORD_SWITCH_IN;
	return !c->overrun;
}

static enum status decode_read(struct reader *reader, struct cursor *body,
			       const struct perf_header *header, struct record *out)
{
	struct cursor c = *body;
	struct perf_trailer id = perf_decode_trailer(reader->state, &c);

	if (perf_decode_group_read(reader, &id, c, out))
		return ST_OK;
	return perf_decode_kernel_row(reader, body, header, out);
}

/*
 * nr, then for each id: id, idx, cpu, tid (all u64): the CPU and thread of each stream.
 */
static bool decode_id_index(struct perf *perf, struct cursor *c)
{
	uint64_t count = cursor_u64(c), rings = 0;

	if (count > cursor_left(c) / 32)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct perf_stream *stream =
			map_get(&perf->catalog.streams, cursor_u64(c));
		uint64_t ring = cursor_u64(c);
		int64_t cpu, tid;

		if (ring < PERF_RINGS_MAX && ring >= rings)
			rings = ring + 1;
		cpu = (int64_t)cursor_u64(c);
		tid = (int64_t)cursor_u64(c);
		if (!stream)
			continue;
		if (cpu >= 0 &&
		    cpu < CPU_MAX) { /* -1: it follows its thread over all CPUs */
			stream->cpu = cpu;
			stream->is_indexed = stream->on_one_cpu = true;
		}
		if (tid >= 0 && tid <= INT32_MAX) /* -1: any thread on the CPU */
			stream->task = tid;
	}
	perf->catalog.ring_count = (size_t)rings;
	perf->catalog.scope.is_indexed = true;
	return true;
}

/* --- dispatch --- */

enum status perf_decode_record(struct reader *reader, struct cursor *body,
			       const struct perf_header *header, struct record *out)
{
	uint32_t type = header->type;
	struct perf *perf = reader->state;
	bool whole = true;

	switch (type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		whole = decode_switch(perf, body, type == PERF_RECORD_SWITCH_CPU_WIDE,
				      header->misc, out);
		if (whole && perf->scratch.event.switched_in.ts_ns == INT_NONE) {
			/* Without a trailer it has no time. */
			finding_add(&reader->findings, FINDING_BAD_CPU, out->offset, 1);
			return ST_END;
		}
		break;
	case PERF_RECORD_COMM:
		whole = decode_comm(perf, body, header->misc, out);
		break;
	case PERF_RECORD_FORK:
		whole = decode_fork(perf, body, out);
		break;
	case PERF_RECORD_EXIT:
		whole = decode_exit(perf, body, out);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		whole = decode_lost(perf, body, type == PERF_RECORD_LOST_SAMPLES, out);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		whole = decode_throttle(perf, body, type == PERF_RECORD_THROTTLE, out);
		break;
	case PERF_RECORD_READ:
		return decode_read(reader, body, header, out);
	case PERF_RECORD_ID_INDEX:
		whole = decode_id_index(perf, body);
		if (whole)
			return ST_END;
		break;
	case PERF_RECORD_FINISHED_ROUND: /* attribution needs only the order of each CPU
					  */
	case PERF_RECORD_FINISHED_INIT:
		return ST_END;
	default:
		return type >= PERF_RECORD_TOOL_FIRST &&
				       type <= PERF_RECORD_SIMPLEPERF_LAST
			       ? perf_decode_tool_record(reader, body, header, out)
			       : perf_decode_kernel_row(reader, body, header, out);
	}
	if (whole)
		return ST_OK;
	finding_add(&reader->findings, FINDING_SHORT_RECORD, out->offset, 1);
	return ST_END;
}
