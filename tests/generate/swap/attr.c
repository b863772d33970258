/* struct perf_event_attr of any size, and the table of events and their ids. */
#include "swap/swap.h"

#include <linux/perf_event.h>

/*
 * The kinds of the 8-byte words up to config4.  8: u64; 4: two u32; f: 64 flags;
 * a: u32 aux_watermark, u16 sample_max_stack, u16 reserved; x: u32 and 32 flags.
 */
static const char attr_words[] = "48888f4888848ax888";
enum { FLAGS_WORD = 5, BRANCH_WORD = 9, USER_REGS_WORD = 10, INTR_REGS_WORD = 12 };

/* precise_ip is the only field of more than one bit, and keeps its value. */
static void swap_flags(struct cursor *cursor)
{
	uint64_t flags = swap_u64(cursor);
	uint64_t reversed = reverse_bits(flags, 64);
	uint64_t precise_ip = flags >> 15 & 3;

	reversed &= ~((uint64_t)3 << 47);
	put_back(cursor, reversed | precise_ip << 47, 8);
}

static void swap_attr_word(struct cursor *cursor, char kind)
{
	switch (kind) {
	case '4':
		swap_u32(cursor);
		swap_u32(cursor);
		break;
	case 'f':
		swap_flags(cursor);
		break;
	case 'a':
		swap_u32(cursor);
		swap_u16(cursor);
		swap_u16(cursor);
		break;
	case 'x':
		swap_u32(cursor);
		put_back(cursor, reverse_bits(swap_u32(cursor), 32), 4);
		break;
	default:
		swap_u64(cursor);
		break;
	}
}

/* A field that the attr is too small for is zero. */
static uint64_t attr_word(const struct cursor *cursor, size_t bytes, size_t word)
{
	return (word + 1) * 8 <= bytes ? cursor_peek(cursor, cursor->at + word * 8, 8)
				       : 0;
}

static void add_event(struct swapper *swapper, const struct cursor *cursor, size_t bytes)
{
	uint64_t own_bytes = attr_word(cursor, bytes, 0) >> 32;
	struct event *event;

	if (own_bytes == 0)
		own_bytes = PERF_ATTR_SIZE_VER0;
	if (own_bytes < bytes)
		bytes = (size_t)own_bytes;
	swapper->events = grow_array(swapper->events, swapper->event_count,
				     &swapper->event_room, sizeof(*event));
	event = &swapper->events[swapper->event_count++];
	*event = (struct event){
		.type = (uint32_t)attr_word(cursor, bytes, 0),
		.config = attr_word(cursor, bytes, 1),
		.sample_type = attr_word(cursor, bytes, 3),
		.read_format = attr_word(cursor, bytes, 4),
		.sample_id_all = attr_word(cursor, bytes, FLAGS_WORD) >> 18 & 1,
		.branch_type = attr_word(cursor, bytes, BRANCH_WORD),
		.user_regs = attr_word(cursor, bytes, USER_REGS_WORD),
		.intr_regs = attr_word(cursor, bytes, INTR_REGS_WORD),
	};
}

void swap_attr(struct swapper *swapper, struct cursor *cursor, size_t bytes,
	       bool is_event)
{
	size_t known = sizeof(attr_words) - 1;
	struct cursor rest = *cursor;

	if (bytes < PERF_ATTR_SIZE_VER0 || bytes > cursor_left(cursor))
		cursor_die(cursor, "an attr of %zu bytes at 0x%zx is impossible", bytes,
			   cursor->at);
	if (is_event)
		add_event(swapper, cursor, bytes);
	rest.end = cursor->at + bytes;
	for (size_t i = 0; i < known && cursor_left(&rest) >= 8; i++)
		swap_attr_word(&rest, attr_words[i]);
	copy_padding(&rest);
	cursor->at = rest.end;
}

void event_add_id(struct swapper *swapper, size_t event, uint64_t id)
{
	swapper->ids = grow_array(swapper->ids, swapper->id_count, &swapper->id_room,
				  sizeof(*swapper->ids));
	swapper->ids[swapper->id_count++] = (struct event_id){ id, event };
}

const struct event *event_of_id(const struct swapper *swapper, uint64_t id)
{
	for (size_t i = 0; i < swapper->id_count; i++)
		if (swapper->ids[i].id == id)
			return &swapper->events[swapper->ids[i].event];
	return NULL;
}

bool events_agree(const struct swapper *swapper)
{
	const struct event *first = swapper->events;

	for (size_t i = 1; i < swapper->event_count; i++) {
		const struct event *event = &swapper->events[i];

		if (event->sample_type != first->sample_type ||
		    event->read_format != first->read_format ||
		    event->branch_type != first->branch_type ||
		    event->user_regs != first->user_regs ||
		    event->intr_regs != first->intr_regs)
			return false;
		if (event->sample_type & PERF_SAMPLE_RAW && event->type != first->type)
			return false;
	}
	return true;
}
