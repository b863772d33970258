/* selection.c - parses requests and builds identifiers; see selection.h. */
#include "capture/perflib/selection.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/little_endian.h"
#include "base/pattern.h"
#include "capture/perflib/names.h"
#include "common/suggest.h"

#define SHOWN 60

/* One request and its parts; ptr NULL: not given. */
struct request {
	struct str words; /* the whole request */
	struct str set, instances, counters;
};

struct shown {
	char text[4 * SHOWN + 8];
};

static struct shown shown(struct str text)
{
	struct shown made;

	text_shown(made.text, sizeof(made.text), text, SHOWN);
	return made;
}

void selection_init(struct selection *selection, struct countersets *all)
{
	*selection = (struct selection){ .all = all };
}

void selection_release(struct selection *selection)
{
	free(selection->sets);
	free(selection->identifiers);
}

/* --- parsing --- */

static struct str part(struct str text, size_t from, size_t to)
{
	return (struct str){ text.ptr + from, to - from };
}

/* Length of the counterset name at the start of `text`; 0: unknown. */
static size_t name_length(const struct countersets *all, struct str text)
{
	size_t best = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct str names[] = { all->sets[i].name, all->sets[i].english };

		for (int n = 0; n < 2; n++) {
			size_t length = names[n].len;

			if (length <= best || length > text.len ||
			    !str_equal_nocase(part(text, 0, length), names[n]))
				continue;
			if (length == text.len || text.ptr[length] == '(' ||
			    text.ptr[length] == '\\')
				best = length;
		}
	}
	return best;
}

static size_t first_of(struct str text, const char *characters)
{
	size_t at = 0;

	while (at < text.len && !strchr(characters, text.ptr[at]))
		at++;
	return at;
}

/*
 * Names of countersets and of instances may contain parentheses: the longest existing
 * counterset name wins, and the instances end with the last parenthesis before the
 * counters.
 */
static enum status split(const struct countersets *all, struct request *request,
			 struct error *error)
{
	struct str text = request->words;
	size_t at, end;

	if (text.len && text.ptr[0] == '\\') /* Windows writes full paths so */
		text = part(text, 1, text.len);
	at = name_length(all, text);
	if (at == 0)
		at = first_of(text, "(\\");
	request->set = part(text, 0, at);
	if (at < text.len && text.ptr[at] == '(') {
		for (end = text.len; end > at; end--)
			if (text.ptr[end - 1] == ')' &&
			    (end == text.len || text.ptr[end] == '\\'))
				break;
		if (end == at)
			return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
					 "'%s': missing ')' after the instances",
					 shown(request->words).text);
		request->instances = part(text, at + 1, end - 1);
		at = end;
	}
	if (at < text.len)
		request->counters = part(text, at + 1, text.len);
	if (request->set.len == 0 ||
	    (request->instances.ptr && !request->instances.len) ||
	    (request->counters.ptr && !request->counters.len))
		return error_set(
			error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"invalid '%s': expected COUNTERSET[(INSTANCES)][\\COUNTERS]",
			shown(request->words).text);
	return ST_OK;
}

