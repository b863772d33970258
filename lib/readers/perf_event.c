/*
 * perf_event.c - one record of the data section, understood.
 *
 * Samples of a switch leader become switch events, other samples sampled events; task,
 * loss and throttle records become theirs.  The body of a sample has no lengths: which
 * fields are there, and in which order, is told by its event's sample_type.
 */
#include <stdlib.h>

#include "readers/perf.h"

/* Record types: kernel 1.., tools 64..; what is not named here is skipped and counted. */
enum {
	RECORD_TYPE_LOST = 2,
	RECORD_TYPE_COMM = 3,
	RECORD_TYPE_EXIT = 4,
	RECORD_TYPE_THROTTLE = 5,
	RECORD_TYPE_UNTHROTTLE = 6,
	RECORD_TYPE_FORK = 7,
	RECORD_TYPE_SAMPLE = 9,
	RECORD_TYPE_LOST_SAMPLES = 13,
	RECORD_TYPE_SWITCH = 14,
	RECORD_TYPE_SWITCH_CPU_WIDE = 15,
	RECORD_TYPE_KERNEL_LAST = 22,
	RECORD_TYPE_TOOL_FIRST = 64,
	RECORD_TYPE_FINISHED_ROUND = 68,
	RECORD_TYPE_ID_INDEX = 69,
	RECORD_TYPE_COMPRESSED = 81,
	RECORD_TYPE_FINISHED_INIT = 82,
	RECORD_TYPE_COMPRESSED2 = 83,
	RECORD_TYPE_TOOL_LAST = 86,
};

#define MISC_COMM_EXEC (1u << 13)
#define MISC_SWITCH_OUT (1u << 13)

/* The last tracepoint states before a thread is gone: EXIT_DEAD, EXIT_ZOMBIE. */
#define STATE_EXITED 0x30

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

static int64_t counter_id_of(const struct perf *perf, const struct perf_stream *stream)
{
	return stream ? stream->event - perf->events + 1 : INT_NONE;
}

/* --- records without samples --- */

static void note_time(struct perf *perf, int64_t ts_ns)
{
	if (ts_ns == INT_NONE || ts_ns == 0)
		return;
	if (perf->trace.first_ns == INT_NONE || ts_ns < perf->trace.first_ns)
		perf->trace.first_ns = ts_ns;
	if (perf->trace.last_ns == INT_NONE || ts_ns > perf->trace.last_ns)
		perf->trace.last_ns = ts_ns;
}

static int64_t or_zero(int64_t value)
{
	return value == INT_NONE ? 0 : value;
}

static bool read_comm(struct perf *perf, struct cursor *c, uint16_t misc,
		      struct record *out)
{
	struct task_comm_event *comm = &perf->event.comm;
	struct sample_id id = take_trailer(perf, c);

	comm->ts_ns = or_zero(id.ts_ns);
	comm->pid = tid_of(cursor_u32(c));
	comm->tid = tid_of(cursor_u32(c));
	comm->is_exec = (misc & MISC_COMM_EXEC) != 0;
	comm->name = cursor_padded_str(c, cursor_left(c));
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
	note_time(perf, exit->ts_ns);
	out->kind = RECORD_TASK_EXIT;
	return !c->overrun;
}

/* A count of lost events that does not fit a signed integer is as good as the largest. */
static int64_t lost_count(uint64_t events)
{
	return events > INT64_MAX ? INT64_MAX : (int64_t)events;
}

static bool read_lost(struct perf *perf, struct cursor *c, bool samples, struct record *out)
{
	struct sample_id id = take_trailer(perf, c);
	const struct perf_stream *stream = id.stream;

	if (!samples)
		stream = map_get(&perf->streams, cursor_u64(c));
	perf->event.loss = (struct loss_event){
		.ts_ns = id.ts_ns,
		.cpu = id.cpu,
		.counter_id = counter_id_of(perf, stream),
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
		.cpu = id.cpu,
		.counter_id = counter_id_of(perf, stream),
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
	note_time(perf, id.ts_ns);
	out->kind = RECORD_SWITCH_IN;
	return !c->overrun;
}

/* nr, then for each id: id, idx, cpu, tid (all u64): whom a kernel event instance follows. */
static bool read_id_index(struct perf *perf, struct cursor *c)
{
	uint64_t count = cursor_u64(c);

	if (count > cursor_left(c) / 32)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct perf_stream *stream = map_get(&perf->streams, cursor_u64(c));
		int64_t tid;

		cursor_skip(c, 16);
		tid = (int64_t)cursor_u64(c);
		if (stream && tid != -1 && tid != UINT32_MAX)
			stream->task = tid;
	}
	return true;
}

