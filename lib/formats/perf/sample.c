/*
 * sample.c - decodes PERF_RECORD_SAMPLE step by step.
 *
 * The body of a sample has no lengths: its event's sample_type says which fields there
 * are, and in which order.  Up to READ every field has 8 bytes, so their offsets are
 * computed once (attrs.c) and one check covers them all.  sample_fast.c decodes switches
 * that are like the one before.
 */
#include <stdlib.h>

#include "base/uninitialized.h"
#include "formats/perf/perf.h"
#include "formats/perf/tracepoints.h"

#define MISC_CPUMODE 7
#define MISC_USER 2

/* Fields of a switch that have tables of their own, and those that have none. */
#define SWITCH_FIELDS (PERF_CALLCHAIN | PERF_BRANCH_STACK)
#define SWITCH_FIELDS_LOST (PERF_REGS_USER | PERF_STACK_USER | PERF_REGS_INTR)

static uint64_t load_u64(const uint8_t *at, bool big_endian)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return big_endian ? __builtin_bswap64(value) : value;
}

static uint32_t load_u32(const uint8_t *at, bool big_endian)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return big_endian ? __builtin_bswap32(value) : value;
}

/* --- the fields --- */

static inline void load_column(uint64_t *to, const uint8_t *at, size_t count,
			       size_t stride, bool big_endian)
{
	for (size_t i = 0; i < count; i++)
		memcpy(&to[i], at + i * stride, sizeof(to[i]));
	for (size_t i = 0; big_endian && i < count; i++)
		to[i] = __builtin_bswap64(to[i]);
}

/* {value [id] [lost]} of each member of the group, the leader first. */
static bool decode_members(struct perf_scratch *scratch, uint64_t format, uint64_t count,
			   struct cursor *c, struct perf_sample *sample)
{
	bool has_id = format & PERF_READ_ID, has_lost = format & PERF_READ_LOST;
	size_t each = 8 + (has_id ? 8u : 0) + (has_lost ? 8u : 0);
	const uint8_t *at;

	/* The maximum first: the product cannot overflow, and no division is needed. */
	if (count == 0 || count > GROUP_COUNTERS_MAX)
		return false;
	at = cursor_bytes(c, (size_t)count * each);
	if (!at)
		return false;
	if (has_lost)
		sample->leader_lost = (int64_t)load_u64(at + each - 8, c->big_endian);
	sample->has_ids = has_id;
	sample->count = (size_t)count;
	load_column(scratch->values, at, sample->count, each, c->big_endian);
	if (has_id)
		load_column(scratch->value_ids, at + 8, sample->count, each,
			    c->big_endian);
	return true;
}

/*
 * READ of a group: nr [enabled] [running] members; of one event: value [enabled]
 * [running] [id] [lost].
 */
bool perf_decode_counts(struct perf_scratch *scratch, const struct perf_event *event,
			struct cursor *c, struct perf_sample *sample)
{
	uint64_t format = event->read_format;
	uint64_t first = cursor_u64(c);

	if (format & PERF_READ_ENABLED)
		sample->enabled_ns = (int64_t)cursor_u64(c);
	if (format & PERF_READ_RUNNING)
		sample->running_ns = (int64_t)cursor_u64(c);
	if (format & PERF_READ_GROUP)
		return decode_members(scratch, format, first, c, sample);
	sample->count = 1;
	sample->has_ids = format & PERF_READ_ID;
	scratch->values[0] = first;
	if (format & PERF_READ_ID)
		scratch->value_ids[0] = cursor_u64(c);
	if (format & PERF_READ_LOST)
		sample->leader_lost = (int64_t)cursor_u64(c);
	return !c->overrun;
}

/* Between READ and RAW: u64 count, then as many u64. */
static bool decode_callchain(struct cursor *c, struct perf_sample *sample)
{
	uint64_t count = cursor_u64(c);

	if (count > cursor_left(c) / 8 || count > PERF_CHAIN_MAX)
		return false;
	sample->chain = cursor_bytes(c, (size_t)count * 8);
	sample->chain_count = (size_t)count;
	return true;
}

