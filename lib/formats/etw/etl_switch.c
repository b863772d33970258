/*
 * etl_switch.c - switches and their counters, as records; see docs/formats/etl.md.
 *
 * A switch names threads alone.  Its CPU is that of its buffer, its processes are what
 * Thread and Process events say.
 *
 * Nearly all events of a trace of switches are switches of which there is nothing to tell
 * but what they are.  These are read in runs, the next two in a second thread while what
 * the last one counted is charged; a run ends before any other event, and where those
 * are frequent, it is read in this thread.
 */
#include <stdlib.h>

#include "base/background.h"
#include "base/memory.h"
#include "base/other_cpu.h"
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"

/* --- one switch --- */

static bool is_switch(const struct etl_event *event)
{
	return event->is_kernel && (event->group << 8 | event->opcode) == ETL_CSWITCH;
}

static const struct etl_segment *segment_of(const struct etl_runs *runs,
					    const struct etl_stream *stream)
{
	return &runs->order->index->segments[stream->segment];
}

/* V1 has quantums where later versions have the C-state; those end with two times. */
static size_t payload_bytes(unsigned int version)
{
	return version >= 2 ? 24 : 16;
}

/* Where a switch is; the payload has its bytes. */
struct raw_switch {
	uint64_t offset;
	const uint8_t *payload, *pmcs;
	uint16_t version;
	bool unread;
};

_Static_assert(sizeof(struct etl_switch) % sizeof(uint64_t) == 0, "copied as numbers");

/* The last `count` switches go from the part to the run. */
static void end_part(struct etl_run *run, size_t count)
{
	size_t first = run->count - count, slots = run->runs->counter_count;

	other_cpu_copy(run->switches + first, run->part->switches,
		       count * sizeof(run->switches[0]) / sizeof(uint64_t));
	other_cpu_copy(run->values + first * slots, run->part->values, count * slots);
}

static inline void decode_raw(const struct etl_runs *runs,
			      const struct etl_segment *segment,
			      const struct etl_stream *stream, int64_t ts_ns,
			      const struct raw_switch *raw, struct etl_run *run)
{
	struct etl_part *part = run->part;
	size_t at = part ? run->count % ETL_PART_SWITCHES : run->count;
	struct etl_switch *s = (part ? part->switches : run->switches) + at;
	uint64_t *values = (part ? part->values : run->values) + at * runs->counter_count;
	bool unread = raw->unread || segment->other_counters;

	s->ts_ns = ts_ns;
	s->offset = raw->offset;
	memcpy(&s->payload, raw->payload, sizeof(s->payload));
	s->cpu = stream->place->cpu;
	s->version = raw->version;
	s->suspect = stream->ticks > stream->good_ticks;
	s->unread = unread;
	/* Not one memcpy(): for so few bytes the compiler uses its slowest form. */
	for (size_t i = unread ? 0 : runs->counter_count; i-- > 0;)
		memcpy(&values[i], raw->pmcs + 8 * i, sizeof(values[i]));
	run->count++;
	if (part && run->count % ETL_PART_SWITCHES == 0)
		end_part(run, ETL_PART_SWITCHES);
}

static void decode_switch(const struct etl_runs *runs, const struct etl_stream *stream,
			  int64_t ts_ns, struct etl_run *run)
{
	const struct etl_event *event = &stream->event;

	decode_raw(runs, segment_of(runs, stream), stream, ts_ns,
		   &(struct raw_switch){ .offset = event->offset,
					 .payload = event->payload.pos,
					 .pmcs = event->pmcs,
					 .version = event->version,
					 .unread = event->pmc_count !=
						   runs->counter_count },
		   run);
}

/* Into output->switched; etl_runs_open() set what is the same in all. */
static const struct etl_switch *describe_next(struct etl_runs *runs,
					      struct etl_output *output)
{
	size_t at = runs->run->next++;
	const struct etl_switch *s = &runs->run->switches[at];
	struct switch_event *out = &output->switched;
	bool is_new;

	out->ts_ns = s->ts_ns;
	out->cpu = out->stream = s->cpu;
	out->prev_tid = s->payload.old_tid;
	out->next_tid = s->payload.new_tid;
	out->prev_state = s->payload.fields[6];
	out->prev_exited = s->payload.fields[6] == ETW_STATE_TERMINATED;
	out->unread = s->unread;
	out->suspect = s->suspect;
	out->values = &runs->run->values[at * runs->counter_count];
	if (output->want_rows)
		out->detail_id = etl_detail_id(output, s, &is_new);
	return s;
}

