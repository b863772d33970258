/*
 * run_each FOLDER - runs perftab-analyze or perftab-convert for each line of standard
 * input, in a copy of a process that has started: a start lasts longer than most samples.
 * A line is a name, the program and its arguments, separated by tabs.  What NAME printed
 * is in FOLDER/NAME.out and NAME.err, how it ended in NAME.exit; --together prints errors
 * to NAME.out as well.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* main() of tools/analyze and of tools/convert, compiled with these names. */
int analyze_main(int argc, char **argv);
int convert_main(int argc, char **argv);

enum { MAX_ARGUMENTS = 32, MAX_RUNNING = 16 };

static const struct program {
	const char *name;
	int (*run)(int argc, char **argv);
} programs[] = {
	{ "perftab-analyze", analyze_main },
	{ "perftab-convert", convert_main },
};

struct runs {
	struct run {
		pid_t pid;
		char name[256];
	} running[MAX_RUNNING];
	size_t count;
	const char *folder;
	bool together;
};

static void fail(const char *what)
{
	fprintf(stderr, "run_each: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int create(const struct runs *runs, const char *name, const char *ending)
{
	char path[1024];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.%s", runs->folder, name, ending);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		fail(path);
	return fd;
}

static void redirect(int stream, int fd)
{
	if (fd < 0 || dup2(fd, stream) < 0)
		fail("standard streams");
	close(fd);
}

/*
 * In the child; what exit() does with standard input must not move the place of the
 * parent.
 */
static int run(const struct runs *runs, const char *name, int argc, char **argv)
{
	redirect(STDIN_FILENO, open("/dev/null", O_RDONLY | O_CLOEXEC));
	redirect(STDOUT_FILENO, create(runs, name, "out"));
	if (runs->together)
		redirect(STDERR_FILENO, dup(STDOUT_FILENO));
	else
		redirect(STDERR_FILENO, create(runs, name, "err"));
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		if (argc && strcmp(argv[0], programs[i].name) == 0)
			return programs[i].run(argc, argv);
	}
	errno = ENOENT;
	fail(name);
	return 2;
}

static void wait_for_one(struct runs *runs)
{
	int status, fd;
	size_t i = 0;
	pid_t pid = wait(&status);

	while (i < runs->count && runs->running[i].pid != pid)
		i++;
	if (pid < 0 || i == runs->count)
		fail("wait");
	fd = create(runs, runs->running[i].name, "exit");
	dprintf(fd, "%d\n",
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	close(fd);
	runs->running[i] = runs->running[--runs->count];
}

static void begin(struct runs *runs, char *line)
{
	char *argv[MAX_ARGUMENTS + 2] = { NULL };
	const char *name = strsep(&line, "\t");
	struct run *began = &runs->running[runs->count];
	int argc = 0;

	while (line && argc <= MAX_ARGUMENTS)
		argv[argc++] = strsep(&line, "\t");
	if (line) {
		errno = E2BIG;
		fail(name);
	}
	snprintf(began->name, sizeof(began->name), "%s", name);
	began->pid = fork();
	if (began->pid < 0)
		fail("fork");
	if (!began->pid)
		exit(run(runs, name, argc, argv));
	runs->count++;
}

int main(int argc, char **argv)
{
	static struct runs runs;
	size_t most = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	runs.together = argc > 1 && strcmp(argv[1], "--together") == 0;
	if (argc != 2 + runs.together) {
		fprintf(stderr, "usage: run_each [--together] FOLDER <LINES\n");
		return 2;
	}
	runs.folder = argv[1 + runs.together];
	while ((length = getline(&line, &size, stdin)) > 0) {
		line[length - (line[length - 1] == '\n')] = '\0';
		while (runs.count == MAX_RUNNING || (runs.count && runs.count >= most))
			wait_for_one(&runs);
		begin(&runs, line);
	}
	free(line);
	while (runs.count)
		wait_for_one(&runs);
	return 0;
}
