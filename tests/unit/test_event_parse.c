/*
 * test_event_parse.c - tools/capture/linux/events: names of every kind on machines of
 * every kind (events.txt), lists, and defaults.
 */
#include <stdlib.h>
#include <string.h>

#include "event_words.h"
#include "unit.h"

UNIT_EACH(event_machine_intel, NULL);

static void on_event(struct unit_line *line)
{
	static const char *const trees[] = { "intel", "hybrid", "arm", "s390", "empty" };
	char *fields[4], outcome[8192], path[256];
	size_t count = unit_fields(line, fields, COUNT(fields)), tree = 0;
	struct error error;
	const char *text;

	if (line->text[0] == '=') {
		while (strncmp(line->text + 2, trees[tree], strlen(trees[tree])) != 0)
			assert_true(++tree < COUNT(trees));
		event_machine_make((enum event_tree)tree);
		if (strstr(line->text, "without tracefs"))
			event_machine.tracefs = NULL;
		return;
	}
	if (count == 4) {
		snprintf(path, sizeof(path), "sysfs/cpu/%s", fields[0]);
		event_machine_file(path, fields[1]);
	}
	text = event_outcome(
		&event_machine,
		strcmp(fields[count - 2], "(default)") == 0 ? NULL : fields[count - 2],
		&error);
	if (error.status < ST_OK) {
		snprintf(outcome, sizeof(outcome), "@%llu %s",
			 (unsigned long long)error.offset, text);
		text = outcome;
	}
	LINE_TEXT(line, text, fields[count - 1]);
}

UNIT_TEST(names)
{
	unit_manifest("events.txt", on_event);
}

/* Several -e add up; one that fails leaves what was there. */
UNIT_TEST(several_lists)
{
	struct event_list list = { .count = 0 };
	struct error error = { .status = ST_OK };

	assert_int_equal(event_list_parse(&list, &event_machine, "{cs,faults}", &error),
			 ST_OK);
	assert_int_equal(event_list_parse(&list, &event_machine, "{cycles}", &error),
			 ST_OK);
	assert_int_not_equal(event_list_parse(&list, &event_machine, "dummy,{cs},nothing",
					      &error),
			     ST_OK);
	error.status = ST_OK;
	assert_int_equal(event_list_parse(&list, &event_machine, "{dummy}", &error),
			 ST_OK);
	assert_string_equal(event_words(&list),
			    "cs 1/0x3 group1; faults 1/0x2 group1; cycles 0/0 group2; "
			    "dummy 1/0x9 group3");
	event_list_release(&list);
}

/* Names stay apart from the text they came from. */
UNIT_TEST(names_are_copies)
{
	struct event_list list = { .count = 0 };
	struct error error = { .status = ST_OK };
	char *text = strdup("cycles:u,power/energy-pkg/");

	assert_int_equal(event_list_parse(&list, &event_machine, text, &error), ST_OK);
	free(text);
	assert_string_equal(list.events[0].name, "cycles:u");
	assert_string_equal(list.events[0].modifiers, "u");
	assert_string_equal(list.events[1].unit, "Joules");
	event_list_release(&list);
	assert_int_equal(list.count, 0);
}

/* --- the default events, as far as the kernel counts them --- */

/* Events with this type, and of it those with a config up to this, are opened. */
struct kernel {
	uint32_t types;
	uint64_t most;
};

static bool counts(void *context, const struct capture_event *event)
{
	const struct kernel *kernel = context;

	return kernel->types >> event->attr.type & 1 &&
	       event->attr.config <= kernel->most;
}

static const struct {
	int line;
	enum event_tree tree;
	struct kernel kernel;
	const char *expected;
} defaults[] = {
	{ ROW,
	  TREE_INTEL,
	  { 3, 2 },
	  "cycles 0/0; instructions 0/0x1; cache-references 0/0x2" },
	{ ROW,
	  TREE_INTEL,
	  { 2 | 1 << 9, 9 },
	  "task-clock 1/0x1; page-faults 1/0x2; msr/tsc/ 9/0 pmu=msr" },
	{ ROW, TREE_INTEL, { 2, 9 }, "task-clock 1/0x1; page-faults 1/0x2" },
	{ ROW, TREE_INTEL, { 0, 0 }, "task-clock 1/0x1; page-faults 1/0x2" },
	{ ROW, TREE_EMPTY, { 3, 1 }, "cycles 0/0; instructions 0/0x1" },
	{ ROW,
	  TREE_HYBRID,
	  { 1, 0x400000000 },
	  "cpu_core/cycles/ 0/0x400000000 pmu=cpu_core cpus=0-15" },
};

UNIT_TEST(defaults)
{
	for (size_t i = 0; i < COUNT(defaults); i++) {
		struct kernel kernel = defaults[i].kernel;

		event_machine_make(defaults[i].tree);
		event_machine.counts = counts;
		event_machine.context = &kernel;
		event_machine.tracefs = NULL;
		ROW_TEXT(&defaults[i], event_outcome(&event_machine, NULL, NULL),
			 defaults[i].expected);
	}
}
