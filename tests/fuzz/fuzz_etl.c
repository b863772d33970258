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

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	struct mutant m = mutant_over(data, size, max_size, seed);

	mutate_etl_file(&m);
	return m.size;
}
