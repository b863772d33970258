/*
 * test_event_model.c - tools/capture/linux/events/pfm.c: names that libpfm knows.
 *
 * LIBPFM_FORCE_PMU chooses the processor of libpfm, so that the codes are the
 * same on every machine.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/linux/events/private.h"
#include "event_words.h"
#include "unit.h"

#ifdef PERFTAB_PFM_NAME
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

#ifdef PERFTAB_PFM_NAME
/*
 * The linker gives pfm.c the functions of another libpfm: of one that is not there, or of
 * one whose attr is larger than ours.
 */
static bool is_missing, attr_grows;
static __typeof__(pfm_get_os_event_encoding) *encode;

static pfm_err_t encode_larger(const char *name, int levels, pfm_os_t os, void *args)
{
	pfm_err_t result = encode(name, levels, os, args);

	if (attr_grows)
		((pfm_perf_encode_arg_t *)args)->attr->size += 8;
	return result;
}

void *__wrap_event_pfm_function(const char *name);
void *__real_event_pfm_function(const char *name);
void *__wrap_event_pfm_function(const char *name)
{
	void *found = is_missing ? NULL : __real_event_pfm_function(name);

	if (strcmp(name, "pfm_get_os_event_encoding") != 0)
		return found;
	memcpy(&encode, &found, sizeof(found));
	return found ? (void *)(uintptr_t)encode_larger : NULL;
}
#endif

static int force_skylake(void **state)
{
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	unsetenv("LIBPFM_DISABLED_PMUS");
	return event_machine_intel(state);
}

UNIT_GROUP(force_skylake, NULL);

static void expect_missing(const char *expected)
{
	struct event_sources sources = { .sysfs = "/nowhere", .model_names = true };

	assert_string_equal(event_outcome(&sources, "x::NOTHING", NULL), expected);
}

UNIT_TEST(model_names)
{
	if (event_pfm_missing())
		skip();
	event_machine.model_names = true;
	for (size_t i = 0; i < COUNT(rows); i++)
		ROW_TEXT(&rows[i], event_outcome(&event_machine, rows[i].names, NULL),
			 rows[i].expected);
}

#ifdef PERFTAB_PFM_NAME
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

	if (event_pfm_missing())
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
	if (!event_pfm_missing())
		skip();
	expect_missing("no event 'x::NOTHING' here; this build has no libpfm (it knows "
		       "processor models' names)");
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
	assert_int_equal(count > 10, !event_pfm_missing());
}

/* What is listed of the names of models; to be freed. */
static char *list_names(const char *filter)
{
	const struct event_sources sources = { .sysfs = "/nowhere", .model_names = true };
	struct error error = { .status = ST_OK };
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(event_list_print(to, &sources, filter, false, &error), ST_OK);
	fclose(to);
	return text;
}

/* A count without a filter, names with one. */
UNIT_TEST(printing)
{
	static const char *const filters[] = { NULL, "skl::INST_RETIRED" };
	static const char *const expected[] = { "names known to libpfm",
						"  skl::INST_RETIRED  " };

	for (size_t i = 0; i < 2; i++) {
		char *text = list_names(filters[i]);

		assert_int_equal(strstr(text, expected[i]) != NULL, !event_pfm_missing());
		free(text);
	}
}

#ifdef PERFTAB_PFM_NAME
UNIT_TEST(not_installed)
{
	char *text;

	is_missing = true;
	expect_missing("no event 'x::NOTHING' here; " PERFTAB_PFM_NAME
		       " is not installed (it knows processor models' names)");
	assert_int_equal(event_model_names(NULL, NULL), 0);
	text = list_names(NULL);
	assert_non_null(strstr(text, "no names of processor models: " PERFTAB_PFM_NAME
				     " is not installed"));
	free(text);
	is_missing = false;
}
#endif
