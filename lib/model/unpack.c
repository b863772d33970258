/*
 * unpack.c - decodes gzip (RFC 1952) and zstd (RFC 8878).
 *
 * Both may be several streams one after the other: members of gzip, frames of zstd.
 */
#include "model/unpack.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

#define GZIP_MAGIC_BYTES 3 /* with the method: 8, the only one */
#define ZSTD_MAGIC_BYTES 4
#define WITH_GZIP_HEADER 16 /* to be added to the bits of the window */
#define GZIP_WINDOW_BITS 15

/* The result of one call of a decoder. */
struct step {
	size_t used, made;
	bool ended;	 /* a member or frame is complete */
	const char *why; /* what is wrong with it, or NULL */
};

struct unpack {
	struct reader *reader;
	struct input from;
	bool is_zstd;
	union {
		z_stream gzip;
		ZSTD_DCtx *zstd;
	} decoder;
	bool is_inside;	  /* a member or frame has begun and not ended */
	bool may_be_more; /* the last call filled all room */
	bool is_over;
};

static const uint8_t gzip_magic[GZIP_MAGIC_BYTES] = { 0x1f, 0x8b, 8 };
static const uint8_t zstd_magic[ZSTD_MAGIC_BYTES] = { 0x28, 0xb5, 0x2f, 0xfd };

static bool begins_with(const uint8_t *head, size_t len, const uint8_t *magic,
			size_t bytes)
{
	return len >= bytes && memcmp(head, magic, bytes) == 0;
}

bool unpack_probe(const uint8_t *head, size_t len)
{
	return begins_with(head, len, gzip_magic, GZIP_MAGIC_BYTES) ||
	       begins_with(head, len, zstd_magic, ZSTD_MAGIC_BYTES);
}

/* --- one step --- */

static struct step step_gzip(struct unpack *unpack, const uint8_t *from, size_t size,
			     uint8_t *to, size_t room)
{
	z_stream *gzip = &unpack->decoder.gzip;
	uInt in = size < UINT_MAX ? (uInt)size : UINT_MAX;
	uInt out = room < UINT_MAX ? (uInt)room : UINT_MAX;
	int result;

	gzip->next_in = (Bytef *)(uintptr_t)from; /* which is only read */
	gzip->avail_in = in;
	gzip->next_out = to;
	gzip->avail_out = out;
	result = inflate(gzip, Z_NO_FLUSH);
	if (result == Z_MEM_ERROR)
		memory_note_failure();
	return (struct step){
		.used = in - gzip->avail_in,
		.made = out - gzip->avail_out,
		.ended = result == Z_STREAM_END && inflateReset(gzip) == Z_OK,
		.why = result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR
			       ? NULL
		       : gzip->msg ? gzip->msg
				   : zError(result),
	};
}

static struct step step_zstd(struct unpack *unpack, const uint8_t *from, size_t size,
			     uint8_t *to, size_t room)
{
	ZSTD_inBuffer in = { from, size, 0 };
	ZSTD_outBuffer out = { to, room, 0 };
	size_t result = ZSTD_decompressStream(unpack->decoder.zstd, &out, &in);

	if (ZSTD_isError(result) &&
	    ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		memory_note_failure();
	return (struct step){
		.used = in.pos,
		.made = out.pos,
		.ended = result == 0,
		.why = ZSTD_isError(result) ? ZSTD_getErrorName(result) : NULL,
	};
}

/* --- the stream --- */

static void report(struct unpack *unpack, const char *why)
{
	unpack->is_over = true;
	finding_report(&unpack->reader->findings, FINDING_BAD_PACKED, unpack->from.offset,
		       "%s input, damaged at 0x%llx: %s: read up to there",
		       unpack->is_zstd ? "zstd" : "gzip",
		       (unsigned long long)unpack->from.offset, why);
}

/* Zeros up to the end: blocks of a tape or a device are padded so. */
static bool skip_padding(struct unpack *unpack)
{
	while (input_peek(&unpack->from, 1) && *unpack->from.pos == 0)
		input_consume(&unpack->from, 1);
	return input_buffered(&unpack->from) == 0;
}

/* Between two members or frames: is there one more? */
static bool begin_next(struct unpack *unpack)
{
	size_t there = input_peek_some(&unpack->from, ZSTD_MAGIC_BYTES);
	const uint8_t *head = unpack->from.pos;
	/* Frames of zstd may be skippable. */
	bool is_one = unpack->is_zstd
			      ? there >= ZSTD_MAGIC_BYTES &&
					(unpack_probe(head, there) ||
					 ((head[0] & 0xf0) == 0x50 &&
					  memcmp(head + 1, "\x2a\x4d\x18", 3) == 0))
			      : begins_with(head, there, gzip_magic, GZIP_MAGIC_BYTES);

	unpack->is_inside = is_one;
	unpack->is_over = !is_one;
	if (!is_one && there && !skip_padding(unpack))
		report(unpack, "bytes after the end");
	return is_one;
}

static ptrdiff_t unpack_pull(void *context, uint8_t *to, size_t room)
{
	struct unpack *unpack = context;
	struct step step = { .made = 0 };

	while (!unpack->is_over && step.made == 0) {
		if (!unpack->is_inside && !begin_next(unpack))
			break;
		if (!input_peek(&unpack->from, 1) && !unpack->may_be_more) {
			if (unpack->from.error->status >= ST_OK)
				report(unpack, "ends early");
			break;
		}
		step = (unpack->is_zstd ? step_zstd : step_gzip)(
			unpack, unpack->from.pos, input_buffered(&unpack->from), to,
			room);
		input_consume(&unpack->from, step.used);
		unpack->may_be_more = step.made == room;
		unpack->is_inside = !step.ended;
		if (step.why)
			report(unpack, step.why);
	}
	if (memory_failed())
		error_nomem(unpack->from.error);
	return unpack->from.error->status < ST_OK ? -1 : (ptrdiff_t)step.made;
}

/* --- opening and closing --- */

static bool open_decoder(struct unpack *unpack)
{
	if (unpack->is_zstd)
		unpack->decoder.zstd = ZSTD_createDCtx();
	return unpack->is_zstd
		       ? unpack->decoder.zstd != NULL
		       : inflateInit2(&unpack->decoder.gzip,
				      GZIP_WINDOW_BITS + WITH_GZIP_HEADER) == Z_OK;
}

enum status unpack_open(struct reader *reader)
{
	struct unpack *unpack = memory_alloc_zeroed(1, sizeof(*unpack));

	if (!unpack)
		return error_nomem(&reader->error);
	unpack->reader = reader;
	unpack->is_zstd = begins_with(reader->input.pos, input_buffered(&reader->input),
				      zstd_magic, ZSTD_MAGIC_BYTES);
	if (!open_decoder(unpack)) {
		free(unpack);
		memory_note_failure();
		return error_nomem(&reader->error);
	}
	unpack->from = reader->input;
	reader->unpack = unpack;
	return input_open_pull(&reader->input, unpack_pull, unpack, 0, &reader->error);
}

uint64_t unpack_done_bytes(const struct unpack *unpack)
{
	return unpack->from.offset;
}

uint64_t unpack_all_bytes(const struct unpack *unpack)
{
	return unpack->from.size;
}

void unpack_close(struct unpack *unpack)
{
	if (!unpack)
		return;
	if (unpack->is_zstd)
		ZSTD_freeDCtx(unpack->decoder.zstd);
	else
		inflateEnd(&unpack->decoder.gzip);
	input_close(&unpack->from);
	free(unpack);
}
