/*
 * temporary.h - names for traces that are removed when they have been read.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_TEMPORARY_H
#define PERFTAB_CAPTURE_WINDOWS_TEMPORARY_H

#include <stddef.h>

#include "base/error.h"
#include "capture/windows/api/system.h"

#define TEMPORARY_PATH 3072 /* bytes of a path in UTF-8 */

/* Chooses a name in the folder for temporary files of this user. */
enum status temporary_choose(char path[TEMPORARY_PATH], const struct system_api *system,
			     struct error *error) MUST_CHECK;
enum status temporary_remove(const char *path, const struct system_api *system,
			     struct error *error) MUST_CHECK;

#endif
