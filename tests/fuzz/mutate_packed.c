/* mutate_packed.c - see mutate_packed.h. */
#include "mutate_packed.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "formats/etw/etl_layout.h"
#include "formats/perflib/layout.h"
#include "mutate_etl.h"
#include "mutate_perf.h"
#include "mutate_perflib.h"
#include "mutate_text.h"

#define WITH_GZIP_HEADER 16 /* to be added to the bits of the window */
#define INSIDE_BYTES_MAX ((size_t)256 << 10)
#define STREAMS_MAX 4
#define V1_MAGIC "P\0E\0R\0F\0"

static const uint8_t gzip_magic[] = { 0x1f, 0x8b, 8 };
static const uint8_t zstd_magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
static const uint8_t skippable_magic[] = { 0x50, 0x2a, 0x4d, 0x18 };

static bool begins_with(const uint8_t *bytes, size_t size, const uint8_t *magic,
			size_t count)
{
	return size >= count && memcmp(bytes, magic, count) == 0;
}

static bool is_gzip(const uint8_t *bytes, size_t size)
{
	return begins_with(bytes, size, gzip_magic, sizeof(gzip_magic));
}

static bool is_zstd(const uint8_t *bytes, size_t size)
{
	return begins_with(bytes, size, zstd_magic, sizeof(zstd_magic));
}

/* --- unpacking --- */

/* All that is packed or unpacked; *from and *to advance by it. */
struct step {
	const uint8_t *from;
	size_t left;
	uint8_t *to;
	size_t room;
};

/* One member, as far as it is sound.  True: it ended. */
static bool unpack_member(struct step *step)
{
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)step->from,
			    .avail_in = (uInt)step->left,
			    .next_out = step->to,
			    .avail_out = (uInt)step->room };
	bool ended;

	if (inflateInit2(&stream, MAX_WBITS + WITH_GZIP_HEADER) != Z_OK)
		abort();
	ended = inflate(&stream, Z_FINISH) == Z_STREAM_END;
	inflateEnd(&stream);
	*step = (struct step){ stream.next_in, stream.avail_in, stream.next_out,
			       stream.avail_out };
	return ended;
}

/* Likewise all frames. */
static void unpack_frames(struct step *step)
{
	static ZSTD_DCtx *context;
	ZSTD_inBuffer in = { step->from, step->left, 0 };
	ZSTD_outBuffer out = { step->to, step->room, 0 };
	size_t before = 1, result = 1;

	if (!context && !(context = ZSTD_createDCtx()))
		abort();
	ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
	while (!ZSTD_isError(result) && out.pos < out.size &&
	       before != in.pos + out.pos) {
		before = in.pos + out.pos;
		result = ZSTD_decompressStream(context, &out, &in);
	}
	step->to += out.pos;
	step->room -= out.pos;
}

bool packed_inside(const uint8_t *bytes, size_t size, uint8_t *to, size_t room,
		   size_t *made)
{
	struct step step = { bytes, size, to, room };

	if (is_zstd(bytes, size))
		unpack_frames(&step);
	else if (!is_gzip(bytes, size))
		return false;
	while (is_gzip(step.from, step.left) && step.room)
		if (!unpack_member(&step))
			break;
	*made = room - step.room;
	return step.room != 0;
}

/* --- packing --- */

/* A member with any of the fields that its header may have. */
static void pack_member(struct mutant *m, struct step *step)
{
	static const int levels[] = { 0, 1, 6, 9 };
	static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE,
					  Z_FIXED };
	static Bytef extra[] = "AB\2\0xy", name[] = "perf.data", comment[] = "a trace";
	gz_header header = { .extra = mutant_choose(m, 4) ? Z_NULL : extra,
			     .extra_len = 6,
			     .name = mutant_choose(m, 4) ? Z_NULL : name,
			     .comment = mutant_choose(m, 4) ? Z_NULL : comment,
			     .hcrc = mutant_choose(m, 4) == 0 };
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)step->from,
			    .avail_in = (uInt)step->left,
			    .next_out = step->to,
			    .avail_out = (uInt)step->room };

	if (deflateInit2(&stream, levels[mutant_choose(m, 4)], Z_DEFLATED,
			 MAX_WBITS + WITH_GZIP_HEADER, 8,
			 strategies[mutant_choose(m, 4)]) != Z_OK ||
	    deflateSetHeader(&stream, &header) != Z_OK)
		abort();
	(void)deflate(&stream, Z_FINISH);
	deflateEnd(&stream);
	*step = (struct step){ stream.next_in, stream.avail_in, stream.next_out,
			       stream.avail_out };
}

