/*
 * main.c - runs the portable part of perftab-capture.exe on the mock:
 * mock_windows SCRIPT ARGUMENT... prints each call with its structures, the messages of
 * the program, and what is left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/windows/capture.h"
#include "mock.h"

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

int main(int argc, char **argv)
{
	struct windows_api api;

	if (argc < 2) {
		fputs("usage: mock_windows SCRIPT ARGUMENT...\n", stderr);
		return 99;
	}
	out = dup(STDOUT_FILENO);
	setvbuf(stdout, NULL, _IONBF, 0);
	mock_script(argv[1]);
	mock_api(&api);
	status = capture_windows(&api, argc - 1, argv + 1);
	report();
	mock_perflib_release();
	return 0;
}
