/*
 * make_plb - PerfLib bundles and blocks with one thing wrong in each, and what a reader
 * must say and keep.
 *
 *   make_plb --list        the cases
 *   make_plb DIR [CASE]    writes DIR/CASE.plb (.blob: a bare block), CASE.findings,
 * CASE.values
 *
 * The faults are in the second of three snapshots, unless they must be in all.
 */
#include <string.h>

#include "perflib/build.h"

/*
 * The offsets are those of the document's structures; rules without numbers are in code.
 */
/* clang-format off */
static const struct fault faults[] = {
	{ .name = "good" },
	{ .name = "good-bare" },
	{ .name = "good-two-counters" },
	{ .name = "good-name-1023" },
	{ .name = "good-same-name" },
	{ .name = "good-churn" },
	{ .name = "bad-v1" },
	{ "bad-v2-small", PLACE_ANSWER, 0, 4, 40, "perflib_v2", 0, false },
	{ .name = "bad-v2-large" },
	{ .name = "bad-v2-tail" },
	{ .name = "bad-v2-call" },
	{ .name = "bad-v3-total" },
	{ "bad-v4", PLACE_ANSWER, 0, 4, 0x80000000, "perflib_v4", 0, false },
	{ "bad-v5-freq", PLACE_HEADER, 24, 8, 0, "perflib_v5", 24, false },
	{ "bad-v5-freq", PLACE_HEADER, 0, 0, 0, "perflib_v26", 24, false },
	{ "bad-v5-date", PLACE_HEADER, 34, 2, 13, "perflib_v5", 32, false },
	{ "bad-v5-apart", PLACE_HEADER, 34, 2, 10, "perflib_v5", 32, false },
	{ .name = "bad-v6-few" },
	{ "bad-v6-many", PLACE_ANSWER, 4, 4, 6, "perflib_v6", 4, false },
	{ "bad-v6-billions", PLACE_ANSWER, 4, 4, 0xffffffff, "perflib_v6", 4, false },
	{ .name = "bad-v7-count" },
	{ "bad-v7-index", PLACE_IDENTIFIERS, 32, 4, 5, "perflib_v7", 72, false },
	{ "bad-v7-size", PLACE_IDENTIFIERS, 60, 4, 39, "perflib_v7", 40, false },
	{ .name = "bad-v7-none" },
	{ "bad-v8-zero", PLACE_LAST_BLOCK, 8, 4, 0, "perflib_v8", 0, false },
	{ "bad-v8-fifteen", PLACE_LAST_BLOCK, 8, 4, 15, "perflib_v8", 0, false },
	{ "bad-v8-billions", PLACE_LAST_BLOCK, 8, 4, 0xffffffff, "perflib_v8", 0, false },
	{ "bad-v9", PLACE_ERROR, 0, 0, 0, "perflib_v9", 0, false },
	{ "bad-v10-three", PLACE_ERROR, 0, 0, 0, "perflib_v10", 4, false },
	{ "bad-v10-seven", PLACE_ERROR, 0, 0, 0, "perflib_v10", 4, false },
	{ "bad-v11-behind", PLACE_ERROR, 0, 0, 0, "perflib_v11", 0, false },
	{ "bad-v11-no-error", PLACE_ERROR, 0, 0, 0, "perflib_v11", 0, false },
	{ "bad-v12", PLACE_SINGLE, 0, 0, 0, "perflib_v12", 4, false },
	{ "bad-v13-small", PLACE_LIST, 0, 4, 4, "perflib_v13", 0, true },
	{ "bad-v13-billions", PLACE_LIST, 0, 4, 0xffffffff, "perflib_v13", 0, true },
	{ "bad-v13-count", PLACE_LIST, 4, 4, 0xffffffff, "perflib_v13", 0, true },
	{ "bad-v13-unaligned", PLACE_LIST, 0, 0, 0, "perflib_v13", 0, false },
	{ "bad-v14", PLACE_LIST, 0, 0, 0, "perflib_v14", 20, false },
	{ .name = "bad-v15-unknown" },
	{ .name = "bad-v15-twice" },
	{ "bad-v16-small", PLACE_INSTANCES, 0, 4, 4, "perflib_v16", 0, false },
	{ "bad-v16-billions", PLACE_INSTANCES, 0, 4, 0xffffffff, "perflib_v16", 0, false },
	{ "bad-v17", PLACE_INSTANCES, 4, 4, 4000000000, "perflib_v17", 4, false },
	{ "bad-v18-zero", PLACE_INSTANCE, 0, 4, 0, "perflib_v18", 0, false },
	{ "bad-v18-nine", PLACE_INSTANCE, 0, 4, 9, "perflib_v18", 0, false },
	{ "bad-v18-billions", PLACE_INSTANCE, 0, 4, 0xffffffff, "perflib_v18", 0, false },
	{ "bad-v19-empty", PLACE_INSTANCE, 0, 0, 0, "perflib_v19", 8, false },
	{ "bad-v19-no-end", PLACE_INSTANCE, 8, 8, 0x0079007900790079, "perflib_v19", 8, false },
	{ "bad-v19-surrogate", PLACE_INSTANCE, 8, 2, 0xdc00, "perflib_v19", 8, false },
	{ "bad-v19-long", PLACE_INSTANCE, 0, 0, 0, "perflib_v19", 8, false },
	{ "bad-v20", PLACE_INSTANCE_2, 0, 0, 0, "perflib_v20", 0, false },
	{ "bad-v21-list", PLACE_LIST, 20, 4, 1, "perflib_v21", 20, false },
	{ .name = "bad-v21-name" },
	{ "bad-v21-value", PLACE_VALUES, 29, 1, 0x55, "perflib_v21", 28, false },
	{ "bad-v22-zero", PLACE_VALUES, 4, 4, 0, "perflib_v22", 0, false },
	{ "bad-v22-seven", PLACE_VALUES, 4, 4, 7, "perflib_v22", 0, false },
	{ "bad-v22-billions", PLACE_VALUES, 4, 4, 0xffffffff, "perflib_v22", 0, false },
	{ "bad-v22-data", PLACE_VALUE_SIZED, 0, 4, 9, "perflib_v22", 0, false },
	{ "bad-v23-sixteen", PLACE_VALUE, 0, 0, 0, "perflib_v23", 0, false },
	{ "bad-v23-none", PLACE_VALUE, 0, 0, 0, "perflib_v23", 0, false },
	{ "bad-v24", PLACE_VALUE, 0, 0, 0, "perflib_v24", 0, false },
	{ .name = "bad-v25-instances" },
	{ .name = "bad-v25-block" },
	{ .name = "bad-v25-churn" },
	{ .name = "bad-v25-single" },
	{ "bad-v26-time", PLACE_HEADER, 8, 8, 101ull * TICKS, "perflib_v26", 8, false },
	{ "bad-v26-wall", PLACE_HEADER, 16, 8, 134397325643644257 - TICKS, "perflib_v26", 16, false },
	{ "bad-v26-freq", PLACE_HEADER, 24, 8, 2 * TICKS, "perflib_v26", 24, false },
	{ .name = "bad-v26-list" },
	{ .name = "bad-v27-short" },
	{ "bad-v27-count", PLACE_STRUCTURE, 24, 4, 5, "perflib_v27", 24, false },
	{ "bad-v27-billions", PLACE_STRUCTURE, 24, 4, 4000000000, "perflib_v27", 24, false },
	{ .name = "bad-v27-tail" },
	{ "bad-v27-twice", PLACE_STRUCTURE, 152, 4, NONE, NULL, 0, false },
	{ "bad-v27-twice", PLACE_STRUCTURE, 176, 4, 3, "perflib_v27", 176, false },
	{ "bad-v27-missing", PLACE_STRUCTURE, 152, 4, 99, "perflib_v27_partner", 128, false },
	{ "bad-v27-itself", PLACE_STRUCTURE, 60, 4, 1, "perflib_v27_partner", 32, false },
	{ "bad-v27-no-base", PLACE_STRUCTURE, 152, 4, 1, "perflib_v27_partner", 128, false },
	{ "bad-v27-cycle", PLACE_STRUCTURE, 60, 4, 2, NULL, 0, false },
	{ "bad-v27-cycle", PLACE_STRUCTURE, 108, 4, 1, "perflib_v27_partner", 32, false },
	{ .name = "bad-v28-short" },
	{ .name = "bad-v28-size" },
	{ "bad-v28-count", PLACE_NAMES, 4, 4, 0xffffffff, "perflib_v28", 4, false },
	{ "bad-v28-odd", PLACE_NAMES, 12, 4, 49, "perflib_v28", 12, false },
	{ "bad-v28-low", PLACE_NAMES, 12, 4, 0, "perflib_v28", 12, false }, /* as [MS-PCQ] has it */
	{ .name = "bad-v28-high" },
	{ .name = "bad-v28-no-end" },
	{ "bad-v29", PLACE_VALUES, 20, 4, 0xfffffff8, "perflib_v22", 16, false },
	{ "bad-v29", PLACE_VALUES, 0, 0, 0, "perflib_v29", 0, false },
};
/* clang-format on */

