/*
 * perf_event.c - one record of the data section, understood.
 *
 * Samples are perf_sample.c's; what attribution needs of tasks, losses, throttling and
 * switches is read here, rows that are kept as they are in perf_side.c and perf_tool.c.
 */
#include <stdlib.h>

#include "formats/perf/layers.h"

#define MISC_COMM_EXEC (1u << 13)
#define MISC_SWITCH_OUT (1u << 13)
#define MISC_SWITCH_PREEMPT (1u << 14)

/* --- names --- */

static const char *const names[] = {
	[PERF_RECORD_MMAP] = "MMAP",
	[PERF_RECORD_LOST] = "LOST",
	[PERF_RECORD_COMM] = "COMM",
	[PERF_RECORD_EXIT] = "EXIT",
	[PERF_RECORD_THROTTLE] = "THROTTLE",
	[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
	[PERF_RECORD_FORK] = "FORK",
	[PERF_RECORD_READ] = "READ",
	[PERF_RECORD_SAMPLE] = "SAMPLE",
	[PERF_RECORD_MMAP2] = "MMAP2",
	[PERF_RECORD_AUX] = "AUX",
	[PERF_RECORD_ITRACE_START] = "ITRACE_START",
	[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[PERF_RECORD_SWITCH] = "SWITCH",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[PERF_RECORD_NAMESPACES] = "NAMESPACES",
	[PERF_RECORD_KSYMBOL] = "KSYMBOL",
	[PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
	[PERF_RECORD_CGROUP] = "CGROUP",
	[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
	[22] = "CALLCHAIN_DEFERRED",
	[PERF_RECORD_HEADER_ATTR] = "HEADER_ATTR",
	[PERF_RECORD_HEADER_EVENT_TYPE] = "HEADER_EVENT_TYPE",
	[PERF_RECORD_TRACING_DATA] = "TRACING_DATA",
	[PERF_RECORD_BUILD_ID] = "BUILD_ID",
	[PERF_RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
	[PERF_RECORD_ID_INDEX] = "ID_INDEX",
	[70] = "AUXTRACE_INFO",
	[PERF_RECORD_AUXTRACE] = "AUXTRACE",
	[72] = "AUXTRACE_ERROR",
	[PERF_RECORD_THREAD_MAP] = "THREAD_MAP",
	[PERF_RECORD_CPU_MAP] = "CPU_MAP",
	[PERF_RECORD_STAT_CONFIG] = "STAT_CONFIG",
	[PERF_RECORD_STAT] = "STAT",
	[PERF_RECORD_STAT_ROUND] = "STAT_ROUND",
	[PERF_RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
	[PERF_RECORD_TIME_CONV] = "TIME_CONV",
	[PERF_RECORD_HEADER_FEATURE] = "HEADER_FEATURE",
	[PERF_RECORD_COMPRESSED] = "COMPRESSED",
	[PERF_RECORD_FINISHED_INIT] = "FINISHED_INIT",
	[PERF_RECORD_COMPRESSED2] = "COMPRESSED2",
	[84] = "BPF_METADATA",
	[85] = "SCHEDSTAT_CPU",
	[86] = "SCHEDSTAT_DOMAIN",
};

/* simpleperf's, from 32769 on. */
static const char *const simpleperf_names[] = {
	"SIMPLEPERF_KERNEL_SYMBOL", "SIMPLEPERF_DSO",
	"SIMPLEPERF_SYMBOL",	    "SIMPLEPERF_SPLIT",
	"SIMPLEPERF_SPLIT_END",	    "SIMPLEPERF_EVENT_ID",
	"SIMPLEPERF_CALLCHAIN",	    "SIMPLEPERF_UNWINDING_RESULT",
	"SIMPLEPERF_TRACING_DATA",  "SIMPLEPERF_DEBUG",
};

const char *perf_record_name(uint32_t type)
{
	uint32_t simple = type - PERF_RECORD_SIMPLEPERF_FIRST - 1;

	if (type < sizeof(names) / sizeof(names[0]))
		return names[type];
	if (simple < sizeof(simpleperf_names) / sizeof(simpleperf_names[0]))
		return simpleperf_names[simple];
	return NULL;
}

/* --- the trailer that all records but samples may have --- */

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

uint32_t perf_trailer_bytes(const struct perf *perf)
{
	if (perf->event_count == 0 || !(perf->events[0]->flags & PERF_FLAG_SAMPLE_ID_ALL))
		return 0;
	return (uint32_t)trailer_size(perf->events[0]->sample_type);
}

/* The same without a word on what is wrong: many look at a record before it is its turn.
 */
static struct perf_trailer read_trailer(const struct perf *perf, struct cursor *body,
					bool *bad_cpu)
{
	struct perf_trailer id = { INT_NONE, INT_NONE, INT_NONE, INT_NONE, NULL };
	const struct perf_event *event;
	size_t left = cursor_left(body), size;
	struct cursor c;

	if (perf->event_count == 0)
		return id;
	event = perf->events[0];
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
	if (id.cpu != INT_NONE && id.cpu >= CPU_MAX) {
		*bad_cpu = true;
		id.cpu = INT_NONE; /* never taken for another */
	}
	return id;
}

struct perf_trailer perf_take_trailer(struct perf *perf, struct cursor *body)
{
	bool bad_cpu = false;
	struct perf_trailer id = read_trailer(perf, body, &bad_cpu);

	if (bad_cpu)
		finding_add(perf->findings, FINDING_BAD_CPU,
			    perf_place(perf, body->offset - PERF_RECORD_HEADER_BYTES), 1);
	return id;
}

/* --- records without samples --- */

static bool read_comm(struct perf *perf, struct cursor *c, uint16_t misc,
		      struct record *out)
{
	struct task_comm_event *comm = &perf->event.comm;
	struct perf_trailer id = perf_take_trailer(perf, c);

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
	struct perf_trailer id = perf_take_trailer(perf, c);

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

int64_t perf_record_time(struct perf *perf, const uint8_t *record,
			 const struct perf_header *header)
{
	struct cursor c =
		cursor_over(record + PERF_RECORD_HEADER_BYTES,
			    header->size - PERF_RECORD_HEADER_BYTES, 0, perf->big_endian);
	bool bad_cpu = false;

	if (header->type != PERF_RECORD_FORK && header->type != PERF_RECORD_EXIT)
		return read_trailer(perf, &c, &bad_cpu).ts_ns;
	cursor_skip(&c, 16);
	return (int64_t)cursor_u64(&c);
}

int64_t perf_time_of(struct perf *perf, const uint8_t *record,
		     const struct perf_header *header)
{
	struct cursor c = cursor_over(record, header->size, 0, perf->big_endian), id;
	const struct perf_stream *stream = NULL;
	int place;

	if (header->type != PERF_RECORD_SAMPLE)
		return perf_record_time(perf, record, header);
	cursor_skip(&c, PERF_RECORD_HEADER_BYTES);
	id = c;
	if (perf->id_in_sample >= 0) {
		cursor_skip(&id, (size_t)perf->id_in_sample);
		stream = map_get(&perf->streams, cursor_u64(&id));
	}
	if (!stream && perf->event_count == 0)
		return INT_NONE;
	place = (stream ? stream->event : perf->events[0])->layout.time;
	if (place < 0)
		return INT_NONE;
	cursor_skip(&c, (size_t)place);
	return c.overrun ? INT_NONE : (int64_t)cursor_u64(&c);
}

static bool read_exit(struct perf *perf, struct cursor *c, struct record *out)
{
	struct task_exit_event *exit = &perf->event.exit;
	struct perf_trailer id = perf_take_trailer(perf, c);

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
static int64_t cpu_of(const struct perf_trailer *id, const struct perf_stream *stream)
{
	return id->cpu == INT_NONE && stream ? stream->cpu : id->cpu;
}

static bool read_lost(struct perf *perf, struct cursor *c, bool samples,
		      struct record *out)
{
	struct perf_trailer id = perf_take_trailer(perf, c);
	const struct perf_stream *stream = id.stream;

	if (!samples)
		stream = map_get(&perf->streams, cursor_u64(c));
	perf->event.loss = (struct loss_event){
		.ts_ns = id.ts_ns,
		.cpu = cpu_of(&id, stream),
		.counter_id = perf_counter_id(stream),
		.events = lost_count(cursor_u64(c)),
		.record = samples ? STR("LOST_SAMPLES") : STR("LOST"),
	};
	out->kind = RECORD_LOSS;
	return !c->overrun;
}

static bool read_throttle(struct perf *perf, struct cursor *c, bool throttled,
			  struct record *out)
{
	struct perf_trailer id = perf_take_trailer(perf, c);
	int64_t ts_ns = (int64_t)cursor_u64(c);
	const struct perf_stream *stream = map_get(&perf->streams, cursor_u64(c));

	perf->event.throttled = (struct throttled_event){
		.ts_ns = ts_ns,
		.cpu = cpu_of(&id, stream),
		.counter_id = perf_counter_id(stream),
		.throttled = throttled,
	};
	out->kind = RECORD_THROTTLED;
	return !c->overrun;
}

static bool read_switch(struct perf *perf, struct cursor *c, bool cpu_wide, uint16_t misc,
			struct record *out)
{
	struct perf_trailer id = perf_take_trailer(perf, c);
	struct switch_in_event *event = &perf->event.switched_in;

	*event = (struct switch_in_event){ .ts_ns = id.ts_ns,
					   .cpu = id.cpu,
					   .tid = id.tid,
					   .in = !(misc & MISC_SWITCH_OUT),
					   .preempted = (misc & MISC_SWITCH_PREEMPT) != 0,
					   .next_tid = INT_NONE };
	if (cpu_wide) {
		cursor_skip(c, 4);
		event->next_tid = tid_of(cursor_u32(c));
	}
	perf_note_time(perf, id.ts_ns);
	out->kind = RECORD_SWITCH_IN;
	return !c->overrun;
}

static enum status read_read(struct reader *reader, struct cursor *body,
			     const struct perf_header *header, struct record *out)
{
	struct cursor c = *body;
	struct perf_trailer id = perf_take_trailer(reader->state, &c);

	if (perf_final_read(reader, &id, c, out))
		return ST_OK;
	return perf_side_read(reader, body, header, out);
}

/* nr, then for each id: id, idx, cpu, tid (all u64): whom a kernel event instance
 * follows. */
static bool read_id_index(struct perf *perf, struct cursor *c)
{
	uint64_t count = cursor_u64(c), rings = 0;

	if (count > cursor_left(c) / 32)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct perf_stream *stream = map_get(&perf->streams, cursor_u64(c));
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
			stream->is_indexed = true;
		}
		if (tid >= 0 && tid <= INT32_MAX) /* -1: whatever runs on the CPU */
			stream->task = tid;
	}
	if (perf->merge)
		perf_merge_expect(perf->merge, (size_t)rings);
	return true;
}

/* --- dispatch --- */

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
		if (whole && perf->event.switched_in.ts_ns == INT_NONE)
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
	case PERF_RECORD_READ:
		return read_read(reader, body, header, out);
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
		return type >= PERF_RECORD_TOOL_FIRST &&
				       type <= PERF_RECORD_SIMPLEPERF_LAST
			       ? perf_tool_read(reader, body, header, out)
			       : perf_side_read(reader, body, header, out);
	}
	if (whole)
		return ST_OK;
	finding_add(&reader->findings, FINDING_SHORT_RECORD, out->offset, 1);
	return ST_END;
}
