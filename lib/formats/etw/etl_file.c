/*
 * etl_file.c - .etl files, as ETW writes them: opening, and the rows around the events.
 *
 * The file is walked twice.  First all of it is counted and what must be known beforehand
 * is learned (etl_index.c); then the events of all CPUs come in order of time
 * (etl_order.c).  Such a file has no magic number: it is known by the shape of its first
 * buffer and of the log-file header in it.
 */
#include <stdlib.h>

#include "base/text.h"
#include "formats/etw/etl.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Of the first event, the log-file header, behind the buffer's. */
#define FIRST_EVENT ETL_BUFFER_HEADER_BYTES
#define LOG_VERSION_AT (FIRST_EVENT + 0x20 + 4)

#define WINDOWS_VISTA 6

/* --- recognising --- */

/* How many of the things that hold for every file hold for this one. */
static int signs_of(const uint8_t *head)
{
	struct etl_buffer_header header = etl_buffer_header(head);
	int signs = 0;

	signs += etl_buffer_is_plausible(&header);
	signs += header.type == ETL_BUFFER_TYPE_HEADER;
	signs += header.filled > ETL_BUFFER_HEADER_BYTES && header.filled <= header.size;
	signs += head[FIRST_EVENT + 2] == 1 || head[FIRST_EVENT + 2] == 2;
	signs += head[FIRST_EVENT + 3] == 0xc0;
	signs += head[FIRST_EVENT + 6] == 0 && head[FIRST_EVENT + 7] == 0;
	return signs;
}

int etl_probe(const uint8_t *head, size_t len)
{
	int signs = len >= LOG_VERSION_AT + 4 ? signs_of(head) : 0;

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
			 "etl: written by Windows %u.%u (XP or 2003), whose buffers have "
			 "another form: convert it with tracerpt on Windows",
			 major, head[LOG_VERSION_AT + 1]);
}

static void begin(struct reader *reader)
{
	struct etl *etl = reader->state;
	struct trace_row *trace = &etl->trace;

	etl->findings = &reader->findings;
	etl->kind_tail = &etl->kind_list;
	etl->facts_tail = &etl->facts;
	etl->first_ns = etl->last_ns = INT_NONE;
	for (size_t i = 0; i < ETL_SOURCES; i++)
		etl->sources[i].interval = INT_NONE;
	trace->path = text_valid_utf8(&etl->arena, str_of(reader->path));
	trace->format = STR("etl");
	trace->bytes = (int64_t)reader->input.size;
	trace->byte_order = STR("little-endian");
}

/* Counters that no PmcCounterConfig names are called by their number. */
static void name_counters(struct etl *etl)
{
	char name[16];

	for (size_t i = 0; i < etl->counter_count; i++) {
		if (etl->counter_names[i].len)
			continue;
		text_print(name, sizeof(name), "pmc%zu", i);
		etl->counter_names[i] = arena_str(&etl->arena, str_of(name));
	}
}

static void describe_log(struct etl *etl)
{
	const struct etl_log_header *log = &etl->log;
	unsigned int version = log->version;
	int shown = log->file.len < 900 ? (int)log->file.len : 900;

	etl_fact(etl, "LOG_VERSION", "%u.%u", version >> 16 & 0xff, version >> 24);
	etl_fact(etl, "LOG_FILE_MODE", "0x%x", log->mode);
	etl_fact(etl, "LOG_FILE_NAME", "%.*s", shown, log->file.ptr ? log->file.ptr : "");
	etl_fact(etl, "POINTER_BYTES", "%u", log->pointer_bytes);
	etl_fact(etl, "BUFFER_BYTES", "%u", log->buffer_bytes);
	etl_fact(etl, "BUFFERS_WRITTEN", "%u", log->buffers_written);
	etl_fact(etl, "BUFFERS_LOST", "%u", log->buffers_lost);
	etl_fact(etl, "EVENTS_LOST", "%u", log->events_lost);
	etl_fact(etl, "PERF_FREQUENCY", "%llu", (unsigned long long)log->perf_freq);
	etl_fact(etl, "CPU_MHZ_OF_HEADER", "%u", log->mhz);
	etl_fact(etl, "LOG_FILE_HEADERS", "%zu", etl->segment_count);
}

static void tell_losses(struct reader *reader)
{
	const struct etl *etl = reader->state;

	if (etl->log.events_lost)
		finding_add(&reader->findings, FINDING_LOST_EVENTS, ERROR_NO_OFFSET,
			    etl->log.events_lost);
	if (etl->log.buffers_lost)
		finding_add(&reader->findings, FINDING_LOST_BUFFERS, ERROR_NO_OFFSET,
			    etl->log.buffers_lost);
	if (etl->has_switches && etl->counter_count == 0)
		finding_add(&reader->findings, FINDING_NO_COUNTERS, ERROR_NO_OFFSET, 1);
}

enum status etl_open(struct reader *reader, const struct etl_consumer *consumer)
{
	struct etl *etl = reader->state;
	enum status status;

	etl->consumer = consumer;
	if (!reader->input.seekable)
		return error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "etl: such a file is read twice and cannot come from a "
				 "pipe: save it to a file first");
	begin(reader);
	status = refuse_old(reader);
	if (status == ST_OK)
		status = etl_index(reader);
	if (status == ST_OK)
		status = etl_order_open(reader);
	if (status != ST_OK)
		return status;
	name_counters(etl);
	if (etl->has_log)
		describe_log(etl);
	tell_losses(reader);
	etl->next_fact = etl->facts;
	etl->next_kind = etl->kind_list;
	return etl_switch_begin(reader);
}

