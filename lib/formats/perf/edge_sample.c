/*
 * edge_sample.c - decodes samples of tracepoints where interrupts begin and end.
 */
#include "formats/perf/perf.h"
#include "formats/perf/tracepoints.h"

/* The text that a location names; it must be in the payload. */
static struct str located(const struct tracepoint_field *field,
			  const struct perf_sample *sample, bool big_endian)
{
	struct cursor c = cursor_over(sample->raw, sample->raw_size, 0, big_endian);
	uint32_t place;
	const char *text;

	if (field->size != 4 || field->kind != TRACEPOINT_DATA_LOC)
		return STR_NONE;
	cursor_skip(&c, field->offset);
	place = cursor_u32(&c);
	if (c.overrun)
		return STR_NONE;
	c = cursor_over(sample->raw, sample->raw_size, 0, big_endian);
	cursor_skip(&c, place & 0xffff);
	text = (const char *)cursor_bytes(&c, place >> 16);
	if (!text)
		return STR_NONE;
	return (struct str){ text, strnlen(text, place >> 16) };
}

static int64_t number_of(const struct perf_edge *edge, const struct perf_sample *sample,
			 bool big_endian)
{
	const struct tracepoint_field *field = &edge->number;

	if (field->size == 0 || field->offset > sample->raw_size ||
	    field->size > sample->raw_size - field->offset)
		return INT_NONE;
	return tracepoint_int(field, sample->raw, big_endian);
}

/* The leader's stream and group, learned if this is the first sample of the group. */
static struct perf_stream *find_leader(struct reader *reader, struct perf_stream *stream,
				       const struct perf_sample *sample, uint64_t offset)
{
	struct perf *perf = reader->state;
	struct perf_stream *leader =
		map_get(&perf->catalog.streams, perf->scratch.value_ids[0]);
	const struct perf_group *group;

	if (!leader || !leader->event->is_switch)
		return NULL;
	group = perf_intern_group(reader, leader, sample, offset);
	if (!group || !group->edges || stream->event->group != group ||
	    !perf_has_members(&perf->catalog, &perf->scratch, leader, group, sample))
		return NULL;
	if (leader->number < 0) {
		leader->number = perf->catalog.stream_numbers++;
		if (!leader->is_indexed)
			leader->cpu = sample->cpu;
	}
	return leader;
}

bool perf_decode_edge(struct reader *reader, struct perf_stream *stream,
		      const struct perf_sample *sample, bool big_endian,
		      struct record *out)
{
	struct perf *perf = reader->state;
	const struct perf_event *event = stream->event;
	const struct perf_edge *edge = event->edge;
	struct edge_event *to = &perf->scratch.event.edge;
	struct perf_stream *leader;

	if (!edge || !sample->has_ids || !sample->raw || sample->ts_ns == INT_NONE ||
	    sample->cpu < 0 || sample->cpu >= CPU_MAX)
		return false;
	leader = find_leader(reader, stream, sample, out->offset);
	if (!leader || (leader->is_indexed && leader->cpu != sample->cpu))
		return false;
	*to = (struct edge_event){
		.at = { .ts_ns = sample->ts_ns,
			.cpu = sample->cpu,
			.prev_tid = INT_NONE,
			.next_tid = INT_NONE,
			.prev_state = INT_NONE,
			.sample_pid = sample->pid,
			.sample_tid = sample->tid,
			.enabled_ns = sample->enabled_ns,
			.running_ns = sample->running_ns,
			.leader_lost = sample->leader_lost,
			.detail_id = INT_NONE,
			.values = perf->scratch.values,
			.count = sample->count },
		.kind = edge->kind,
		.is_entry = edge->is_entry,
		.vector = number_of(edge, sample, big_endian),
		.name = edge->kind == INTERRUPT_IRQ
				? located(&edge->handler, sample, big_endian)
				: edge->name,
		.slot = event->slot,
	};
	perf_begin_switch(leader, &to->at);
	out->kind = RECORD_EDGE;
	return true;
}
