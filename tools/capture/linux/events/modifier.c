/*
 * modifier.c - the letters after the colon: u k h, G H, I, p P, S, D, e.
 *
 * The meaning is that of tools/perf/util/parse-events.c: letters add up, those of a group
 * after those of its member.  Unlike perf before 6.13 guests are counted unless G or H,
 * or p, says something else: who runs a guest pays for it.
 */
#include <stdlib.h>

#include "capture/linux/events/private.h"

#define PRECISE_MAX 3

/* W, b and R are known to be refused with a reason. */
static const char known[] = "ukhpPGHISDeWbR";

bool event_are_modifiers(struct str letters)
{
	for (size_t i = 0; i < letters.len; i++)
		if (letters.ptr[i] == '\0' || !strchr(known, letters.ptr[i]))
			return false;
	return letters.len > 0;
}

/* The first of u, k and h excludes the other two. */
static void exclude_all(struct perf_event_attr *attr)
{
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv)
		return;
	attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 1;
}

static void exclude_both(struct capture_event *event)
{
	if (strpbrk(event->modifiers, "GH"))
		return;
	event->attr.exclude_host = event->attr.exclude_guest = 1;
}

static enum status refuse(struct event_scope *scope, char letter)
{
	switch (letter) {
	case 'W':
		return event_fail(scope, ST_UNSUPPORTED,
				  "modifier 'W' (weak group) is not supported: a group "
				  "is counted as a whole or not at all");
	case 'b':
		return event_fail(scope, ST_UNSUPPORTED,
				  "modifier 'b' (count with BPF) is not supported");
	case 'R':
		return event_fail(scope, ST_UNSUPPORTED,
				  "modifier 'R' (retirement latency) is not supported");
	default:
		return event_fail(scope, ST_CORRUPT, "unknown modifier '%s'",
				  event_shown((struct str){ &letter, 1 }).text);
	}
}

static enum status apply(struct event_scope *scope, struct capture_event *event,
			 char letter)
{
	struct perf_event_attr *attr = &event->attr;

	switch (letter) {
	case 'u':
		exclude_all(attr);
		attr->exclude_user = 0;
		return ST_OK;
	case 'k':
		exclude_all(attr);
		attr->exclude_kernel = 0;
		return ST_OK;
	case 'h':
		exclude_all(attr);
		attr->exclude_hv = 0;
		return ST_OK;
	case 'G':
		exclude_both(event);
		attr->exclude_guest = 0;
		return ST_OK;
	case 'H':
		exclude_both(event);
		attr->exclude_host = 0;
		return ST_OK;
	case 'I':
		attr->exclude_idle = 1;
		return ST_OK;
	case 'p':
		if (attr->precise_ip == PRECISE_MAX)
			return event_fail(scope, ST_CORRUPT,
					  "more than %d of modifier 'p'", PRECISE_MAX);
		attr->precise_ip = (attr->precise_ip + 1U) & 3;
		if (!strpbrk(event->modifiers, "GH"))
			attr->exclude_guest = 1; /* the kernel wants it so */
		return ST_OK;
	case 'P':
		event->precise_max = true;
		return ST_OK;
	case 'D':
		attr->pinned = 1;
		return ST_OK;
	case 'e':
		attr->exclusive = 1;
		return ST_OK;
	case 'S': /* groups are read as a whole anyway */
		return ST_OK;
	default:
		return refuse(scope, letter);
	}
}

/* ":u", or "u" after a slash or further letters. */
static enum status lengthen_name(struct event_scope *scope, struct capture_event *event,
				 char letter)
{
	size_t count = strlen(event->modifiers), length = strlen(event->name);
	bool has_colon = count || (length && event->name[length - 1] == '/');
	char *name;

	if (letter != 'p' && strchr(event->modifiers, letter))
		return ST_OK;
	if (count + 1 >= sizeof(event->modifiers))
		return event_fail(scope, ST_LIMIT, "more than %d modifiers",
				  EVENT_MODIFIERS_MAX - 1);
	event->modifiers[count] = letter;
	if (event->is_named)
		return ST_OK;
	name = event_join(event->name, has_colon ? "" : ":", (struct str){ &letter, 1 },
			  "");
	if (!name)
		return error_nomem(scope->error);
	free(event->name);
	event->name = name;
	return ST_OK;
}

/* Without caps/max_precise the recorder has to find out. */
static enum status set_precise_max(struct event_scope *scope, struct capture_event *event)
{
	const char *pmu = event->pmu ? event->pmu : "cpu";
	struct sysfs_text text;
	uint64_t most;

	event->attr.precise_ip = PRECISE_MAX;
	if (sysfs_read(&text, NULL, 0, "%s/%s/caps/max_precise", scope->sources->sysfs,
		       pmu) == ST_OK &&
	    event_number((struct str){ text.text, text.length }, &most) &&
	    most <= PRECISE_MAX)
		event->attr.precise_ip = most & 3;
	return ST_OK;
}

enum status event_modify(struct event_scope *scope, struct capture_event *event,
			 struct str letters)
{
	for (size_t i = 0; i < letters.len; i++) {
		enum status status = apply(scope, event, letters.ptr[i]);

		if (status == ST_OK)
			status = lengthen_name(scope, event, letters.ptr[i]);
		if (status != ST_OK)
			return status;
	}
	return event->precise_max ? set_precise_max(scope, event) : ST_OK;
}
