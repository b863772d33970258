/*
 * fuzz_events.c - any bytes as a list of events, and as one file of sysfs or tracefs.
 *
 *	byte 0	the machine; its bit 6 (letters) also lists what there is
 *	byte 1	the file
 *	...	what it holds, up to the first newline
 *	...	the names, or the filter of the list
 *
 * libpfm is not asked: its faults are not ours, and it has no coverage.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "base/text.h"
#include "capture/linux/events/event.h"
#include "event_tree.h"
#include "harness.h"

#define TREES 5
#define NAMES_MAX 4096

/* None of them is in a tree of event_tree.c. */
static const char *const files[] = {
	"sysfs/cpu/format/odd",
	"sysfs/cpu/events/odd",
	"sysfs/cpu/events/slots.scale",
	"sysfs/cpu/events/slots.unit",
	"sysfs/cpu/cpumask",
	"sysfs/msr/cpus",
	"sysfs/odd/type",
	"tracefs/events/sched/odd/id",
	"sysfs/msr/caps/max_precise",
	"sysfs/cpu_atom/events/odd",
};
#define FILES (sizeof(files) / sizeof(files[0]))

static char folders[TREES][64];
static pid_t owner;

static void remove_trees(void)
{
	char command[512];

	if (owner != getpid()) /* a child of libFuzzer's */
		return;
	for (int i = 0; i < TREES; i++) {
		snprintf(command, sizeof(command), "rm -rf '%s'", folders[i]);
		if (system(command) != 0)
			perror(folders[i]);
	}
}

static void make_trees(void)
{
	owner = getpid();
	for (int i = 0; i < TREES; i++) {
		snprintf(folders[i], sizeof(folders[i]), "/tmp/perftab-fuzz-XXXXXX");
		if (!mkdtemp(folders[i]) ||
		    !event_tree_make(folders[i], (enum event_tree)i))
			abort();
	}
	atexit(remove_trees);
}

static bool counts(void *context, const struct capture_event *event)
{
	(void)context;
	return event->attr.config % 3 != 2;
}

/* Nothing in a message may move a cursor. */
static void check_text(const char *text)
{
	if (!text_is_valid(str_of(text)) || !text[0])
		abort();
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			abort();
}

static void check_list(const struct event_list *list)
{
	if (list->count == 0 || list->count > EVENT_LIST_MAX)
		abort();
	for (size_t i = 0; i < list->count; i++) {
		const struct capture_event *event = &list->events[i];

		if (!event->name || !(event->scale > 0) ||
		    event->attr.size != sizeof(event->attr) ||
		    event->group > list->groups ||
		    !event->tracepoint_system != !event->tracepoint_name)
			abort();
	}
}

static void parse(const struct event_sources *sources, const char *names)
{
	struct event_list list = { .count = 0 };
	struct error error = { .status = ST_OK };

	if (event_list_parse(&list, sources, names, &error) == ST_OK) {
		check_list(&list);
		answer_text(0, "%zu events in %zu groups, first %s", list.count,
			    (size_t)list.groups, list.events[0].name);
	} else {
		check_text(error.text);
		answer_text(1, "%s", error.text);
		if (list.count || list.groups || error.offset > strlen(names))
			abort();
	}
	event_list_release(&list);
}

static void print(const struct event_sources *sources, const char *filter, bool json)
{
	struct error error = { .status = ST_OK };
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return;
	if (event_list_print(to, sources, filter, json, &error) != ST_OK)
		check_text(error.text);
	fclose(to);
	if (json && error.status == ST_OK && !text_is_valid(str_of(text)))
		abort();
	if (error.status == ST_OK)
		answer_text(0, "a list of %zu bytes", size);
	else
		answer_text(1, "%s", error.text);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_sources sources = { .counts = counts };
	const uint8_t *line = size > 2 ? memchr(data + 2, '\n', size - 2) : NULL;
	char sysfs[80], tracefs[80], written[160], names[NAMES_MAX + 1];
	const char *folder, *file;
	size_t left;

	if (!line)
		return 0;
	if (!owner)
		make_trees();
	folder = folders[data[0] % TREES];
	file = files[data[1] % FILES];
	snprintf(sysfs, sizeof(sysfs), "%s/sysfs", folder);
	snprintf(tracefs, sizeof(tracefs), "%s/tracefs", folder);
	snprintf(written, sizeof(written), "%s/%s", folder, file);
	sources.sysfs = sysfs;
	sources.tracefs = tracefs;
	if (!event_tree_write(folder, file, data + 2, (size_t)(line - data) - 2))
		abort();
	left = size - (size_t)(line + 1 - data);
	left = left < NAMES_MAX ? left : NAMES_MAX;
	memcpy(names, line + 1, left);
	names[left] = '\0';
	parse(&sources, names);
	if (data[0] & 0x40)
		print(&sources, names[0] ? names : NULL, data[0] & 0x20);
	(void)unlink(written);
	return 0;
}
