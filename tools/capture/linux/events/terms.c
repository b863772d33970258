/*
 * terms.c - the terms between the slashes: fields of format/, names of events/.
 */
#include <stdlib.h>

#include "capture/linux/events/terms.h"
#include "common/suggest.h"

#include "base/array.h"

/* perf's words for how to record; this recorder has its own options for that. */
static const struct {
	const char *word, *why;
} refused[] = {
	{ "period", "counts are read at context switches, there is no period" },
	{ "freq", "counts are read at context switches, there is no frequency" },
	{ "percore", "counts are of CPUs and threads, not of cores" },
	{ "aux-output", "AUX areas are not recorded" },
	{ "aux-sample-size", "AUX areas are not recorded" },
	{ "branch_type", "branch stacks are not recorded" },
	{ "call-graph", "call chains are not recorded" },
	{ "driver-config", "driver settings are not supported" },
	{ "inherit", "inheritance is not set by event" },
	{ "no-inherit", "inheritance is not set by event" },
	{ "max-events", "the number of events is not limited" },
	{ "max-stack", "call chains are not recorded" },
	{ "metric-id", "metrics are not supported" },
	{ "no-overwrite", "buffers are not set by event" },
	{ "nr", "the number of events is not limited" },
	{ "overwrite", "buffers are not set by event" },
	{ "stack-size", "stacks are not recorded" },
	{ "time", "times are always recorded" },
};

static struct str trim(struct str text)
{
	while (text.len && strchr(" \t\n", text.ptr[text.len - 1]))
		text.len--;
	while (text.len && strchr(" \t\n", text.ptr[0])) {
		text.ptr++;
		text.len--;
	}
	return text;
}

/* Up to a comma outside of quotes; *text is moved past it. */
static struct str parse_term(struct str *text, bool *more)
{
	struct str term = { text->ptr, 0 };
	bool is_quoted = false;

	for (; term.len < text->len; term.len++) {
		is_quoted ^= text->ptr[term.len] == '\'';
		if (text->ptr[term.len] == ',' && !is_quoted)
			break;
	}
	*more = term.len < text->len;
	text->ptr += term.len + *more;
	text->len -= term.len + *more;
	return trim(term);
}

enum status event_parse_terms(struct event_scope *scope, struct str text,
			      struct term_set *set)
{
	bool more = trim(text).len > 0;

	set->count = 0;
	while (more) {
		struct str whole = parse_term(&text, &more);
		const char *equals = whole.len ? memchr(whole.ptr, '=', whole.len) : NULL;
		struct term *term = &set->terms[set->count];

		if (set->count == EVENT_TERMS_MAX)
			return event_fail(scope, ST_LIMIT, "more than %d terms",
					  EVENT_TERMS_MAX);
		term->name = whole;
		term->value = STR_NONE;
		term->has_value = equals != NULL;
		if (equals) {
			term->name.len = (size_t)(equals - whole.ptr);
			term->value.ptr = equals + 1;
			term->value.len = whole.len - term->name.len - 1;
			term->name = trim(term->name);
			term->value = trim(term->value);
		}
		if (term->name.len == 0)
			return event_fail(scope, ST_CORRUPT,
					  "a term is missing between the slashes");
		if (equals && term->value.len == 0)
			return event_fail(scope, ST_CORRUPT, "term '%s' has no value",
					  event_shown(term->name).text);
		set->count++;
	}
	return ST_OK;
}

static enum status number_of(struct event_scope *scope, const struct term *term,
			     uint64_t *value)
{
	*value = 1;
	if (!term->has_value || event_number(term->value, value))
		return ST_OK;
	return event_fail(scope, ST_CORRUPT,
			  "value '%s' of term '%s' is not a number of at most 64 bits",
			  event_shown(term->value).text, event_shown(term->name).text);
}

/* Into the word of the attr; where this attr has no such word, that is said. */
static enum status word_of(struct term_scope *scope, unsigned int number, __u64 **word)
{
	*word = event_config_word(&scope->event->attr, number);
	if (*word)
		return ST_OK;
	return event_fail(scope->scope, ST_UNSUPPORTED,
			  "config%u is newer than the kernel headers of this build",
			  number);
}

static enum status write_format(struct term_scope *scope, const struct term *term,
				const char *text)
{
	struct pmu_format format;
	enum status status;
	unsigned int width;
	uint64_t value;
	__u64 *word;

	if (!pmu_format_parse(&format, text))
		return event_fail(scope->scope, ST_CORRUPT,
				  "the format of '%s' is '%s', not bits of config",
				  event_shown(term->name).text,
				  event_shown(str_of(text)).text);
	status = number_of(scope->scope, term, &value);
	if (status == ST_OK)
		status = word_of(scope, format.word, &word);
	if (status != ST_OK)
		return status;
	width = pmu_format_width(&format);
	if (width < 64 && value >> width)
		return event_fail(scope->scope, ST_CORRUPT,
				  "value %#llx does not fit %s, which has %u bit%s",
				  (unsigned long long)value, event_shown(term->name).text,
				  width, width == 1 ? "" : "s");
	*word = pmu_format_write(&format, *word, value);
	return ST_OK;
}

/* ST_END: the PMU's format has no such field. */
enum status event_apply_format(struct term_scope *scope, const struct term *term)
{
	struct sysfs_text text;
	enum status status;

