/* outputs.c - the list of output formats, the default first. */
#include "output/outputs.h"

const struct sink_ops *const writers[] = {
	&sqlite_writer,	    &csv_writer,      &parquet_writer,
	&clickhouse_writer, &perfetto_writer, &folded_writer,
	&speedscope_writer, &null_writer,     NULL
};
