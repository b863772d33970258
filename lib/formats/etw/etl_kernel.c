/*
 * etl_kernel.c - what an event of the kernel says, as records: samples, readied threads,
 * intervals; switches are etl_switch.c's, tasks etl_tasks.c's.  See
 * docs/formats/etl.md.
 */
#include "base/text.h"
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"

/* --- readied threads --- */

static void on_ready(struct etl_output *output, const struct etl_stream *stream,
		     int64_t ts_ns)
{
	const struct etl_event *event = &stream->event;
	struct etw_ready_thread_row row;
	struct cursor c = event->payload;

	row = (struct etw_ready_thread_row){ .ts_ns = ts_ns,
					     .cpu = stream->place->cpu,
					     .thread_id = cursor_u32(&c) };
	row.adjust_reason = cursor_u8(&c);
	row.adjust_increment = (int8_t)cursor_u8(&c);
	row.flags = cursor_u8(&c);
	if (cursor_left(&c)) /* spare */
		cursor_skip(&c, 1);
	if (etl_check_payload(output->findings, event, &c) && output->want_rows)
		etw_emit_row(&output->emit, TABLE_etw_ready_thread, event->offset, &row);
}

/* --- samples --- */

/* The counter of a source; its row goes out at the first sample, ids follow the group. */
static int64_t source_counter(struct etl_output *output, unsigned int source,
			      uint64_t offset)
{
	struct counter_row row;
	char name[32];

	if (output->sources[source].counter_id)
		return output->sources[source].counter_id;
	output->sources[source].counter_id =
		(int64_t)(output->index->counter_count + ++output->source_count);
	if (!output->sources[source].name.ptr) {
		text_print(name, sizeof(name), source ? "source %u" : "Timer", source);
		output->sources[source].name = arena_str(output->arena, str_of(name));
	}
	row = (struct counter_row){ .counter_id = output->sources[source].counter_id,
				    .group_id = INT_NONE,
				    .slot = INT_NONE,
				    .name = output->sources[source].name,
				    .event = output->sources[source].name,
				    .unit = source ? STR_NONE : STR("100 ns"),
				    .source = STR("etw"),
				    .type = INT_NONE,
				    .config = source,
				    .period = output->sources[source].interval };
	emit_push_row(&output->emit, RECORD_counter, offset, &row);
	return row.counter_id;
}

static void emit_sample(struct etl_output *output, const struct etl_stream *stream,
			int64_t ts_ns, unsigned int source, uint32_t tid, uint64_t ip,
			int64_t count)
{
	struct sampled_event out = { .pid = INT_NONE, .tid = tid };
	int64_t interval = output->sources[source].interval;

	row_clear(&tables[RECORD_sample], &out.row);
	out.row.ts_ns = ts_ns;
	out.row.cpu = stream->place->cpu;
	out.row.counter_id = source_counter(output, source, stream->event.offset);
	out.row.ip = (int64_t)ip;
	out.row.period = interval == INT_NONE ? INT_NONE : interval * count;
	emit_push_event(&output->emit, RECORD_SAMPLED, stream->event.offset, &out,
			sizeof(out));
}

static void on_sample(struct etl_output *output, const struct etl_stream *stream,
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
	if (!etl_check_payload(output->findings, event, &c))
		return;
	if (!is_timer) { /* the 16 bits are the source: one overflow */
		source = count < ETL_SOURCES - 1 ? count : ETL_SOURCES - 1;
		count = 1;
	}
	emit_sample(output, stream, ts_ns, source, tid, ip, count);
}

static void on_interval(struct etl_output *output, const struct etl_event *event,
			int64_t ts_ns)
{
	struct etw_interval_row row;
	struct cursor c = event->payload;

	etl_decode_interval(output->texts, event, &row, &c);
	row.ts_ns = ts_ns;
	if (!etl_check_payload(output->findings, event, &c))
		return;
	if (row.source < ETL_SOURCES) {
		struct str *name = &output->sources[row.source].name;

		output->sources[row.source].interval = row.new_interval;
		if (!name->ptr && row.name.len)
			*name = arena_str(output->arena, row.name);
	}
	if (output->want_rows)
		etw_emit_row(&output->emit, TABLE_etw_interval, event->offset, &row);
}

