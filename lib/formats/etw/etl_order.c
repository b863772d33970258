/*
 * etl_order.c - the second walk over an .etl file: the events of all CPUs in order of
 * time.
 *
 * Each CPU has buffers of its own, which its sequence numbers put in order even where a
 * circular file has wrapped.  A heap holds the CPUs by the time of their next event.
 * Where the buffers of all CPUs together are too large to be held, whole buffers are put
 * in order instead; attribution needs no more than the order on each CPU, and binds names
 * late.
 *
 * A number that is in no buffer of the file is a buffer that was lost: every CPU whose
 * buffers stand on both sides of it has lost something in between.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "formats/etw/etl.h"

/* --- buffers in the order of their CPU --- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_sequence(const void *left, const void *right)
{
	const struct etl_place *a = left, *b = right;

	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	return compare_numbers(a->offset, b->offset);
}

static int by_cpu(const void *left, const void *right)
{
	const struct etl_place *a = left, *b = right;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return by_sequence(left, right);
}

/* Numbers between those of two buffers; damage may put them anywhere apart. */
static int64_t missing_between(const struct etl_place *a, const struct etl_place *b)
{
	uint64_t apart = (uint64_t)b->sequence - (uint64_t)a->sequence;

	if (a->segment != b->segment || apart <= 1)
		return 0;
	return apart > ETL_BUFFERS_MAX ? ETL_BUFFERS_MAX : (int64_t)apart - 1;
}

/* Ranks tell how many numbers there really are between two. */
static void rank_places(struct etl_index *index)
{
	uint32_t rank = 0;

	qsort(index->places, index->place_count, sizeof(*index->places), by_sequence);
	for (size_t i = 0; i < index->place_count; i++) {
		struct etl_place *place = &index->places[i], *before = place - 1;

		if (i > 0 && (place->segment != before->segment ||
			      place->sequence != before->sequence))
			rank++;
		if (i > 0 && missing_between(before, place))
			finding_add(index->findings, FINDING_LOST_BUFFERS, place->offset,
				    missing_between(before, place));
		place->rank = rank;
	}
	qsort(index->places, index->place_count, sizeof(*index->places), by_cpu);
}

bool etl_lost_between(const struct etl_place *a, const struct etl_place *b)
{
	const uint16_t marks = ETL_BUFFER_EVENTS_LOST | ETL_BUFFER_LOST;

	return ((a->flags | b->flags) & marks) || a->segment != b->segment ||
	       (uint64_t)b->sequence - (uint64_t)a->sequence != b->rank - a->rank;
}

/* --- the heap --- */

/*
 * Segment, time, and the stream itself: one number, which is compared without a branch.
 */
static unsigned __int128 turn_of(const struct etl_stream *stream)
{
	return (unsigned __int128)stream->segment << 80 |
	       (unsigned __int128)stream->ticks << 16 | stream->index;
}

/* The stream that was at `at`, or is to be, goes down to its turn. */
static inline void sift_down(struct etl_order *order, size_t at,
			     struct etl_stream *stream)
{
	unsigned __int128 turn = turn_of(stream);
	struct etl_turn *heap = order->heap;

	for (size_t child = 2 * at + 1; child < order->heap_count; child = 2 * at + 1) {
		if (child + 1 < order->heap_count)
			child += heap[child + 1].turn < heap[child].turn;
		if (heap[child].turn >= turn)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at].turn = turn;
	heap[at].stream = stream;
}

static void build_heap(struct etl_order *order)
{
	for (size_t at = order->heap_count; at-- > 0;)
		sift_down(order, at, order->heap[at].stream);
}

static void remove_first(struct etl_order *order)
{
	etl_block_release(&order->heap[0].stream->block);
	order->heap_count--;
	if (order->heap_count)
		sift_down(order, 0, order->heap[order->heap_count].stream);
}

/* --- the events of a CPU --- */

/* The time of a stream that has yet to read its next buffer. */
static void expect_next(struct etl_order *order, struct etl_stream *stream)
{
	stream->segment = order->index->places[stream->next].segment;
	stream->ticks = order->index->places[stream->next].first_ticks;
}

static size_t window_of(const struct etl_order *order, size_t rest)
{
	return rest < order->window ? rest : order->window;
}

static enum status open_next_buffer(struct etl_order *order, struct etl_stream *stream)
{
	struct etl_block *block = order->one_by_one ? &order->block : &stream->block;
	const struct etl_place *place = &order->index->places[stream->next++];
	enum status status;

