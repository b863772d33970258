/*
 * test_planned.c - lib/formats/perflib and lib/formats/winperf: of files in which one
 * thing is wrong, the findings that their generator planned, and all other values.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "pipeline/pipeline.h"
#include "unit.h"

#define KINDS_MAX 16
#define INSTANCES_MAX 128

struct kind {
	char name[40];
	long long count, first_offset;
};

/* What a case comes to. */
struct found {
	struct kind kinds[KINDS_MAX];
	size_t kind_count;
	struct instance {
		char name[4096]; /* 1023 characters and more */
		long long block, ordinal;
	} instances[INSTANCES_MAX];
	int64_t first_block; /* instances of it */
	char *values;
	size_t size;
	FILE *to;
};

static void add_kind(struct found *found, const char *name, long long count,
		     long long offset)
{
	struct kind *kind = found->kinds, *end = kind + found->kind_count;

	while (kind < end && strcmp(kind->name, name) != 0)
		kind++;
	if (kind == end) {
		assert_true(found->kind_count++ < KINDS_MAX);
		snprintf(kind->name, sizeof(kind->name), "%s", name);
		kind->first_offset = offset;
	}
	kind->count += count;
	if (offset < kind->first_offset)
		kind->first_offset = offset;
}

/* A number as SQLite prints it: NULL is nothing. */
static void put_number(FILE *to, int64_t value, char end)
{
	if (value != INT_NONE)
		fprintf(to, "%lld", (long long)value);
	fputc(end, to);
}

static void on_finding(struct found *found, const struct finding_row *row)
{
	char name[40];

	snprintf(name, sizeof(name), "%.*s", (int)row->kind.len, row->kind.ptr);
	add_kind(found, name, row->count, row->first_offset);
}

static void on_instance(struct found *found, const struct perflib_instance_row *row)
{
	struct instance *instance;

	assert_in_range(row->instance, 0, INSTANCES_MAX - 1);
	instance = &found->instances[row->instance];
	instance->block = row->block;
	instance->ordinal = row->ordinal;
	found->first_block += row->block == 0;
	snprintf(instance->name, sizeof(instance->name), "%.*s", (int)row->name.len,
		 row->name.ptr ? row->name.ptr : "");
}

static void on_value(struct found *found, const struct perflib_raw_row *row)
{
	const struct instance *instance = &found->instances[row->instance];

	fprintf(found->to, "%lld|%lld|%s|%lld|", (long long)row->snapshot,
		instance->block, instance->name, instance->ordinal);
	put_number(found->to, row->counter, '|');
	put_number(found->to, row->bytes, '|');
	put_number(found->to, row->value, '\n');
}

static enum status on_row(struct sink *sink, const struct record *record)
{
	struct found *found = sink->state;

	if (record->kind == RECORD_finding)
		on_finding(found, record->data);
	else if (record->kind == RECORD_perflib_instance)
		on_instance(found, record->data);
	else if (record->kind == RECORD_perflib_raw)
		on_value(found, record->data);
	return ST_OK;
}

static void read_trace(struct found *found, const char *path)
{
	static const struct sink_ops ops = { .name = "found", .put = on_row };
	static const struct pipeline_hooks no_hooks;
	const struct reader_options options = { .want_rows = true };
	struct sink sink = { .ops = &ops, .state = found };
	struct pipeline pipeline;
	struct reader reader;

	found->to = open_memstream(&found->values, &found->size);
	assert_int_equal(reader_open(&reader, path, &options, trace_formats), ST_OK);
	pipeline_init(&pipeline, &sink, 1);
	assert_int_equal(pipeline_run(&pipeline, &reader, &no_hooks), ST_OK);
	pipeline_release(&pipeline);
	reader_close(&reader);
	fclose(found->to);
}

static long long offset_of(const char *text)
{
	return text[0] ? atoll(text) : INT_NONE;
}

/* Lines "kind|count|offset", or "kind|offset" for each one. */
static void read_plan(struct found *plan, const char *path)
{
	char *rest = unit_read_file(path, NULL), *line;

	assert_non_null(rest);
	while ((line = strsep(&rest, "\n")) && line[0]) {
		char *name = strsep(&line, "|"), *first = strsep(&line, "|");

		assert_non_null(first);
		add_kind(plan, name, line ? atoll(first) : 1,
			 offset_of(line ? line : first));
	}
}

