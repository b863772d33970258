/*
 * etl_kernel.c - what an event of the kernel says, as records: switches with their
 * counters, samples, readied threads; see docs/formats/etl.md.
 *
 * A switch names threads alone.  Its CPU is that of its buffer, its processes are what
 * Thread and Process events say.
 */
#include <assert.h>

#include "core/text.h"
#include "readers/etl.h"
#include "readers/etl_kinds.h"

void etl_put(struct etl *etl, enum record_kind kind, const void *data, uint64_t offset)
{
	struct etl_queue *queue = &etl->queue;

	assert(queue->count < sizeof(queue->records) / sizeof(queue->records[0]));
	queue->records[queue->count++] =
		(struct record){ .kind = kind, .offset = offset, .data = data };
}

void etl_put_row(struct etl *etl, enum etw_table table, const void *row, uint64_t offset)
{
	struct etl_queue *queue = &etl->queue;

	assert(queue->count < sizeof(queue->records) / sizeof(queue->records[0]));
	queue->records[queue->count++] = etw_row(table, row, offset);
}

bool etl_payload_is_whole(struct reader *reader, const struct etl_event *event,
			  const struct cursor *c)
{
	if (c->overrun)
		finding_say(&reader->findings, FINDING_SHORT_RECORD, event->offset,
			    "%s event, group %02x, opcode %02x, version %u, of %u bytes: "
			    "too short for its fields",
			    etl_header_name(event), event->group, event->opcode,
			    event->version, event->size);
	else if (cursor_left(c))
		finding_add(&reader->findings, FINDING_NEWER_FIELDS, event->offset, 1);
	return !c->overrun;
}

/* --- losses --- */

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

/* Before a switch: was anything lost since the one before it? */
static void tell_losses(struct etl *etl, struct etl_stream *stream, int64_t ts_ns)
{
	struct etl_cpu *cpu = &etl->cpus[stream->place->cpu];
	bool dropped = false;

	for (; cpu->next_drop < cpu->end_drop &&
	       etl->drops[cpu->next_drop].ticks <= stream->ticks;
	     cpu->next_drop++)
		dropped = true;
	if (stream->has_lost)
		put_loss(etl, stream, ts_ns, "buffer");
	else if (dropped)
		put_loss(etl, stream, ts_ns, "LastDroppedTimes");
	stream->has_lost = false;
}

/* --- switches --- */

struct cswitch {
	uint32_t new_tid, old_tid;
	int8_t new_priority, old_priority, c_state, wait_reason, wait_mode, state, ideal;
};

#define CSWITCH_BYTES_V1 16
#define CSWITCH_BYTES 24

/* V1 has quantums where later versions have the C-state; those end with two times. */
static void read_cswitch(struct cursor *c, unsigned int version, struct cswitch *s)
{
	const uint8_t *at =
		cursor_bytes(c, version >= 2 ? CSWITCH_BYTES : CSWITCH_BYTES_V1);

	if (!at)
		return;
	memcpy(&s->new_tid, at, sizeof(s->new_tid));
	memcpy(&s->old_tid, at + 4, sizeof(s->old_tid));
	s->new_priority = (int8_t)at[8];
	s->old_priority = (int8_t)at[9];
	s->c_state = version >= 2 ? (int8_t)at[10] : -1;
	s->wait_reason = (int8_t)at[12];
	/* Since version 3 flags, of which the lowest is the wait mode. */
	s->wait_mode = (int8_t)(version >= 3 ? at[13] & 1 : at[13]);
	s->state = (int8_t)at[14];
	s->ideal = (int8_t)at[15];
}

static int64_t put_detail(struct etl *etl, const struct cswitch *s, uint64_t offset)
{
	struct etw_switch_detail_row *row = &etl->event.detail;
	bool is_new;
	int64_t id;

	*row = (struct etw_switch_detail_row){
		.prev_state = etw_thread_state(s->state),
		.wait_reason = etw_wait_reason(s->wait_reason),
		.wait_mode = etw_wait_mode(s->wait_mode),
		.prev_priority = s->old_priority,
		.next_priority = s->new_priority,
		.previous_c_state = s->c_state < 0 ? INT_NONE : s->c_state,
		.ideal_cpu = (uint8_t)s->ideal,
	};
	id = etw_detail(&etl->details, row, &is_new);
	if (is_new)
		etl_put_row(etl, TABLE_etw_switch_detail, row, offset);
	return id;
}

/* The counters of the switch into etl->values; false: they were not read. */
static bool take_values(struct reader *reader, const struct etl_stream *stream)
{
	const struct etl_event *event = &stream->event;
	struct etl *etl = reader->state;

	if (etl->segments[stream->segment].other_counters)
		return false;
	if (event->pmc_count != etl->counter_count) {
		if (event->pmc_count)
			finding_add(&reader->findings, FINDING_OTHER_VALUES,
				    event->offset, 1);
		return false;
	}
	/* Not one memcpy(): for so few bytes the compiler takes its slowest form. */
	for (size_t i = event->pmc_count; i-- > 0;)
		memcpy(&etl->values[i], event->pmcs + 8 * i, sizeof(etl->values[i]));
	return true;
}

