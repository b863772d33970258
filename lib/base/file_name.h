/*
 * file_name.h - names that Windows reserves, which no output has on any system.
 *
 * AUX, CON, PRN, NUL, COM1 and the like are devices there, in any folder and with any
 * ending: what is written to aux.csv is lost without an error.
 */
#ifndef PERFTAB_FILE_NAME_H
#define PERFTAB_FILE_NAME_H

#include <stdbool.h>

#include "base/str.h"

/* Appended to a reserved name of a table: "aux-table.csv". */
#define FILE_NAME_SUFFIX "-table"

/* Compares the part before the first point, without trailing spaces and without case. */
bool file_name_is_reserved(struct str name);
/* FILE_NAME_SUFFIX if the name of a table is reserved, else "". */
const char *file_name_suffix(const char *table);

#endif
