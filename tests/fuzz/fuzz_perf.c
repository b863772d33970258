/*
 * fuzz_perf.c - any bytes as a trace: reader and attribution must end, and release all.
 *
 * No sink but the null one: what writers do with rows is tested by tests/unit.
 */
#include <stdbool.h>

#include "attribution/attribution.h"
#include "harness.h"
#include "readers/readers.h"
#include "writers/writers.h"

/* More than this finds nothing that less does not, only later. */
#define HARNESS_BYTES_MAX ((size_t)8 << 20)

static void note_damage(void *context, const struct finding_row *finding)
{
	bool *damaged = context;

	*damaged |= str_equal(finding->severity, STR("damage"));
}

static enum outcome run(struct reader *reader)
{
	static const struct sink_options no_options;
	struct attribution attribution;
	struct sink sink;
	bool damaged = false;
	const struct attribution_hooks hooks = { .finding = note_damage,
						 .context = &damaged };
	enum status status = sink_open(&sink, &null_writer, &no_options);

	if (status != ST_OK)
		return OUTCOME_REFUSED;
	attribution_init(&attribution, &sink, 1);
	status = attribution_run(&attribution, reader, &hooks);
	attribution_release(&attribution);
	if (status == ST_OK)
		status = sink_finish(&sink);
	sink_close(&sink);
	if (status != ST_OK)
		return OUTCOME_REFUSED;
	return damaged ? OUTCOME_DAMAGED : OUTCOME_OK;
}

enum outcome harness_run(const uint8_t *data, size_t size)
{
	struct reader reader;
	enum outcome outcome;

	if (size > HARNESS_BYTES_MAX ||
	    reader_open_memory(&reader, data, size, trace_formats) != ST_OK)
		return OUTCOME_REFUSED;
	outcome = run(&reader);
	reader_close(&reader);
	return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)harness_run(data, size);
	return 0;
}
