/*
 * write_tracing_data.c - the formats of tracepoints, as perf keeps them.
 *
 * magic, version, byte order, size of long, page size; header_page, header_event; formats
 * of ftrace's own events (none); systems with their events' formats; kallsyms (none);
 * printk formats (none); saved command lines (none).  Texts are tracefs's own.
 */
#include <string.h>
#include <unistd.h>

#include "formats/perf/write_parts.h"

/* u64 size, then the file. */
static void write_file(struct bytes *to, struct str text)
{
	bytes_u64(to, text.len);
	bytes_put(to, text.ptr, text.len);
}

/* No earlier format is of the same system. */
static bool is_first(const struct perf_write_format *formats, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(formats[i].system, formats[at].system) == 0)
			return false;
	return true;
}

/* Name, u32 count, then the formats of the events. */
static void write_system(struct bytes *to, const char *system,
			 const struct perf_write_format *formats, size_t count)
{
	uint32_t members = 0;

	for (size_t i = 0; i < count; i++)
		members += strcmp(formats[i].system, system) == 0;
	bytes_text(to, system);
	bytes_u32(to, members);
	for (size_t i = 0; i < count; i++)
		if (strcmp(formats[i].system, system) == 0)
			write_file(to, formats[i].text);
}

static void write_head(struct bytes *to)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c',
					 'i',  'n',  'g',  '0', '.', '6', 0 };
	const uint16_t one = 1;
	uint8_t order[2] = { 0, sizeof(long) };

	order[0] = *(const uint8_t *)&one == 0; /* 1: big-endian */
	bytes_put(to, magic, sizeof(magic));
	bytes_put(to, order, sizeof(order));
	bytes_u32(to, (uint32_t)sysconf(_SC_PAGESIZE));
}

void perf_write_tracing_data(struct bytes *to, struct str header_page,
			     struct str header_event,
			     const struct perf_write_format *formats, size_t count)
{
	uint32_t systems = 0;

	for (size_t i = 0; i < count; i++)
		systems += is_first(formats, i);
	write_head(to);
	bytes_text(to, "header_page");
	write_file(to, header_page);
	bytes_text(to, "header_event");
	write_file(to, header_event);
	bytes_u32(to, 0);
	bytes_u32(to, systems);
	for (size_t i = 0; i < count; i++)
		if (is_first(formats, i))
			write_system(to, formats[i].system, formats, count);
	bytes_u32(to, 0);
	bytes_u32(to, 0);
	bytes_u64(to, 0);
}
