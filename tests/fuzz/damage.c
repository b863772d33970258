/*
 * damage.c - systematic damage: one file cut, flipped and mis-sized, in process.
 *
 *   damage truncate FILE [STEP]   every length from 0 (STEP: every so many bytes)
 *   damage flip FILE [STEP]       every single bit (STEP: of every so many bytes)
 *   damage sizes FILE             0, 1, 7 and 65535 as the size of each record
 * (perf.data) damage words FILE [STEP]      0, 1, 7 and the largest in place of every
 * word (STEP: of every so many words), u16 and u32
 *
 * What counts is that every run ends and a sanitizer has nothing to say.  One line counts
 * the runs and their outcomes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "harness.h"

/* damage_perflib.c has its own. */
#ifndef DAMAGE_RUN
#define DAMAGE_RUN(bytes, size) harness_run_as(bytes, size, trace_formats)
#endif

/* Header of a perf.data file: the data section's {offset, size}. */
#define DATA_OFFSET_AT 40
#define DATA_SIZE_AT 48
#define RECORD_SIZE_AT 6 /* u16 in the record's header of 8 bytes */

/* Cut at every byte up to this size; larger files need a STEP. */
#define EVERY_BYTE_MAX ((size_t)64 * 1024)

struct tally {
	size_t runs;
	size_t outcomes[OUTCOMES];
};

static void run(struct tally *tally, const uint8_t *bytes, size_t size)
{
	tally->outcomes[DAMAGE_RUN(bytes, size)]++;
	tally->runs++;
}

static void run_truncated(struct tally *tally, const uint8_t *bytes, size_t size,
			  size_t step)
{
	for (size_t length = 0; length < size; length += step) {
		/* A copy of just that size: reading on is seen by a sanitizer. */
		uint8_t *cut = malloc(length ? length : 1);

		if (!cut)
			abort();
		memcpy(cut, bytes, length);
		run(tally, cut, length);
		free(cut);
	}
}

static void run_flipped(struct tally *tally, uint8_t *bytes, size_t size, size_t step)
{
	for (size_t at = 0; at < size; at += step) {
		for (int bit = 0; bit < 8; bit++) {
			bytes[at] ^= (uint8_t)(1 << bit);
			run(tally, bytes, size);
			bytes[at] ^= (uint8_t)(1 << bit);
		}
	}
}

static uint64_t load(const uint8_t *at, size_t bytes)
{
	uint64_t value = 0;

	while (bytes-- > 0)
		value = value << 8 | at[bytes];
	return value;
}

/* Walks the records of an intact little-endian file. */
static void run_sizes(struct tally *tally, uint8_t *bytes, size_t size)
{
	static const uint16_t wrong[] = { 0, 1, 7, 65535 };
	uint64_t at, end;

	if (size < DATA_SIZE_AT + 8)
		return;
	at = load(bytes + DATA_OFFSET_AT, 8);
	end = at + load(bytes + DATA_SIZE_AT, 8);
	while (end <= size && at < end && end - at >= 8) {
		uint8_t *field = bytes + at + RECORD_SIZE_AT;
		uint16_t right = (uint16_t)load(field, 2);

		for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			field[0] = (uint8_t)wrong[i];
			field[1] = (uint8_t)(wrong[i] >> 8);
			run(tally, bytes, size);
		}
		field[0] = (uint8_t)right;
		field[1] = (uint8_t)(right >> 8);
		if (right < 8)
			return;
		at += right;
	}
}

/* For formats whose sizes may stand anywhere: every word, as if it were one. */
static void run_words(struct tally *tally, uint8_t *bytes, size_t size, size_t step)
{
	static const uint32_t wrong[] = { 0, 1, 7, UINT32_MAX / 2, UINT32_MAX };

	for (size_t at = 0; at + 4 <= size; at += 4 * step)
		for (size_t width = 2; width <= 4; width += 2) {
			uint8_t right[4];

			memcpy(right, bytes + at, 4);
			for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
				memcpy(bytes + at, &wrong[i], width);
				run(tally, bytes, size);
				/* The upper half, which a u32 alone does not reach. */
				memcpy(bytes + at, right, 4);
				if (width == 2) {
					memcpy(bytes + at + 2, &wrong[i], width);
					run(tally, bytes, size);
					memcpy(bytes + at, right, 4);
				}
			}
		}
}

static int wrong_usage(const char *program)
{
	fprintf(stderr,
		"usage: %s truncate FILE [STEP]\n"
		"       %s flip FILE [STEP]\n"
		"       %s sizes FILE\n"
		"       %s words FILE [STEP]\n",
		program, program, program, program);
	return 2;
}

int main(int argc, char **argv)
{
	size_t step = argc == 4 ? strtoul(argv[3], NULL, 10) : 1;
	struct tally tally = { 0 };
	uint8_t *bytes;
	size_t size;

	if (argc < 3 || argc > 4 || step == 0)
		return wrong_usage(argv[0]);
	bytes = harness_load(argv[2], &size);
	if (!bytes)
		return 1;
	if (strcmp(argv[1], "truncate") == 0)
		run_truncated(&tally, bytes, size,
			      step == 1 && size > EVERY_BYTE_MAX
				      ? size / EVERY_BYTE_MAX + 1
				      : step);
	else if (strcmp(argv[1], "flip") == 0)
		run_flipped(&tally, bytes, size, step);
	else if (strcmp(argv[1], "sizes") == 0)
		run_sizes(&tally, bytes, size);
	else if (strcmp(argv[1], "words") == 0)
		run_words(&tally, bytes, size, step);
	free(bytes);
	if (tally.runs == 0)
		return wrong_usage(argv[0]);
	printf("%s %s: %zu runs: %zu ok, %zu refused, %zu damaged\n", argv[1], argv[2],
	       tally.runs, tally.outcomes[OUTCOME_OK], tally.outcomes[OUTCOME_REFUSED],
	       tally.outcomes[OUTCOME_DAMAGED]);
	return 0;
}
