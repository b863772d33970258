/*
 * make_plb.c - PerfLib bundles and blocks with one thing wrong in each, and what a reader
 * must say and keep.
 *
 *   make_plb --list        the cases
 *   make_plb DIR [CASE]    writes DIR/CASE.plb (.blob: a bare block), CASE.findings,
 * CASE.values
 *
 * Knows nothing of lib/: what it writes comes from the documents.  The second of three
 * snapshots is the one that something is wrong with, unless all of them must be.
 */
#include <stdio.h>
#include <string.h>

#include "plb_build.h"

static const char *const cases[] = {
	"good",
	"good-bare",
	"good-two-counters",
	"good-name-1023",
	"good-same-name",
	"good-churn",
	"bad-v1",
	"bad-v2-small",
	"bad-v2-large",
	"bad-v2-tail",
	"bad-v2-call",
	"bad-v3-total",
	"bad-v4",
	"bad-v5-freq",
	"bad-v5-date",
	"bad-v5-apart",
	"bad-v6-few",
	"bad-v6-many",
	"bad-v6-billions",
	"bad-v7-count",
	"bad-v7-index",
	"bad-v7-size",
	"bad-v7-none",
	"bad-v8-zero",
	"bad-v8-fifteen",
	"bad-v8-billions",
	"bad-v9",
	"bad-v10-three",
	"bad-v10-seven",
	"bad-v11-behind",
	"bad-v11-no-error",
	"bad-v12",
	"bad-v13-small",
	"bad-v13-billions",
	"bad-v13-count",
	"bad-v13-unaligned",
	"bad-v14",
	"bad-v15-unknown",
	"bad-v15-twice",
	"bad-v16-small",
	"bad-v16-billions",
	"bad-v17",
	"bad-v18-zero",
	"bad-v18-nine",
	"bad-v18-billions",
	"bad-v19-empty",
	"bad-v19-no-end",
	"bad-v19-surrogate",
	"bad-v19-long",
	"bad-v20",
	"bad-v21-list",
	"bad-v21-name",
	"bad-v21-value",
	"bad-v22-zero",
	"bad-v22-seven",
	"bad-v22-billions",
	"bad-v22-data",
	"bad-v23-sixteen",
	"bad-v23-none",
	"bad-v24",
	"bad-v25-instances",
	"bad-v25-block",
	"bad-v25-single",
	"bad-v26-time",
	"bad-v26-wall",
	"bad-v26-freq",
	"bad-v26-list",
	"bad-v27-short",
	"bad-v27-count",
	"bad-v27-billions",
	"bad-v27-tail",
	"bad-v27-twice",
	"bad-v27-missing",
	"bad-v27-itself",
	"bad-v27-no-base",
	"bad-v27-cycle",
	"bad-v28-short",
	"bad-v28-size",
	"bad-v28-count",
	"bad-v28-odd",
	"bad-v28-low",
	"bad-v28-high",
	"bad-v28-no-end",
	"bad-v29",
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

bool is_case(const struct build *build, const char *name)
{
	return strcmp(build->wrong, name) == 0;
}

bool is_now(const struct build *build, const char *name)
{
	return is_case(build, name) && (build->is_bare || build->snapshot == 2);
}

/* --- what must be said --- */

static struct {
	const char *kind;
	unsigned int count;
	size_t first;
} told[8];
static size_t told_count;

void expect(struct build *build, const char *kind, unsigned int count, size_t offset)
{
	size_t i = 0;

	(void)build;
	while (i < told_count && strcmp(told[i].kind, kind) != 0)
		i++;
	if (i == 8)
		die("too many findings");
	if (i == told_count) {
		told[told_count].kind = kind;
		told[told_count].count = 0;
		told[told_count++].first = offset;
	}
	told[i].count += count;
	if (offset < told[i].first)
		told[i].first = offset;
}

static void list_findings(struct build *build)
{
	for (size_t i = 0; i < told_count; i++)
		buf_text(&build->truth.findings, "%s|%u|%zu\n", told[i].kind,
			 told[i].count, told[i].first);
	told_count = 0;
}

/* --- files --- */

static void save(const char *dir, const char *name, const char *extension,
		 const struct byte_buf *bytes)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.%s", dir, name, extension);
	file = fopen(path, "wb");
	if (!file || (bytes->size && fwrite(bytes->data, bytes->size, 1, file) != 1) ||
	    fclose(file) != 0)
		die("cannot write %s", path);
}

static void put_end(struct build *build)
{
	struct byte_buf p = { 0 };

	buf_u32(&p, build->records);
	buf_u32(&p, 0);
	put_record(build, 7, &p);
	buf_release(&p);
}

static void make(const char *dir, const char *name)
{
	struct build build = { .wrong = name };

	build.is_bare = strcmp(name, "good-bare") == 0 || strncmp(name, "bad-v6", 6) == 0;
	begin_file(&build);
	if (!build.is_bare)
		put_known(&build);
	for (build.snapshot = 1; build.snapshot <= (build.is_bare ? 1 : 3);
	     build.snapshot++)
		put_answer(&build);
	if (!build.is_bare)
		put_end(&build);
	list_findings(&build);
	save(dir, name, build.is_bare ? "blob" : "plb", &build.out);
	save(dir, name, "findings", &build.truth.findings);
	save(dir, name, "values", &build.truth.values);
	buf_release(&build.out);
	buf_release(&build.truth.findings);
	buf_release(&build.truth.values);
}

int main(int argc, char **argv)
{
	bool made = false;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (size_t i = 0; i < CASES; i++)
			puts(cases[i]);
		return 0;
	}
	if (argc != 2 && argc != 3) {
		fputs("usage: make_plb --list\n       make_plb DIR [CASE]\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < CASES; i++)
		if (argc == 2 || strcmp(argv[2], cases[i]) == 0) {
			make(argv[1], cases[i]);
			made = true;
		}
	if (!made)
		die("there is no case %s", argv[2]);
	return 0;
}
