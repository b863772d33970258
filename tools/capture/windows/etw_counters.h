/*
 * etw_counters.h - which profile sources a recording counts.
 */
#ifndef PERFTAB_ETW_COUNTERS_H
#define PERFTAB_ETW_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "etw_refusal.h"
#include "etw_session.h"
#include "profile_sources.h"

struct etw_counters {
	const struct profile_source *sources[ETW_COUNTERS_MAX];
	size_t count;
	bool chosen; /* by the user: none may be left out */
};

/* By names with commas, of any case; without lists the usual ones that there are. */
enum status etw_counters_choose(struct etw_counters *counters,
				const struct profile_sources *sources,
				const char *const *lists, size_t list_count,
				const struct win_machine *machine,
				struct error *error) MUST_CHECK;

/* As many as this Windows reads at an event; what nobody chose is left out beyond. */
enum status etw_counters_limit(struct etw_counters *counters, const struct etw_api *api,
			       const struct win_machine *machine,
			       struct error *error) MUST_CHECK;

/* Their names, with commas. */
void etw_counters_names(const struct etw_counters *counters, char *to, size_t size);

#endif
