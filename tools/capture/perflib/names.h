/* names.h - names in UTF-8 and UTF-16. */
#ifndef PERFTAB_CAPTURE_PERFLIB_NAMES_H
#define PERFTAB_CAPTURE_PERFLIB_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* A UTF-8 copy, up to the first NUL or the end; a lone surrogate becomes U+FFFD. */
struct str names_utf8(struct arena *arena, const uint8_t *at, size_t bytes);
/*
 * UTF-16, little-endian, without a NUL; invalid UTF-8 becomes U+FFFD.  Returns the size
 * in bytes, and stores at most `room` bytes, whole characters only.
 */
size_t names_utf16(uint8_t *to, size_t room, struct str text);

#endif
