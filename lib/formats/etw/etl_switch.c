/*
 * etl_switch.c - switches and their counters, as records; see docs/formats/etl.md.
 *
 * A switch names threads alone.  Its CPU is that of its buffer, its processes are what
 * Thread and Process events say.
 *
 * Nearly all events of a trace of switches are switches of which there is nothing to tell
 * but what they are.  These are read in runs, the next one in a second thread while what
 * the last one counted is charged; a run ends before any other event, and where those
 * are frequent, it is read in this thread.
 */
#include <stdlib.h>

#include "base/background.h"
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"

/* --- one switch --- */

/* V1 has quantums where later versions have the C-state; those end with two times. */
static size_t payload_bytes(unsigned int version)
{
	return version >= 2 ? 24 : 16;
}

/* The payload of the event has its bytes. */
static void read_switch(const struct etl *etl, const struct etl_stream *stream,
			int64_t ts_ns, struct etl_run *run)
{
	const struct etl_event *event = &stream->event;
	struct etl_switch *s = &run->switches[run->count];
	uint64_t *values = &run->values[run->count * etl->counter_count];
	const uint8_t *at = event->payload.pos;

	s->ts_ns = ts_ns;
	s->offset = event->offset;
	memcpy(&s->new_tid, at, sizeof(s->new_tid));
	memcpy(&s->old_tid, at + 4, sizeof(s->old_tid));
	memcpy(s->fields, at + 8, sizeof(s->fields));
	s->cpu = stream->place->cpu;
	s->version = event->version;
	s->suspect = stream->ticks > etl->cpus[s->cpu].good_ticks;
	s->unread = event->pmc_count != etl->counter_count ||
		    etl->segments[stream->segment].other_counters;
	/* Not one memcpy(): for so few bytes the compiler takes its slowest form. */
	for (size_t i = s->unread ? 0 : etl->counter_count; i-- > 0;)
		memcpy(&values[i], event->pmcs + 8 * i, sizeof(values[i]));
	run->count++;
}

static int64_t detail_id(struct etl *etl, const struct etl_switch *s)
{
	struct etw_switch_detail_row *row = &etl->event.detail;
	const int8_t *fields = s->fields;
	bool is_new;
	int64_t id;

	*row = (struct etw_switch_detail_row){
		.next_priority = fields[0],
		.prev_priority = fields[1],
		.previous_c_state =
			s->version >= 2 && fields[2] >= 0 ? fields[2] : INT_NONE,
		.wait_reason = etw_wait_reason(fields[4]),
		/* Since version 3 flags, of which the lowest is the wait mode. */
		.wait_mode = etw_wait_mode(
			(int8_t)(s->version >= 3 ? fields[5] & 1 : fields[5])),
		.prev_state = etw_thread_state(fields[6]),
		.ideal_cpu = (uint8_t)fields[7],
	};
	id = etw_detail(&etl->details, row, &is_new);
	if (is_new)
		etl_put_row(etl, TABLE_etw_switch_detail, row, s->offset);
	return id;
}

/* Into etl->event.switched; what is the same in all is there since etl_switch_begin(). */
static const struct etl_switch *describe_next(struct etl *etl, bool want_rows)
{
	size_t at = etl->run->next++;
	const struct etl_switch *s = &etl->run->switches[at];
	struct switch_event *out = &etl->event.switched;

	out->ts_ns = s->ts_ns;
	out->cpu = out->stream = s->cpu;
	out->prev_tid = s->old_tid;
	out->next_tid = s->new_tid;
	out->prev_state = s->fields[6];
	out->prev_exited = s->fields[6] == ETW_STATE_TERMINATED;
	out->unread = s->unread;
	out->suspect = s->suspect;
	out->values = &etl->run->values[at * etl->counter_count];
	if (want_rows)
		out->detail_id = detail_id(etl, s);
	return s;
}

enum status etl_switch_begin(struct reader *reader)
{
	struct etl *etl = reader->state;

