/*
 * fuzz_packed.c - any bytes as a trace in gzip or zstd.
 *
 * Bombs are left out: a few bytes of them take as long as thousands of other inputs.
 */
#include "formats/formats.h"
#include "harness.h"
#include "mutate_packed.h"

#define INSIDE_BYTES_MAX ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t inside[INSIDE_BYTES_MAX];
	size_t made;

	if (packed_inside(data, size, inside, sizeof(inside), &made))
		(void)harness_run_as(data, size, trace_formats);
	return 0;
}

FUZZ_MUTATOR(mutate_packed_file);
