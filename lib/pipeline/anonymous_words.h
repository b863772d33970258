/*
 * anonymous_words.h - names of users and hosts, and whether a text contains one.
 *
 * They are in a tree of their bytes, so that all are looked for at once.  Crafted names
 * can still be compared for long: after a number of bytes every text counts as one that
 * contains a name.  A token too many does no harm, and a name that stays may.
 */
#ifndef PERFTAB_ANONYMOUS_WORDS_H
#define PERFTAB_ANONYMOUS_WORDS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"

#define ANONYMOUS_WORDS_MAX 1024
/* Maximum of bytes compared with all names; with names that come after a text. */
#define ANONYMOUS_STEPS_MAX ((uint64_t)1 << 26)
#define ANONYMOUS_LATE_STEPS_MAX ((uint64_t)1 << 29)

/* Maximum of bytes of a name. */
#define WORD_BYTES_MAX 255

struct words {
	struct arena arena;
	struct map nodes;    /* number of a node and a byte -> the node after it */
	uint64_t node_count; /* without the root, which is number 0 */
	size_t count;
	bool is_full; /* some names were dropped */
	uint64_t steps_left, late_steps_left;
	bool out_of_memory;
};

void words_begin(struct words *words);
void words_end(struct words *words);

/* Adds a name, in lower case in `text`; ptr NULL: it is known, or there are too many. */
struct str words_add(struct words *words, struct str name, char text[WORD_BYTES_MAX]);
/* Returns whether the lower-case word was added. */
bool words_has(const struct words *words, struct str word);
/* Returns whether the text contains a name without a letter before or after it. */
bool words_in(struct words *words, struct str text);
/* As words_in() for one lower-case word. */
bool words_one_in(struct words *words, struct str word, struct str text);

#endif
