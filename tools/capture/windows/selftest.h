/*
 * selftest.h - perftab-capture --selftest: what this Windows answers, to be sent back.
 */
#ifndef PERFTAB_SELFTEST_H
#define PERFTAB_SELFTEST_H

#include "etw_record.h"

/* argv[0] is "--selftest". */
int selftest(const struct windows_api *api, int argc, char **argv);

#endif
