/*
 * temporary.h - a file without a name, which is gone when it is closed.
 */
#ifndef PERFTAB_TEMPORARY_H
#define PERFTAB_TEMPORARY_H

/*
 * Opens one to read and write, in the first usable os_temporary_folder(); the caller
 * closes the descriptor.  -1: failed, with errno set.
 */
int temporary_open(void);

#endif
