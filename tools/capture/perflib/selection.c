/* selection.c - see selection.h. */
#include "selection.h"

#include <stdlib.h>

#include "base/little_endian.h"
#include "common/suggest.h"
#include "names.h"

#define SHOWN 60

/* The parts of one wish; ptr NULL: not given. */
struct wish {
	struct str words; /* all of it */
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

void selection_begin(struct selection *selection, struct countersets *all)
{
	*selection = (struct selection){ .all = all };
}

void selection_release(struct selection *selection)
{
	free(selection->sets);
	free(selection->identifiers);
}

/* --- words into parts --- */

static struct str part(struct str text, size_t from, size_t to)
{
	return (struct str){ text.ptr + from, to - from };
}

/* Bytes of the counterset's name at the start of `text`, 0: none that is known. */
static size_t known_length(const struct countersets *all, struct str text)
{
	size_t best = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct str names[] = { all->sets[i].name, all->sets[i].english };

		for (int n = 0; n < 2; n++) {
			size_t length = names[n].len;

			if (length <= best || length > text.len ||
			    !names_equal(part(text, 0, length), names[n]))
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

/* Names of countersets and of instances may have parentheses in them: the set is the
 * longest one that there is, and instances end with the last parenthesis before the
 * counters. */
static enum status split(const struct countersets *all, struct wish *wish,
			 struct error *error)
{
	struct str text = wish->words;
	size_t at, end;

	if (text.len && text.ptr[0] == '\\') /* as Windows writes whole paths */
		text = part(text, 1, text.len);
	at = known_length(all, text);
	if (at == 0)
		at = first_of(text, "(\\");
	wish->set = part(text, 0, at);
	if (at < text.len && text.ptr[at] == '(') {
		for (end = text.len; end > at; end--)
			if (text.ptr[end - 1] == ')' &&
			    (end == text.len || text.ptr[end] == '\\'))
				break;
		if (end == at)
			return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
					 "'%s': a ')' is missing behind the instances",
					 shown(wish->words).text);
		wish->instances = part(text, at + 1, end - 1);
		at = end;
	}
	if (at < text.len)
		wish->counters = part(text, at + 1, text.len);
	if (wish->set.len == 0 || (wish->instances.ptr && !wish->instances.len) ||
	    (wish->counters.ptr && !wish->counters.len))
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "'%s' is not COUNTERSET[(INSTANCES)][\\COUNTERS]",
				 shown(wish->words).text);
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

/* "{3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c}", whose first three parts are numbers. */
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
	text_guid(back, guid); /* braces and hyphens where they belong */
	return digits == 32 && names_equal(text, str_of(back));
}

/* --- identifiers --- */

static bool make_room(struct selection *selection, size_t size)
{
	size_t room = selection->room ? selection->room : 1024;
	uint8_t *moved;

	while (room < selection->size + size)
		room *= 2;
	if (room == selection->room)
		return true;
	moved = realloc(selection->identifiers, room);
	if (!moved)
		return false;
	selection->identifiers = moved;
	selection->room = room;
	return true;
}

/* Sets without instances have an empty name, and no room for it. */
static enum status put(struct selection *selection, const struct counterset *set,
		       uint32_t counter, uint32_t instance, struct str name,
		       struct error *error)
{
	size_t bytes = name.len ? names_utf16(NULL, 0, name) : 0, size;
	uint8_t *at;

	if (bytes > 2 * SOURCE_NAME_UNITS_MAX)
		return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
				 "a name of %zu characters, expected at most %d",
				 bytes / 2, SOURCE_NAME_UNITS_MAX);
	size = SOURCE_IDENTIFIER_BYTES + (name.len ? (bytes + 2 + 7) / 8 * 8 : 0);
	if (selection->count == SELECTION_IDENTIFIERS_MAX ||
	    selection->size + size > SELECTION_BYTES_MAX)
		return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
				 "more than %d identifiers of counters",
				 SELECTION_IDENTIFIERS_MAX);
	if (!make_room(selection, size))
		return error_nomem(error);
	at = selection->identifiers + selection->size;
	memset(at, 0, size);
	memcpy(at, set->guid, PLB_GUID_BYTES);
	le_put_u32(at + 20, (uint32_t)size);
	le_put_u32(at + 24, counter);
	le_put_u32(at + 28, instance);
	le_put_u32(at + 32, (uint32_t)selection->count); /* Index: ours, until it says */
	(void)names_utf16(at + SOURCE_IDENTIFIER_BYTES, size - SOURCE_IDENTIFIER_BYTES,
			  name);
	selection->size += size;
	selection->count++;
	return ST_OK;
}

static enum status note_set(struct selection *selection, struct counterset *set,
			    struct error *error)
{
	struct counterset **moved;
	size_t room = selection->set_room ? 2 * selection->set_room : 16;

	for (size_t i = 0; i < selection->set_count; i++)
		if (selection->sets[i] == set)
			return ST_OK;
	if (selection->set_count == selection->set_room) {
		moved = realloc(selection->sets, room * sizeof(struct counterset *));
		if (!moved)
			return error_nomem(error);
		selection->sets = moved;
		selection->set_room = room;
	}
	selection->sets[selection->set_count++] = set;
	return ST_OK;
}

static bool counter_fits(const struct counterset_counter *counter, struct str pattern)
{
	uint32_t id;

	if (parse_id(pattern, &id))
		return counter->id == id;
	return (counter->name.ptr && names_fit(pattern, counter->name)) ||
	       (counter->english.ptr && names_fit(pattern, counter->english));
}

