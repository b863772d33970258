/*
 * test_selection.c - what users name, as identifiers; countersets are those of a sample.
 */
#include "capture/perflib/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/little_endian.h"
#include "capture/perflib/names.h"
#include "capture/perflib/replay.h"
#include "unit.h"

static const struct {
	int line;
	const char *words;
	const char *identifiers; /* "SET counter/instance/name; " each, or the error */
} rows[] = {
	{ ROW, "Linux Disk", "Linux Disk any/any/*; " },
	{ ROW, "linux DISK", "Linux Disk any/any/*; " },
	{ ROW, "\\Linux Disk", "Linux Disk any/any/*; " },
	{ ROW, "Linux Memory", "Linux Memory any/any/; " },
	{ ROW, "{936B0571-1851-4cc5-bf2a-d417eee02abb}", "Linux Memory any/any/; " },
	{ ROW, "Linux Disk(vd*)", "Linux Disk any/any/vd*; " },
	{ ROW, "Linux Process(#42)", "Linux Process any/42/*; " },
	{ ROW, "Linux Process(work) (er S)", "Linux Process any/any/work) (er S; " },
	{ ROW, "Linux Process(a\\b)", "Linux Process any/any/a\\b; " },
	{ ROW, "Linux Process(perf*)\\Threads", "Linux Process 9/any/perf*; " },
	{ ROW, "Linux Process\\#9", "Linux Process 9/any/*; " },
	{ ROW, "Linux System\\context*", "Linux System 1/any/; " },
	/* With the base. */
	{ ROW, "Linux Disk\\Avg. Disk sec/Read",
	  "Linux Disk 5/any/*; Linux Disk 6/any/*; " },
	/* With time and frequency. */
	{ ROW, "Linux System\\System Up Time",
	  "Linux System 7/any/; Linux System 8/any/; Linux System 9/any/; " },
	/* Of a pattern of sets, those that can. */
	{ ROW, "*\\% Processor Time",
	  "Linux Processor 1/any/*; Linux Process 1/any/*; " },
	{ ROW, "Linux Proc*(_Total)",
	  "Linux Processor any/any/_Total; Linux Process any/any/_Total; " },
	{ ROW, "*(_Total)\\% Disk*",
	  "Linux Disk 12/any/_Total; Linux Disk 13/any/_Total; " },
	/* What is wrong. */
	{ ROW, "Linux Dsik", "no counterset 'Linux Dsik'; did you mean 'Linux Disk'?" },
	{ ROW, "Prozessor",
	  "no counterset 'Prozessor' (see perftab-capture list countersets)" },
	{ ROW, "Linux Memory(*)", "'Linux Memory' has no instances" },
	{ ROW, "Linux Disk\\% Disk Tim",
	  "'Linux Disk' has no counter '% Disk Tim'; did you mean '% Disk Time'?" },
	{ ROW, "Linux Disk\\#99", "'Linux Disk' has no counter '#99'" },
	{ ROW, "Linux Disk(vda", "'Linux Disk(vda': missing ')' after the instances" },
	{ ROW, "", "invalid '': expected COUNTERSET[(INSTANCES)][\\COUNTERS]" },
	{ ROW, "Linux Disk()",
	  "invalid 'Linux Disk()': expected COUNTERSET[(INSTANCES)][\\COUNTERS]" },
	{ ROW, "Linux Disk\\",
	  "invalid 'Linux Disk\\': expected COUNTERSET[(INSTANCES)][\\COUNTERS]" },
	{ ROW, "*\\nothing at all",
	  "no counterset '*' (see perftab-capture list countersets)" },
	{ ROW, "\x1b[2J",
	  "no counterset '\\x1b[2J' (see perftab-capture list countersets)" },
	/* Not a GUID, for all its braces. */
	{ ROW, "{936b0571-1851-4cc5-bf2a-d417eee02abg}",
	  "no counterset '{936b0571-1851-4cc5-bf2a-d417eee02abg}' (see perftab-capture list countersets)" },
};

static void put_number(char *to, size_t size, uint32_t number)
{
	if (number == SOURCE_ANY)
		snprintf(to, size, "any");
	else
		snprintf(to, size, "%u", number);
}

