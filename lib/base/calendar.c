/* calendar.c - counts days in eras of 400 years that begin on 1 March of the year 0. */
#include "base/calendar.h"

bool calendar_days(int64_t year, int64_t month, int64_t day, int64_t *days)
{
	static const unsigned char lengths[] = { 31, 28, 31, 30, 31, 30,
						 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	int64_t from_march = month + (month > 2 ? -3 : 9), era, of_era;

	if (year < 1601 || year > 30827 || month < 1 || month > 12 || day < 1 ||
	    day > lengths[month - 1] + (month == 2 && leap))
		return false;
	year -= month <= 2;
	era = year / 400;
	of_era = year % 400;
	*days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 +
		(153 * from_march + 2) / 5 + day - 1 - 719468;
	return true;
}
