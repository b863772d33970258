/*
 * test_perf_fallback.c - lib/formats/perf/fallback.c: names of events from the user
 * (--events).
 */
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/perf/perf.h"
#include "unit.h"

#define EVENTS 4

static const struct {
	int line;
	const char *list;
	const char *names[EVENTS]; /* NULL: the event keeps the name made for it */
} lists[] = {
	{ ROW, "a,b,c,d", { "a", "b", "c", "d" } },
	{ ROW, "a,b", { "a", "b" } },
	{ ROW, "a,b,c,d,e", { "a", "b", "c", "d" } },
	{ ROW, "", { NULL } },
	{ ROW, ",", { NULL } },
	{ ROW, "{a,b}", { "a", "b" } },
	{ ROW, "{a,b}:S,c", { "a", "b", "c" } },
	{ ROW, "a,{b,c}:u,d", { "a", "b", "c", "d" } },
	{ ROW, "cpu/event=1,umask=2/u,b", { "cpu/event=1,umask=2/u", "b" } },
	{ ROW, "{cpu/a,b/,cpu/c={1}/}:S,d", { "cpu/a,b/", "cpu/c={1}/", "d" } },
	{ ROW, "sched:sched_switch,{x}", { "sched:sched_switch", "x" } },
	{ ROW, "a:u,b:pp", { "a:u", "b:pp" } },
	{ ROW, "a,,b", { "a", "b" } },
	{ ROW, "{{a,b", { "a", "b" } },
	{ ROW, "a/b,c", { "a/b,c" } }, /* a slash that is not closed holds the rest */
	{ ROW, "caf\xc3\xa9,\xff", { "caf\xc3\xa9", "\\xff" } },
};

UNIT_TEST(lists)
{
	for (size_t i = 0; i < COUNT(lists); i++) {
		struct perf perf = { .catalog = { .event_count = EVENTS } };
		struct perf_event events[EVENTS] = { { .type = 0 } };
		struct perf_event *pointers[EVENTS];
		struct reader reader = { .ops = &perf_reader, .state = &perf };

		reader.options.events = lists[i].list;
		perf.catalog.events = pointers;
		for (size_t k = 0; k < EVENTS; k++)
			pointers[k] = &events[k];
		ROW_INT(&lists[i], perf_use_fallback_names(&reader), ST_OK);
		for (size_t k = 0; k < EVENTS; k++) {
			ROW_STR(&lists[i], events[k].name, lists[i].names[k]);
			ROW_INT(&lists[i], events[k].named, lists[i].names[k] != NULL);
		}
		arena_release(&perf.catalog.arena);
	}
}

/* Names are for events without one; what comes later goes on at its place in the list. */
UNIT_TEST(named_events)
{
	struct perf perf = { .catalog = { .event_count = 2 } };
	struct perf_event events[EVENTS] = { { .name = STR("file's") } };
	struct perf_event *pointers[EVENTS];
	struct reader reader = { .ops = &perf_reader, .state = &perf };

	reader.options.events = "a,b,c";
	perf.catalog.events = pointers;
	for (size_t k = 0; k < EVENTS; k++)
		pointers[k] = &events[k];
	assert_int_equal(perf_use_fallback_names(&reader), ST_OK);
	perf.catalog.settled = 2;
	perf.catalog.event_count = EVENTS;
	events[2].emitted = true; /* too late for this one */
	assert_int_equal(perf_use_fallback_names(&reader), ST_OK);
	ASSERT_STR(events[0].name, "file's");
	ASSERT_STR(events[1].name, "a");
	ASSERT_STR(events[2].name, NULL);
	ASSERT_STR(events[3].name, "c");
	arena_release(&perf.catalog.arena);
}

/* Nothing given, nothing named. */
UNIT_TEST(nothing)
{
	struct perf perf = { .catalog = { .event_count = 1 } };
	struct perf_event event = { .type = 0 }, *pointer = &event;
	struct reader reader = { .ops = &perf_reader, .state = &perf };

	perf.catalog.events = &pointer;
	assert_int_equal(perf_use_fallback_names(&reader), ST_OK);
	ASSERT_STR(event.name, NULL);
	arena_release(&perf.catalog.arena);
}
