/*
 * etl_index.c - the first walk over an .etl file: where its buffers are, and what kinds
 * of events they hold.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/os.h"
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"
#include "formats/etw/etl_plain.h"

/* Room for others than those that are expected. */
#define PLACES_MORE 64

struct walk {
	struct etl_block block;
	struct etl_plain_ahead ahead;
	struct etl_plain_view view; /* of the buffer that the input is at */
};

/* --- buffers --- */

/* Of so many bytes, this one included, most are in buffers of its size. */
static bool add_place(struct etl_index *index, const struct etl_place *place,
		      uint64_t bytes)
{
	if (index->place_count == index->place_room) {
		uint64_t expected = bytes / place->size;
		/* Doubled where others came than were expected. */
		uint64_t more =
			expected > index->place_room ? expected : index->place_room;
		size_t room = index->place_room + PLACES_MORE +
			      (more < ETL_BUFFERS_MAX ? (size_t)more : ETL_BUFFERS_MAX);
		struct etl_place *places =
			memory_resize(index->places, room * sizeof(*places));

		if (!places)
			return false;
		index->places = places;
		index->place_room = room;
	}
	index->places[index->place_count++] = *place;
	return true;
}

/* To the consumer of events of its provider, else to the session; false: no memory. */
static bool on_event(struct etl *etl, const struct etl_event *event,
		     struct etl_kind *kind)
{
	const struct etl_consumer *consumer = etl->consumer;
	bool is_mine = consumer->is_mine(event);

	if (is_mine && kind)
		kind->row.kept = str_of(consumer->kept);
	if (is_mine)
		return consumer->learn(&etl->consumer_state, etl->index.findings, event);
	return etl_session_event(&etl->index, event) &&
	       etl_note_owner(&etl->index, event);
}

/* Events of which only the number matters, and the time of the last one. */
static void skip_plain(struct etl_index *index, struct cursor *c, struct etl_place *place)
{
	const struct etl_plain *plain;
	const uint8_t *last = NULL, *at = c->pos;

	for (; (plain = etl_plain_skip(index->kinds.plain, c)); at = c->pos) {
		etl_plain_count(plain, 1);
		last = at;
	}
	if (last)
		place->last_ticks = etl_plain_ticks(last);
}

static void note_time(struct etl_place *place, uint64_t ticks)
{
	if (!place->is_timed)
		place->first_ticks = ticks;
	place->is_timed = true;
	place->last_ticks = ticks;
}

/* Every event of a block is counted. */
static enum status index_events(struct etl *etl, const struct etl_block *block,
				struct etl_place *place)
{
	struct etl_index *index = &etl->index;
	struct cursor c = cursor_over(block->events, block->size, block->offset, false);
	struct etl_event event;
	enum etl_walk walk;
	bool any = false;

	for (;;) {
		const uint8_t *at;
		struct etl_kind *kind;

		if (place->is_timed)
			skip_plain(index, &c, place);
		at = c.pos;
		walk = etl_decode_event(&c, &event);
		if (walk != ETL_WALK_EVENT)
			break;
		if (block->compressed)
			event.offset = block->offset;
		any = true;
		kind = etl_kind_count(&index->kinds, &event);
		if (!on_event(etl, &event, kind))
			return ST_NOMEM;
		if (kind)
			etl_kind_remember(&index->kinds, at, &event, kind);
		if (event.has_ticks)
			note_time(place, event.ticks);
	}
	if (!any) /* it need not be unpacked again */
		place->events_bytes = 0;
	place->is_whole = block->is_whole && walk != ETL_WALK_BAD;
	if (walk == ETL_WALK_BAD)
		finding_gap(
			index->findings, FINDING_BAD_RECORD,
			block->compressed ? block->offset : c.offset,
			block->offset + block->size,
			"bytes that are not an event: the rest of the buffer is skipped");
	return ST_OK;
}

/* As input_peek(). */
static const uint8_t *peek(const struct walk *walk, struct input *in, size_t n)
{
	return walk->view.size >= n ? walk->view.bytes : input_peek(in, n);
}