static bool decode_raw(struct cursor *c, struct perf_sample *sample)
{
	sample->raw_size = cursor_u32(c);
	sample->raw = cursor_bytes(c, sample->raw_size);
	if (!sample->raw)
		sample->raw_size = 0;
	return sample->raw != NULL;
}

static int64_t place_u64(const uint8_t *body, int place, bool big_endian)
{
	return place < 0 ? INT_NONE : (int64_t)load_u64(body + place, big_endian);
}

/* Up to READ; if they do not fit, the sample is lost. */
static bool decode_sample_fields(struct perf_scratch *scratch,
				 const struct perf_event *event, struct cursor *c,
				 struct perf_sample *sample)
{
	const struct perf_layout *layout = &event->layout;
	const uint8_t *body = cursor_bytes(c, layout->bytes);
	bool big = c->big_endian;

	if (!body)
		return false;
	sample->ip = place_u64(body, layout->ip, big);
	sample->ts_ns = place_u64(body, layout->time, big);
	sample->addr = place_u64(body, layout->addr, big);
	sample->period = place_u64(body, layout->period, big);
	sample->pid = sample->tid = sample->cpu = INT_NONE;
	if (layout->tid >= 0) {
		sample->pid = (int32_t)load_u32(body + layout->tid, big);
		sample->tid = perf_tid(sample->pid,
				       (int32_t)load_u32(body + layout->tid + 4, big));
	}
	if (layout->cpu >= 0)
		sample->cpu = load_u32(body + layout->cpu, big);
	sample->enabled_ns = sample->running_ns = sample->leader_lost = INT_NONE;
	sample->count = sample->chain_count = 0;
	sample->has_ids = false;
	sample->raw = NULL;
	sample->raw_size = 0;
	return !(event->sample_type & PERF_READ) ||
	       perf_decode_counts(scratch, event, c, sample);
}

/* CALLCHAIN and RAW, after READ. */
static bool decode_later_fields(const struct perf_event *event, struct cursor *c,
				struct perf_sample *sample)
{
	if ((event->sample_type & PERF_CALLCHAIN) && !decode_callchain(c, sample))
		return false;
	return !(event->sample_type & PERF_RAW) || decode_raw(c, sample);
}

/* --- the meaning of a sample --- */

/* Padded with NULs; the consumer finds the end. */
static struct str decode_comm(const struct tracepoint_field *field, const uint8_t *raw)
{
	if (field->size == 0)
		return STR_NONE;
	return (struct str){ (const char *)raw + field->offset, field->size };
}

static bool decode_payload(const struct tracepoint_format *format, const uint8_t *raw,
			   size_t raw_size, bool big_endian, struct switch_event *event)
{
	if (!raw || raw_size < format->bytes)
		return false;
	event->prev_tid = tracepoint_int(&format->prev_pid, raw, big_endian);
	event->next_tid = tracepoint_int(&format->next_pid, raw, big_endian);
	event->prev_state = tracepoint_int(&format->prev_state, raw, big_endian);
	event->prev_exited = perf_is_exited(event->prev_state);
	event->prev_comm = decode_comm(&format->prev_comm, raw);
	event->next_comm = decode_comm(&format->next_comm, raw);
	return event->prev_tid != INT_NONE && event->next_tid != INT_NONE;
}

static enum status report_bad(struct reader *reader, enum finding_kind kind,
			      uint64_t offset)
{
	finding_add(&reader->findings, kind, offset, 1);
	return ST_END;
}

/*
 * A sample on another CPU than ID_INDEX has for its stream: one of the two is damaged. If
 * the next sample agrees, it is the index.
 */
static bool moves_to(struct perf_stream *stream, int64_t cpu)
{
	bool again = stream->suspect_cpu == cpu + 1;

	stream->suspect_cpu = cpu + 1;
	if (again)
		stream->cpu = cpu;
	return again;
}

/* The rest of a switch's payload; a new combination has its own row. */
static enum status add_detail(struct perf *perf, const struct perf_event *leader,
			      const uint8_t *raw, size_t raw_size, struct record *out)
{
	struct tracepoint_format *format = leader->format;
	int64_t last = format->last_detail_id;

	perf->scratch.event.switched.detail_id =
		perf_intern_detail(&perf->catalog, leader, raw, raw_size);
	if (format->last_detail_id == last)
		return ST_OK;
	emit_push(&perf->rows.emit, out);
	perf_emit_detail(&perf->rows, &perf->catalog, format);
	return ST_END;
}

