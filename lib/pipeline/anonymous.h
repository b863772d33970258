/*
 * anonymous.h - a sink before another one, in which texts that tell who, where and what
 * give way to short tokens (perftab-convert --anonymize).
 *
 * What becomes of a column is a line of anonymous.def.  Tokens are numbered in the order
 * in which their originals come, so nothing can be worked out from them; the same
 * original has the same token in the whole output.  Names of users and hosts may be told
 * behind the names that hold them: inputs that can be read twice are learned from first.
 */
#ifndef PERFTAB_ANONYMOUS_H
#define PERFTAB_ANONYMOUS_H

#include <stdbool.h>

#include "model/sink.h"

enum anonymous_kind {
	ANONYMOUS_NO_LINE, /* nothing is known of the column: as FREE or DROP */
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

/* The line of anonymous.def for a column. */
enum anonymous_kind anonymous_policy(const char *table, const char *column);
/* And each of those lines; false: there is no such one. */
bool anonymous_policy_line(size_t number, const char **table, const char **column);

/* What is known of one run: tokens, users, hosts. */
struct anonymous;
/* names: those of processes and threads go as well.  NULL: out of memory. */
struct anonymous *anonymous_new(bool names);
void anonymous_free(struct anonymous *anonymous);

/* A sink that learns the names of users and hosts and writes nothing. */
MUST_CHECK enum status anonymous_learn(struct sink *sink, struct anonymous *anonymous);
/* A sink that hands on what it gets, with tokens, to one of `writer` with `options`. */
MUST_CHECK enum status anonymous_open(struct sink *sink, struct anonymous *anonymous,
				      const struct sink_ops *writer,
				      const struct sink_options *options);

#endif
