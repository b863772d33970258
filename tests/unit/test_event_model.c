/*
 * test_event_model.c - tools/capture/linux/events/pfm.c: names that libpfm knows.
 *
 * LIBPFM_FORCE_PMU chooses the processor of libpfm, so that the codes are the
 * same on every machine.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/linux/events/parts.h"
#include "event_words.h"
#include "unit.h"

#ifdef PERFTAB_HAVE_PFM
#include <perfmon/pfmlib_perf_event.h> /* after the kernel's, which it knows */
#endif

static const struct {
	int line;
	const char *names;
	const char *expected; /* the events, or the message */
} rows[] = {
	{ ROW, "INST_RETIRED:ANY_P", "INST_RETIRED:ANY_P 4/0xc0 pmu=cpu" },
	{ ROW, "skl::INST_RETIRED:ANY_P:u",
	  "skl::INST_RETIRED:ANY_P:u 4/0xc0 -k pmu=cpu" },
	{ ROW, "INST_RETIRED:ANY_P:uk", "INST_RETIRED:ANY_P:uk 4/0xc0 -h pmu=cpu" },
	{ ROW, "MEM_LOAD_RETIRED.L1_HIT", "MEM_LOAD_RETIRED.L1_HIT 4/0x1d1 pmu=cpu" },
	{ ROW, "MEM_LOAD_RETIRED:L1_HIT:c=1",
	  "MEM_LOAD_RETIRED:L1_HIT:c=1 4/0x10001d1 pmu=cpu" },
	{ ROW, "MEM_LOAD_RETIRED:L1_HIT:pp",
	  "MEM_LOAD_RETIRED:L1_HIT:pp 4/0x1d1 -guest p2 pmu=cpu" },
	{ ROW, "MEM_LOAD_RETIRED:L1_HIT:mh=1",
	  "MEM_LOAD_RETIRED:L1_HIT:mh=1 4/0x1d1 -guest pmu=cpu" },
	{ ROW, "OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_HIT",
	  "OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_HIT 4/0x1b7 config1=0x3f801c0001 pmu=cpu" },
	{ ROW, "{INST_RETIRED:ANY_P,cs}:k",
	  "INST_RETIRED:ANY_P:k 4/0xc0 -u -h pmu=cpu group1; cs:k 1/0x3 -u -h group1" },
	{ ROW, "MEM_LOAD_RETIRED:L1_HIT:period=100",
	  "'MEM_LOAD_RETIRED:L1_HIT:period=100' has a period or a frequency: counts are "
	  "read at context switches" },
	{ ROW, "MEM_LOAD_RETIRED:L9",
	  "no event 'MEM_LOAD_RETIRED:L9', and no tracepoints 'MEM_LOAD_RETIRED:'; libpfm "
	  "says: invalid event attribute" },
	{ ROW, "skl::NOTHING", "no event 'skl::NOTHING' here" },
	/* What the kernel has goes first. */
	{ ROW, "cycles", "cycles 0/0" },
};

#ifdef PERFTAB_HAVE_PFM
/*
 * The linker gives libpfm's answer to it: one of a library whose attr is larger than
 * ours, where attr_grows says so.
 */
static bool attr_grows;
pfm_err_t __wrap_pfm_get_os_event_encoding(const char *name, int levels, pfm_os_t os,
					   void *args);
pfm_err_t __real_pfm_get_os_event_encoding(const char *name, int levels, pfm_os_t os,
					   void *args);
pfm_err_t __wrap_pfm_get_os_event_encoding(const char *name, int levels, pfm_os_t os,
					   void *args)
{
	pfm_err_t result = __real_pfm_get_os_event_encoding(name, levels, os, args);

	if (attr_grows)
		((pfm_perf_encode_arg_t *)args)->attr->size += 8;
	return result;
}
#endif

static int force_skylake(void **state)
{
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	unsetenv("LIBPFM_DISABLED_PMUS");
	return event_machine_intel(state);
}

UNIT_GROUP(force_skylake, NULL);

UNIT_TEST(model_names)
{
	if (!event_has_pfm)
		skip();
	event_machine.model_names = true;
	for (size_t i = 0; i < COUNT(rows); i++)
		ROW_TEXT(&rows[i], event_outcome(&event_machine, rows[i].names, NULL),
			 rows[i].expected);
}

#ifdef PERFTAB_HAVE_PFM
UNIT_TEST(newer_library)
{
	const size_t bytes = sizeof(struct perf_event_attr);
	char expected[100];

	snprintf(expected, sizeof(expected),
		 "libpfm is newer than this build: its attr has %zu bytes, not %zu",
		 bytes + 8, bytes);
	attr_grows = true;
	assert_string_equal(event_outcome(&event_machine, "INST_RETIRED:ANY_P", NULL),
			    expected);
	attr_grows = false;
}
#endif

/* Users who are not root have no tracefs, and may well have a PMU. */
UNIT_TEST(no_tracefs)
{
	const struct event_sources sources = { .sysfs = "/nowhere",
					       .tracefs = "/nowhere",
					       .model_names = true };

	if (!event_has_pfm)
		skip();
	assert_string_equal(event_outcome(&sources, "INST_RETIRED:ANY_P", NULL),
			    "INST_RETIRED:ANY_P 4/0xc0");
	assert_string_equal(
		event_outcome(&sources, "MEM_LOAD_RETIRED:L9", NULL),
		"tracepoint 'MEM_LOAD_RETIRED:L9' cannot be looked up: "
		"'/nowhere/events' cannot be read: No such file or directory; "
		"libpfm says: invalid event attribute");
}

/* The environment is that of the command to be recorded. */
UNIT_TEST(environment)
{
	assert_null(getenv("LIBPFM_DISABLED_PMUS"));
}

UNIT_TEST(without)
{
	struct event_sources sources = { .sysfs = "/nowhere", .model_names = true };

	if (event_has_pfm)
		skip();
	assert_string_equal(event_outcome(&sources, "x::NOTHING", NULL),
			    "no event 'x::NOTHING' here; this build has no libpfm, which "
			    "knows processor models' names");
}

static void count_names(void *context, const char *name, const char *what)
{
	size_t *count = context;

	*count += strstr(name, "::") != NULL && what != NULL;
}

UNIT_TEST(listing)
{
	size_t count = 0, said = event_model_names(count_names, &count);

	assert_int_equal(said, count);
	assert_int_equal(count > 10, event_has_pfm);
}

/* A count without a filter, names with one. */
UNIT_TEST(printing)
{
	static const char *const filters[] = { NULL, "skl::INST_RETIRED" };
	static const char *const expected[] = { "names known to libpfm",
						"  skl::INST_RETIRED  " };
	const struct event_sources sources = { .sysfs = "/nowhere", .model_names = true };

	for (size_t i = 0; i < 2; i++) {
		struct error error = { .status = ST_OK };
		char *text = NULL;
		size_t size = 0;
		FILE *to = open_memstream(&text, &size);

		assert_int_equal(
			event_list_print(to, &sources, filters[i], false, &error), ST_OK);
		fclose(to);
		assert_int_equal(strstr(text, expected[i]) != NULL, event_has_pfm);
		free(text);
	}
}