void etl_close(struct reader *reader)
{
	struct etl *etl = reader->state;

	etl_switch_end(etl); /* before what the second thread reads from goes */
	etl_order_close(etl);
	if (etl->consumer)
		etl->consumer->close(etl);
	etw_details_release(&etl->details);
	map_release(&etl->kinds);
	arena_release(&etl->scratch);
	arena_release(&etl->arena);
}

/* --- rows around the events --- */

static bool next_fact(struct etl *etl, struct record *out)
{
	if (!etl->next_fact)
		return false;
	*out = (struct record){ .kind = RECORD_header_fact,
				.data = &etl->next_fact->row };
	etl->next_fact = etl->next_fact->next;
	return true;
}

/* The group of a switch and its counters, in front of the first one. */
static bool next_declaration(struct etl *etl, struct record *out)
{
	size_t i = etl->declare_next;

	if (!etl->has_switches || (etl->log.mode & ETL_MODE_ONE_STREAM) ||
	    i > etl->counter_count)
		return false;
	etl->declare_next++;
	if (i == 0) {
		etl->event.group = (struct counter_group_row){
			.group_id = 1,
			.leader = STR("CSwitch"),
			.counters = (int64_t)etl->counter_count,
			.scope = STR("cpu"),
			.has_times = STR("no"),
		};
		*out = (struct record){ .kind = RECORD_counter_group,
					.data = &etl->event.group };
		return true;
	}
	etl->event.counter = (struct counter_row){ .counter_id = (int64_t)i,
						   .group_id = 1,
						   .slot = (int64_t)i - 1,
						   .name = etl->counter_names[i - 1],
						   .event = etl->counter_names[i - 1],
						   .source = STR("etw"),
						   .type = INT_NONE,
						   .config = INT_NONE,
						   .period = INT_NONE };
	*out = (struct record){ .kind = RECORD_counter, .data = &etl->event.counter };
	return true;
}

static bool next_count(struct etl *etl, struct record *out)
{
	if (!etl->next_kind)
		return false;
	*out = etw_row(TABLE_etw_event_count, &etl->next_kind->row, 0);
	etl->next_kind = etl->next_kind->listed;
	return true;
}

static struct str clock_name(uint32_t clock)
{
	static const char *const names[] = { NULL, "QPC", "system time", "CPU cycles" };

	return clock < COUNT(names) ? str_of(names[clock]) : STR_NONE;
}

/* What is known of the trace once all of it was read. */
static void describe_trace(struct reader *reader)
{
	struct etl *etl = reader->state;
	struct trace_row *trace = &etl->trace;
	const struct etl_log_header *log = &etl->log;
	char release[64];

	trace->first_ns = etl->first_ns;
	trace->last_ns = etl->last_ns;
	trace->clock = clock_name(log->clock);
	trace->wall_offset_ns = etl->has_log ? etw_unix_ns(log->start_time) : INT_NONE;
	text_print(release, sizeof(release), "Windows %u.%u.%u", log->version & 0xff,
		   log->version >> 8 & 0xff, log->build);
	if (etl->has_log)
		trace->os_release = arena_str(&etl->arena, str_of(release));
	trace->cpu_count = etl->has_log ? (int64_t)log->cpus : INT_NONE;
	trace->recorder = log->logger.len ? log->logger : STR_NONE;
	trace->form = etl->is_compressed ? STR("compressed") : STR("raw");
	etl->consumer->describe(etl, trace);
	trace->status = !findings_damaged(&reader->findings) ? STR("complete")
			: finding_any(&reader->findings, FINDING_TRUNCATED)
				? STR("partial")
				: STR("recovered");
}

static bool next_last(struct reader *reader, struct record *out)
{
	struct etl *etl = reader->state;

	if (next_count(etl, out))
		return true;
	if (etl->trace_given)
		return false;
	etl->trace_given = true;
	describe_trace(reader);
	*out = (struct record){ .kind = RECORD_trace, .data = &etl->trace };
	return true;
}

bool etl_next_queued(struct etl *etl, struct record *out)
{
	struct etl_queue *queue = &etl->queue;
	const struct record *from;

	if (queue->next == queue->count)
		return false;
	/* Field by field, as it was written: that is what the CPU still has at hand. */
	from = &queue->records[queue->next++];
	out->kind = from->kind;
	out->offset = from->offset;
	out->data = from->data;
	out->table = from->table;
	out->deltas = out->values = NULL;
	out->slots = 0;
	return true;
}

static void empty_queue(struct etl *etl)
{
	etl->queue.next = etl->queue.count = 0;
	etl->text_used = 0;
	if (etl->scratch.blocks)
		arena_release(&etl->scratch);
}

enum status etl_next(struct reader *reader, struct record *out)
{
	struct etl *etl = reader->state;
	const struct etl_consumer *consumer = etl->consumer;
	enum status status = ST_OK;

	if (etl_switch_next(reader, out)) /* nearly always */
		return ST_OK;
	if (next_fact(etl, out) || next_declaration(etl, out))
		return ST_OK;
	while (!etl_next_queued(etl, out) && !etl_switch_next(reader, out) &&
	       !consumer->next(reader, out)) {
		struct etl_stream *stream;

		empty_queue(etl);
		status = etl_run_next(reader, &stream);
		if (status == ST_END) {
			consumer->end(reader);
			return next_last(reader, out) ? ST_OK : ST_END;
		}
		if (status == ST_NOMEM || consumer->out_of_memory(etl))
			return error_nomem(&reader->error);
		if (status != ST_OK)
			return status;
		if (stream && consumer->is_mine(&stream->event))
			consumer->on_event(reader, &stream->event);
		else if (stream)
			etl_kernel_take(reader, stream);
	}
	return ST_OK;
}
