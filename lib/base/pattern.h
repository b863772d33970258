/*
 * pattern.h - names with wildcards, as in Windows' tools: * is any characters, ? is one.
 */
#ifndef PERFTAB_PATTERN_H
#define PERFTAB_PATTERN_H

#include <stdbool.h>

#include "base/str.h"

/* Whether the whole text matches, ignoring the case of ASCII letters. */
bool pattern_match(struct str pattern, struct str text);
bool pattern_has_wildcard(struct str text);

#endif
