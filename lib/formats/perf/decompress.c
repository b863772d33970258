/*
 * decompress.c - turns compressed pieces into the records that they hold.
 *
 * COMPRESSED and COMPRESSED2 records carry pieces of one zstd stream, which begins with
 * the first of them and has no end.  The output ignores the borders of pieces: a record
 * may begin in one and end in the next.  Other records between the pieces are copied as
 * they are; a recorder writes them only where no record is open.
 */
#include <zstd.h>
#include <zstd_errors.h>

#include <stdlib.h>

#include "base/memory.h"
#include "formats/perf/perf.h"

/* Each frame begins with it; RFC 8878, section 3.1.1. */
#define ZSTD_FRAME_MAGIC UINT32_C(0xFD2FB528)

struct perf_decompressor {
	struct reader *reader;
	struct input stream; /* what comes out */
	struct input *from;
	uint64_t limit; /* of it */
	ZSTD_DCtx *zstd;
	bool broken;	      /* a piece was damaged, and so are all later ones */
	uint64_t plain_left;  /* bytes of a record to copy */
	const uint8_t *piece; /* of compressed data, in the buffer of `from` */
	size_t piece_left;
	uint64_t piece_offset; /* of its record */
	bool more_out;	       /* the piece was read, but not all of it written */
	uint64_t made;	       /* offset in the stream */
	struct perf_segments places;
};

static bool add_place(struct perf_decompressor *e, uint64_t source, bool exact)
{
	uint64_t window = 2 * INPUT_BUFFER_BYTES;

	return perf_segment_add(&e->places, e->made, source, exact,
				e->made > window ? e->made - window : 0);
}

/* --- pieces --- */

static void report_lost(struct perf_decompressor *e, const char *why, uint64_t size)
{
	finding_gap(&e->reader->findings, FINDING_BAD_COMPRESSED, e->piece_offset,
		    e->piece_offset + size,
		    "compressed record at 0x%llx: %llu bytes cannot be decoded: %s",
		    (unsigned long long)e->piece_offset, (unsigned long long)size, why);
}

/* Begins the piece in the record at `at`, which is buffered whole. */
static void begin_piece(struct perf_decompressor *e, const uint8_t *at, uint32_t record,
			uint32_t type)
{
	struct perf *perf = e->reader->state;
	struct cursor c = cursor_over(at, record, 0, perf->catalog.big_endian);
	uint64_t size = record - PERF_RECORD_HEADER_BYTES;
	struct cursor magic;

	cursor_skip(&c, PERF_RECORD_HEADER_BYTES);
	perf_count_record(&perf->rows, type);
	if (type == PERF_RECORD_COMPRESSED2) {
		size = cursor_u64(&c);
		if (size > cursor_left(&c))
			size = cursor_left(&c);
	}
	e->piece_offset = e->from->offset;
	e->piece = c.pos;
	e->piece_left = (size_t)size;
	magic = cursor_over(c.pos, (size_t)size, 0, false);
	if (e->broken && cursor_u32(&magic) == ZSTD_FRAME_MAGIC && !magic.overrun) {
		e->broken = false; /* a new frame needs nothing of the old one */
		ZSTD_DCtx_reset(e->zstd, ZSTD_reset_session_only);
	}
	if (e->broken) {
		report_lost(e, "the pieces before it are missing", size);
		e->piece_left = 0;
	}
	/* The bytes stay valid until the next peek. */
	input_consume(e->from, record);
}

