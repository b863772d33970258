/*
 * fuzz_perf_pipe.c - any bytes as the records of a pipe-form perf.data.
 *
 * The magic number is given, so that no time goes into finding it; in the first byte's
 * lowest bit is the byte order.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "harness.h"
#include "mutate_perf.h"

#define HEADER_BYTES 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader_ops *const formats[] = { &perf_reader, NULL };
	static const uint8_t little[HEADER_BYTES] = "PERFILE2\x10\0\0\0\0\0\0";
	static const uint8_t big[HEADER_BYTES] = "2ELIFREP\0\0\0\0\0\0\0\x10";
	uint8_t *trace;

	if (size < 1)
		return 0;
	trace = malloc(HEADER_BYTES + size - 1);
	if (!trace)
		return 0;
	memcpy(trace, data[0] & 1 ? big : little, HEADER_BYTES);
	memcpy(trace + HEADER_BYTES, data + 1, size - 1);
	(void)harness_run_as(trace, HEADER_BYTES + size - 1, formats);
	free(trace);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	struct mutant m = mutant_over(data, size, max_size, seed);

	if (size < 1 || mutant_choose(&m, 64) == 0) {
		mutant_change_all(&m, 0);
		return m.size;
	}
	m.big_endian = data[0] & 1;
	mutate_perf_records(&m, 1);
	return m.size;
}
