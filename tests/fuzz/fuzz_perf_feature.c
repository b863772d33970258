/*
 * fuzz_perf_feature.c - any bytes as one header feature of a perf.data.
 *
 * The first byte is the feature's number, its second one's lowest bit the byte order; the
 * rest is the section, in a file with two events: sched_switch with a sample, and cycles.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "harness.h"
#include "mutant.h"

#define HEADER_BYTES 104
#define ATTR_BYTES 64
#define ENTRY_BYTES (ATTR_BYTES + 16)
#define EVENTS 2
#define IDS_BYTES (EVENTS * 8)
#define SAMPLE_BYTES 120
#define DATA_AT (HEADER_BYTES + EVENTS * ENTRY_BYTES + IDS_BYTES)
#define TABLE_AT (DATA_AT + SAMPLE_BYTES)
#define SECTION_AT (TABLE_AT + 16)

static int is_big;

static void put(uint8_t *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[is_big ? bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static void put_header(uint8_t *to, unsigned int feature)
{
	memcpy(to, is_big ? "2ELIFREP" : "PERFILE2", 8);
	put(to + 8, HEADER_BYTES, 8);
	put(to + 16, ENTRY_BYTES, 8);
	put(to + 24, HEADER_BYTES, 8);
	put(to + 32, EVENTS * ENTRY_BYTES, 8);
	put(to + 40, DATA_AT, 8);
	put(to + 48, SAMPLE_BYTES, 8);
	put(to + 72 + feature / 64 * 8, (uint64_t)1 << feature % 64, 8);
}

/* IDENTIFIER, TID, TIME, CPU, and RAW of the tracepoint. */
static void put_event(uint8_t *to, int number)
{
	put(to, number == 0 ? 2 : 0, 4);
	put(to + 4, ATTR_BYTES, 4);
	put(to + 8, number == 0 ? 314 : 0, 8);
	put(to + 16, 1, 8);
	put(to + 24, 0x10086 | (number == 0 ? 0x400 : 0), 8);
	put(to + ATTR_BYTES, HEADER_BYTES + EVENTS * ENTRY_BYTES + (uint64_t)number * 8,
	    8);
	put(to + ATTR_BYTES + 8, 8, 8);
}

/* One sample of the tracepoint with 64 bytes of RAW. */
static void put_sample(uint8_t *to)
{
	put(to, 9, 4);
	put(to + 6, SAMPLE_BYTES, 2);
	put(to + 8, 1, 8);
	put(to + 24, 1000, 8);
	put(to + 40, SAMPLE_BYTES - 44, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader_ops *const formats[] = { &perf_reader, NULL };
	uint8_t *trace;

	if (size < 2)
		return 0;
	is_big = data[1] & 1;
	trace = calloc(1, SECTION_AT + size);
	if (!trace)
		return 0;
	put_header(trace, data[0]);
	for (int i = 0; i < EVENTS; i++) {
		put_event(trace + HEADER_BYTES + i * ENTRY_BYTES, i);
		put(trace + HEADER_BYTES + EVENTS * ENTRY_BYTES + i * 8, (uint64_t)i + 1,
		    8);
	}
	put_sample(trace + DATA_AT);
	put(trace + TABLE_AT, SECTION_AT, 8);
	put(trace + TABLE_AT + 8, size - 2, 8);
	memcpy(trace + SECTION_AT, data + 2, size - 2);
	(void)harness_read_as(trace, SECTION_AT + size - 2, formats);
	free(trace);
	return 0;
}

/* Numbers of the section in its byte order, and any bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	struct mutant m = mutant_over(data, size, max_size, seed);

	m.big_endian = size > 1 && data[1] & 1;
	if (size > 2 && mutant_choose(&m, 3) == 0)
		mutant_change_number(&m, 2, size);
	else
		mutant_change_all(&m, mutant_choose(&m, 8) && size > 2 ? 2 : 0);
	return m.size;
}
