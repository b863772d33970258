/*
 * names.h - names in both encodings, and patterns of names.
 */
#ifndef PERFTAB_NAMES_H
#define PERFTAB_NAMES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

/* A copy as UTF-8, up to the first NUL or the end; a lone surrogate becomes U+FFFD. */
struct str names_utf8(struct arena *arena, const uint8_t *at, size_t bytes);
/*
 * UTF-16, little-endian, without a NUL; what is not UTF-8 becomes U+FFFD.  Returns the
 * bytes it takes, and stores no more than `room`, whole characters only.
 */
size_t names_utf16(uint8_t *to, size_t room, struct str text);

/* Case counts for nothing in ASCII. */
bool names_equal(struct str a, struct str b);
/* '*' fits anything, '?' one character. */
bool names_fit(struct str pattern, struct str name);
bool names_is_pattern(struct str text);

#endif
