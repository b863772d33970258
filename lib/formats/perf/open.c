/*
 * open.c - opens a perf.data: header, attributes, ids, up to the first record.
 *
 * Header, 104 bytes: magic u64 | size u64 (104) | attr size u64 | attrs {offset, size} |
 * data {offset, size} | event types {offset, size} | feature bits 4 x u64.  The magic is
 * PERFILE2 (of the oldest writers PERFFILE), in the byte order of the machine that wrote
 * it.  Attributes are `attr size` apart, each followed by the {offset, size} of its ids;
 * they may precede or follow the data.  sections.c reads the sections after the data.  A
 * recorder that was killed leaves data size 0: there is no feature table, and records run
 * to the end of the file.
 *
 * The pipe form has a header of 16 bytes: magic and size; everything else is records.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "formats/formats.h"
#include "formats/perf/features.h"
#include "formats/perf/sections.h"
#include "formats/perf/sums.h"
#include "formats/perf/tracepoints.h"

#define PIPE_HEADER_BYTES 16
#define OLD_HEADER_BYTES 72 /* without the feature bits */
#define ATTR_BYTES_MIN 64   /* PERF_ATTR_SIZE_VER0 */
#define ATTR_BYTES_MAX 4096 /* the newest kernel's is 144 */
#define EVENT_TYPE_BYTES 72 /* u64 config, char name[64] */

/* Bits that damage may have changed in the magic. */
#define MAGIC_BITS_WRONG_MAX 3

/* The number of bits that differ from the nearest magic. */
static int magic_distance(const uint8_t *head, bool *big_endian)
{
	static const char *const magics[] = { "PERFILE2", "PERFFILE", "2ELIFREP",
					      "ELIFFREP" };
	int best = 64;

	for (size_t i = 0; i < ARRAY_COUNT(magics); i++) {
		int distance = 0;

		for (int k = 0; k < 8; k++)
			distance +=
				__builtin_popcount(head[k] ^ (unsigned char)magics[i][k]);
		if (distance < best) {
			best = distance;
			*big_endian = i >= 2;
		}
	}
	return best;
}

static int probe(const uint8_t *head, size_t len)
{
	bool big_endian;
	int distance = len >= 8 ? magic_distance(head, &big_endian) : 64;

	return distance <= MAGIC_BITS_WRONG_MAX ? 100 - 10 * distance : 0;
}

/* --- the header --- */

static enum status cut_off(struct reader *reader)
{
	return error_set(&reader->error, ST_TRUNCATED, 0,
			 "perf: the file header is cut off: %zu bytes, expected %d",
			 input_buffered(&reader->input), PERF_HEADER_BYTES);
}

static enum status read_header(struct reader *reader, struct perf_file_header *header)
{
	struct perf *perf = reader->state;
	const uint8_t *head = input_peek(&reader->input, PIPE_HEADER_BYTES);
	struct cursor c;

	if (!head)
		return cut_off(reader);
	if (magic_distance(head, &perf->catalog.big_endian) > 0)
		finding_report(&reader->findings, FINDING_REPAIRED, 0,
			       "magic at 0x0 has a few wrong bits");
	c = cursor_over(head, PIPE_HEADER_BYTES, 0, perf->catalog.big_endian);
	cursor_skip(&c, 8);
	header->size = cursor_u64(&c);
	if (header->size == PIPE_HEADER_BYTES) {
		perf->source.is_pipe = true;
		input_consume(&reader->input, PIPE_HEADER_BYTES);
		return ST_OK;
	}
	head = input_peek(&reader->input, PERF_HEADER_BYTES);
	if (!head)
		return cut_off(reader);
	if (header->size != PERF_HEADER_BYTES && header->size != OLD_HEADER_BYTES)
		finding_report(&reader->findings, FINDING_REPAIRED, 8,
			       "header size %llu at 0x8, corrected to %d",
			       (unsigned long long)header->size, PERF_HEADER_BYTES);
	c = cursor_over(head + 16, PERF_HEADER_BYTES - 16, 16, perf->catalog.big_endian);
	header->attr_size = cursor_u64(&c);
	header->attrs = perf_decode_section(&c);
	header->data = perf_decode_section(&c);
	header->event_types = perf_decode_section(&c);
	for (int i = 0; i < 4 && header->size != OLD_HEADER_BYTES; i++)
		header->features[i] = cursor_u64(&c);
	return ST_OK;
}

/* --- attributes and their ids --- */

/*
 * If the distance of attributes contradicts their section, the first one's own size
 * decides.
 */
