/* test_event_print.c - perftab-capture list events: sections, filters, JSON. */
#include <stdlib.h>
#include <string.h>

#include "event_words.h"
#include "unit.h"

/* Opens types up to this one. */
static bool counts(void *context, const struct capture_event *event)
{
	return event->attr.type <= *(const unsigned int *)context;
}

static const char guest[] =
	"Software\n"
	"  task-clock\n"
	"  cpu-clock\n"
	"  page-faults or faults\n"
	"  minor-faults\n"
	"  major-faults\n"
	"  context-switches or cs\n"
	"  cpu-migrations or migrations\n"
	"  alignment-faults\n"
	"  emulation-faults\n"
	"  bpf-output\n"
	"  cgroup-switches\n"
	"  dummy\n"
	"\n"
	"To be written out\n"
	"  rHEX                                        raw event of the "
	"processor\n"
	"  TYPE:CONFIG                                 numbers, as "
	"perf_event_open(2) has them\n"
	"  mem:ADDRESS[/LENGTH][:rwx]                  breakpoint on data "
	"or code\n"
	"\n"
	"Tracepoints\n"
	"  broken:*                                    1\n"
	"  irq:*                                       2\n"
	"  sched:*                                     3\n"
	"\n"
	"no hardware counters: this machine has no PMU, or hides it from "
	"its guest\n";

static const struct {
	int line;
	enum event_tree tree;
	unsigned int opens; /* types up to this one */
	const char *filter;
	bool json;
	const char *expected;
} rows[] = {
	{ ROW, TREE_INTEL, 50, "branch*", false,
	  "Hardware\n"
	  "  branches or branch-instructions\n"
	  "  branch-misses\n"
	  "\n"
	  "Cache\n"
	  "  branch-loads\n"
	  "  branch-load-misses\n" },
	{ ROW, TREE_INTEL, 50, "faults", false,
	  "Software\n"
	  "  page-faults or faults\n"
	  "  minor-faults\n"
	  "  major-faults\n"
	  "  alignment-faults\n"
	  "  emulation-faults\n" },
	{ ROW, TREE_INTEL, 50, "SCHED:sched_s*", false,
	  "Tracepoints\n"
	  "  sched:sched_stat_runtime\n"
	  "  sched:sched_switch\n" },
	{ ROW, TREE_INTEL, 50, "power/", false,
	  "PMUs\n"
	  "  power/energy-pkg/                           event=0x02, in Joules\n"
	  "\n"
	  "To be written out\n"
	  "  power/TERM=VALUE,.../                       event (8 bits)\n" },
	{ ROW, TREE_INTEL, 50, "cpu/*", false,
	  "PMUs\n"
	  "  cpu/Mixed.Case/                             event=0x13\n"
	  "  cpu/asked/                                  event=0x11,umask=?\n"
	  "  cpu/cpu-cycles/                             event=0x3c\n"
	  "  cpu/instructions/                           event=0xc0\n"
	  "  cpu/mem-loads/                              event=0xcd,umask=0x1,ldlat=3\n"
	  "  cpu/slots/                                  event=0x00,umask=0x4\n"
	  "\n"
	  "To be written out\n"
	  "  cpu/TERM=VALUE,.../                         any (1 bit), cmask (8 bits), "
	  "edge (1 bit), event (8 bits), far_away (8 bits), inv (1 bit), ldlat (16 bits), offcore_rsp (64 bits), "
	  "split (12 bits), umask (8 bits)\n"
	  "\n"
	  "events of PMUs whose files in sysfs are not understood: 2\n" },
	{ ROW, TREE_INTEL, 8, "msr/tsc", false,
	  "events that match 'msr/tsc', but that the kernel does not open here: 1\n" },
	{ ROW, TREE_INTEL, 1, "*cycles", false,
	  "Hardware\n"
	  "  cycles or cpu-cycles\n"
	  "  bus-cycles\n"
	  "  ref-cycles\n" },
	{ ROW, TREE_INTEL, 1, "LLC-load", false,
	  "events that match 'LLC-load', but that the kernel does not open here: 2\n" },
	{ ROW, TREE_HYBRID, 50, "topdown", false,
	  "PMUs\n"
	  "  cpu_core/topdown-be/                        event=0x00,umask=0x83\n"
	  "  cpu_atom/topdown-be/                        event=0xa4\n" },
	{ ROW, TREE_EMPTY, 50, "no\x1b[such", false,
	  "refused: no event matches 'no\\x1b[such'\n" },
	{ ROW, TREE_INTEL, 50, "energy", true,
	  "{\"schema_version\": 1,\n"
	  " \"events\": [\n"
	  "  {\"section\": \"pmu\", \"name\": \"power/energy-pkg/\", \"alias\": null, "
	  "\"pmu\": \"power\", \"what\": \"event=0x02\", \"unit\": \"Joules\", "
	  "\"scale\": 2.3283064365386963e-10}\n"
	  " ],\n"
	  " \"tracepoint_systems\": [\n"
	  " ],\n"
	  " \"model_names\": 0,\n"
	  " \"missing\": [\n"
	  " ]}\n" },
	{ ROW, TREE_INTEL, 0, "nothing\"here", true,
	  "{\"schema_version\": 1,\n"
	  " \"events\": [\n"
	  " ],\n"
	  " \"tracepoint_systems\": [\n"
	  " ],\n"
	  " \"model_names\": 0,\n"
	  " \"missing\": [\n"
	  " ]}\n"
	  "refused: no event matches 'nothing\"here'\n" },
};