/* The bytes of the buffer at whose header the input is; NULL: see *status. */
static const uint8_t *read_buffer(struct reader *reader, uint32_t size, struct walk *walk,
				  enum status *status)
{
	struct etl_block *block = &walk->block;
	uint8_t *raw;

	if (size <= INPUT_BUFFER_BYTES) {
		const uint8_t *at = peek(walk, &reader->input, size);

		*status = at				 ? ST_OK
			  : reader->error.status < ST_OK ? reader->error.status
							 : ST_TRUNCATED;
		return at;
	}
	raw = memory_resize(block->raw, size);
	*status = raw ? input_read_at(&reader->input, reader->input.offset, raw, size)
		      : ST_NOMEM;
	if (raw) {
		block->raw = raw;
		block->raw_room = size;
	}
	return *status == ST_OK ? raw : NULL;
}

/* What the second walk holds of a buffer at least; NULL: it is not compressed. */
static size_t held_bytes(size_t size, const struct etl_block *block)
{
	if (block && block->compressed)
		return size + block->unpacked_room;
	return size < ETL_WINDOW_BYTES_MIN ? size : ETL_WINDOW_BYTES_MIN;
}

static enum status add_buffer(struct reader *reader, struct etl_place place, size_t held)
{
	struct etl *etl = reader->state;
	struct etl_index *index = &etl->index;

	/* A log-file header begins a segment with the buffer that holds it. */
	place.segment = (uint16_t)(index->segment_count ? index->segment_count - 1 : 0);
	if (held > index->largest)
		index->largest = held;
	if (!add_place(index, &place, reader->input.size - place.offset))
		return ST_NOMEM;
	return input_skip(&reader->input, place.size);
}

static enum status index_buffer(struct reader *reader,
				const struct etl_buffer_header *header, struct walk *walk)
{
	struct etl *etl = reader->state;
	struct etl_block *block = &walk->block;
	struct etl_place place = etl_place_of(reader->input.offset, header);
	enum status status;
	const uint8_t *buffer = read_buffer(reader, header->size, walk, &status);

	if (buffer)
		status = etl_block_open(buffer, place.offset, header, block,
					&reader->findings);
	if (status != ST_OK)
		return status;
	place.events_bytes = (uint32_t)block->size;
	if (block->compressed)
		etl->index.is_compressed = true;
	status = index_events(etl, block, &place);
	return status == ST_OK
		       ? add_buffer(reader, place, held_bytes(header->size, block))
		       : status;
}

/* One that was counted ahead. */
static enum status add_plain_buffer(struct reader *reader,
				    const struct etl_plain_view *view)
{
	const struct etl_plain_buffer *buffer = view->buffer;

	for (size_t i = 0; i < ETL_PLAINS; i++)
		if (buffer->events[i])
			etl_plain_count(&view->chunk->plain[i], buffer->events[i]);
	return add_buffer(reader, buffer->place, held_bytes(buffer->place.size, NULL));
}

static const struct etl_index *index_of(const struct reader *reader)
{
	const struct etl *etl = reader->state;

	return &etl->index;
}

/* Buffers of a file that is not compressed are mostly all of one size; 0: not known. */
static uint64_t stride_of(const struct etl_index *index)
{
	uint64_t stride = index->log.buffer_bytes;

	return index->has_log && !index->is_compressed &&
			       stride >= ETL_BUFFER_HEADER_BYTES &&
			       stride <= ETL_BUFFER_BYTES_MAX
		       ? stride
		       : 0;
}

/* There is a buffer at `offset`, or the end of the file. */
static bool is_buffer_at(struct reader *reader, uint64_t offset)
{
	uint8_t bytes[ETL_BUFFER_HEADER_BYTES];
	struct etl_buffer_header header;

	if (offset == reader->input.size)
		return true;
	if (input_read_at(&reader->input, offset, bytes, sizeof(bytes)) != ST_OK)
		return false;
	header = etl_decode_buffer_header(bytes);
	return etl_is_buffer(&header) && header.filled <= ETL_BUFFER_BYTES_MAX &&
	       header.filled >= ETL_BUFFER_HEADER_BYTES && header.flags < 0x100 &&
	       header.type < 16;
}

