/* test_event_errors.c - tools/capture/linux/events/event.h: what is refused, and how it
 * is said.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "event_words.h"
#include "unit.h"

UNIT_GROUP(event_machine_intel, NULL);

/* The message about names that are refused. */
static const char *failure(const struct event_sources *sources, const char *names)
{
	static struct error error;

	event_outcome(sources, names, &error);
	assert_true(error.status < ST_OK);
	return error.text;
}

/* Said once, and not as if the name were wrong. */
UNIT_TEST(unreadable_tracefs)
{
	struct event_sources other = event_machine;
	char text[512];

	other.tracefs = NULL;
	assert_string_equal(
		failure(&other, "sched:sched_switch"),
		"tracepoint 'sched:sched_switch' cannot be looked up: there is "
		"no tracefs that this user can read");
	other.tracefs = unit_path("no-tracefs");
	snprintf(text, sizeof(text),
		 "tracepoint 'sched:sched_switch' cannot be looked up: '%s/events' "
		 "cannot be read: No such file or directory",
		 other.tracefs);
	assert_string_equal(failure(&other, "sched:sched_switch"), text);
}

UNIT_TEST(no_sysfs)
{
	struct event_sources other = event_machine;
	char text[512];

	other.sysfs = unit_path("no-sysfs");
	snprintf(text, sizeof(text), "no PMU 'cpu' here: there are none in '%s'",
		 other.sysfs);
	assert_string_equal(failure(&other, "cpu/event=1/"), text);
	assert_string_equal(failure(&other, "mem-loads"), "no event 'mem-loads' here");
}

/* A long text of one piece, `count` times. */
static char *repeat(const char *piece, size_t count)
{
	size_t length = strlen(piece);
	char *text = malloc(length * count + 1);

	for (size_t i = 0; i < count; i++)
		memcpy(text + i * length, piece, length);
	text[length * count] = '\0';
	return text;
}

UNIT_TEST(limits)
{
	static const struct {
		int line;
		const char *piece;
		size_t count;
		const char *message;
	} rows[] = {
		{ ROW, "cs,", 30000,
		  "the event names have 90000 bytes, more than 65536" },
		{ ROW, "cs,", 5000, "more than 4096 events" },
		{ ROW, "x", 2000,
		  "event name 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx~' has 2000 "
		  "bytes, more than 1024" },
		{ ROW, "/", 60000,
		  "event name '///////////////////////////////////////////////~' has 60000 "
		  "bytes, more than 1024" },
		{ ROW, "a:", 500, NULL },
		{ ROW, "{", 65000, "'{' within a group at character 2" },
	};
	char *terms = repeat("edge,", 65), name[512];

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *text = repeat(rows[i].piece, rows[i].count);
		const char *message = failure(&event_machine, text);

		if (rows[i].message)
			ROW_TEXT(&rows[i], message, rows[i].message);
		free(text);
	}
	snprintf(name, sizeof(name), "cpu/%s/", terms);
	assert_string_equal(failure(&event_machine, name), "more than 64 terms");
	free(terms);
}

UNIT_TEST(expansion_limit)
{
	for (int i = 0; i <= EVENT_EXPANSION_MAX; i++) {
		char path[64];

		snprintf(path, sizeof(path), "tracefs/events/many/event_%d/id", i);
		event_machine_file(path, "1\n");
	}
	assert_string_equal(failure(&event_machine, "many:*"),
			    "'many:*' stands for more than 1024 tracepoints");
	assert_string_equal(failure(&event_machine, "m*:event_*"),
			    "'many:event_*' stands for more than 1024 tracepoints");
}
