/*
 * etl_file.c - .etl files, as ETW writes them: opening, and the rows around the events.
 *
 * The file is walked twice.  First all of it is counted and what must be known beforehand
 * is learned (etl_index.c); then the events of all CPUs come in order of time
 * (etl_order.c).  Such a file has no magic number: it is known by the shape of its first
 * buffer and of the log-file header in it.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "formats/etw/etl.h"

/* Of the first event, the log-file header, after the buffer's. */
#define FIRST_EVENT ETL_BUFFER_HEADER_BYTES
#define LOG_VERSION_AT (FIRST_EVENT + 0x20 + 4)

#define WINDOWS_VISTA 6

/* --- recognising --- */

/* How many of the things that hold for every file hold for this one. */
static int count_signs(const uint8_t *head)
{
	struct etl_buffer_header header = etl_decode_buffer_header(head);
	int signs = 0;

	signs += etl_is_buffer(&header);
	signs += header.type == ETL_BUFFER_TYPE_HEADER;
	signs += header.filled > ETL_BUFFER_HEADER_BYTES && header.filled <= header.size;
	signs += head[FIRST_EVENT + 2] == 1 || head[FIRST_EVENT + 2] == 2;
	signs += head[FIRST_EVENT + 3] == 0xc0;
	signs += head[FIRST_EVENT + 6] == 0 && head[FIRST_EVENT + 7] == 0;
	return signs;
}

int etl_probe(const uint8_t *head, size_t len)
{
	int signs = len >= LOG_VERSION_AT + 4 ? count_signs(head) : 0;

	return signs >= 4 ? 60 + 5 * signs : 0;
}

/* --- opening --- */

/* Windows XP and 2003 wrote buffers of another form. */
static enum status refuse_old(struct reader *reader)
{
	const uint8_t *head = input_peek(&reader->input, LOG_VERSION_AT + 4);
	unsigned int major;

	if (!head)
		return error_set(&reader->error, ST_TRUNCATED, 0,
				 "etl: the first buffer is cut off");
	major = head[LOG_VERSION_AT];
	if (head[FIRST_EVENT + 3] != 0xc0 || major == 0 || major >= WINDOWS_VISTA)
		return ST_OK;
	return error_set(&reader->error, ST_UNSUPPORTED, LOG_VERSION_AT,
			 "etl: unsupported buffers of Windows %u.%u (XP or 2003): "
			 "convert the file with tracerpt on Windows",
			 major, head[LOG_VERSION_AT + 1]);
}

static void init(struct reader *reader)
{
	struct etl *etl = reader->state;
	struct etl_index *index = &etl->index;
	struct etl_output *output = &etl->output;
	struct trace_row *trace = &etl->trace;

	index->arena = index->kinds.arena = index->facts.arena = &etl->arena;
	index->findings = index->kinds.findings = &reader->findings;
	index->texts = &etl->texts;
	index->kinds.tail = &index->kinds.first;
	index->facts.tail = &index->facts.first;
	output->index = index;
	output->arena = &etl->arena;
	output->findings = &reader->findings;
	output->texts = &etl->texts;
	output->want_rows = reader->options.want_rows;
	for (size_t i = 0; i < ETL_SOURCES; i++)
		index->sources[i].interval = INT_NONE;
	trace->path = text_valid_utf8(&etl->arena, str_of(reader->path));
	trace->format = STR("etl");
	trace->bytes = (int64_t)reader->input.size;
	trace->byte_order = STR("little-endian");
}

/* Counters that no PmcCounterConfig names are called by their number. */
static void name_counters(struct etl_index *index)
{
	char name[16];

	for (size_t i = 0; i < index->counter_count; i++) {
		if (index->counter_names[i].len)
			continue;
		text_print(name, sizeof(name), "pmc%zu", i);
		index->counter_names[i] = arena_str(index->arena, str_of(name));
	}
}

static void start_sources(struct etl *etl)
{
	for (size_t i = 0; i < ETL_SOURCES; i++) {
		etl->output.sources[i].name = etl->index.sources[i].name;
		etl->output.sources[i].interval = etl->index.sources[i].interval;
	}
}

