/*
 * pdh_text.h - the cells of PDH-CSV: paths of counters, times, numbers.
 */
#ifndef PERFTAB_PDH_TEXT_H
#define PERFTAB_PDH_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

bool pdh_begins(struct str text, const char *with);
/* Without the spaces around it. */
struct str pdh_trim(struct str text);

/*
 * Of the first cell, "(PDH-CSV 4.0) (zone)(minutes)": how many minutes local time is
 * west of UTC; INT_NONE where it is cut off or left out.
 */
int64_t pdh_minutes(struct str cell);

/* Of the same cell, the zone; empty where it is left out, cut where it is. */
struct str pdh_zone(struct str cell);

/* \\machine\object(instance)\counter; machine and instance may be missing. */
struct pdh_path {
	struct str machine, object, instance, counter;
};
/* False: it is none. */
bool pdh_path(struct str text, struct pdh_path *path);

/*
 * "08/14/2007 15:40:38.659", the fraction may be missing, as ns since 1970 in its zone.
 */
bool pdh_time(struct str text, int64_t *ts_ns);
/* A plain decimal number, whatever else strtod() would take. */
bool pdh_real(struct str cell, double *value);

#endif
