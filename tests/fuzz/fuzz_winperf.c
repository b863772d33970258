/*
 * fuzz_winperf.c - any bytes as V1 blocks, as a performance log, or as PDH-CSV.
 */
#include <string.h>

#include "formats/etw/etl_layout.h"
#include "formats/formats.h"
#include "harness.h"
#include "mutate_etl.h"
#include "mutate_text.h"

#define V1_MAGIC "P\0E\0R\0F\0"
#define V1_TOTAL_AT 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader_ops *const formats[] = { &winperf_reader, &etl_reader,
							    &pdh_csv_reader, NULL };

	(void)harness_run_as(data, size, formats);
	return 0;
}

/* A block's size is that of all its bytes, except in one of 16 mutations. */
static void mutate_block(struct mutant *m)
{
	for (size_t i = mutant_choose(m, 4) + 1; i-- > 0;)
		if (mutant_choose(m, 4))
			mutant_change_number(m, 8, m->size);
		else
			mutant_change_all(m, 8);
	if (mutant_choose(m, 16))
		mutant_put(m, V1_TOTAL_AT, 4, m->size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	struct mutant m = mutant_over(data, size, max_size, seed);

	if (size > 64 && memcmp(data, V1_MAGIC, 8) == 0)
		mutate_block(&m);
	else if (size > ETL_BUFFER_HEADER_BYTES && data[2] == 0 && data[3] == 0)
		mutate_etl_file(&m);
	else
		mutate_text_lines(&m);
	return m.size;
}
