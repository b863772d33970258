/*
 * SAMPLE bodies, read values and sample_id trailers, by the sample_type of their event.
 */
#include "swap/swap.h"

#include <linux/perf_event.h>

enum {
	/* Newer than some <linux/perf_event.h>. */
	BRANCH_HW_INDEX_BIT = 17,
	BRANCH_COUNTERS_BIT = 19,
	KNOWN_SAMPLE_TYPE_BITS = 25,
	KNOWN_READ_FORMAT_BITS = 5,
};

static const uint64_t trailer_types = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				      PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				      PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

static size_t count_bits(uint64_t value)
{
	size_t count = 0;

	for (; value; value &= value - 1)
		count++;
	return count;
}

size_t trailer_bytes(const struct event *event)
{
	return event->sample_id_all ? 8 * count_bits(event->sample_type & trailer_types)
				    : 0;
}

/* Bytes from the start of a sample to its id, or -1. */
static int id_from_start(const struct event *event)
{
	uint64_t before =
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;

	if (event->sample_type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (event->sample_type & PERF_SAMPLE_ID)
		return (int)(8 * count_bits(event->sample_type & before));
	return -1;
}

/* Bytes from a trailer's id to its end, or -1. */
static int id_from_end(const struct event *event)
{
	uint64_t behind = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;

	if (event->sample_type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	if (event->sample_type & PERF_SAMPLE_ID)
		return (int)(8 * count_bits(event->sample_type & behind));
	return -1;
}

/* The place that all events have their id at, or -1. */
static int common_place(const struct swapper *swapper, int (*place)(const struct event *))
{
	for (size_t i = 1; i < swapper->event_count; i++)
		if (place(&swapper->events[i]) != place(&swapper->events[0]))
			return -1;
	return place(&swapper->events[0]);
}

static void need_events(const struct swapper *swapper, const struct cursor *cursor)
{
	if (!swapper->event_count)
		cursor_die(cursor, "no event has been described before it");
}

static const struct event *sample_event(const struct swapper *swapper,
					const struct cursor *cursor)
{
	const struct event *event = NULL;
	uint64_t id = 0;
	int place;

	need_events(swapper, cursor);
	if (swapper->event_count == 1)
		return swapper->events;
	place = common_place(swapper, id_from_start);
	if (place >= 0) {
		id = cursor_peek(cursor, cursor->at + (size_t)place, 8);
		event = event_of_id(swapper, id);
	}
	if (event)
		return event;
	if (!events_agree(swapper))
		cursor_die(cursor, "its id, %llu, belongs to no event",
			   (unsigned long long)id);
	return swapper->events;
}

/* perf gives a trailer without a known id to the first event too. */
const struct event *trailer_event(const struct swapper *swapper,
				  const struct cursor *cursor)
{
	const struct event *event = NULL;
	uint64_t id = 0;
	int place;

	if (swapper->event_count <= 1 || !swapper->events->sample_id_all)
		return swapper->events;
	place = common_place(swapper, id_from_end);
	if (place >= 0 && cursor_left(cursor) >= (size_t)place) {
		id = cursor_peek(cursor, cursor->end - (size_t)place, 8);
		event = event_of_id(swapper, id);
	}
	if (!event && id && !events_agree(swapper))
		cursor_die(cursor, "its id, %llu, belongs to no event",
			   (unsigned long long)id);
	return event ? event : swapper->events;
}

static void swap_pair(struct cursor *cursor)
{
	swap_u32(cursor);
	swap_u32(cursor);
}

void swap_trailer(struct cursor *cursor, const struct event *event)
{
	/* Not the order of the bits: CPU comes after STREAM_ID. */
	static const uint64_t order[] = { PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
					  PERF_SAMPLE_ID,  PERF_SAMPLE_STREAM_ID,
					  PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER };

	for (size_t i = 0; i < COUNT(order); i++) {
		if (!(event->sample_type & order[i]))
			continue;
		if (order[i] == PERF_SAMPLE_TID || order[i] == PERF_SAMPLE_CPU)
			swap_pair(cursor);
		else
			swap_u64(cursor);
	}
}

static void swap_words(struct cursor *cursor, uint64_t count)
{
	while (count--)
		swap_u64(cursor);
}

void swap_read_values(struct cursor *cursor, uint64_t read_format)
{
	size_t times = count_bits(read_format & (PERF_FORMAT_TOTAL_TIME_ENABLED |
						 PERF_FORMAT_TOTAL_TIME_RUNNING));
	size_t member = 1 + count_bits(read_format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
	uint64_t count = 1;

	if (read_format >> KNOWN_READ_FORMAT_BITS)
		cursor_die(cursor, "read_format 0x%llx has unknown bits",
			   (unsigned long long)read_format);
	if (read_format & PERF_FORMAT_GROUP)
		count = swap_u64(cursor);
	swap_words(cursor, times);
	while (count--)
		swap_words(cursor, member);
}

static void swap_raw(const struct swapper *swapper, struct cursor *cursor,
		     const struct event *event)
{
	uint32_t size = swap_u32(cursor);
	uint64_t bits = 0;

	if (size > cursor_left(cursor))
		cursor_die(cursor, "RAW size %u is more than the %zu bytes left", size,
			   cursor_left(cursor));
	for (size_t i = 0; i < size; i++)
		bits |= cursor_peek(cursor, cursor->at + i, 1);
	if (event->type == PERF_TYPE_TRACEPOINT && bits)
		swap_payload(swapper, cursor, size);
	else if (!bits || (event->type == PERF_TYPE_SOFTWARE &&
			   event->config == PERF_COUNT_SW_BPF_OUTPUT))
		copy_bytes(cursor, size);
	else
		cursor_die(cursor, "RAW data of event type %u has an unknown layout",
			   event->type);
}

/* Bit fields keep their values and are laid out from the other end of the word. */
static void swap_branch_flags(struct cursor *cursor)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t flags = swap_u64(cursor);
	uint64_t swapped = 0;
	unsigned at = 0;

	for (size_t i = 0; i < sizeof(widths); i++) {
		uint64_t mask = ((uint64_t)1 << widths[i]) - 1;

		swapped |= (flags >> at & mask) << (64 - at - widths[i]);
		at += widths[i];
	}
	if (flags >> (64 - 31))
		cursor_die(cursor, "branch flags 0x%llx have unknown bits",
			   (unsigned long long)flags);
	put_back(cursor, swapped, 8);
}

static void swap_branches(struct cursor *cursor, const struct event *event)
{
	uint64_t count = swap_u64(cursor);

	if (event->branch_type >> BRANCH_HW_INDEX_BIT & 1)
		swap_u64(cursor);
	for (uint64_t i = 0; i < count; i++) {
		swap_words(cursor, 2);
		swap_branch_flags(cursor);
	}
	if (event->branch_type >> BRANCH_COUNTERS_BIT & 1)
		swap_words(cursor, count);
}

static void swap_regs(struct cursor *cursor, uint64_t mask)
{
	if (swap_u64(cursor) != PERF_SAMPLE_REGS_ABI_NONE)
		swap_words(cursor, count_bits(mask));
}

static void swap_bytes_field(struct cursor *cursor, bool has_used_size)
{
	uint64_t size = swap_u64(cursor);

	copy_bytes(cursor, (size_t)size);
	if (size && has_used_size)
		swap_u64(cursor);
}

static void swap_sample_field(const struct swapper *swapper, struct cursor *cursor,
			      const struct event *event, uint64_t type)
{
	switch (type) {
	case PERF_SAMPLE_TID:
	case PERF_SAMPLE_CPU:
		swap_pair(cursor);
		break;
	case PERF_SAMPLE_READ:
		swap_read_values(cursor, event->read_format);
		break;
	case PERF_SAMPLE_CALLCHAIN:
		swap_words(cursor, swap_u64(cursor));
		break;
	case PERF_SAMPLE_RAW:
		swap_raw(swapper, cursor, event);
		break;
	case PERF_SAMPLE_BRANCH_STACK:
		swap_branches(cursor, event);
		break;
	case PERF_SAMPLE_REGS_USER:
		swap_regs(cursor, event->user_regs);
		break;
	case PERF_SAMPLE_REGS_INTR:
		swap_regs(cursor, event->intr_regs);
		break;
	case PERF_SAMPLE_STACK_USER:
		swap_bytes_field(cursor, true);
		break;
	case PERF_SAMPLE_AUX:
		swap_bytes_field(cursor, false);
		break;
	default:
		swap_u64(cursor);
		break;
	}
}

void swap_sample(struct swapper *swapper, struct cursor *cursor)
{
	/* The order of the body where it is not the order of the bits. */
	static const uint64_t order[] = {
		PERF_SAMPLE_IDENTIFIER,
		PERF_SAMPLE_IP,
		PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,
		PERF_SAMPLE_ADDR,
		PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID,
		PERF_SAMPLE_CPU,
		PERF_SAMPLE_PERIOD,
		PERF_SAMPLE_READ,
		PERF_SAMPLE_CALLCHAIN,
		PERF_SAMPLE_RAW,
		PERF_SAMPLE_BRANCH_STACK,
		PERF_SAMPLE_REGS_USER,
		PERF_SAMPLE_STACK_USER,
		PERF_SAMPLE_WEIGHT_TYPE,
		PERF_SAMPLE_DATA_SRC,
		PERF_SAMPLE_TRANSACTION,
		PERF_SAMPLE_REGS_INTR,
		PERF_SAMPLE_PHYS_ADDR,
		PERF_SAMPLE_CGROUP,
		PERF_SAMPLE_DATA_PAGE_SIZE,
		PERF_SAMPLE_CODE_PAGE_SIZE,
		PERF_SAMPLE_AUX,
	};
	const struct event *event = sample_event(swapper, cursor);

	if (event->sample_type >> KNOWN_SAMPLE_TYPE_BITS)
		cursor_die(cursor, "sample_type 0x%llx has unknown bits",
			   (unsigned long long)event->sample_type);
	for (size_t i = 0; i < COUNT(order); i++)
		if (event->sample_type & order[i])
			swap_sample_field(swapper, cursor, event, order[i]);
	copy_padding(cursor);
}