/* At least one: a switch that needs a record is decoded there. */
static size_t room_for(const struct etl_kinds *kinds)
{
	uint64_t switches = 1;

	for (size_t n = 0; n <= ETL_PMCS_MAX && switches < ETL_RUN_SWITCHES; n++)
		switches += kinds->switches_with[n];
	return switches < ETL_RUN_SWITCHES ? (size_t)switches : ETL_RUN_SWITCHES;
}

static struct etl_run *new_run(struct etl_runs *runs)
{
	size_t bytes = sizeof(struct etl_switch) + 8 * runs->counter_count;
	struct etl_run *run = memory_alloc_zeroed(1, sizeof(*run) + runs->room * bytes);

	if (run) {
		run->runs = runs;
		run->values = (uint64_t *)(run->switches + runs->room);
	}
	return run;
}

enum status etl_runs_open(struct reader *reader)
{
	struct etl *etl = reader->state;
	struct etl_runs *runs = &etl->runs;

	etl->output.switched = (struct switch_event){ .group_id = 1,
						      .never_rotated = true,
						      .every_switch = true,
						      .sample_pid = INT_NONE,
						      .sample_tid = INT_NONE,
						      .enabled_ns = INT_NONE,
						      .running_ns = INT_NONE,
						      .leader_lost = INT_NONE,
						      .detail_id = INT_NONE,
						      .count = etl->index.counter_count };
	runs->order = &etl->order;
	runs->counter_count = etl->index.counter_count;
	runs->one_stream = etl->index.log.mode & ETL_MODE_ONE_STREAM;
	runs->room = room_for(&etl->index.kinds);
	runs->run = new_run(runs);
	return runs->run ? ST_OK : error_nomem(&reader->error);
}

/* --- a switch of which there is more to tell --- */

static void emit_loss(struct etl_output *output, const struct etl_stream *stream,
		      int64_t ts_ns, const char *record)
{
	struct loss_event loss = { .ts_ns = ts_ns,
				   .cpu = stream->place->cpu,
				   .counter_id = INT_NONE,
				   .events = 1,
				   .record = str_of(record) };

	emit_push_event(&output->emit, RECORD_LOSS, stream->event.offset, &loss,
			sizeof(loss));
}

static bool drop_is_due(const struct etl_index *index, const struct etl_stream *stream)
{
	return stream->next_drop < stream->end_drop &&
	       index->drops[stream->next_drop].ticks <= stream->ticks;
}

/* Before a switch: was anything lost since the one before it? */
static void emit_losses(struct etl_output *output, struct etl_stream *stream,
			int64_t ts_ns)
{
	bool dropped = false;

	for (; drop_is_due(output->index, stream); stream->next_drop++)
		dropped = true;
	if (stream->has_lost)
		emit_loss(output, stream, ts_ns, "buffer");
	else if (dropped)
		emit_loss(output, stream, ts_ns, "LastDroppedTimes");
	stream->has_lost = false;
}

/* The CPU is unknown: the two threads are recorded, nothing is charged. */
static void emit_without_cpu(struct etl_output *output, const struct etl_switch *s)
{
	struct switch_in_event goes = { .ts_ns = s->ts_ns,
					.cpu = INT_NONE,
					.tid = s->payload.old_tid,
					.next_tid = s->payload.new_tid };
	struct switch_in_event comes = { .ts_ns = s->ts_ns,
					 .cpu = INT_NONE,
					 .tid = s->payload.new_tid,
					 .in = true,
					 .next_tid = s->payload.old_tid };

	finding_add(output->findings, FINDING_ONE_STREAM, s->offset, 1);
	emit_push_event(&output->emit, RECORD_SWITCH_IN, s->offset, &goes, sizeof(goes));
	emit_push_event(&output->emit, RECORD_SWITCH_IN, s->offset, &comes,
			sizeof(comes));
}

/* output->switched, after what was pushed before it. */
static void emit_switch(struct etl_output *output, uint64_t offset)
{
	emit_push(&output->emit, &(struct record){ .kind = RECORD_SWITCH,
						   .offset = offset,
						   .data = &output->switched });
}

static void on_single_switch(struct etl_runs *runs, struct etl_output *output,
			     struct etl_stream *stream, int64_t ts_ns)
{
	const struct etl_event *event = &stream->event;
	struct cursor c = event->payload;
	struct etl_run *run = runs->run;

