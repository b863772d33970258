/* date.c - days, nanoseconds and texts of SYSTEMTIME and FILETIME. */
#include "formats/perflib/date.h"

#include "base/calendar.h"
#include "base/text.h"
#include "model/record.h"

#define FILETIME_PER_DAY UINT64_C(864000000000)
#define DAYS_1601_TO_1970 134774

static void split_days(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
	int64_t since = days + 719468, era = since / 146097, of_era = since % 146097;
	int64_t years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * years + years / 4 - years / 100);
	int64_t from_march = (5 * of_year + 2) / 153;

	*day = of_year - (153 * from_march + 2) / 5 + 1;
	*month = from_march < 10 ? from_march + 3 : from_march - 9;
	*year = era * 400 + years + (*month <= 2);
}

bool perflib_date_of(char text[PERFLIB_DATE_BYTES], uint64_t filetime)
{
	int64_t year, month, day;
	unsigned int ms;

	if (filetime == 0 || filetime > INT64_MAX)
		return false;
	split_days((int64_t)(filetime / FILETIME_PER_DAY) - DAYS_1601_TO_1970, &year,
		   &month, &day);
	ms = (unsigned int)(filetime % FILETIME_PER_DAY / 10000);
	text_print(text, PERFLIB_DATE_BYTES, "%04d-%02d-%02dT%02u:%02u:%02u.%03u",
		   (int)year, (int)month, (int)day, ms / 3600000, ms / 60000 % 60,
		   ms / 1000 % 60, ms % 1000);
	return true;
}

struct perflib_date perflib_date_read(struct cursor *c)
{
	struct perflib_date date = { .year = cursor_u16(c), .month = cursor_u16(c) };

	date.weekday = cursor_u16(c);
	date.day = cursor_u16(c);
	date.hour = cursor_u16(c);
	date.minute = cursor_u16(c);
	date.second = cursor_u16(c);
	date.ms = cursor_u16(c);
	return date;
}

bool perflib_date_is_valid(const struct perflib_date *date)
{
	int64_t days;

	return calendar_days(date->year, date->month, date->day, &days) &&
	       date->weekday <= 6 && date->hour <= 23 && date->minute <= 59 &&
	       date->second <= 59 && date->ms <= 999;
}

void perflib_date_print(char text[PERFLIB_DATE_BYTES], const struct perflib_date *date)
{
	text_print(text, PERFLIB_DATE_BYTES, "%04u-%02u-%02uT%02u:%02u:%02u.%03u",
		   date->year, date->month, date->day, date->hour, date->minute,
		   date->second, date->ms);
}

int64_t perflib_date_ms(const struct perflib_date *date)
{
	int64_t days = 0;

	(void)calendar_days(date->year, date->month, date->day, &days);
	return ((days * 24 + date->hour) * 60 + date->minute) * 60000 +
	       (int64_t)date->second * 1000 + (int64_t)date->ms;
}

int64_t perflib_ns(int64_t ticks, int64_t freq)
{
	int64_t ns;

	/* Beyond 9 GHz the rest would not fit; no such clock is known. */
	if (ticks < 0 || freq <= 0 || freq > INT64_C(9000000000) ||
	    __builtin_mul_overflow(ticks / freq, INT64_C(1000000000), &ns) ||
	    __builtin_add_overflow(ns, ticks % freq * 1000000000 / freq, &ns))
		return INT_NONE;
	return ns;
}
