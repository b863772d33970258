/* etl_reader.c - the reader of .etl files, kernel traces and performance logs alike. */
#include "formats/etw/etl.h"
#include "formats/formats.h"
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
