/*
 * command.h - perftab-capture perflib, and the list of countersets, of Windows.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_PERFLIB_COMMAND_H
#define PERFTAB_CAPTURE_WINDOWS_PERFLIB_COMMAND_H

#include "base/error.h"
#include "capture/windows/api/api.h"

/* argv[0] is "perflib"; `words` are those of the whole command line. */
int perflib_command(const struct windows_api *api, int argc, char **argv, char **words);
/* On standard output; filter NULL: all of them, briefly. */
MUST_CHECK enum status perflib_command_list(const struct windows_api *api,
					    const char *filter, bool json,
					    struct error *error);

#endif
