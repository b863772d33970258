/* test_ring.c - tools/capture/linux/recorder/ring.h, on a page that no kernel writes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/linux/recorder/ring.h"
#include "unit.h"

#define RING_BYTES 4096u

struct fake {
	struct perf_event_mmap_page page;
	_Alignas(8) uint8_t data[RING_BYTES];
	struct ring ring;
	uint8_t next; /* to be written */
};

static void setup(struct fake *fake)
{
	fake->ring = (struct ring){ &fake->page, fake->data, RING_BYTES, 0, 0 };
}

UNIT_FIXTURE(struct fake, setup, UNIT_NOTHING);

/* As the kernel would: bytes that count up. */
static void write_bytes(struct fake *fake, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fake->data[(fake->page.data_head + i) % RING_BYTES] = fake->next++;
	fake->page.data_head += count;
}

/* What is there now, and that it is the `count` bytes before the next. */
static void assert_pieces(struct fake *fake, size_t count, int pieces_wanted)
{
	struct iovec pieces[2];
	uint8_t expected = (uint8_t)(fake->next - count);
	int got;

	assert_int_equal(ring_poll(&fake->ring), count);
	got = ring_pieces(&fake->ring, pieces);
	assert_int_equal(got, pieces_wanted);
	for (int i = 0; i < got; i++) {
		const uint8_t *bytes = pieces[i].iov_base;

		assert_true(bytes >= fake->data &&
			    bytes + pieces[i].iov_len <= fake->data + RING_BYTES);
		for (size_t k = 0; k < pieces[i].iov_len; k++)
			assert_int_equal(bytes[k], expected++);
		count -= pieces[i].iov_len;
	}
	assert_int_equal(count, 0);
}

UNIT_TEST(empty)
{
	assert_pieces(*state, 0, 0);
}

/* Pieces of a size that does not divide the ring, many times around. */
UNIT_CASE(wraps, struct fake *fake)
{
	int halves = 0;

	for (int round = 0; round < 100; round++) {
		uint64_t from = fake->page.data_head % RING_BYTES;
		int pieces = from + 808 > RING_BYTES ? 2 : 1;

		write_bytes(fake, 808);
		assert_pieces(fake, 808, pieces);
		halves += pieces == 2;
		/* Nothing is given back before it was said to be read. */
		assert_int_equal(fake->page.data_tail, fake->ring.tail);
		ring_done(&fake->ring);
		assert_int_equal(fake->page.data_tail, fake->page.data_head);
	}
	assert_true(halves > 5);
}

/* Any part of it, around the end as well. */
UNIT_CASE(copies, struct fake *fake)
{
	uint8_t copy[808];

	for (int round = 0; round < 20; round++) {
		write_bytes(fake, sizeof(copy));
		(void)ring_poll(&fake->ring);
		for (size_t at = 0; at < sizeof(copy); at += 200) {
			size_t size = sizeof(copy) - at;

			ring_copy(&fake->ring, at, copy, size);
			for (size_t i = 0; i < size; i++)
				assert_int_equal(copy[i],
						 (uint8_t)(fake->next - size + i));
		}
		ring_done(&fake->ring);
	}
}

UNIT_CASE(full, struct fake *fake)
{
	write_bytes(fake, RING_BYTES);
	assert_pieces(fake, RING_BYTES, 1);
	ring_done(&fake->ring);
	write_bytes(fake, 8);
	assert_pieces(fake, 8, 1);
	ring_done(&fake->ring);
	write_bytes(fake, RING_BYTES);
	assert_pieces(fake, RING_BYTES, 2);
}

/* What the kernel adds after the look belongs to the next one. */
UNIT_CASE(later, struct fake *fake)
{
	write_bytes(fake, 16);
	assert_int_equal(ring_poll(&fake->ring), 16);
	write_bytes(fake, 24);
	ring_done(&fake->ring);
	assert_int_equal(fake->page.data_tail, 16);
	assert_pieces(fake, 24, 1);
}

/* Positions are 64 bits wide, and the ring does not care where they stand. */
UNIT_CASE(far, struct fake *fake)
{
	fake->page.data_head = fake->page.data_tail = fake->ring.tail =
		UINT64_C(0xfffffffffffff800);
	write_bytes(fake, RING_BYTES);
	assert_pieces(fake, RING_BYTES, 2);
	ring_done(&fake->ring);
	assert_int_equal(fake->page.data_tail, 0x800);
	write_bytes(fake, 64);
	assert_pieces(fake, 64, 1);
}

UNIT_CASE(u64, struct fake *fake)
{
	const uint64_t first = 0x1122334455667788, second = 0x99aabbccddeeff00;

	fake->ring.tail = 5 * (uint64_t)RING_BYTES + RING_BYTES - 8;
	memcpy(fake->data + RING_BYTES - 8, &first, 8);
	memcpy(fake->data, &second, 8);
	assert_true(ring_u64(&fake->ring, 0) == first);
	assert_true(ring_u64(&fake->ring, 8) == second);
}

/* What cannot be mapped says why, and closing it does no harm. */
UNIT_TEST(open)
{
	struct ring ring;
	long page = sysconf(_SC_PAGESIZE);
	int fd = memfd_create("ring", MFD_CLOEXEC);

	assert_false(ring_open(&ring, -1, RING_BYTES));
	assert_int_equal(errno, EBADF);
	assert_null(ring.page);
	ring_close(&ring);
	assert_int_equal(ftruncate(fd, 3 * page), 0);
	assert_true(ring_open(&ring, fd, (size_t)(2 * page)));
	assert_ptr_equal(ring.data, (uint8_t *)ring.page + page);
	ring.page->data_head = 16;
	assert_int_equal(ring_poll(&ring), 16);
	ring_close(&ring);
	assert_null(ring.page);
	close(fd);
}