static void describe_log(struct etl_index *index)
{
	const struct etl_log_header *log = &index->log;
	struct etl_facts *facts = &index->facts;
	unsigned int version = log->version;
	int shown = log->file.len < 900 ? (int)log->file.len : 900;

	etl_fact(facts, "LOG_VERSION", "%u.%u", version >> 16 & 0xff, version >> 24);
	etl_fact(facts, "LOG_FILE_MODE", "0x%x", log->mode);
	etl_fact(facts, "LOG_FILE_NAME", "%.*s", shown,
		 log->file.ptr ? log->file.ptr : "");
	etl_fact(facts, "POINTER_BYTES", "%u", log->pointer_bytes);
	etl_fact(facts, "BUFFER_BYTES", "%u", log->buffer_bytes);
	etl_fact(facts, "BUFFERS_WRITTEN", "%u", log->buffers_written);
	etl_fact(facts, "BUFFERS_LOST", "%u", log->buffers_lost);
	etl_fact(facts, "EVENTS_LOST", "%u", log->events_lost);
	etl_fact(facts, "PERF_FREQUENCY", "%llu", (unsigned long long)log->perf_freq);
	etl_fact(facts, "CPU_MHZ_OF_HEADER", "%u", log->mhz);
	etl_fact(facts, "LOG_FILE_HEADERS", "%zu", index->segment_count);
}

static void report_losses(const struct etl_index *index)
{
	if (index->log.events_lost)
		finding_add(index->findings, FINDING_LOST_EVENTS, ERROR_NO_OFFSET,
			    index->log.events_lost);
	if (index->log.buffers_lost)
		finding_add(index->findings, FINDING_LOST_BUFFERS, ERROR_NO_OFFSET,
			    index->log.buffers_lost);
	if (index->has_switches && index->counter_count == 0)
		finding_add(index->findings, FINDING_NO_COUNTERS, ERROR_NO_OFFSET, 1);
}

/* --- rows before the events --- */

/* The group of a switch and its counters. */
static void emit_group(struct emit *emit, const struct etl_index *index)
{
	struct counter_group_row group = {
		.group_id = 1,
		.leader = STR("CSwitch"),
		.counters = (int64_t)index->counter_count,
		.scope = STR("cpu"),
		.has_times = STR("no"),
	};

	emit_push_row(emit, RECORD_counter_group, 0, &group);
	for (size_t i = 0; i < index->counter_count; i++) {
		struct counter_row counter = { .counter_id = (int64_t)i + 1,
					       .group_id = 1,
					       .slot = (int64_t)i,
					       .name = index->counter_names[i],
					       .event = index->counter_names[i],
					       .source = STR("etw"),
					       .type = INT_NONE,
					       .config = INT_NONE,
					       .period = INT_NONE };

		emit_push_row(emit, RECORD_counter, 0, &counter);
	}
}

static void emit_first(struct etl *etl)
{
	const struct etl_index *index = &etl->index;
	struct emit *emit = &etl->output.emit;

	for (const struct etl_fact *fact = index->facts.first; fact; fact = fact->next)
		emit_push(emit, &(struct record){ .kind = RECORD_header_fact,
						  .data = &fact->row });
	if (index->has_switches && !(index->log.mode & ETL_MODE_ONE_STREAM))
		emit_group(emit, index);
}

/* --- opening and closing --- */

enum status etl_open(struct reader *reader, const struct etl_consumer *consumer)
{
	struct etl *etl = reader->state;
	enum status status;

	etl->consumer = consumer;
	status = input_spool(&reader->input); /* it is read twice */
	if (status != ST_OK)
		return status;
	init(reader);
	status = refuse_old(reader);
	if (status == ST_OK)
		status = etl_index(reader);
	if (status == ST_OK)
		status = etl_order_open(reader);
	if (status != ST_OK)
		return status;
	name_counters(&etl->index);
	start_sources(etl);
	if (etl->index.has_log)
		describe_log(&etl->index);
	report_losses(&etl->index);
	emit_first(etl);
	status = etl_hand_over(reader);
	return status == ST_OK ? etl_runs_open(reader) : status;
}

void etl_close(struct reader *reader)
{
	struct etl *etl = reader->state;

	etl_runs_close(&etl->runs); /* before what the second thread reads from goes */
	etl_order_close(&etl->order);
	etl_index_release(&etl->index);
	if (etl->consumer_state)
		etl->consumer->close(etl->consumer_state);
	emit_release(&etl->output.emit);
	etw_details_release(&etl->output.details);
	etl_texts_release(&etl->texts);
	arena_release(&etl->arena);
}

/* --- rows after the events --- */

