/*
 * capture.h - perftab-capture on Windows, from its arguments to its exit status.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_CAPTURE_H
#define PERFTAB_CAPTURE_WINDOWS_CAPTURE_H

#include <stdint.h>

#include "capture/windows/api/api.h"

/* All 32 bits of a command's exit status are passed on. */
uint32_t capture_windows(const struct windows_api *api, int argc, char **argv);

#endif
