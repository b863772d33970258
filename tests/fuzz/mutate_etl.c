/*
 * mutate_etl.c - see mutate_etl.h.
 *
 * The events of a buffer are copied out, decompressed where they are compressed, changed,
 * and put back in the same form, with the sizes in the buffer's header right.
 */
#include "mutate_etl.h"

#include <string.h>

#include "common/bytes.h"
#include "etw/xpress.h"
#include "formats/etw/etl_layout.h"
#include "formats/etw/xpress.h"

#define BUFFERS_MAX 256
#define EVENTS_MAX 512
#define BODY_BYTES_MAX ((size_t)128 << 10)
#define FILLED_AT 0x30
#define FLAGS_AT 0x34

struct place {
	size_t at, size;
};

/* --- events --- */

static size_t find_events(const struct mutant *m, struct place *events)
{
	struct cursor c = cursor_over(m->bytes, m->size, 0, false);
	struct etl_event event;
	size_t count = 0, at = 0;

	while (count < EVENTS_MAX && etl_decode_event(&c, &event) == ETL_WALK_EVENT) {
		events[count++] = (struct place){ at, (size_t)c.offset - at };
		at = (size_t)c.offset;
	}
	return count;
}

/* The place of an event's size is in its marker or after it. */
static void resize_event(struct mutant *m, const struct place *event)
{
	static const uint8_t zeros[64];
	uint64_t marker = mutant_get(m, event->at, 4);
	size_t type = marker >> 16 & 0xff;
	size_t size_at =
		event->at +
		((type >= 1 && type <= 4) || type == 0x10 || type == 0x11 ? 4 : 0);
	size_t step = (mutant_choose(m, 4) + 1) * 8;
	size_t end = event->at + event->size;

	if (mutant_choose(m, 2)) {
		if (mutant_replace(m, end, 0, zeros, step))
			mutant_put(m, size_at, 2, mutant_get(m, size_at, 2) + step);
	} else if (step < event->size) {
		(void)mutant_replace(m, end - step, step, NULL, 0);
		mutant_put(m, size_at, 2, mutant_get(m, size_at, 2) - step);
	}
}

static void mutate_events(struct mutant *m)
{
	struct place events[EVENTS_MAX], event, other;
	size_t count = find_events(m, events);

	if (count == 0) {
		mutant_change_bytes(m, 0, m->size);
		return;
	}
	event = events[mutant_choose(m, count)];
	other = events[mutant_choose(m, count)];
	switch (mutant_choose(m, 9)) {
	case 0:
		(void)mutant_copy(m, event.at, other.at, other.size);
		break;
	case 1:
		(void)mutant_replace(m, event.at, event.size, NULL, 0);
		break;
	case 2:
		resize_event(m, &event);
		break;
	case 3: /* header: kind, size, version, group, opcode */
		mutant_change_number(m, event.at, event.at + 8);
		break;
	case 4:
		mutant_change_bytes(m, event.at, event.at + event.size);
		break;
	default:
		mutant_change_number(m, event.at, event.at + event.size);
	}
}

/* --- buffers --- */

static size_t find_buffers(const struct mutant *m, struct place *buffers)
{
	size_t count = 0, at = 0;

	while (count < BUFFERS_MAX && m->size - at >= ETL_BUFFER_HEADER_BYTES) {
		uint64_t size = mutant_get(m, at, 4);

		if (size < ETL_BUFFER_HEADER_BYTES || size > m->size - at)
			break;
		buffers[count++] = (struct place){ at, (size_t)size };
		at += (size_t)size;
	}
	return count;
}

/* Puts the events back into their buffer, which is compressed as it was. */
static void put_packed(struct mutant *m, const struct place *buffer,
		       const struct mutant *events)
{
	static struct byte_buf packed;
	size_t body = buffer->at + ETL_BUFFER_HEADER_BYTES;

	packed.size = 0;
	xpress_pack(&packed, events->bytes, events->size);
	if (!mutant_replace(m, body, buffer->size - ETL_BUFFER_HEADER_BYTES, packed.data,
			    packed.size))
		return;
	mutant_put(m, buffer->at, 4, ETL_BUFFER_HEADER_BYTES + packed.size);
	mutant_put(m, buffer->at + FILLED_AT, 4, ETL_BUFFER_HEADER_BYTES + events->size);
}

/* The same where all buffers have one size: the rest of it is blank. */
static void put_plain(struct mutant *m, const struct place *buffer,
		      const struct mutant *events)
{
	size_t body = buffer->at + ETL_BUFFER_HEADER_BYTES;
	size_t room = buffer->size - ETL_BUFFER_HEADER_BYTES;

	if (events->size > room)
		return;
	memcpy(m->bytes + body, events->bytes, events->size);
	memset(m->bytes + body + events->size, 0xff, room - events->size);
	mutant_put(m, buffer->at + FILLED_AT, 4, ETL_BUFFER_HEADER_BYTES + events->size);
}

static void mutate_body(struct mutant *m, const struct place *buffer)
{
	static uint8_t body[BODY_BYTES_MAX];
	const uint8_t *from = m->bytes + buffer->at + ETL_BUFFER_HEADER_BYTES;
	size_t size = buffer->size - ETL_BUFFER_HEADER_BYTES, done = 0;
	size_t filled = (size_t)mutant_get(m, buffer->at + FILLED_AT, 4);
	bool compressed = mutant_get(m, buffer->at + FLAGS_AT, 2) & ETL_BUFFER_COMPRESSED;
	struct mutant events;

	filled = filled < ETL_BUFFER_HEADER_BYTES ? 0 : filled - ETL_BUFFER_HEADER_BYTES;
	if (compressed) {
		filled = filled < sizeof(body) / 2 ? filled : sizeof(body) / 2;
		(void)xpress_decompress(from, size, body, filled, &done);
	} else {
		done = filled < size ? filled : size;
		done = done < sizeof(body) / 2 ? done : sizeof(body) / 2;
		memcpy(body, from, done);
	}
	events = mutant_over(body, done, sizeof(body), 0);
	events.state = mutant_random(m);
	for (size_t i = mutant_choose(m, 4) + 1; i-- > 0;)
		mutate_events(&events);
	if (compressed)
		put_packed(m, buffer, &events);
	else
		put_plain(m, buffer, &events);
}

void mutate_etl_file(struct mutant *m)
{
	struct place buffers[BUFFERS_MAX], buffer, other;
	size_t count = find_buffers(m, buffers);

	if (count == 0 || mutant_choose(m, 16) == 0) {
		mutant_change_all(m, 0);
		return;
	}
	buffer = buffers[mutant_choose(m, count)];
	other = buffers[mutant_choose(m, count)];
	switch (mutant_choose(m, 10)) {
	case 0:
		mutant_change_number(m, buffer.at, buffer.at + ETL_BUFFER_HEADER_BYTES);
		break;
	case 1:
		(void)mutant_copy(m, buffer.at, other.at, other.size);
		break;
	case 2:
		(void)mutant_replace(m, buffer.at, buffer.size, NULL, 0);
		break;
	case 3: /* inside the compressed bytes */
		mutant_change_bytes(m, buffer.at + ETL_BUFFER_HEADER_BYTES,
				    buffer.at + buffer.size);
		break;
	default:
		mutate_body(m, &buffer);
	}
}
