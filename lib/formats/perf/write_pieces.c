/* write_pieces.c - walks records in pieces, and finds where the last whole one ends. */
#include "formats/perf/write_pieces.h"

#include <string.h>

/* Copies bytes that may reach over the end of a piece; false: there are fewer. */
static bool copy_at(const struct iovec *pieces, size_t count, uint64_t at, uint8_t *to,
		    size_t size)
{
	for (size_t i = 0; i < count && size; i++) {
		size_t length = pieces[i].iov_len, part;

		if (at >= length) {
			at -= length;
			continue;
		}
		part = length - (size_t)at < size ? length - (size_t)at : size;
		memcpy(to, (const uint8_t *)pieces[i].iov_base + at, part);
		to += part;
		size -= part;
		at = 0;
	}
	return size == 0;
}

uint64_t perf_pieces_walk(const struct iovec *pieces, size_t count, uint64_t room,
			  perf_pieces_see_fn *see, void *context)
{
	struct perf_record_head head;
	uint64_t at = 0;

	while (at + sizeof(head) <= room &&
	       copy_at(pieces, count, at, (uint8_t *)&head, sizeof(head)) &&
	       head.size >= sizeof(head) && at + head.size <= room) {
		if (see)
			see(context, &head);
		at += head.size;
	}
	return at;
}
