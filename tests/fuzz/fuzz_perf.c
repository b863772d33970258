/* fuzz_perf.c - any bytes as a trace. */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)harness_run(data, size);
	return 0;
}
