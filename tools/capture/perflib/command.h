/*
 * command.h - perftab-capture perflib, and perftab-capture list countersets.
 *
 * The same on every system; struct perflib_system holds the differences.
 */
#ifndef PERFTAB_CAPTURE_PERFLIB_COMMAND_H
#define PERFTAB_CAPTURE_PERFLIB_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "capture/perflib/source.h"
#include "common/cli.h"

struct perflib_system {
	/* Opens the counters of this system; `trees` are the arguments of --proc. */
	enum status (*open)(const void *context, struct source *source,
			    const struct option_texts *trees, struct error *error);
	const void *context;
	/* Opens a bundle for --replay; NULL: no --replay and no --proc. */
	enum status (*replay)(struct source *source, const char *path,
			      struct error *error);
	/* Countersets captured without -c; those that do not exist are skipped. */
	const char *const *defaults;
	size_t default_count;
	const char *counterset_help; /* the help of -c, which lists them */
	const char *const *examples; /* as in struct cli */
};

/* The parsed options that choose the source of the counters. */
struct perflib_input {
	struct option_texts trees;
	const char *bundle; /* the argument of --replay, or NULL */
};
MUST_CHECK enum status perflib_input_open(const struct perflib_input *input,
					  const struct perflib_system *system,
					  struct source *source, struct error *error);

/* argv[0] is "perflib"; `words` is the whole command line, for the bundle. */
int perflib_capture(int argc, char **argv, char **words,
		    const struct perflib_system *system);
/* Lists the countersets whose names match `filter`; NULL: all, without counters. */
MUST_CHECK enum status perflib_list(FILE *to, struct source *source, const char *filter,
				    bool json, struct error *error);

#endif
