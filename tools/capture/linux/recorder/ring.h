/*
 * ring.h - the memory that a CPU's counters and the recorder share.
 *
 * The kernel writes whole records and moves data_head; the reader then moves data_tail
 * (perf_event_open(2), "MMAP layout").  Records are multiples of 8 bytes, so a header
 * never lies in two pieces, its record may.
 */
#ifndef PERFTAB_RING_H
#define PERFTAB_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	uint8_t *data;
	size_t size; /* of data: a power of two */
	uint64_t tail;
	uint64_t head; /* as ring_poll() found it */
};

/* Maps `size` bytes, a power of two of whole pages; false: errno says why not. */
bool ring_open(struct ring *ring, int fd, size_t size);
void ring_close(struct ring *ring);

/* How much is there to be read now. */
size_t ring_poll(struct ring *ring);
/* What ring_poll() found, in order, as one piece or two; returns how many. */
int ring_pieces(const struct ring *ring, struct iovec *pieces);
/* The `size` bytes `at` after the tail. */
void ring_copy(const struct ring *ring, uint64_t at, void *to, size_t size);
/* What ring_poll() found was read: the kernel may write there again. */
void ring_done(struct ring *ring);

/* The 8 bytes `at` after the tail, wherever they lie. */
static inline uint64_t ring_u64(const struct ring *ring, uint64_t at)
{
	return *(const uint64_t *)(const void *)(ring->data +
						 ((ring->tail + at) & (ring->size - 1)));
}

#endif
