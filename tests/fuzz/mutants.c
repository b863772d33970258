/*
 * mutants.c - runs mutants of files through a fuzz target, the same ones every time.
 *
 *   mutants COUNT FILE|DIRECTORY...   COUNT of each file
 *
 * For compilers without libFuzzer.  A mutant is made of the one before it; after eight of
 * them it begins with the file again.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness.h"
#include "mutant.h"

#define GENERATIONS 8
#define GROWTH_BYTES 8192

static size_t ran;

/* Of its exact size, so that a sanitizer sees the first byte too many. */
static void run(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, bytes, size);
	(void)LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	ran++;
}

static int run_file(const char *path, unsigned int count)
{
	size_t size, room, have = 0;
	uint8_t *bytes = harness_load(path, &size), *mutant;

	if (!bytes)
		return 0;
	room = size + GROWTH_BYTES;
	mutant = malloc(room);
	if (!mutant)
		abort();
	for (unsigned int i = 0; i < count; i++) {
		/* Printed before: when it fails, this is the last line. */
		fprintf(stderr, "\r%s %u ", path, i);
		if (i % GENERATIONS == 0) {
			memcpy(mutant, bytes, size);
			have = size;
		}
		have = LLVMFuzzerCustomMutator(mutant, have, room, i);
		run(mutant, have);
	}
	fprintf(stderr, "\n");
	free(mutant);
	free(bytes);
	return 1;
}

static int run_directory(const char *path, unsigned int count)
{
	struct dirent **entries;
	int found = scandir(path, &entries, NULL, alphasort), good = found >= 0;

	if (!good)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	for (int i = 0; i < found; i++) {
		char name[4096];

		if (entries[i]->d_name[0] != '.') {
			snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
			good &= run_file(name, count);
		}
		free(entries[i]);
	}
	if (found >= 0)
		free(entries);
	return good;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	int good = 1;

	if (count == 0 || count > UINT32_MAX) {
		fprintf(stderr, "usage: %s COUNT FILE|DIRECTORY...\n", argv[0]);
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		struct stat info;

		if (stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode))
			good &= run_directory(argv[i], (unsigned int)count);
		else
			good &= run_file(argv[i], (unsigned int)count);
	}
	fprintf(stderr, "%zu mutants\n", ran);
	return good && ran ? 0 : 1;
}
