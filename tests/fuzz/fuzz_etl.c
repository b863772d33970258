/* fuzz_etl.c - any bytes as an .etl file. */
#include "formats/formats.h"
#include "harness.h"
#include "mutate_etl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader_ops *const formats[] = { &etl_reader, NULL };

	(void)harness_run_as(data, size, formats);
	return 0;
}

FUZZ_MUTATOR(mutate_etl_file);
