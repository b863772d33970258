/* ring.c - maps the ring buffer of a CPU and copies its records. */
#include "capture/linux/recorder/ring.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

bool ring_open(struct ring *ring, int fd, size_t size)
{
	void *mapped = mmap(NULL, page_bytes() + size, PROT_READ | PROT_WRITE, MAP_SHARED,
			    fd, 0);

	*ring = (struct ring){ .size = size };
	if (mapped == MAP_FAILED)
		return false;
	ring->page = mapped;
	ring->data = (uint8_t *)mapped + page_bytes();
	return true;
}

void ring_close(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, page_bytes() + ring->size);
	*ring = (struct ring){ .page = NULL };
}

size_t ring_poll(struct ring *ring)
{
	/* Pairs with the kernel's barrier before it moves data_head. */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	return (size_t)(ring->head - ring->tail);
}

int ring_pieces(const struct ring *ring, struct iovec *pieces)
{
	size_t left = (size_t)(ring->head - ring->tail);
	size_t from = (size_t)(ring->tail & (ring->size - 1));
	size_t first = left < ring->size - from ? left : ring->size - from;

	if (left == 0)
		return 0;
	pieces[0] = (struct iovec){ ring->data + from, first };
	if (first == left)
		return 1;
	pieces[1] = (struct iovec){ ring->data, left - first };
	return 2;
}

void ring_copy(const struct ring *ring, uint64_t at, void *to, size_t size)
{
	size_t from = (size_t)(ring->tail + at) & (ring->size - 1);
	size_t first = size < ring->size - from ? size : ring->size - from;

	memcpy(to, ring->data + from, first);
	memcpy((uint8_t *)to + first, ring->data, size - first);
}

void ring_done(struct ring *ring)
{
	ring->tail = ring->head;
	/* All reads of the data come before the kernel sees this. */
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
