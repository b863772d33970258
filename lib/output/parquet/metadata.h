/*
 * metadata.h - what every file of a trace says of it in its footer: names and texts.
 */
#ifndef PERFTAB_PARQUET_METADATA_H
#define PERFTAB_PARQUET_METADATA_H

#include "base/bytes.h"
#include "model/record.h"
#include "output/parquet/file.h"

#define METADATA_KEYS_MAX 10

struct metadata {
	struct bytes findings; /* "kind=count\n" */
	struct bytes units;    /* "counter=unit\n" */
	struct arena arena;
	struct parquet_key keys[METADATA_KEYS_MAX];
	size_t count; /* 0 until the end of the trace */
};

/* False: out of memory. */
bool metadata_add_finding(struct metadata *metadata, const struct finding_row *row);
bool metadata_add_counter(struct metadata *metadata, const struct counter_row *row);
bool metadata_end(struct metadata *metadata, const struct trace_row *trace);
void metadata_release(struct metadata *metadata);

#endif
