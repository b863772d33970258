/*
 * anonymous_path.h - paths and other texts of more than one part, as tokens.
 */
#ifndef PERFTAB_ANONYMOUS_PATH_H
#define PERFTAB_ANONYMOUS_PATH_H

#include "pipeline/anonymous_tokens.h"

/*
 * Part for part: /usr/lib/p1.so, \Users\user1\p2.exe.  The names of users and hosts in it
 * are learned.
 */
struct str anonymous_path(struct tokens *tokens, struct str path);
/* The names of users that paths in any text tell. */
void anonymous_learn_users(struct tokens *tokens, struct str text);
/* S-1-5-18 and its like stay. */
struct str anonymous_sid(struct tokens *tokens, struct str sid);

#endif