	etl->event.switched = (struct switch_event){ .group_id = 1,
						     .never_rotated = true,
						     .every_switch = true,
						     .sample_pid = INT_NONE,
						     .sample_tid = INT_NONE,
						     .enabled_ns = INT_NONE,
						     .running_ns = INT_NONE,
						     .leader_lost = INT_NONE,
						     .detail_id = INT_NONE,
						     .count = etl->counter_count };
	etl->run = calloc(1, sizeof(*etl->run));
	return etl->run ? ST_OK : error_nomem(&reader->error);
}

/* --- a switch of which there is more to tell --- */

static void put_loss(struct etl *etl, const struct etl_stream *stream, int64_t ts_ns,
		     const char *record)
{
	etl->event.loss = (struct loss_event){ .ts_ns = ts_ns,
					       .cpu = stream->place->cpu,
					       .counter_id = INT_NONE,
					       .events = 1,
					       .record = str_of(record) };
	etl_put(etl, RECORD_LOSS, &etl->event.loss, stream->event.offset);
}

static bool drop_is_due(const struct etl *etl, const struct etl_stream *stream)
{
	const struct etl_cpu *cpu = &etl->cpus[stream->place->cpu];

	return cpu->next_drop < cpu->end_drop &&
	       etl->drops[cpu->next_drop].ticks <= stream->ticks;
}

/* Before a switch: was anything lost since the one before it? */
static void tell_losses(struct etl *etl, struct etl_stream *stream, int64_t ts_ns)
{
	bool dropped = false;

	for (; drop_is_due(etl, stream); etl->cpus[stream->place->cpu].next_drop++)
		dropped = true;
	if (stream->has_lost)
		put_loss(etl, stream, ts_ns, "buffer");
	else if (dropped)
		put_loss(etl, stream, ts_ns, "LastDroppedTimes");
	stream->has_lost = false;
}

/* Nobody knows on which CPU it happened: who goes and who comes, and no charge. */
static void take_cpuless(struct reader *reader, const struct etl_switch *s)
{
	struct etl *etl = reader->state;
	struct switch_in_event *goes = &etl->event.goes, *comes = &etl->event.comes;

	finding_add(&reader->findings, FINDING_ONE_STREAM, s->offset, 1);
	*goes = (struct switch_in_event){ .ts_ns = s->ts_ns,
					  .cpu = INT_NONE,
					  .tid = s->old_tid,
					  .next_tid = s->new_tid };
	*comes = (struct switch_in_event){ .ts_ns = s->ts_ns,
					   .cpu = INT_NONE,
					   .tid = s->new_tid,
					   .in = true,
					   .next_tid = s->old_tid };
	etl_put(etl, RECORD_SWITCH_IN, goes, s->offset);
	etl_put(etl, RECORD_SWITCH_IN, comes, s->offset);
}

void etl_switch_take(struct reader *reader, struct etl_stream *stream, int64_t ts_ns)
{
	struct etl *etl = reader->state;
	const struct etl_event *event = &stream->event;
	struct cursor c = event->payload;
	struct etl_run *run = etl->run;

	cursor_skip(&c, payload_bytes(event->version));
	if (!etl_payload_is_whole(reader, event, &c)) {
		stream->has_lost = true;
		return;
	}
	run->count = run->next = 0; /* all of it are taken */
	read_switch(etl, stream, ts_ns, run);
	if (etl->log.mode & ETL_MODE_ONE_STREAM) {
		take_cpuless(reader, &run->switches[run->next++]);
		return;
	}
	tell_losses(etl, stream, ts_ns);
	if (event->pmc_count && event->pmc_count != etl->counter_count &&
	    !etl->segments[stream->segment].other_counters)
		finding_add(&reader->findings, FINDING_OTHER_VALUES, event->offset, 1);
	(void)describe_next(etl, reader->options.want_rows);
	etl_put(etl, RECORD_SWITCH, &etl->event.switched, event->offset);
}

/* --- runs of switches --- */

/* Adds the switch a stream stands at; false: it is none, or there is more to tell. */
static bool add_plain(struct etl *etl, const struct etl_stream *stream,
		      struct etl_run *run)
{
	const struct etl_event *event = &stream->event;
	int64_t ts_ns;