	cursor_skip(&c, payload_bytes(event->version));
	if (!etl_check_payload(output->findings, event, &c)) {
		stream->has_lost = true;
		return;
	}
	run->count = run->next = 0; /* all of it are taken */
	decode_switch(runs, stream, ts_ns, run);
	if (runs->one_stream) {
		emit_without_cpu(output, &run->switches[run->next++]);
		return;
	}
	emit_losses(output, stream, ts_ns);
	if (event->pmc_count && event->pmc_count != runs->counter_count &&
	    !segment_of(runs, stream)->other_counters)
		finding_add(output->findings, FINDING_OTHER_VALUES, event->offset, 1);
	(void)describe_next(runs, output);
	emit_switch(output, event->offset);
}

bool etl_on_switch(struct etl_runs *runs, struct etl_output *output,
		   struct etl_stream *stream, int64_t ts_ns)
{
	if ((stream->event.group << 8 | stream->event.opcode) != ETL_CSWITCH)
		return false;
	if (ts_ns == INT_NONE || stream->event.odd_bits)
		stream->has_lost =
			true; /* one that cannot be read is one that is missing */
	else if (stream->event.is_kernel)
		on_single_switch(runs, output, stream, ts_ns);
	return true;
}

/* --- runs of switches --- */

/* Whether there is no more to tell of it than what it is. */
static bool is_plain(const struct etl_runs *runs, const struct etl_stream *stream)
{
	const struct etl_event *event = &stream->event;

	return is_switch(event) && !event->odd_bits && event->has_ticks &&
	       cursor_left(&event->payload) == payload_bytes(event->version) &&
	       (!event->pmc_count || event->pmc_count == runs->counter_count) &&
	       !runs->one_stream && !stream->has_lost &&
	       !drop_is_due(runs->order->index, stream);
}

/* That of a plain switch; only its numbers are of the one event. */
static struct etl_shape shape_of(const struct etl_runs *runs,
				 const struct etl_event *event)
{
	size_t left = cursor_left(&event->payload), at = event->size - left;
	const uint8_t *first = event->payload.pos - at;
	struct etl_shape shape = {
		.bytes = event->size,
		.step = (event->size + 7u) & ~(size_t)7,
		.pmcs_at = at - 8 * (size_t)event->pmc_count,
		.payload_at = at,
		.version = event->version,
		.unread = event->pmc_count != runs->counter_count,
	};

	memcpy(&shape.head, first, sizeof(shape.head));
	return shape;
}

/*
 * Adds a switch that has the shape; false: it needs a record, or the shape has changed
 * since.
 */
static inline bool add_shaped(struct etl_runs *runs, const struct etl_stream *stream,
			      struct etl_run *run)
{
	const struct etl_shape *shape = &runs->order->shape;
	const uint8_t *at = stream->shaped;
	uint64_t offset = stream->events.offset - (uint64_t)(stream->events.pos - at);
	const struct etl_segment *segment = segment_of(runs, stream);
	int64_t ts_ns = etl_ns(segment, stream->ticks);
	uint64_t head;

	memcpy(&head, at, sizeof(head));
	if (head != shape->head || stream->has_lost || ts_ns == INT_NONE ||
	    drop_is_due(runs->order->index, stream))
		return false;
	if (stream->is_compressed)
		offset = stream->place->offset + ETL_BUFFER_HEADER_BYTES;
	etl_order_note_time(runs->order, ts_ns);
	decode_raw(runs, segment, stream, ts_ns,
		   &(struct raw_switch){ .offset = offset,
					 .payload = at + shape->payload_at,
					 .pmcs = at + shape->pmcs_at,
					 .version = shape->version,
					 .unread = shape->unread },
		   run);
	return true;
}

/* Adds the switch a stream is at; false: it is none, or there is more to tell. */
static bool add_plain(struct etl_runs *runs, struct etl_stream *stream,
		      struct etl_run *run)
{
	int64_t ts_ns;

	if (stream->shaped && add_shaped(runs, stream, run))
		return true;
	if (stream->shaped)
		etl_order_decode(stream);
	if (!is_plain(runs, stream))
		return false;
	if (stream->event.header == ETL_PERFINFO)
		runs->order->shape = shape_of(runs, &stream->event);
	ts_ns = etl_ns(segment_of(runs, stream), stream->ticks);
	if (ts_ns == INT_NONE)
		return false;
	etl_order_note_time(runs->order, ts_ns);
	decode_switch(runs, stream, ts_ns, run);
	return true;
}

static void add_switches(struct etl_run *run)
{
	struct etl_runs *runs = run->runs;

	while (run->count < runs->room) {
		struct etl_stream *stream;

		run->status = etl_order_next(runs->order, &stream);
		if (run->status != ST_OK)
			return;
		if (!add_plain(runs, stream, run)) {
			run->other = stream;
			return;
		}
	}
}

