/*
 * unpack.h - decompresses inputs that are packed with gzip or zstd.
 *
 * A stream that is damaged or cut off ends where it can no longer be decoded, with a
 * finding: the reader reads what there is.  Memory is bounded: 32 KiB for gzip, and
 * windows of at most 128 MiB for zstd.
 */
#ifndef PERFTAB_UNPACK_H
#define PERFTAB_UNPACK_H

#include <stdbool.h>

#include "model/reader.h"

struct unpack;

/* Returns whether the input begins as gzip or zstd does. */
bool unpack_probe(const uint8_t *head, size_t len);
/*
 * Replaces reader->input, at its start, by an input of the decompressed bytes; the old
 * one is kept in reader->unpack.  On failure reader->error says why.
 */
MUST_CHECK enum status unpack_open(struct reader *reader);
/* Return the bytes read of the packed input, and its size or INPUT_SIZE_UNKNOWN. */
uint64_t unpack_done_bytes(const struct unpack *unpack);
uint64_t unpack_all_bytes(const struct unpack *unpack);
/* Call it after closing the input that reads from it.  NULL is allowed. */
void unpack_close(struct unpack *unpack);

#endif