	if ((event->group << 8 | event->opcode) != ETL_CSWITCH || !event->is_kernel ||
	    event->odd_bits || !event->has_ticks ||
	    cursor_left(&event->payload) != payload_bytes(event->version) ||
	    (event->pmc_count && event->pmc_count != etl->counter_count) ||
	    (etl->log.mode & ETL_MODE_ONE_STREAM) || stream->has_lost ||
	    drop_is_due(etl, stream))
		return false;
	ts_ns = etl_ns(etl, stream->segment, stream->ticks);
	if (ts_ns == INT_NONE)
		return false;
	etl_note_time(etl, ts_ns);
	read_switch(etl, stream, ts_ns, run);
	return true;
}

/*
 * The job of the second thread.  While it goes on nobody else touches the streams, their
 * input and its error, or the times of the trace; and it touches nothing of the reader.
 */
static void fill_run(void *context)
{
	struct etl *etl = context;
	struct etl_run *run = etl->next_run ? etl->next_run : etl->run;

	run->count = run->next = 0;
	run->status = ST_OK;
	run->other = NULL;
	while (run->count < ETL_RUN_SWITCHES) {
		struct etl_stream *stream;

		run->status = etl_order_next(etl, &stream);
		if (run->status != ST_OK)
			return;
		if (!add_plain(etl, stream, run)) {
			run->other = stream;
			return;
		}
	}
}

/* Behind a full run there will be another: it is read while this one is charged. */
static void begin_next_run(struct etl *etl)
{
	if (!etl->spare_run && !etl->ahead) {
		etl->spare_run = malloc(sizeof(*etl->spare_run));
		etl->ahead = etl->spare_run ? background_start(BACKGROUND_WORKS) : NULL;
	}
	if (!etl->ahead) /* it goes without as well */
		return;
	etl->next_run = etl->spare_run;
	background_run(etl->ahead, fill_run, etl);
}

static void finish_next_run(struct etl *etl)
{
	background_wait(etl->ahead, 0);
	etl->spare_run = etl->run;
	etl->run = etl->next_run;
	etl->next_run = NULL;
}

static enum status input_failed(struct reader *reader)
{
	const struct etl *etl = reader->state;

	if (reader->error.status == ST_OK)
		reader->error = etl->error;
	return etl->error.status;
}

enum status etl_run_next(struct reader *reader, struct etl_stream **other)
{
	struct etl *etl = reader->state;

	*other = etl->run->other;
	etl->run->other = NULL;
	if (*other)
		return ST_OK;
	if (etl->run->status != ST_OK || etl->error.status < ST_OK)
		return etl->error.status < ST_OK ? input_failed(reader)
						 : etl->run->status;
	if (etl->next_run)
		finish_next_run(etl);
	else
		fill_run(etl);
	reader->position = etl->position;
	if (etl->cuts)
		finding_add(&reader->findings, FINDING_TRUNCATED, etl->cut_at,
			    (int64_t)etl->cuts);
	etl->cuts = 0;
	if (etl->run->count == ETL_RUN_SWITCHES && etl->error.status == ST_OK)
		begin_next_run(etl);
	return ST_OK;
}

bool etl_switch_next(struct reader *reader, struct record *out)
{
	struct etl *etl = reader->state;
	const struct etl_run *run = etl->run;
	const struct etl_switch *s;

	if (run->next == run->count || etl->queue.next != etl->queue.count)
		return false;
	etl->queue.next = etl->queue.count = 0;
	s = describe_next(etl, reader->options.want_rows);
	if (etl->queue.count) { /* its detail comes first */
		etl_put(etl, RECORD_SWITCH, &etl->event.switched, s->offset);
		return etl_next_queued(etl, out);
	}
	out->kind = RECORD_SWITCH;
	out->offset = s->offset;
	out->data = &etl->event.switched;
	out->table = NULL;
	out->deltas = out->values = NULL;
	out->slots = 0;
	return true;
}

void etl_switch_end(struct etl *etl)
{
	background_stop(etl->ahead);
	if (etl->next_run)
		etl->spare_run = etl->next_run;
	free(etl->spare_run);
	free(etl->run);
}