	stream->is_compressed =
		(place->flags & ETL_BUFFER_COMPRESSED) && place->events_bytes > 0;
	if (stream->is_compressed)
		status = etl_block_read(&order->chunks, &order->input, place->offset,
					place->size, block);
	else
		status = etl_window_read(&order->chunks, &order->input,
					 place->offset + ETL_BUFFER_HEADER_BYTES,
					 window_of(order, place->events_bytes), block);
	stream->left = stream->is_compressed ? 0 : place->events_bytes - block->size;
	if (stream->place &&
	    (etl_lost_between(stream->place, place) || !stream->place->is_whole))
		stream->has_lost = true;
	stream->place = place;
	stream->segment = place->segment;
	stream->events = cursor_over(block->events, block->size, block->offset, false);
	order->position += place->size;
	if (status != ST_TRUNCATED)
		return status;
	/* It was longer a moment ago. */
	stream->left = 0;
	stream->has_lost = true;
	stream->events = cursor_over(NULL, 0, 0, false);
	if (order->cuts++ == 0)
		order->cut_at = place->offset;
	return ST_OK;
}

/* The window moves on to where the next event begins; false: it is there already. */
static bool move_window(struct etl_order *order, struct etl_stream *stream)
{
	struct etl_block *block = order->one_by_one ? &order->block : &stream->block;
	uint64_t from = stream->events.offset;
	size_t rest = cursor_left(&stream->events) + stream->left;

	if (stream->left == 0 || from == block->offset ||
	    etl_window_read(&order->chunks, &order->input, from, window_of(order, rest),
			    block) != ST_OK)
		return false;
	stream->left = rest - block->size;
	stream->events = cursor_over(block->events, block->size, from, false);
	return true;
}

/* The next event, if it has the shape. */
static inline bool next_shaped(const struct etl_shape *shape, struct etl_stream *stream)
{
	struct cursor *c = &stream->events;
	size_t left = cursor_left(c), step;
	uint64_t head;

	if (shape->bytes == 0 || shape->bytes > left)
		return false;
	memcpy(&head, c->pos, sizeof(head));
	if (head != shape->head)
		return false;
	stream->shaped = c->pos;
	memcpy(&stream->ticks, c->pos + 8, sizeof(stream->ticks));
	step = shape->step < left ? shape->step : left;
	c->pos += step;
	c->offset += step;
	return true;
}

static void set_offset(struct etl_stream *stream)
{
	if (stream->is_compressed)
		stream->event.offset = stream->place->offset + ETL_BUFFER_HEADER_BYTES;
}

void etl_order_decode(struct etl_stream *stream)
{
	size_t bytes = (size_t)(stream->events.pos - stream->shaped);
	struct cursor c =
		cursor_over(stream->shaped, bytes, stream->events.offset - bytes, false);

	(void)etl_decode_event(&c, &stream->event);
	set_offset(stream);
	stream->shaped = NULL;
}

/* The next event of this buffer; false: there is none. */
static inline bool next_in_buffer(struct etl_order *order, struct etl_stream *stream)
{
	if (next_shaped(&order->shape, stream))
		return true;
	stream->shaped = NULL;
	while (etl_decode_event(&stream->events, &stream->event) != ETL_WALK_EVENT)
		if (!move_window(order, stream))
			return false;
	if (stream->event.has_ticks)
		stream->ticks = stream->event.ticks;
	set_offset(stream);
	return true;
}

/* --- event by event --- */

/* To the next event of a CPU; ST_END after its last one. */
static enum status advance(struct etl_order *order, struct etl_stream *stream)
{
	enum status status = ST_OK;

	while (status == ST_OK && !next_in_buffer(order, stream)) {
		if (stream->next == stream->end)
			return ST_END;
		status = open_next_buffer(order, stream);
	}
	return status;
}

/* Every CPU is at its first event. */
static enum status begin_events(struct etl_order *order)
{
	enum status status = ST_OK;

	for (size_t i = 0; i < order->stream_count && status == ST_OK; i++) {
		struct etl_stream *stream = &order->streams[i];

		status = advance(order, stream);
		if (status == ST_OK)
			order->heap[order->heap_count++].stream = stream;
		else if (status == ST_END)
			status = ST_OK;
	}
	build_heap(order);
	return status;
}

static enum status next_event(struct etl_order *order)
{
	enum status status = ST_OK;

	if (order->is_taken)
		status = advance(order, order->heap[0].stream);
	if (status == ST_END) {
		remove_first(order);
		status = ST_OK;
	} else if (order->is_taken && status == ST_OK) {
		sift_down(order, 0, order->heap[0].stream);
	}
	order->is_taken = true;
	return status == ST_OK && order->heap_count == 0 ? ST_END : status;
}

