/*
 * write_pieces.h - walks the records of a round, which are in pieces of rings.
 */
#ifndef PERFTAB_PERF_WRITE_PIECES_H
#define PERFTAB_PERF_WRITE_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* The start of a record of the kernel; all have 16 bytes or more. */
struct perf_record_head {
	uint32_t type;
	uint16_t misc, size;
	uint64_t first; /* of a sample: its id, if samples begin with one */
};

typedef void perf_pieces_see_fn(void *context, const struct perf_record_head *head);

/*
 * Calls `see` (NULL: none) for each record that is whole within the first `room` bytes.
 * Returns the end of the last of them.
 */
uint64_t perf_pieces_walk(const struct iovec *pieces, size_t count, uint64_t room,
			  perf_pieces_see_fn *see, void *context);

#endif
