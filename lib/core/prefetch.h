/*
 * prefetch.h - the next block of a file, read while the last one is being decoded.
 *
 * A second thread does nothing but pread() into the buffer that is not in use, so that
 * copying out of the page cache (a quarter of the time of an analysis), or waiting for
 * the disk, costs the decoder nothing.  For regular files only: a read from a pipe can
 * wait for ever.
 */
#ifndef PERFTAB_PREFETCH_H
#define PERFTAB_PREFETCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct prefetch;

/* NULL when there is no thread to be had; then read without. */
struct prefetch *prefetch_start(int fd);
/* Begins to read `size` bytes at `offset` into `to`, the thread's until it is waited for.
 */
void prefetch_read(struct prefetch *prefetch, uint64_t offset, uint8_t *to, size_t size);
/* Waits for what prefetch_read() began: bytes read, 0 at the end, -1 with errno set. */
ssize_t prefetch_wait(struct prefetch *prefetch);
/* Ends the thread; a read that is under way is waited for.  NULL is fine. */
void prefetch_stop(struct prefetch *prefetch);

#endif
