/* place.c - names of machines, days and traces; see place.h. */
#include "output/fleet/place.h"

#include <string.h>
#include <time.h>

#include "base/crc32c.h"
#include "base/file_name.h"
#include "base/os.h"
#include "base/text.h"
#include "model/wall.h"

#define NS_PER_DAY (INT64_C(86400) * 1000000000)
/* Of a long text; the digits of its sum follow. */
#define SHORT_BYTES 96

static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("-._,", c));
}

void fleet_escape(char to[FLEET_TEXT_BYTES], struct str text)
{
	size_t at = 0, i = 0;

	for (; i < text.len && at < SHORT_BYTES; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		/* Not "." or "..", no device, and no point at the end. */
		if (is_plain(c) &&
		    !(i == 0 && (c == '.' || file_name_is_reserved(text))) &&
		    !(i == text.len - 1 && c == '.'))
			to[at++] = (char)c;
		else
			at += text_print(to + at, 4, "%%%02X", c);
	}
	to[at] = '\0';
	if (i < text.len)
		text_print(to + at, 16, "-%08x", crc32c(0, text.ptr, text.len));
}

/* --- the place of a trace --- */

static struct str base_name(struct str path)
{
	size_t at = path.len;

	while (at && !os_is_separator(path.ptr[at - 1]))
		at--;
	return (struct str){ path.ptr + at, path.len - at };
}

static uint32_t sum_text(uint32_t sum, struct str text)
{
	return text.len ? crc32c(sum, text.ptr, text.len) : sum;
}

/* The same trace of the same machine has the same name in every tree. */
static uint32_t sum_of(const struct trace_row *trace, size_t number)
{
	const int64_t numbers[] = { trace->bytes, trace->first_ns, trace->last_ns,
				    trace->wall_offset_ns, (int64_t)number };
	uint32_t sum = crc32c(0, numbers, sizeof(numbers));

	sum = sum_text(sum, trace->host);
	return sum_text(sum, base_name(trace->path));
}

static void set_date(struct fleet_place *place, const struct trace_row *trace)
{
	const struct wall wall = wall_of(trace);
	int64_t utc = wall_utc(&wall, trace->first_ns == INT_NONE ? 0 : trace->first_ns);
	time_t seconds;
	struct tm day;

	place->date[0] = '\0';
	place->day = INT_NONE;
	if (utc == INT_NONE)
		return;
	place->day = utc / NS_PER_DAY - (utc % NS_PER_DAY < 0);
	seconds = (time_t)(place->day * (NS_PER_DAY / 1000000000));
	if (gmtime_r(&seconds, &day))
		(void)strftime(place->date, sizeof(place->date), "%Y-%m-%d", &day);
}

void fleet_place(struct fleet_place *place, const struct trace_row *trace, size_t number)
{
	size_t at;

	fleet_escape(place->host, trace->host.ptr ? trace->host : STR_NONE);
	set_date(place, trace);
	fleet_escape(place->trace, base_name(trace->path));
	at = strlen(place->trace);
	text_print(place->trace + at, FLEET_TEXT_BYTES - at, "%s%08x", at ? "-" : "",
		   sum_of(trace, number));
}
