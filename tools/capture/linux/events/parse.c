/*
 * parse.c - lists of names: commas, {groups}, slashes, and the owner of a name.
 *
 *	list  = item { "," item }
 *	item  = event | "{" event { "," event } "}" [ ":" modifiers ]
 *	event = "mem:" address ... | pmu "/" terms "/" [ ":" ] [ modifiers ]
 *	      | name [ ":" modifiers ]
 */
#include "capture/linux/events/private.h"

struct event_text {
	struct event_scope *scope;
	const char *text;
	size_t at, length;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void skip_space(struct event_text *text)
{
	while (text->at < text->length && is_space(text->text[text->at]))
		text->at++;
}

/* The next character that is not a space; 0: the end. */
static char next_char(struct event_text *text)
{
	skip_space(text);
	return text->at < text->length ? text->text[text->at] : '\0';
}

/* After the slash that ends the terms which begin at `at`; 0: there is none. */
static size_t terms_end(const char *text, size_t at, size_t length)
{
	bool is_quoted = false;

	for (; at < length; at++) {
		is_quoted ^= text[at] == '\'';
		if (text[at] == '/' && !is_quoted)
			return at + 1;
	}
	return 0;
}

static enum status fail_at(struct event_text *text, size_t at, const char *what)
{
	text->scope->offset = at;
	return event_fail(text->scope, ST_CORRUPT, "%s at character %zu", what, at + 1);
}

/* One event's text, without the space around it. */
static enum status parse_next_event(struct event_text *text, struct str *event)
{
	const char *start = text->text + text->at;
	bool is_breakpoint = text->length - text->at >= 4 && !memcmp(start, "mem:", 4);

	*event = (struct str){ start, 0 };
	while (text->at < text->length) {
		char c = text->text[text->at];

		if (c == ',' || c == '}')
			break;
		if (c == '{')
			return fail_at(text, text->at, "unexpected '{'");
		if (c == '/' && !is_breakpoint) {
			size_t end = terms_end(text->text, text->at + 1, text->length);

			if (!end)
				return fail_at(text, text->at,
					       "no second '/' after the one");
			text->at = end;
			continue;
		}
		text->at++;
	}
	event->len = (size_t)(text->text + text->at - start);
	while (event->len && is_space(start[event->len - 1]))
		event->len--;
	if (event->len == 0)
		return fail_at(text, text->at, "an event name is missing");
	text->scope->offset = (uint64_t)(start - text->text);
	if (event->len > EVENT_NAME_MAX)
		return event_fail(text->scope, ST_LIMIT,
				  "event name '%s' has %zu bytes, more than %d",
				  event_shown(*event).text, event->len, EVENT_NAME_MAX);
	return ST_OK;
}

static enum status modify_from(struct event_scope *scope, size_t first,
			       struct str letters)
{
	enum status status = ST_OK;

	for (size_t i = first; status == ST_OK && i < scope->list->count; i++)
		status = event_modify(scope, &scope->list->events[i], letters);
	return status;
}

static enum status add_slashed(struct event_scope *scope, struct str event, size_t slash)
{
	size_t end = terms_end(event.ptr, slash + 1, event.len), first;
	struct str pmu = { event.ptr, slash }, whole = { event.ptr, end };
	struct str terms = { event.ptr + slash + 1, end - slash - 2 };
	struct str rest = { event.ptr + end, event.len - end };
	enum status status;

	if (rest.len > 1 && rest.ptr[0] == ':') {
		rest.ptr++;
		rest.len--;
	}
	if (rest.len && !event_are_modifiers(rest))
		return event_fail(scope, ST_CORRUPT,
				  "'%s' after '%s' are not modifiers, which are u k h G "
				  "H I p P S D e",
				  event_shown(rest).text, event_shown(whole).text);
	first = scope->list->count;
	status = event_add_pmu(scope, pmu, terms, whole);
	return status == ST_OK ? modify_from(scope, first, rest) : status;
}

/* The part before the last colon, if what is behind it can be modifiers. */
static struct str without_modifiers(struct str name, struct str *letters)
{
	const char *colon = memrchr(name.ptr, ':', name.len);
	struct str base = name;

	*letters = (struct str){ name.ptr + name.len, 0 };
	if (!colon || colon == name.ptr || colon[-1] == ':')
		return base;
	*letters = (struct str){ colon + 1, (size_t)(name.ptr + name.len - colon) - 1 };
	if (event_are_modifiers(*letters))
		base.len = (size_t)(colon - name.ptr);
	else
		*letters = (struct str){ name.ptr + name.len, 0 };
	return base;
}

/* Names of the kernel first, then of PMUs here, of tracepoints, of processor models. */
static enum status find_word(struct event_scope *scope, struct str name, struct str base,
			     bool *is_whole, char *why, size_t why_size)
{
	enum status status = event_add_name(scope, base);

	*is_whole = false;
	if (status == ST_END)
		status = event_add_bare(scope, base);
	if (status == ST_END)
		status = event_add_tracepoint(scope, base);
	if (status != ST_END)
		return status;
	*is_whole = true;
	if (base.len != name.len)
		status = event_add_tracepoint(scope, name);
	if (status == ST_END)
		status = event_add_model(scope, name, why, why_size);
	if (status == ST_END && base.len != name.len) {
		*is_whole = false;
		status = event_add_model(scope, base, why, why_size);
	}
	return status;
}

static enum status add_word(struct event_scope *scope, struct str name)
{
	struct str letters, base = without_modifiers(name, &letters);
	size_t first = scope->list->count;
	char why[160] = "";
	bool is_whole;
	enum status status = find_word(scope, name, base, &is_whole, why, sizeof(why));

