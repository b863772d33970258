/*
 * source.h - PerfLib of Windows as a source of answers.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_PERFLIB_SOURCE_H
#define PERFTAB_CAPTURE_WINDOWS_PERFLIB_SOURCE_H

#include <stdio.h>

#include "capture/perflib/source.h"
#include "capture/windows/api/perflib.h"
#include "capture/windows/api/system.h"

/* Processor Information, which every Windows has since 7; its GUID needs no list. */
#define PERFLIB_PROCESSORS "{b4fc721a-0378-476f-89ba-a5a79f810b36}"

struct perflib_source_options {
	const struct perflib_api *api; /* borrowed, like the others */
	const struct system_api *system;
	FILE *log;	/* each call with what it returns; NULL: none */
	bool anonymous; /* the machine's name is no fact */
};

/* Until release() it may hold a query. */
MUST_CHECK enum status perflib_source_open(struct source *source,
					   const struct perflib_source_options *options,
					   struct error *error);

#endif
