/*
 * calendar.h - days of the Gregorian calendar.
 */
#ifndef PERFTAB_CALENDAR_H
#define PERFTAB_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

/* Days since 1970-01-01 of a date; false: no such day in the years 1601 to 30827. */
bool calendar_days(int64_t year, int64_t month, int64_t day, int64_t *days);

#endif
