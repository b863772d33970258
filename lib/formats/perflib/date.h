/*
 * date.h - dates and clocks of Windows' counters: SYSTEMTIME, FILETIME, ticks.
 */
#ifndef PERFTAB_PERFLIB_DATE_H
#define PERFTAB_PERFLIB_DATE_H

#include "base/cursor.h"

/* SYSTEMTIME, in whichever zone. */
struct perflib_date {
	unsigned int year, month, weekday, day, hour, minute, second, ms;
};

/* "2007-08-14T15:40:38.659" */
#define PERFLIB_DATE_BYTES 64

struct perflib_date perflib_date_read(struct cursor *c);
bool perflib_date_is_valid(const struct perflib_date *date);
void perflib_date_print(char text[PERFLIB_DATE_BYTES], const struct perflib_date *date);
/* The same of a FILETIME; false: no time. */
bool perflib_date_of(char text[PERFLIB_DATE_BYTES], uint64_t filetime);
/* Milliseconds since 1970, in the same zone, of a valid date. */
int64_t perflib_date_ms(const struct perflib_date *date);
/* Nanoseconds of ticks, or INT_NONE. */
int64_t perflib_ns(int64_t ticks, int64_t freq);

#endif
