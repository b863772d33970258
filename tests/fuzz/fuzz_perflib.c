/*
 * fuzz_perflib.c - any bytes as a PerfLib bundle, or as a bare block.
 *
 * The mutator sets checksums right; with others nearly nothing would be reached.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/perflib/layout.h"
#include "harness.h"
#include "mutate_perflib.h"

static const struct reader_ops *const formats[] = { &perflib_reader, NULL };

enum outcome perflib_run(const uint8_t *data, size_t size)
{
	enum outcome outcome = harness_run_as(data, size, formats);
	uint8_t *bytes;

	if (size < PLB_HEADER_BYTES || memcmp(data, PLB_MAGIC, PLB_MAGIC_BYTES) != 0)
		return outcome;
	bytes = malloc(size);
	if (!bytes)
		return outcome;
	memcpy(bytes, data, size);
	mutate_perflib_checksums(bytes, size);
	outcome = harness_run_as(bytes, size, formats);
	free(bytes);
	return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)harness_run_as(data, size, formats);
	return 0;
}

FUZZ_MUTATOR(mutate_perflib_file);
