/*
 * recovery.c - damaged copies of a good perf.data, and what is still read of them.
 *
 *   recovery FILE FLIPS
 *
 * Cut at every edge of a record, a byte before and after it, and at 200 other places:
 * every record that is whole must be read.  With one random bit flipped, FLIPS times
 * over: every record before the damaged one must be read, and 95 % of those after it.
 * With 50 bits flipped in the data at once: 90 % of the records that were not hit.  The
 * records are counted by a walk of this program's own over the good file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "harness.h"
#include "pipeline/pipeline.h"

#define CUTS 200
#define FLIPS_AT_ONCE 50
#define ROUNDS_AT_ONCE 20
#define RECORDS_MAX 65536

struct place {
	size_t offset, size;
};

static struct place records[RECORDS_MAX];
static size_t record_count;
static const char *path;
static int failures;

/* --- the good file --- */

static uint64_t get_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint16_t get_u16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Header: data {offset, size} at 40; a record's size is the u16 at 6. */
static size_t find_records(const uint8_t *bytes, size_t size)
{
	size_t at = (size_t)get_u64(bytes + 40), end = at + (size_t)get_u64(bytes + 48);

	while (at + 8 <= end && end <= size && record_count < RECORDS_MAX) {
		records[record_count].offset = at;
		records[record_count].size = get_u16(bytes + at + 6);
		at += records[record_count++].size;
	}
	return end;
}

/* --- reading --- */

struct got {
	bool refused;
	size_t records; /* as the trace counts them */
	size_t rows;	/* of switches and samples */
};

static enum status got_put(struct sink *sink, const struct record *record)
{
	struct got *got = *(struct got **)sink->state;

	if (record->kind == RECORD_record_count)
		got->records += (size_t)RECORD_DATA(record, record_count)->records;
	got->rows += record->kind == RECORD_context_switch ||
		     record->kind == RECORD_sample || record->kind == RECORD_comm ||
		     record->kind == RECORD_switch_record;
	return ST_OK;
}

static const struct sink_ops got_sink = { .name = "got",
					  .state_size = sizeof(struct got *),
					  .put = got_put };

static struct got read_all(const uint8_t *bytes, size_t size)
{
	static const struct pipeline_hooks no_hooks;
	static const struct reader_options options = { .want_rows = true };
	struct got got = { .refused = true };
	struct pipeline pipeline;
	struct reader reader;
	struct sink sink;

	if (reader_open_memory(&reader, bytes, size, &options, trace_formats) != ST_OK)
		return got;
	if (sink_open(&sink, &got_sink, NULL) != ST_OK)
		abort();
	*(struct got **)sink.state = &got;
	pipeline_init(&pipeline, &sink, 1);
	got.refused = pipeline_run(&pipeline, &reader, &no_hooks) != ST_OK;
	pipeline_release(&pipeline);
	sink_close(&sink);
	reader_close(&reader);
	return got;
}

/* --- random numbers, the same every time --- */

static uint64_t seed = 1;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* --- cuts --- */

static void check_cut(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	size_t whole = 0;
	struct got got;

	memcpy(copy, bytes, size);
	while (whole < record_count &&
	       records[whole].offset + records[whole].size <= size)
		whole++;
	got = read_all(copy, size);
	free(copy);
	if ((whole && got.refused) || got.records < whole) {
		printf("%s cut at 0x%zx: %zu records are whole, %zu were read\n", path,
		       size, whole, got.records);
		failures++;
	}
}

static void check_cuts(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < record_count; i++)
		for (size_t d = 0; d < 3; d++)
			check_cut(bytes, records[i].offset + d - 1);
	for (int i = 0; i < CUTS; i++)
		check_cut(bytes, (size_t)(next_random() % size));
}

/* --- flips --- */

static size_t hit_record(size_t offset)
{
	for (size_t i = 0; i < record_count; i++)
		if (offset >= records[i].offset &&
		    offset < records[i].offset + records[i].size)
			return i;
	return record_count;
}

static void check_flip(uint8_t *bytes, size_t size, const struct got *good)
{
	size_t offset = (size_t)(next_random() % size), hit = hit_record(offset);
	uint8_t bit = (uint8_t)(1 << next_random() % 8);
	size_t before = hit < record_count ? hit : 0;
	size_t after = record_count - before - (hit < record_count);
	struct got got;

	bytes[offset] ^= bit;
	got = read_all(bytes, size);
	bytes[offset] ^= bit;
	/* Beside the data the records are untouched, but not what describes them. */
	if (got.refused || got.records * 100 < before * 100 + after * 95 ||
	    (hit < record_count && got.rows * 100 < good->rows * 95)) {
		printf("%s with 0x%02x at 0x%zx flipped (record %zu of %zu): %zu records, "
		       "%zu of %zu rows%s\n",
		       path, bit, offset, hit, record_count, got.records, got.rows,
		       good->rows, got.refused ? ", refused" : "");
		failures++;
	}
}

static void check_flips_at_once(const uint8_t *bytes, size_t size, size_t end)
{
	uint8_t *copy = malloc(size);
	size_t begin = records[0].offset, intact = record_count;
	bool *hit = calloc(record_count, sizeof(*hit));
	struct got got;

	memcpy(copy, bytes, size);
	for (int i = 0; i < FLIPS_AT_ONCE; i++) {
		size_t offset = begin + (size_t)(next_random() % (end - begin));
		size_t record = hit_record(offset);

		copy[offset] ^= (uint8_t)(1 << next_random() % 8);
		intact -= !hit[record];
		hit[record] = true;
	}
	got = read_all(copy, size);
	free(copy);
	free(hit);
	if (got.refused || got.records * 10 < intact * 9) {
		printf("%s with %d flips: %zu records are intact, %zu were read\n", path,
		       FLIPS_AT_ONCE, intact, got.records);
		failures++;
	}
}

int main(int argc, char **argv)
{
	size_t size, end;
	uint8_t *bytes = argc == 3 ? harness_load(argv[1], &size) : NULL;
	struct got good;

	if (!bytes) {
		fprintf(stderr, "usage: recovery FILE FLIPS\n");
		return 2;
	}
	path = argv[1];
	end = find_records(bytes, size);
	good = read_all(bytes, size);
	if (record_count == 0 || good.records != record_count) {
		printf("%s: %zu records, %zu were read\n", path, record_count,
		       good.records);
		failures++;
	}
	check_cuts(bytes, size);
	for (long i = strtol(argv[2], NULL, 10); i > 0; i--)
		check_flip(bytes, size, &good);
	for (int i = 0; i < ROUNDS_AT_ONCE; i++)
		check_flips_at_once(bytes, size, end);
	free(bytes);
	printf("%s: %zu records; %d failures\n", path, record_count, failures);
	return failures != 0;
}