static void repair_attr_size(struct reader *reader, struct perf_file_header *header)
{
	struct perf *perf = reader->state;
	uint8_t head[8] = { 0 };
	struct cursor c = cursor_over(head, sizeof(head), 0, perf->catalog.big_endian);
	uint64_t size;

	if (header->attr_size >= ATTR_BYTES_MIN + PERF_SECTION_BYTES &&
	    header->attr_size <= ATTR_BYTES_MAX && header->attrs.size &&
	    header->attrs.size % header->attr_size == 0)
		return;
	if (perf_section_outside(reader, header->attrs) ||
	    input_seek(&reader->input, header->attrs.offset) != ST_OK ||
	    input_read(&reader->input, head, sizeof(head)) != ST_OK)
		return;
	cursor_skip(&c, 4);
	size = cursor_u32(&c) + PERF_SECTION_BYTES;
	if (size < ATTR_BYTES_MIN + PERF_SECTION_BYTES || size > ATTR_BYTES_MAX ||
	    header->attrs.size < size || header->attrs.size % size)
		return;
	finding_report(&reader->findings, FINDING_REPAIRED, 16,
		       "attribute size %llu at 0x10, corrected to %llu",
		       (unsigned long long)header->attr_size, (unsigned long long)size);
	header->attr_size = size;
}

/* Why the attributes are unreadable, or ST_OK; EVENT_DESC may still have them. */
static enum status check_attrs(struct reader *reader,
			       const struct perf_file_header *header, struct error *error)
{
	if (header->attr_size < ATTR_BYTES_MIN + PERF_SECTION_BYTES ||
	    header->attr_size > ATTR_BYTES_MAX)
		return error_set(error, ST_CORRUPT, 16,
				 "perf: attribute size %llu at 0x10, expected %d to %d",
				 (unsigned long long)header->attr_size,
				 ATTR_BYTES_MIN + PERF_SECTION_BYTES, ATTR_BYTES_MAX);
	if (header->attrs.size < header->attr_size)
		return error_set(
			error, ST_CORRUPT, 32,
			"perf: attribute section of %llu bytes at 0x20, expected at "
			"least one of %llu",
			(unsigned long long)header->attrs.size,
			(unsigned long long)header->attr_size);
	if (perf_section_outside(reader, header->attrs))
		return error_set(
			error, ST_TRUNCATED, header->attrs.offset,
			"perf: attributes at 0x%llx, %llu bytes: outside the file of "
			"%llu bytes",
			(unsigned long long)header->attrs.offset,
			(unsigned long long)header->attrs.size,
			(unsigned long long)reader->input.size);
	if (header->attrs.size / header->attr_size > PERF_EVENTS_MAX)
		return error_set(
			error, ST_LIMIT, 32, "perf: %llu events, at most %u are read",
			(unsigned long long)(header->attrs.size / header->attr_size),
			PERF_EVENTS_MAX);
	return ST_OK;
}

static enum status read_attr(struct reader *reader, const struct perf_file_header *header)
{
	struct perf *perf = reader->state;
	uint8_t entry[ATTR_BYTES_MAX];
	enum status status = input_read(&reader->input, entry, (size_t)header->attr_size);
	struct perf_event *event;
	struct cursor c, attr;
	struct perf_section ids;

	if (status != ST_OK)
		return error_set(&reader->error, status, reader->input.offset,
				 "perf: the attributes are cut off");
	c = cursor_over(entry, (size_t)header->attr_size, 0, perf->catalog.big_endian);
	attr = cursor_sub(&c, (size_t)header->attr_size - PERF_SECTION_BYTES);
	ids = perf_decode_section(&c);
	/* The attr's own size may be smaller than the entry. */
	attr.end = attr.pos + perf_attr_size(attr, cursor_left(&attr));
	event = perf_add_event(&perf->catalog, &attr);
	if (!event)
		return error_nomem(&reader->error);
	event->ids_offset = ids.offset;
	event->ids_bytes = ids.size;
	return ST_OK;
}

static enum status read_ids(struct reader *reader, struct perf_event *event)
{
	struct perf *perf = reader->state;
	struct perf_section ids = { event->ids_offset, event->ids_bytes };

	if (ids.size == 0)
		return ST_OK;
	if (perf_section_outside(reader, ids) ||
	    input_seek(&reader->input, ids.offset) != ST_OK) {
		finding_report(&reader->findings, FINDING_BAD_SECTION, ids.offset,
			       "ids of an event at 0x%llx, %llu bytes: outside the file",
			       (unsigned long long)ids.offset,
			       (unsigned long long)ids.size);
		return ST_OK;
	}
	for (uint64_t i = 0; i < ids.size / 8; i++) {
		const uint8_t *at = input_peek(&reader->input, 8);
		struct cursor c;

		if (!at)
			break;
		c = cursor_over(at, 8, 0, perf->catalog.big_endian);
		if (!perf_add_id(&perf->catalog, event, cursor_u64(&c)))
			return error_set(
				&reader->error, ST_LIMIT, reader->input.offset,
				"perf: more than %u event ids, or no memory for them",
				PERF_IDS_MAX);
		input_consume(&reader->input, 8);
	}
	return ST_OK;
}