/* Nobody knows on which CPU it happened: who goes and who comes, and no charge. */
static void take_cpuless(struct reader *reader, const struct etl_event *event,
			 const struct cswitch *s, int64_t ts_ns)
{
	struct etl *etl = reader->state;

	struct switch_in_event *goes = &etl->event.goes, *comes = &etl->event.comes;

	finding_add(&reader->findings, FINDING_ONE_STREAM, event->offset, 1);
	*goes = (struct switch_in_event){
		.ts_ns = ts_ns, .cpu = INT_NONE, .tid = s->old_tid, .next_tid = s->new_tid
	};
	*comes = (struct switch_in_event){ .ts_ns = ts_ns,
					   .cpu = INT_NONE,
					   .tid = s->new_tid,
					   .in = true,
					   .next_tid = s->old_tid };
	etl_put(etl, RECORD_SWITCH_IN, goes, event->offset);
	etl_put(etl, RECORD_SWITCH_IN, comes, event->offset);
}

static void take_switch(struct reader *reader, struct etl_stream *stream, int64_t ts_ns)
{
	struct etl *etl = reader->state;
	const struct etl_event *event = &stream->event;
	struct cursor c = event->payload;
	struct switch_event *out = &etl->event.switched;
	struct cswitch s;

	read_cswitch(&c, event->version, &s);
	if (!etl_payload_is_whole(reader, event, &c)) {
		stream->has_lost = true;
		return;
	}
	if (etl->log.mode & ETL_MODE_ONE_STREAM) {
		take_cpuless(reader, event, &s, ts_ns);
		return;
	}
	tell_losses(etl, stream, ts_ns);
	/* The rest stands since etl_kernel_begin(). */
	out->ts_ns = ts_ns;
	out->cpu = out->stream = stream->place->cpu;
	out->prev_tid = s.old_tid;
	out->next_tid = s.new_tid;
	out->prev_state = s.state;
	out->prev_exited = s.state == ETW_STATE_TERMINATED;
	out->unread = !take_values(reader, stream);
	out->suspect = stream->ticks > etl->cpus[stream->place->cpu].good_ticks;
	if (reader->options.want_rows)
		out->detail_id = put_detail(etl, &s, event->offset);
	etl_put(etl, RECORD_SWITCH, out, event->offset);
}

/* What is the same in all switches of a file. */
void etl_kernel_begin(struct etl *etl)
{
	etl->event.switched = (struct switch_event){ .group_id = 1,
						     .never_rotated = true,
						     .every_switch = true,
						     .sample_pid = INT_NONE,
						     .sample_tid = INT_NONE,
						     .enabled_ns = INT_NONE,
						     .running_ns = INT_NONE,
						     .leader_lost = INT_NONE,
						     .detail_id = INT_NONE,
						     .values = etl->values,
						     .count = etl->counter_count };
}

static void take_ready(struct reader *reader, const struct etl_stream *stream,
		       int64_t ts_ns)
{
	struct etl *etl = reader->state;
	const struct etl_event *event = &stream->event;
	struct etw_ready_thread_row *row = &etl->event.ready_row;
	struct cursor c = event->payload;

	*row = (struct etw_ready_thread_row){ .ts_ns = ts_ns,
					      .cpu = stream->place->cpu,
					      .thread_id = cursor_u32(&c) };
	row->adjust_reason = cursor_u8(&c);
	row->adjust_increment = (int8_t)cursor_u8(&c);
	row->flags = cursor_u8(&c);
	if (cursor_left(&c)) /* spare */
		cursor_skip(&c, 1);
	if (etl_payload_is_whole(reader, event, &c) && reader->options.want_rows)
		etl_put_row(etl, TABLE_etw_ready_thread, row, event->offset);
}

/* --- samples --- */

/* The counter of a source, told when it is first met; behind those of switches. */
static int64_t source_counter(struct etl *etl, unsigned int source, uint64_t offset)
{
	struct counter_row *row = &etl->event.counter;
	char name[32];

	if (etl->sources[source].counter_id)
		return etl->sources[source].counter_id;
	etl->sources[source].counter_id =
		(int64_t)(etl->counter_count + ++etl->source_count);
	if (!etl->sources[source].name.ptr) {
		text_print(name, sizeof(name), source ? "source %u" : "Timer", source);
		etl->sources[source].name = arena_str(&etl->arena, str_of(name));
	}
	*row = (struct counter_row){ .counter_id = etl->sources[source].counter_id,
				     .group_id = INT_NONE,
				     .slot = INT_NONE,
				     .name = etl->sources[source].name,
				     .event = etl->sources[source].name,
				     .unit = source ? STR_NONE : STR("100 ns"),
				     .source = STR("etw"),
				     .type = INT_NONE,
				     .config = source,
				     .period = etl->sources[source].interval };
	etl_put(etl, RECORD_counter, row, offset);
	return row->counter_id;
}