	if (!sysfs_is_name(term->name))
		return ST_END;
	status = sysfs_read(&text, scope->scope->error, scope->scope->offset,
			    "%s/%s/format/%.*s", scope->scope->sources->sysfs,
			    scope->pmu->name, (int)term->name.len, term->name.ptr);
	return status == ST_OK ? write_format(scope, term, text.text) : status;
}

/* config=, config1=, ...: the whole word. */
enum status event_apply_config(struct term_scope *scope, const struct term *term)
{
	unsigned int number = 0;
	enum status status;
	uint64_t value;
	__u64 *word;

	if (term->name.len < 6 || term->name.len > 7 || !term->has_value ||
	    memcmp(term->name.ptr, "config", 6) != 0)
		return ST_END;
	if (term->name.len == 7) {
		if (term->name.ptr[6] < '1' || term->name.ptr[6] > '9')
			return ST_END;
		number = (unsigned int)(term->name.ptr[6] - '0');
	}
	status = word_of(scope, number, &word);
	if (status == ST_OK)
		status = number_of(scope->scope, term, &value);
	if (status == ST_OK)
		*word = value;
	return status;
}

/* The kernel's own names, which a core PMU need not list: cpu_core/L1-dcache-loads/. */
static enum status apply_generic(struct term_scope *scope, struct str name)
{
	uint64_t config;
	uint32_t type;

	if (!scope->pmu->is_core || event_name_find(name, &type, &config) != ST_OK ||
	    type == PERF_TYPE_SOFTWARE)
		return ST_END;
	scope->event->attr.type = type;
	scope->event->attr.config = config;
	if (scope->scope->pmus.cores > 1)
		scope->event->attr.config |= (uint64_t)scope->pmu->type << 32;
	return ST_OK;
}

static enum status unknown_term(struct term_scope *scope, struct str name)
{
	static const char *const folders[] = { "format", "events" };
	char near_names[SUGGEST_TEXT];
	struct suggest nearest;

	suggest_begin(&nearest, name);
	for (size_t k = 0; k < 2; k++) {
		struct sysfs_names names;

		if (sysfs_list(&names, NULL, 0, "%s/%s/%s", scope->scope->sources->sysfs,
			       scope->pmu->name, folders[k]) != ST_OK)
			continue;
		for (size_t i = 0; i < names.count; i++)
			if (pmu_is_event(names.names[i]))
				suggest_offer(&nearest, names.names[i]);
		sysfs_names_release(&names);
	}
	suggest_text(&nearest, near_names, sizeof(near_names));
	return event_fail(scope->scope, ST_UNSUPPORTED,
			  "PMU '%s' has no event or term '%s'%s",
			  event_shown(str_of(scope->pmu->name)).text,
			  event_shown(name).text, near_names);
}

static enum status apply_bare(struct term_scope *scope, const struct term *term)
{
	uint64_t config;
	enum status status = event_apply_alias(scope, term->name);

	if (status == ST_END)
		status = apply_generic(scope, term->name);
	if (status == ST_END && term->name.len > 1 && term->name.ptr[0] == 'r' &&
	    event_hex((struct str){ term->name.ptr + 1, term->name.len - 1 }, &config)) {
		scope->event->attr.config = config;
		status = ST_OK;
	}
	return status;
}

static enum status apply_term(struct term_scope *scope, const struct term *term)
{
	enum status status = event_apply_format(scope, term);

	if (status != ST_END)
		return status;
	if (!term->has_value)
		status = apply_bare(scope, term);
	for (size_t i = 0; status == ST_END && i < ARRAY_COUNT(refused); i++)
		if (str_equal(term->name, str_of(refused[i].word)))
			return event_fail(scope->scope, ST_UNSUPPORTED, "term '%s': %s",
					  refused[i].word, refused[i].why);
	return status == ST_END ? unknown_term(scope, term->name) : status;
}

/* name='what the user calls it' */
static enum status apply_name(struct term_scope *scope, const struct term *term)
{
	struct str value = term->value;
	char *name;

	if (!str_equal(term->name, STR("name")) || !term->has_value)
		return ST_END;
	if (value.len >= 2 && value.ptr[0] == '\'' && value.ptr[value.len - 1] == '\'') {
		value.ptr++;
		value.len -= 2;
	}
	if (value.len == 0)
		return event_fail(scope->scope, ST_CORRUPT, "term 'name' has no value");
	name = event_copy(value);
	if (!name)
		return error_nomem(scope->scope->error);
	free(scope->event->name);
	scope->event->name = name;
	scope->event->is_named = true;
	return ST_OK;
}

/*
 * Whole words first, then what names an event, then single fields: those that the user
 * writes override those of the event, in whatever order they stand.
 */
enum status event_apply_terms(struct event_scope *scope, struct capture_event *event,
			      const struct pmu *pmu, struct str text)
{
	struct term_set typed;
	struct term_scope here = {
		.scope = scope, .event = event, .pmu = pmu, .typed = &typed
	};
	bool done[EVENT_TERMS_MAX] = { false };
	enum status status = event_parse_terms(scope, text, &typed);

	for (size_t i = 0; status >= ST_OK && i < typed.count; i++) {
		status = event_apply_config(&here, &typed.terms[i]);
		if (status == ST_END)
			status = apply_name(&here, &typed.terms[i]);
		done[i] = status == ST_OK;
	}
	for (int has_value = 0; has_value < 2; has_value++)
		for (size_t i = 0; status >= ST_OK && i < typed.count; i++)
			if (!done[i] && typed.terms[i].has_value == (has_value != 0))
				status = apply_term(&here, &typed.terms[i]);
	return status < ST_OK ? status : ST_OK;
}
