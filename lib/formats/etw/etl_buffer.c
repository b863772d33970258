/*
 * etl_buffer.c - one buffer of an .etl file: WMI_BUFFER_HEADER and what it says about the
 * bytes after it; see docs/formats/etl.md, "Buffers".
 *
 * Of the header's three sizes only Offset says how much is valid; the others are wrong
 * in real files.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "formats/etw/etl_layout.h"
#include "formats/etw/xpress.h"

#define METHOD_XPRESS_HUFF 4
#define PAGE_BYTES ((size_t)4096)

/*
 * More than so many times as large, beyond the first 64 KiB, is made to cost time: events
 * are packed some 5 to 10 times smaller.
 */
#define UNPACKED_RATIO_MAX 256u
#define UNPACKED_BYTES_FREE ((size_t)64 * 1024)

struct etl_buffer_header etl_decode_buffer_header(const uint8_t *at)
{
	struct cursor c = cursor_over(at, ETL_BUFFER_HEADER_BYTES, 0, false);
	struct etl_buffer_header header = { .size = cursor_u32(&c) };
	uint16_t processor;

	cursor_skip(&c, 0x18 - 0x04);
	header.sequence = (int64_t)cursor_u64(&c);
	cursor_skip(&c, 0x28 - 0x20);
	processor = cursor_u16(&c);
	cursor_skip(&c, 2); /* LoggerId */
	header.method = cursor_u16(&c);
	cursor_skip(&c, 2);
	header.filled = cursor_u32(&c);
	header.flags = cursor_u16(&c);
	header.type = cursor_u16(&c);
	/* Windows 7 has the number in the low byte and an alignment in the high one. */
	header.cpu = header.flags & ETL_BUFFER_PROC_INDEX ? processor & 0x7ffu
							  : processor & 0xffu;
	return header;
}

bool etl_is_buffer(const struct etl_buffer_header *header)
{
	return header->size >= ETL_BUFFER_HEADER_BYTES &&
	       header->size <= ETL_BUFFER_BYTES_MAX;
}

static bool reserve(uint8_t **bytes, size_t *room, size_t size)
{
	uint8_t *more;

	if (size <= *room)
		return true;
	more = memory_resize(*bytes, size);
	if (!more)
		return false;
	*bytes = more;
	*room = size;
	return true;
}

/* What Offset says is valid, and there. */
static size_t filled_bytes(const struct etl_buffer_header *header, size_t there)
{
	size_t filled = header->filled < ETL_BUFFER_HEADER_BYTES
				? 0
				: header->filled - ETL_BUFFER_HEADER_BYTES;

	return filled < there ? filled : there;
}

static void report(struct findings *findings, const struct etl_block *block, size_t body,
		   const char *what)
{
	if (findings)
		finding_gap(findings, FINDING_BAD_COMPRESSED, block->offset,
			    block->offset + body, "%s", what);
}

/* Why a buffer with Huffman codes is not even tried; NULL: it is. */
static const char *refuse_huffman(const struct etl_buffer_header *header, size_t wanted)
{
	if (header->method != METHOD_XPRESS_HUFF)
		return NULL;
	if (!xpress_huff_is_there)
		return "a buffer compressed with XPRESS_HUFF: this perftab was built "
		       "without libwim (PERFTAB_WIM), which decompresses it";
	if (wanted > XPRESS_HUFF_BYTES_MAX)
		return "a buffer of more than 64 KiB compressed with XPRESS_HUFF, which "
		       "is not supported";
	return NULL;
}

static enum status unpack(const uint8_t *body, size_t size,
			  const struct etl_buffer_header *header, struct etl_block *block,
			  struct findings *findings)
{
	size_t wanted = filled_bytes(header, ETL_BUFFER_BYTES_MAX);
	const char *refusal = refuse_huffman(header, wanted);
	bool whole;