static struct {
	const char *kind;
	unsigned int count;
	size_t first;
} expected[8];
static size_t expected_count;

void expect(struct build *build, const char *kind, unsigned int count, size_t offset)
{
	size_t i = 0;

	(void)build;
	while (i < expected_count && strcmp(expected[i].kind, kind) != 0)
		i++;
	if (i == COUNT(expected))
		die("too many findings");
	if (i == expected_count) {
		expected[expected_count].kind = kind;
		expected[expected_count].count = 0;
		expected[expected_count++].first = offset;
	}
	expected[i].count += count;
	if (offset < expected[i].first)
		expected[i].first = offset;
}

void expect_found(struct build *build, size_t from)
{
	for (size_t i = 0; i < build->fault.finding_count; i++)
		expect(build, build->fault.findings[i].kind, 1,
		       from + build->fault.findings[i].at);
	build->fault.finding_count = 0;
}

static void list_findings(struct build *build)
{
	for (size_t i = 0; i < expected_count; i++)
		buf_text(&build->findings, "%s|%u|%zu\n", expected[i].kind,
			 expected[i].count, expected[i].first);
	expected_count = 0;
}

static void make(const char *directory, const char *name)
{
	struct build build = { .fault = { faults, COUNT(faults), .name = name } };
	unsigned int *snapshot = &build.snapshot;

	build.is_bare = strcmp(name, "good-bare") == 0 || strncmp(name, "bad-v6", 6) == 0;
	begin_file(&build);
	if (!build.is_bare)
		put_known(&build);
	for (*snapshot = 1; *snapshot <= (build.is_bare ? 1 : 3); ++*snapshot) {
		build.fault.is_now = build.is_bare || *snapshot == 2;
		put_answer(&build);
	}
	if (!build.is_bare)
		end_file(&build);
	list_findings(&build);
	case_save(directory, name, build.is_bare ? "blob" : "plb", &build.out);
	case_save(directory, name, "findings", &build.findings);
	case_save(directory, name, "values", &build.values);
}

int main(int argc, char **argv)
{
	return make_cases(faults, COUNT(faults),
			  "usage: make_plb --list\n       make_plb DIR [CASE]\n", make,
			  argc, argv);
}
