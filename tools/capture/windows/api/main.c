/* main.c - perftab-capture.exe, with the functions of the system that it runs on. */
#include <stdint.h>

#include "capture/windows/capture.h"

int main(int argc, char **argv)
{
	struct windows_api api;

	etw_api_windows(&api.etw);
	perflib_api_windows(&api.perflib);
	system_api_windows(&api.system);
	return (int)capture_windows(&api, argc, argv);
}
