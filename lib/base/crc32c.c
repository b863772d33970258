/* crc32c.c - computes CRC-32C by tables, eight bytes at a time. */
#include "base/crc32c.h"

#include <stdatomic.h>

#define POLYNOMIAL UINT32_C(0x82f63b78) /* reflected */
#define SLICES 8

/* The effect of a byte that is `slice` bytes before the end of the step. */
static uint32_t tables[SLICES][256];
/* Made once, by the first thread; others wait some microseconds. */
enum { MISSING, BEING_MADE, READY };
static atomic_int state;

static void make_tables(void)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		tables[0][byte] = crc;
	}
	for (int slice = 1; slice < SLICES; slice++)
		for (int byte = 0; byte < 256; byte++) {
			uint32_t before = tables[slice - 1][byte];

			tables[slice][byte] = before >> 8 ^ tables[0][before & 0xff];
		}
}

static void need_tables(void)
{
	int before = MISSING;

	if (atomic_load_explicit(&state, memory_order_acquire) == READY)
		return;
	if (atomic_compare_exchange_strong(&state, &before, BEING_MADE)) {
		make_tables();
		atomic_store_explicit(&state, READY, memory_order_release);
	}
	while (atomic_load_explicit(&state, memory_order_acquire) != READY)
		;
}

uint32_t crc32c(uint32_t crc, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	need_tables();
	crc = ~crc;
	for (; size >= 8; size -= 8, at += 8) {
		crc ^= (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
		       (uint32_t)at[3] << 24;
		crc = tables[7][crc & 0xff] ^ tables[6][crc >> 8 & 0xff] ^
		      tables[5][crc >> 16 & 0xff] ^ tables[4][crc >> 24] ^
		      tables[3][at[4]] ^ tables[2][at[5]] ^ tables[1][at[6]] ^
		      tables[0][at[7]];
	}
	while (size-- > 0)
		crc = crc >> 8 ^ tables[0][(crc ^ *at++) & 0xff];
	return ~crc;
}