/* Completes scratch.event.switched with what has no fixed offset in the body. */
static enum status finish_switch(struct reader *reader, struct perf_stream *stream,
				 const uint8_t *raw, size_t raw_size, bool big_endian,
				 struct record *out)
{
	struct perf *perf = reader->state;
	struct switch_event *event = &perf->scratch.event.switched;
	const struct perf_group *group = stream->event->group;

	if (event->ts_ns == INT_NONE || event->cpu < 0 || event->cpu >= CPU_MAX ||
	    (stream->is_indexed && event->cpu != stream->cpu &&
	     !moves_to(stream, event->cpu)))
		return report_bad(reader, FINDING_BAD_CPU, out->offset);
	perf_begin_switch(stream, event);
	event->is_final = false;
	event->every_switch = event->unread = event->suspect = event->is_read = false;
	event->next_pid = 0;
	if (group->per_task)
		perf_name_exited(stream, event);
	event->values = perf->scratch.values;
	event->detail_id = INT_NONE;
	event->fields = NULL;
	out->kind = RECORD_SWITCH;
	if (group->leader->format) {
		if (!decode_payload(group->leader->format, raw, raw_size, big_endian,
				    event))
			return report_bad(reader, FINDING_BAD_SAMPLE, out->offset);
		if (reader->options.want_rows && group->count)
			return add_detail(perf, group->leader, raw, raw_size, out);
	} else {
		event->prev_tid = event->next_tid = event->prev_state = INT_NONE;
		event->prev_comm = event->next_comm = STR_NONE;
		event->prev_exited = false;
	}
	return ST_OK;
}

/* Of a switch's later fields the one that every switch needs; 0: it is not there. */
static int64_t cgroup_of(struct perf *perf, const struct perf_event *event,
			 struct cursor rest)
{
	struct sampled_event later = { .row = { .cgroup_id = 0 } };

	if (!(event->sample_type & PERF_CGROUP) ||
	    !perf_decode_later(&perf->scratch, event, &rest, &later))
		return 0;
	return later.row.cgroup_id;
}

/* The call chain and the branches of a switch; `c` is after RAW. */
static const struct sampled_event *decode_fields(struct perf *perf,
						 const struct perf_event *event,
						 const struct perf_sample *sample,
						 struct cursor c)
{
	struct sampled_event *fields = &perf->scratch.switch_fields;

	if (!(event->sample_type & SWITCH_FIELDS))
		return NULL;
	*fields = (struct sampled_event){ .chain = NULL };
	/* What does not fit was reported when the tail was measured. */
	(void)perf_decode_tail(&perf->scratch, event, &c, sample, fields);
	return fields->chain_count || fields->branch_count ? fields : NULL;
}

/* `whole`: it ends as its fields say; else that is reported of each one. */
static enum status switch_sample(struct reader *reader, struct perf_stream *stream,
				 const struct perf_sample *sample,
				 const struct cursor *body, const struct cursor *tail,
				 bool whole, struct record *out)
{
	struct perf *perf = reader->state;
	struct switch_event *event = &perf->scratch.event.switched;
	const struct perf_group *group =
		perf_intern_group(reader, stream, sample, out->offset);
	enum status status;

	if (!group ||
	    !perf_has_members(&perf->catalog, &perf->scratch, stream, group, sample))
		return report_bad(reader, FINDING_GROUP_READ, out->offset);
	if (stream->number < 0) {
		stream->number = perf->catalog.stream_numbers++;
		if (sample->cpu != INT_NONE && !stream->is_indexed)
			stream->cpu = sample->cpu;
	}
	if (group->per_task && stream->task == INT_NONE && sample->tid > 0 &&
	    !(stream->event->flags & PERF_FLAG_INHERIT))
		stream->task = sample->tid; /* not inherited: it is of this one alone */
	if (whole)
		perf_learn_shape(stream, body, sample);
	event->ts_ns = sample->ts_ns;
	event->cpu = sample->cpu == INT_NONE ? stream->cpu : sample->cpu;
	event->sample_pid = sample->pid;
	event->sample_tid = sample->tid;
	event->enabled_ns = sample->enabled_ns;
	event->running_ns = sample->running_ns;
	event->leader_lost = sample->leader_lost;
	event->count = sample->count;
	event->cgroup_id = cgroup_of(perf, stream->event, *tail);
	status = finish_switch(reader, stream, sample->raw, sample->raw_size,
			       body->big_endian, out);
	if (reader->options.want_rows)
		event->fields = decode_fields(perf, stream->event, sample, *tail);
	/* A switch without counters is a tracepoint like any other. */
	if (status == ST_OK && reader->options.want_rows && group->count == 0)
		status = perf_emit_traced(&perf->rows, &perf->catalog, stream->event,
					  sample, true, out);
	return status;
}

