/* plb_file.c - the framing of a bundle, as docs/formats/perflib-bundle.md has it. */
#include "plb_build.h"

/* Bit by bit, so that it has nothing in common with what it tests. */
static uint32_t crc_of(const uint8_t *bytes, size_t size)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < size; i++)
		for (unsigned int bit = 0; bit < 8; bit++) {
			bool one = (crc ^ (uint32_t)bytes[i] >> bit) & 1;

			crc = crc >> 1 ^ (one ? 0x82f63b78 : 0);
		}
	return ~crc;
}

void begin_file(struct build *build)
{
	if (build->is_bare)
		return;
	buf_bytes(&build->out, "\x89PLB\r\n\x1a\n", 8);
	buf_u16(&build->out, 1);
	buf_u16(&build->out, 16);
	buf_u32(&build->out, 0);
}

size_t put_record(struct build *build, unsigned int type, const struct byte_buf *payload)
{
	struct byte_buf *out = &build->out;
	size_t head = out->size, at;

	if (build->is_bare)
		die("a bare block has no records");
	buf_bytes(out, "plbr", 4);
	buf_u16(out, (uint16_t)type);
	buf_u16(out, 0);
	buf_u32(out, (uint32_t)payload->size);
	buf_u32(out, build->records++);
	buf_u32(out, crc_of(payload->data, payload->size));
	buf_u32(out, crc_of(out->data + head, 20));
	at = out->size;
	buf_bytes(out, payload->data, payload->size);
	while (out->size % 8)
		buf_u8(out, 0);
	return at;
}