/* --- samples --- */

struct sample {
	int64_t ip, pid, tid, ts_ns, cpu, period;
	int64_t enabled_ns, running_ns, leader_lost;
	size_t count;	     /* of values */
	bool has_ids;
	const uint8_t *raw;
	size_t raw_size;
};

static uint64_t load_u64(const uint8_t *at, bool big_endian)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return big_endian ? __builtin_bswap64(value) : value;
}

/* {value [id] [lost]} of each member of the group, the leader first. */
static bool read_members(struct perf *perf, uint64_t format, uint64_t count,
			 struct cursor *c, struct sample *sample)
{
	bool has_id = format & PERF_READ_ID, has_lost = format & PERF_READ_LOST;
	size_t each = 8 + (has_id ? 8u : 0) + (has_lost ? 8u : 0);
	const uint8_t *at;

	if (count == 0 || count > cursor_left(c) / each || count > GROUP_COUNTERS_MAX)
		return false;
	at = cursor_bytes(c, (size_t)count * each);
	if (!at)
		return false;
	if (has_lost)
		sample->leader_lost = (int64_t)load_u64(at + each - 8, c->big_endian);
	sample->has_ids = has_id;
	sample->count = (size_t)count;
	for (size_t i = 0; i < sample->count; i++, at += each) {
		perf->values[i] = load_u64(at, c->big_endian);
		if (has_id)
			perf->value_ids[i] = load_u64(at + 8, c->big_endian);
	}
	return true;
}

/* READ of a group: nr [enabled] [running] members; of one event: value [enabled]
 * [running] [id] [lost]. */
static bool read_counts(struct perf *perf, const struct perf_event *event, struct cursor *c,
			struct sample *sample)
{
	uint64_t format = event->read_format;
	bool group = format & PERF_READ_GROUP;
	uint64_t first = cursor_u64(c);

	if (format & PERF_READ_ENABLED)
		sample->enabled_ns = (int64_t)cursor_u64(c);
	if (format & PERF_READ_RUNNING)
		sample->running_ns = (int64_t)cursor_u64(c);
	if (group)
		return read_members(perf, format, first, c, sample);
	sample->count = 1;
	sample->has_ids = format & PERF_READ_ID;
	perf->values[0] = first;
	if (format & PERF_READ_ID)
		perf->value_ids[0] = cursor_u64(c);
	if (format & PERF_READ_LOST)
		sample->leader_lost = (int64_t)cursor_u64(c);
	return !c->overrun;
}

/* What stands between READ and RAW. */
static bool skip_callchain(struct cursor *c)
{
	uint64_t count = cursor_u64(c);

	if (count > cursor_left(c) / 8)
		return false;
	cursor_skip(c, (size_t)count * 8);
	return true;
}

static bool read_raw(struct cursor *c, struct sample *sample)
{
	sample->raw_size = cursor_u32(c);
	sample->raw = cursor_bytes(c, sample->raw_size);
	return sample->raw != NULL;
}

/* The fields of a sample in body order, up to the last one that is used. */
static bool read_sample_fields(struct perf *perf, const struct perf_event *event,
			       struct cursor *c, struct sample *sample)
{
	uint64_t type = event->sample_type;

	*sample = (struct sample){ INT_NONE, INT_NONE, INT_NONE, INT_NONE, INT_NONE,
				   INT_NONE, INT_NONE, INT_NONE, INT_NONE, 0, false, NULL, 0 };
	if (type & PERF_IDENTIFIER)
		cursor_skip(c, 8);
	if (type & PERF_IP)
		sample->ip = (int64_t)cursor_u64(c);
	if (type & PERF_TID) {
		sample->pid = tid_of(cursor_u32(c));
		sample->tid = tid_of(cursor_u32(c));
	}
	if (type & PERF_TIME)
		sample->ts_ns = (int64_t)cursor_u64(c);
	if (type & PERF_ADDR)
		cursor_skip(c, 8);
	if (type & PERF_ID)
		cursor_skip(c, 8);
	if (type & PERF_STREAM_ID)
		cursor_skip(c, 8);
	if (type & PERF_CPU) {
		sample->cpu = cursor_u32(c);
		cursor_skip(c, 4);
	}
	if (type & PERF_PERIOD)
		sample->period = (int64_t)cursor_u64(c);
	if (c->overrun || ((type & PERF_READ) && !read_counts(perf, event, c, sample)))
		return false;
	if ((type & PERF_CALLCHAIN) && !skip_callchain(c))
		return false;
	return !(type & PERF_RAW) || read_raw(c, sample);
}

