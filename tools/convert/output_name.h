/*
 * output_name.h - outputs that are not called like what they would be.
 */
#ifndef PERFTAB_OUTPUT_NAME_H
#define PERFTAB_OUTPUT_NAME_H

/* What to do instead of a database called so; NULL: nothing is wrong with the name. */
const char *output_name_hint(const char *path);

#endif
