/*
 * perf_data.c - the walk over the records of a perf.data, and the rows around them.
 *
 * Header facts go out first, a group and its counters before the first switch they are
 * read at, what no group has read and the trace itself last.  A record whose size cannot
 * be ends the walk; what came before it is kept.
 */
#include <stdlib.h>

#include "readers/perf.h"

/* --- rows that go out before and behind the records --- */

static void declare_counter(struct perf *perf, struct perf_event *event,
			    struct record *out)
{
	bool nanoseconds = event->type == PERF_TYPE_SOFTWARE &&
			   (event->config == PERF_SW_CPU_CLOCK ||
			    event->config == PERF_SW_TASK_CLOCK);

	event->declared = true;
	perf->counter_row = (struct counter_row){
		.counter_id = event - perf->events + 1,
		.group_id = event->group ? event->group->group_id : INT_NONE,
		.slot = event->group && event->group->count ? (int64_t)event->slot
							    : INT_NONE,
		.name = event->counter_name,
		.event = event->name,
		.unit = nanoseconds ? STR("ns") : STR_NONE,
		.source = STR("perf"),
		.type = event->type,
		.config = (int64_t)event->config,
		.period =
			event->flags & PERF_FLAG_FREQ ? INT_NONE : (int64_t)event->period,
	};
	*out = (struct record){ .kind = RECORD_counter, .data = &perf->counter_row };
}

/* The next row of the group that is being declared; false: all are out. */
static bool declare_group(struct perf *perf, struct record *out)
{
	struct perf_group *group = perf->declaring;
	size_t members = group->count ? group->count : 1;

	if (perf->declare_next > members) {
		perf->declaring = NULL;
		return false;
	}
	if (perf->declare_next == 0) {
		perf->group_row = (struct counter_group_row){
			.group_id = group->group_id,
			.leader = group->leader->counter_name,
			.counters = (int64_t)group->count,
			.scope = group->per_task ? STR("task") : STR("cpu"),
			.has_times = group->has_times ? STR("yes") : STR("no"),
		};
		*out = (struct record){ .kind = RECORD_counter_group,
					.data = &perf->group_row };
	} else {
		declare_counter(perf, group->members[perf->declare_next - 1], out);
	}
	perf->declare_next++;
	return true;
}

static bool next_fact(struct perf *perf, struct record *out)
{
	if (!perf->next_fact)
		return false;
	perf->fact_row.key = perf->next_fact->key;
	perf->fact_row.value = perf->next_fact->value;
	perf->next_fact = perf->next_fact->next;
	*out = (struct record){ .kind = RECORD_header_fact, .data = &perf->fact_row };
	return true;
}

/* Behind the data: events that no group read, then the trace itself. */
static enum status next_last(struct reader *reader, struct record *out)
{
	struct perf *perf = reader->state;

	while (perf->last_events < perf->event_count) {
		struct perf_event *event = &perf->events[perf->last_events++];

		if (!event->declared) {
			declare_counter(perf, event, out);
			return ST_OK;
		}
	}
	if (perf->last_events > perf->event_count)
		return ST_END;
	perf->last_events++;
	perf->trace.status =
		!findings_damaged(&reader->findings) ? STR("complete")
		: perf->unfinished || reader->findings.of[FINDING_TRUNCATED].count ||
				reader->findings.of[FINDING_BAD_RECORD].count ||
				reader->findings.of[FINDING_READ_ERROR].count
			? STR("partial")
			: STR("recovered");
	*out = (struct record){ .kind = RECORD_trace, .data = &perf->trace };
	return ST_OK;
}

/* --- the walk --- */

/* The data section ends here, where it should or not. */
static enum status end_of_data(struct reader *reader, size_t wanted)
{
	struct perf *perf = reader->state;
	struct input *in = &reader->input;

	perf->data_done = true;
	if (reader->error.status == ST_INTERRUPTED)
		return ST_INTERRUPTED;
	if (reader->error.status < ST_OK)
		finding_say(&reader->findings, FINDING_READ_ERROR, in->offset, "%s",
			    reader->error.text);
	else if (wanted > input_buffered(in) &&
		 (!perf->unfinished || input_buffered(in) > 0))
		finding_say(&reader->findings, FINDING_TRUNCATED, in->offset,
			    "the file ends at 0x%llx, inside its data",
			    (unsigned long long)(in->offset + input_buffered(in)));
	return ST_END;
}

static enum status bad_record(struct reader *reader, uint16_t size)
{
	struct perf *perf = reader->state;
	uint64_t offset = reader->input.offset;

	perf->data_done = true;
	if (size < PERF_RECORD_HEADER_BYTES)
		finding_say(
			&reader->findings, FINDING_BAD_RECORD, offset,
			"record at 0x%llx: size %u is less than its header, %u; nothing "
			"behind it was read",
			(unsigned long long)offset, size, PERF_RECORD_HEADER_BYTES);
	else
		finding_say(
			&reader->findings, FINDING_BAD_RECORD, offset,
			"record at 0x%llx: size %u runs over the end of the data, 0x%llx",
			(unsigned long long)offset, size,
			(unsigned long long)perf->data_end);
	return ST_END;
}

