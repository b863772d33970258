/*
 * sums.h - sums of plain switches by the thread that reads ahead.
 *
 * perf->sums is NULL where there are none: functions for the walk allow that.
 */
#ifndef PERFTAB_PERF_SUMS_H
#define PERFTAB_PERF_SUMS_H

#include "formats/perf/perf.h"

struct perf_pattern;

/* Where they are wanted and the input is read ahead; before the first record. */
void perf_sums_open(struct reader *reader);
void perf_sums_close(struct perf *perf);
/* Of the stream of records; NULL: a layer gives them, whose offsets are others. */
static inline struct perf_sums *perf_sums_of(const struct perf *perf)
{
	return perf->source.in == perf->source.input ? perf->sums : NULL;
}

/* A record begins there. */
void perf_sums_know_record(struct perf_sums *sums, uint64_t offset);
/* Samples of a stream may be like this. */
void perf_sums_know_stream(struct perf_sums *sums, struct perf_stream *stream,
			   const struct perf_pattern *pattern);
/*
 * The end of the records from `offset` on that were summed, not after `limit`, and the
 * size of the last; *next: the begin of others, or the limit.
 */
uint64_t perf_sums_skip(struct perf_sums *sums, uint64_t offset, uint64_t limit,
			uint64_t *next, size_t *size);
/*
 * Gives the next records as a RECORD_RUN_SUMS.  False: they come one by one, or in a run
 * that ends at *limit, which may become less.
 */
bool perf_decode_sums(struct perf *perf, uint64_t *limit, struct record *out);

#endif
