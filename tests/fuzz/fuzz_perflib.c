/*
 * fuzz_perflib.c - any bytes as a PerfLib bundle whose checksums are right, or as a bare
 * block.
 *
 * With the checksums as they come nearly nothing would reach what is after them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "formats/formats.h"
#include "formats/perflib/layout.h"
#include "harness.h"

enum outcome perflib_run(const uint8_t *data, size_t size);

static void put_u32(uint8_t *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get_u32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

static void right_checksums(uint8_t *bytes, size_t size)
{
	size_t at = PLB_HEADER_BYTES;

	while (at <= size && size - at >= PLB_RECORD_HEADER_BYTES) {
		uint8_t *head = bytes + at;
		size_t left = size - at - PLB_RECORD_HEADER_BYTES;
		uint32_t length = get_u32(head + PLB_RECORD_LENGTH_AT);

		if (length <= left)
			put_u32(head + PLB_RECORD_PAYLOAD_CRC_AT,
				crc32c(0, head + PLB_RECORD_HEADER_BYTES, length));
		put_u32(head + PLB_RECORD_HEADER_CRC_AT,
			crc32c(0, head, PLB_RECORD_HEADER_CRC_AT));
		if (length > left)
			return;
		at += PLB_RECORD_HEADER_BYTES + ((size_t)length + 7) / 8 * 8;
	}
}

enum outcome perflib_run(const uint8_t *data, size_t size)
{
	static const struct reader_ops *const formats[] = { &perflib_reader, NULL };
	enum outcome outcome = harness_run_as(data, size, formats);
	uint8_t *bytes;

	if (size < PLB_HEADER_BYTES || memcmp(data, PLB_MAGIC, PLB_MAGIC_BYTES) != 0)
		return outcome;
	bytes = malloc(size);
	if (!bytes)
		return outcome;
	memcpy(bytes, data, size);
	right_checksums(bytes, size);
	outcome = harness_run_as(bytes, size, formats);
	free(bytes);
	return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)perflib_run(data, size);
	return 0;
}
