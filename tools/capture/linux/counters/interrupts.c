/* interrupts.c - finds the tracepoints of interrupts; see interrupts.h. */
#include "capture/linux/counters/interrupts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define NAME_BYTES 64
#define ENTRY "_entry"
#define EXIT "_exit"

/* Pairs that all machines have; those of vectors are looked for. */
static const char *const pairs[] = { "irq:irq_handler", "irq:softirq" };

struct pair_list {
	char names[INTERRUPT_EDGES_MAX / 2]
		  [NAME_BYTES]; /* "system:event" without its end */
	size_t count;
};

static void add_pair(struct pair_list *list, const char *system, const char *event,
		     size_t length)
{
	if (list->count < INTERRUPT_EDGES_MAX / 2 &&
	    strlen(system) + 1 + length < NAME_BYTES - sizeof(ENTRY))
		snprintf(list->names[list->count++], NAME_BYTES, "%s%s%.*s", system,
			 *system ? ":" : "", (int)length, event);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/*
 * perf itself uses irq_work, so the kernel refuses its exit to perf (EPERM, Linux 6.18):
 * what it costs stays with the thread it interrupts.
 */
static void find_vectors(struct pair_list *list, const char *tracefs)
{
	char path[512];
	const struct dirent *entry;
	size_t first = list->count;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/events/irq_vectors", tracefs);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		size_t length = strlen(entry->d_name), end = sizeof(ENTRY) - 1;

		if (length > end && strcmp(entry->d_name + length - end, ENTRY) == 0 &&
		    strcmp(entry->d_name, "irq_work" ENTRY) != 0)
			add_pair(list, "irq_vectors", entry->d_name, length - end);
	}
	if (folder)
		closedir(folder);
	qsort(list->names + first, list->count - first, NAME_BYTES, by_name);
}

static enum status add_edge(struct event_list *list, const struct event_sources *sources,
			    const char *pair, const char *end, bool is_edge,
			    struct error *error)
{
	char name[NAME_BYTES + sizeof(ENTRY)];
	size_t first = list->count;
	enum status status;

	snprintf(name, sizeof(name), "%s%s", pair, end);
	status = event_list_parse(list, sources, name, error);
	for (size_t i = first; i < list->count; i++)
		list->events[i].is_edge = is_edge;
	return status;
}

enum status interrupts_add(struct event_list *list, const struct event_sources *sources,
			   enum interrupts interrupts, struct error *error)
{
	bool exact = interrupts == INTERRUPTS_EXACT;
	struct pair_list found = { .count = 0 };
	enum status status = ST_OK;

	if (interrupts == INTERRUPTS_NONE)
		return ST_OK;
	if (!sources->tracefs)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "--interrupts: the tracepoints of interrupts cannot be "
				 "read: tracefs is not mounted, or root's alone");
	for (size_t i = 0; i < ARRAY_COUNT(pairs); i++)
		add_pair(&found, "", pairs[i], strlen(pairs[i]));
	find_vectors(&found, sources->tracefs);
	for (size_t i = 0; i < found.count && status == ST_OK; i++) {
		status = add_edge(list, sources, found.names[i], ENTRY, exact, error);
		if (status == ST_OK && exact)
			status = add_edge(list, sources, found.names[i], EXIT, true,
					  error);
	}
	return status;
}