/* The edge of an interrupt was decoded; its tracepoint has a row of its own. */
static enum status edge_sample(struct reader *reader, struct perf_stream *stream,
			       const struct perf_sample *sample, struct record *out)
{
	struct perf *perf = reader->state;

	if (!reader->options.want_rows)
		return ST_OK;
	return perf_emit_traced(&perf->rows, &perf->catalog, stream->event, sample, true,
				out);
}

/* The values read with the sample, by counter; those of unknown ones are reported. */
static size_t find_values(struct perf *perf, const struct perf_stream *stream,
			  const struct perf_sample *sample, uint64_t offset)
{
	struct perf_catalog *catalog = &perf->catalog;
	struct perf_scratch *scratch = &perf->scratch;
	size_t known = 0;

	for (size_t i = 0; i < sample->count; i++) {
		const struct perf_stream *member =
			sample->has_ids
				? map_get(&catalog->streams, scratch->value_ids[i])
			: sample->count == 1 ? stream
					     : NULL;

		if (!member)
			continue;
		scratch->value_counter_ids[known] = perf_counter_id(member);
		scratch->values[known++] = scratch->values[i];
	}
	if (known < sample->count)
		finding_add(perf->findings, FINDING_GROUP_READ, offset, 1);
	return known;
}

static enum status finish_sample(struct reader *reader, struct perf_stream *stream,
				 const struct perf_sample *sample, struct cursor *c,
				 uint16_t misc, bool whole, struct record *out)
{
	struct perf *perf = reader->state;
	const struct perf_event *event = stream->event;
	struct sampled_event *sampled = &perf->scratch.event.sampled;
	bool in_range = sample->cpu == INT_NONE || sample->cpu < CPU_MAX;

	if (event->type == PERF_TYPE_TRACEPOINT && !event->format)
		finding_add(&reader->findings, FINDING_NO_FORMAT, out->offset, 1);
	if (!in_range)
		finding_add(&reader->findings, FINDING_BAD_CPU, out->offset, 1);
	*sampled = (struct sampled_event){
		.pid = sample->pid,
		.tid = sample->tid,
		.is_user = (misc & MISC_CPUMODE) == MISC_USER,
		.row = { .ts_ns = sample->ts_ns,
			 .cpu = in_range ? sample->cpu : INT_NONE,
			 .counter_id = perf_counter_id(stream),
			 .period = sample->period,
			 .mode = misc & MISC_CPUMODE,
			 .ip = sample->ip,
			 .addr = sample->addr,
			 .callchain_id = INT_NONE,
			 .weight = INT_NONE,
			 .data_src = INT_NONE,
			 .hw_transaction = INT_NONE,
			 .phys_addr = INT_NONE,
			 .cgroup_id = INT_NONE,
			 .data_page_bytes = INT_NONE,
			 .code_page_bytes = INT_NONE,
			 .stack_bytes = INT_NONE,
			 .aux_bytes = INT_NONE },
		.value_counter_ids = perf->scratch.value_counter_ids,
		.values = perf->scratch.values,
		.count = find_values(perf, stream, sample, out->offset),
	};
	if (sample->period == INT_NONE && !(event->flags & PERF_FLAG_FREQ))
		sampled->row.period = (int64_t)event->period;
	out->kind = RECORD_SAMPLED;
	if (!whole || (!reader->options.want_rows && !(event->sample_type & PERF_CGROUP)))
		return ST_OK;
	/* What does not fit was reported when the tail was measured. */
	(void)perf_decode_tail(&perf->scratch, event, c, sample, sampled);
	if (!reader->options.want_rows)
		return ST_OK;
	return perf_emit_traced(&perf->rows, &perf->catalog, event, sample, false, out);
}