/* --- groups and streams of switch leaders --- */

/* The event of member i of a group read, or NULL when nothing names it. */
static struct perf_event *member_event(struct perf *perf, struct perf_event *leader,
				       const struct sample *sample, size_t i)
{
	size_t index = (size_t)(leader - perf->events) + i;
	struct perf_stream *stream;

	if (sample->has_ids) {
		stream = map_get(&perf->streams, perf->value_ids[i]);
		return stream ? stream->event : NULL;
	}
	/* Without ids: perf writes the members of a group one after the other. */
	return index < perf->event_count ? &perf->events[index] : NULL;
}

/* Learns a group from the first sample of its leader; NULL when it cannot be named. */
static struct perf_group *new_group(struct perf *perf, struct perf_stream *stream,
				    const struct sample *sample)
{
	struct perf_event *leader = stream->event;
	size_t room = sample->count ? sample->count : 1;
	struct perf_group *group = arena_alloc(&perf->arena, sizeof(*group));

	if (!group)
		return NULL;
	group->members = arena_alloc(&perf->arena, room * sizeof(struct perf_event *));
	if (!group->members)
		return NULL;
	group->leader = leader;
	group->members[0] = leader;
	group->count = sample->count;
	group->per_task = stream->task != INT_NONE;
	group->never_rotated = true;
	for (size_t i = 0; i < sample->count; i++) {
		struct perf_event *event = member_event(perf, leader, sample, i);

		if (!event || event->group || (i == 0) != (event == leader))
			return NULL;
		group->members[i] = event;
		group->never_rotated &= event->type == PERF_TYPE_SOFTWARE ||
					event->type == PERF_TYPE_TRACEPOINT;
	}
	for (size_t i = 0; i < room; i++) {
		group->members[i]->group = group;
		group->members[i]->slot = i;
	}
	group->group_id = ++perf->group_count;
	return group;
}

/* The ids that this stream reads never change; the first sample tells them. */
static bool same_members(struct perf *perf, struct perf_stream *stream,
			 const struct perf_group *group, const struct sample *sample)
{
	size_t bytes = sample->count * sizeof(perf->value_ids[0]);

	if (sample->count != group->count)
		return false;
	if (!sample->has_ids)
		return true;
	if (stream->member_ids)
		return memcmp(stream->member_ids, perf->value_ids, bytes) == 0;
	for (size_t i = 0; i < sample->count; i++) {
		const struct perf_stream *member = map_get(&perf->streams, perf->value_ids[i]);

		if (!member || member->event != group->members[i])
			return false;
	}
	stream->member_ids = arena_alloc(&perf->arena, bytes);
	if (!stream->member_ids)
		return false;
	memcpy(stream->member_ids, perf->value_ids, bytes);
	return true;
}

/* Files whose samples carry no id have one event, and one instance of it a CPU. */
static struct perf_stream *lone_stream(struct perf *perf, int64_t cpu)
{
	uint64_t key = UINT64_C(1) << 63 | (uint64_t)cpu;
	struct perf_stream *stream;

	if (perf->event_count == 0 || cpu < 0 || cpu >= CPU_MAX)
		return NULL;
	stream = map_get(&perf->streams, key);
	if (!stream && perf_event_add_id(perf, perf->events, key))
		stream = map_get(&perf->streams, key);
	return stream;
}

/* --- what a sample means --- */

static void take_tracepoint(const struct tracepoint_format *format,
			    const struct sample *sample, bool big_endian,
			    struct switch_event *event)
{
	const uint8_t *raw = sample->raw;
	size_t size = sample->raw_size;
	const struct tracepoint_field *comms[2] = { &format->prev_comm, &format->next_comm };
	struct str *texts[2] = { &event->prev_comm, &event->next_comm };