/* One whose size leads to another; where all are of one size, that one needs no proof. */
static bool is_buffer(struct reader *reader, const struct etl_buffer_header *header)
{
	uint64_t left = reader->input.size - reader->input.offset;
	uint64_t stride = stride_of(index_of(reader));

	if (!etl_is_buffer(header) || header->size > left)
		return false;
	return header->size == stride || !stride ||
	       (header->flags & ETL_BUFFER_COMPRESSED) ||
	       !is_buffer_at(reader, reader->input.offset + stride) ||
	       is_buffer_at(reader, reader->input.offset + header->size);
}

/* An invalid header: the next buffer is found by the size that all have. */
static bool skip_buffer(struct reader *reader)
{
	struct input *in = &reader->input;
	uint64_t stride = stride_of(index_of(reader)), from = in->offset;

	if (stride == 0 || stride > in->size - from)
		return false;
	finding_gap(&reader->findings, FINDING_BAD_RECORD, from, from + stride,
		    "a buffer with a damaged header");
	return input_skip(in, stride) == ST_OK;
}

static void report_end(struct reader *reader, const char *what)
{
	finding_gap(&reader->findings, FINDING_TRUNCATED, reader->input.offset,
		    reader->input.size, "%s", what);
}

static enum status walk_file(struct reader *reader, struct walk *walk)
{
	struct input *in = &reader->input;
	enum status status = ST_OK;

	while (status == ST_OK && in->offset < in->size) {
		const uint8_t *head;
		struct etl_buffer_header header;

		walk->view = etl_plain_find(&walk->ahead, in, stride_of(index_of(reader)),
					    &index_of(reader)->kinds);
		head = peek(walk, in, ETL_BUFFER_HEADER_BYTES);
		if (os_interrupted()) /* thousands of them may be in what is buffered */
			error_set(&reader->error, ST_INTERRUPTED, ERROR_NO_OFFSET,
				  "interrupted");
		if (reader->error.status < ST_OK)
			return reader->error.status;
		if (index_of(reader)->place_count >= ETL_BUFFERS_MAX) {
			report_end(reader, "more buffers than the limit");
			return ST_OK;
		}
		if (head)
			header = etl_decode_buffer_header(head);
		if (walk->view.buffer) {
			status = add_plain_buffer(reader, &walk->view);
		} else if (head && is_buffer(reader, &header)) {
			status = index_buffer(reader, &header, walk);
		} else if (!head || !skip_buffer(reader)) {
			report_end(
				reader,
				"a buffer that does not end within the file, or is not a buffer");
			return ST_OK;
		}
	}
	/* The file has become shorter while it was read. */
	if (status == ST_TRUNCATED && reader->error.status == ST_OK) {
		finding_add(&reader->findings, FINDING_TRUNCATED, in->offset, 1);
		return ST_OK;
	}
	return status;
}

enum status etl_index(struct reader *reader)
{
	struct etl *etl = reader->state;
	struct etl_index *index = &etl->index;
	struct walk walk = { .view = { .bytes = NULL } };
	enum status status;

	index->cpus = memory_alloc_zeroed(ETL_CPUS_MAX, sizeof(*index->cpus));
	if (!index->cpus)
		return error_nomem(&reader->error);
	status = walk_file(reader, &walk);
	etl_plain_end(&walk.ahead);
	etl_block_release(&walk.block);
	if (status == ST_NOMEM || etl->texts.out_of_memory)
		return error_nomem(&reader->error);
	if (status != ST_OK)
		return status;
	if (etl->consumer_state)
		etl->consumer->end_learning(etl->consumer_state);
	etl_session_end(index);
	if (!index->has_log) {
		finding_report(&reader->findings, FINDING_BAD_SECTION, 0,
			       "no log-file header: a clock of 10 MHz is assumed");
		index->segment_count = 1;
		index->segments[0].ticks =
			index->place_count ? index->places[0].first_ticks : 0;
	}
	return ST_OK;
}

void etl_index_release(struct etl_index *index)
{
	map_release(&index->kinds.map);
	free(index->places);
	free(index->cpus);
	free(index->drops);
	etl_owners_release(&index->owners);
}
