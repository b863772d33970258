/*
 * perf_file.c - the file form of perf.data: header and sections, up to the first record.
 *
 * Header, 104 bytes: magic u64 | size u64 (104) | attr size u64 | attrs {offset, size} |
 * data {offset, size} | event types {offset, size} | feature bits 4 x u64.  Attributes
 * are `attr size` apart, each followed by the {offset, size} of its ids.  Behind the
 * data: one {offset, size} per feature bit that is set.  A recorder that was killed
 * leaves data size 0: then there is no feature table, and records run to the end of the
 * file.
 *
 * The pipe form and the other byte order are recognised and refused with a sentence.
 */
#include <stdlib.h>

#include "core/text.h"
#include "readers/perf.h"
#include "readers/readers.h"

#define HEADER_BYTES 104
#define PIPE_HEADER_BYTES 16
#define ATTR_BYTES_MIN 64   /* PERF_ATTR_SIZE_VER0 */
#define ATTR_BYTES_MAX 4096 /* the newest kernel's is 144 */
#define SECTION_BYTES 16    /* {offset, size} */

struct section {
	uint64_t offset;
	uint64_t size;
};

struct file_header {
	uint64_t attr_size;
	struct section attrs, data;
	uint64_t features[4];
};

static int probe(const uint8_t *head, size_t len)
{
	if (len < 8)
		return 0;
	return memcmp(head, "PERFILE2", 8) == 0 || memcmp(head, "2ELIFREP", 8) == 0 ||
			       memcmp(head, "PERFFILE", 8) == 0
		       ? 100
		       : 0;
}

static struct section read_section(struct cursor *c)
{
	struct section section;

	section.offset = cursor_u64(c);
	section.size = cursor_u64(c);
	return section;
}

/* --- the header --- */

static enum status read_header(struct reader *reader, struct file_header *header)
{
	const uint8_t *head = input_peek(&reader->input, PIPE_HEADER_BYTES);
	struct cursor c;
	uint64_t size;

	if (!head)
		return error_set(
			&reader->error, ST_TRUNCATED, 0,
			"perf: the file header is cut off: %zu bytes, expected %d",
			input_buffered(&reader->input), HEADER_BYTES);
	if (memcmp(head, "PERFILE2", 8) != 0)
		return error_set(&reader->error, ST_UNSUPPORTED, 0,
				 "perf: %s are not read by this version",
				 head[0] == '2' ? "big-endian traces"
						: "traces of the old format PERFFILE");
	c = cursor_over(head + 8, 8, 8, false);
	size = cursor_u64(&c);
	if (size == PIPE_HEADER_BYTES)
		return error_set(&reader->error, ST_UNSUPPORTED, 8,
				 "perf: the pipe form is not read by this version");
	head = input_peek(&reader->input, HEADER_BYTES);
	if (!head)
		return error_set(
			&reader->error, ST_TRUNCATED, 0,
			"perf: the file header is cut off: %zu bytes, expected %d",
			input_buffered(&reader->input), HEADER_BYTES);
	if (size < HEADER_BYTES)
		return error_set(&reader->error, ST_CORRUPT, 8,
				 "perf: header size %llu at 0x8, expected %d",
				 (unsigned long long)size, HEADER_BYTES);
	c = cursor_over(head + 16, HEADER_BYTES - 16, 16, false);
	header->attr_size = cursor_u64(&c);
	header->attrs = read_section(&c);
	header->data = read_section(&c);
	(void)read_section(&c); /* event types: long out of use */
	for (int i = 0; i < 4; i++)
		header->features[i] = cursor_u64(&c);
	return ST_OK;
}

static bool outside(const struct reader *reader, struct section section)
{
	uint64_t size = reader->input.size;

	return section.offset > size || section.size > size - section.offset;
}

/* --- attributes and their ids --- */

static enum status check_attrs(struct reader *reader, const struct file_header *header)
{
	if (header->attr_size < ATTR_BYTES_MIN + SECTION_BYTES ||
	    header->attr_size > ATTR_BYTES_MAX)
		return error_set(&reader->error, ST_CORRUPT, 16,
				 "perf: attribute size %llu at 0x10, expected %d to %d",
				 (unsigned long long)header->attr_size,
				 ATTR_BYTES_MIN + SECTION_BYTES, ATTR_BYTES_MAX);
	if (header->attrs.size < header->attr_size)
		return error_set(
			&reader->error, ST_CORRUPT, 32,
			"perf: attribute section of %llu bytes at 0x20, expected at "
			"least one of %llu",
			(unsigned long long)header->attrs.size,
			(unsigned long long)header->attr_size);
	if (outside(reader, header->attrs))
		return error_set(
			&reader->error, ST_TRUNCATED, header->attrs.offset,
			"perf: attributes at 0x%llx, %llu bytes: outside the file of "
			"%llu bytes",
			(unsigned long long)header->attrs.offset,
			(unsigned long long)header->attrs.size,
			(unsigned long long)reader->input.size);
	if (header->attrs.size / header->attr_size > PERF_EVENTS_MAX)
		return error_set(
			&reader->error, ST_LIMIT, 32,
			"perf: %llu events, at most %u are read",
			(unsigned long long)(header->attrs.size / header->attr_size),
			PERF_EVENTS_MAX);
	return ST_OK;
}

