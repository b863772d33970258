/*
 * anonymous.h - a sink in front of another one that replaces texts about users, hosts and
 * files with short tokens (perftab-convert --anonymize).
 *
 * Each column has a rule in anonymous.def.  Tokens are numbered in the order of their
 * originals and reveal nothing about them; the same original has the same token in the
 * whole output.  Names of users and hosts may come after names that contain them, so an
 * input that can be read twice is first read to learn them.
 */
#ifndef PERFTAB_ANONYMOUS_H
#define PERFTAB_ANONYMOUS_H

#include <stdbool.h>

#include "model/sink.h"

enum anonymous_kind {
	ANONYMOUS_NO_LINE, /* the column has no rule: as FREE or DROP */
	ANONYMOUS_KEEP,
	ANONYMOUS_LABEL,
	ANONYMOUS_NAME,
	ANONYMOUS_INSTANCE,
	ANONYMOUS_PATH,
	ANONYMOUS_HOST,
	ANONYMOUS_COMMAND,
	ANONYMOUS_SID,
	ANONYMOUS_PACKAGE,
	ANONYMOUS_APPLICATION,
	ANONYMOUS_BUILD,
	ANONYMOUS_FREE,
	ANONYMOUS_BY_KEY,
	ANONYMOUS_RECORDER,
	ANONYMOUS_WORDS,
	ANONYMOUS_DROP,
};

/* Returns the rule of a column. */
enum anonymous_kind anonymous_policy(const char *table, const char *column);
/* Gets the column of a line of anonymous.def by its number; false: no such line. */
bool anonymous_policy_line(size_t number, const char **table, const char **column);

/* The tokens, users and hosts of one run. */
struct anonymous;
/* `names`: replace names of processes and threads, too.  NULL: out of memory. */
struct anonymous *anonymous_new(bool names);
void anonymous_free(struct anonymous *anonymous);

/*
 * Calls `call` for each text that was checked and kept: names of processes and threads,
 * and labels (of events, PMUs, tracepoints and the like), the last one first.
 */
void anonymous_each_kept(const struct anonymous *anonymous,
			 void (*call)(void *context, struct str text, bool is_process),
			 void *context);

/* Opens a sink that learns the names of users and hosts and writes nothing. */
MUST_CHECK enum status anonymous_learn(struct sink *sink, struct anonymous *anonymous);
/* Opens a sink that replaces texts by tokens and passes rows to a sink of `writer`. */
MUST_CHECK enum status anonymous_open(struct sink *sink, struct anonymous *anonymous,
				      const struct sink_ops *writer,
				      const struct sink_options *options);
/* Returns the state of the sink of `writer`. */
void *anonymous_inner_state(const struct sink *sink);

#endif
