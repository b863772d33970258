/*
 * capture.h - the portable main function of perftab-capture.exe.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_CAPTURE_H
#define PERFTAB_CAPTURE_WINDOWS_CAPTURE_H

#include <stdint.h>

#include "capture/windows/api/api.h"

/* Returns the exit status: all 32 bits of that of a command. */
uint32_t capture_windows(const struct windows_api *api, int argc, char **argv);

#endif
