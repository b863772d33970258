/*
 * unknown.c - what is said of a name that nothing has.
 */
#include "base/array.h"
#include "capture/linux/events/private.h"
#include "common/suggest.h"

/* What `perf stat` measures itself: there is nothing for a kernel to count. */
static const char *const tool_names[] = { "duration_time", "user_time", "system_time" };

static void offer_events(struct suggest *nearest, const char *sysfs, const char *pmu)
{
	struct sysfs_names names;

	if (sysfs_list(&names, NULL, 0, "%s/%s/events", sysfs, pmu) != ST_OK)
		return;
	for (size_t i = 0; i < names.count; i++)
		if (pmu_is_event(names.names[i]))
			suggest_offer(nearest, names.names[i]);
	sysfs_names_release(&names);
}

/* Everything that could have been written without slashes and colons. */
static void offer_words(struct event_scope *scope, struct suggest *nearest)
{
	char name[EVENT_CACHE_NAME_MAX];
	uint64_t config;

	for (size_t i = 0; i < event_name_count; i++) {
		suggest_offer(nearest, event_names[i].name);
		if (event_names[i].alias)
			suggest_offer(nearest, event_names[i].alias);
	}
	for (size_t i = 0; event_cache_name(i, name, sizeof(name), &config); i++)
		suggest_offer(nearest, name);
	for (size_t i = 0; i < scope->pmus.count; i++)
		offer_events(nearest, scope->sources->sysfs, scope->pmus.pmus[i].name);
}

/* Systems near the word before the colon, or the names of that system. */
static void offer_tracepoints(struct event_scope *scope, struct str system,
			      struct suggest *nearest)
{
	const char *tracefs = scope->sources->tracefs;
	struct sysfs_names names;

	if (sysfs_list(&names, NULL, 0, "%s/events/%.*s", tracefs, (int)system.len,
		       system.ptr) != ST_OK)
		return;
	for (size_t i = 0; i < names.count; i++)
		suggest_offer(nearest, names.names[i]);
	sysfs_names_release(&names);
}

static enum status unknown_tracepoint(struct event_scope *scope, struct str name,
				      const char *why)
{
	size_t at = (size_t)((const char *)memchr(name.ptr, ':', name.len) - name.ptr);
	struct str system = { name.ptr, at };
	struct str event = { name.ptr + at + 1, name.len - at - 1 };
	enum status status = event_tracepoints_unreadable(scope, name, why);
	char text[SUGGEST_TEXT];
	struct suggest nearest;
	struct sysfs_names names;

	if (status != ST_OK)
		return status;
	if (sysfs_is_name(system) &&
	    sysfs_list(&names, NULL, 0, "%s/events/%.*s", scope->sources->tracefs,
		       (int)system.len, system.ptr) == ST_OK) {
		sysfs_names_release(&names);
		suggest_begin(&nearest, event);
		offer_tracepoints(scope, system, &nearest);
		suggest_text(&nearest, text, sizeof(text));
		return event_fail(scope, ST_UNSUPPORTED,
				  "no tracepoint '%s' in system '%s'%s",
				  event_shown(event).text, event_shown(system).text,
				  text);
	}
	suggest_begin(&nearest, system);
	offer_tracepoints(scope, STR(""), &nearest);
	suggest_text(&nearest, text, sizeof(text));
	return event_fail(scope, ST_UNSUPPORTED,
			  "no event '%s', and no tracepoints '%s:'%s%s",
			  event_shown(name).text, event_shown(system).text, text,
			  text[0] ? "" : why);
}

/* "cycles:x" */
static bool has_unknown_modifier(struct event_scope *scope, struct str name)
{
	const char *colon = memchr(name.ptr, ':', name.len);
	struct str base = { name.ptr, colon ? (size_t)(colon - name.ptr) : 0 };
	uint64_t config;
	uint32_t type;

	if (!colon || event_name_find(base, &type, &config) != ST_OK)
		return false;
	(void)event_fail(
		scope, ST_CORRUPT,
		"'%s' after '%s' are not modifiers, which are u k h G H I p P "
		"S D e",
		event_shown((struct str){ colon + 1, name.len - base.len - 1 }).text,
		event_shown(base).text);
	return true;
}

enum status event_unknown(struct event_scope *scope, struct str name, const char *why)
{
	char text[SUGGEST_TEXT];
	struct suggest nearest;

	for (size_t i = 0; i < ARRAY_COUNT(tool_names); i++)
		if (str_equal(name, str_of(tool_names[i])))
			return event_fail(scope, ST_UNSUPPORTED,
					  "'%s' is what perf measures itself, the kernel "
					  "has no such event",
					  tool_names[i]);
	if (has_unknown_modifier(scope, name))
		return ST_CORRUPT;
	if (memchr(name.ptr, ':', name.len) && !memmem(name.ptr, name.len, "::", 2))
		return unknown_tracepoint(scope, name, why);
	suggest_begin(&nearest, name);
	if (event_pmus(scope) == ST_OK)
		offer_words(scope, &nearest);
	suggest_text(&nearest, text, sizeof(text));
	return event_fail(scope, ST_UNSUPPORTED, "no event '%s' here%s%s",
			  event_shown(name).text, text, text[0] ? "" : why);
}
