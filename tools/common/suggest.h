/*
 * suggest.h - the names nearest to one that is not there.
 */
#ifndef PERFTAB_NEAR_H
#define PERFTAB_NEAR_H

#include "base/str.h"

#define NEAR_NAMES 3
#define NEAR_LENGTH 48 /* longer names are not compared */
#define NEAR_TEXT 200

struct near {
	char word[NEAR_LENGTH + 1]; /* empty: too long */
	struct {
		char name[NEAR_LENGTH + 1];
		size_t distance;
	} best[NEAR_NAMES]; /* nearest first */
	size_t count;
};

void near_begin(struct near *nearest, struct str word);
void near_offer(struct near *nearest, const char *name);
/* "; did you mean 'a' or 'b'?", or nothing. */
void near_text(const struct near *nearest, char *to, size_t size);

#endif
