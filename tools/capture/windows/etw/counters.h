/*
 * counters.h - chooses the profile sources that a recording counts.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_ETW_COUNTERS_H
#define PERFTAB_CAPTURE_WINDOWS_ETW_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/windows/etw/profile_sources.h"
#include "capture/windows/etw/refusal.h"
#include "capture/windows/etw/session.h"

struct etw_counters {
	const struct profile_source *sources[ETW_COUNTERS_MAX];
	size_t count;
	bool chosen; /* by the user: leave none out */
};

/* By comma-separated names in any case; without lists, the available defaults. */
enum status etw_counters_choose(struct etw_counters *counters,
				const struct profile_sources *sources,
				const char *const *lists, size_t list_count,
				const struct win_machine *machine,
				struct error *error) MUST_CHECK;

/* Fails if the user chose more than this Windows can read; else drops defaults. */
enum status etw_counters_limit(struct etw_counters *counters, const struct etw_api *api,
			       const struct win_machine *machine,
			       struct error *error) MUST_CHECK;

/* The error for a name that is none of the sources, with the nearest. */
enum status etw_counters_unknown(const struct profile_sources *sources, struct str name,
				 struct error *error);

/* The names, comma-separated. */
void etw_counters_names(const struct etw_counters *counters, char *to, size_t size);

#endif
