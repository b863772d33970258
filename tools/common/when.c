/* when.c - parses times and durations, and relates them to the trace's clock. */
#include "common/when.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/calendar.h"
#include "base/text.h"
#include "base/wrap.h"

#define SECOND INT64_C(1000000000)
/* With any clock from 0 on, an offset to these times is within 64 bits. */
#define YEAR_FIRST 1900
#define YEAR_LAST 2261

static const struct {
	const char *name;
	int64_t ns;
} units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", SECOND },
	{ "min", 60 * SECOND },
	{ "m", 60 * SECOND },
	{ "h", 3600 * SECOND },
};

/* Digits with at most nine places, exactly: a double would lose nanoseconds. */
static bool parse_decimal(const char **at, int64_t unit, int64_t *ns)
{
	const char *text = *at, *digit = text + (*text == '.');
	int64_t whole = 0, part = 0, scale = 1;

	if (*digit < '0' || *digit > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		whole = whole * 10 + (*text - '0');
		if (whole > INT64_MAX / 10 / unit)
			return false;
	}
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++)
			if (scale < SECOND) {
				part = part * 10 + (*text - '0');
				scale *= 10;
			}
	*ns = whole * unit + (int64_t)((double)part / (double)scale * (double)unit + 0.5);
	*at = text;
	return true;
}

static int64_t unit_of(const char *name)
{
	if (!*name)
		return SECOND;
	for (size_t i = 0; i < ARRAY_COUNT(units); i++)
		if (strcmp(units[i].name, name) == 0)
			return units[i].ns;
	return 0;
}

static bool parse_with_unit(const char *text, int64_t *ns)
{
	int64_t unit = unit_of(text + strspn(text, "0123456789."));

	return unit && parse_decimal(&text, unit, ns) && unit_of(text) == unit;
}

bool when_parse_duration(const char *text, int64_t *ns)
{
	return parse_with_unit(text, ns) && *ns > 0;
}

bool when_parse_shift(const char *text, int64_t *ns)
{
	bool is_back = *text == '-';

	if (!parse_with_unit(text + (is_back || *text == '+'), ns))
		return false;
	*ns = is_back ? -*ns : *ns;
	return true;
}

/* Up to `digits` digits of a number up to `most`, then `end` unless that is 0. */
static bool parse_part(const char **at, int digits, int most, char end, int *number)
{
	const char *text = *at;

	*number = 0;
	for (; digits && *text >= '0' && *text <= '9'; digits--)
		*number = *number * 10 + (*text++ - '0');
	if (text == *at || *number > most || (end && *text++ != end))
		return false;
	*at = text;
	return true;
}

/* The date and time of the day; the rest is a fraction and Z. */
static bool parse_wall(const char *text, int64_t *ns)
{
	int year, month, day, hour, minute, second;
	const char *rest = text;
	int64_t fraction = 0, days;

	if (!parse_part(&rest, 4, YEAR_LAST, '-', &year) ||
	    !parse_part(&rest, 2, 12, '-', &month) ||
	    !parse_part(&rest, 2, 31, 0, &day) || (*rest != 'T' && *rest != ' '))
		return false;
	rest++;
	if (year < YEAR_FIRST || !calendar_days(year, month, day, &days) ||
	    !parse_part(&rest, 2, 23, ':', &hour) ||
	    !parse_part(&rest, 2, 59, ':', &minute) ||
	    !parse_part(&rest, 2, 60, 0, &second))
		return false;
	if (*rest == '.') {
		char seconds[32];

		text_print(seconds, sizeof(seconds), "0%s", rest);
		text = seconds;
		if (!parse_decimal(&text, SECOND, &fraction))
			return false;
		rest += text - seconds - 1;
	}
	if (strcmp(rest, "Z") != 0 && *rest)
		return false;
	*ns = ((days * 24 + hour) * 3600 + minute * 60 + second) * SECOND + fraction;
	return true;
}

bool when_parse(const char *text, struct when *when)
{
	char *end;

	if (*text == '+') {
		when->kind = WHEN_FROM_START;
		return parse_with_unit(text + 1, &when->ns);
	}
	if (strlen(text) > 10 && text[4] == '-') {
		when->kind = WHEN_WALL;
		return parse_wall(text, &when->ns);
	}
	when->kind = WHEN_CLOCK;
	when->ns = strtoll(text, &end, 10);
	return end != text && *end == '\0';
}

bool when_resolve(const struct when *when, const struct trace_row *trace, int64_t *ns)
{
	switch (when->kind) {
	case WHEN_FROM_START:
		*ns = wrap_add(trace->first_ns, when->ns);
		return trace->first_ns != INT_NONE;
	case WHEN_WALL:
		*ns = wrap_sub(when->ns, trace->wall_offset_ns);
		return trace->wall_offset_ns != INT_NONE;
	default:
		*ns = when->ns;
		return true;
	}
}

void when_format(char to[WHEN_UTC_BYTES], int64_t unix_ns)
{
	int64_t below = unix_ns % SECOND;
	time_t seconds = (time_t)(unix_ns / SECOND);
	struct tm parts;
	size_t length;

	to[0] = '\0';
	if (below < 0) {
		below += SECOND;
		seconds--;
	}
	if (!gmtime_r(&seconds, &parts))
		return;
	length = strftime(to, WHEN_UTC_BYTES, "%Y-%m-%dT%H:%M:%S", &parts);
	text_print(to + length, WHEN_UTC_BYTES - length, ".%06dZ", (int)(below / 1000));
}

void when_utc(char to[WHEN_UTC_BYTES], const struct trace_row *trace, int64_t ns)
{
	to[0] = '\0';
	if (ns != INT_NONE && trace->wall_offset_ns != INT_NONE)
		when_format(to, wrap_add(ns, trace->wall_offset_ns));
}

#define FILETIME_1970 INT64_C(116444736000000000)

void when_filetime(char to[WHEN_UTC_BYTES], int64_t filetime)
{
	int64_t ns;

	to[0] = '\0';
	if (filetime != INT_NONE &&
	    !__builtin_sub_overflow(filetime, FILETIME_1970, &ns) &&
	    !__builtin_mul_overflow(ns, INT64_C(100), &ns))
		when_format(to, ns);
}
