/*
 * tracing_data.c - the formats of the tracepoints that are counted, as perf keeps them.
 *
 * magic, version, byte order, size of long, page size; header_page, header_event; formats
 * of ftrace's own events (none); systems with their events' formats; kallsyms (none);
 * printk formats (none); saved command lines (none).  Texts are tracefs's own.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/linux/recorder/trace_parts.h"

#define TRACEFS_FILE_MAX 65536

/* u64 size, then the file. */
static enum status put_file(struct bytes *to, const char *tracefs, const char *name,
			    struct error *error)
{
	char path[512];
	char *text = malloc(TRACEFS_FILE_MAX);
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/%s", tracefs, name);
	file = text ? fopen(path, "re") : NULL;
	if (file)
		size = fread(text, 1, TRACEFS_FILE_MAX, file);
	bytes_u64(to, size);
	bytes_put(to, text, size);
	free(text);
	if (!file)
		return error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot read %s: %s",
				 path, strerror(errno));
	fclose(file);
	return ST_OK;
}

static const char *system_of(const struct counters *c, size_t event)
{
	const struct counted_event *counted = &c->events[event];

	if (counted->is_leader)
		return c->tracepoint_leads ? "sched" : NULL;
	return counted->asked ? counted->asked->tracepoint_system : NULL;
}

static const char *name_of(const struct counters *c, size_t event)
{
	return c->events[event].is_leader ? "sched_switch"
					  : c->events[event].asked->tracepoint_name;
}

/* An earlier event is of this system (and has this name, if one is given). */
static bool was_put(const struct counters *c, size_t until, const char *system,
		    const char *name)
{
	for (size_t i = 0; i < until; i++)
		if (system_of(c, i) && strcmp(system_of(c, i), system) == 0 &&
		    (!name || strcmp(name_of(c, i), name) == 0))
			return true;
	return false;
}

static enum status put_system(struct bytes *to, const char *tracefs,
			      const struct counters *c, const char *system,
			      struct error *error)
{
	enum status status = ST_OK;
	size_t at;
	uint32_t count = 0;

	bytes_text(to, system);
	at = to->size;
	bytes_u32(to, 0);
	for (size_t i = 0; i < c->event_count && status == ST_OK; i++) {
		char name[256];

		if (!system_of(c, i) || strcmp(system_of(c, i), system) != 0 ||
		    was_put(c, i, system, name_of(c, i)))
			continue;
		snprintf(name, sizeof(name), "%s/%s/format", system, name_of(c, i));
		status = put_file(to, tracefs, name, error);
		count++;
	}
	if (!to->failed)
		memcpy(to->data + at, &count, sizeof(count));
	return status;
}

static uint32_t count_systems(const struct counters *c)
{
	uint32_t count = 0;

	for (size_t i = 0; i < c->event_count; i++)
		count += system_of(c, i) && !was_put(c, i, system_of(c, i), NULL);
	return count;
}

static void put_head(struct bytes *to)
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

enum status tracing_data_read(struct bytes *to, const char *tracefs,
			      const struct counters *c, struct error *error)
{
	enum status status;

	if (count_systems(c) == 0)
		return ST_OK;
	put_head(to);
	bytes_text(to, "header_page");
	status = put_file(to, tracefs, "header_page", error);
	bytes_text(to, "header_event");
	if (status == ST_OK)
		status = put_file(to, tracefs, "header_event", error);
	bytes_u32(to, 0);
	bytes_u32(to, count_systems(c));
	for (size_t i = 0; i < c->event_count && status == ST_OK; i++)
		if (system_of(c, i) && !was_put(c, i, system_of(c, i), NULL))
			status = put_system(to, tracefs, c, system_of(c, i), error);
	bytes_u32(to, 0);
	bytes_u32(to, 0);
	bytes_u64(to, 0);
	return to->failed ? error_nomem(error) : status;
}
