/* null.c - discards all rows, to measure reading and attribution alone. */
#include "output/outputs.h"

static enum status null_write(struct sink *sink, const struct record *record)
{
	(void)sink;
	(void)record;
	return ST_OK;
}

const struct sink_ops null_writer = { .name = "null",
				      .totals_only = true,
				      .put = null_write };
