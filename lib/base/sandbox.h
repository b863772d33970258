/*
 * sandbox.h - what a process that reads foreign bytes may still do.
 *
 * Where Linux has Landlock, only the named paths can be opened; where it has seccomp, no
 * program can be started, no socket made, no memory made executable, and no system call
 * made that reading and writing files does not need.  Both need no privilege and are
 * permanent.  They restrict the calling thread and those it starts from then on: so enter
 * before the first one.
 */
#ifndef PERFTAB_SANDBOX_H
#define PERFTAB_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

struct sandbox {
	int rules; /* descriptor of a Landlock ruleset; -1: the kernel has no Landlock */
	int abi;   /* version of Landlock; 0: none */
	int error; /* errno of a failure; 0: none */
};

void sandbox_begin(struct sandbox *sandbox);
/* Allows reading a file, or all of a folder; a path that does not open is left out. */
void sandbox_allow_read(struct sandbox *sandbox, const char *path);
/* Allows making, writing, renaming and removing files and folders in the folder. */
void sandbox_allow_write(struct sandbox *sandbox, const char *folder);
/*
 * Enters the sandbox.  False if a part is missing: `missing` says which and why, and the
 * other parts are in force.
 */
bool sandbox_enter(struct sandbox *sandbox, char *missing, size_t size);

#endif
