/*
 * fuzz_winperf.c - any bytes as V1 blocks, as a performance log, or as PDH-CSV.
 */
#include "formats/formats.h"
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader_ops *const formats[] = { &winperf_reader, &etl_reader,
							    &pdh_csv_reader, NULL };

	(void)harness_run_as(data, size, formats);
	return 0;
}
