/*
 * samples.h - profile sources that are sampled at an interval of their own, besides the
 * counters that are read at context switches.
 *
 * Intervals belong to the whole machine: they are restored at the end.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_ETW_SAMPLES_H
#define PERFTAB_CAPTURE_WINDOWS_ETW_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/windows/api/etw.h"
#include "capture/windows/etw/profile_sources.h"

#define ETW_SAMPLES_MAX 8

struct etw_sample {
	const struct profile_source *source;
	uint32_t interval, former; /* events, of the clock 100 ns; former 0: unknown */
	bool changed;
};

struct etw_samples {
	struct etw_sample samples[ETW_SAMPLES_MAX];
	size_t count;
	uint32_t number;    /* error code of a refusal */
	const char *failed; /* the name of the refused source; NULL: all of them */
};

/* From texts "SOURCE=INTERVAL"; the sources must outlive the samples. */
enum status etw_samples_choose(struct etw_samples *samples,
			       const struct profile_sources *sources,
			       const char *const *texts, size_t count,
			       struct error *error) MUST_CHECK;
/* Sets intervals and sources; ST_UNSUPPORTED: see number and failed. */
enum status etw_samples_begin(struct etw_samples *samples,
			      const struct etw_api *api) MUST_CHECK;
/* Restores the intervals, also after a failure. */
void etw_samples_end(struct etw_samples *samples, const struct etw_api *api);

/* Adds the flags that record them to two words of a session's. */
void etw_samples_flags(const struct etw_samples *samples, uint32_t *flags);

#endif
