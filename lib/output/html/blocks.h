/*
 * blocks.h - data of the page: deflated, as base64 in script elements that never run.
 *
 * Base64 holds no character that means anything in HTML, so no byte of a trace is ever
 * markup.
 */
#ifndef PERFTAB_HTML_BLOCKS_H
#define PERFTAB_HTML_BLOCKS_H

#include <stdio.h>

#include "base/bytes.h"

/*
 * Empties `to`, and deflates to it in the format of zlib.  Ends early once it has more
 * than `most` bytes.  False: out of memory.
 */
bool block_deflate(struct bytes *to, const void *from, size_t size, size_t most);
void block_base64(FILE *to, const void *from, size_t size);
/* Writes the deflated bytes as a script element with an id. */
void block_write(FILE *to, const char *id, const struct bytes *deflated);

#endif
