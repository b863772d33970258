/*
 * turns.h - the times at which a thread left its CPU and came back to one, in any order.
 *
 * Rows of a trace come ring by ring, so those of one thread are not in order of time.
 * They are kept until there are so many of the thread that none older can follow.
 */
#ifndef PERFTAB_FOLDED_TURNS_H
#define PERFTAB_FOLDED_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More than a thread has in one round of the rings of a recorder. */
#define TURNS_MAX 8192

struct turn {
	int64_t ts_ns;
	void *left_at; /* where the thread was when it left; NULL: it came back */
};

/* Zeroed: none.  The memory is the caller's. */
struct turns {
	struct turn *turns;
	size_t count, room;
};

/* Is there no room for another, and how much is wanted then?  0: settle some first. */
bool turns_full(const struct turns *turns, size_t *wanted_room);
/* There is room. */
void turns_add(struct turns *turns, int64_t ts_ns, void *left_at);

/* The older half, or all, in order of time. */
typedef void turns_away_fn(void *context, void *left_at, int64_t away_ns);
void turns_settle(struct turns *turns, bool all, turns_away_fn *away, void *context);

#endif
