/*
 * sums.h - sums of plain switches by the thread that reads ahead.
 *
 * perf->sums is NULL where there are none: functions for the walk allow that.
 */
#ifndef PERFTAB_PERF_SUMS_H
#define PERFTAB_PERF_SUMS_H

#include "formats/perf/perf.h"

struct perf_pattern;

/* Opens sums if wanted and if the input is read ahead, before the first record. */
void perf_sums_open(struct reader *reader);
void perf_sums_close(struct perf *perf);
/* Returns the sums; NULL: none, or a layer makes the records, with other offsets. */
static inline struct perf_sums *perf_sums_of(const struct perf *perf)
{
	return perf->source.in == perf->source.input ? perf->sums : NULL;
}

/* Notes that a record begins at `offset`. */
void perf_sums_know_record(struct perf_sums *sums, uint64_t offset);
/* Notes a pattern of the samples of a stream. */
void perf_sums_know_stream(struct perf_sums *sums, struct perf_stream *stream,
			   const struct perf_pattern *pattern);
/*
 * Returns the end, at most `limit`, of the summed records from `offset` on; sets *size to
 * that of the last one, and *next to the start of later summed ones, or the limit.
 */
uint64_t perf_sums_skip(struct perf_sums *sums, uint64_t offset, uint64_t limit,
			uint64_t *next, size_t *size);
/*
 * Emits the next records as a RECORD_RUN_SUMS.  False: they come one by one, or in a run
 * that ends at *limit, which it may lower.
 */
bool perf_decode_sums(struct perf *perf, uint64_t *limit, struct record *out);

#endif
