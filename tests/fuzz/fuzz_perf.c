/* fuzz_perf.c - any bytes as a perf.data. */
#include "formats/formats.h"
#include "harness.h"
#include "mutate_perf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader_ops *const formats[] = { &perf_reader, NULL };

	(void)harness_run_as(data, size, formats);
	return 0;
}

FUZZ_MUTATOR(mutate_perf_file);