/* A record whose bytes are buffered, understood. */
static enum status read_at(struct reader *reader, const uint8_t *at, uint64_t offset,
			   const struct perf_header *header, struct record *out)
{
	struct cursor body = cursor_over(at + PERF_RECORD_HEADER_BYTES,
					 header->size - PERF_RECORD_HEADER_BYTES,
					 offset + PERF_RECORD_HEADER_BYTES, false);

	out->offset = offset;
	out->data = &((struct perf *)reader->state)->event;
	if (header->type == PERF_RECORD_SAMPLE) /* nearly all are */
		return perf_sample_read(reader, &body, out);
	return perf_record_read(reader, &body, header, out);
}

/* The next of the task records that were found ahead. */
static enum status next_task(struct reader *reader, struct record *out)
{
	struct perf *perf = reader->state;
	uint64_t offset = perf->ahead.tasks[perf->ahead.next++].offset;
	const uint8_t *at = reader->input.pos + (offset - reader->input.offset);
	struct perf_header header = perf_header_read(at);

	return read_at(reader, at, offset, &header, out);
}

/* A task record in its own place: the thread that is on the CPU is exiting. */
static enum status task_again(struct reader *reader, const uint8_t *at, uint64_t offset,
			      const struct perf_header *header, struct record *out)
{
	if (header->type != PERF_RECORD_EXIT ||
	    read_at(reader, at, offset, header, out) != ST_OK)
		return ST_END;
	out->kind = RECORD_TASK_EXITING;
	return ST_OK;
}

/* Bytes behind a record that its size leaves out; the record is consumed already. */
static enum status skip_payload(struct reader *reader, const struct perf_header *header,
				const uint8_t *at, uint64_t offset)
{
	struct perf *perf = reader->state;
	uint64_t payload = perf_payload_size(header, at);

	if (payload > perf->data_end - reader->input.offset) {
		perf->data_done = true;
		finding_say(
			&reader->findings, FINDING_BAD_RECORD, offset,
			"record at 0x%llx: its payload of %llu bytes runs over the end of "
			"the data, 0x%llx",
			(unsigned long long)offset, (unsigned long long)payload,
			(unsigned long long)perf->data_end);
		return ST_END;
	}
	finding_add(&reader->findings, FINDING_SKIPPED_RECORD, offset, 1);
	if (input_skip(&reader->input, payload) != ST_OK)
		return end_of_data(reader, SIZE_MAX);
	return ST_END;
}

/* One record of the data section: ST_OK with a record, or ST_END with none in it. */
static enum status next_raw(struct reader *reader, struct record *out)
{
	struct perf *perf = reader->state;
	struct input *in = &reader->input;
	uint64_t offset = in->offset;
	struct perf_header header;
	const uint8_t *at;

	if (offset >= perf->data_end)
		return end_of_data(reader, 0);
	if (offset >= perf->ahead.safe)
		perf_look_ahead(reader);
	if (perf->ahead.next < perf->ahead.count)
		return next_task(reader, out);
	at = input_peek(in, PERF_RECORD_HEADER_BYTES);
	if (!at)
		return end_of_data(reader, PERF_RECORD_HEADER_BYTES);
	header = perf_header_read(at);
	if (offset >=
	    perf->ahead.scanned) { /* else it has been looked at, and is all here */
		if (header.size < PERF_RECORD_HEADER_BYTES ||
		    header.size > perf->data_end - offset)
			return bad_record(reader, header.size);
		at = input_peek(in, header.size);
		if (!at)
			return end_of_data(reader, header.size);
	}
	/* What is consumed stays in the buffer until the next peek. */
	input_consume(in, header.size);
	if (perf_has_payload(header.type))
		return skip_payload(reader, &header, at, offset);
	if (offset < perf->ahead.scanned &&
	    (header.type == PERF_RECORD_COMM || header.type == PERF_RECORD_FORK ||
	     header.type == PERF_RECORD_EXIT))
		return task_again(reader, at, offset, &header, out);
	return read_at(reader, at, offset, &header, out);
}

enum status perf_data_next(struct reader *reader, struct record *out)
{
	struct perf *perf = reader->state;

	if (next_fact(perf, out))
		return ST_OK;
	if (perf->declaring && declare_group(perf, out))
		return ST_OK;
	if (perf->holding) {
		perf->holding = false;
		*out = perf->held;
		return ST_OK;
	}
	while (!perf->data_done) {
		enum status status = next_raw(reader, out);

		if (perf->declaring && status >= ST_OK) {
			/*
			 * Even when the sample that taught us the group is not to be had.
			 */
			perf->holding = status == ST_OK;
			perf->held = *out;
			(void)declare_group(perf, out);
			return ST_OK;
		}
		if (status != ST_END)
			return status;
	}
	return next_last(reader, out);
}
