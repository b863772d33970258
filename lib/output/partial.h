/*
 * partial.h - names of outputs that are not complete, and folders of tables.
 *
 * A partial output is "<name>.<16 hexadecimal digits>.partial" next to the output: eight
 * random digits, and eight computed from them and the output's name.  Other programs do
 * not make such a name by chance, so it identifies the partial output of a killed run,
 * which is removed.  A file with any other name is never touched.
 */
#ifndef PERFTAB_PARTIAL_H
#define PERFTAB_PARTIAL_H

#include <stdbool.h>

#include "base/os.h"

/* A path for a new partial output of `path`, to be freed; NULL: out of memory. */
char *partial_new_path(const char *path);

/* The folder that `path` is in, to be freed; NULL: out of memory. */
char *partial_folder(const char *path);

/*
 * Removes the partial outputs of `path` that killed runs left.  Files of other users,
 * links and outputs of running processes stay.  Returns true if another process is
 * writing one.
 */
bool partial_remove_stale(const char *path);

enum table_folder {
	FOLDER_EMPTY,
	FOLDER_OF_TABLES, /* files named *.csv or *.parquet, or folders of them, only */
	FOLDER_MIXED,
};

/* The contents of an open folder, and of those in it. */
enum table_folder table_folder_kind(struct os_folder *folder);
/* Removes a folder of tables, which stays open.  False with errno set. */
bool table_folder_remove(struct os_folder *folder, const char *path);

#endif