static struct str clock_name(uint32_t clock)
{
	static const char *const names[] = { NULL, "QPC", "system time", "CPU cycles" };

	return clock < ARRAY_COUNT(names) ? str_of(names[clock]) : STR_NONE;
}

/* What is known of the trace once all of it was read. */
static void describe_trace(struct reader *reader)
{
	struct etl *etl = reader->state;
	struct trace_row *trace = &etl->trace;
	const struct etl_index *index = &etl->index;
	const struct etl_log_header *log = &index->log;
	char release[64];

	trace->first_ns = etl->order.first_ns;
	trace->last_ns = etl->order.last_ns;
	trace->clock = clock_name(log->clock);
	trace->wall_offset_ns = index->has_log ? etw_unix_ns(log->start_time) : INT_NONE;
	trace->wall_offset_end_ns = INT_NONE;
	text_print(release, sizeof(release), "Windows %u.%u.%u", log->version & 0xff,
		   log->version >> 8 & 0xff, log->build);
	if (index->has_log)
		trace->os_release = arena_str(&etl->arena, str_of(release));
	trace->cpu_count = index->has_log ? (int64_t)log->cpus : INT_NONE;
	trace->recorder = log->logger.len ? log->logger : STR_NONE;
	trace->form = index->is_compressed ? STR("compressed") : STR("raw");
	trace->host = index->host;
	trace->arch = index->arch;
	if (etl->consumer_state)
		etl->consumer->describe(etl->consumer_state, trace);
	trace->status = findings_completeness(&reader->findings);
}

static void emit_last(struct reader *reader)
{
	struct etl *etl = reader->state;
	struct emit *emit = &etl->output.emit;

	for (const struct etl_kind *kind = etl->index.kinds.first; kind;
	     kind = kind->listed)
		emit_push(emit,
			  &(struct record){ .kind = RECORD_OWN_TABLE,
					    .table = &etw_tables[TABLE_etw_event_count],
					    .data = &kind->row });
	describe_trace(reader);
	emit_push(emit, &(struct record){ .kind = RECORD_trace, .data = &etl->trace });
	etl->ended = true;
}

/* --- the events --- */

static void on_event(struct etl *etl, struct etl_stream *stream)
{
	const struct etl_event *event = &stream->event;
	struct etl_output *output = &etl->output;
	int64_t ts_ns = etl_ns(&etl->index.segments[stream->segment], stream->ticks);

	if (ts_ns == INT_NONE)
		finding_add(output->findings, FINDING_BAD_CPU, event->offset, 1);
	else if (event->has_ticks)
		etl_order_note_time(&etl->order, ts_ns);
	if (!etl_on_switch(&etl->runs, output, stream, ts_ns) && ts_ns != INT_NONE)
		etl_on_kernel_event(output, stream, ts_ns);
}

/* The next event, as records in a queue or as a run of switches. */
static enum status read_next_event(struct reader *reader)
{
	struct etl *etl = reader->state;
	const struct etl_consumer *consumer = etl->consumer;
	struct etl_stream *stream;
	enum status status;

	etl_texts_clear(&etl->texts);
	if (reader_interrupted(reader))
		return ST_INTERRUPTED;
	status = etl_next_run(reader, &etl->runs, &stream);
	if (status == ST_END) {
		if (etl->consumer_state)
			consumer->end(etl->consumer_state);
		emit_last(reader);
		return ST_OK;
	}
	if (status == ST_NOMEM)
		return error_nomem(&reader->error);
	if (status != ST_OK || !stream)
		return status;
	if (etl->consumer_state && consumer->is_mine(&stream->event))
		consumer->on_event(etl->consumer_state, &stream->event);
	else
		on_event(etl, stream);
	return etl->texts.out_of_memory ? error_nomem(&reader->error) : ST_OK;
}

enum status etl_next(struct reader *reader, struct record *out)
{
	struct etl *etl = reader->state;
	struct etl_output *output = &etl->output;

	for (;;) {
		enum status status;

		if (etl_next_switch(&etl->runs, output, reader->wants_runs,
				    out)) /* nearly always */
			return ST_OK;
		status = emit_pop(&output->emit, out, &reader->error);
		if (status == ST_END && etl->consumer_state)
			status = etl->consumer->next(etl->consumer_state, out,
						     &reader->error);
		if (status != ST_END || etl->ended)
			return status;
		status = read_next_event(reader);
		if (status != ST_OK)
			return status;
	}
}
