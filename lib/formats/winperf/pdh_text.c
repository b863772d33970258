/* pdh_text.c - the cells of PDH-CSV; see pdh_text.h. */
#include "formats/winperf/pdh_text.h"

#include <math.h>
#include <stdlib.h>

#include "base/calendar.h"
#include "model/record.h"

#define NUMBER_BYTES 64
/* Nanoseconds since 1970 do not go beyond these years. */
#define YEAR_MIN 1678
#define YEAR_MAX 2261
#define NS_PER_S INT64_C(1000000000)
#define MINUTES_MAX (24 * 60)

bool pdh_begins(struct str text, const char *with)
{
	size_t length = strlen(with);

	return text.len >= length && memcmp(text.ptr, with, length) == 0;
}

static struct str until(struct str *text, char end)
{
	const char *at = text->len ? memchr(text->ptr, end, text->len) : NULL;
	size_t length = at ? (size_t)(at - text->ptr) : text->len;
	struct str part = { text->ptr, length };

	text->ptr += length;
	text->len -= length;
	return part;
}

static void skip(struct str *text)
{
	if (text->len) {
		text->ptr++;
		text->len--;
	}
}

struct str pdh_trim(struct str text)
{
	while (text.len && *text.ptr == ' ')
		skip(&text);
	while (text.len && text.ptr[text.len - 1] == ' ')
		text.len--;
	return text;
}

/* --- the header --- */

int64_t pdh_minutes(struct str cell)
{
	int64_t minutes = 0;
	size_t at = cell.len, digits = 0;
	bool west = true;

	if (at < 3 || cell.ptr[at - 1] != ')')
		return INT_NONE;
	while (at > 0 && cell.ptr[at - 1] != '(')
		at--;
	if (at > 0 && at < cell.len && cell.ptr[at] == '-') {
		west = false;
		at++;
	}
	for (; at < cell.len - 1; at++, digits++) {
		if (cell.ptr[at] < '0' || cell.ptr[at] > '9' || digits == 4)
			return INT_NONE;
		minutes = minutes * 10 + (cell.ptr[at] - '0');
	}
	if (digits == 0 || minutes > MINUTES_MAX)
		return INT_NONE;
	return west ? minutes : -minutes;
}

struct str pdh_zone(struct str cell)
{
	struct str zone;

	(void)until(&cell, ')'); /* the version */
	(void)until(&cell, '(');
	skip(&cell);
	zone = until(&cell, '(');
	zone = pdh_trim(zone);
	if (zone.len && zone.ptr[zone.len - 1] == ')')
		zone.len--;
	return pdh_trim(zone);
}

/* How far the instance goes that begins at `from`: up to the last ")\", or SIZE_MAX. */
static size_t instance_end(struct str text, size_t from)
{
	for (size_t end = text.len; end >= from + 2; end--)
		if (text.ptr[end - 2] == ')' && text.ptr[end - 1] == '\\')
			return end - 2;
	return SIZE_MAX;
}

/* An instance may itself hold brackets and slashes. */
bool pdh_path(struct str text, struct pdh_path *path)
{
	struct str rest;
	size_t end;

	*path = (struct pdh_path){ .machine = STR_NONE };
	if (pdh_begins(text, "\\\\")) {
		text = (struct str){ text.ptr + 2, text.len - 2 };
		path->machine = until(&text, '\\');
	}
	if (!pdh_begins(text, "\\"))
		return false;
	skip(&text);
	rest = text;
	path->object = until(&rest, '\\');
	rest = path->object;
	path->object = until(&rest, '(');
	skip(&rest);
	end = rest.ptr > path->object.ptr + path->object.len
		      ? instance_end(text, (size_t)(rest.ptr - text.ptr))
		      : SIZE_MAX;
	if (end != SIZE_MAX) {
		path->instance =
			(struct str){ rest.ptr, end - (size_t)(rest.ptr - text.ptr) };
		rest = (struct str){ text.ptr + end + 1, text.len - end - 1 };
	} else { /* what looks like one is part of the name */
		rest = text;
		path->object = until(&rest, '\\');
	}
	skip(&rest);
	path->counter = rest;
	return path->object.len && path->counter.len;
}

/* --- values --- */

/* So many digits, and past the character after them. */
static bool parse_number(struct str *text, size_t digits, char after, int64_t *number)
{
	*number = 0;
	if (text->len < digits)
		return false;
	for (; digits; digits--, skip(text)) {
		if (*text->ptr < '0' || *text->ptr > '9')
			return false;
		*number = *number * 10 + (*text->ptr - '0');
	}
	if (after && (text->len == 0 || *text->ptr != after))
		return false;
	if (after)
		skip(text);
	return true;
}

bool pdh_time(struct str text, int64_t *ts_ns)
{
	int64_t year, month, day, hour, minute, second, ms = 0, days;

	if (!parse_number(&text, 2, '/', &month) || !parse_number(&text, 2, '/', &day) ||
	    !parse_number(&text, 4, ' ', &year) || !parse_number(&text, 2, ':', &hour) ||
	    !parse_number(&text, 2, ':', &minute) || !parse_number(&text, 2, 0, &second))
		return false;
	if (text.len && (*text.ptr != '.' || text.len != 4))
		return false;
	skip(&text);
	if (text.len && !parse_number(&text, 3, 0, &ms))
		return false;
	if (year < YEAR_MIN || year > YEAR_MAX ||
	    !calendar_days(year, month, day, &days) || hour > 23 || minute > 59 ||
	    second > 59)
		return false;
	*ts_ns = (((days * 24 + hour) * 60 + minute) * 60 + second) * NS_PER_S +
		 ms * (NS_PER_S / 1000);
	return true;
}

bool pdh_real(struct str cell, double *value)
{
	char text[NUMBER_BYTES], *end;

	if (cell.len == 0 || cell.len >= sizeof(text))
		return false;
	for (size_t i = 0; i < cell.len; i++)
		if (!memchr("0123456789+-.eE", cell.ptr[i], 15))
			return false;
	memcpy(text, cell.ptr, cell.len);
	text[cell.len] = '\0';
	*value = strtod(text, &end);
	if (*value == 0)
		*value = 0; /* databases know no zero below zero */
	return *end == '\0' && __builtin_isfinite(*value);
}
