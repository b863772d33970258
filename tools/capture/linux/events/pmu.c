/*
 * pmu.c - PMU/TERM=VALUE,.../ and bare names of PMUs' own events, through sysfs.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <strings.h>

#include "capture/linux/events/private.h"
#include "common/suggest.h"

enum status event_pmus(struct event_scope *scope)
{
	enum status status;

	if (scope->pmus_read)
		return ST_OK;
	status = pmu_list_read(&scope->pmus, scope->sources->sysfs, scope->error,
			       scope->offset);
	scope->pmus_read = status == ST_OK;
	return status;
}

enum status event_set_pmu(struct event_scope *scope, struct capture_event *event,
			  const struct pmu *pmu)
{
	/* Uncore: CPUs that stand for all of their package; core: those it is part of. */
	static const char *const files[] = { "cpumask", "cpus" };
	struct sysfs_text text;

	event->pmu = event_copy(str_of(pmu->name));
	if (!event->pmu)
		return error_nomem(scope->error);
	for (size_t i = 0; i < 2; i++) {
		enum status status =
			sysfs_read(&text, scope->error, scope->offset, "%s/%s/%s",
				   scope->sources->sysfs, pmu->name, files[i]);

		if (status == ST_END)
			continue;
		if (status != ST_OK)
			return status;
		if (text.length == 0)
			return event_fail(scope, ST_UNSUPPORTED,
					  "no CPU of PMU '%s' is online",
					  event_shown(str_of(pmu->name)).text);
		if (strspn(text.text, "0123456789,-") != text.length)
			return event_fail(scope, ST_CORRUPT,
					  "'%s' of PMU '%s' is '%s', not a list of CPUs",
					  files[i], event_shown(str_of(pmu->name)).text,
					  event_shown(str_of(text.text)).text);
		event->cpus = event_copy(str_of(text.text));
		return event->cpus ? ST_OK : error_nomem(scope->error);
	}
	return ST_OK;
}

/*
 * "uncore_imc" and "imc" stand for uncore_imc_0, uncore_imc_1, ...; a name that ends in a
 * digit does not stand for one with more digits.
 */
static bool is_numbered(const char *folder, const char *typed)
{
	size_t length = strlen(typed);
	bool has_line;

	if (strncmp(folder, "uncore_", 7) == 0 && strncmp(typed, "uncore_", 7) != 0)
		folder += 7;
	if (length == 0 || strncmp(folder, typed, length) != 0)
		return false;
	folder += length;
	if (*folder == '\0')
		return true;
	has_line = *folder == '_';
	if (!has_line && isdigit((unsigned char)typed[length - 1]))
		return false;
	folder += has_line;
	/* Some of arm have an address there, in hex. */
	return *folder &&
	       folder[strspn(folder, strlen(folder) > 2 && has_line ? "0123456789abcdef"
								    : "0123456789")] ==
		       '\0';
}

static enum status add_one(struct event_scope *scope, const struct pmu *pmu,
			   struct str name, struct str terms)
{
	size_t first = scope->list->count;
	struct capture_event *event;
	enum status status = event_add(scope, name, pmu->type, 0, &event);

	if (status == ST_OK)
		status = event_set_pmu(scope, event, pmu);
	if (status == ST_OK)
		status = event_apply_terms(scope, event, pmu, terms);
	if (status != ST_OK)
		event_list_cut(scope->list, first);
	return status;
}

static enum status no_pmu(struct event_scope *scope, struct str typed)
{
	char known[120] = "";
	size_t at = 0;

	if (str_equal(typed, STR("uprobe")) || str_equal(typed, STR("kprobe")))
		return event_fail(
			scope, ST_UNSUPPORTED,
			"'%s': make the probe first (perf probe), then count its "
			"tracepoint, such as -e probe:NAME",
			event_shown(typed).text);
	for (size_t i = 0; i < scope->pmus.count; i++) {
		const char *name = scope->pmus.pmus[i].name;

		if (at + strlen(name) + 8 > sizeof(known)) {
			at += (size_t)snprintf(known + at, sizeof(known) - at, ", ...");
			break;
		}
		at += (size_t)snprintf(known + at, sizeof(known) - at, "%s%s",
				       at ? ", " : "", event_shown(str_of(name)).text);
		if (at >= sizeof(known))
			break;
	}
	if (scope->pmus.count == 0)
		return event_fail(scope, ST_UNSUPPORTED,
				  "no PMU '%s' here: there are none in '%s'",
				  event_shown(typed).text, scope->sources->sysfs);
	return event_fail(scope, ST_UNSUPPORTED, "no PMU '%s' here; there are %s",
			  event_shown(typed).text, known);
}

