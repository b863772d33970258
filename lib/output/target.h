/*
 * target.h - an output that gets its name only when it is complete.
 *
 * Everything is written under a new name of its own next to the output (partial.h),
 * locked, and renamed at the end.  At any moment the output's name is that of nothing, of
 * the old output or of the new one, whole.  What a killed run leaves is removed by the
 * next run with the same output.
 */
#ifndef PERFTAB_TARGET_H
#define PERFTAB_TARGET_H

#include <dirent.h>
#include <stdbool.h>

#include "base/error.h"
#include "model/sink.h"

struct target {
	char *path;
	char *partial; /* write here; new, and nobody else's */
	bool directory;
	bool overwrite;
	enum sink_sync sync;
	unsigned int mode; /* 0: private, less what the umask takes */
	int lock_fd;	   /* the partial output; keeps the lock while it is open */
	DIR *folder;	   /* the partial output, if a directory */
	bool begun;
};

/*
 * Of the options: path, overwrite, mode, sync.  An output that exists is refused unless
 * `overwrite`; of directories only empty ones, and those that hold nothing but .csv
 * files, are ever replaced.  One that another process is writing is refused.
 */
MUST_CHECK enum status target_begin(struct target *target,
				    const struct sink_options *options, bool directory,
				    struct error *error);
/*
 * Gives the output its mode and its name.  It is on the disk before it has the name if
 * `sync` says so, or if it replaces another.  No name after SIGINT or SIGTERM
 * (ST_INTERRUPTED), or if memory has run out anywhere (memory.h).
 */
MUST_CHECK enum status target_commit(struct target *target, struct error *error);
/* An output at `path` would be written over `input`, or over what it is linked to. */
bool target_is(const char *path, const char *input);
/* Removes what was written, unless it was committed.  May be called twice. */
void target_release(struct target *target);

#endif
