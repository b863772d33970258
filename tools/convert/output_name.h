/*
 * output_name.h - what the name of an output says about its format.
 */
#ifndef PERFTAB_OUTPUT_NAME_H
#define PERFTAB_OUTPUT_NAME_H

struct output_name {
	const char *ending;
	const char *to;	  /* the format that is meant, as --to calls it */
	const char *hint; /* else what to do instead of a database called so */
};

/* NULL: the name says nothing. */
const struct output_name *output_name_find(const char *path);

#endif
