/* temporary.c - creates a file in a folder for temporary files, without a name. */
#include "base/temporary.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096

static int open_nameless(const char *folder)
{
	char path[PATH_BYTES];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || strlen(folder) + 32 > sizeof(path))
		return fd;
	/* Some file systems have no such files. */
	snprintf(path, sizeof(path), "%s/perftab-XXXXXX", folder);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* Where SQLite's temporary files go; on a disk rather than in memory. */
int temporary_open(void)
{
	const char *folders[] = { getenv("SQLITE_TMPDIR"), getenv("TMPDIR"), "/var/tmp",
				  "/tmp" };
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(folders) / sizeof(folders[0]); i++)
		if (folders[i] && folders[i][0])
			fd = open_nameless(folders[i]);
	return fd;
}
