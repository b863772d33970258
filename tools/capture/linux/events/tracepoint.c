/*
 * tracepoint.c - SYSTEM:NAME through tracefs, globs included.
 *
 * The kernel wants the number in events/SYSTEM/NAME/id as config.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/linux/events/private.h"

static bool has_wildcard(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* Mostly root's alone. */
static bool is_readable(const char *tracefs, char path[PATH_MAX])
{
	return snprintf(path, PATH_MAX, "%s/events", tracefs) < PATH_MAX &&
	       access(path, R_OK | X_OK) == 0;
}

enum status event_tracepoints_unreadable(struct event_scope *scope, struct str text,
					 const char *why)
{
	const char *tracefs = scope->sources->tracefs;
	char path[PATH_MAX];

	if (!tracefs)
		return event_fail(
			scope, ST_IO,
			"tracepoint '%s' cannot be looked up: there is no tracefs "
			"that this user can read%s",
			event_shown(text).text, why);
	if (is_readable(tracefs, path))
		return ST_OK;
	return event_fail(
		scope, ST_IO,
		"tracepoint '%s' cannot be looked up: '%s' cannot be read: %s%s",
		event_shown(text).text, path, strerror(errno), why);
}

static enum status add_one(struct event_scope *scope, const char *system,
			   const char *name)
{
	struct capture_event *event;
	struct sysfs_text text;
	enum status status;
	uint64_t number;
	char *whole;

	if (!sysfs_is_name(str_of(system)) || !sysfs_is_name(str_of(name)))
		return ST_END;
	status = sysfs_read(&text, scope->error, scope->offset, "%s/events/%s/%s/id",
			    scope->sources->tracefs, system, name);
	if (status != ST_OK)
		return status;
	if (!event_number((struct str){ text.text, text.length }, &number) ||
	    number > INT32_MAX)
		return event_fail(scope, ST_CORRUPT,
				  "the id of tracepoint '%s:%s' is '%s', not a number",
				  event_shown(str_of(system)).text,
				  event_shown(str_of(name)).text,
				  event_shown(str_of(text.text)).text);
	whole = event_join(system, ":", str_of(name), "");
	if (!whole)
		return error_nomem(scope->error);
	status = event_add(scope, str_of(whole), PERF_TYPE_TRACEPOINT, number, &event);
	free(whole);
	if (status != ST_OK)
		return status;
	event->tracepoint_system = event_copy(str_of(system));
	event->tracepoint_name = event_copy(str_of(name));
	if (!event->tracepoint_system || !event->tracepoint_name)
		return error_nomem(scope->error);
	return ST_OK;
}

/* Those of one system that match. */
static enum status add_matching(struct event_scope *scope, const char *system,
				const char *pattern, size_t first)
{
	struct sysfs_names names;
	enum status status;

	if (!has_wildcard(pattern))
		return add_one(scope, system, pattern);
	status = sysfs_list(&names, scope->error, scope->offset, "%s/events/%s",
			    scope->sources->tracefs, system);
	if (status != ST_OK)
		return status;
	for (size_t i = 0; i < names.count && status >= ST_OK; i++) {
		if (fnmatch(pattern, names.names[i], 0) != 0)
			continue;
		if (scope->list->count - first == EVENT_EXPANSION_MAX)
			status = event_fail(scope, ST_LIMIT,
					    "'%s:%s' stands for more than %d tracepoints",
					    event_shown(str_of(system)).text,
					    event_shown(str_of(pattern)).text,
					    EVENT_EXPANSION_MAX);
		else /* "enable" and "filter" are not folders: ST_END */
			status = add_one(scope, system, names.names[i]);
	}
	sysfs_names_release(&names);
	return status < ST_OK ? status : ST_OK;
}

static enum status add_from_systems(struct event_scope *scope, const char *systems,
				    const char *pattern)
{
	size_t first = scope->list->count;
	struct sysfs_names names;
	enum status status;

	status = sysfs_list(&names, scope->error, scope->offset, "%s/events",
			    scope->sources->tracefs);
	if (status != ST_OK)
		return status;
	for (size_t i = 0; i < names.count && status >= ST_OK; i++)
		if (fnmatch(systems, names.names[i], 0) == 0)
			status = add_matching(scope, names.names[i], pattern, first);
	sysfs_names_release(&names);
	return status < ST_OK ? status : ST_OK;
}

enum status event_add_tracepoint(struct event_scope *scope, struct str text)
{
	const char *colon = memchr(text.ptr, ':', text.len);
	size_t first = scope->list->count, at = colon ? (size_t)(colon - text.ptr) : 0;
	struct str system = { text.ptr, at };
	struct str name = { text.ptr + at + 1, text.len - at - 1 };
	char systems[NAME_MAX + 1], names[NAME_MAX + 1], path[PATH_MAX];
	enum status status;

	/* Unreadable is not an error yet: libpfm may know the name. */
	if (!colon || !scope->sources->tracefs || !sysfs_is_name(system) ||
	    !sysfs_is_name(name) || !is_readable(scope->sources->tracefs, path))
		return ST_END;
	snprintf(systems, sizeof(systems), "%.*s", (int)system.len, system.ptr);
	snprintf(names, sizeof(names), "%.*s", (int)name.len, name.ptr);
	if (has_wildcard(systems))
		status = add_from_systems(scope, systems, names);
	else
		status = add_matching(scope, systems, names, first);
	if (status != ST_OK)
		return status;
	return scope->list->count > first ? ST_OK : ST_END;
}
