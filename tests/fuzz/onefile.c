/*
 * onefile.c - runs files, and every file of directories, through a fuzz target once.
 *
 * For compilers without libFuzzer: corpora and crashes are replayed by ordinary ctest.
 * With --keep FOLDER the target's answers are kept there, for tests/answers.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "answer.h"
#include "harness.h"

static const char *kept_folder;

/* The input's own name, in the folder; NULL: nothing is kept. */
static const char *kept_path(const char *path)
{
	static char kept[4096];
	const char *slash = strrchr(path, '/');

	if (!kept_folder)
		return NULL;
	snprintf(kept, sizeof(kept), "%s/%s", kept_folder, slash ? slash + 1 : path);
	return kept;
}

static int run_file(const char *path)
{
	size_t size;
	uint8_t *bytes = harness_load(path, &size);

	if (!bytes)
		return 0;
	/* Printed before: when it crashes, this is the last line. */
	printf("%s (%zu bytes)\n", path, size);
	fflush(stdout);
	answer_path = kept_path(path);
	(void)LLVMFuzzerTestOneInput(bytes, size);
	free(bytes);
	return 1;
}

/* The regular files in it, not those of directories below; -1 on failure. */
static int run_directory(const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);
	int ran = 0;

	if (count < 0)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		char name[4096];
		struct stat info;
		int length =
			snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);

		if (ran >= 0 && length > 0 && length < (int)sizeof(name) &&
		    stat(name, &info) == 0 && S_ISREG(info.st_mode))
			ran = run_file(name) ? ran + 1 : -1;
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return count < 0 ? -1 : ran;
}

int main(int argc, char **argv)
{
	int total = 0, first = 1;

	if (argc > 2 && strcmp(argv[1], "--keep") == 0) {
		kept_folder = argv[2];
		first = 3;
	}
	if (argc <= first) {
		fprintf(stderr, "usage: %s [--keep FOLDER] FILE|DIRECTORY...\n", argv[0]);
		return 2;
	}
	for (int i = first; i < argc; i++) {
		struct stat info;
		int ran;

		if (stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode))
			ran = run_directory(argv[i]);
		else
			ran = run_file(argv[i]) ? 1 : -1;
		if (ran <= 0) { /* an empty corpus is a mistake, not a success */
			fprintf(stderr, "%s: nothing was run\n", argv[i]);
			return 1;
		}
		total += ran;
	}
	printf("%d inputs\n", total);
	return 0;
}
