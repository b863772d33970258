/*
 * names.h - names of the columns that are counters.
 */
#ifndef PERFTAB_FLEET_NAMES_H
#define PERFTAB_FLEET_NAMES_H

#include "output/fleet/collect.h"

/*
 * Appends the names of the counters to the `count` names of other columns, for which
 * there is room: valid UTF-8; a name that is taken, whatever its case, gets a # at the
 * end.  False: out of memory.
 */
bool fleet_counter_names(struct arena *arena, const char **names, size_t count,
			 const struct fleet_counters *counters);

#endif
