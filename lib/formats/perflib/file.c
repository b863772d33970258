/*
 * file.c - PerfLib bundles (.plb) and bare blocks: the records of a bundle, and
 * the rows around those of the snapshots.
 *
 * A record with a wrong checksum is skipped; after a header with a wrong checksum the
 * reader searches for the next good one.  A bare block is one answer of
 * PerfQueryCounterData: nothing says what its countersets and counters are called.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/crc32c.h"
#include "base/text.h"
#include "formats/formats.h"
#include "formats/perflib/perflib.h"

#define FACT_BYTES_MAX 65536
#define TRACE_TEXT_BYTES_MAX 4096

/* --- recognising --- */

static bool is_bundle(const uint8_t *head, size_t len)
{
	return len >= PLB_MAGIC_BYTES && memcmp(head, PLB_MAGIC, PLB_MAGIC_BYTES) == 0;
}

/* A bare block has no magic number, but a calendar in it, and sizes that fit. */
static int count_signs(const uint8_t *head, size_t len)
{
	static const uint16_t least[] = { 1601, 1, 0, 1, 0, 0, 0, 0 };
	static const uint16_t most[] = { 30827, 12, 6, 31, 23, 59, 59, 999 };
	struct cursor c = cursor_over(head, len, 0, false);
	uint32_t total = cursor_u32(&c), blocks = cursor_u32(&c);
	uint64_t times[3];
	int signs = total >= PERFLIB_ANSWER_HEADER_BYTES;

	signs += total % 8 == 0;
	signs += blocks <= total / PERFLIB_BLOCK_HEADER_BYTES;
	for (int i = 0; i < 3; i++)
		times[i] = cursor_u64(&c);
	signs += times[0] < INT64_MAX;
	/* From 1970 to 2400. */
	signs += times[1] >= UINT64_C(116444736000000000) &&
		 times[1] < UINT64_C(252150000000000000);
	signs += times[2] > 0 && times[2] < UINT64_C(9000000000);
	for (int i = 0; i < 8; i++) {
		uint16_t part = cursor_u16(&c);

		signs += part >= least[i] && part <= most[i];
	}
	return c.overrun ? 0 : signs;
}

static int probe(const uint8_t *head, size_t len)
{
	if (is_bundle(head, len))
		return 100;
	return count_signs(head, len) >= 13 ? 70 : 0;
}

/* --- opening --- */

static enum status cut_off(struct reader *reader)
{
	return error_set(&reader->error, ST_TRUNCATED, 0,
			 "perflib: the header of the bundle is cut off");
}

static enum status open_bundle(struct reader *reader)
{
	const uint8_t *head = input_peek(&reader->input, PLB_HEADER_BYTES);
	struct cursor c;
	unsigned int version, size;

	if (!head)
		return cut_off(reader);
	c = cursor_over(head + PLB_MAGIC_BYTES, 4, 0, false);
	version = cursor_u16(&c);
	size = cursor_u16(&c);
	if (version != PLB_VERSION)
		return error_set(&reader->error, ST_UNSUPPORTED, PLB_MAGIC_BYTES,
				 "perflib: a bundle of version %u, expected %d", version,
				 PLB_VERSION);
	if (size < PLB_HEADER_BYTES || size % 8 != 0)
		return error_set(&reader->error, ST_CORRUPT, PLB_MAGIC_BYTES + 2,
				 "perflib: a header of %u bytes, expected %d or another "
				 "multiple of 8 above",
				 size, PLB_HEADER_BYTES);
	return input_skip(&reader->input, size) == ST_OK ? ST_OK : cut_off(reader);
}

static enum status perflib_open(struct reader *reader)
{
	struct perflib *perflib = reader->state;
	struct trace_row *trace = &perflib->trace;
	const uint8_t *head = input_peek(&reader->input, PLB_MAGIC_BYTES);

	perflib->findings = &reader->findings;
	perflib->want_raw = reader->options.want_rows || reader->options.want_values;
	registry_init(&perflib->sets.registry, &reader->findings, &perflib->emit);
	perflib->sets.tail = &perflib->sets.first;
	perflib->is_bundle = head && is_bundle(head, PLB_MAGIC_BYTES);
	reader_describe(reader, &perflib->sets.registry.arena, trace);
	trace->format = STR("perflib");
	trace->form = perflib->is_bundle ? STR("bundle") : STR("bare block");
	trace->byte_order = STR("little-endian");
	trace->clock = STR("QPC");
	return perflib->is_bundle ? open_bundle(reader) : ST_OK;
}

