/* perf_stream.c - see perf_stream.h. */
#include "perf_stream.h"

#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "pipeline/pipeline.h"

#define ATTR_BYTES 112

static void put(struct perf_stream_bytes *stream, const void *bytes, size_t size)
{
	if (stream->size + size > stream->room) {
		uint8_t *old = stream->bytes;

		stream->room = 2 * (stream->room + size);
		stream->bytes = unit_alloc(stream->room);
		if (old)
			memcpy(stream->bytes, old, stream->size);
	}
	memcpy(stream->bytes + stream->size, bytes, size);
	stream->size += size;
}

static void put_header(struct perf_stream_bytes *stream, uint32_t type, uint16_t misc,
		       size_t payload)
{
	uint16_t size = (uint16_t)(PERF_RECORD_HEADER_BYTES + payload);

	assert_true(payload <= PERF_RECORD_BYTES_MAX - PERF_RECORD_HEADER_BYTES);
	put(stream, &type, sizeof(type));
	put(stream, &misc, sizeof(misc));
	put(stream, &size, sizeof(size));
}

void perf_stream_begin(struct perf_stream_bytes *stream)
{
	const uint64_t header[2] = { PERF_MAGIC, PERF_PIPE_HEADER_BYTES };

	*stream = (struct perf_stream_bytes){ NULL, 0, 0 };
	put(stream, header, sizeof(header));
}

void perf_stream_attr(struct perf_stream_bytes *stream,
		      const struct perf_stream_event *event)
{
	const uint64_t attr[ATTR_BYTES / 8] = {
		PAIR(event->type, ATTR_BYTES),
		event->config,
		event->period,
		event->sample_type,
		event->read_format,
		event->flags,
	};
	size_t ids = 0;

	while (ids < COUNT(event->ids) && event->ids[ids])
		ids++;
	put_header(stream, PERF_RECORD_HEADER_ATTR, 0, sizeof(attr) + ids * 8);
	put(stream, attr, sizeof(attr));
	put(stream, event->ids, ids * 8);
}

void perf_stream_record(struct perf_stream_bytes *stream, uint32_t type, uint16_t misc,
			const uint64_t *words, size_t count)
{
	put_header(stream, type, misc, count * 8);
	put(stream, words, count * 8);
}

void perf_stream_open(struct reader *reader, const struct perf_stream_bytes *stream,
		      bool want_rows)
{
	static const struct reader_ops *const formats[] = { &perf_reader, NULL };
	const struct reader_options options = { .want_rows = want_rows };

	assert_int_equal(reader_open_memory(reader, stream->bytes, stream->size, &options,
					    formats),
			 ST_OK);
}

size_t perf_stream_read(struct reader *reader, enum record_kind kind,
			void (*on_record)(void *context, const struct record *record),
			void *context)
{
	struct record record;
	enum status status;
	size_t count = 0;

	while ((status = reader_next(reader, &record)) == ST_OK)
		if (record.kind == kind) {
			count++;
			if (on_record)
				on_record(context, &record);
		}
	assert_int_equal(status, ST_END);
	return count;
}

struct unit_notes perf_stream_rows(const struct perf_stream_bytes *stream)
{
	static const struct pipeline_hooks no_hooks;
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);
	struct pipeline pipeline;
	struct reader reader;

	perf_stream_open(&reader, stream, true);
	pipeline_init(&pipeline, &sink, 1);
	assert_int_equal(pipeline_run(&pipeline, &reader, &no_hooks), ST_OK);
	pipeline_release(&pipeline);
	reader_close(&reader);
	return notes;
}