static enum status read_attr(struct reader *reader, const struct file_header *header,
			     struct perf_event *event)
{
	uint8_t entry[ATTR_BYTES_MAX];
	enum status status = input_read(&reader->input, entry, (size_t)header->attr_size);
	struct cursor c, attr;
	struct section ids;
	uint32_t own_size;

	if (status != ST_OK)
		return error_set(&reader->error, status, reader->input.offset,
				 "perf: the attributes are cut off");
	c = cursor_over(entry, (size_t)header->attr_size, 0, false);
	attr = cursor_sub(&c, (size_t)header->attr_size - SECTION_BYTES);
	ids = read_section(&c);
	/* The attr's own size may be smaller than its room: 0 is the first version's. */
	c = attr;
	cursor_skip(&c, 4);
	own_size = cursor_u32(&c);
	own_size = own_size ? own_size : ATTR_BYTES_MIN;
	if (own_size < cursor_left(&attr))
		attr.end = attr.pos + own_size;
	perf_attr_read(&attr, event);
	event->ids_offset = ids.offset;
	event->ids_bytes = ids.size;
	return ST_OK;
}

static enum status read_ids(struct reader *reader, struct perf_event *event)
{
	struct section ids = { event->ids_offset, event->ids_bytes };

	if (ids.size == 0)
		return ST_OK;
	if (outside(reader, ids) || input_seek(&reader->input, ids.offset) != ST_OK) {
		finding_say(&reader->findings, FINDING_BAD_SECTION, ids.offset,
			    "ids of an event at 0x%llx, %llu bytes: outside the file",
			    (unsigned long long)ids.offset, (unsigned long long)ids.size);
		return ST_OK;
	}
	for (uint64_t i = 0; i < ids.size / 8; i++) {
		const uint8_t *at = input_peek(&reader->input, 8);
		struct cursor c;

		if (!at)
			break;
		c = cursor_over(at, 8, 0, false);
		if (!perf_event_add_id(reader->state, event, cursor_u64(&c)))
			return error_set(
				&reader->error, ST_LIMIT, reader->input.offset,
				"perf: more than %u event ids, or no memory for them",
				PERF_IDS_MAX);
		input_consume(&reader->input, 8);
	}
	return ST_OK;
}

static enum status read_attrs(struct reader *reader, const struct file_header *header)
{
	struct perf *perf = reader->state;
	enum status status = check_attrs(reader, header);
	size_t count;

	if (status != ST_OK)
		return status;
	count = (size_t)(header->attrs.size / header->attr_size);
	perf->events = arena_alloc(&perf->arena, count * sizeof(*perf->events));
	if (!perf->events)
		return error_nomem(&reader->error);
	perf->event_count = count;
	status = input_seek(&reader->input, header->attrs.offset);
	for (size_t i = 0; i < count && status == ST_OK; i++)
		status = read_attr(reader, header, &perf->events[i]);
	for (size_t i = 0; i < count && status == ST_OK; i++)
		status = read_ids(reader, &perf->events[i]);
	return status;
}

/* --- features --- */

/* Loads one section and has it decoded; what cannot be loaded is a finding. */
static enum status read_feature(struct reader *reader, unsigned int feature,
				struct section section)
{
	const char *name = perf_feature_name(feature);
	struct cursor c;
	uint8_t *bytes;
	enum status status;

	if (!name) {
		finding_add(&reader->findings, FINDING_SKIPPED_FEATURE, section.offset,
			    1);
		return ST_OK;
	}
	if (outside(reader, section) || section.size > PERF_FEATURE_BYTES_MAX) {
		finding_say(&reader->findings, FINDING_BAD_SECTION, section.offset,
			    "header feature %s at 0x%llx, %llu bytes: %s", name,
			    (unsigned long long)section.offset,
			    (unsigned long long)section.size,
			    outside(reader, section) ? "outside the file" : "too large");
		return ST_OK;
	}
	bytes = malloc(section.size ? (size_t)section.size : 1);
	if (!bytes)
		return error_nomem(&reader->error);
	status = input_seek(&reader->input, section.offset);
	if (status == ST_OK)
		status = input_read(&reader->input, bytes, (size_t)section.size);
	if (status == ST_OK) {
		c = cursor_over(bytes, (size_t)section.size, section.offset, false);
		perf_feature_read(reader, feature, &c);
	}
	free(bytes);
	return status == ST_TRUNCATED ? ST_OK : status;
}