static void fill_run(struct etl_run *run)
{
	struct etl_order *order = run->runs->order;

	run->count = run->next = 0;
	run->status = ST_OK;
	run->other = NULL;
	add_switches(run);
	run->has_failed = order->error.status < ST_OK;
	run->position = order->position;
	run->cuts = order->cuts;
	run->cut_at = order->cut_at;
	order->cuts = 0;
}

static bool stops(const struct etl_run *run)
{
	return run->status != ST_OK || run->other || run->has_failed;
}

/*
 * The job of the second thread.  Until it has stopped, no other thread touches struct
 * etl_order and its streams; and it touches nothing but that and its runs.
 */
static void fill_ahead(void *context)
{
	struct etl_run *run = context;
	struct etl_runs *runs = run->runs;

	if (runs->is_stopped)
		return;
	run->part = &runs->part;
	fill_run(run);
	end_part(run, run->count % ETL_PART_SWITCHES);
	run->part = NULL;
	runs->is_stopped = stops(run);
}

/* After a full run there will be others: they are read while this one is charged. */
static void begin_next_runs(struct etl_runs *runs)
{
	if (!runs->ahead) {
		runs->ahead = background_start(BACKGROUND_WORKS);
		etl_chunks_read_ahead(&runs->order->chunks);
	}
	while (runs->ahead && runs->ahead_count < ETL_RUNS_AHEAD) {
		struct etl_run *run = runs->spare_count ? runs->spare[--runs->spare_count]
							: new_run(runs);

		if (!run) /* optional: falls back to this thread */
			return;
		runs->ahead_runs[runs->ahead_count++] = run;
		background_run(runs->ahead, fill_ahead, run);
	}
}

/* Runs that were not filled, after one that the second thread stopped at. */
static void drop_skipped(struct etl_runs *runs)
{
	background_wait(runs->ahead, 0);
	while (runs->ahead_count)
		runs->spare[runs->spare_count++] = runs->ahead_runs[--runs->ahead_count];
	runs->is_stopped = false;
}

/* The first of the runs ahead becomes the one at hand. */
static void use_next_run(struct etl_runs *runs)
{
	background_wait(runs->ahead, runs->ahead_count - 1);
	runs->spare[runs->spare_count++] = runs->run;
	runs->run = runs->ahead_runs[0];
	runs->ahead_count--;
	memmove(runs->ahead_runs, runs->ahead_runs + 1,
		runs->ahead_count * sizeof(runs->ahead_runs[0]));
	if (stops(runs->run))
		drop_skipped(runs);
}

static enum status input_failed(struct reader *reader, const struct etl_order *order)
{
	if (reader->error.status == ST_OK)
		reader->error = order->error;
	return order->error.status;
}

enum status etl_next_run(struct reader *reader, struct etl_runs *runs,
			 struct etl_stream **other)
{
	struct etl_run *run;

	*other = runs->run->other;
	runs->run->other = NULL;
	if (*other)
		return ST_OK;
	if (runs->run->has_failed)
		return input_failed(reader, runs->order);
	if (runs->run->status != ST_OK)
		return runs->run->status;
	if (runs->ahead_count)
		use_next_run(runs);
	else
		fill_run(runs->run);
	run = runs->run;
	reader->position = run->position;
	if (run->cuts)
		finding_add(&reader->findings, FINDING_TRUNCATED, run->cut_at,
			    (int64_t)run->cuts);
	if (run->count == ETL_RUN_SWITCHES && !stops(run))
		begin_next_runs(runs);
	return ST_OK;
}

bool etl_next_switch(struct etl_runs *runs, struct etl_output *output, bool wants_runs,
		     struct record *out)
{
	const struct etl_run *run = runs->run;
	const struct etl_switch *s;

	if (run->next == run->count || emit_is_waiting(&output->emit))
		return false;
	if (wants_runs && etl_next_columns(runs, output, out))
		return true;
	if (emit_is_waiting(&output->emit)) /* the row of its detail */
		return false;
	s = describe_next(runs, output);
	if (emit_is_waiting(&output->emit)) { /* its detail comes first */
		emit_switch(output, s->offset);
		return false;
	}
	out->kind = RECORD_SWITCH;
	out->offset = s->offset;
	out->data = &output->switched;
	out->table = NULL;
	out->deltas = out->values = NULL;
	out->slots = 0;
	return true;
}

void etl_runs_close(struct etl_runs *runs)
{
	background_stop(runs->ahead);
	etl_columns_release(runs->columns);
	while (runs->ahead_count)
		free(runs->ahead_runs[--runs->ahead_count]);
	while (runs->spare_count)
		free(runs->spare[--runs->spare_count]);
	free(runs->run);
}
