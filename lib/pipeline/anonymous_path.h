/*
 * anonymous_path.h - replaces paths and other texts of several parts by tokens.
 */
#ifndef PERFTAB_ANONYMOUS_PATH_H
#define PERFTAB_ANONYMOUS_PATH_H

#include "pipeline/anonymous_tokens.h"

/*
 * Replaces a path part by part: /usr/lib/p1.so, \Users\user1\p2.exe.  Learns the names of
 * users and hosts in it.
 */
struct str anonymous_path(struct tokens *tokens, struct str path);
/* Learns the names of users from paths in any text. */
void anonymous_learn_users(struct tokens *tokens, struct str text);
/* Replaces a SID; well-known ones as S-1-5-18 stay. */
struct str anonymous_sid(struct tokens *tokens, struct str sid);

#endif