	if (status == ST_END)
		return event_unknown(scope, name, why);
	if (status == ST_OK && !is_whole)
		status = modify_from(scope, first, letters);
	return status;
}

static enum status parse_event(struct event_text *text)
{
	struct str event;
	const char *slash;
	enum status status;

	skip_space(text);
	status = parse_next_event(text, &event);
	if (status != ST_OK)
		return status;
	if (event.len >= 4 && memcmp(event.ptr, "mem:", 4) == 0)
		return event_add_breakpoint(text->scope, event);
	slash = memchr(event.ptr, '/', event.len);
	if (slash)
		return add_slashed(text->scope, event, (size_t)(slash - event.ptr));
	return add_word(text->scope, event);
}

/* The kernel has no groups across PMUs: each kind of core gets one of its own. */
static void number_group(struct event_text *text, size_t first)
{
	struct event_list *list = text->scope->list;

	list->groups++;
	for (size_t i = first; i < list->count; i++) {
		struct capture_event *event = &list->events[i];
		bool is_split = text->scope->pmus.cores > 1 && event->pmu && i > first &&
				list->events[first].pmu;

		event->group = list->events[first].group;
		if (i == first)
			event->group = list->groups;
		for (size_t k = first; is_split && k <= i; k++) {
			if (k == i)
				event->group = ++list->groups;
			else if (list->events[k].pmu &&
				 strcmp(list->events[k].pmu, event->pmu) == 0) {
				event->group = list->events[k].group;
				break;
			}
		}
	}
}

static enum status parse_group(struct event_text *text)
{
	size_t first = text->scope->list->count, open = text->at++;
	struct str letters;
	enum status status;

	do {
		if (next_char(text) == '{')
			return fail_at(text, text->at, "'{' within a group");
		status = parse_event(text);
		if (status != ST_OK)
			return status;
	} while (next_char(text) == ',' && text->at++ < text->length);
	if (next_char(text) != '}')
		return fail_at(text, open, "no '}' for the '{'");
	text->at++;
	number_group(text, first);
	if (text->at >= text->length || text->text[text->at] != ':')
		return ST_OK;
	letters = (struct str){ text->text + ++text->at, 0 };
	while (text->at < text->length && text->text[text->at] != ',' &&
	       !is_space(text->text[text->at])) {
		letters.len++;
		text->at++;
	}
	text->scope->offset = (uint64_t)(letters.ptr - text->text);
	if (!event_are_modifiers(letters))
		return event_fail(text->scope, ST_CORRUPT,
				  "'%s' after a group are not modifiers, which are u k "
				  "h G H I p P S D e",
				  event_shown(letters).text);
	return modify_from(text->scope, first, letters);
}

static enum status parse_list(struct event_text *text)
{
	for (;;) {
		enum status status =
			next_char(text) == '{' ? parse_group(text) : parse_event(text);
		char c;

		if (status != ST_OK)
			return status;
		c = next_char(text);
		if (c == '\0')
			return ST_OK;
		if (c == '}')
			return fail_at(text, text->at, "no '{' for the '}'");
		if (c != ',')
			return fail_at(text, text->at, "expected ','");
		text->at++;
	}
}

enum status event_parse(struct event_scope *scope, const char *names)
{
	struct event_text text = { .scope = scope,
				   .text = names,
				   .length = strlen(names) };
	size_t count = scope->list->count, groups = scope->list->groups;
	enum status status;

	if (text.length > EVENT_TEXT_MAX)
		return error_set(scope->error, ST_LIMIT, 0,
				 "the event names have %zu bytes, more than %d",
				 text.length, EVENT_TEXT_MAX);
	if (next_char(&text) == '\0')
		return error_set(scope->error, ST_CORRUPT, 0, "no event is named");
	status = parse_list(&text);
	if (status != ST_OK) {
		event_list_cut(scope->list, count);
		scope->list->groups = groups;
	}
	return status;
}

enum status event_list_parse(struct event_list *list, const struct event_sources *sources,
			     const char *names, struct error *error)
{
	struct event_scope scope = { .list = list, .sources = sources, .error = error };
	enum status status = event_parse(&scope, names);

	pmu_list_release(&scope.pmus);
	return status;
}
