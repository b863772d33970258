/*
 * confine.h - puts a tool that reads untrusted bytes into a sandbox.
 */
#ifndef PERFTAB_CONFINE_H
#define PERFTAB_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

struct confinement {
	char *const *inputs; /* files, or folders with all in them */
	size_t input_count;
	const char *tracefs; /* a folder that is read; NULL: none */
	const char *output;  /* what is made, in a folder that there is; NULL: nothing */
	bool temporaries;    /* also if no input needs some */
};

/*
 * From here on only these can be opened, and temporary files if an input needs some;
 * nothing leaves the process.  Before the first thread, and before SQLite.  What the
 * kernel lacks for that is said if `verbose`.
 */
void confine(const char *tool, const struct confinement *to, bool verbose);

#endif