static enum status read_attrs(struct reader *reader,
			      const struct perf_file_header *header)
{
	struct perf *perf = reader->state;
	size_t count = (size_t)(header->attrs.size / header->attr_size);
	enum status status = input_seek(&reader->input, header->attrs.offset);

	for (size_t i = 0; i < count && status == ST_OK; i++)
		status = read_attr(reader, header);
	for (size_t i = 0; i < count && status == ST_OK; i++)
		status = read_ids(reader, perf->catalog.events[i]);
	return status;
}

/* The oldest writers kept names beside the attributes, by their config. */
static enum status read_event_types(struct reader *reader, struct perf_section section)
{
	struct perf *perf = reader->state;
	uint8_t entry[EVENT_TYPE_BYTES];
	enum status status = ST_OK;

	if (section.size == 0 || perf_section_outside(reader, section) ||
	    section.size > PERF_EVENTS_MAX * (uint64_t)EVENT_TYPE_BYTES)
		return ST_OK;
	status = input_seek(&reader->input, section.offset);
	for (uint64_t i = 0; i < section.size / sizeof(entry) && status == ST_OK; i++) {
		struct cursor c =
			cursor_over(entry, sizeof(entry), 0, perf->catalog.big_endian);
		uint64_t config;
		struct str name;

		status = input_read(&reader->input, entry, sizeof(entry));
		config = cursor_u64(&c);
		name = cursor_padded_str(&c, 64);
		for (size_t k = 0; k < perf->catalog.event_count && status == ST_OK; k++)
			if (perf->catalog.events[k]->config == config &&
			    !perf->catalog.events[k]->named)
				perf_rename_event(&perf->catalog, perf->catalog.events[k],
						  name);
	}
	return status == ST_TRUNCATED ? ST_OK : status;
}

/* --- opening --- */

static void describe(struct reader *reader)
{
	struct perf *perf = reader->state;
	struct trace_row *trace = &perf->rows.trace;

	perf->findings = perf->rows.findings = &reader->findings;
	perf->source.input = perf->source.in = &reader->input;
	perf->catalog.id_in_sample = perf->catalog.id_in_trailer = -1;
	trace->path = text_valid_utf8(&perf->catalog.arena, str_of(reader->path));
	trace->format = STR("perf.data");
	trace->bytes = reader->input.size == INPUT_SIZE_UNKNOWN
			       ? INT_NONE
			       : (int64_t)reader->input.size;
	perf->rows.wants_file_symbols = reader->options.want_rows;
	perf->rows.first_ns = INT64_MAX;
	perf->rows.last_ns = INT_NONE;
	perf->catalog.named_sample_bytes = SIZE_MAX;
	trace->wall_offset_ns = trace->wall_offset_end_ns = trace->cpu_count = INT_NONE;
}

/* The file ends before its records, perhaps before its events: nothing comes. */
static void report_no_data(struct reader *reader, const struct perf_file_header *header)
{
	struct perf *perf = reader->state;
	uint64_t size = reader->input.size;
	bool no_event = perf_section_outside(reader, header->attrs);

	finding_report(&reader->findings, FINDING_TRUNCATED, size,
		       "the file ends at 0x%llx, before its first %s",
		       (unsigned long long)size, no_event ? "event" : "record");
	perf->source.data_offset = perf->source.data_end = size;
	perf->source.unfinished = true;
}

static enum status find_data(struct reader *reader, const struct perf_file_header *header)
{
	struct perf *perf = reader->state;
	const struct perf_section *data = &header->data;

	if (data->offset > reader->input.size) {
		report_no_data(reader, header);
		return ST_OK;
	}
	perf->source.data_offset = data->offset;
	perf->source.data_end = data->offset + data->size;
	perf->source.unfinished = data->size == 0;
	if (perf->source.unfinished) {
		finding_add(&reader->findings, FINDING_UNFINISHED, data->offset, 1);
		perf->source.data_end = UINT64_MAX;
	} else if (data->offset > UINT64_MAX - data->size) {
		return error_set(
			&reader->error, ST_CORRUPT, 40,
			"perf: data section of %llu bytes at 0x%llx: past any end "
			"of a file",
			(unsigned long long)data->size, (unsigned long long)data->offset);
	}
	return ST_OK;
}

/*
 * Where our recorder was killed while it overwrote the table, its records continue after
 * the size in the header.
 */
