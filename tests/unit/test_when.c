/* test_when.c - tools/common/when.h: times as users write them, and as they are shown. */
#include "common/when.h"

#include "unit.h"

#define S INT64_C(1000000000)

/* --- durations --- */

static const struct {
	int line;
	const char *text;
	int64_t ns; /* 0: not a duration */
} durations[] = {
	{ ROW, "100ms", 100000000 },
	{ ROW, "1.5s", 3 * S / 2 },
	{ ROW, "2", 2 * S },
	{ ROW, "2m", 120 * S },
	{ ROW, "2min", 120 * S },
	{ ROW, "1h", 3600 * S },
	{ ROW, "7ns", 7 },
	{ ROW, "1.000000001s", S + 1 },
	/* The tenth place, and those after it, are below a nanosecond. */
	{ ROW, "1.0000000019999999999999999999s", S + 1 },
	{ ROW, "9223372036ns", 9223372036 },
	{ ROW, "99999999999999999999", 0 },
	{ ROW, "0", 0 },
	{ ROW, "", 0 },
	{ ROW, "s", 0 },
	{ ROW, ".5s", S / 2 },
	{ ROW, ".s", 0 },
	{ ROW, "1.2.3s", 0 },
	{ ROW, "1 s", 0 },
	{ ROW, "1S", 0 },
	{ ROW, "-1s", 0 },
	{ ROW, "+1s", 0 },
};

UNIT_TEST(durations)
{
	for (size_t i = 0; i < COUNT(durations); i++) {
		int64_t ns = 0;
		bool parsed = when_parse_duration(durations[i].text, &ns);

		ROW_INT(&durations[i], parsed, durations[i].ns > 0);
		if (parsed)
			ROW_INT(&durations[i], ns, durations[i].ns);
	}
}

UNIT_TEST(shifts_have_signs)
{
	int64_t ns;

	assert_true(when_parse_shift("-1.5s", &ns));
	assert_int_equal(ns, -3 * S / 2);
	assert_true(when_parse_shift("+250ms", &ns));
	assert_int_equal(ns, S / 4);
	assert_true(when_parse_shift("0", &ns));
	assert_int_equal(ns, 0);
	assert_false(when_parse_shift("--1s", &ns));
	assert_false(when_parse_shift("1.5.s", &ns));
}

/* --- times --- */

static const struct {
	int line;
	const char *text;
	enum when_kind kind; /* WHEN_NONE: not a time */
	int64_t ns;
} times[] = {
	{ ROW, "123", WHEN_CLOCK, 123 },
	{ ROW, "-5", WHEN_CLOCK, -5 },
	{ ROW, "+3s", WHEN_FROM_START, 3 * S },
	{ ROW, "1970-01-01T00:00:00Z", WHEN_WALL, 0 },
	{ ROW, "1969-12-31T23:59:59.5Z", WHEN_WALL, -S / 2 },
	{ ROW, "2000-02-29T00:00:00Z", WHEN_WALL, 951782400 * S },
	{ ROW, "2000-03-01T00:00:00Z", WHEN_WALL, 951868800 * S },
	{ ROW, "2024-02-29 12:00:00", WHEN_WALL, 1709208000 * S },
	{ ROW, "2024-03-01T12:00:00Z", WHEN_WALL, 1709294400 * S },
	{ ROW, "2100-03-01T00:00:00Z", WHEN_WALL, 4107542400 * S },
	{ ROW, "2026-11-22T10:00:00.123456789Z", WHEN_WALL, 1795341600 * S + 123456789 },
	{ ROW, "2026-12-31T23:59:59Z", WHEN_WALL, 1798761599 * S },
	{ ROW, "2027-01-01T00:00:00Z", WHEN_WALL, 1798761600 * S },
	{ ROW, "2026-13-01T00:00:00Z", WHEN_NONE, 0 },
	{ ROW, "2026-00-01T00:00:00Z", WHEN_NONE, 0 },
	{ ROW, "2026-01-00T00:00:00Z", WHEN_NONE, 0 },
	{ ROW, "2026-01-32T00:00:00Z", WHEN_NONE, 0 },
	{ ROW, "2026-01-01T24:00:00Z", WHEN_NONE, 0 },
	{ ROW, "2026-01-01T00:60:00Z", WHEN_NONE, 0 },
	{ ROW, "2026-01-01T00:00:61Z", WHEN_NONE, 0 },
	{ ROW, "2026-01-01T00:00Z", WHEN_NONE, 0 },
	{ ROW, "2026-01-01T00:00:00+01:00", WHEN_NONE, 0 },
	{ ROW, "2262-01-01T00:00:00Z", WHEN_NONE, 0 },
	{ ROW, "12x", WHEN_NONE, 0 },
	{ ROW, "+", WHEN_NONE, 0 },
	{ ROW, "", WHEN_NONE, 0 },
};

