/*
 * source.h - PerfLib of Windows as a source.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_PERFLIB_SOURCE_H
#define PERFTAB_CAPTURE_WINDOWS_PERFLIB_SOURCE_H

#include <stdio.h>

#include "capture/perflib/source.h"
#include "capture/windows/api/perflib.h"
#include "capture/windows/api/system.h"

/* Processor Information, since Windows 7; a GUID works without a list. */
#define PERFLIB_PROCESSORS "{b4fc721a-0378-476f-89ba-a5a79f810b36}"

struct perflib_source_options {
	const struct perflib_api *api; /* borrowed, like the others */
	const struct system_api *system;
	FILE *log;	/* logs each call with its result; or NULL */
	bool anonymous; /* leave out the name of the machine */
};

/* It may hold a query until release(). */
MUST_CHECK enum status perflib_source_open(struct source *source,
					   const struct perflib_source_options *options,
					   struct error *error);

#endif
