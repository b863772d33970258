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

#include "base/error.h"

struct target {
	char *path;
	char *partial; /* write here */
	bool directory;
	bool overwrite;
	int lock_fd; /* keeps the lock while it is open */
	bool begun;
};

/*
 * An output that exists is refused unless `overwrite`; of directories only empty ones,
 * and those that hold nothing but .csv files, are ever replaced.
 */
MUST_CHECK enum status target_begin(struct target *target, const char *path,
				    bool directory, bool overwrite, struct error *error);
/*
 * Gives the output its name.  Not synced: this guards against a program that dies, not
 * against a machine that does.
 */
MUST_CHECK enum status target_commit(struct target *target, struct error *error);
/* An output at `path` would be written over `input`, or over what it is linked to. */
bool target_is(const char *path, const char *input);
/* Removes what was written, unless it was committed.  May be called twice. */
void target_release(struct target *target);

#endif
