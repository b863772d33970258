/*
 * selftest.h - perftab-capture --selftest: records what this Windows answers, for a
 * report.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_SELFTEST_H
#define PERFTAB_CAPTURE_WINDOWS_SELFTEST_H

#include "capture/windows/api/api.h"

/* argv[0] is "--selftest". */
int selftest(const struct windows_api *api, int argc, char **argv);

#endif
