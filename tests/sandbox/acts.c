/* acts.c - see acts.h. */
#include "acts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int read_file(const char *path)
{
	return open(path, O_RDONLY);
}

static int write_file(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

static int read_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY);
}

static int make_socket(const char *path)
{
	(void)path;
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int run_program(const char *path)
{
	char *const arguments[] = { (char[]){ "planted" }, NULL };

	fflush(NULL);
	return execv(path, arguments);
}

static int fork_process(const char *path)
{
	pid_t child = fork();

	(void)path;
	if (child == 0)
		_exit(0);
	return child < 0 ? -1 : 0;
}

static int signal_parent(const char *path)
{
	(void)path;
	return kill(getppid(), 0);
}

static int make_code(const char *path)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)path;
	return page == MAP_FAILED ? -1 : 0;
}

static int new_ring(const char *path)
{
	(void)path; /* io_uring would open files past the filter */
	return (int)syscall(425, 1, NULL);
}

static const struct {
	const char *what;
	int (*try)(const char *path);
} acts[] = {
	{ "read", read_file },	     { "write", write_file },
	{ "folder", read_folder },   { "socket", make_socket },
	{ "program", run_program },  { "fork", fork_process },
	{ "signal", signal_parent }, { "code", make_code },
	{ "remove", unlink },	     { "ring", new_ring },
};

void act(const char *text, char result[ACT_BYTES])
{
	char what[16] = "", path[1001] = "";

	(void)sscanf(text, "%15s %1000s", what, path);
	snprintf(result, ACT_BYTES, "unknown act '%s'", what);
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		int got;

		if (strcmp(acts[i].what, what) != 0)
			continue;
		errno = 0;
		got = acts[i].try(path);
		snprintf(result, ACT_BYTES, "%s: %s", what,
			 got < 0 ? strerror(errno) : "succeeded");
	}
}