static void perflib_close(struct reader *reader)
{
	struct perflib *perflib = reader->state;

	emit_release(&perflib->emit);
	perflib_sets_release(&perflib->sets);
	free(perflib->walk.known);
	free(perflib->payload.bytes);
}

/* --- facts and clocks --- */

static int64_t decimal(struct str text)
{
	int64_t value = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9' || i == 9)
			return INT_NONE;
		value = value * 10 + (text.ptr[i] - '0');
	}
	return text.len ? value : INT_NONE;
}

/* The facts that the trace has a column for. */
static void set_trace_fact(struct perflib *perflib, struct str key, struct str value)
{
	struct trace_row *trace = &perflib->trace;
	const struct {
		const char *key;
		struct str *column;
	} columns[] = {
		{ "HOSTNAME", &trace->host },	 { "OSRELEASE", &trace->os_release },
		{ "ARCH", &trace->arch },	 { "CPUDESC", &trace->cpu_model },
		{ "VERSION", &trace->recorder }, { "CMDLINE", &trace->command },
	};

	if (str_equal(key, STR("NRCPUS online")))
		trace->cpu_count = decimal(value);
	if (value.len > TRACE_TEXT_BYTES_MAX)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(columns); i++)
		if (!columns[i].column->ptr && str_equal(key, str_of(columns[i].key)))
			*columns[i].column =
				text_valid_utf8(&perflib->sets.registry.arena, value);
}

static void on_fact(struct perflib *perflib, struct cursor payload)
{
	uint64_t offset = payload.offset;
	uint32_t length = cursor_u32(&payload);
	const uint8_t *key = cursor_bytes(&payload, length);
	size_t left = cursor_left(&payload);
	const uint8_t *value = cursor_bytes(&payload, left);
	struct header_fact_row row;

	if (payload.overrun || !key || !value) {
		finding_add(perflib->findings, FINDING_SHORT_RECORD, offset, 1);
		return;
	}
	if (length > FACT_BYTES_MAX || left > FACT_BYTES_MAX) {
		finding_add(perflib->findings, FINDING_FACT_LIMIT, offset, 1);
		return;
	}
	row = (struct header_fact_row){
		.key = { (const char *)key, length },
		.value = { (const char *)value, left },
	};
	set_trace_fact(perflib, row.key, row.value);
	emit_push_row(&perflib->emit, RECORD_header_fact, 0, &row);
}

static void on_clock(struct perflib *perflib, struct cursor payload)
{
	static const char *const keys[] = { "CLOCK_TICKS", "CLOCK_TICKS_PER_SECOND",
					    "CLOCK_WALL_100NS", "CLOCK_MINUTES_WEST" };
	uint64_t offset = payload.offset;
	int64_t values[] = { (int64_t)cursor_u64(&payload), 0, 0, 0 };

	cursor_skip(&payload, 8); /* how long reading took shows in the bundle alone */
	values[1] = (int64_t)cursor_u64(&payload);
	values[2] = (int64_t)cursor_u64(&payload);
	values[3] = (int32_t)cursor_u32(&payload);
	if (payload.overrun) {
		finding_add(perflib->findings, FINDING_SHORT_RECORD, offset, 1);
		return;
	}
	for (size_t i = 0; i < 4; i++) {
		char text[32];
		struct header_fact_row row = { .key = str_of(keys[i]) };

		text_print(text, sizeof(text), "%" PRId64, values[i]);
		row.value = emit_text(&perflib->emit, str_of(text));
		emit_push_row(&perflib->emit, RECORD_header_fact, 0, &row);
	}
}

static void on_data(struct perflib *perflib, struct cursor payload)
{
	uint64_t offset = payload.offset;
	uint32_t number = cursor_u32(&payload), code = cursor_u32(&payload);
	uint32_t reported = cursor_u32(&payload);
	struct perflib_query *query;

	cursor_skip(&payload, 4 + 8 + 8);
	if (payload.overrun) {
		finding_add(perflib->findings, FINDING_SHORT_RECORD, offset, 1);
		return;
	}
	query = perflib_query(&perflib->sets, number, offset);
	if (query)
		perflib_begin_answer(perflib, payload, query, code, reported);
}