static void no_integers(const struct table *table, void *row)
{
	const int64_t none = INT_NONE;

	for (size_t i = 0; i < table->field_count; i++)
		if (field_is_int(table->fields[i].kind))
			memcpy((char *)row + table->fields[i].offset, &none,
			       sizeof(none));
}

static void put_sample(struct etl *etl, const struct etl_stream *stream, int64_t ts_ns,
		       unsigned int source, uint32_t tid, uint64_t ip, int64_t count)
{
	struct sampled_event *out = &etl->event.sampled;
	int64_t interval = etl->sources[source].interval;

	memset(out, 0, sizeof(*out));
	no_integers(&tables[RECORD_sample], &out->row);
	out->pid = INT_NONE;
	out->tid = tid;
	out->row.ts_ns = ts_ns;
	out->row.cpu = stream->place->cpu;
	out->row.counter_id = source_counter(etl, source, stream->event.offset);
	out->row.ip = (int64_t)ip;
	out->row.period = interval == INT_NONE ? INT_NONE : interval * count;
	etl_put(etl, RECORD_SAMPLED, out, stream->event.offset);
}

static void take_sample(struct reader *reader, const struct etl_stream *stream,
			int64_t ts_ns)
{
	const struct etl_event *event = &stream->event;
	struct cursor c = event->payload;
	uint64_t ip = etl_pointer(&c, event->pointer_bytes);
	uint32_t tid = cursor_u32(&c), count, source = 0;
	bool is_timer = event->opcode == (ETL_SAMPLED_PROFILE & 0xff);

	if (is_timer && event->version < 2) {
		count = cursor_u32(&c);
	} else {
		count = cursor_u16(&c);
		cursor_skip(&c, 2); /* flags and rank; reserved */
	}
	if (!etl_payload_is_whole(reader, event, &c))
		return;
	if (!is_timer) { /* the 16 bits are the source: one overflow */
		source = count < ETL_SOURCES - 1 ? count : ETL_SOURCES - 1;
		count = 1;
	}
	put_sample(reader->state, stream, ts_ns, source, tid, ip, count);
}

static void take_interval(struct reader *reader, const struct etl_event *event,
			  int64_t ts_ns)
{
	struct etl *etl = reader->state;
	struct etw_interval_row *row = &etl->event.interval_row;
	struct cursor c = event->payload;

	*row = (struct etw_interval_row){
		.ts_ns = ts_ns,
		.event = event->opcode == 0x48	 ? STR("ProfileFreq-SetInterval")
			 : event->opcode == 0x49 ? STR("ProfileFreq-DCStart")
						 : STR("ProfileFreq-DCEnd"),
		.source = cursor_u32(&c)
	};
	row->new_interval = cursor_u32(&c);
	row->old_interval = cursor_u32(&c);
	if (event->version >= 3)
		row->name = etl_utf16(etl, &c);
	if (!etl_payload_is_whole(reader, event, &c))
		return;
	if (row->source < ETL_SOURCES) {
		struct str *name = &etl->sources[row->source].name;

		etl->sources[row->source].interval = row->new_interval;
		if (!name->ptr && row->name.len)
			*name = arena_str(&etl->arena, row->name);
	}
	if (reader->options.want_rows)
		etl_put_row(etl, TABLE_etw_interval, row, event->offset);
}

/* --- any event --- */

static void note_time(struct etl *etl, int64_t ts_ns)
{
	if (etl->first_ns == INT_NONE || ts_ns < etl->first_ns)
		etl->first_ns = ts_ns;
	if (etl->last_ns == INT_NONE || ts_ns > etl->last_ns)
		etl->last_ns = ts_ns;
}

void etl_kernel_take(struct reader *reader, struct etl_stream *stream)
{
	struct etl *etl = reader->state;
	const struct etl_event *event = &stream->event;
	unsigned int hook = (unsigned int)event->group << 8 | event->opcode;
	int64_t ts_ns = etl_ns(etl, stream->segment, stream->ticks);

	if (ts_ns == INT_NONE) {
		stream->has_lost |= hook == ETL_CSWITCH;
		finding_add(&reader->findings, FINDING_BAD_CPU, event->offset, 1);
		return;
	}
	if (event->has_ticks)
		note_time(etl, ts_ns);
	/* A switch that cannot be read is one that is missing. */
	stream->has_lost |= event->odd_bits && hook == ETL_CSWITCH;
	if (!event->is_kernel || event->odd_bits)
		return;
	switch (hook) {
	case ETL_CSWITCH:
		take_switch(reader, stream, ts_ns);
		break;
	case ETL_READY_THREAD:
		take_ready(reader, stream, ts_ns);
		break;
	case ETL_SAMPLED_PROFILE:
	case ETL_PMC_INTERRUPT:
		take_sample(reader, stream, ts_ns);
		break;
	case ETL_INTERVAL_SET:
	case ETL_INTERVAL_DC_START:
	case ETL_INTERVAL_DC_END:
		take_interval(reader, event, ts_ns);
		break;
	default:
		etl_people_take(reader, event, ts_ns);
		break;
	}
}
