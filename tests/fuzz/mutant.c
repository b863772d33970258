/* mutant.c - see mutant.h. */
#include "mutant.h"

#include <string.h>

/* Of a part that libFuzzer changes. */
#define PART_BYTES_MAX 4096

struct mutant mutant_over(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
	return (struct mutant){
		.bytes = data, .size = size, .room = room, .state = seed
	};
}

uint64_t mutant_random(struct mutant *m)
{
	uint64_t z = m->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

size_t mutant_choose(struct mutant *m, size_t below)
{
	return below ? (size_t)(mutant_random(m) % below) : 0;
}

uint64_t mutant_number(struct mutant *m, uint64_t near)
{
	static const uint64_t edges[] = {
		0,
		1,
		2,
		7,
		8,
		0x7f,
		0xff,
		0x7fff,
		0x8000,
		0xffff,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0xfffffff8,
		1ull << 40,
		INT64_MAX,
		1ull << 63,
		UINT64_MAX,
		UINT64_MAX - 7,
	};

	switch (mutant_choose(m, 4)) {
	case 0:
		return edges[mutant_choose(m, sizeof(edges) / sizeof(edges[0]))];
	case 1:
		return near + mutant_choose(m, 17) - 8;
	case 2:
		return near ^ UINT64_C(1) << mutant_choose(m, 64);
	default:
		return mutant_random(m) >> mutant_choose(m, 64);
	}
}

/* --- numbers --- */

static bool is_inside(const struct mutant *m, size_t at, size_t count)
{
	return at <= m->size && m->size - at >= count;
}

uint64_t mutant_get(const struct mutant *m, size_t at, size_t width)
{
	uint64_t value = 0;

	for (size_t i = 0; is_inside(m, at, width) && i < width; i++)
		value = value << 8 | m->bytes[at + (m->big_endian ? i : width - 1 - i)];
	return value;
}

void mutant_put(struct mutant *m, size_t at, size_t width, uint64_t value)
{
	for (size_t i = 0; is_inside(m, at, width) && i < width; i++)
		m->bytes[at + (m->big_endian ? width - 1 - i : i)] =
			(uint8_t)(value >> 8 * i);
}

/* --- bytes --- */

bool mutant_replace(struct mutant *m, size_t at, size_t old, const uint8_t *bytes,
		    size_t count)
{
	if (!is_inside(m, at, old) || count > m->room - (m->size - old))
		return false;
	memmove(m->bytes + at + count, m->bytes + at + old, m->size - at - old);
	if (count)
		memcpy(m->bytes + at, bytes, count);
	m->size = m->size - old + count;
	return true;
}

bool mutant_copy(struct mutant *m, size_t at, size_t from, size_t count)
{
	uint8_t part[PART_BYTES_MAX];

	if (count > sizeof(part) || !is_inside(m, from, count))
		return false;
	memcpy(part, m->bytes + from, count);
	return mutant_replace(m, at, 0, part, count);
}

void mutant_change_number(struct mutant *m, size_t from, size_t to)
{
	size_t width = (size_t)1 << mutant_choose(m, 4);
	size_t at;

	if (to > m->size || from >= to || to - from < width)
		return;
	at = from + mutant_choose(m, (to - from) / width) * width;
	mutant_put(m, at, width, mutant_number(m, mutant_get(m, at, width)));
}

void mutant_change_bytes(struct mutant *m, size_t from, size_t to)
{
	uint8_t part[PART_BYTES_MAX];
	size_t count, made;

	if (to > m->size || from >= to)
		return;
	count = to - from < sizeof(part) ? to - from : sizeof(part);
	memcpy(part, m->bytes + from, count);
	made = LLVMFuzzerMutate(part, count, count);
	memcpy(m->bytes + from, part, made < count ? made : count);
}

void mutant_change_all(struct mutant *m, size_t from)
{
	if (from <= m->size)
		m->size = from + LLVMFuzzerMutate(m->bytes + from, m->size - from,
						  m->room - from);
}