/* --- buffer by buffer --- */

static void begin_buffers(struct etl_order *order)
{
	for (size_t i = 0; i < order->stream_count; i++) {
		expect_next(order, &order->streams[i]);
		order->heap[order->heap_count++].stream = &order->streams[i];
	}
	build_heap(order);
}

static enum status next_of_buffers(struct etl_order *order)
{
	enum status status = ST_OK;

	while (status == ST_OK && order->heap_count) {
		struct etl_stream *stream = order->heap[0].stream;

		if (stream->is_open && next_in_buffer(order, stream))
			return ST_OK;
		if (stream->is_open && stream->next == stream->end) {
			remove_first(order);
		} else if (stream->is_open) {
			stream->is_open = false;
			expect_next(order, stream);
			sift_down(order, 0, order->heap[0].stream);
		} else {
			status = open_next_buffer(order, stream);
			stream->is_open = true;
		}
	}
	return status == ST_OK ? ST_END : status;
}

/* --- the walk --- */

static size_t count_cpus(const struct etl_index *index)
{
	size_t count = 0;

	for (size_t i = 0; i < index->place_count; i++)
		count += i == 0 || index->places[i].cpu != index->places[i - 1].cpu;
	return count;
}

static void use_cpu(struct etl_stream *stream, const struct etl_cpu *cpu)
{
	stream->good_ticks = cpu->is_wrong ? cpu->good_ticks : UINT64_MAX;
	stream->next_drop = cpu->next_drop;
	stream->end_drop = cpu->end_drop;
}

/* For so many CPUs at once. */
static size_t window_bytes(size_t cpus)
{
	size_t bytes = ETL_OPEN_BYTES_MAX / cpus;

	return bytes >= ETL_WINDOW_BYTES       ? ETL_WINDOW_BYTES
	       : bytes >= ETL_WINDOW_BYTES_MIN ? bytes
					       : ETL_WINDOW_BYTES_MIN;
}

enum status etl_order_open(struct reader *reader)
{
	struct etl *etl = reader->state;
	struct etl_index *index = &etl->index;
	struct etl_order *order = &etl->order;
	struct etl_stream *stream = NULL;
	enum status status;
	size_t cpus;

	order->index = index;
	order->first_ns = order->last_ns = INT_NONE;
	order->input = reader->input;
	order->input.error = &order->error;
	if (index->place_count == 0)
		return ST_OK;
	rank_places(index);
	cpus = count_cpus(index);
	order->streams = memory_alloc_zeroed(cpus, sizeof(*order->streams));
	order->heap = memory_alloc_zeroed(cpus, sizeof(*order->heap));
	if (!order->streams || !order->heap)
		return error_nomem(&reader->error);
	for (size_t i = 0; i < index->place_count; i++) {
		if (i == 0 || index->places[i].cpu != index->places[i - 1].cpu) {
			stream = &order->streams[order->stream_count];
			stream->index = (uint16_t)order->stream_count++;
			stream->next = i;
			use_cpu(stream, &index->cpus[index->places[i].cpu]);
		}
		stream->end = i + 1;
	}
	order->one_by_one = index->largest > ETL_OPEN_BYTES_MAX / cpus;
	order->window = window_bytes(order->one_by_one ? 1 : cpus);
	if (order->one_by_one) {
		begin_buffers(order);
		return ST_OK;
	}
	status = begin_events(order);
	if (status == ST_NOMEM)
		return error_nomem(&reader->error);
	if (status != ST_OK)
		reader->error = order->error;
	return status;
}

enum status etl_order_next(struct etl_order *order, struct etl_stream **stream)
{
	enum status status;

	if (order->heap_count == 0)
		return ST_END;
	status = order->one_by_one ? next_of_buffers(order) : next_event(order);
	if (status == ST_OK)
		*stream = order->heap[0].stream;
	return status;
}

void etl_order_note_time(struct etl_order *order, int64_t ts_ns)
{
	if (order->first_ns == INT_NONE || ts_ns < order->first_ns)
		order->first_ns = ts_ns;
	if (order->last_ns == INT_NONE || ts_ns > order->last_ns)
		order->last_ns = ts_ns;
}

void etl_order_close(struct etl_order *order)
{
	for (size_t i = 0; i < order->stream_count; i++)
		etl_block_release(&order->streams[i].block);
	etl_block_release(&order->block);
	etl_chunks_release(&order->chunks);
	free(order->streams);
	free(order->heap);
}
