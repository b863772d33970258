/*
 * xpress.c - see xpress.h.
 *
 * The stream is u32 words of 32 flags, taken from the top, each followed by the items
 * that its flags announce: 0, one literal byte; 1, a match, u16: offset - 1 in the upper
 * 13 bits, length - 3 in the lower 3.  A length of 7 there goes on in a nibble, of which
 * two matches share a byte (low half first), one of 15 there in a byte, one of 255 there
 * in an u16 that replaces the sum, and one of 0 there in an u32.  The end of the input
 * ends it.
 */
#include "formats/etw/xpress.h"

#include <string.h>

#define MIN_MATCH 3
#define LENGTH_IN_TOKEN 7
#define LENGTH_IN_NIBBLE 15
#define LENGTH_IN_BYTE 255

struct xpress {
	const uint8_t *at, *end;
	const uint8_t *nibbles; /* the byte whose high half is still free, or NULL */
	bool overrun;
};

static uint32_t take(struct xpress *in, size_t bytes)
{
	uint32_t value = 0;

	if ((size_t)(in->end - in->at) < bytes) {
		in->overrun = true;
		in->at = in->end;
		return 0;
	}
	for (size_t i = 0; i < bytes; i++)
		value |= (uint32_t)in->at[i] << (8 * i);
	in->at += bytes;
	return value;
}

static uint32_t read_nibble(struct xpress *in)
{
	uint32_t value;

	if (in->nibbles) {
		value = *in->nibbles >> 4;
		in->nibbles = NULL;
		return value;
	}
	in->nibbles = in->at;
	value = take(in, 1) & 15;
	if (in->overrun)
		in->nibbles = NULL;
	return value;
}

/* The length of a match without its 3; UINT32_MAX: impossible. */
static uint32_t read_length(struct xpress *in, uint32_t token)
{
	uint32_t length = token & LENGTH_IN_TOKEN, more;

	if (length < LENGTH_IN_TOKEN)
		return length;
	more = read_nibble(in);
	length += more;
	if (more < LENGTH_IN_NIBBLE)
		return length;
	more = take(in, 1);
	length += more;
	if (more < LENGTH_IN_BYTE)
		return length;
	length = take(in, 2);
	if (length == 0)
		length = take(in, 4);
	/* Shorter ones have a shorter form: such a number is damage. */
	return length < LENGTH_IN_TOKEN + LENGTH_IN_NIBBLE ? UINT32_MAX : length;
}

static bool copy_match(struct xpress *in, uint8_t *to, size_t room, size_t *done)
{
	uint32_t token = take(in, 2);
	size_t distance = (token >> 3) + 1, length = read_length(in, token), at = *done;

	if (in->overrun || length == UINT32_MAX || distance > at)
		return false;
	length += MIN_MATCH;
	if (length > room - at)
		return false;
	*done = at + length;
	/*
	 * One that runs into itself repeats: each copy doubles what can be copied next.
	 */
	for (; length > distance; distance *= 2) {
		memcpy(to + at, to + at - distance, distance);
		at += distance;
		length -= distance;
	}
	memcpy(to + at, to + at - distance, length);
	return true;
}

bool xpress_decompress(const uint8_t *from, size_t size, uint8_t *to, size_t room,
		       size_t *done)
{
	struct xpress in = { from, from + size, NULL, false };
	uint32_t flags = 0;
	unsigned int left = 0;

	*done = 0;
	for (;;) {
		if (left == 0) {
			if (in.at == in.end)
				return true;
			flags = take(&in, 4);
			left = 32;
		}
		left--;
		if (in.at == in.end) /* the flags after the last item mean nothing */
			return !in.overrun;
		if (flags >> left & 1) {
			if (!copy_match(&in, to, room, done))
				return false;
		} else {
			if (*done == room)
				return false;
			to[(*done)++] = *in.at++;
		}
	}
}