static enum status no_counter(const struct counterset *set, struct str pattern,
			      struct error *error)
{
	char near_names[NEAR_TEXT], guid[TEXT_GUID_BYTES];
	struct near nearest;

	near_begin(&nearest, pattern);
	for (size_t i = 0; i < set->counter_count; i++) {
		const struct counterset_counter *counter = &set->counters[i];

		if (counter->name.ptr)
			near_offer(&nearest, counter->name.ptr);
		if (counter->english.ptr)
			near_offer(&nearest, counter->english.ptr);
	}
	near_text(&nearest, near_names, sizeof(near_names));
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "'%s' has no counter '%s'%s",
			 shown(str_of(counterset_name(set, guid))).text,
			 shown(pattern).text, near_names);
}

/* The counters that fit, and those without which they mean nothing. */
static bool *choose_counters(const struct counterset *set, struct str pattern)
{
	bool *chosen = calloc(set->counter_count + 1, sizeof(*chosen));

	for (size_t i = 0; chosen && i < set->counter_count; i++) {
		const struct counterset_counter *counter = &set->counters[i];

		if (!counter_fits(counter, pattern))
			continue;
		chosen[i] = true;
		chosen[set->counter_count] = true; /* there is one */
		for (int which = 0; which < 4; which++) {
			const struct counterset_counter *partner =
				counterset_counter(set, counter->partners[which]);

			if (partner)
				chosen[partner - set->counters] = true;
		}
	}
	return chosen;
}

static enum status put_counters(struct selection *selection, const struct counterset *set,
				const struct wish *wish, uint32_t instance,
				struct str name, struct error *error)
{
	enum status status = ST_OK;
	uint32_t id;
	bool *chosen;

	if (!wish->counters.ptr)
		return put(selection, set, SOURCE_ANY, instance, name, error);
	if (set->code != CODE_DONE && parse_id(wish->counters, &id))
		return put(selection, set, id, instance, name, error);
	chosen = choose_counters(set, wish->counters);
	if (!chosen)
		return error_nomem(error);
	if (!chosen[set->counter_count])
		status = no_counter(set, wish->counters, error);
	for (size_t i = 0; status == ST_OK && i < set->counter_count; i++)
		if (chosen[i])
			status = put(selection, set, set->counters[i].id, instance, name,
				     error);
	free(chosen);
	return status;
}

static enum status add_set(struct selection *selection, struct counterset *set,
			   const struct wish *wish, struct error *error)
{
	struct str name = wish->instances.ptr ? wish->instances : STR("*");
	uint32_t instance = SOURCE_ANY;
	enum status status;

	counterset_look(selection->all, set);
	if (selection->all->out_of_memory)
		return error_nomem(error);
	if (set->code == CODE_DONE && !(set->instance_type & SOURCE_HAS_INSTANCES)) {
		char guid[TEXT_GUID_BYTES];

		if (wish->instances.ptr)
			return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
					 "'%s' has no instances",
					 shown(str_of(counterset_name(set, guid))).text);
		name = STR("");
	} else if (parse_id(name, &instance)) {
		name = STR("*");
	}
	status = put_counters(selection, set, wish, instance, name, error);
	return status == ST_OK ? note_set(selection, set, error) : status;
}

/* --- which countersets --- */

static enum status no_set(const struct countersets *all, struct str name,
			  struct error *error)
{
	char near_names[NEAR_TEXT];

	if (all->code != CODE_DONE)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "'%s' cannot be found where countersets cannot be "
				 "listed; a {GUID} can",
				 shown(name).text);
	countersets_near(all, name, near_names);
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "there is no counterset '%s'%s", shown(name).text,
			 *near_names ? near_names
				     : " (perftab-capture list countersets shows them)");
}

static bool set_fits(const struct counterset *set, struct str name)
{
	return (set->name.ptr && names_fit(name, set->name)) ||
	       (set->english.ptr && names_fit(name, set->english)) ||
	       str_equal(name, STR("*"));
}

/* Of a pattern of sets, those that can give what is asked for. */
static bool is_able(struct countersets *all, struct counterset *set,
		    const struct wish *wish)
{
	bool able = !wish->counters.ptr;

	counterset_look(all, set);
	if (wish->instances.ptr && !(set->instance_type & SOURCE_HAS_INSTANCES))
		return false;
	for (size_t i = 0; !able && i < set->counter_count; i++)
		able = counter_fits(&set->counters[i], wish->counters);
	return able;
}

enum status selection_add(struct selection *selection, const char *words,
			  struct error *error)
{
	struct countersets *all = selection->all;
	struct wish wish = { .words = str_of(words) };
	enum status status = split(all, &wish, error);
	uint8_t guid[PLB_GUID_BYTES];
	bool found = false, is_pattern;

	if (status != ST_OK)
		return status;
	if (parse_guid(wish.set, guid)) {
		struct counterset *set = countersets_by_guid(all, guid);

		return set ? add_set(selection, set, &wish, error) : error_nomem(error);
	}
	is_pattern = names_is_pattern(wish.set);
	for (size_t i = 0; status == ST_OK && i < all->count; i++) {
		if (!set_fits(&all->sets[i], wish.set) ||
		    (is_pattern && !is_able(all, &all->sets[i], &wish)))
			continue;
		found = true;
		status = add_set(selection, &all->sets[i], &wish, error);
	}
	return status == ST_OK && !found ? no_set(all, wish.set, error) : status;
}
