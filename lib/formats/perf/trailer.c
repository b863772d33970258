/*
 * trailer.c - the trailer that every record of the kernel but a sample may have: thread,
 * time, CPU, event.  And the time of any record, for layers that sort.
 */
#include "formats/perf/records.h"

static size_t trailer_size(uint64_t sample_type)
{
	uint64_t fields = sample_type & (PERF_TID | PERF_TIME | PERF_ID | PERF_STREAM_ID |
					 PERF_CPU | PERF_IDENTIFIER);

	return (size_t)__builtin_popcountll(fields) * 8;
}

uint32_t perf_trailer_bytes(const struct perf_catalog *catalog)
{
	if (catalog->event_count == 0 ||
	    !(catalog->events[0]->flags & PERF_FLAG_SAMPLE_ID_ALL))
		return 0;
	return (uint32_t)trailer_size(catalog->events[0]->sample_type);
}

/* As perf_decode_trailer(), but without findings: others read records early. */
static struct perf_trailer decode_trailer(const struct perf_catalog *catalog,
					  struct cursor *body, bool *bad_cpu)
{
	struct perf_trailer id = { INT_NONE, INT_NONE, INT_NONE, INT_NONE, NULL };
	const struct perf_event *event;
	size_t left = cursor_left(body), size;
	struct cursor c;

	if (catalog->event_count == 0)
		return id;
	event = catalog->events[0];
	if (catalog->id_in_trailer > 0 && left >= (size_t)catalog->id_in_trailer) {
		c = cursor_over(body->end - catalog->id_in_trailer, 8, 0,
				body->big_endian);
		id.stream = map_get(&catalog->streams, cursor_u64(&c));
		if (id.stream)
			event = id.stream->event;
	}
	if (!(event->flags & PERF_FLAG_SAMPLE_ID_ALL))
		return id;
	size = trailer_size(event->sample_type);
	if (left < size)
		return id;
	c = cursor_over(body->end - size, size, 0, body->big_endian);
	body->end -= size;
	if (event->sample_type & PERF_TID) {
		id.pid = (int32_t)cursor_u32(&c);
		id.tid = perf_tid(id.pid, (int32_t)cursor_u32(&c));
	}
	if (event->sample_type & PERF_TIME)
		id.ts_ns = (int64_t)cursor_u64(&c);
	if (event->sample_type & PERF_ID)
		cursor_skip(&c, 8);
	if (event->sample_type & PERF_STREAM_ID)
		cursor_skip(&c, 8);
	if (event->sample_type & PERF_CPU)
		id.cpu = cursor_u32(&c);
	if (id.cpu != INT_NONE && id.cpu >= CPU_MAX) {
		*bad_cpu = true;
		id.cpu = INT_NONE; /* never taken for another */
	}
	return id;
}

struct perf_trailer perf_decode_trailer(struct perf *perf, struct cursor *body)
{
	bool bad_cpu = false;
	struct perf_trailer id = decode_trailer(&perf->catalog, body, &bad_cpu);

	if (bad_cpu)
		finding_add(perf->findings, FINDING_BAD_CPU, perf->walk.record_offset, 1);
	return id;
}

int64_t perf_record_time(struct perf_catalog *catalog, const uint8_t *record,
			 const struct perf_header *header)
{
	struct cursor c = cursor_over(record + PERF_RECORD_HEADER_BYTES,
				      header->size - PERF_RECORD_HEADER_BYTES, 0,
				      catalog->big_endian);
	bool bad_cpu = false;

	if (header->type != PERF_RECORD_FORK && header->type != PERF_RECORD_EXIT)
		return decode_trailer(catalog, &c, &bad_cpu).ts_ns;
	cursor_skip(&c, 16);
	return (int64_t)cursor_u64(&c);
}

int64_t perf_any_record_time(struct perf_catalog *catalog, const uint8_t *record,
			     const struct perf_header *header)
{
	struct cursor c = cursor_over(record, header->size, 0, catalog->big_endian), id;
	const struct perf_stream *stream = NULL;
	int place;

	if (header->type != PERF_RECORD_SAMPLE)
		return perf_record_time(catalog, record, header);
	cursor_skip(&c, PERF_RECORD_HEADER_BYTES);
	id = c;
	if (catalog->id_in_sample >= 0) {
		cursor_skip(&id, (size_t)catalog->id_in_sample);
		stream = map_get(&catalog->streams, cursor_u64(&id));
	}
	if (!stream && catalog->event_count == 0)
		return INT_NONE;
	place = (stream ? stream->event : catalog->events[0])->layout.time;
	if (place < 0)
		return INT_NONE;
	cursor_skip(&c, (size_t)place);
	return c.overrun ? INT_NONE : (int64_t)cursor_u64(&c);
}
