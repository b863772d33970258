/*
 * unpack.h - gzip and zstd around an input: readers get the bytes inside.
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

/* Whether the input begins as gzip or zstd does. */
bool unpack_probe(const uint8_t *head, size_t len);
/*
 * Replaces reader->input, at its start, by an input of the bytes inside; the old one is
 * kept in reader->unpack.  On failure reader->error says why.
 */
MUST_CHECK enum status unpack_open(struct reader *reader);
/* Bytes of the packed input read, and its size or INPUT_SIZE_UNKNOWN. */
uint64_t unpack_done_bytes(const struct unpack *unpack);
uint64_t unpack_all_bytes(const struct unpack *unpack);
/* After the input that reads from it is closed.  NULL is allowed. */
void unpack_close(struct unpack *unpack);

#endif
