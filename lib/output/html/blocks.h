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
 * In the format of zlib; `to` is emptied first.  Ends early, with more than `most` bytes,
 * if there are more.  False: out of memory.
 */
bool block_deflate(struct bytes *to, const void *from, size_t size, size_t most);
void block_base64(FILE *to, const void *from, size_t size);
/* A script element with an id: the deflated bytes. */
void block_write(FILE *to, const char *id, const struct bytes *deflated);

#endif
