/* What is around the records in a perf.data file, and before them in a pipe. */
#include "trace/parts.h"

enum {
	HEADER_BYTES = 104,
	PIPE_HEADER_BYTES = 16,
	SECTION_BYTES = 16,
	UPDATE_UNIT = 0,
	UPDATE_NAME = 2,
	TYPE_SOFTWARE = 1,
	SOFTWARE_TASK_CLOCK = 1,
};

/* "PERFILE2" and "PERFFILE" when written by a little-endian machine. */
static const uint64_t magic_2 = 0x32454c4946524550;
static const uint64_t magic_1 = 0x454c494646524550;

static uint64_t ids_bytes(const struct trace *trace)
{
	return (uint64_t)trace->scenario->cpu_count * sizeof(uint64_t);
}

static uint64_t entry_bytes(const struct trace *trace)
{
	return attr_bytes(trace) + SECTION_BYTES;
}

static void put_header(const struct trace *trace, struct byte_buf *out)
{
	uint64_t features = 0;

	for (unsigned feature = 0; feature < FEATURE_LAST; feature++)
		if (has_feature(trace, feature))
			features |= (uint64_t)1 << feature;
	BUF(out, "8888888", form_has(trace->form, FORM_OLD_MAGIC) ? magic_1 : magic_2,
	    HEADER_BYTES, entry_bytes(trace),
	    trace->ids_offset + trace->event_count * ids_bytes(trace),
	    trace->event_count * entry_bytes(trace), trace->data_offset,
	    trace->data_bytes);
	buf_zero(out, SECTION_BYTES); /* event types, of perf before 3.0 */
	buf_u64(out, features);
	buf_zero(out, 3 * sizeof(uint64_t));
}

static void put_ids_and_attrs(const struct trace *trace, struct byte_buf *out)
{
	for (unsigned i = 0; i < trace->event_count; i++)
		put_ids(out, trace, i);
	for (unsigned i = 0; i < trace->event_count; i++) {
		put_attr(out, trace, i);
		buf_u64(out, trace->ids_offset + i * ids_bytes(trace));
		buf_u64(out, ids_bytes(trace));
	}
}

void file_put_head(struct trace *trace, struct byte_buf *out)
{
	bool attrs_last = form_has(trace->form, FORM_ATTRS_LAST);

	if (!attrs_last)
		trace->ids_offset = HEADER_BYTES;
	trace->data_offset = HEADER_BYTES;
	if (!attrs_last)
		trace->data_offset +=
			trace->event_count * (ids_bytes(trace) + entry_bytes(trace));
	put_header(trace, out);
	if (!attrs_last)
		put_ids_and_attrs(trace, out);
}

void file_put_tail(struct trace *trace, struct byte_buf *out)
{
	uint64_t table_offset = trace->data_offset + trace->data_bytes;
	size_t table_at = out->size;
	size_t slot = out->size;

	for (unsigned feature = 0; feature < FEATURE_LAST; feature++)
		if (has_feature(trace, feature))
			buf_zero(out, SECTION_BYTES);
	for (unsigned feature = 0; feature < FEATURE_LAST; feature++) {
		size_t start = out->size;

		if (!has_feature(trace, feature))
			continue;
		put_feature(out, trace, feature);
		buf_set_u64(out, slot, table_offset + start - table_at);
		buf_set_u64(out, slot + 8, out->size - start);
		slot += SECTION_BYTES;
	}
	if (form_has(trace->form, FORM_ATTRS_LAST)) {
		trace->ids_offset = table_offset + out->size - table_at;
		put_ids_and_attrs(trace, out);
	}
}

static void put_feature_record(struct byte_buf *out, const struct trace *trace,
			       unsigned feature)
{
	size_t start = record_begin(out, RECORD_HEADER_FEATURE, 0);

	buf_u64(out, feature);
	put_feature(out, trace, feature);
	record_end_unaligned(out, start);
}

/* A reader must know how records are packed before anything else. */
static void put_feature_records(struct byte_buf *out, const struct trace *trace)
{
	if (has_feature(trace, FEATURE_COMPRESSED))
		put_feature_record(out, trace, FEATURE_COMPRESSED);
	for (unsigned feature = 0; feature < FEATURE_LAST; feature++)
		if (feature != FEATURE_COMPRESSED && feature != FEATURE_TRACING_DATA &&
		    has_feature(trace, feature))
			put_feature_record(out, trace, feature);
	put_feature_record(out, trace, FEATURE_LAST);
}

/* The payload is after the record, padded, and the padding is counted. */
static void put_tracing_record(struct byte_buf *out, const struct trace *trace)
{
	size_t start = record_begin(out, RECORD_TRACING_DATA, 0);
	size_t payload;

	buf_u32(out, 0);
	record_end_unaligned(out, start);
	payload = out->size;
	put_feature(out, trace, FEATURE_TRACING_DATA);
	buf_zero(out, (8 - (out->size - payload) % 8) % 8);
	buf_set_u32(out, payload - 4, (uint32_t)(out->size - payload));
}

static void put_event_update(struct byte_buf *out, const struct trace_event *event,
			     uint64_t kind, const char *text)
{
	size_t start = record_begin(out, RECORD_EVENT_UPDATE, 0);

	buf_u64(out, kind);
	buf_u64(out, event->first_id);
	put_padded_name(out, text);
	record_end(out, start);
}

static void put_event_updates(struct byte_buf *out, const struct trace *trace)
{
	for (unsigned i = 0; i < trace->event_count; i++) {
		const struct trace_event *event = &trace->events[i];

		if (event->spec.type == TYPE_SOFTWARE &&
		    event->spec.config == SOFTWARE_TASK_CLOCK)
			put_event_update(out, event, UPDATE_UNIT, "msec");
		put_event_update(out, event, UPDATE_NAME, event->spec.name);
	}
}

void pipe_put_head(const struct trace *trace, struct byte_buf *out)
{
	buf_u64(out, magic_2);
	buf_u64(out, PIPE_HEADER_BYTES);
	for (unsigned i = 0; i < trace->event_count; i++) {
		size_t start = record_begin(out, RECORD_HEADER_ATTR, 0);

		put_attr(out, trace, i);
		put_ids(out, trace, i);
		record_end(out, start);
	}
	put_feature_records(out, trace);
	if (has_feature(trace, FEATURE_TRACING_DATA))
		put_tracing_record(out, trace);
	put_event_updates(out, trace);
}
