/* trace_formats.c - the formats of the tracepoints that are counted, from tracefs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/linux/recorder/trace_facts.h"

#define TRACEFS_FILE_MAX 65536

/* A file below `tracefs`/events; its text lives in the arena. */
static enum status read_file(struct arena *arena, const char *tracefs, const char *name,
			     struct str *text, struct error *error)
{
	char path[512];
	char *buffer = malloc(TRACEFS_FILE_MAX);
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/%s", tracefs, name);
	file = buffer ? fopen(path, "re") : NULL;
	if (buffer && !file)
		error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot read %s: %s", path,
			  strerror(errno));
	if (file) {
		size = fread(buffer, 1, TRACEFS_FILE_MAX, file);
		fclose(file);
		*text = arena_str(arena, (struct str){ buffer, size });
	}
	free(buffer);
	if (buffer && !file)
		return ST_IO;
	return text->ptr ? ST_OK : error_nomem(error);
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

/* The first event that is of this tracepoint. */
static bool is_first(const struct counters *c, size_t event)
{
	for (size_t i = 0; i < event; i++)
		if (system_of(c, i) &&
		    strcmp(system_of(c, i), system_of(c, event)) == 0 &&
		    strcmp(name_of(c, i), name_of(c, event)) == 0)
			return false;
	return true;
}

enum status trace_formats_read(struct trace_facts *facts, const char *tracefs,
			       const struct counters *c, struct error *error)
{
	struct str page = STR_NONE, event = STR_NONE;
	struct perf_write_format *formats =
		arena_alloc(&facts->arena, (c->event_count + 1) * sizeof(*formats));
	enum status status = formats ? ST_OK : error_nomem(error);
	size_t count = 0;

	for (size_t i = 0; i < c->event_count && status == ST_OK; i++) {
		char name[256];

		if (!system_of(c, i) || !is_first(c, i))
			continue;
		formats[count].system = system_of(c, i);
		snprintf(name, sizeof(name), "%s/%s/format", system_of(c, i),
			 name_of(c, i));
		status = read_file(&facts->arena, tracefs, name, &formats[count++].text,
				   error);
	}
	if (count == 0)
		return status;
	if (status == ST_OK)
		status = read_file(&facts->arena, tracefs, "header_page", &page, error);
	if (status == ST_OK)
		status = read_file(&facts->arena, tracefs, "header_event", &event, error);
	if (status != ST_OK)
		return status;
	perf_write_tracing_data(&facts->formats, page, event, formats, count);
	return facts->formats.failed ? error_nomem(error) : ST_OK;
}