/* The first thing that differs, in words; "": nothing does. */
static const char *compare(const struct found *plan, const struct found *found,
			   const char *values)
{
	static char text[512];

	text[0] = '\0';
	for (size_t i = 0; i < found->kind_count && plan->kind_count != found->kind_count;
	     i++)
		snprintf(text, sizeof(text), "%zu kinds of findings, one of them %s",
			 found->kind_count, found->kinds[i].name);
	for (size_t i = 0; i < plan->kind_count; i++) {
		const struct kind *wanted = &plan->kinds[i], *got = found->kinds,
				  *end = got + found->kind_count;

		while (got < end && strcmp(got->name, wanted->name) != 0)
			got++;
		if (got == end || got->count != wanted->count ||
		    got->first_offset != wanted->first_offset)
			snprintf(text, sizeof(text),
				 "%lld %s at %lld, expected %lld at %lld",
				 got == end ? 0 : got->count, wanted->name,
				 got == end ? 0 : got->first_offset, wanted->count,
				 wanted->first_offset);
	}
	if (!text[0] && strcmp(found->values, values) != 0)
		snprintf(text, sizeof(text), "other values");
	return text;
}

static const char *below(const char *base, const char *ending)
{
	char *path = unit_alloc(strlen(base) + strlen(ending) + 1);

	strcpy(path, base);
	return strcat(path, ending);
}

static void check_case(const char *base)
{
	static const char *const endings[] = { ".plb", ".blob", ".v1", ".blg" };
	struct found *plan = unit_alloc(sizeof(*plan)),
		     *found = unit_alloc(sizeof(*found));
	const char *values = unit_read_file(below(base, ".values"), NULL), *wrong;
	size_t i = 0;

	assert_non_null(values);
	while (i < COUNT(endings) && !unit_exists(below(base, endings[i])))
		i++;
	assert_true(i < COUNT(endings));
	read_plan(plan, below(base, ".findings"));
	read_trace(found, below(base, endings[i]));
	wrong = compare(plan, found, values);
	if (wrong[0])
		fail_msg("%s: %s", strrchr(base, '/') + 1, wrong);
	free(found->values);
}

/* All that the generator makes. */
static void check_all(const char *generator, size_t least)
{
	const char *folder = unit_directory();
	char command[1024];
	glob_t cases;

	snprintf(command, sizeof(command), "'%s' '%s'", generator, folder);
	assert_int_equal(system(command), 0);
	assert_int_equal(glob(unit_below(folder, "*.findings"), 0, NULL, &cases), 0);
	assert_true(cases.gl_pathc >= least);
	for (size_t i = 0; i < cases.gl_pathc; i++) {
		*strrchr(cases.gl_pathv[i], '.') = '\0';
		check_case(cases.gl_pathv[i]);
	}
	globfree(&cases);
}

UNIT_TEST(bundles_of_perflib)
{
	check_all(MAKE_PLB, 60);
}

UNIT_TEST(blocks_and_logs)
{
	check_all(MAKE_WINPERF, 40);
}

/* One that was away is another when it is back, unless a block was damaged meanwhile. */
UNIT_TEST(incarnations)
{
	static const struct {
		int line;
		const char *generator, *name, *file;
		int64_t instances;
	} rows[] = {
		{ ROW, MAKE_PLB, "good-churn", "good-churn.plb", 3 },
		{ ROW, MAKE_PLB, "bad-v17", "bad-v17.plb", 2 },
		{ ROW, MAKE_PLB, "bad-v25-churn", "bad-v25-churn.plb", 2 },
		{ ROW, MAKE_WINPERF, "good", "good.v1", 4 },
		{ ROW, MAKE_WINPERF, "good-churn", "good-churn.v1", 5 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *folder = unit_directory();
		struct found *found = unit_alloc(sizeof(*found));
		char command[1024];

		snprintf(command, sizeof(command), "'%s' '%s' %s", rows[i].generator,
			 folder, rows[i].name);
		ROW_INT(&rows[i], system(command), 0);
		read_trace(found, unit_below(folder, rows[i].file));
		ROW_INT(&rows[i], found->first_block, rows[i].instances);
		free(found->values);
	}
}