/* Bytes of the piece; 0: it is used up. */
static size_t decompress_piece(struct perf_decompressor *e, uint8_t *to, size_t room)
{
	ZSTD_inBuffer in = { e->piece, e->piece_left, 0 };
	ZSTD_outBuffer out = { to, room, 0 };
	size_t result = ZSTD_decompressStream(e->zstd, &out, &in);

	if (ZSTD_isError(result) &&
	    ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		memory_note_failure();
	if (ZSTD_isError(result)) {
		report_lost(e, ZSTD_getErrorName(result), e->piece_left);
		e->broken = true;
		e->more_out = false;
		e->piece_left = 0;
		return out.pos;
	}
	e->piece += in.pos;
	e->piece_left -= in.pos;
	/* When the room is full, zstd may have more: ask again. */
	e->more_out = out.pos == room;
	return out.pos;
}

/* --- the stream between the pieces --- */

/* The record at the input's place: a piece, or bytes to copy. */
static ptrdiff_t begin_record(struct perf_decompressor *e)
{
	const struct perf *perf = e->reader->state;
	const uint8_t *at = e->from->offset < e->limit ? input_peek(e->from, 8) : NULL;
	struct perf_header header;
	struct perf_extent extent;
	uint64_t left;

	if (!at) { /* less than a header is left: the walk reports it */
		e->plain_left = e->from->offset < e->limit ? input_buffered(e->from) : 0;
		return e->reader->error.status < ST_OK ? -1 : 0;
	}
	header = perf_decode_header(at, perf->catalog.big_endian);
	if (perf_is_compressed(header.type)) {
		const uint8_t *more = input_peek(e->from, 16);

		at = more ? more : e->from->pos;
	}
	extent = perf_find_extent(&perf->catalog, at, input_buffered(e->from));
	left = e->limit - e->from->offset;
	if (!extent.fault &&
	    !perf_record_name(header.type)) { /* of a newer writer, maybe */
		size_t wanted = extent.record < INPUT_BUFFER_BYTES / 2
					? extent.record + PERF_RECORD_HEADER_BYTES
					: INPUT_BUFFER_BYTES;
		size_t have = input_peek_some(e->from, wanted);

		extent.value = header.type;
		if (have > left)
			have = (size_t)left;
		if (perf_is_unlikely(&perf->catalog, e->from->pos, have, extent.whole))
			extent.fault = PERF_FAULT_UNLIKELY;
	}
	if (extent.fault) {
		perf_skip_damage(e->reader, e->from, e->limit, "", extent.fault,
				 extent.value);
		return 0;
	}
	if (!perf_is_compressed(header.type)) {
		e->plain_left = extent.whole < left ? extent.whole : left;
		return 0;
	}
	at = extent.record <= left ? input_peek(e->from, extent.record) : NULL;
	if (!at) {
		perf_skip_damage(e->reader, e->from, e->limit, "", PERF_FAULT_OVER_END,
				 extent.record);
		return 0;
	}
	begin_piece(e, at, extent.record, header.type);
	return add_place(e, e->piece_offset, false) ? 0 : -1;
}

static size_t copy_plain(struct perf_decompressor *e, uint8_t *to, size_t room)
{
	size_t part = input_buffered(e->from);

	if (part == 0) {
		if (!input_peek(e->from, 1)) {
			e->plain_left = 0; /* the end, inside a record */
			return 0;
		}
		part = input_buffered(e->from);
	}
	part = part < room ? part : room;
	part = part < e->plain_left ? part : (size_t)e->plain_left;
	(void)add_place(e, e->from->offset, true);
	memcpy(to, e->from->pos, part);
	input_consume(e->from, part);
	e->plain_left -= part;
	return part;
}

/* The input_pull_fn of the stream. */
static ptrdiff_t pull(void *context, uint8_t *to, size_t room)
{
	struct perf_decompressor *e = context;
	size_t got = 0;

	while (got == 0) {
		if (e->piece_left || e->more_out)
			got = decompress_piece(e, to, room);
		else if (e->plain_left) {
			got = copy_plain(e, to, room);
		} else {
			uint64_t before = e->from->offset;

			if (begin_record(e) < 0)
				return -1;
			if (e->from->offset == before && !e->plain_left && !e->piece_left)
				break; /* the end */
		}
	}
	e->made += got;
	return (ptrdiff_t)got;
}

/* --- opening and closing --- */

enum status perf_decompressor_open(struct reader *reader, struct input *from,
				   uint64_t limit,
				   struct perf_decompressor **decompressor)
{
	struct perf_decompressor *e = memory_alloc_zeroed(1, sizeof(*e));

	if (!e)
		return error_nomem(&reader->error);
	*decompressor = e;
	e->reader = reader;
	e->from = from;
	e->limit = limit;
	e->made = from->offset;
	e->zstd = ZSTD_createDCtx();
	if (!e->zstd)
		return error_nomem(&reader->error);
	/* As much as the highest level of `perf record -z` asks for: 128 MiB. */
	ZSTD_DCtx_setParameter(e->zstd, ZSTD_d_windowLogMax, 27);
	return input_open_pull(&e->stream, pull, e, from->offset, &reader->error);
}

struct input *perf_decompressor_stream(struct perf_decompressor *decompressor)
{
	return &decompressor->stream;
}

uint64_t perf_decompressor_offset(const struct perf_decompressor *decompressor,
				  uint64_t offset)
{
	return perf_segment_find(&decompressor->places, offset);
}

void perf_decompressor_close(struct perf_decompressor *decompressor)
{
	if (!decompressor)
		return;
	input_close(&decompressor->stream);
	ZSTD_freeDCtx(decompressor->zstd);
	perf_segments_release(&decompressor->places);
	free(decompressor);
}
