/*
 * answer.h - what a target makes of an input, kept in files for tests/answers: the trace
 * that it reads, or a line of text.
 */
#ifndef PERFTAB_ANSWER_H
#define PERFTAB_ANSWER_H

#include <stddef.h>

#include "base/error.h"

/* Of the current input; NULL, as in fuzzing: nothing is kept. */
extern const char *answer_path;

/* The trace, as the file answer_path. */
void answer_keep(const void *bytes, size_t size);
/*
 * The same for a file or a folder.  What --tracefs names is kept as PATH.tracefs, the
 * text of --events as PATH.events; each may be NULL.
 */
void answer_keep_path(const char *path, const char *tracefs, const char *events);
/* Exit status and text of a target that reads no trace, as PATH.text. */
void answer_text(int exit_status, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
