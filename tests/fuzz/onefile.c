/*
 * onefile.c - runs files, and every file of directories, through a fuzz target once.
 *
 * For compilers without libFuzzer: corpora and crashes are replayed by ordinary ctest.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness.h"

static int run_file(const char *path)
{
	size_t size;
	uint8_t *bytes = harness_load(path, &size);

	if (!bytes)
		return 0;
	/* Printed before: when it crashes, this is the last line. */
	printf("%s (%zu bytes)\n", path, size);
	fflush(stdout);
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
	int total = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE|DIRECTORY...\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
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