	block->is_whole = false;
	if (refusal) {
		report(findings, block, size, refusal);
		return ST_OK;
	}
	if (wanted > UNPACKED_BYTES_FREE + UNPACKED_RATIO_MAX * size) {
		report(findings, block, size,
		       "a compressed buffer with an invalid uncompressed size");
		return ST_OK;
	}
	if (!reserve(&block->unpacked, &block->unpacked_room, wanted))
		return ST_NOMEM;
	if (header->method == METHOD_XPRESS_HUFF) {
		enum status status =
			xpress_huff_decompress(body, size, block->unpacked, wanted);

		if (status == ST_NOMEM)
			return status;
		whole = status == ST_OK;
		block->size = whole ? wanted : 0;
	} else {
		whole = xpress_decompress(body, size, block->unpacked, wanted,
					  &block->size);
	}
	block->is_whole = whole && block->size == wanted;
	if (!block->is_whole)
		report(findings, block, size,
		       header->method == METHOD_XPRESS_HUFF
			       ? "a buffer compressed with XPRESS_HUFF that cannot be "
				 "decompressed"
			       : "a compressed buffer that cannot be decompressed");
	block->events = block->unpacked;
	return ST_OK;
}

/* After the last event all is ff, in every file that was seen; a few bytes show it. */
static bool is_blank(const uint8_t *at, size_t size)
{
	for (size_t i = 0; i < size && i < 64; i++)
		if (at[i] != 0xff)
			return false;
	return true;
}

enum status etl_block_open(const uint8_t *buffer, uint64_t offset,
			   const struct etl_buffer_header *header,
			   struct etl_block *block, struct findings *findings)
{
	size_t body = header->size - ETL_BUFFER_HEADER_BYTES;

	block->offset = offset + ETL_BUFFER_HEADER_BYTES;
	block->compressed = header->flags & ETL_BUFFER_COMPRESSED;
	block->events = buffer + ETL_BUFFER_HEADER_BYTES;
	block->size = 0;
	if (block->compressed)
		return unpack(block->events, body, header, block, findings);
	block->size = filled_bytes(header, body);
	block->is_whole = is_blank(block->events + block->size, body - block->size);
	if (!block->is_whole && findings)
		finding_gap(findings, FINDING_BAD_RECORD, block->offset + block->size,
			    block->offset + body,
			    "bytes after the end that the buffer's header states");
	return ST_OK;
}

/*
 * Where the byte at `offset` of the file goes: as far into a page as it is there, since
 * between pages that are aligned alike the kernel copies some times as fast (input.c).
 */
static uint8_t *place_of(const struct etl_block *block, uint64_t offset)
{
	return block->raw + offset % PAGE_BYTES;
}

static bool make_raw_room(struct etl_block *block, size_t size)
{
	size_t room = (size + 2 * PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);

	if (room <= block->raw_room)
		return true;
	free(block->raw);
	block->raw = memory_alloc_aligned(PAGE_BYTES, room);
	block->raw_room = block->raw ? room : 0;
	return block->raw;
}

enum status etl_window_read(struct etl_chunks *chunks, struct input *input,
			    uint64_t offset, size_t bytes, struct etl_block *block)
{
	enum status status;

	block->size = 0;
	if (!make_raw_room(block, bytes))
		return ST_NOMEM;
	block->events = place_of(block, offset);
	status = etl_chunks_read(chunks, input, offset, place_of(block, offset), bytes);
	block->offset = offset;
	block->size = status == ST_OK ? bytes : 0;
	return status;
}

enum status etl_block_read(struct etl_chunks *chunks, struct input *input,
			   uint64_t offset, uint32_t size, struct etl_block *block)
{
	struct etl_buffer_header header;
	enum status status;
	uint8_t *raw;

	block->size = 0;
	if (!make_raw_room(block, size))
		return ST_NOMEM;
	raw = place_of(block, offset);
	status = etl_chunks_read(chunks, input, offset, raw, size);
	if (status != ST_OK)
		return status;
	header = etl_decode_buffer_header(raw);
	if (header.size != size) /* the file was changed a moment ago */
		return ST_TRUNCATED;
	return etl_block_open(raw, offset, &header, block, NULL);
}

void etl_block_release(struct etl_block *block)
{
	free(block->raw);
	free(block->unpacked);
	*block = (struct etl_block){ .raw = NULL };
}
