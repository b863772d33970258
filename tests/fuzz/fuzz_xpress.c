/*
 * fuzz_xpress.c - any bytes as a compressed buffer: what comes out fits the room that
 * there is, and is the same with more room.
 *
 * The first two bytes are the room, in units of 4 bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "formats/etw/xpress.h"
#include "harness.h"

#define ROOM_BYTES_MAX ((size_t)8192)

/* FNV-1a */
static unsigned int sum_of(const uint8_t *bytes, size_t size)
{
	uint32_t sum = 0x811c9dc5u;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * 0x01000193u;
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t room, small_done, large_done;
	uint8_t *small, *large;
	bool small_whole, large_whole;

	if (size < 2)
		return 0;
	room = (size_t)(data[0] | data[1] << 8) * 4;
	/* Most inputs need less room than they ask for. */
	if (room > ROOM_BYTES_MAX)
		room %= ROOM_BYTES_MAX;
	small = malloc(room ? room : 1);
	large = malloc(room * 2 + 1);
	if (!small || !large)
		abort();
	small_whole = xpress_decompress(data + 2, size - 2, small, room, &small_done);
	large_whole = xpress_decompress(data + 2, size - 2, large, room * 2, &large_done);
	if (small_done > room || large_done > room * 2 || small_done > large_done ||
	    memcmp(small, large, small_done) != 0 || (small_whole && !large_whole) ||
	    (small_whole && small_done != large_done))
		abort();
	answer_text(small_whole ? 0 : 1, "%zu of %zu bytes, sum %08x%s", small_done, room,
		    sum_of(small, small_done), small_whole ? "" : ", not whole");
	free(small);
	free(large);
	return 0;
}