static enum status read_features(struct reader *reader, const struct file_header *header)
{
	uint64_t at = header->data.offset + header->data.size;

	for (unsigned int feature = 0; feature < PERF_FEATURES_MAX; feature++) {
		uint8_t entry[SECTION_BYTES];
		struct cursor c;
		enum status status;

		if (!(header->features[feature / 64] >> (feature % 64) & 1))
			continue;
		status = input_seek(&reader->input, at);
		if (status == ST_OK)
			status = input_read(&reader->input, entry, sizeof(entry));
		if (status == ST_TRUNCATED) {
			finding_say(&reader->findings, FINDING_TRUNCATED, at,
				    "the file ends before its header features at 0x%llx: "
				    "names and formats may be missing",
				    (unsigned long long)at);
			return ST_OK;
		}
		if (status != ST_OK)
			return status;
		at += SECTION_BYTES;
		c = cursor_over(entry, sizeof(entry), 0, false);
		status = read_feature(reader, feature, read_section(&c));
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

/* --- opening --- */

static void describe(struct reader *reader)
{
	struct perf *perf = reader->state;
	struct trace_row *trace = &perf->trace;

	trace->path = text_valid_utf8(&perf->arena, str_of(reader->path));
	trace->format = STR("perf.data");
	trace->bytes = reader->input.size == INPUT_SIZE_UNKNOWN
			       ? INT_NONE
			       : (int64_t)reader->input.size;
	trace->first_ns = trace->last_ns = INT_NONE;
	trace->wall_offset_ns = trace->cpu_count = INT_NONE;
}

static struct str clock_name(const struct perf *perf)
{
	static const char *const names[] = {
		"CLOCK_REALTIME",
		"CLOCK_MONOTONIC",
		NULL,
		NULL,
		"CLOCK_MONOTONIC_RAW",
		NULL,
		NULL,
		"CLOCK_BOOTTIME",
		NULL,
		NULL,
		NULL,
		"CLOCK_TAI",
	};
	const struct perf_event *event = perf->events;

	if (!(event->flags & PERF_FLAG_USE_CLOCKID))
		return STR("perf (the kernel's scheduler clock)");
	if (event->clockid < 0 ||
	    (size_t)event->clockid >= sizeof(names) / sizeof(names[0]))
		return STR_NONE;
	return str_of(names[event->clockid]);
}

static enum status find_data(struct reader *reader, const struct file_header *header)
{
	struct perf *perf = reader->state;
	const struct section *data = &header->data;

	perf->data_offset = data->offset;
	perf->data_end = data->offset + data->size;
	perf->unfinished = data->size == 0;
	if (perf->unfinished) {
		finding_add(&reader->findings, FINDING_UNFINISHED, data->offset, 1);
		perf->data_end = UINT64_MAX;
	} else if (data->offset > UINT64_MAX - data->size) {
		return error_set(
			&reader->error, ST_CORRUPT, 40,
			"perf: data section of %llu bytes at 0x%llx: no file is so "
			"large",
			(unsigned long long)data->size, (unsigned long long)data->offset);
	}
	if (data->offset > reader->input.size)
		return error_set(&reader->error, ST_TRUNCATED, 40,
				 "perf: the file ends before its data at 0x%llx",
				 (unsigned long long)data->offset);
	return ST_OK;
}

static enum status perf_file_open(struct reader *reader)
{
	struct perf *perf = reader->state;
	struct file_header header;
	enum status status = read_header(reader, &header);

	perf->facts_tail = &perf->facts;
	if (status == ST_OK && !reader->input.seekable)
		status = error_set(
			&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"perf: the file form cannot be read from a pipe, its names "
			"come last: save it to a file first");
	if (status != ST_OK)
		return status;
	describe(reader);
	status = find_data(reader, &header);
	if (status == ST_OK)
		status = read_attrs(reader, &header);
	if (status == ST_OK && !perf->unfinished)
		status = read_features(reader, &header);
	if (status == ST_OK)
		status = perf_events_settle(reader);
	if (status == ST_OK)
		status = input_seek(&reader->input, perf->data_offset);
	if (status != ST_OK)
		return error_set(&reader->error, status, reader->input.offset,
				 "perf: the file is cut off");
	input_stream(&reader->input);
	perf->trace.clock = clock_name(perf);
	perf->next_fact = perf->facts;
	return ST_OK;
}

static void perf_file_close(struct reader *reader)
{
	struct perf *perf = reader->state;

	free(perf->ahead.tasks);
	map_release(&perf->streams);
	map_release(&perf->tracepoints);
	arena_release(&perf->arena);
}

const struct reader_ops perf_file_reader = {
	.name = "perf",
	.state_size = sizeof(struct perf),
	.probe = probe,
	.open = perf_file_open,
	.next = perf_data_next,
	.close = perf_file_close,
};