/* A frame, maybe after one that is skipped. */
static void pack_frame(struct mutant *m, struct step *step)
{
	static ZSTD_CCtx *context;
	ZSTD_inBuffer in = { step->from, step->left, 0 };
	ZSTD_outBuffer out = { step->to, step->room, 0 };
	bool streams = mutant_choose(m, 2);

	if (!context && !(context = ZSTD_createCCtx()))
		abort();
	if (mutant_choose(m, 8) == 0 && out.size > 16) {
		memcpy(step->to, skippable_magic, sizeof(skippable_magic));
		memcpy(step->to + 4, "\4\0\0\0skip", 8);
		out.pos = 12;
	}
	ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel,
			       1 + (int)mutant_choose(m, 4));
	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 10 + (int)mutant_choose(m, 9));
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, (int)mutant_choose(m, 2));
	ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, (int)mutant_choose(m, 2));
	if (streams) /* without its size, and in blocks */
		(void)ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
	(void)ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
	step->to += out.pos;
	step->room -= out.pos;
}

/* The bytes in some streams, one after the other. */
static void pack(struct mutant *m, const uint8_t *inside, size_t size, bool as_zstd)
{
	size_t streams = mutant_choose(m, 2) ? 1 : 1 + mutant_choose(m, STREAMS_MAX);
	struct step step = { .to = m->bytes, .room = m->room };

	for (size_t i = 0, at = 0; i < streams; i++) {
		size_t end =
			i + 1 == streams ? size : at + mutant_choose(m, size - at + 1);

		step.from = inside + at;
		step.left = end - at;
		if (as_zstd)
			pack_frame(m, &step);
		else
			pack_member(m, &step);
		at = end;
	}
	m->size = m->room - step.room;
}

/* --- mutations --- */

static void mutate_block(struct mutant *m)
{
	for (size_t i = mutant_choose(m, 4) + 1; i-- > 0;)
		mutant_change_number(m, 8, m->size);
}

/* As the format that it begins like. */
static void mutate_inside(struct mutant *m)
{
	const uint8_t *head = m->bytes;

	if (m->size <= ETL_BUFFER_HEADER_BYTES)
		mutant_change_all(m, 0);
	else if (memcmp(head, "PERFILE2", 8) == 0 || memcmp(head, "2ELIFREP", 8) == 0)
		mutate_perf_file(m);
	else if (memcmp(head, PLB_MAGIC, PLB_MAGIC_BYTES) == 0)
		mutate_perflib_file(m);
	else if (memcmp(head, V1_MAGIC, 8) == 0)
		mutate_block(m);
	else if (head[2] == 0 && head[3] == 0)
		mutate_etl_file(m);
	else
		mutate_text_lines(m);
}

/* What comes over streams on their way: cut, changed, with more after them. */
static void damage_streams(struct mutant *m)
{
	static const uint8_t zeros[512];

	switch (mutant_choose(m, 4)) {
	case 0:
		m->size -= mutant_choose(m, m->size + 1);
		break;
	case 1:
		mutant_change_number(m, 0, m->size);
		break;
	case 2:
		(void)mutant_replace(m, m->size, 0, zeros, mutant_choose(m, 512));
		break;
	default:
		mutant_change_all(m, 0);
	}
}

void mutate_packed_file(struct mutant *m)
{
	static uint8_t inside[INSIDE_BYTES_MAX];
	struct mutant of = *m;
	bool as_zstd = is_zstd(m->bytes, m->size) != (mutant_choose(m, 16) == 0);

	of.bytes = inside;
	of.room = sizeof(inside);
	if (packed_inside(m->bytes, m->size, inside, sizeof(inside), &of.size) &&
	    of.size && mutant_choose(m, 8)) {
		of.state = mutant_random(m);
		mutate_inside(&of);
		pack(m, inside, of.size, as_zstd);
		if (mutant_choose(m, 8))
			return;
	}
	damage_streams(m);
}
