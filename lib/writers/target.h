/*
 * target.h - an output that gets its name only when it is complete.
 *
 * Everything is written under "<path>.partial", locked against a second writer, and
 * renamed at the end.  A crash leaves at most the partial one, which the next run of the
 * same command replaces.
 */
#ifndef PERFTAB_TARGET_H
#define PERFTAB_TARGET_H

#include <stdbool.h>

#include "core/error.h"

struct target {
	char *path;
	char *partial; /* write here */
	bool directory;
	int lock_fd; /* keeps the lock while it is open */
	bool begun;
};

/*
 * An output that exists is refused unless `overwrite`; of directories only empty ones,
 * and those that hold nothing but .csv files, are ever replaced.
 */
MUST_CHECK enum status target_begin(struct target *target, const char *path,
				    bool directory, bool overwrite, struct error *error);
/* On disk and under its own name. */
MUST_CHECK enum status target_commit(struct target *target, struct error *error);
/* Removes what was written, unless it was committed.  May be called twice. */
void target_release(struct target *target);

#endif
