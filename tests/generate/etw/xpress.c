/*
 * Plain Xpress LZ77.  Flag words of 32 bits, from the top; a match is a u16 of offset and
 * length, and long lengths go on in a half byte shared by two matches, a byte, a u16 and
 * a u32.
 */
#include "etw/xpress.h"

#include <stdlib.h>
#include <string.h>

#include "common/random.h"

enum {
	WINDOW = 8192,
	MATCH_MIN = 3,
	HASH_BITS = 14,
	CHAIN_MAX = 16,
	NOWHERE = -1,
	/* Lengths less 3 that fit into each step of the encoding. */
	STEP_TOKEN = 7,
	STEP_NIBBLE = 15,
	STEP_BYTE = 255,
};

struct packer {
	struct byte_buf *out;
	const uint8_t *bytes;
	size_t size;
	size_t flags_at;
	uint32_t flags;
	unsigned flag_count;
	size_t half_byte_at; /* one whose upper half is free, or 0 */
	int32_t heads[1 << HASH_BITS];
	int32_t *before; /* the previous place with the same hash */
};

static void begin_flags(struct packer *packer)
{
	packer->flags_at = packer->out->size;
	packer->flags = 0;
	packer->flag_count = 0;
	buf_u32(packer->out, 0);
}

static void put_flag(struct packer *packer, bool match)
{
	packer->flags = packer->flags << 1 | match;
	if (++packer->flag_count < 32)
		return;
	buf_set_u32(packer->out, packer->flags_at, packer->flags);
	begin_flags(packer);
}

/* What is left of the word is set: a match without input is the end. */
static void end_flags(struct packer *packer)
{
	for (; packer->flag_count < 32; packer->flag_count++)
		packer->flags = packer->flags << 1 | 1;
	buf_set_u32(packer->out, packer->flags_at, packer->flags);
}

static void put_half_byte(struct packer *packer, uint8_t value)
{
	if (packer->half_byte_at) {
		packer->out->data[packer->half_byte_at] |= (uint8_t)(value << 4);
		packer->half_byte_at = 0;
	} else {
		packer->half_byte_at = packer->out->size;
		buf_u8(packer->out, value);
	}
}

static void put_match(struct packer *packer, size_t distance, size_t length)
{
	size_t whole = length - MATCH_MIN;
	size_t rest = whole;
	unsigned token = rest < STEP_TOKEN ? (unsigned)rest : STEP_TOKEN;

	buf_u16(packer->out, (uint16_t)((distance - 1) << 3 | token));
	if (token < STEP_TOKEN)
		return;
	rest -= STEP_TOKEN;
	put_half_byte(packer, rest < STEP_NIBBLE ? (uint8_t)rest : STEP_NIBBLE);
	if (rest < STEP_NIBBLE)
		return;
	rest -= STEP_NIBBLE;
	buf_u8(packer->out, rest < STEP_BYTE ? (uint8_t)rest : STEP_BYTE);
	if (rest < STEP_BYTE)
		return;
	if (whole <= UINT16_MAX) {
		buf_u16(packer->out, (uint16_t)whole);
	} else {
		buf_u16(packer->out, 0);
		buf_u32(packer->out, (uint32_t)whole);
	}
}

static uint32_t hash_of(const uint8_t *at)
{
	uint32_t three = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;

	return three * 0x9e3779b1u >> (32 - HASH_BITS);
}

static void remember(struct packer *packer, size_t at)
{
	uint32_t hash;

	if (at + MATCH_MIN > packer->size)
		return;
	hash = hash_of(packer->bytes + at);
	packer->before[at] = packer->heads[hash];
	packer->heads[hash] = (int32_t)at;
}

/* Returns the length of the longest match before at, 0 if there is none. */
static size_t find_match(const struct packer *packer, size_t at, size_t *distance)
{
	const uint8_t *bytes = packer->bytes;
	size_t best = MATCH_MIN - 1;
	int32_t from;

	if (at + MATCH_MIN > packer->size)
		return 0;
	from = packer->heads[hash_of(bytes + at)];
	for (unsigned i = 0; i < CHAIN_MAX && from != NOWHERE; i++) {
		size_t length = 0;

		if (at - (size_t)from > WINDOW)
			break;
		while (at + length < packer->size &&
		       bytes[(size_t)from + length] == bytes[at + length])
			length++;
		if (length > best) {
			best = length;
			*distance = at - (size_t)from;
		}
		from = packer->before[from];
	}
	return best < MATCH_MIN ? 0 : best;
}

