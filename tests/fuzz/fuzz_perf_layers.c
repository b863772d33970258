/*
 * fuzz_perf_layers.c - any bytes as the records of a pipe, compressed, and in rings that
 * were written backward: two layers at once.
 *
 * The first byte: 1, the byte order; 2, COMPRESSED2 records; 4, every event is written
 * backward; 8, compressed twice; 16, a frame for each piece.  The
 * second one is the size of the pieces, in units of 16 bytes.  Records before the first
 * one of the kernel describe the events, and stay as they are.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "formats/formats.h"
#include "formats/perf/layout.h"
#include "harness.h"
#include "mutate_perf.h"

#define PREFIX_BYTES 2
#define ATTR_FLAGS_AT (PERF_RECORD_HEADER_BYTES + 40)
#define TRACE_BYTES_MAX ((size_t)512 << 10)
#define PIECE_BYTES_MAX ((size_t)40 << 10)

enum { BIG_ENDIAN_ORDER = 1, WITH_LENGTH = 2, BACKWARD = 4, TWICE = 8, FRAMES = 16 };

/* The description as it is; *end is where it ends. */
static void copy_description(struct mutant *to, const uint8_t *data, size_t size,
			     size_t *end, unsigned int flags)
{
	size_t at = 0;

	(void)mutant_replace(to, to->size, 0, data, size);
	while (size - at >= PERF_RECORD_HEADER_BYTES) {
		size_t record = PERF_PIPE_HEADER_BYTES + at;
		uint64_t type = mutant_get(to, record, 4);
		size_t bytes = (size_t)mutant_get(to, record + 6, 2);

		if (bytes < PERF_RECORD_HEADER_BYTES || bytes > size - at ||
		    type < PERF_RECORD_TOOL_FIRST)
			break;
		if (type == PERF_RECORD_HEADER_ATTR && (flags & BACKWARD))
			mutant_put(to, record + ATTR_FLAGS_AT, 8,
				   mutant_get(to, record + ATTR_FLAGS_AT, 8) |
					   PERF_FLAG_WRITE_BACKWARD);
		if (type == PERF_RECORD_TRACING_DATA) /* follows its record */
			bytes += (size_t)mutant_get(to, record + 8, 4);
		if (bytes > size - at)
			break;
		at += bytes;
	}
	*end = at;
	to->size = PERF_PIPE_HEADER_BYTES + at;
}

static void add_piece(struct mutant *to, ZSTD_CCtx *context, const uint8_t *bytes,
		      size_t count, unsigned int flags)
{
	static uint8_t packed[PIECE_BYTES_MAX + 1024];
	ZSTD_inBuffer in = { bytes, count, 0 };
	ZSTD_outBuffer out = { packed, sizeof(packed), 0 };
	size_t head = flags & WITH_LENGTH ? 16 : 8, at = to->size, made;
	static const uint8_t zeros[16];

	if (ZSTD_isError(ZSTD_compressStream2(
		    context, &out, &in, flags & FRAMES ? ZSTD_e_end : ZSTD_e_flush)))
		return;
	made = out.pos;
	if (!mutant_replace(to, at, 0, zeros, head) ||
	    !mutant_replace(to, at + head, 0, packed, made))
		return;
	if (flags & WITH_LENGTH)
		(void)mutant_replace(to, to->size, 0, zeros, -made & 7);
	mutant_put(to, at, 4,
		   flags & WITH_LENGTH ? PERF_RECORD_COMPRESSED2
				       : PERF_RECORD_COMPRESSED);
	mutant_put(to, at + 6, 2, to->size - at);
	mutant_put(to, at + 8, flags & WITH_LENGTH ? 8 : 0, made);
}

static void compress(struct mutant *to, const uint8_t *bytes, size_t count, size_t piece,
		     unsigned int flags)
{
	static ZSTD_CCtx *context;

	if (!context && !(context = ZSTD_createCCtx()))
		abort();
	ZSTD_CCtx_reset(context, ZSTD_reset_session_only);
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1);
	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 14);
	for (size_t at = 0; at < count; at += piece)
		add_piece(to, context, bytes + at,
			  count - at < piece ? count - at : piece, flags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader_ops *const formats[] = { &perf_reader, NULL };
	static uint8_t trace[TRACE_BYTES_MAX], once[TRACE_BYTES_MAX];
	struct mutant to = mutant_over(trace, PERF_PIPE_HEADER_BYTES, sizeof(trace), 0);
	struct mutant first = mutant_over(once, 0, sizeof(once), 0);
	unsigned int flags;
	size_t piece, end;
	uint8_t *exact;

	if (size < PREFIX_BYTES || size > PIECE_BYTES_MAX)
		return 0;
	flags = data[0];
	piece = ((size_t)data[1] + 1) * 16;
	to.big_endian = first.big_endian = flags & BIG_ENDIAN_ORDER;
	memcpy(trace, flags & BIG_ENDIAN_ORDER ? "2ELIFREP" : "PERFILE2", 8);
	mutant_put(&to, 8, 8, PERF_PIPE_HEADER_BYTES);
	data += PREFIX_BYTES;
	size -= PREFIX_BYTES;
	copy_description(&to, data, size, &end, flags);
	if (flags & TWICE) {
		compress(&first, data + end, size - end, piece, flags);
		compress(&to, once, first.size, piece, flags);
	} else {
		compress(&to, data + end, size - end, piece, flags);
	}
	/* Of its exact size, so that a sanitizer sees the first byte too many. */
	exact = malloc(to.size);
	if (!exact)
		return 0;
	memcpy(exact, trace, to.size);
	(void)harness_run_as(exact, to.size, formats);
	free(exact);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	struct mutant m = mutant_over(data, size, max_size, seed);

	if (size < PREFIX_BYTES) {
		mutant_change_all(&m, 0);
		return m.size;
	}
	if (mutant_choose(&m, 8) == 0)
		mutant_change_number(&m, 0, PREFIX_BYTES);
	m.big_endian = data[0] & BIG_ENDIAN_ORDER;
	mutate_perf_records(&m, PREFIX_BYTES);
	return m.size;
}