	event->prev_tid = tracepoint_int(&format->prev_pid, raw, size, big_endian);
	event->next_tid = tracepoint_int(&format->next_pid, raw, size, big_endian);
	event->prev_state = tracepoint_int(&format->prev_state, raw, size, big_endian);
	event->prev_exited = event->prev_state != INT_NONE && event->prev_state & STATE_EXITED;
	for (int i = 0; i < 2; i++) {
		struct cursor c;

		if (comms[i]->size == 0 || comms[i]->size > size ||
		    comms[i]->offset > size - comms[i]->size)
			continue;
		c = cursor_over(raw + comms[i]->offset, comms[i]->size, 0, false);
		*texts[i] = cursor_padded_str(&c, comms[i]->size);
	}
}

static enum status bad_sample(struct reader *reader, enum finding_kind kind, uint64_t offset)
{
	finding_add(&reader->findings, kind, offset, 1);
	return ST_END;
}

static enum status switch_sample(struct reader *reader, struct perf_stream *stream,
				 const struct sample *sample, bool big_endian,
				 struct record *out)
{
	struct perf *perf = reader->state;
	struct perf_event *leader = stream->event;
	struct perf_group *group = leader->group;
	struct switch_event *event = &perf->event.switched;

	if (sample->ts_ns == INT_NONE || sample->cpu < 0 || sample->cpu >= CPU_MAX)
		return bad_sample(reader, FINDING_BAD_CPU, out->offset);
	if (!group) {
		group = new_group(perf, stream, sample);
		if (!group)
			return bad_sample(reader, FINDING_GROUP_READ, out->offset);
		perf->declaring = group;
		perf->declare_next = 0;
		if (group->count && sample->enabled_ns == INT_NONE)
			finding_add(&reader->findings, FINDING_NO_TIMES, out->offset, 1);
	}
	if (group->leader != leader || !same_members(perf, stream, group, sample))
		return bad_sample(reader, FINDING_GROUP_READ, out->offset);
	if (stream->number < 0)
		stream->number = perf->stream_numbers++;
	*event = (struct switch_event){
		.ts_ns = sample->ts_ns,
		.cpu = sample->cpu,
		.stream = stream->number,
		.group_id = group->group_id,
		.prev_tid = INT_NONE,
		.next_tid = INT_NONE,
		.prev_state = INT_NONE,
		.per_task = group->per_task,
		.never_rotated = group->never_rotated,
		.sample_pid = sample->pid,
		.sample_tid = sample->tid,
		.enabled_ns = sample->enabled_ns,
		.running_ns = sample->running_ns,
		.leader_lost = sample->leader_lost,
		.values = perf->values,
		.count = sample->count,
	};
	if (leader->format) {
		take_tracepoint(leader->format, sample, big_endian, event);
		if (event->prev_tid == INT_NONE || event->next_tid == INT_NONE)
			return bad_sample(reader, FINDING_BAD_SAMPLE, out->offset);
	}
	out->kind = RECORD_SWITCH;
	return ST_OK;
}

static enum status other_sample(struct reader *reader, struct perf_stream *stream,
				const struct sample *sample, struct record *out)
{
	struct perf *perf = reader->state;
	struct perf_event *event = stream->event;
	size_t known = 0;

	if (event->type == PERF_TYPE_TRACEPOINT && !event->format)
		finding_add(&reader->findings, FINDING_NO_FORMAT, out->offset, 1);
	for (size_t i = 0; i < sample->count && sample->has_ids; i++) {
		const struct perf_stream *member = map_get(&perf->streams, perf->value_ids[i]);

		if (!member)
			continue;
		perf->value_counter_ids[known] = counter_id_of(perf, member);
		perf->values[known++] = perf->values[i];
	}
	perf->event.sampled = (struct sampled_event){
		.ts_ns = sample->ts_ns,
		.cpu = sample->cpu,
		.pid = sample->pid,
		.tid = sample->tid,
		.counter_id = counter_id_of(perf, stream),
		.period = sample->period,
		.ip = sample->ip,
		.value_counter_ids = perf->value_counter_ids,
		.values = perf->values,
		.count = known,
	};
	if (sample->period == INT_NONE && !(event->flags & PERF_FLAG_FREQ))
		perf->event.sampled.period = (int64_t)event->period;
	out->kind = RECORD_SAMPLED;
	return ST_OK;
}

