/* facts.c - writes the recorder's own facts; formats/perf/own_facts.c reads them. */
#include "capture/linux/audit/facts.h"

#include <stdio.h>
#include <string.h>

#include "formats/perf/layout.h"
#include "formats/perf/write_parts.h"

#define RECORD_BYTES 32768

struct fact fact_of(const char *what)
{
	return (struct fact){ .what = what,
			      .cpu = FACT_NONE,
			      .event = FACT_NONE,
			      .least = FACT_NONE,
			      .most = FACT_NONE,
			      .found = FACT_NONE };
}

static void put_text(struct bytes *lines, const char *text)
{
	const char *from = text && *text ? text : "-";
	size_t length = strlen(from);
	uint8_t *at = bytes_extend(lines, 1 + length);

	if (!at)
		return;
	at[0] = '\t';
	memcpy(at + 1, from, length);
	for (size_t i = 1; i <= length; i++)
		if (at[i] == '\t' || at[i] == '\n')
			at[i] = ' ';
}

static void put_number(struct bytes *lines, int64_t number)
{
	char text[32] = "-";

	if (number != FACT_NONE)
		snprintf(text, sizeof(text), "%lld", (long long)number);
	put_text(lines, text);
}

void fact_write(struct bytes *lines, const struct fact *fact)
{
	bytes_put(lines, fact->what, strlen(fact->what));
	put_number(lines, fact->cpu);
	put_number(lines, fact->event);
	put_number(lines, fact->least);
	put_number(lines, fact->most);
	put_number(lines, fact->found);
	put_text(lines, fact->verdict);
	put_text(lines, fact->note);
	bytes_put(lines, "\n", 1);
}

/* Whole lines, as many as fit a record. */
static size_t cut_lines(const uint8_t *from, size_t count)
{
	if (count <= RECORD_BYTES)
		return count;
	for (size_t i = RECORD_BYTES; i > 0; i--)
		if (from[i - 1] == '\n')
			return i;
	return RECORD_BYTES;
}

void facts_write(struct bytes *to, const struct bytes *lines)
{
	if (lines->failed)
		return;
	for (size_t at = 0; at < lines->size;) {
		size_t count = cut_lines(lines->data + at, lines->size - at);
		size_t start = perf_begin_record(to, PERF_RECORD_HEADER_EVENT_TYPE);
		size_t text;

		bytes_u64(to, PERF_OWN_FACTS);
		text = to->size;
		bytes_put(to, lines->data + at, count);
		bytes_u16(to, 0); /* a text ends with 0 */
		bytes_pad(to, text, 8);
		(void)perf_end_record(to, start);
		at += count;
	}
}