static void pack(struct packer *packer)
{
	size_t at = 0;

	begin_flags(packer);
	while (at < packer->size) {
		size_t distance = 0;
		size_t length = find_match(packer, at, &distance);
		size_t step = length ? length : 1;

		if (length)
			put_match(packer, distance, length);
		else
			buf_u8(packer->out, packer->bytes[at]);
		put_flag(packer, length != 0);
		for (size_t i = 0; i < step; i++)
			remember(packer, at + i);
		at += step;
	}
	end_flags(packer);
}

struct unpacker {
	const uint8_t *in;
	size_t size;
	size_t at;
	size_t half_byte_at; /* one whose lower half is used, or SIZE_MAX */
};

static uint32_t take(struct unpacker *unpacker, unsigned count)
{
	uint32_t value = 0;

	if (unpacker->size - unpacker->at < count)
		die("xpress: packed bytes end too soon");
	for (unsigned i = 0; i < count; i++)
		value |= (uint32_t)unpacker->in[unpacker->at++] << 8 * i;
	return value;
}

static size_t decode_length(struct unpacker *unpacker, unsigned token)
{
	size_t length = token;
	unsigned more;

	if (length < STEP_TOKEN)
		return length + MATCH_MIN;
	if (unpacker->half_byte_at == SIZE_MAX) {
		unpacker->half_byte_at = unpacker->at;
		more = take(unpacker, 1) & 15;
	} else {
		more = unpacker->in[unpacker->half_byte_at] >> 4;
		unpacker->half_byte_at = SIZE_MAX;
	}
	length += more;
	if (more < STEP_NIBBLE)
		return length + MATCH_MIN;
	more = take(unpacker, 1);
	length += more;
	if (more == STEP_BYTE) {
		length = take(unpacker, 2);
		if (!length)
			length = take(unpacker, 4);
	}
	return length + MATCH_MIN;
}

static void unpack(struct byte_buf *out, const uint8_t *packed, size_t size)
{
	struct unpacker unpacker = { .in = packed,
				     .size = size,
				     .half_byte_at = SIZE_MAX };

	for (;;) {
		uint32_t flags = take(&unpacker, 4);

		for (unsigned bit = 0; bit < 32; bit++, flags <<= 1) {
			uint32_t token;
			size_t distance;

			if (!(flags & 0x80000000u)) {
				buf_u8(out, (uint8_t)take(&unpacker, 1));
				continue;
			}
			if (unpacker.at == size)
				return;
			token = take(&unpacker, 2);
			distance = (token >> 3) + 1;
			if (distance > out->size)
				die("xpress: a match begins before the start");
			for (size_t left = decode_length(&unpacker, token & 7); left;
			     left--)
				buf_u8(out, out->data[out->size - distance]);
		}
	}
}

void xpress_pack(struct byte_buf *out, const uint8_t *bytes, size_t size)
{
	static struct packer packer;
	struct byte_buf again = { 0 };
	size_t start = out->size;

	packer.out = out;
	packer.bytes = bytes;
	packer.size = size;
	packer.half_byte_at = 0;
	packer.before = malloc((size + 1) * sizeof(*packer.before));
	if (!packer.before)
		die("no memory for %zu bytes", size);
	memset(packer.heads, 0xff, sizeof(packer.heads));
	pack(&packer);
	free(packer.before);
	unpack(&again, out->data + start, out->size - start);
	if (again.size != size || (size && memcmp(again.data, bytes, size) != 0))
		die("xpress: %zu bytes came back as %zu others", size, again.size);
	buf_release(&again);
}

void xpress_self_test(void)
{
	static const size_t runs[] = { 1,     2,     3,	    4,	   9,	  10,	 24,
				       25,    26,    278,   279,   280,	  281,	 282,
				       65537, 65538, 65539, 65540, 65541, 200000 };
	struct byte_buf all = { 0 };
	struct byte_buf out = { 0 };
	struct rng rng = { 7 };

	for (size_t i = 0; i < COUNT(runs); i++) {
		struct byte_buf run = { 0 };

		for (size_t k = 0; k <= runs[i]; k++)
			buf_u8(&run, (uint8_t)i);
		buf_bytes(&all, run.data, run.size);
		for (unsigned k = 0; k < 40; k++)
			buf_u8(&all, (uint8_t)rng_next(&rng));
		xpress_pack(&out, run.data, run.size);
		buf_release(&run);
		xpress_pack(&out, all.data, all.size);
		xpress_pack(&out, all.data, all.size % 977);
	}
	buf_release(&all);
	buf_release(&out);
}