static enum status read_features(struct reader *reader, struct perf_file_header *header)
{
	struct perf *perf = reader->state;
	bool found = false;
	enum status status = ST_OK;

	if (header->is_table_lost)
		status = perf_decode_embedded_header(reader, header, &found);
	if (!found)
		return status == ST_OK ? perf_load_sections(reader, header) : status;
	perf->source.data_end = UINT64_MAX;
	return status;
}

/* Reads everything around the data. */
static enum status read_around(struct reader *reader, struct perf_file_header *header)
{
	struct perf *perf = reader->state;
	struct error why = { .status = ST_OK };
	enum status status;

	repair_attr_size(reader, header);
	perf_repair_sections(reader, header);
	status = find_data(reader, header);
	if (status != ST_OK)
		return status;
	if (check_attrs(reader, header, &why) == ST_OK)
		status = read_attrs(reader, header);
	if (status == ST_OK && !perf->source.unfinished)
		status = read_features(reader, header);
	if (status == ST_OK)
		status = read_event_types(reader, header->event_types);
	if (status == ST_OK && perf->catalog.event_count == 0) {
		if (why.status == ST_TRUNCATED && perf->source.unfinished)
			return ST_OK;
		reader->error = why;
		return why.status < ST_OK ? why.status
					  : error_set(&reader->error, ST_CORRUPT, 32,
						      "perf: the file has no events");
	}
	if (status == ST_OK && why.status < ST_OK)
		finding_report(&reader->findings, FINDING_BAD_SECTION, why.offset,
			       "%s; read from EVENT_DESC instead",
			       why.text + strlen("perf: "));
	return status;
}

/* Opens the layer that merges the files of a directory. */
static enum status open_directory(struct reader *reader)
{
	struct perf *perf = reader->state;
	enum status status =
		perf_merge_open(reader, perf->source.data_end, &perf->source.merge);

	if (status == ST_OK) {
		perf->source.in = perf_merge_stream(perf->source.merge);
		perf->source.data_end = UINT64_MAX;
	}
	return status;
}

static enum status open_file_form(struct reader *reader, struct perf_file_header *header)
{
	struct perf *perf = reader->state;
	enum status status;

	/* The names come last. */
	status = input_spool(&reader->input);
	if (status != ST_OK)
		return status;
	perf->rows.trace.bytes = (int64_t)reader->input.size;
	status = read_around(reader, header);
	if (status != ST_OK)
		return status;
	status = perf_settle_events(reader);
	perf->walk.described = true;
	reader->no_addresses = !perf_samples_addresses(&perf->catalog);
	if (status == ST_OK)
		status = input_seek(&reader->input, perf->source.data_offset);
	if (status != ST_OK)
		return error_set(&reader->error, status, reader->input.offset,
				 "perf: the file is cut off");
	/* Before the layers: they keep pointers into the buffer, which it replaces. */
	input_stream(&reader->input);
	status = perf->source.is_directory ? open_directory(reader) : ST_OK;
	return status == ST_OK ? perf_open_order(reader) : status;
}

static enum status perf_open(struct reader *reader)
{
	struct perf *perf = reader->state;
	struct perf_file_header header = { .size = 0 };
	enum status status;

	describe(reader);
	status = read_header(reader, &header);
	if (status == ST_OK)
		status = perf_check_tracefs(reader);
	if (status != ST_OK)
		return status;
	if (perf->source.is_pipe) {
		perf->source.data_end = UINT64_MAX;
		input_stream(&reader->input);
	} else {
		status = open_file_form(reader, &header);
	}
	perf_forget_ahead(&perf->walk, &perf->source);
	return status;
}

static void perf_close(struct reader *reader)
{
	struct perf *perf = reader->state;

	perf_sums_close(perf);
	perf_source_close(&perf->source);
	for (struct tracepoint_format *f = perf->catalog.formats; f; f = f->next)
		map_release(&f->details);
	free(perf->walk.ahead.tasks);
	free(perf->walk.ahead.gaps);
	free(perf->catalog.events);
	map_release(&perf->dsos.by_id);
	map_release(&perf->catalog.streams);
	map_release(&perf->catalog.tracepoints);
	map_release(&perf->catalog.names_taken);
	map_release(&perf->catalog.pmus);
	arena_release(&perf->catalog.details.arena);
	arena_release(&perf->catalog.arena);
	arena_release(&perf->rows.texts);
	arena_release(&perf->scratch.arena);
	emit_release(&perf->rows.emit);
}

const struct reader_ops perf_reader = {
	.name = "perf",
	.state_size = sizeof(struct perf),
	.probe = probe,
	.open = perf_open,
	.next = perf_next_record,
	.close = perf_close,
};
