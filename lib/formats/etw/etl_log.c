/*
 * etl_log.c - TRACE_LOGFILE_HEADER, the first event of a log file, and the clock it
 * defines; see docs/formats/etl.md, "The first event".
 *
 * A file is little-endian, and this event's pointers are as wide as its header's type
 * says; other events may differ.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"

#define TIME_ZONE_BYTES 176 /* 172, aligned */
#define NS_PER_S UINT64_C(1000000000)

enum { CLOCK_QPC = 1, CLOCK_SYSTEM = 2, CLOCK_CYCLES = 3 };

/* --- texts and pointers --- */

void etl_texts_clear(struct etl_texts *texts)
{
	texts->used = 0;
	if (texts->scratch.blocks)
		arena_release(&texts->scratch);
}

void etl_texts_release(struct etl_texts *texts)
{
	etl_texts_clear(texts);
	free(texts->large);
	texts->large = NULL;
}

/* Once `small` is not enough, all texts go to a larger one. */
char *etl_texts_room(struct etl_texts *texts, size_t wanted, size_t *room)
{
	if (!texts->large && wanted > sizeof(texts->small) - texts->used) {
		texts->large = memory_alloc(ETL_TEXT_BYTES);
		texts->used = texts->large ? 0 : texts->used;
		texts->out_of_memory |= !texts->large;
	}
	*room = (texts->large ? ETL_TEXT_BYTES : sizeof(texts->small)) - texts->used;
	return (texts->large ? texts->large : texts->small) + texts->used;
}

uint64_t etl_pointer(struct cursor *c, unsigned int pointer_bytes)
{
	return pointer_bytes == 4 ? cursor_u32(c) : cursor_u64(c);
}

/* Lone surrogates become U+FFFD.  What finds no room is left out. */
struct str etl_utf16_units(struct etl_texts *texts, const uint8_t *at, size_t units)
{
	size_t room;
	char *start = etl_texts_room(texts, 3 * units + 4, &room), *to = start;

	for (size_t i = 0, used; i < 2 * units && start + room - to > 4; i += used) {
		uint32_t code = text_utf16_character(at + i, 2 * units - i, &used);

		to += text_write_utf8(to, text_is_surrogate(code) ? 0xfffd : code);
	}
	texts->used += (size_t)(to - start);
	return (struct str){ start, (size_t)(to - start) };
}

struct str etl_utf16(struct etl_texts *texts, struct cursor *c)
{
	const uint8_t *start = c->pos;
	size_t units = 0, left = cursor_left(c) / 2;

	while (units < left && (start[2 * units] || start[2 * units + 1]))
		units++;
	if (units == left) {
		c->overrun = true;
		return STR_NONE;
	}
	cursor_skip(c, 2 * units + 2);
	return c->overrun ? STR_NONE : etl_utf16_units(texts, start, units);
}

/* --- the header --- */

bool etl_decode_log_header(struct etl_texts *texts, struct cursor *c,
			   unsigned int pointer_bytes, struct etl_log_header *log)
{
	*log = (struct etl_log_header){ .buffer_bytes = cursor_u32(c) };
	log->version = cursor_u32(c);
	log->build = cursor_u32(c);
	log->cpus = cursor_u32(c);
	log->end_time = cursor_u64(c);
	cursor_skip(c, 8); /* TimerResolution, MaximumFileSize */
	log->mode = cursor_u32(c);
	log->buffers_written = cursor_u32(c);
	cursor_skip(c, 4); /* StartBuffers */
	log->pointer_bytes = cursor_u32(c);
	log->events_lost = cursor_u32(c);
	log->mhz = cursor_u32(c);
	cursor_skip(c, 2 * pointer_bytes + TIME_ZONE_BYTES);
	log->boot_time = cursor_u64(c);
	log->perf_freq = cursor_u64(c);
	log->start_time = cursor_u64(c);
	log->clock = cursor_u32(c);
	log->buffers_lost = cursor_u32(c);
	if (c->overrun)
		return false;
	log->logger = etl_utf16(texts, c);
	log->file = etl_utf16(texts, c);
	return true;
}

uint64_t etl_ticks_per_s(const struct etl_log_header *log)
{
	switch (log->clock) {
	case CLOCK_SYSTEM:
		return ETL_FILETIME_PER_S;
	case CLOCK_CYCLES:
		return (uint64_t)log->mhz * 1000000;
	case CLOCK_QPC:
	default:
		return log->perf_freq;
	}
}

int64_t etl_any_ns(const struct etl_segment *base, uint64_t ticks)
{
	uint64_t frequency = base->ticks_per_s ? base->ticks_per_s : ETL_FILETIME_PER_S;
	bool before = ticks < base->ticks;
	uint64_t since = before ? base->ticks - ticks : ticks - base->ticks;
	unsigned __int128 ns;
	int64_t at;

	if (frequency == ETL_FILETIME_PER_S && since < UINT64_MAX / 100)
		ns = since * 100;
	else
		ns = (unsigned __int128)since * NS_PER_S / frequency;
	if (ns > INT64_MAX)
		return INT_NONE;
	if (__builtin_add_overflow(base->start_ns, before ? -(int64_t)ns : (int64_t)ns,
				   &at))
		return INT_NONE;
	return at;
}

/* --- payloads --- */

bool etl_check_payload(struct findings *findings, const struct etl_event *event,
		       const struct cursor *c)
{
	if (c->overrun)
		finding_report(
			findings, FINDING_SHORT_RECORD, event->offset,
			"%s event, group %02x, opcode %02x, version %u, of %u bytes: "
			"too short for its fields",
			etl_header_name(event), event->group, event->opcode,
			event->version, event->size);
	else if (cursor_left(c))
		finding_add(findings, FINDING_NEWER_FIELDS, event->offset, 1);
	return !c->overrun;
}

void etl_decode_interval(struct etl_texts *texts, const struct etl_event *event,
			 struct etw_interval_row *row, struct cursor *c)
{
	*row = (struct etw_interval_row){
		.event = event->opcode == (ETL_INTERVAL_SET & 0xff)
				 ? STR("ProfileFreq-SetInterval")
			 : event->opcode == (ETL_INTERVAL_DC_START & 0xff)
				 ? STR("ProfileFreq-DCStart")
				 : STR("ProfileFreq-DCEnd"),
		.source = cursor_u32(c),
	};
	row->new_interval = cursor_u32(c);
	row->old_interval = cursor_u32(c);
	if (event->version >= 3)
		row->name = etl_utf16(texts, c);
}

/* --- facts --- */

void etl_fact(struct etl_facts *facts, const char *key, const char *format, ...)
{
	struct etl_fact *fact = arena_alloc(facts->arena, sizeof(*fact));
	char value[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	if (!fact)
		return;
	fact->row.key = str_of(key);
	fact->row.value = text_valid_utf8(facts->arena, str_of(value));
	*facts->tail = fact;
	facts->tail = &fact->next;
}
