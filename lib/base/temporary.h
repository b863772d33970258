/*
 * temporary.h - a file without a name, which is gone when it is closed.
 */
#ifndef PERFTAB_TEMPORARY_H
#define PERFTAB_TEMPORARY_H

/*
 * A descriptor to read and write, in the folder of SQLITE_TMPDIR, of TMPDIR, or where
 * there is usually a disk; the caller closes it.  -1 with errno set.
 */
int temporary_open(void);

#endif