/* --- ISRs and DPCs --- */

static const char *interrupt_name(unsigned int hook)
{
	switch (hook) {
	case ETL_ISR:
		return "ISR";
	case ETL_ISR_MSI:
		return "ISR-MSI";
	case ETL_DPC:
		return "DPC";
	case ETL_THREADED_DPC:
		return "ThreadedDPC";
	default:
		return "TimerDPC";
	}
}

/* For the estimate of what it counted. */
static void emit_interrupted(struct etl_output *output, uint64_t offset,
			     const struct etw_interrupt_row *row, bool is_isr)
{
	struct interrupted_event event = {
		.ts_ns = row->end_ns,
		.begin_ns = row->ts_ns,
		.cpu = row->cpu,
		.kind = is_isr ? STR("isr") : STR("dpc"),
		.vector = row->vector,
	};
	char name[24];

	text_print(name, sizeof(name), "0x%llx", (unsigned long long)row->routine);
	event.name = emit_text(&output->emit, str_of(name));
	emit_push_event(&output->emit, RECORD_INTERRUPTED, offset, &event, sizeof(event));
}

/* InitialTime, Routine; of an ISR ReturnValue, Vector, and what its kind has besides. */
static void on_interrupt(struct etl_output *output, const struct etl_stream *stream,
			 int64_t ts_ns, unsigned int hook)
{
	const struct etl_event *event = &stream->event;
	const struct etl_segment *base = &output->index->segments[stream->segment];
	bool is_isr = hook == ETL_ISR || hook == ETL_ISR_MSI;
	bool has_cpu = !(output->index->log.mode & ETL_MODE_ONE_STREAM);
	struct cursor c = event->payload;
	struct etw_interrupt_row row = { .end_ns = ts_ns,
					 .cpu = has_cpu ? stream->place->cpu : INT_NONE,
					 .event = str_of(interrupt_name(hook)),
					 .vector = INT_NONE };

	row.ts_ns = etl_ns(base, cursor_u64(&c));
	row.routine = (int64_t)etl_pointer(&c, event->pointer_bytes);
	if (is_isr) {
		cursor_skip(&c, 1); /* ReturnValue */
		row.vector = cursor_u16(&c);
		cursor_skip(&c, hook == ETL_ISR_MSI ? 5 : 1); /* MessageNumber */
	}
	if (!etl_check_payload(output->findings, event, &c))
		return;
	if (event->version < 2) /* ReturnValue has four bytes */
		row.vector = INT_NONE;
	if (row.ts_ns > ts_ns) /* damaged, or of another clock */
		row.ts_ns = INT_NONE;
	if (output->want_rows)
		etw_emit_row(&output->emit, TABLE_etw_interrupt, event->offset, &row);
	if (row.ts_ns != INT_NONE && has_cpu)
		emit_interrupted(output, event->offset, &row, is_isr);
}

/* --- any event --- */

void etl_on_kernel_event(struct etl_output *output, const struct etl_stream *stream,
			 int64_t ts_ns)
{
	const struct etl_event *event = &stream->event;

	if (!event->is_kernel || event->odd_bits)
		return;
	switch ((unsigned int)event->group << 8 | event->opcode) {
	case ETL_READY_THREAD:
		on_ready(output, stream, ts_ns);
		break;
	case ETL_SAMPLED_PROFILE:
	case ETL_PMC_INTERRUPT:
		on_sample(output, stream, ts_ns);
		break;
	case ETL_ISR:
	case ETL_ISR_MSI:
	case ETL_DPC:
	case ETL_THREADED_DPC:
	case ETL_TIMER_DPC:
		on_interrupt(output, stream, ts_ns,
			     (unsigned int)event->group << 8 | event->opcode);
		break;
	case ETL_INTERVAL_SET:
	case ETL_INTERVAL_DC_START:
	case ETL_INTERVAL_DC_END:
		on_interval(output, event, ts_ns);
		break;
	default:
		etl_on_task(output, event, ts_ns);
		break;
	}
}
