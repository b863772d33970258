/*
 * main.c - runs the portable part of perftab-capture.exe on the mock:
 * mock_windows SCRIPT ARGUMENT... prints each call with its structures, the messages of
 * the program, and what is left.  mock_windows --each does it for each line of standard
 * input, "FILE<tab>SCRIPT<tab>ARGUMENT...", in a copy of this process, which is there
 * sooner than a new one; it prints to FILE.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/windows/capture.h"
#include "mock.h"

enum { MAX_ARGUMENTS = 32 };

static uint32_t status;

/* The program may close standard output before it returns. */
static int out;

static void report(void)
{
	(void)dup2(out, STDOUT_FILENO);
	clearerr(stdout);
	mock_report_left();
	printf("calls %u, exit status %u\n", mock.calls, status);
}

/* The script is in the place of the program's name. */
static void run(int argc, char **argv)
{
	struct windows_api api;

	out = dup(STDOUT_FILENO);
	setvbuf(stdout, NULL, _IONBF, 0);
	mock_script(argv[0]);
	mock_api(&api);
	status = capture_windows(&api, argc, argv);
	report();
	mock_perflib_release();
}

/* --- each line --- */

static void fail(const char *what)
{
	perror(what);
	exit(99);
}

static void run_line(char *line)
{
	const char *name = strsep(&line, "\t");
	char *argv[MAX_ARGUMENTS + 1] = { NULL };
	int argc = 0, fd, null = open("/dev/null", O_RDONLY);

	/* First: exit() sets the place in standard input, which is the parent's, too. */
	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		_exit(99);
	close(null);
	while (line && argc < MAX_ARGUMENTS)
		argv[argc++] = strsep(&line, "\t");
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (!argc || line || fd < 0 || dup2(fd, STDOUT_FILENO) < 0 ||
	    dup2(fd, STDERR_FILENO) < 0)
		fail(name);
	close(fd);
	run(argc, argv);
	exit(0);
}

/* Whether it came to its end. */
static bool run_copy(char *line)
{
	pid_t pid = fork();
	int ended;

	if (pid < 0)
		fail("fork");
	if (pid == 0)
		run_line(line);
	return waitpid(pid, &ended, 0) == pid && WIFEXITED(ended) &&
	       WEXITSTATUS(ended) == 0;
}

static int run_each(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	int result = 0;

	while ((length = getline(&line, &size, stdin)) > 0) {
		line[length - (line[length - 1] == '\n')] = '\0';
		if (run_copy(line))
			continue;
		fprintf(stderr, "%s: did not come to its end\n", line);
		result = 99;
	}
	free(line);
	return result;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("usage: mock_windows SCRIPT ARGUMENT...\n"
		      "       mock_windows --each <LINES\n",
		      stderr);
		return 99;
	}
	if (strcmp(argv[1], "--each") == 0)
		return run_each();
	run(argc - 1, argv + 1);
	return 0;
}
