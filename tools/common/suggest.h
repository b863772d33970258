/*
 * suggest.h - the names nearest to one that is not there.
 */
#ifndef PERFTAB_SUGGEST_H
#define PERFTAB_SUGGEST_H

#include "base/str.h"

#define SUGGEST_NAMES 3
#define SUGGEST_LENGTH 48 /* longer names are not compared */
#define SUGGEST_TEXT 200

struct suggest {
	char word[SUGGEST_LENGTH + 1]; /* empty: too long */
	struct {
		char name[SUGGEST_LENGTH + 1];
		size_t distance;
	} best[SUGGEST_NAMES]; /* nearest first */
	size_t count;
	const char *prefix; /* shown before each name; NULL: nothing */
};

void suggest_begin(struct suggest *nearest, struct str word);
void suggest_offer(struct suggest *nearest, const char *name);
/* Where the word is another name for it, nothing is nearer. */
void suggest_alias(struct suggest *nearest, const char *alias, const char *name);
/* "; did you mean 'a' or 'b'?", or nothing. */
void suggest_text(const struct suggest *nearest, char *to, size_t size);

#endif
