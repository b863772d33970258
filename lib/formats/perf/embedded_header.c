/*
 * embedded_header.c - what describes a trace before its data.
 *
 * perftab-capture puts header features, names and formats between the ids and the data,
 * as the records of the pipe form, and a table of them after the data, which every round
 * of records overwrites.  A recorder that is killed just then leaves no table; but the
 * records themselves are still there.  docs/formats/perf-data.md draws it.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "formats/perf/records.h"
#include "formats/perf/sections.h"
#include "formats/perf/tracepoints.h"

/* The description begins where the ids end. */
static uint64_t end_of_ids(const struct perf *perf, const struct perf_file_header *header)
{
	uint64_t end = header->attrs.offset + header->attrs.size;

	for (size_t i = 0; i < perf->catalog.event_count; i++) {
		const struct perf_event *event = perf->catalog.events[i];

		if (event->ids_bytes && event->ids_offset + event->ids_bytes > end)
			end = event->ids_offset + event->ids_bytes;
	}
	return end;
}

/* A feature, a name or formats; false: it is none of these. */
static bool read_one(struct reader *reader, struct cursor *c)
{
	struct perf_header header;
	struct record unused = { .offset = c->offset };
	struct cursor body;

	if (cursor_left(c) < PERF_RECORD_HEADER_BYTES)
		return false;
	header = perf_header_read(c->pos, c->big_endian);
	if (header.size < PERF_RECORD_HEADER_BYTES || header.size > cursor_left(c) ||
	    (header.type != PERF_RECORD_HEADER_FEATURE &&
	     header.type != PERF_RECORD_EVENT_UPDATE &&
	     header.type != PERF_RECORD_TRACING_DATA))
		return false;
	body = cursor_sub(c, header.size);
	cursor_skip(&body, PERF_RECORD_HEADER_BYTES);
	if (header.type == PERF_RECORD_TRACING_DATA) { /* follows its record */
		body = cursor_sub(c, cursor_u32(&body));
		perf_tracing_data_read(reader, &body);
		return true;
	}
	(void)perf_tool_read(reader, &body, &header, &unused);
	return true;
}

enum status perf_early_read(struct reader *reader, const struct perf_file_header *header,
			    bool *found)
{
	const struct perf *perf = reader->state;
	uint64_t from = end_of_ids(perf, header), to = header->data.offset;
	enum status status;
	struct cursor c;
	uint8_t *bytes;

	*found = false;
	if (from >= to || to > reader->input.size || to - from > PERF_FEATURE_BYTES_MAX)
		return ST_OK;
	bytes = memory_alloc((size_t)(to - from));
	if (!bytes)
		return error_nomem(&reader->error);
	status = input_seek(&reader->input, from);
	if (status == ST_OK)
		status = input_read(&reader->input, bytes, (size_t)(to - from));
	c = cursor_over(bytes, (size_t)(to - from), from, perf->catalog.big_endian);
	/* 4 bytes of padding let the data begin at a multiple of 8. */
	if (status == ST_OK && cursor_left(&c) >= 12 &&
	    perf_header_read(c.pos, c.big_endian).type != PERF_RECORD_HEADER_FEATURE)
		cursor_skip(&c, 4);
	while (status == ST_OK && read_one(reader, &c))
		*found = true;
	free(bytes);
	return status == ST_TRUNCATED ? ST_OK : status;
}
