/*
 * test_perf_addresses.c - perf_samples_addresses(): whether a trace can have addresses,
 * by its events alone.
 */
#include "formats/formats.h"
#include "formats/perf/catalog.h"
#include "unit.h"

static bool samples(struct perf_event event)
{
	/* A switch whose address is not kept. */
	struct perf_event leader = {
		.type = PERF_TYPE_TRACEPOINT,
		.period = 1,
		.sample_type = PERF_IP | PERF_RAW,
		.is_switch = true,
	};
	struct perf_event *events[] = { &leader, &event };

	return perf_samples_addresses(
		&(struct perf_catalog){ .events = events, .event_count = 2 });
}

UNIT_TEST(events)
{
	struct perf_event event = { .period = 1000, .sample_type = PERF_IP };

	assert_true(samples(event));
	event.period = 0; /* a member of a group that is only read */
	assert_false(samples(event));
	event.period = 1000;
	event.sample_type = PERF_TIME;
	assert_false(samples(event));
	event.sample_type = PERF_CALLCHAIN;
	assert_true(samples(event));
	event.is_switch = true;
	assert_true(samples(event));
	event.sample_type = PERF_IP;
	assert_false(samples(event));
}

UNIT_TEST(dummy)
{
	struct perf_event event = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_SW_DUMMY,
		.period = 1,
		.sample_type = PERF_IP,
	};

	assert_false(samples(event));
	event.config = PERF_SW_CPU_CLOCK;
	assert_true(samples(event));
	event.type = PERF_TYPE_RAW;
	event.config = PERF_SW_DUMMY;
	assert_true(samples(event));
}

/* Only a file has all its events at its beginning. */
static bool file_has_none(const char *path)
{
	static const struct reader_ops *const formats[] = { &perf_reader, NULL };
	const struct reader_options options = { .want_rows = true };
	struct reader reader;
	bool none;

	assert_int_equal(reader_open(&reader, path, &options, formats), ST_OK);
	none = reader.no_addresses;
	reader_close(&reader);
	return none;
}

UNIT_TEST(files)
{
	assert_true(file_has_none(SAMPLES_DIRECTORY "/perf/good-switch-group.data"));
	assert_false(file_has_none(SAMPLES_DIRECTORY "/perf/good-plain-sampling.data"));
	assert_false(file_has_none(SEEDS_DIRECTORY "/good-form-pipe.data"));
}