static enum status read_sample(struct reader *reader, struct cursor *body,
			       struct record *out)
{
	struct perf *perf = reader->state;
	struct perf_stream *stream = NULL;
	struct perf_event *event = perf->events;
	bool big_endian = body->big_endian;
	struct sample sample;

	if (perf->id_in_sample >= 0) {
		struct cursor c = *body;

		cursor_skip(&c, (size_t)perf->id_in_sample);
		stream = map_get(&perf->streams, cursor_u64(&c));
		if (!stream)
			return bad_sample(reader, FINDING_UNKNOWN_ID, out->offset);
		event = stream->event;
	} else if (perf->event_count == 0 || !perf->same_sample_type) {
		return bad_sample(reader, FINDING_UNKNOWN_ID, out->offset);
	}
	if (!read_sample_fields(perf, event, body, &sample))
		return bad_sample(reader, FINDING_BAD_SAMPLE, out->offset);
	/* Without an id of its own a sample may still name its leader in the group read. */
	if (!stream && sample.has_ids)
		stream = map_get(&perf->streams, perf->value_ids[0]);
	if (!stream && perf->event_count == 1)
		stream = lone_stream(perf, sample.cpu);
	if (!stream)
		return bad_sample(reader, FINDING_UNKNOWN_ID, out->offset);
	note_time(perf, sample.ts_ns);
	if (stream->event->is_switch)
		return switch_sample(reader, stream, &sample, big_endian, out);
	return other_sample(reader, stream, &sample, out);
}

/* --- dispatch --- */

static bool is_known_type(uint32_t type)
{
	return (type >= 1 && type <= RECORD_TYPE_KERNEL_LAST) ||
	       (type >= RECORD_TYPE_TOOL_FIRST && type <= RECORD_TYPE_TOOL_LAST);
}

static enum status skip_record(struct reader *reader, uint32_t type, uint64_t offset)
{
	if (type == RECORD_TYPE_COMPRESSED || type == RECORD_TYPE_COMPRESSED2)
		finding_add(&reader->findings, FINDING_COMPRESSED, offset, 1);
	else
		finding_add(&reader->findings,
			    is_known_type(type) ? FINDING_SKIPPED_RECORD
						: FINDING_UNKNOWN_RECORD,
			    offset, 1);
	return ST_END;
}

enum status perf_record_read(struct reader *reader, struct cursor *body, uint32_t type,
			     uint16_t misc, struct record *out)
{
	struct perf *perf = reader->state;
	bool whole = true;

	out->data = &perf->event;
	switch (type) {
	case RECORD_TYPE_SAMPLE:
		return read_sample(reader, body, out);
	case RECORD_TYPE_SWITCH:
	case RECORD_TYPE_SWITCH_CPU_WIDE:
		whole = read_switch(perf, body, type == RECORD_TYPE_SWITCH_CPU_WIDE, misc, out);
		if (whole && perf->event.switched_in.cpu == INT_NONE)
			return ST_END; /* no trailer: of no use */
		break;
	case RECORD_TYPE_COMM:
		whole = read_comm(perf, body, misc, out);
		break;
	case RECORD_TYPE_FORK:
		whole = read_fork(perf, body, out);
		break;
	case RECORD_TYPE_EXIT:
		whole = read_exit(perf, body, out);
		break;
	case RECORD_TYPE_LOST:
	case RECORD_TYPE_LOST_SAMPLES:
		whole = read_lost(perf, body, type == RECORD_TYPE_LOST_SAMPLES, out);
		break;
	case RECORD_TYPE_THROTTLE:
	case RECORD_TYPE_UNTHROTTLE:
		whole = read_throttle(perf, body, type == RECORD_TYPE_THROTTLE, out);
		break;
	case RECORD_TYPE_ID_INDEX:
		whole = read_id_index(perf, body);
		if (whole)
			return ST_END;
		break;
	case RECORD_TYPE_FINISHED_ROUND: /* attribution needs only the order of each CPU */
	case RECORD_TYPE_FINISHED_INIT:
		return ST_END;
	default:
		return skip_record(reader, type, out->offset);
	}
	if (whole)
		return ST_OK;
	finding_add(&reader->findings, FINDING_SHORT_RECORD, out->offset, 1);
	return ST_END;
}