static void on_record(struct perflib *perflib, unsigned int type, struct cursor payload)
{
	switch (type) {
	case PLB_FACT:
		on_fact(perflib, payload);
		break;
	case PLB_CLOCK:
		on_clock(perflib, payload);
		break;
	case PLB_REGISTRATION:
		perflib_on_registration(perflib, payload);
		break;
	case PLB_INSTANCES:
		perflib_on_instances(perflib, payload);
		break;
	case PLB_ADD:
		perflib_begin_identifiers(perflib, payload, true);
		break;
	case PLB_INFO:
		perflib_begin_identifiers(perflib, payload, false);
		break;
	case PLB_DATA:
		on_data(perflib, payload);
		break;
	case PLB_END:
		perflib->ended = true;
		break;
	default:
		finding_report(perflib->findings, FINDING_UNKNOWN_RECORD, payload.offset,
			       "records of unknown type %u: "
			       "skipped",
			       type);
	}
}

/* --- from record to record --- */

static bool is_record(const uint8_t *head)
{
	struct cursor crc = cursor_over(head + PLB_RECORD_HEADER_CRC_AT, 4, 0, false);

	return memcmp(head, PLB_RECORD_MAGIC, PLB_RECORD_MAGIC_BYTES) == 0 &&
	       cursor_u32(&crc) == crc32c(0, head, PLB_RECORD_HEADER_CRC_AT);
}

/* The header of the next record, or NULL at the end of the input. */
static const uint8_t *find_record(struct reader *reader)
{
	struct input *input = &reader->input;
	uint64_t from = input->offset;
	const uint8_t *head;

	while ((head = input_peek(input, PLB_RECORD_HEADER_BYTES)) && !is_record(head))
		input_consume(input, 8);
	if (!head && reader->error.status == ST_OK && input_buffered(input)) {
		uint64_t end = input->offset + input_buffered(input);

		finding_gap(&reader->findings, FINDING_TRUNCATED, from, end,
			    "%" PRIu64 " bytes that are not a whole record", end - from);
		input_consume(input, input_buffered(input));
	} else if (input->offset != from) {
		finding_gap(&reader->findings, FINDING_BAD_RECORD, from, input->offset,
			    "no record begins here");
	}
	return head;
}

/* Too large to be read whole. */
static enum status skip_large_record(struct reader *reader, uint64_t offset,
				     uint64_t bytes)
{
	finding_gap(&reader->findings, FINDING_PERFLIB_V4, offset, offset + bytes,
		    "V4: an answer of %" PRIu64 " bytes, expected at most %zu", bytes,
		    PERFLIB_ANSWER_BYTES_MAX);
	if (input_skip(&reader->input, bytes) == ST_OK)
		return ST_OK;
	if (reader->error.status == ST_IO)
		return ST_IO;
	finding_add(&reader->findings, FINDING_TRUNCATED, offset, 1);
	return ST_END;
}

/* ST_OK: handled, or skipped with a finding. */
static enum status next_record(struct reader *reader)
{
	struct perflib *perflib = reader->state;
	const uint8_t *head = find_record(reader);
	struct cursor c;
	uint32_t type, length, crc;
	size_t loaded, padding;
	uint64_t offset;
	enum status status;

