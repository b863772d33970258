/*
 * command.h - perftab-capture perflib, and perftab-capture list countersets.
 *
 * The same on every system; what differs is in struct perflib_system.
 */
#ifndef PERFTAB_PERFLIB_COMMAND_H
#define PERFTAB_PERFLIB_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "common/cli.h"
#include "source.h"

struct perflib_system {
	/* The system's own counters; `trees` are arguments of --proc. */
	enum status (*open)(const void *context, struct source *source,
			    const struct option_texts *trees, struct error *error);
	const void *context;
	/* What --replay does, NULL: there are no --replay and no --proc. */
	enum status (*replay)(struct source *source, const char *path,
			      struct error *error);
	/* What is captured if nothing is named, as far as it is there. */
	const char *const *usual;
	size_t usual_count;
	const char *counterset_help; /* of -c, which says so */
	const char *const *examples; /* as of struct cli */
};

/* Of options that were parsed: where counters come from. */
struct perflib_input {
	struct option_texts trees;
	const char *bundle; /* NULL: not --replay */
};
MUST_CHECK enum status perflib_input_open(const struct perflib_input *input,
					  const struct perflib_system *system,
					  struct source *source, struct error *error);

/* argv[0] is "perflib"; `words` are those of the whole command line, for the bundle. */
int perflib_capture(int argc, char **argv, char **words,
		    const struct perflib_system *system);
/* filter NULL: all of them, briefly. */
MUST_CHECK enum status perflib_list(FILE *to, struct source *source, const char *filter,
				    bool json, struct error *error);

#endif
