/*
 * repeat_trace IN OUT TIMES PER - writes a perf.data file with its records TIMES times,
 * each time PER nanoseconds later than before, so that a long trace need not be
 * recorded.
 *
 * For files of bench/record: every record has its time in the same place, counted from
 * the beginning in samples and from the end in others.  Counters begin anew each time,
 * which leaves one interval of each CPU unattributed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	HEADER_BYTES = 104,
	DATA_OFFSET = 40, /* fields of the header */
	DATA_SIZE = 48,
	FEATURES = 72, /* a bit for each section after the data */
	SAMPLE = 9,
	USER_RECORDS = 64, /* of perf itself: they have no time */
	SAMPLE_TIME = 32,
	TRAILER_TIME = 24, /* tid, time, cpu and identifier end other records */
};

static uint8_t *load(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long end;

	if (!file || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < HEADER_BYTES)
		return NULL;
	rewind(file);
	*size = (size_t)end;
	bytes = malloc(*size);
	if (bytes && fread(bytes, 1, *size, file) != *size)
		bytes = NULL;
	fclose(file);
	return bytes;
}

static uint64_t get(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void put(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* Moves the times of all records; false: they are not as expected. */
static int move(uint8_t *at, const uint8_t *end, uint64_t by)
{
	while (end - at >= 8) {
		uint32_t type;
		uint16_t size;
		uint8_t *time;

		memcpy(&type, at, sizeof(type));
		memcpy(&size, at + 6, sizeof(size));
		if (size < 8 || size > end - at || (type < USER_RECORDS && size < 40))
			return 0;
		time = type == SAMPLE ? at + SAMPLE_TIME : at + size - TRAILER_TIME;
		if (type < USER_RECORDS && get(time) != 0)
			put(time, get(time) + by);
		at += size;
	}
	return at == end;
}

/* The sections after the data move as it grows: the table after it has their places. */
static void move_sections(uint8_t *bytes, uint8_t *table, const uint8_t *end, uint64_t by)
{
	for (int i = 0; i < 256 && end - table >= 16; i++) {
		if (!(bytes[FEATURES + i / 8] >> i % 8 & 1))
			continue;
		put(table, get(table) + by);
		table += 16;
	}
}

int main(int argc, char **argv)
{
	uint64_t times = argc == 5 ? strtoull(argv[3], NULL, 10) : 0;
	uint64_t per = argc == 5 ? strtoull(argv[4], NULL, 10) : 0, data, length;
	size_t size = 0;
	uint8_t *bytes;
	FILE *out;

	if (times == 0) {
		fputs("usage: repeat_trace IN OUT TIMES PER\n", stderr);
		return 2;
	}
	bytes = load(argv[1], &size);
	out = fopen(argv[2], "wb");
	if (!bytes || !out) {
		perror(bytes ? argv[2] : argv[1]);
		return 1;
	}
	data = get(bytes + DATA_OFFSET);
	length = get(bytes + DATA_SIZE);
	if (data > size || length > size - data) {
		fprintf(stderr, "repeat_trace: %s: not a complete perf.data file\n",
			argv[1]);
		return 1;
	}
	put(bytes + DATA_SIZE, length * times);
	move_sections(bytes, bytes + data + length, bytes + size, length * (times - 1));
	fwrite(bytes, 1, data, out);
	for (uint64_t i = 0; i < times; i++) {
		fwrite(bytes + data, 1, length, out);
		if (!move(bytes + data, bytes + data + length, per)) {
			fprintf(stderr,
				"repeat_trace: %s: other records than bench/record's\n",
				argv[1]);
			return 1;
		}
	}
	fwrite(bytes + data + length, 1, size - data - length, out);
	return fclose(out) == 0 ? 0 : 1;
}