/* What is listed on the machine, to be freed. */
static char *print_machine(const char *filter, bool json)
{
	struct error error = { .status = ST_OK };
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (event_list_print(to, &event_machine, filter, json, &error) != ST_OK)
		fprintf(to, "refused: %s\n", error.text);
	fclose(to);
	return text;
}

static char *print(enum event_tree tree, unsigned int opens, const char *filter,
		   bool json)
{
	event_machine_make(tree);
	event_machine.counts = counts;
	event_machine.context = &opens;
	return print_machine(filter, json);
}

UNIT_TEST(lists)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *text =
			print(rows[i].tree, rows[i].opens, rows[i].filter, rows[i].json);

		ROW_TEXT(&rows[i], text, rows[i].expected);
		free(text);
	}
}

/* Software events only. */
static bool counts_software(void *context, const struct capture_event *event)
{
	(void)context;
	return event->attr.type == PERF_TYPE_SOFTWARE;
}

UNIT_TEST(guest)
{
	char *text;

	event_machine_make(TREE_EMPTY);
	event_machine.counts = counts_software;
	text = print_machine(NULL, false);
	assert_string_equal(text, guest);
	free(text);
}

/* Hardware events, but none of the cache. */
static bool counts_no_cache(void *context, const struct capture_event *event)
{
	(void)context;
	return event->attr.type != PERF_TYPE_HW_CACHE;
}

UNIT_TEST(no_cache_events)
{
	char *text;

	event_machine_make(TREE_INTEL);
	event_machine.counts = counts_no_cache;
	text = print_machine(NULL, false);
	HAS(text, "no cache events: the PMU has none by these names\n");
	LACKS(text, "no hardware counters");
	free(text);
}

/* No tracefs, and a kernel that refuses PMUs: closing lines say so. */
UNIT_TEST(what_is_missing)
{
	char *text;

	event_machine_make(TREE_INTEL);
	event_machine.counts = counts_software;
	event_machine.tracefs = NULL;
	text = print_machine(NULL, true);
	HAS(text, "\"missing\": [\n"
		  "  \"no tracepoints: there is no tracefs that this user can read\",\n"
		  "  \"no hardware counters: this machine has no PMU, or hides it "
		  "from its guest\",\n"
		  "  \"events of PMUs that the kernel does not open here: 11\",\n"
		  "  \"events of PMUs whose files in sysfs are not understood: 2\"\n"
		  " ]}\n");
	free(text);
}

/* Systems of tracepoints and their sizes follow the events. */
UNIT_TEST(systems_in_json)
{
	char *text = print(TREE_EMPTY, 1, NULL, true);

	HAS(text, "\"tracepoint_systems\": [\n"
		  "  {\"name\": \"broken\", \"tracepoints\": 1},\n"
		  "  {\"name\": \"irq\", \"tracepoints\": 2},\n"
		  "  {\"name\": \"sched\", \"tracepoints\": 3}\n"
		  " ],\n");
	free(text);
}

/* Every name that is listed can be typed. */
UNIT_TEST(listed_names_parse)
{
	char *text = print(TREE_HYBRID, 50, NULL, false), *rest = text, *line;
	size_t names = 0;

	event_machine_make(TREE_HYBRID);
	while ((line = strsep(&rest, "\n"))) {
		struct event_list list = { .count = 0 };
		struct error error = { .status = ST_OK };
		char name[64];

		if (strcmp(line, "To be written out") == 0)
			break;
		if (sscanf(line, "  %63s", name) != 1 || line[0] != ' ')
			continue;
		assert_int_equal(event_list_parse(&list, &event_machine, name, &error),
				 ST_OK);
		assert_true(list.count > 0);
		event_list_release(&list);
		names++;
	}
	assert_true(names > 40);
	free(text);
}
