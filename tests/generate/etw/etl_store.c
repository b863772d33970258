/* The .etl file. */
#include "etw/etl_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	SHUFFLE_WINDOW = 12,
};

void store_open(struct etl_store *store, const char *path, enum form_order order,
		uint64_t seed)
{
	*store = (struct etl_store){ .path = path, .order = order, .rng = { seed } };
	if (path)
		store->file = file_create(path);
}

static void write_bytes(struct etl_store *store, struct byte_buf *bytes, size_t size)
{
	if (store->file)
		file_write(store->file, store->path, bytes->data, size);
	store->offset += size;
	store->buffer_count++;
	buf_release(bytes);
}

uint64_t store_header(struct etl_store *store, struct byte_buf *bytes)
{
	uint64_t offset;

	store_flush(store);
	offset = store->offset;
	write_bytes(store, bytes, bytes->size);
	return offset;
}

static void write_held(struct etl_store *store, size_t index)
{
	struct stored_buffer *held = &store->held[index];

	write_bytes(store, &held->bytes, held->bytes.size);
	store->held_count--;
	memmove(held, held + 1, (store->held_count - index) * sizeof(*held));
}

/* One of the buffers held, but never one before an earlier one of its CPU. */
static void write_any(struct etl_store *store)
{
	size_t index = (size_t)rng_range(&store->rng, 0, store->held_count - 1);

	for (size_t i = 0; i < index; i++)
		if (store->held[i].cpu == store->held[index].cpu)
			index = i;
	write_held(store, index);
}

void store_buffer(struct etl_store *store, struct byte_buf *bytes, unsigned cpu)
{
	if (store->order == ORDER_WRITTEN) {
		write_bytes(store, bytes, bytes->size);
		return;
	}
	store->held = grow_array(store->held, store->held_count, &store->held_room,
				 sizeof(*store->held));
	store->held[store->held_count++] = (struct stored_buffer){ cpu, *bytes };
	if (store->order == ORDER_SHUFFLED && store->held_count == SHUFFLE_WINDOW)
		write_any(store);
}

void store_flush(struct etl_store *store)
{
	size_t count = store->held_count;

	if (store->order == ORDER_WRAPPED) {
		for (size_t i = 0; i < count; i++) {
			struct byte_buf *bytes =
				&store->held[(count - count / 3 + i) % count].bytes;

			write_bytes(store, bytes, bytes->size);
		}
		store->held_count = 0;
	}
	while (store->held_count)
		write_any(store);
}

void store_cut(struct etl_store *store, struct byte_buf *bytes, size_t size)
{
	store_flush(store);
	write_bytes(store, bytes, size);
}

void store_correct(struct etl_store *store, uint64_t offset, uint64_t value, size_t count)
{
	struct byte_buf bytes = { 0 };

	if (!store->file)
		return;
	buf_number(&bytes, value, count);
	if (fseeko(store->file, (off_t)offset, SEEK_SET))
		die("%s: %s", store->path, strerror(errno));
	file_write(store->file, store->path, bytes.data, count);
	buf_release(&bytes);
}

void store_close(struct etl_store *store)
{
	if (store->file)
		file_close(store->file, store->path);
	free(store->held);
}
