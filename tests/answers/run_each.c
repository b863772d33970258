/*
 * run_each FOLDER - runs perftab-analyze or perftab-convert for each line of standard
 * input, one after the other in a process for each CPU: a start lasts longer than most
 * samples.  A line is a name, the program and its arguments, separated by tabs.  What
 * NAME printed is in FOLDER/NAME.out and NAME.err, how it ended in NAME.exit; --together
 * prints errors to NAME.out as well.  They have no sandbox, which can be entered once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* main() of tools/analyze and of tools/convert, compiled with these names. */
int analyze_main(int argc, char **argv);
int convert_main(int argc, char **argv);

enum { MAX_ARGUMENTS = 32, MAX_WORKERS = 16 };

static const struct program {
	const char *name;
	int (*run)(int argc, char **argv);
} programs[] = {
	{ "perftab-analyze", analyze_main },
	{ "perftab-convert", convert_main },
};

struct runs {
	const char *folder;
	bool together;
	char **lines;
	size_t count;
};

/* Of all processes. */
struct shared {
	atomic_size_t next; /* line */
	size_t running[MAX_WORKERS];
};

static void fail(const char *what)
{
	fprintf(stderr, "run_each: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* A name, a program, and as many arguments as there is room for. */
static void check_line(const char *line)
{
	size_t tabs = 0;

	for (const char *at = line; *at; at++)
		tabs += *at == '\t';
	if (tabs >= 1 && tabs <= MAX_ARGUMENTS + 1)
		return;
	errno = tabs ? E2BIG : EINVAL;
	fail(line);
}

static void read_lines(struct runs *runs)
{
	size_t room = 0, size = 0;
	char *line = NULL;
	ssize_t length;

	while ((length = getline(&line, &size, stdin)) > 0) {
		line[length - (line[length - 1] == '\n')] = '\0';
		check_line(line);
		if (runs->count == room) {
			room = room ? 2 * room : 64;
			runs->lines = realloc(runs->lines, room * sizeof(*runs->lines));
			if (!runs->lines)
				fail("standard input");
		}
		runs->lines[runs->count++] = line;
		line = NULL;
	}
	free(line);
}

/* --- one line --- */

static int create(const struct runs *runs, const char *name, const char *ending)
{
	char path[1024];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.%s", runs->folder, name, ending);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		fail(path);
	return fd;
}

/* A program closes its standard output, so it may be what was opened last. */
static void redirect(int stream, int fd)
{
	if (fd < 0 || dup2(fd, stream) < 0)
		fail("standard streams");
	if (fd != stream)
		close(fd);
}

static void note_exit(const struct runs *runs, const char *name, int status)
{
	int fd = create(runs, name, "exit");

	dprintf(fd, "%d\n", status);
	close(fd);
}

static int run_program(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (strcmp(argv[0], programs[i].name) == 0)
			return programs[i].run(argc, argv);
	errno = ENOENT;
	fail(argv[0]);
	return 2;
}

static void run(const struct runs *runs, char *line)
{
	char *argv[MAX_ARGUMENTS + 3] = { NULL, (char[]){ "--no-sandbox" } };
	const char *name = strsep(&line, "\t");
	int argc = 2, status;

	argv[0] = strsep(&line, "\t");
	while (line)
		argv[argc++] = strsep(&line, "\t");
	redirect(STDOUT_FILENO, create(runs, name, "out"));
	if (runs->together)
		redirect(STDERR_FILENO, dup(STDOUT_FILENO));
	else
		redirect(STDERR_FILENO, create(runs, name, "err"));
	status = run_program(argc, argv);
	fflush(stdout);
	fflush(stderr);
	clearerr(stdout);
	note_exit(runs, name, status);
}

/* --- processes --- */

static pid_t begin_worker(const struct runs *runs, struct shared *shared, size_t worker)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid)
		return pid;
	redirect(STDIN_FILENO, open("/dev/null", O_RDONLY));
	while ((shared->running[worker] = shared->next++) < runs->count)
		run(runs, runs->lines[shared->running[worker]]);
	exit(0); /* and not _exit(): coverage is counted at the end */
}

/* The lines that are left are for a new process. */
static void note_death(const struct runs *runs, size_t line, int status)
{
	char *text = runs->lines[line];

	text[strcspn(text, "\t")] = '\0';
	note_exit(runs, text,
		  WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void run_all(const struct runs *runs, struct shared *shared)
{
	pid_t pids[MAX_WORKERS] = { 0 };
	size_t most = (size_t)sysconf(_SC_NPROCESSORS_ONLN), worker = 0;
	int status;
	pid_t pid;

	if (most > MAX_WORKERS)
		most = MAX_WORKERS;
	for (; worker < most; worker++)
		pids[worker] = begin_worker(runs, shared, worker);
	while ((pid = wait(&status)) > 0) {
		for (worker = 0; worker < most - 1 && pids[worker] != pid; worker++)
			;
		if (shared->running[worker] >= runs->count)
			continue;
		note_death(runs, shared->running[worker], status);
		pids[worker] = begin_worker(runs, shared, worker);
	}
}

int main(int argc, char **argv)
{
	struct runs runs = { .together = argc > 1 && strcmp(argv[1], "--together") == 0 };
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (argc != 2 + runs.together) {
		fprintf(stderr, "usage: run_each [--together] FOLDER <LINES\n");
		return 2;
	}
	if (shared == MAP_FAILED)
		fail("mmap");
	runs.folder = argv[1 + runs.together];
	read_lines(&runs);
	run_all(&runs, shared);
	for (size_t i = 0; i < runs.count; i++)
		free(runs.lines[i]);
	free(runs.lines);
	return 0;
}
