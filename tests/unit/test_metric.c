/* test_metric.c - lib/counters/metric.h: which ratios a set of counters allows. */
#include <string.h>

#include "counters/metric.h"
#include "unit.h"

#define NAMES 6

/* Names of one group unless `groups` says otherwise, and the metrics expected of them. */
static const struct {
	int line;
	const char *names[NAMES];
	int64_t groups[NAMES];
	const char *expected; /* "IPC:1/0 ..." by index of the counters */
} possible[] = {
	{ ROW, { NULL }, { 0 }, "" },
	{ ROW, { "cycles" }, { 0 }, "" },
	{ ROW, { "cycles", "instructions" }, { 1, 1 }, "IPC:1/0 " },
	{ ROW, { "instructions", "cycles" }, { 1, 1 }, "IPC:0/1 " },
	{ ROW, { "cycles:u", "instructions:u" }, { 1, 1 }, "IPC:1/0 " },
	{ ROW, { "cycles:u", "instructions:k" }, { 1, 1 }, "" },
	{ ROW, { "cycles", "instructions:u" }, { 1, 1 }, "" },
	{ ROW, { "cycles:u", "instructions:uk" }, { 1, 1 }, "" },
	{ ROW,
	  { "cycles:u", "cycles:k", "instructions:k", "instructions:u" },
	  { 1, 1, 1, 1 },
	  "IPC:2/1 IPC#2:3/0 " },
	{ ROW, { "cpu-cycles:u", "instructions:u" }, { 1, 1 }, "IPC:1/0 " },
	{ ROW, { "cycles", "instructions" }, { 1, 2 }, "" },
	{ ROW, { "cycles", "cycles#2", "instructions" }, { 1, 2, 2 }, "" },
	{ ROW, { "cyclesx", "instructions" }, { 1, 1 }, "" },
	{ ROW, { "cycle", "instructions" }, { 1, 1 }, "" },
	{ ROW, { "Cycles", "instructions" }, { 1, 1 }, "" },
	{ ROW,
	  { "branch-misses", "branch-instructions" },
	  { 1, 1 },
	  "branch-miss-rate:0/1 " },
	{ ROW,
	  { "branch-misses", "branches", "instructions" },
	  { 1, 1, 1 },
	  "branch-miss-rate:0/1 branch-MPKI:0/2 " },
	{ ROW, { "cache-misses", "cache-references" }, { 1, 1 }, "cache-miss-rate:0/1 " },
	/* A clock has no user and kernel share: it goes with any modifiers. */
	{ ROW, { "cycles:u", "task-clock" }, { 1, 1 }, "GHz:0/1 " },
	{ ROW, { "page-faults", "task-clock:u" }, { 1, 1 }, "faults/s:0/1 " },
	{ ROW, { "cycles:u", "task-clock" }, { 1, 2 }, "" },
};

UNIT_TEST(possible)
{
	for (size_t i = 0; i < COUNT(possible); i++) {
		struct metric_use uses[16];
		struct str names[NAMES];
		char found[256] = "";
		size_t count = 0, used, at = 0;

		for (; count < NAMES && possible[i].names[count]; count++)
			names[count] = str_of(possible[i].names[count]);
		used = metrics_possible(names, possible[i].groups, count, uses,
					COUNT(uses));
		for (size_t k = 0; k < used; k++)
			at += (size_t)snprintf(found + at, sizeof(found) - at,
					       "%s:%zu/%zu ", uses[k].name,
					       uses[k].numerator, uses[k].denominator);
		ROW_TEXT(&possible[i], found, possible[i].expected);
	}
}

/* No more than there is room for. */
UNIT_TEST(room)
{
	const struct str names[] = { STR("instructions"), STR("cycles"),
				     STR("task-clock") };
	const int64_t groups[] = { 1, 1, 1 };
	struct metric_use uses[2];

	uses[1].metric = NULL;
	assert_int_equal(metrics_possible(names, groups, 3, uses, 0), 0);
	assert_int_equal(metrics_possible(names, groups, 3, uses, 1), 1);
	assert_null(uses[1].metric);
	assert_int_equal(metrics_possible(names, groups, 3, uses, 2), 2);
}

static const struct {
	int line;
	const char *metric;
	int64_t numerator, denominator;
	bool there;
	double value;
} ratios[] = {
	{ ROW, "IPC", 300, 200, true, 1.5 },
	{ ROW, "IPC", 0, 200, true, 0 },
	{ ROW, "IPC", 300, 0, false, 0 },
	{ ROW, "IPC", 0, 0, false, 0 },
	{ ROW, "IPC", 300, -1, false, 0 },
	{ ROW, "IPC", 300, INT64_MIN, false, 0 },
	{ ROW, "IPC", -300, 200, true, -1.5 },
	{ ROW, "IPC", INT64_MAX, INT64_MAX, true, 1 },
	{ ROW, "branch-miss-rate", 5, 200, true, 2.5 },
	{ ROW, "branch-MPKI", 5, 2000, true, 2.5 },
	{ ROW, "faults/s", 3, 2000000000, true, 1.5 },
	{ ROW, "GHz", 3, 2, true, 1.5 },
};

static const struct metric *metric_named(const char *name)
{
	for (size_t i = 0; i < metric_count; i++)
		if (strcmp(metrics[i].name, name) == 0)
			return &metrics[i];
	fail_msg("there is no metric %s", name);
	return NULL;
}

UNIT_TEST(value)
{
	for (size_t i = 0; i < COUNT(ratios); i++) {
		const struct metric_use use = { .metric =
							metric_named(ratios[i].metric) };
		double value = 0, error;

		ROW_INT(&ratios[i],
			metric_value(&use, ratios[i].numerator, ratios[i].denominator,
				     &value),
			ratios[i].there);
		error = value - ratios[i].value;
		ROW_TRUE(&ratios[i], error < 1e-12 && error > -1e-12);
	}
}

UNIT_TEST(table)
{
	assert_true(metric_count > 3);
	for (size_t i = 0; i < metric_count; i++) {
		assert_true(metrics[i].scale > 0);
		assert_string_not_equal(metrics[i].numerator, metrics[i].denominator);
		assert_true(strlen(metrics[i].words) > 0);
		assert_non_null(metrics[i].unit);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(metrics[i].name, metrics[k].name);
	}
}
