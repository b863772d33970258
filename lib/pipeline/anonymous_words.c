/* anonymous_words.c - a tree of names, and the walks along it from words of a text. */
#include "pipeline/anonymous_words.h"

struct word_node {
	uint64_t number;
	bool ends; /* a name does here */
};

void words_begin(struct words *words)
{
	*words = (struct words){ .steps_left = ANONYMOUS_STEPS_MAX,
				 .late_steps_left = ANONYMOUS_LATE_STEPS_MAX };
}

void words_end(struct words *words)
{
	map_release(&words->nodes);
	arena_release(&words->arena);
}

/* --- names --- */

static uint64_t key_after(const struct word_node *node, char c)
{
	return (node ? node->number << 8 : 0) | (uint8_t)c;
}

/* NULL is the root; a node that is not there is added. */
static struct word_node *intern_node(struct words *words, const struct word_node *before,
				     char c)
{
	uint64_t key = key_after(before, c);
	struct word_node *node = map_get(&words->nodes, key);

	if (node)
		return node;
	node = arena_alloc(&words->arena, sizeof(*node));
	if (!node || !map_put(&words->nodes, key, node)) {
		words->out_of_memory = true;
		return NULL;
	}
	node->number = ++words->node_count;
	return node;
}

bool words_has(const struct words *words, struct str word)
{
	const struct word_node *node = NULL;

	for (size_t i = 0; i < word.len; i++) {
		node = map_get(&words->nodes, key_after(node, word.ptr[i]));
		if (!node)
			return false;
	}
	return node && node->ends;
}

struct str words_add(struct words *words, struct str name, char text[WORD_BYTES_MAX])
{
	struct str word = { text, name.len };
	struct word_node *node = NULL;

	for (size_t i = 0; i < name.len; i++)
		text[i] = ascii_lower(name.ptr[i]);
	if (words_has(words, word))
		return STR_NONE;
	if (words->count == ANONYMOUS_WORDS_MAX) {
		words->is_full = true;
		return STR_NONE;
	}
	for (size_t i = 0; i < word.len; i++) {
		node = intern_node(words, node, text[i]);
		if (!node)
			return STR_NONE;
	}
	node->ends = true;
	words->count++;
	return word;
}

/* --- texts --- */

/* Letters and digits of any alphabet. */
static bool is_of_word(char c)
{
	return (c >= '0' && c <= '9') ||
	       (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') ||
	       (unsigned char)c >= 0x80;
}

static bool begins_word(struct str text, size_t at)
{
	return at == 0 || !is_of_word(text.ptr[at - 1]);
}

static bool ends_word(struct str text, size_t at)
{
	return at == text.len || !is_of_word(text.ptr[at]);
}

/* Counts a compared byte; false: the limit is reached. */
static bool may_step(uint64_t *left)
{
	if (!*left)
		return false;
	--*left;
	return true;
}

bool words_in(struct words *words, struct str text)
{
	for (size_t from = 0; from < text.len; from++) {
		const struct word_node *node = NULL;

		if (!begins_word(text, from))
			continue;
		for (size_t at = from; at < text.len; at++) {
			if (!may_step(&words->steps_left))
				return true;
			node = map_get(&words->nodes,
				       key_after(node, ascii_lower(text.ptr[at])));
			if (!node)
				break;
			if (node->ends && ends_word(text, at + 1))
				return true;
		}
	}
	return false;
}

bool words_one_in(struct words *words, struct str word, struct str text)
{
	for (size_t at = 0; word.len <= text.len && at <= text.len - word.len; at++) {
		size_t same = 0;

		if (!begins_word(text, at))
			continue;
		while (may_step(&words->late_steps_left) && same < word.len &&
		       ascii_lower(text.ptr[at + same]) == word.ptr[same])
			same++;
		if (!words->late_steps_left ||
		    (same == word.len && ends_word(text, at + same)))
			return true;
	}
	return false;
}
