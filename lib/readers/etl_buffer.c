/*
 * etl_buffer.c - one buffer of an .etl file: WMI_BUFFER_HEADER and what it says about the
 * bytes behind it; see docs/formats/etl.md, "Buffers".
 *
 * Of the header's three sizes only Offset tells how much is valid; the others are wrong
 * in real files.
 */
#include <stdlib.h>

#include "readers/etl.h"
#include "readers/xpress.h"

#define METHOD_XPRESS_HUFF 4

struct etl_buffer_header etl_buffer_header(const uint8_t *at)
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

bool etl_buffer_is_plausible(const struct etl_buffer_header *header)
{
	return header->size >= ETL_BUFFER_HEADER_BYTES &&
	       header->size <= ETL_BUFFER_BYTES_MAX;
}

static bool make_room(struct etl_block *block, size_t size)
{
	uint8_t *bytes;

	if (size <= block->room)
		return true;
	bytes = realloc(block->bytes, size);
	if (!bytes)
		return false;
	block->bytes = bytes;
	block->room = size;
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

static enum status read_raw(struct input *input, const struct etl_buffer_header *header,
			    struct etl_block *block)
{
	size_t body = header->size - ETL_BUFFER_HEADER_BYTES;
	size_t wanted = filled_bytes(header, body);
	enum status status;

	if (!make_room(block, wanted))
		return ST_NOMEM;
	status = input_read(input, block->bytes, wanted);
	if (status == ST_OK)
		status = input_skip(input, body - wanted);
	block->size = status == ST_OK ? wanted : 0;
	return status;
}

static void tell(struct findings *findings, const struct etl_block *block, size_t body,
		 const char *what)
{
	if (findings)
		finding_gap(findings, FINDING_BAD_COMPRESSED, block->offset,
			    block->offset + body, "%s", what);
}

static enum status read_compressed(struct input *input,
				   const struct etl_buffer_header *header,
				   struct etl_block *block, struct findings *findings)
{
	size_t body = header->size - ETL_BUFFER_HEADER_BYTES;
	size_t wanted = filled_bytes(header, ETL_BUFFER_BYTES_MAX);
	enum status status;
	bool whole;

	if (header->method == METHOD_XPRESS_HUFF) {
		tell(findings, block, body,
		     "a buffer compressed with XPRESS_HUFF, which is not known");
		status = input_skip(input, body);
		return status == ST_OK ? ST_CORRUPT : status;
	}
	/* The compressed bytes stand behind the room for the others. */
	if (!make_room(block, wanted + body))
		return ST_NOMEM;
	status = input_read(input, block->bytes + wanted, body);
	if (status != ST_OK)
		return status;
	whole = xpress_decompress(block->bytes + wanted, body, block->bytes, wanted,
				  &block->size);
	if (whole && block->size == wanted)
		return ST_OK;
	tell(findings, block, body, "a compressed buffer that cannot be decompressed");
	return ST_CORRUPT;
}

enum status etl_block_read(struct input *input, const struct etl_buffer_header *header,
			   struct etl_block *block, struct findings *findings)
{
	block->size = 0;
	block->offset = input->offset + ETL_BUFFER_HEADER_BYTES;
	block->compressed = header->flags & ETL_BUFFER_COMPRESSED;
	input_consume(input, ETL_BUFFER_HEADER_BYTES);
	return block->compressed ? read_compressed(input, header, block, findings)
				 : read_raw(input, header, block);
}

void etl_block_release(struct etl_block *block)
{
	free(block->bytes);
	*block = (struct etl_block){ NULL, 0, 0, 0, false };
}
