/*
 * test_sums_ahead.c - lib/formats/perf/sums_ahead.c: what a second thread sums up while
 * it reads ahead is what the switches come to one by one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/background.h"
#include "formats/formats.h"
#include "pipeline/pipeline.h"
#include "unit.h"

/* More than is read before the first switch is decoded. */
#define SWITCHES "60000"
static size_t given, refused;
static const struct run_summed *last;

/* As the reader of perf.data, but counts what it gives. */
static enum status count_next(struct reader *reader, struct record *record)
{
	enum status status;

	if (last)
		refused += last->is_refused;
	status = perf_reader.next(reader, record);
	last = status == ST_OK && record->kind == RECORD_RUN_SUMS ? record->summed : NULL;
	given += last != NULL;
	return status;
}

static struct unit_notes totals_of(const char *path, bool no_runs)
{
	static const struct pipeline_hooks no_hooks;
	static struct reader_ops counting;
	static struct sink_ops totals;
	static const struct reader_ops *const formats[] = { &counting, NULL };
	const struct reader_options options = { .no_runs = no_runs, .least_sum = 2 };
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);
	struct pipeline pipeline;
	struct reader reader;

	counting = perf_reader;
	counting.next = count_next;
	totals = *sink.ops;
	totals.totals_only = true;
	sink.ops = &totals;
	last = NULL;
	assert_int_equal(reader_open(&reader, path, &options, formats), ST_OK);
	pipeline_init(&pipeline, &sink, 1);
	assert_int_equal(pipeline_run(&pipeline, &reader, &no_hooks), ST_OK);
	pipeline_release(&pipeline);
	reader_close(&reader);
	return notes;
}

static void compare(const char *scenario)
{
	const char *folder = unit_path(scenario);
	struct unit_notes records, sums;
	char command[1024], path[1024];

	unit_folder(scenario);
	snprintf(command, sizeof(command), "'%s' --switches %s %s '%s'", MAKE_TRACE,
		 SWITCHES, scenario, folder);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/%s.data", folder, scenario);
	records = totals_of(path, true);
	sums = totals_of(path, false);
	assert_string_equal(unit_notes_text(&sums), unit_notes_text(&records));
}

UNIT_TEST(sums_ahead)
{
	static const char *const scenarios[] = {
		"basic", "eight_counters", "lost",	"threads",  "times",
		"reuse", "exec",	   "late_fork", "fork_exit"
	};

	background_set_threads(2);
	for (size_t i = 0; i < COUNT(scenarios); i++)
		compare(scenarios[i]);
	print_message("%zu sums, %zu of them refused\n", given, refused);
	assert_true(given > 0);
}
