/*
 * Xpress LZ77 with Huffman codes.  Every one of the 512 symbols has a code of nine bits,
 * its own number, so that the table of lengths is 256 times 0x99.
 *
 * The reader has two words of 16 bits at hand.  So bits go into words that were set apart
 * two words ahead, and the bytes of long lengths stand where the reader is by then.
 */
#include "etw/xpress.h"

enum {
	CODE_BITS = 9,
	TABLE_BYTES = 256,
	END_OF_BLOCK = 256,
	MATCH_BASE = 256,
	MATCH_MIN = 3,
	MATCH_MAX = 1000,
	LENGTH_IN_SYMBOL = 15,
	LENGTH_IN_BYTE = 255,
	BLOCK_MAX = 65536,
	TRIED = 64, /* how far back a match is looked for */
};

struct bits {
	struct byte_buf *out;
	size_t words[2]; /* where the present one goes, and the next */
	uint32_t held;	 /* of the present one */
	unsigned count;
};

static size_t set_apart(struct byte_buf *out)
{
	buf_u16(out, 0);
	return out->size - 2;
}

/* A reader loads another word at the first bit after the present one. */
static void turn_word(struct bits *bits)
{
	buf_set_u16(bits->out, bits->words[0], (uint16_t)bits->held);
	bits->words[0] = bits->words[1];
	bits->words[1] = set_apart(bits->out);
	bits->held = 0;
	bits->count = 0;
}

static void put_bits(struct bits *bits, uint32_t value, unsigned count)
{
	while (count--) {
		if (bits->count == 16)
			turn_word(bits);
		bits->held = bits->held << 1 | (value >> count & 1);
		bits->count++;
	}
}

static void flush_bits(struct bits *bits)
{
	buf_set_u16(bits->out, bits->words[0],
		    (uint16_t)(bits->held << (16 - bits->count)));
}

static size_t match_at(const uint8_t *bytes, size_t at, size_t size, size_t back)
{
	size_t length = 0;

	while (at + length < size && length < MATCH_MAX &&
	       bytes[at + length] == bytes[at + length - back])
		length++;
	return length;
}

static size_t find_match(const uint8_t *bytes, size_t at, size_t size, size_t *back)
{
	size_t best = 0;

	for (size_t i = 1; i <= TRIED && i <= at; i++) {
		size_t length = match_at(bytes, at, size, i);

		if (length <= best)
			continue;
		best = length;
		*back = i;
	}
	return best;
}

static void put_match(struct bits *bits, size_t length, size_t back)
{
	size_t more = length - MATCH_MIN;
	unsigned power = 0;

	while (back >> (power + 1))
		power++;
	put_bits(bits,
		 MATCH_BASE + power * 16 +
			 (uint32_t)(more < LENGTH_IN_SYMBOL ? more : LENGTH_IN_SYMBOL),
		 CODE_BITS);
	if (more >= LENGTH_IN_SYMBOL + LENGTH_IN_BYTE) {
		buf_u8(bits->out, LENGTH_IN_BYTE);
		buf_u16(bits->out, (uint16_t)more);
	} else if (more >= LENGTH_IN_SYMBOL) {
		buf_u8(bits->out, (uint8_t)(more - LENGTH_IN_SYMBOL));
	}
	put_bits(bits, (uint32_t)(back - ((size_t)1 << power)), power);
}

void xpress_pack_huffman(struct byte_buf *out, const uint8_t *bytes, size_t size)
{
	struct bits bits = { .out = out };

	if (size > BLOCK_MAX)
		die("%zu bytes do not fit a block", size);
	buf_fill(out, 0x99, TABLE_BYTES);
	bits.words[0] = set_apart(out);
	bits.words[1] = set_apart(out);
	for (size_t at = 0; at < size;) {
		size_t back = 0, length = find_match(bytes, at, size, &back);

		if (length < MATCH_MIN) {
			put_bits(&bits, bytes[at++], CODE_BITS);
			continue;
		}
		put_match(&bits, length, back);
		at += length;
	}
	put_bits(&bits, END_OF_BLOCK, CODE_BITS);
	flush_bits(&bits);
}
