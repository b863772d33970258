/*
 * live.c - perftab-analyze --live of Windows on the mock, as main.c is for
 * perftab-capture.exe: PERFTAB_MOCK is the script.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mock.h"

static uint32_t (*mocked_remove)(const uint16_t *path);
static int out;

/* The program closes standard output after its report. */
static void open_log(void)
{
	(void)dup2(out, STDOUT_FILENO);
	clearerr(stdout);
}

static uint32_t remove_file(const uint16_t *path)
{
	open_log();
	return mocked_remove(path);
}

static void report(void)
{
	open_log();
	mock_report_left();
	printf("calls %u\n", mock.calls);
	mock_perflib_release();
}

void etw_api_windows(struct etw_api *api)
{
	const char *script = getenv("PERFTAB_MOCK");

	out = dup(STDOUT_FILENO);
	setvbuf(stdout, NULL, _IONBF, 0);
	mock_script(script ? script : "");
	atexit(report);
	mock_etw(api);
}

void system_api_windows(struct system_api *api)
{
	mock_system(api);
	mocked_remove = api->remove;
	api->remove = remove_file;
}
