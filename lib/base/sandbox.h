/*
 * sandbox.h - what a process that reads foreign bytes may still do.
 *
 * Where Linux has Landlock, only the named paths can be opened; where it has seccomp, no
 * program can be started, no socket made, no memory made executable, and no system call
 * made that reading and writing files does not need.  Both need no privilege, and cannot
 * be left again.  They bind the calling thread and the threads it starts from then on: so
 * enter before the first one.
 */
#ifndef PERFTAB_SANDBOX_H
#define PERFTAB_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

struct sandbox {
	int rules; /* of Landlock; -1: the kernel has none */
	int abi;   /* of Landlock, 0: none */
	int error; /* errno of what failed, 0: nothing did */
};

void sandbox_begin(struct sandbox *sandbox);
/* A file, or all of a folder; what cannot be opened is left out. */
void sandbox_allow_read(struct sandbox *sandbox, const char *path);
/* Files and folders can be made, written, renamed and removed in the folder. */
void sandbox_allow_write(struct sandbox *sandbox, const char *folder);
/*
 * Enters it.  False if a part is missing: `missing` says which and why, and the rest
 * holds.
 */
bool sandbox_enter(struct sandbox *sandbox, char *missing, size_t size);

#endif
