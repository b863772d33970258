/*
 * xperf_text.c - the text that xperf's dumper makes of an ETW trace, line by line; see
 * docs/formats/xperf-text.md.
 *
 * A block of column lines between BeginHeader and EndHeader, a line about the trace, then
 * a line for each event; in between the program's own messages.  Excerpts that are
 * passed around have no such block: a column line counts wherever it is.  Nothing is
 * kept of a line but what its records need, so any length streams in the same memory.
 */
#include "base/text.h"
#include "formats/etw/xperf.h"
#include "formats/formats.h"

static const struct str byte_order_mark = { "\xef\xbb\xbf", 3 };

/* --- is it ours --- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static int probe(const uint8_t *head, size_t len)
{
	struct str text = { (const char *)head, len };
	size_t name = 0;

	if (xperf_begins(text, byte_order_mark))
		text = (struct str){ text.ptr + 3, text.len - 3 };
	while (text.len && is_blank(*text.ptr)) {
		text.ptr++;
		text.len--;
	}
	if (xperf_begins(text, STR("BeginHeader")))
		return 90;
	/* A column line. */
	while (name < text.len && (text.ptr[name] & 0x80) == 0 && text.ptr[name] > ' ' &&
	       text.ptr[name] != ',')
		name++;
	if (name == 0 || name == text.len || text.ptr[name] != ',')
		return 0;
	text = xperf_trim((struct str){ text.ptr + name + 1, text.len - name - 1 });
	return xperf_begins(text, STR("TimeStamp")) ? 80 : 0;
}

/* --- what the lines before the events say --- */

static void emit_fact(struct xperf *x, struct str key, struct str value)
{
	struct header_fact_row row = { .key = key };

	if (value.len > XPERF_FACT_BYTES_MAX)
		value.len = XPERF_FACT_BYTES_MAX;
	row.value = xperf_text(&x->texts, value);
	emit_push_row(&x->emit, RECORD_header_fact, x->line.offset, &row);
}

/* The number in "12", "12KB" or "12 sec". */
static bool leading_count(struct str text, uint64_t *count)
{
	size_t digits = 0;

	while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9')
		digits++;
	return xperf_count((struct str){ text.ptr, digits }, count);
}

