/*
 * bundle_out.h - the file or pipe a bundle is written to.
 */
#ifndef PERFTAB_CAPTURE_PERFLIB_BUNDLE_OUT_H
#define PERFTAB_CAPTURE_PERFLIB_BUNDLE_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/perflib/session.h"

struct bundle_out {
	FILE *file;
	const char *path; /* "-": standard output */
	uint64_t written;
	bool reader_closed; /* the reader closed the pipe */
};

/* Renames an existing plain file to FILE.old. */
MUST_CHECK enum status bundle_out_open(struct bundle_out *out, const char *path,
				       struct error *error);
/* ST_IO when the last bytes cannot be written. */
MUST_CHECK enum status bundle_out_close(struct bundle_out *out, struct error *error);
struct session_out bundle_out_calls(struct bundle_out *out);

#endif
