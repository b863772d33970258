/*
 * settle.c - completes all events before the first record is decoded: names from the
 * user, formats, and where samples and trailers have the id of their event.
 */
#include "formats/perf/catalog.h"
#include "formats/perf/features.h"
#include "formats/perf/perf.h"

/* Bytes of the fixed 8-byte fields of `bits` before the id. */
static int fields_before(uint64_t sample_type, uint64_t bits)
{
	int count = 0;

	for (uint64_t bit = 1; bit <= PERF_ID; bit <<= 1)
		count += (sample_type & bits & bit) != 0;
	return count * 8;
}

/* How samples and other records name their event, if all events agree on it. */
static void find_id_places(struct perf_catalog *catalog)
{
	uint64_t all = ~UINT64_C(0);
	int in_sample = -1, in_trailer = -1;

	catalog->same_sample_type = true;
	for (size_t i = 0; i < catalog->event_count; i++) {
		all &= catalog->events[i]->sample_type;
		catalog->same_sample_type &= catalog->events[i]->sample_type ==
					     catalog->events[0]->sample_type;
	}
	if (all & PERF_IDENTIFIER) {
		in_sample = 0;
		in_trailer = 8;
	} else if (all & PERF_ID) {
		uint64_t type = catalog->events[0]->sample_type;

		in_sample =
			fields_before(type, PERF_IP | PERF_TID | PERF_TIME | PERF_ADDR);
		in_trailer = 8 + ((type & PERF_STREAM_ID) ? 8 : 0) +
			     ((type & PERF_CPU) ? 8 : 0);
	}
	catalog->id_in_sample = in_sample;
	catalog->named_sample_bytes =
		in_sample < 0 ? SIZE_MAX
			      : PERF_RECORD_HEADER_BYTES + (size_t)in_sample + 8;
	catalog->id_in_trailer = in_trailer;
}

/* Members of a group that are only read have no period, and a dummy counts nothing. */
static bool has_samples(const struct perf_event *event)
{
	return event->period != 0 &&
	       !(event->type == PERF_TYPE_SOFTWARE && event->config == PERF_SW_DUMMY);
}

bool perf_samples_addresses(const struct perf_catalog *catalog)
{
	for (size_t i = 0; i < catalog->event_count; i++) {
		const struct perf_event *event = catalog->events[i];
		/* Where a switch was is not kept. */
		uint64_t fields = PERF_CALLCHAIN | (event->is_switch ? 0 : PERF_IP);

		if (has_samples(event) && event->sample_type & fields)
			return true;
	}
	return false;
}

enum status perf_settle_events(struct reader *reader)
{
	struct perf *perf = reader->state;
	enum status status = ST_OK;

	if (perf->catalog.settled == perf->catalog.event_count && perf->catalog.settled)
		return ST_OK;
	perf_use_early_features(perf);
	status = perf_use_fallback_names(reader);
	if (status == ST_OK)
		status = perf_use_fallback_formats(reader);
	for (; perf->catalog.settled < perf->catalog.event_count && status == ST_OK;
	     perf->catalog.settled++)
		status = perf_settle_event(reader,
					   perf->catalog.events[perf->catalog.settled]);
	find_id_places(&perf->catalog);
	return status;
}
