/*
 * machines.h - which machine a trace is of, and when it was: --host, --wall, --shift.
 */
#ifndef PERFTAB_CONVERT_MACHINES_H
#define PERFTAB_CONVERT_MACHINES_H

#include "common/cli.h"
#include "model/record.h"

struct machines {
	struct option_texts hosts;  /* FILE=NAME */
	struct option_texts walls;  /* FILE=UTC, of the trace's first moment */
	struct option_texts shifts; /* HOST=DURATION */
	bool shifted[OPTION_TEXTS_MAX];
};

/* EXIT_USAGE, after a message, if one names no input or is otherwise invalid. */
int machines_check(const struct cli *cli, const struct machines *machines, char **inputs);
/* What is known of the trace of this input. */
void machines_apply(struct machines *machines, const char *input, struct trace_row *row);
/* Warns of hosts of --shift that no trace had. */
void machines_warn(const struct cli *cli, const struct machines *machines);

#endif