/* Each of several; one that lacks the event is left out unless all of them do. */
static enum status add_each(struct event_scope *scope, const bool *wanted,
			    struct str terms, struct str rest)
{
	struct error *error = scope->error, own = { .status = ST_OK };
	size_t first = scope->list->count;
	enum status status = ST_OK;

	scope->error = &own;
	for (size_t i = 0; i < scope->pmus.count; i++) {
		const struct pmu *pmu = &scope->pmus.pmus[i];
		char *name;

		if (!wanted[i])
			continue;
		name = event_join(pmu->name, "", rest, "");
		status = name ? add_one(scope, pmu, str_of(name), terms)
			      : error_nomem(&own);
		free(name);
		if (status == ST_NOMEM || status == ST_LIMIT)
			break;
		status = ST_OK;
	}
	scope->error = error;
	if (status == ST_OK && scope->list->count > first)
		return ST_OK;
	return error_set(error, own.status, scope->offset, "%s", own.text);
}

enum status event_add_pmu(struct event_scope *scope, struct str typed, struct str terms,
			  struct str whole)
{
	struct str rest = { whole.ptr + typed.len, whole.len - typed.len };
	bool wanted[EVENT_PMUS_MAX] = { false };
	size_t count = 0, last = 0;
	char name[NAME_MAX + 1];
	enum status status = event_pmus(scope);

	if (status != ST_OK)
		return status;
	if (!sysfs_is_name(typed))
		return no_pmu(scope, typed);
	snprintf(name, sizeof(name), "%.*s", (int)typed.len, typed.ptr);
	for (size_t i = 0; i < scope->pmus.count; i++)
		if (strcmp(scope->pmus.pmus[i].name, name) == 0)
			return add_one(scope, &scope->pmus.pmus[i], whole, terms);
	for (size_t i = 0; i < scope->pmus.count; i++) {
		wanted[i] = strpbrk(name, "*?[")
				    ? fnmatch(name, scope->pmus.pmus[i].name, 0) == 0
				    : is_numbered(scope->pmus.pmus[i].name, name);
		count += wanted[i];
		if (wanted[i])
			last = i;
	}
	if (count == 0)
		return no_pmu(scope, typed);
	if (count == 1)
		return add_one(scope, &scope->pmus.pmus[last], whole, terms);
	return add_each(scope, wanted, terms, rest);
}

/* Marks the PMUs that have such an event, cores or the others; returns how many. */
static size_t find_bare(struct event_scope *scope, const char *name, bool cores,
			bool *wanted)
{
	size_t count = 0;

	for (size_t i = 0; i < scope->pmus.count; i++) {
		const struct pmu *pmu = &scope->pmus.pmus[i];
		struct sysfs_text text;

		wanted[i] = pmu->is_core == cores &&
			    sysfs_read(&text, NULL, 0, "%s/%s/events/%s",
				       scope->sources->sysfs, pmu->name, name) == ST_OK;
		count += wanted[i];
	}
	return count;
}

enum status event_add_bare(struct event_scope *scope, struct str typed)
{
	bool wanted[EVENT_PMUS_MAX] = { false };
	char name[NAME_MAX + 1], rest[NAME_MAX + 3];
	enum status status = event_pmus(scope);
	size_t count;

	if (status != ST_OK)
		return status;
	if (!sysfs_is_name(typed))
		return ST_END;
	snprintf(name, sizeof(name), "%.*s", (int)typed.len, typed.ptr);
	if (!pmu_is_event(name))
		return ST_END;
	count = find_bare(scope, name, true, wanted);
	if (count == 0)
		count = find_bare(scope, name, false, wanted);
	if (count == 0)
		return ST_END;
	snprintf(rest, sizeof(rest), "/%s/", name);
	if (count > 1)
		return add_each(scope, wanted, typed, str_of(rest));
	for (size_t i = 0; i < scope->pmus.count; i++)
		if (wanted[i])
			return add_one(scope, &scope->pmus.pmus[i], typed, typed);
	return ST_END;
}
