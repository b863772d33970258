/*
 * etl_kernel.c - what an event of the kernel says, as records: samples, readied threads,
 * intervals; switches are etl_switch.c's, people etl_tasks.c's.  See
 * docs/formats/etl.md.
 */
#include <assert.h>

#include "base/text.h"
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"

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

/* --- readied threads --- */

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

static void put_sample(struct etl *etl, const struct etl_stream *stream, int64_t ts_ns,
		       unsigned int source, uint32_t tid, uint64_t ip, int64_t count)
{
	struct sampled_event *out = &etl->event.sampled;
	int64_t interval = etl->sources[source].interval;

	memset(out, 0, sizeof(*out));
	row_clear(&tables[RECORD_sample], &out->row);
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

void etl_note_time(struct etl *etl, int64_t ts_ns)
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
		etl_note_time(etl, ts_ns);
	/* A switch that cannot be read is one that is missing. */
	stream->has_lost |= event->odd_bits && hook == ETL_CSWITCH;
	if (!event->is_kernel || event->odd_bits)
		return;
	switch (hook) {
	case ETL_CSWITCH:
		etl_switch_take(reader, stream, ts_ns);
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