static void describe(const struct selection *selection, char *to, size_t size)
{
	struct arena arena = { NULL };
	size_t used = 0;

	to[0] = '\0';
	for (size_t at = 0; at < selection->size;) {
		const uint8_t *identifier = selection->identifiers + at;
		uint32_t length = le_u32(identifier + 20);
		char guid[TEXT_GUID_BYTES], counter[16], instance[16];
		struct str name = names_utf8(&arena, identifier + 40, length - 40);

		assert_int_equal(length % 8, 0);
		put_number(counter, sizeof(counter), le_u32(identifier + 24));
		put_number(instance, sizeof(instance), le_u32(identifier + 28));
		used += (size_t)snprintf(
			to + used, size - used, "%s %s/%s/%s; ",
			counterset_name(countersets_by_guid(selection->all, identifier),
					guid),
			counter, instance, name.ptr);
		at += length;
	}
	arena_release(&arena);
}

UNIT_TEST(rows)
{
	struct error error = { .status = ST_OK };
	struct countersets all;
	struct source source;
	struct query_retry retry = { .source = &source };

	assert_int_equal(replay_open(&source, SAMPLES_DIRECTORY "/perflib/good-proc.plb",
				     &error),
			 ST_OK);
	assert_int_equal(countersets_open(&all, &retry, &error), ST_OK);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct selection selection;
		char text[1024];

		error = (struct error){ .status = ST_OK };
		selection_init(&selection, &all);
		if (selection_add(&selection, rows[i].words, &error) == ST_OK)
			describe(&selection, text, sizeof(text));
		else
			snprintf(text, sizeof(text), "%s", error.text);
		ROW_TEXT(&rows[i], text, rows[i].identifiers);
		selection_release(&selection);
	}
	countersets_release(&all);
	query_retry_release(&retry);
	source.ops->release(source.state);
}

/* A bundle of a later version is not replayed. */
UNIT_TEST(later_version)
{
	const char *path = unit_path("later.plb");
	struct error error = { .status = ST_OK };
	struct source source;
	char message[5000];
	size_t size;
	char *bytes = unit_read_file(SAMPLES_DIRECTORY "/perflib/good-proc.plb", &size);

	bytes[8] = 2;
	unit_write_file(path, bytes, size);
	assert_int_equal(replay_open(&source, path, &error), ST_UNSUPPORTED);
	snprintf(message, sizeof(message),
		 "%s is a PerfLib bundle of version 2, expected 1", path);
	assert_string_equal(error.text, message);
	source.ops->release(source.state);
}

/* One counter, again and again. */
UNIT_TEST(too_many)
{
	struct error error = { .status = ST_OK };
	struct countersets all;
	struct selection selection;
	struct source source;
	struct query_retry retry = { .source = &source };

	assert_int_equal(replay_open(&source, SAMPLES_DIRECTORY "/perflib/good-proc.plb",
				     &error),
			 ST_OK);
	assert_int_equal(countersets_open(&all, &retry, &error), ST_OK);
	selection_init(&selection, &all);
	for (size_t i = 0; i < SELECTION_IDENTIFIERS_MAX; i++)
		assert_int_equal(selection_add(&selection, "Linux System", &error),
				 ST_OK);
	assert_int_equal(selection_add(&selection, "Linux System", &error), ST_LIMIT);
	assert_string_equal(error.text,
			    "too many counters: expected at most 65536 identifiers");
	selection_release(&selection);
	countersets_release(&all);
	query_retry_release(&retry);
	source.ops->release(source.state);
}

/* A name of a kilometre is refused, not cut. */
UNIT_TEST(long_name)
{
	static char words[3000] = "Linux Disk(";
	struct error error = { .status = ST_OK };
	struct countersets all;
	struct selection selection;
	struct source source;
	struct query_retry retry = { .source = &source };

	memset(words + 11, 'x', 2000);
	words[2011] = ')';
	assert_int_equal(replay_open(&source, SAMPLES_DIRECTORY "/perflib/good-proc.plb",
				     &error),
			 ST_OK);
	assert_int_equal(countersets_open(&all, &retry, &error), ST_OK);
	selection_init(&selection, &all);
	assert_int_equal(selection_add(&selection, words, &error), ST_LIMIT);
	assert_string_equal(error.text,
			    "name too long: 2000 characters, expected at most 1023");
	selection_release(&selection);
	countersets_release(&all);
	query_retry_release(&retry);
	source.ops->release(source.state);
}
