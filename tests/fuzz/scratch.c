/* scratch.c - see scratch.h. */
#include "scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pid_t owner;

static void remove_folder(void)
{
	char command[128];

	if (owner != getpid()) /* a child of libFuzzer's */
		return;
	snprintf(command, sizeof(command), "rm -rf '%s'", scratch_folder());
	if (system(command) != 0)
		perror(scratch_folder());
}

const char *scratch_folder(void)
{
	static char folder[] = "/dev/shm/perftab-fuzz.XXXXXX";

	if (owner)
		return folder;
	if (!mkdtemp(folder)) {
		perror(folder);
		exit(1);
	}
	owner = getpid();
	atexit(remove_folder);
	return folder;
}

const char *scratch_path(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", scratch_folder(), name);
	return path;
}

void scratch_save(const char *name, const void *bytes, unsigned long size)
{
	const char *path = scratch_path(name);
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (file < 0 || write(file, bytes, size) != (ssize_t)size) {
		perror(path);
		exit(1);
	}
	close(file);
}
