/*
 * replay.h - a source that answers from a bundle.
 *
 * The same queries, in any order, give the same bundle, byte for byte.  The bundle is not
 * trusted.
 */
#ifndef PERFTAB_CAPTURE_PERFLIB_REPLAY_H
#define PERFTAB_CAPTURE_PERFLIB_REPLAY_H

#include "capture/perflib/source.h"

/* "-": standard input.  `source` owns its memory until release(). */
MUST_CHECK enum status replay_open(struct source *source, const char *path,
				   struct error *error);

#endif