/* "#123" */
static bool parse_id(struct str text, uint32_t *id)
{
	uint64_t value = 0;

	if (text.len < 2 || text.len > 11 || text.ptr[0] != '#')
		return false;
	for (size_t i = 1; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		value = value * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	*id = (uint32_t)value;
	return value < SOURCE_ANY;
}

/* "{3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c}", whose first three parts are little-endian. */
static bool parse_guid(struct str text, uint8_t *guid)
{
	static const uint8_t places[] = { 3, 2, 1,  0,	5,  4,	7,  6,
					  8, 9, 10, 11, 12, 13, 14, 15 };
	char back[TEXT_GUID_BYTES];
	size_t digits = 0;

	if (text.len != TEXT_GUID_BYTES - 1)
		return false;
	memset(guid, 0, PLB_GUID_BYTES);
	for (size_t i = 0; i < text.len; i++) {
		const char *hex = "0123456789abcdef";
		char c = text.ptr[i] >= 'A' && text.ptr[i] <= 'F' ? text.ptr[i] + 32
								  : text.ptr[i];
		const char *digit = c ? strchr(hex, c) : NULL;

		if (digit && digits < 32) {
			uint8_t *byte = &guid[places[digits / 2]];

			*byte = (uint8_t)(*byte << 4 | (digit - hex));
			digits++;
		}
	}
	text_guid(back, guid); /* checks the braces and hyphens */
	return digits == 32 && str_equal_nocase(text, str_of(back));
}

/* --- identifiers --- */

/* Countersets without instances have an empty name of size 0. */
static enum status add_identifier(struct selection *selection,
				  const struct counterset *set, uint32_t counter,
				  uint32_t instance, struct str name, struct error *error)
{
	size_t bytes = name.len ? names_utf16(NULL, 0, name) : 0, size;
	uint8_t *at;

	if (bytes > 2 * SOURCE_NAME_UNITS_MAX)
		return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
				 "name too long: %zu characters, expected at most %d",
				 bytes / 2, SOURCE_NAME_UNITS_MAX);
	size = SOURCE_IDENTIFIER_BYTES + (name.len ? (bytes + 2 + 7) / 8 * 8 : 0);
	if (selection->count == SELECTION_IDENTIFIERS_MAX ||
	    selection->size + size > SELECTION_BYTES_MAX)
		return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
				 "too many counters: expected at most %d identifiers",
				 SELECTION_IDENTIFIERS_MAX);
	if (!ARRAY_GROW(selection->identifiers, selection->room, selection->size + size))
		return error_nomem(error);
	at = selection->identifiers + selection->size;
	memset(at, 0, size);
	memcpy(at, set->guid, PLB_GUID_BYTES);
	le_write_u32(at + 20, (uint32_t)size);
	le_write_u32(at + 24, counter);
	le_write_u32(at + 28, instance);
	le_write_u32(at + 32,
		     (uint32_t)selection->count); /* Index; the source replaces it */
	(void)names_utf16(at + SOURCE_IDENTIFIER_BYTES, size - SOURCE_IDENTIFIER_BYTES,
			  name);
	selection->size += size;
	selection->count++;
	return ST_OK;
}

static enum status intern_counterset(struct selection *selection, struct counterset *set,
				     struct error *error)
{
	for (size_t i = 0; i < selection->set_count; i++)
		if (selection->sets[i] == set)
			return ST_OK;
	if (!ARRAY_GROW(selection->sets, selection->set_room, selection->set_count))
		return error_nomem(error);
	selection->sets[selection->set_count++] = set;
	return ST_OK;
}

static bool counter_matches(const struct counterset_counter *counter, struct str pattern)
{
	uint32_t id;

	if (parse_id(pattern, &id))
		return counter->id == id;
	return (counter->name.ptr && pattern_match(pattern, counter->name)) ||
	       (counter->english.ptr && pattern_match(pattern, counter->english));
}

static enum status unknown_counter(const struct counterset *set, struct str pattern,
				   struct error *error)
{
	char suggestions[SUGGEST_TEXT], guid[TEXT_GUID_BYTES];
	struct suggest nearest;

	suggest_begin(&nearest, pattern);
	for (size_t i = 0; i < set->counter_count; i++) {
		const struct counterset_counter *counter = &set->counters[i];

		if (counter->name.ptr)
			suggest_offer(&nearest, counter->name.ptr);
		if (counter->english.ptr)
			suggest_offer(&nearest, counter->english.ptr);
	}
	suggest_text(&nearest, suggestions, sizeof(suggestions));
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "'%s' has no counter '%s'%s",
			 shown(str_of(counterset_name(set, guid))).text,
			 shown(pattern).text, suggestions);
}

/* The matching counters and their partners; the last element: any matches. */
static bool *choose_counters(const struct counterset *set, struct str pattern)
{
	bool *chosen = calloc(set->counter_count + 1, sizeof(*chosen));

	for (size_t i = 0; chosen && i < set->counter_count; i++) {
		const struct counterset_counter *counter = &set->counters[i];

		if (!counter_matches(counter, pattern))
			continue;
		chosen[i] = true;
		chosen[set->counter_count] = true; /* any matches */
		for (int which = 0; which < 4; which++) {
			const struct counterset_counter *partner =
				counterset_counter(set, counter->partners[which]);

			if (partner)
				chosen[partner - set->counters] = true;
		}
	}
	return chosen;
}