static void on_lost(struct xperf *x, enum finding_kind kind, struct str value)
{
	uint64_t count;

	if (leading_count(value, &count) && count)
		finding_add(x->findings, kind, x->line.offset,
			    count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

/* One "key: value" of the line about the trace. */
static void on_os_field(struct xperf *x, struct str key, struct str value)
{
	uint64_t count;

	emit_fact(x, key, value);
	if (xperf_begins(key, STR("OS Version")) && value.len <= XPERF_NAME_BYTES_MAX) {
		value = xperf_text(&x->texts, value);
		x->trace.os_release = arena_str(&x->kept, value);
	} else if (xperf_begins(key, STR("Events Lost"))) {
		on_lost(x, FINDING_LOST_EVENTS, value);
	} else if (xperf_begins(key, STR("Buffers Lost"))) {
		on_lost(x, FINDING_LOST_BUFFERS, value);
	} else if (xperf_begins(key, STR("Trace Start")) && xperf_count(value, &count)) {
		x->trace.wall_offset_ns = etw_unix_ns(count);
	}
}

static void on_os_line(struct xperf *x)
{
	const struct xperf_line *line = &x->line;

	if (x->has_os_line)
		return;
	x->has_os_line = true;
	for (size_t i = 0; i < line->count && i < XPERF_FACTS_MAX; i++) {
		struct str field = xperf_field(line, i), key = field, value;
		const char *colon = field.len ? memchr(field.ptr, ':', field.len) : NULL;

		if (!colon)
			continue;
		key.len = (size_t)(colon - field.ptr);
		value = xperf_trim((struct str){ colon + 1, field.len - key.len - 1 });
		if (!xperf_begins(key, STR("Trace Name"))) {
			on_os_field(x, key, value);
			continue;
		}
		/* The last one may hold commas, and colons. */
		field = xperf_line_span(line, i, line->count - 1);
		emit_fact(x, key,
			  xperf_trim((struct str){ field.ptr + key.len + 1,
						   field.len - key.len - 1 }));
		break;
	}
}

/* --- lines --- */

static void report_noise(struct xperf *x)
{
	finding_add(x->findings, FINDING_NOISE_LINE, x->line.offset, 1);
}

static bool has_name(const struct xperf *x)
{
	struct str name = x->line.fields[0];

	return x->line.count > 1 && name.len && name.len <= XPERF_NAME_BYTES_MAX;
}

static enum status on_column_line(struct reader *reader)
{
	struct xperf *x = reader->state;
	struct xperf_class *class;

	if (!has_name(x)) {
		report_noise(x);
		return ST_OK;
	}
	class = xperf_class(&x->classes, x->line.fields[0]);
	if (!class)
		return error_nomem(&reader->error);
	if (class == x->classes.others) {
		finding_report(
			&reader->findings, FINDING_FACT_LIMIT, x->line.offset,
			"more than %u kinds of events: the rest are counted together",
			XPERF_CLASSES_MAX);
		return ST_OK;
	}
	if (class->kind == XPERF_META)
		return ST_OK;
	xperf_define_class(class, &x->line);
	if (class->kind == XPERF_PMC)
		xperf_define_pmc(x, &reader->input);
	return ST_OK;
}

static void add_time(struct xperf *x)
{
	int64_t ns = xperf_ts_ns(x);

	if (x->first_ns == INT_NONE || ns < x->first_ns)
		x->first_ns = ns;
	if (x->last_ns == INT_NONE || ns > x->last_ns)
		x->last_ns = ns;
}

enum {
	PROCESS = XPERF_NEEDS_PROCESS,
	THREAD = XPERF_NEEDS_PROCESS | XPERF_NEEDS_THREAD,
	SAMPLE = THREAD | XPERF_NEEDS_CPU,
	SWITCH = SAMPLE | XPERF_NEEDS_PROCESS_2 | XPERF_NEEDS_THREAD_2,
};

/* Kinds of events that become records; Pmc lines are xperf_counters.c's. */
static const struct event_kind {
	xperf_handler_fn *handler;
	unsigned int needs;
	const char *misfit;
} event_kinds[] = {
	[XPERF_SWITCH] = { xperf_on_switch, SWITCH,
			   "a CSwitch line that does not fit its columns" },
	[XPERF_PROCESS] = { xperf_on_process, PROCESS,
			    "a line of a process without the process" },
	[XPERF_THREAD] = { xperf_on_thread, THREAD,
			   "a line of a thread that does not fit its columns" },
	[XPERF_SAMPLE] = { xperf_on_sample, SAMPLE,
			   "a SampledProfile line that does not fit its columns" },
	[XPERF_READY] = { xperf_on_ready, XPERF_NEEDS_THREAD_2,
			  "a ReadyThread line that does not fit its columns" },
	[XPERF_INTERVAL] = { xperf_on_interval, 0,
			     "a ProfileFreq line that does not fit its columns" },
	[XPERF_IMAGE] = { xperf_on_image, PROCESS,
			  "a line of an image that does not fit its columns" },
	[XPERF_CORRUPTION] = { xperf_on_corruption, 0,
			       "a PmcCorruptionStatus line without columns" },
};

static void on_misfit(struct xperf *x, const struct xperf_class *class, const char *why)
{
	if (class->kind == XPERF_SWITCH)
		xperf_miss_switch(x, why);
	else
		xperf_bad_line(x, why);
}

static void on_event(struct xperf *x, const struct xperf_class *class)
{
	const struct event_kind *kind = &event_kinds[class->kind];
	bool is_switch = class->kind == XPERF_SWITCH;
	struct xperf_event event;

	if (!kind->handler)
		return;
	if (!xperf_event(&event, class, &x->line, kind->needs))
		on_misfit(x, class,
			  is_switch && !class->has_columns
				  ? "a CSwitch line before its column line"
				  : kind->misfit);
	else if ((kind->needs & XPERF_NEEDS_CPU) && !xperf_add_cpu(x, event.cpu))
		on_misfit(x, class,
			  is_switch ? "a CSwitch line without a CPU" : kind->misfit);
	else
		kind->handler(x, class, &event);
}

/*
 * A line without a column line may be the rest of a command line with a line break in it:
 * its first word is not the name of an event.
 */
static struct xperf_class *class_of_event(struct xperf *x)
{
	struct str name = x->line.fields[0];
	struct xperf_class *class = xperf_find_class(&x->classes, name);

	if (class)
		return class;
	return xperf_is_kind(name) ? xperf_class(&x->classes, name)
				   : xperf_other_class(&x->classes);
}

static enum status on_event_line(struct reader *reader, uint64_t us)
{
	struct xperf *x = reader->state;
	struct xperf_class *class;

	if (!has_name(x)) {
		report_noise(x);
		return ST_OK;
	}
	class = class_of_event(x);
	if (!class)
		return error_nomem(&reader->error);
	class->events++;
	class->bytes += (int64_t)x->line.size;
	if (class->kind == XPERF_META) {
		emit_fact(x, class->name, x->line.fields[1]);
		return ST_OK;
	}
	if (us > INT64_MAX / 1000) {
		xperf_on_bad_event(x, class->name,
				   "a time beyond the range of nanoseconds");
		return ST_OK;
	}
	x->us = us;
	add_time(x);
	if (class->kind != XPERF_PMC && class->kind != XPERF_SWITCH)
		xperf_end_pmc(x, class);
	if (class->kind == XPERF_PMC)
		xperf_on_pmc(x);
	else
		on_event(x, class);
	return ST_OK;
}

/* The name says what it is: a switch counts as one even without a valid time. */
static void on_untimed_line(struct xperf *x, struct str name)
{
	const struct xperf_class *class = xperf_find_class(&x->classes, name);

	if (xperf_is_kind(name) || (class && class->has_columns))
		xperf_on_bad_event(x, name, "the time of the event is not a number");
	else
		report_noise(x);
}

static void on_long_line(struct xperf *x)
{
	struct str name = x->line.raw;
	const char *comma = name.len ? memchr(name.ptr, ',', name.len) : NULL;

	if (comma)
		name.len = (size_t)(comma - name.ptr);
	xperf_on_bad_event(x, xperf_trim(name), "longer than 64 KiB");
}

static enum status on_line(struct reader *reader)
{
	struct xperf *x = reader->state;
	struct str first = xperf_field(&x->line, 0), second = xperf_field(&x->line, 1);
	uint64_t us;

	if (x->line.count == 0) /* blank */
		return ST_OK;
	if (str_equal(first, STR("BeginHeader")) || str_equal(first, STR("EndHeader"))) {
		x->in_header = str_equal(first, STR("BeginHeader"));
		return ST_OK;
	}
	if (xperf_begins(first, STR("Error:"))) {
		report_noise(x);
		return ST_OK;
	}
	if (xperf_begins(first, STR("OS Version:"))) {
		x->in_header = false;
		on_os_line(x);
		return ST_OK;
	}
	if (x->line.count > 1 && xperf_count(second, &us)) {
		x->in_header = false;
		return on_event_line(reader, us);
	}
	if (x->in_header || str_equal(second, STR("TimeStamp")))
		return on_column_line(reader);
	on_untimed_line(x, first);
	return ST_OK;
}

/* --- after the last line --- */

static void report_end(struct reader *reader)
{
	struct xperf *x = reader->state;

	xperf_drop_pmc(x);
	if (reader->error.status < ST_OK)
		finding_report(&reader->findings, FINDING_READ_ERROR,
			       reader->input.offset, "%s", reader->error.text);
	else if (x->in_header)
		finding_report(&reader->findings, FINDING_TRUNCATED, reader->input.offset,
			       "the file ends before its EndHeader");
	if (x->switches && x->counters.count == 0)
		finding_add(&reader->findings, FINDING_NO_COUNTERS, ERROR_NO_OFFSET, 1);
	else if (x->switches && x->counters.paired == 0)
		finding_report(&reader->findings, FINDING_NO_COUNTERS, ERROR_NO_OFFSET,
			       "no Pmc line belongs to a switch: nothing can be billed");
}

/*
 * Most lines of most dumps are of events that are only counted: those need not be split.
 * False: this is none, or a Pmc line waits for it.
 */
static bool count_other_event(struct xperf *x)
{
	struct str raw = x->line.raw, name = raw, time;
	const char *comma = raw.len ? memchr(raw.ptr, ',', raw.len) : NULL, *end;
	struct xperf_class *class;
	uint64_t us;

	if (!comma || x->in_header || x->counters.pmc.waits)
		return false;
	name.len = (size_t)(comma - raw.ptr);
	name = xperf_trim(name);
	class = name.len <= XPERF_NAME_BYTES_MAX ? xperf_find_class(&x->classes, name)
						 : NULL;
	if (!class || class->kind != XPERF_OTHER)
		return false;
	time = (struct str){ comma + 1, raw.len - (size_t)(comma + 1 - raw.ptr) };
	end = time.len ? memchr(time.ptr, ',', time.len) : NULL;
	if (end)
		time.len = (size_t)(end - time.ptr);
	if (!xperf_count(xperf_trim(time), &us) || us > INT64_MAX / 1000)
		return false;
	class->events++;
	class->bytes += (int64_t)x->line.size;
	x->us = us;
	add_time(x);
	return true;
}

/* The last line was cut off if it has no end and was of no use. */
static void report_cut_off(struct reader *reader, int64_t bad_lines)
{
	struct xperf *x = reader->state;

	if (x->line.has_end || reader->findings.of[FINDING_BAD_LINE].count == bad_lines)
		return;
	reader->findings.of[FINDING_BAD_LINE].count = bad_lines;
	finding_report(&reader->findings, FINDING_TRUNCATED, x->line.offset,
		       "the file ends inside the line at 0x%llx",
		       (unsigned long long)x->line.offset);
}

/* All of a text whose lines end with CR alone is one line of ours, the first. */
static bool ends_with_cr(const struct xperf *x)
{
	return x->line.offset <= byte_order_mark.len && x->line.raw.len &&
	       memchr(x->line.raw.ptr, '\r', x->line.raw.len);
}

/* --- rows at the end --- */

static void emit_counts(struct xperf *x)
{
	for (const struct xperf_class *class = x->classes.first; class;
	     class = class->next) {
		struct etw_event_count_row row = {
			.header = STR("text"),
			.provider = STR("xperf"),
			.event_id = INT_NONE,
			.opcode = INT_NONE,
			.version = INT_NONE,
			.name = class->name,
			.events = class->events,
			.bytes = class->bytes,
			.kept = str_of(class->kept),
		};

		if (class->events)
			etw_emit_row(&x->emit, TABLE_etw_event_count, ERROR_NO_OFFSET,
				     &row);
	}
}

/* What is known of the trace once all of it was read. */
static void describe_trace(struct reader *reader)
{
	struct xperf *x = reader->state;
	struct trace_row *trace = &x->trace;

	trace->bytes = (int64_t)reader->input.offset;
	trace->first_ns = x->first_ns;
	trace->last_ns = x->last_ns;
	trace->cpu_count = x->cpu_count ? x->cpu_count : INT_NONE;
	trace->status = findings_completeness(&reader->findings);
}

static enum status end_of_input(struct reader *reader)
{
	struct xperf *x = reader->state;

	if (reader->error.status == ST_INTERRUPTED || reader->error.status == ST_NOMEM)
		return reader->error.status;
	report_end(reader);
	emit_counts(x);
	describe_trace(reader);
	emit_push(&x->emit, &(struct record){ .kind = RECORD_trace, .data = &x->trace });
	x->ended = true;
	return ST_OK;
}

/* --- the walk --- */

static enum status read_line(struct reader *reader)
{
	struct xperf *x = reader->state;
	int64_t bad_lines = reader->findings.of[FINDING_BAD_LINE].count;
	enum status status;

	if (x->texts.blocks)
		arena_release(&x->texts);
	status = xperf_line_next(&x->line, &reader->input);
	if (status == ST_END)
		return end_of_input(reader);
	if (ends_with_cr(x))
		return error_set(&reader->error, ST_UNSUPPORTED, x->line.offset,
				 "xperf text: lines end with CR alone, expected LF or CR "
				 "LF; \"tr '\\r' '\\n'\" converts it");
	if (status == ST_LIMIT) {
		on_long_line(x);
		return ST_OK;
	}
	if (count_other_event(x))
		return ST_OK;
	if (xperf_line_split(&x->line) != ST_OK)
		return error_nomem(&reader->error);
	status = on_line(reader);
	report_cut_off(reader, bad_lines);
	return status;
}

static enum status xperf_next(struct reader *reader, struct record *out)
{
	struct xperf *x = reader->state;

	for (;;) {
		enum status status = emit_pop(&x->emit, out, &reader->error);

		if (status != ST_END || x->ended)
			return status;
		status = read_line(reader);
		if (status != ST_OK)
			return status;
	}
}

static enum status xperf_open(struct reader *reader)
{
	struct xperf *x = reader->state;
	const uint8_t *mark = input_peek(&reader->input, byte_order_mark.len);

	x->findings = &reader->findings;
	x->want_rows = reader->options.want_rows;
	x->first_ns = x->last_ns = INT_NONE;
	x->trace = (struct trace_row){
		.path = str_of(reader->path),
		.format = STR("xperf text"),
		.clock = STR("us since trace start"),
		.wall_offset_ns = INT_NONE,
		.wall_offset_end_ns = INT_NONE,
		.cpu_count = INT_NONE,
		.recorder = STR("xperf"),
		.form = STR("text"),
	};
	if (mark && memcmp(mark, byte_order_mark.ptr, byte_order_mark.len) == 0)
		input_consume(&reader->input, byte_order_mark.len);
	input_stream(&reader->input);
	if (xperf_line_open(&x->line) != ST_OK)
		return error_nomem(&reader->error);
	return ST_OK;
}

static void xperf_close(struct reader *reader)
{
	struct xperf *x = reader->state;

	emit_release(&x->emit);
	xperf_line_close(&x->line);
	xperf_classes_release(&x->classes);
	etw_details_release(&x->details);
	arena_release(&x->texts);
	arena_release(&x->kept);
	arena_release(&x->counters.arena);
}

const struct reader_ops xperf_reader = {
	.name = "xperf text",
	.state_size = sizeof(struct xperf),
	.processes_apart = true,
	.probe = probe,
	.open = xperf_open,
	.next = xperf_next,
	.close = xperf_close,
};
