/* dictionary.c - finds texts by a hash; see dictionary.h. */
#include "output/parquet/dictionary.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"

struct dictionary_entry {
	uint32_t number;
	struct dictionary_entry *next; /* of the same hash */
};

static uint32_t add(struct dictionary *dictionary, struct str text, uint64_t hash,
		    bool is_utf8)
{
	struct dictionary_entry *entry;
	struct str own;

	if (dictionary->count == DICTIONARY_NONE ||
	    !ARRAY_GROW(dictionary->texts, dictionary->room, dictionary->count))
		return DICTIONARY_NONE;
	entry = arena_alloc(&dictionary->arena, sizeof(*entry));
	own = is_utf8 && !text_is_valid(text) ? text_valid_utf8(&dictionary->arena, text)
					      : arena_str(&dictionary->arena, text);
	if (!entry || !own.ptr)
		return DICTIONARY_NONE;
	entry->number = (uint32_t)dictionary->count;
	entry->next = map_get(&dictionary->by_hash, hash);
	if (!map_put(&dictionary->by_hash, hash, entry))
		return DICTIONARY_NONE;
	dictionary->texts[dictionary->count++] = own;
	dictionary->bytes += own.len;
	return entry->number;
}

static uint32_t find_or_add(struct dictionary *dictionary, struct str text, bool is_utf8)
{
	uint64_t hash = map_hash_text(map_salt() ^ text.len, text);
	const struct dictionary_entry *entry = map_get(&dictionary->by_hash, hash);

	for (; entry; entry = entry->next)
		if (str_equal(dictionary->texts[entry->number], text))
			return entry->number;
	return add(dictionary, text, hash, is_utf8);
}

uint32_t dictionary_number(struct dictionary *dictionary, struct str text, bool is_utf8)
{
	uintptr_t address = (uintptr_t)text.ptr;
	uint32_t *recent =
		&dictionary->recent[(address >> 4 ^ address >> 8) % DICTIONARY_RECENT];
	uint32_t number;

	if (dictionary->count && str_equal(dictionary->texts[dictionary->last], text))
		return dictionary->last;
	number = *recent;
	if (number >= dictionary->count || !str_equal(dictionary->texts[number], text))
		number = find_or_add(dictionary, text, is_utf8);
	if (number != DICTIONARY_NONE)
		dictionary->last = *recent = number;
	return number;
}

void dictionary_clear(struct dictionary *dictionary)
{
	free(dictionary->texts);
	map_release(&dictionary->by_hash);
	arena_release(&dictionary->arena);
	*dictionary = (struct dictionary){ .count = 0 };
}