static enum status add_counters(struct selection *selection, const struct counterset *set,
				const struct request *request, uint32_t instance,
				struct str name, struct error *error)
{
	enum status status = ST_OK;
	uint32_t id;
	bool *chosen;

	if (!request->counters.ptr)
		return add_identifier(selection, set, SOURCE_ANY, instance, name, error);
	if (set->code != CODE_DONE && parse_id(request->counters, &id))
		return add_identifier(selection, set, id, instance, name, error);
	chosen = choose_counters(set, request->counters);
	if (!chosen)
		return error_nomem(error);
	if (!chosen[set->counter_count])
		status = unknown_counter(set, request->counters, error);
	for (size_t i = 0; status == ST_OK && i < set->counter_count; i++)
		if (chosen[i])
			status = add_identifier(selection, set, set->counters[i].id,
						instance, name, error);
	free(chosen);
	return status;
}

static enum status add_counterset(struct selection *selection, struct counterset *set,
				  const struct request *request, struct error *error)
{
	struct str name = request->instances.ptr ? request->instances : STR("*");
	uint32_t instance = SOURCE_ANY;
	enum status status;

	counterset_load(selection->all, set);
	if (selection->all->out_of_memory)
		return error_nomem(error);
	if (set->code == CODE_DONE && !(set->instance_type & SOURCE_HAS_INSTANCES)) {
		char guid[TEXT_GUID_BYTES];

		if (request->instances.ptr)
			return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
					 "'%s' has no instances",
					 shown(str_of(counterset_name(set, guid))).text);
		name = STR("");
	} else if (parse_id(name, &instance)) {
		name = STR("*");
	}
	status = add_counters(selection, set, request, instance, name, error);
	return status == ST_OK ? intern_counterset(selection, set, error) : status;
}

/* --- which countersets --- */

static enum status unknown_counterset(const struct countersets *all, struct str name,
				      struct error *error)
{
	char suggestions[SUGGEST_TEXT];

	if (all->code != CODE_DONE)
		return error_set(
			error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"cannot find '%s' without a list of countersets; use its "
			"{GUID}",
			shown(name).text);
	countersets_suggest(all, name, suggestions);
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET, "no counterset '%s'%s",
			 shown(name).text,
			 *suggestions ? suggestions
				      : " (see perftab-capture list countersets)");
}

static bool counterset_matches(const struct counterset *set, struct str name)
{
	return (set->name.ptr && pattern_match(name, set->name)) ||
	       (set->english.ptr && pattern_match(name, set->english)) ||
	       str_equal(name, STR("*"));
}

/* Whether a counterset found by pattern has the requested instances and counters. */
static bool can_provide(struct countersets *all, struct counterset *set,
			const struct request *request)
{
	bool provides = !request->counters.ptr;

	counterset_load(all, set);
	if (request->instances.ptr && !(set->instance_type & SOURCE_HAS_INSTANCES))
		return false;
	for (size_t i = 0; !provides && i < set->counter_count; i++)
		provides = counter_matches(&set->counters[i], request->counters);
	return provides;
}

enum status selection_add(struct selection *selection, const char *words,
			  struct error *error)
{
	struct countersets *all = selection->all;
	struct request request = { .words = str_of(words) };
	enum status status = split(all, &request, error);
	uint8_t guid[PLB_GUID_BYTES];
	bool found = false, is_pattern;

	selection->is_malformed = status != ST_OK;
	if (status != ST_OK)
		return status;
	if (parse_guid(request.set, guid)) {
		struct counterset *set = countersets_by_guid(all, guid);

		return set ? add_counterset(selection, set, &request, error)
			   : error_nomem(error);
	}
	is_pattern = pattern_has_wildcard(request.set);
	for (size_t i = 0; status == ST_OK && i < all->count; i++) {
		if (!counterset_matches(&all->sets[i], request.set) ||
		    (is_pattern && !can_provide(all, &all->sets[i], &request)))
			continue;
		found = true;
		status = add_counterset(selection, &all->sets[i], &request, error);
	}
	return status == ST_OK && !found ? unknown_counterset(all, request.set, error)
					 : status;
}