/* The stream of a sample without an id of its own; NULL: unknown. */
static struct perf_stream *unnamed_stream(struct reader *reader,
					  const struct perf_sample *sample,
					  uint64_t offset)
{
	struct perf *perf = reader->state;
	struct perf_stream *stream = NULL;

	/* It may still name its leader in the group read. */
	if (sample->has_ids)
		stream = map_get(&perf->catalog.streams, perf->scratch.value_ids[0]);
	if (stream)
		return stream;
	if (perf->catalog.event_count > 1)
		finding_add(&reader->findings, FINDING_ASSUMED_EVENT, offset, 1);
	return perf_intern_lone_stream(&perf->catalog, sample->cpu);
}

/* Measures what follows the last known field; false: the known ones do not fit. */
static bool measure_rest(struct reader *reader, const struct perf_event *event,
			 struct cursor c, uint64_t offset)
{
	struct perf *perf = reader->state;

	if (!perf_skip_tail(event, &c))
		return false;
	if (event->sample_type & ~PERF_SAMPLE_BITS_KNOWN)
		finding_add(&reader->findings, FINDING_NEWER_FIELDS, offset, 1);
	else
		perf->walk.sample_left = cursor_left(&c) & ~(size_t)7;
	return true;
}

enum status perf_decode_sample(struct reader *reader, struct cursor *body, uint16_t misc,
			       struct record *out)
{
	struct cursor whole_body;
	struct perf *perf = reader->state;
	struct perf_stream *stream = NULL;
	struct perf_event *event;
	struct perf_sample sample UNINITIALIZED;
	bool whole;

	perf->walk.sample_left = 0;
	if (perf->catalog.id_in_sample >= 0) {
		struct cursor id = *body;

		cursor_skip(&id, (size_t)perf->catalog.id_in_sample);
		stream = perf_find_stream(&perf->catalog, cursor_u64(&id));
		if (!stream || id.overrun)
			return report_bad(reader, FINDING_UNKNOWN_ID, out->offset);
		event = stream->event;
	} else if (perf->catalog.event_count == 0 || !perf->catalog.same_sample_type) {
		return report_bad(reader, FINDING_UNKNOWN_ID, out->offset);
	} else {
		event = perf->catalog.events[0];
	}
	whole_body = *body;
	if (!decode_sample_fields(&perf->scratch, event, body, &sample))
		return report_bad(reader, FINDING_BAD_SAMPLE, out->offset);
	whole = decode_later_fields(event, body, &sample);
	if (!stream)
		stream = unnamed_stream(reader, &sample, out->offset);
	/* Whether rows are wanted or not: all programs report the same. */
	whole = whole &&
		(!stream || measure_rest(reader, stream->event, *body, out->offset));
	if (!whole)
		finding_add(&reader->findings, FINDING_BAD_TAIL, out->offset, 1);
	if (!stream)
		return report_bad(reader, FINDING_UNKNOWN_ID, out->offset);
	perf_note_time(&perf->rows, sample.ts_ns);
	if (sample.raw && stream->event->type == PERF_TYPE_TRACEPOINT &&
	    !stream->event->format)
		perf_assume_format(reader, stream->event, sample.raw, sample.raw_size,
				   out->offset);
	if (stream->event->is_switch) {
		if (event->sample_type & SWITCH_FIELDS_LOST)
			finding_add(&reader->findings, FINDING_SWITCH_FIELDS, out->offset,
				    1);
		return switch_sample(reader, stream, &sample, &whole_body, body, whole,
				     out);
	}
	if (perf_decode_edge(reader, stream, &sample, whole_body.big_endian, out))
		return edge_sample(reader, stream, &sample, out);
	return finish_sample(reader, stream, &sample, body, misc, whole, out);
}
