/* load.c - harness_load(): a file in memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static uint8_t *failed(const char *path, FILE *file, uint8_t *bytes)
{
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	if (file)
		fclose(file);
	free(bytes);
	return NULL;
}

uint8_t *harness_load(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;
	long end;

	if (!file || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0)
		return failed(path, file, NULL);
	rewind(file);
	/*
	 * Exactly as large as the file, so that a sanitizer sees the first byte too many.
	 */
	bytes = malloc(end ? (size_t)end : 1);
	if (!bytes || fread(bytes, 1, (size_t)end, file) != (size_t)end)
		return failed(path, file, bytes);
	fclose(file);
	*size = (size_t)end;
	return bytes;
}