UNIT_TEST(times)
{
	for (size_t i = 0; i < COUNT(times); i++) {
		struct when when = { .kind = WHEN_NONE };
		bool parsed = when_parse(times[i].text, &when);

		ROW_INT(&times[i], parsed, times[i].kind != WHEN_NONE);
		if (!parsed)
			continue;
		ROW_INT(&times[i], when.kind, times[i].kind);
		ROW_INT(&times[i], when.ns, times[i].ns);
	}
}

/* On the clock of a trace that began at 1,000 and was then 5 s after 1970. */
UNIT_TEST(resolved)
{
	struct trace_row trace = { .first_ns = 1000, .wall_offset_ns = 5 * S - 1000 };
	const struct when start = { WHEN_FROM_START, 7 }, wall = { WHEN_WALL, 6 * S };
	const struct when clock = { WHEN_CLOCK, 9 };
	int64_t ns;

	assert_true(when_resolve(&start, &trace, &ns));
	assert_int_equal(ns, 1007);
	assert_true(when_resolve(&wall, &trace, &ns));
	assert_int_equal(ns, S + 1000);
	assert_true(when_resolve(&clock, &trace, &ns));
	assert_int_equal(ns, 9);
	trace.first_ns = trace.wall_offset_ns = INT_NONE;
	assert_false(when_resolve(&start, &trace, &ns));
	assert_false(when_resolve(&wall, &trace, &ns));
	assert_true(when_resolve(&clock, &trace, &ns));
}

/* --- as they are shown --- */

UNIT_TEST(shown)
{
	static const struct {
		int line;
		int64_t ns;
		const char *text;
	} rows[] = {
		{ ROW, 0, "1970-01-01T00:00:00.000000Z" },
		{ ROW, 999, "1970-01-01T00:00:00.000000Z" },
		{ ROW, 1795341600 * S + 123456789, "2026-11-22T10:00:00.123456Z" },
		{ ROW, -1, "1969-12-31T23:59:59.999999Z" },
		{ ROW, -S, "1969-12-31T23:59:59.000000Z" },
		{ ROW, -S - 1000, "1969-12-31T23:59:58.999999Z" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[WHEN_UTC_BYTES];

		when_format(text, rows[i].ns);
		ROW_TEXT(&rows[i], text, rows[i].text);
	}
}

UNIT_TEST(shown_of_a_trace_and_of_windows)
{
	struct trace_row trace = { .wall_offset_ns = 5 * S };
	char text[WHEN_UTC_BYTES];

	when_utc(text, &trace, S);
	assert_string_equal(text, "1970-01-01T00:00:06.000000Z");
	when_utc(text, &trace, INT_NONE);
	assert_string_equal(text, "");
	trace.wall_offset_ns = INT_NONE;
	when_utc(text, &trace, S);
	assert_string_equal(text, "");
	when_filetime(text, INT64_C(116444736000000010));
	assert_string_equal(text, "1970-01-01T00:00:00.000001Z");
	when_filetime(text, INT_NONE);
	assert_string_equal(text, "");
	when_filetime(text, INT64_MAX);
	assert_string_equal(text, "");
}
