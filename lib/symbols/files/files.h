/*
 * files.h - names of functions from files, read by a process of its own.
 *
 * ELF files are read by elfutils, which a hostile file may crash.  So one process is
 * started before this one enters its sandbox, and it starts another one for each file:
 * that one opens the file below the root, drops all permissions, and only then reads it.
 * What it sends is checked; when it crashes or takes too long, that file has no names.
 */
#ifndef PERFTAB_SYMBOLS_FILES_FILES_H
#define PERFTAB_SYMBOLS_FILES_FILES_H

#include "base/error.h"
#include "symbols/file_names.h"

struct files;

/*
 * Starts the process; before the first thread, and before a sandbox.  NULL: *error says
 * why, which may be that this build cannot read files.  NULL can be stopped.
 */
struct files *files_start(const char *root, struct error *error);
void files_stop(struct files *files);

/* A file_asker_fn. */
enum file_result files_ask(void *files, const struct file_request *request,
			   struct arena *arena, struct file_name *names);

#endif
