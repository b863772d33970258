/*
 * target.h - an output that gets its name only when it is complete.
 *
 * Everything is written under a new name next to the output (partial.h), locked, and
 * renamed at the end.  At any moment the output's name is free, or that of the complete
 * old or new output.  A signal that ends the program at once (os.h) removes the partial
 * output; the next run with the same output removes that of a killed run.
 */
#ifndef PERFTAB_TARGET_H
#define PERFTAB_TARGET_H

#include <stdbool.h>

#include "base/error.h"
#include "base/os.h"
#include "model/sink.h"

struct target {
	char *path;
	char *partial; /* write here; new, and not shared */
	bool directory;
	bool overwrite;
	const char *hint; /* overwrite_hint of the options */
	enum sink_sync sync;
	unsigned int mode; /* 0: private, less the umask */
	/* The partial output, one of the two; it keeps the lock while it is open. */
	int lock_fd; /* -1: not open */
	struct os_folder *folder;
	bool begun;
};

/*
 * Uses the options path, overwrite, mode and sync.  An output that exists is refused
 * unless `overwrite`; a directory is replaced only if it is empty or contains nothing
 * but tables (partial.h).  An output that another process is writing is refused.
 */
MUST_CHECK enum status target_begin(struct target *target,
				    const struct sink_options *options, bool directory,
				    struct error *error);
/*
 * Gives the output its mode and its name.  It is on the disk before it has the name if
 * `sync` says so, or if it replaces another.  No name after SIGINT or SIGTERM
 * (ST_INTERRUPTED), or if memory has run out anywhere (memory.h).  From here on signals
 * only set the flag, until os_end_at_interrupts().
 */
MUST_CHECK enum status target_commit(struct target *target, struct error *error);
/* Whether an output at `path` would overwrite `input`, or a file it is linked to. */
bool target_is(const char *path, const char *input);
/* After os_write_all() to the descriptor of an output, which may be standard output. */
enum status target_write_failed(int fd, struct error *error);
/* Removes the partial output, unless it was committed.  May be called twice. */
void target_release(struct target *target);

#endif
