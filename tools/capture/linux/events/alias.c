/*
 * alias.c - files below a PMU's events/: terms by a name, with a scale and a unit.
 *
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-events of Linux.
 */
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "capture/linux/events/terms.h"

static enum status read_scale(struct term_scope *scope, const char *event)
{
	struct sysfs_text text;
	enum status status;
	double scale;
	char *end;

	status = sysfs_read(&text, scope->scope->error, scope->scope->offset,
			    "%s/%s/events/%s.scale", scope->scope->sources->sysfs,
			    scope->pmu->name, event);
	if (status != ST_OK)
		return status == ST_END ? ST_OK : status;
	scale = strtod(text.text, &end);
	if (end == text.text || *end || !isfinite(scale) || scale <= 0)
		return event_fail(scope->scope, ST_CORRUPT,
				  "the scale of '%s' is '%s', not a number above 0",
				  event_shown(str_of(event)).text,
				  event_shown(str_of(text.text)).text);
	scope->event->scale = scale;
	return ST_OK;
}

static enum status read_unit(struct term_scope *scope, const char *event)
{
	struct sysfs_text text;
	enum status status;

	status = sysfs_read(&text, scope->scope->error, scope->scope->offset,
			    "%s/%s/events/%s.unit", scope->scope->sources->sysfs,
			    scope->pmu->name, event);
	if (status != ST_OK)
		return status == ST_END ? ST_OK : status;
	free(scope->event->unit);
	scope->event->unit = event_copy(str_of(event_shown(str_of(text.text)).text));
	return scope->event->unit ? ST_OK : error_nomem(scope->scope->error);
}

/* "?" in an event of sysfs: the user has to say it. */
static enum status need_typed(struct term_scope *scope, const struct term *asked,
			      const char *event)
{
	for (size_t i = 0; i < scope->typed->count; i++)
		if (scope->typed->terms[i].has_value &&
		    str_equal(scope->typed->terms[i].name, asked->name))
			return ST_OK;
	return event_fail(scope->scope, ST_CORRUPT, "event '%s' needs the term '%s='",
			  event_shown(str_of(event)).text, event_shown(asked->name).text);
}

static enum status apply_event(struct term_scope *scope, const char *event,
			       const struct sysfs_text *text)
{
	struct term_set set;
	enum status status = event_parse_terms(
		scope->scope, (struct str){ text->text, text->length }, &set);

	for (size_t i = 0; status == ST_OK && i < set.count; i++) {
		const struct term *term = &set.terms[i];

		if (str_equal(term->value, STR("?"))) {
			status = need_typed(scope, term, event);
			continue;
		}
		status = event_apply_config(scope, term);
		if (status == ST_END)
			status = event_apply_format(scope, term);
		if (status == ST_END)
			status = event_fail(scope->scope, ST_CORRUPT,
					    "event '%s' of PMU '%s' has the term '%s', "
					    "which is not in its format",
					    event_shown(str_of(event)).text,
					    event_shown(str_of(scope->pmu->name)).text,
					    event_shown(term->name).text);
	}
	if (status == ST_OK)
		status = read_scale(scope, event);
	return status == ST_OK ? read_unit(scope, event) : status;
}

/* Below events/, as it is written or, as perf does, in other case; ST_END: not there. */
static enum status find_event(struct term_scope *scope, struct str typed,
			      char name[NAME_MAX + 1], struct sysfs_text *text)
{
	const char *sysfs = scope->scope->sources->sysfs;
	struct sysfs_names names;
	enum status status;

	if (!sysfs_is_name(typed))
		return ST_END;
	snprintf(name, NAME_MAX + 1, "%.*s", (int)typed.len, typed.ptr);
	if (!pmu_is_event(name))
		return ST_END;
	status = sysfs_read(text, scope->scope->error, scope->scope->offset,
			    "%s/%s/events/%s", sysfs, scope->pmu->name, name);
	if (status != ST_END)
		return status;
	if (sysfs_list(&names, NULL, 0, "%s/%s/events", sysfs, scope->pmu->name) != ST_OK)
		return ST_END;
	for (size_t i = 0; i < names.count && status == ST_END; i++) {
		if (strcasecmp(names.names[i], name) != 0)
			continue;
		snprintf(name, NAME_MAX + 1, "%s", names.names[i]);
		status = sysfs_read(text, scope->scope->error, scope->scope->offset,
				    "%s/%s/events/%s", sysfs, scope->pmu->name, name);
	}
	sysfs_names_release(&names);
	return status;
}

enum status event_apply_alias(struct term_scope *scope, struct str typed)
{
	char name[NAME_MAX + 1];
	struct sysfs_text text;
	enum status status = find_event(scope, typed, name, &text);

	return status == ST_OK ? apply_event(scope, name, &text) : status;
}
