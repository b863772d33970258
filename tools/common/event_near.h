/*
 * event_near.h - the names nearest to one that is not there.
 */
#ifndef PERFTAB_EVENT_NEAR_H
#define PERFTAB_EVENT_NEAR_H

#include "core/str.h"

#define EVENT_NEAR_NAMES 3
#define EVENT_NEAR_LENGTH 48 /* longer names are not compared */
#define EVENT_NEAR_TEXT 200

struct event_near {
	char word[EVENT_NEAR_LENGTH + 1]; /* empty: too long */
	struct {
		char name[EVENT_NEAR_LENGTH + 1];
		size_t distance;
	} best[EVENT_NEAR_NAMES]; /* nearest first */
	size_t count;
};

void event_near_begin(struct event_near *nearest, struct str word);
void event_near_offer(struct event_near *nearest, const char *name);
/* "; did you mean 'a' or 'b'?", or nothing. */
void event_near_text(const struct event_near *nearest, char *to, size_t size);

#endif
