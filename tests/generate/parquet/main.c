/*
 * main.c - prints Parquet files, read without lib/.
 *
 *   read_parquet [--keys|--names] FILE...
 *
 * --names: a line "# FILE" before what is in it.
 */
#include <stdlib.h>
#include <string.h>

#include "reader.h"

static uint8_t *read_whole(const char *path, size_t *size)
{
	FILE *from = fopen(path, "rb");
	size_t room = 1 << 16, got;
	uint8_t *data = malloc(room);

	for (*size = 0;
	     from && data && (got = fread(data + *size, 1, room - *size, from));) {
		*size += got;
		if (*size == room)
			data = realloc(data, room *= 2);
	}
	if (!from || !data) {
		fprintf(stderr, "read_parquet: cannot read %s\n", path);
		exit(1);
	}
	fclose(from);
	return data;
}

int main(int argc, char **argv)
{
	int keys = argc > 1 && strcmp(argv[1], "--keys") == 0;
	int names = argc > 1 && strcmp(argv[1], "--names") == 0;

	for (int i = 1 + keys + names; i < argc; i++) {
		size_t size;
		uint8_t *data = read_whole(argv[i], &size);
		const char *wrong;

		if (names)
			printf("# %s\n", argv[i]);
		wrong = keys ? parquet_print_keys(stdout, data, size)
			     : parquet_print(stdout, data, size);
		free(data);
		if (wrong) {
			fprintf(stderr, "read_parquet: %s: %s\n", argv[i], wrong);
			return 1;
		}
	}
	return 0;
}
