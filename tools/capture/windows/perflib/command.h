/*
 * command.h - perftab-capture perflib and list countersets, on Windows.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_PERFLIB_COMMAND_H
#define PERFTAB_CAPTURE_WINDOWS_PERFLIB_COMMAND_H

#include "base/error.h"
#include "capture/windows/api/api.h"

/* argv[0] is "perflib"; `words` is the whole command line. */
int perflib_command(const struct windows_api *api, int argc, char **argv, char **words);
/* Prints to standard output; filter NULL: all, without counters. */
MUST_CHECK enum status perflib_command_list(const struct windows_api *api,
					    const char *filter, bool json,
					    struct error *error);

#endif
