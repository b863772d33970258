/*
 * replay.h - a source that answers as a bundle says that another one did.
 *
 * Asked the same again, in any order, it makes the same bundle, byte for byte.  The
 * bundle is not trusted.
 */
#ifndef PERFTAB_CAPTURE_PERFLIB_REPLAY_H
#define PERFTAB_CAPTURE_PERFLIB_REPLAY_H

#include "capture/perflib/source.h"

/* "-": standard input.  `source` owns what it needs until its release(). */
MUST_CHECK enum status replay_open(struct source *source, const char *path,
				   struct error *error);

#endif
