/* formats.c - the list of input formats; those with a magic number come first. */
#include "formats/formats.h"

#include "formats/etw/etl.h"
#include "formats/winperf/blg.h"

/* A performance log is an .etl by its bytes; only its events tell. */
static enum status open_etl(struct reader *reader)
{
	return etl_open(reader, &blg_consumer);
}

const struct reader_ops etl_reader = {
	.name = "etl",
	.state_size = sizeof(struct etl),
	.processes_apart = true,
	.probe = etl_probe,
	.open = open_etl,
	.next = etl_next,
	.close = etl_close,
};

#define TRACE_FORMATS                                                               \
	&perf_reader, &etl_reader, &xperf_reader, &perflib_reader, &winperf_reader, \
		&pdh_csv_reader

const struct reader_ops *const trace_formats[] = { TRACE_FORMATS, NULL };

const struct reader_ops *const all_formats[] = { TRACE_FORMATS, &database_reader, NULL };