	if (!head)
		return reader->error.status < ST_OK ? reader->error.status : ST_END;
	c = cursor_over(head + PLB_RECORD_TYPE_AT, PLB_RECORD_HEADER_BYTES - 4, 0, false);
	type = cursor_u16(&c);
	cursor_skip(&c, 2);
	length = cursor_u32(&c);
	cursor_skip(&c, 4);
	crc = cursor_u32(&c);
	input_consume(&reader->input, PLB_RECORD_HEADER_BYTES);
	offset = reader->input.offset;
	padding = (8 - length % 8) % 8;
	if (length > PERFLIB_ANSWER_BYTES_MAX)
		return skip_large_record(reader, offset, (uint64_t)length + padding);
	status = input_copy_out(&reader->input, length, &perflib->payload, &loaded);
	if (status != ST_OK)
		return status;
	if (loaded < length) {
		finding_gap(&reader->findings, FINDING_TRUNCATED,
			    offset - PLB_RECORD_HEADER_BYTES, offset + loaded,
			    "a record of %u bytes, of which %zu are there", length,
			    loaded);
		return ST_END;
	}
	if (input_peek_some(&reader->input, padding) >= padding)
		input_consume(&reader->input, padding);
	if (crc32c(0, perflib->payload.bytes, length) != crc) {
		finding_gap(&reader->findings, FINDING_BAD_RECORD,
			    offset - PLB_RECORD_HEADER_BYTES, offset + length,
			    "a record of %u bytes with a wrong checksum", length);
		return ST_OK;
	}
	perflib->payload_crc = crc;
	on_record(perflib, type,
		  cursor_over(length ? perflib->payload.bytes : head, length, offset,
			      false));
	return ST_OK;
}

/* All of the input is one answer. */
static enum status read_bare_block(struct reader *reader)
{
	struct perflib *perflib = reader->state;
	size_t loaded;
	enum status status = input_copy_out(&reader->input, PERFLIB_ANSWER_BYTES_MAX,
					    &perflib->payload, &loaded);

	if (status != ST_OK)
		return status;
	perflib->ended = true;
	if (input_peek_some(&reader->input, 1) > 0)
		finding_report(
			&reader->findings, FINDING_PERFLIB_V4, loaded,
			"V4: an answer of more than %zu bytes, the rest is not read",
			PERFLIB_ANSWER_BYTES_MAX);
	perflib_begin_answer(perflib,
			     cursor_over(perflib->payload.bytes, loaded, 0, false),
			     &perflib->sets.bare, INT_NONE, loaded);
	return ST_OK;
}

/* --- rows at the end --- */

static void describe_trace(struct reader *reader)
{
	struct perflib *perflib = reader->state;

	perflib->trace.status = findings_completeness(&reader->findings);
	if (perflib->trace.bytes == INT_NONE)
		perflib->trace.bytes = (int64_t)reader->input.offset;
}

/* Countersets that nothing was read of, and the trace. */
static void emit_last(struct reader *reader)
{
	struct perflib *perflib = reader->state;

	for (struct perflib_set *set = perflib->sets.first; set; set = set->next)
		perflib_emit_set(&perflib->sets, set);
	if (!perflib->ended && !finding_any(perflib->findings, FINDING_TRUNCATED))
		finding_report(perflib->findings, FINDING_UNFINISHED,
			       reader->input.offset,
			       "the capture did not finish the bundle: read up to "
			       "its last record");
	describe_trace(reader);
	emit_push(&perflib->emit,
		  &(struct record){ .kind = RECORD_trace, .data = &perflib->trace });
	perflib->done = true;
}

/* --- the walk --- */

/* More rows of the record at hand, else the next record. */
static enum status read_more(struct reader *reader)
{
	struct perflib *perflib = reader->state;
	enum status status = ST_END;

	if (reader_interrupted(reader))
		return ST_INTERRUPTED;
	if (perflib_next_identifier(perflib) || perflib_walk_answer(perflib))
		return ST_OK;
	if (perflib->is_bundle)
		status = next_record(reader);
	else if (!perflib->ended)
		status = read_bare_block(reader);
	if (status != ST_END)
		return status;
	emit_last(reader);
	return ST_OK;
}

static enum status perflib_next(struct reader *reader, struct record *out)
{
	struct perflib *perflib = reader->state;

	for (;;) {
		enum status status = emit_pop(&perflib->emit, out, &reader->error);

		if (status != ST_END || perflib->done)
			return status;
		if (perflib_next_value(perflib, out))
			return ST_OK;
		status = read_more(reader);
		if (perflib->sets.registry.out_of_memory)
			return error_nomem(&reader->error);
		if (status != ST_OK)
			return status;
	}
}

const struct reader_ops perflib_reader = {
	.name = "perflib",
	.state_size = sizeof(struct perflib),
	.probe = probe,
	.open = perflib_open,
	.next = perflib_next,
	.close = perflib_close,
};
