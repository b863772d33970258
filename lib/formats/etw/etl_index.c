/*
 * etl_index.c - the first walk over an .etl file: where its buffers are, what kinds of
 * events it holds, and what must be known before the first switch is charged.
 *
 * That is: how many counters a switch carries and what they are called, from when on a
 * CPU's counters are wrong, when events were dropped, and the bases of the clock.  None
 * of it has its place at the front of the file.
 */
#include <stdlib.h>

#include "base/os.h"
#include "base/text.h"
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"

/* --- events that matter before all others --- */

static void add_segment(struct reader *reader, const struct etl_event *event,
			const struct etl_log_header *log)
{
	struct etl *etl = reader->state;
	struct etl_segment *segment;

	if (etl->segment_count >= ETL_SEGMENTS_MAX) {
		finding_say(&reader->findings, FINDING_FACT_LIMIT, event->offset,
			    "more than %u log-file headers in one file",
			    ETL_SEGMENTS_MAX);
		return;
	}
	segment = &etl->segments[etl->segment_count++];
	segment->ticks = event->ticks;
	segment->ticks_per_s = etl_log_ticks_per_s(log);
	segment->start_ns = 0;
	if (!etl->has_log)
		etl->log = *log;
	else if (log->start_time > etl->log.start_time &&
		 log->start_time - etl->log.start_time < INT64_MAX / 100)
		segment->start_ns =
			(int64_t)(log->start_time - etl->log.start_time) * 100;
	if (segment->ticks_per_s == 0)
		finding_say(&reader->findings, FINDING_BAD_SECTION, event->offset,
			    "the log-file header names no frequency for its clock (%u): "
			    "10 MHz assumed",
			    log->clock);
	etl->has_log = true;
}

/* Of the first header the texts must outlive the event. */
static void keep_texts(struct etl *etl)
{
	etl->log.logger = arena_str(&etl->arena, etl->log.logger);
	etl->log.file = arena_str(&etl->arena, etl->log.file);
}

static void take_log_header(struct reader *reader, const struct etl_event *event)
{
	struct etl *etl = reader->state;
	struct etl_log_header log;
	struct cursor c = event->payload;
	bool first = !etl->has_log;

	if (!etl_log_read(etl, &c, event->pointer_bytes, &log)) {
		finding_say(&reader->findings, FINDING_BAD_SECTION, event->offset,
			    "a log-file header that is too short");
		return;
	}
	add_segment(reader, event, &log);
	if (first && etl->has_log)
		keep_texts(etl);
}

static uint64_t hash_of_names(const struct str *names, uint32_t count)
{
	uint64_t hash = count + 1;

	for (uint32_t i = 0; i < count; i++) {
		for (size_t k = 0; k < names[i].len; k++)
			hash = (hash ^ (uint8_t)names[i].ptr[k]) *
			       UINT64_C(0x100000001b3);
		hash = (hash ^ 0xff) * UINT64_C(0x100000001b3);
	}
	return hash | 1;
}

static bool read_counter_names(struct reader *reader, const struct etl_event *event,
			       struct str *names, uint32_t *count)
{
	struct etl *etl = reader->state;
	struct cursor c = event->payload;

	*count = cursor_u32(&c);
	if (*count > ETL_PMCS_MAX)
		c.overrun = true;
	for (uint32_t i = 0; i < *count && !c.overrun; i++)
		names[i] = etl_utf16(etl, &c);
	if (c.overrun)
		finding_say(&reader->findings, FINDING_SHORT_RECORD, event->offset,
			    "PmcCounterConfig of %u counters (at most %u are possible), "
			    "or its names are cut off",
			    *count, ETL_PMCS_MAX);
	return !c.overrun;
}

/* The earliest list names the counters; in a wrapped file it need not come first. */
static void take_counter_names(struct reader *reader, const struct etl_event *event)
{
	struct etl *etl = reader->state;
	size_t segment = etl->segment_count ? etl->segment_count - 1 : 0;
	struct str names[ETL_PMCS_MAX];
	uint32_t count;
	uint64_t hash;

	if (!read_counter_names(reader, event, names, &count))
		return;
	hash = hash_of_names(names, count);
	if (!etl->segments[segment].list_hash)
		etl->segments[segment].list_hash = hash;
	if (etl->counters_named) {
		if (hash != etl->segments[etl->config_segment].list_hash)
			finding_add(&reader->findings, FINDING_OTHER_COUNTERS,
				    event->offset, 1);
		if (segment > etl->config_segment || event->ticks >= etl->config_ticks)
			return;
		etl->segments[segment].list_hash = hash;
	}
	etl->counters_named = true;
	etl->config_segment = segment;
	etl->config_ticks = event->ticks;
	etl->counter_count = count;
	for (uint32_t i = 0; i < count; i++)
		etl->counter_names[i] = arena_str(&etl->arena, names[i]);
}

static void take_corruption(struct reader *reader, const struct etl_event *event)
{
	struct etl *etl = reader->state;
	struct cursor c = event->payload;
	uint32_t cpu = cursor_u32(&c), count = cursor_u32(&c);

	for (uint32_t i = 0; i < count && !c.overrun; i++) {
		uint32_t source = cursor_u32(&c);
		uint64_t good = cursor_u64(&c);

		(void)source;
		if (!c.overrun && cpu < ETL_CPUS_MAX && good < etl->cpus[cpu].good_ticks)
			etl->cpus[cpu].good_ticks = good;
	}
	if (c.overrun)
		finding_add(&reader->findings, FINDING_SHORT_RECORD, event->offset, 1);
}

/* 0: never.  A time that is told again adds nothing. */
static void add_drop(struct reader *reader, uint32_t cpu, uint64_t ticks)
{
	struct etl *etl = reader->state;
	size_t room = etl->drop_room ? etl->drop_room * 2 : 64;

	if (ticks == 0 || ticks == etl->cpus[cpu].told_drop)
		return;
	etl->cpus[cpu].told_drop = ticks;
	if (etl->drop_count >= ETL_DROPS_MAX) {
		finding_add(&reader->findings, FINDING_FACT_LIMIT, ERROR_NO_OFFSET, 1);
		return;
	}
	if (etl->drop_count == etl->drop_room) {
		struct etl_drop *drops = realloc(etl->drops, room * sizeof(*drops));

		if (!drops)
			return;
		etl->drops = drops;
		etl->drop_room = room;
	}
	etl->drops[etl->drop_count++] = (struct etl_drop){ ticks, cpu };
}

/* The last time at which an event was dropped on each CPU. */
static void take_dropped(struct reader *reader, const struct etl_event *event)
{
	struct cursor c = event->payload;
	uint32_t count = cursor_u32(&c);

	cursor_skip(&c, 4);
	for (uint32_t cpu = 0; cpu < count && cpu < ETL_CPUS_MAX && !c.overrun; cpu++) {
		uint64_t ticks = cursor_u64(&c);

		if (!c.overrun)
			add_drop(reader, cpu, ticks);
	}
}

/* SystemConfig, CPU: where the machine's name is. */
static void take_machine(struct reader *reader, const struct etl_event *event)
{
	struct etl *etl = reader->state;
	struct cursor c = event->payload;
	uint32_t mhz = cursor_u32(&c), cpus = cursor_u32(&c), memory = cursor_u32(&c);
	const uint8_t *name;
	size_t units = 0;
	uint16_t architecture;

	cursor_skip(&c, 8); /* page size, granularity */
	name = cursor_bytes(&c, 512);
	cursor_skip(&c, 268); /* domain */
	if (c.overrun || etl->trace.host.ptr)
		return;
	/* Version 2 ends behind the first of two pointers. */
	etl_pointer(&c, event->pointer_bytes);
	etl_pointer(&c, event->pointer_bytes);
	architecture = cursor_u16(&c);
	while (units < 256 && (name[2 * units] || name[2 * units + 1]))
		units++;
	etl->trace.host = arena_str(&etl->arena, etl_utf16_units(etl, name, units));
	etl->trace.arch = c.overrun	       ? STR_NONE
			  : architecture == 9  ? STR("x86_64")
			  : architecture == 12 ? STR("arm64")
			  : architecture == 0  ? STR("i386")
			  : architecture == 5  ? STR("arm")
					       : STR_NONE;
	etl_fact(etl, "CPU_MHZ", "%u", mhz);
	etl_fact(etl, "CPUS", "%u", cpus);
	etl_fact(etl, "MEMORY_MIB", "%u", memory);
}

static void take_build(struct etl *etl, const struct etl_event *event)
{
	struct cursor c = event->payload;
	struct str build = etl_utf16(etl, &c);

	if (c.overrun || etl->has_build)
		return;
	etl->has_build = true;
	etl_fact(etl, "BUILD_LAB", "%.*s", (int)(build.len < 512 ? build.len : 512),
		 build.ptr);
}

static void take_switch(struct etl *etl, const struct etl_event *event)
{
	etl->has_switches = true;
	etl->switches_with[event->pmc_count]++;
}

/*
 * How many counters a switch has: as many as the list names, if any switch has so many;
 * else as most of them have, and the names are not theirs.
 */
static void settle_counters(struct reader *reader)
{
	struct etl *etl = reader->state;
	size_t most = 0;

	for (size_t n = 1; n <= ETL_PMCS_MAX; n++)
		if (etl->switches_with[n] > (most ? etl->switches_with[most] : 0))
			most = n;
	for (size_t i = 0; i < etl->segment_count; i++)
		etl->segments[i].other_counters =
			etl->counters_named && etl->segments[i].list_hash &&
			etl->segments[i].list_hash !=
				etl->segments[etl->config_segment].list_hash;
	if (most == 0 || (etl->counters_named && etl->counter_count &&
			  etl->switches_with[etl->counter_count]))
		return;
	if (etl->counters_named)
		finding_say(&reader->findings, FINDING_OTHER_COUNTERS, ERROR_NO_OFFSET,
			    "a list of %zu counters, and switches with %zu: they have "
			    "other names",
			    etl->counter_count, most);
	etl->counter_count = most;
	memset(etl->counter_names, 0, sizeof(etl->counter_names));
}

static void look_at_event(struct reader *reader, const struct etl_event *event)
{
	struct etl *etl = reader->state;

	if (etl->consumer->is_mine(event)) {
		etl->consumer->learn(reader, event);
		return;
	}
	if (event->has_pebs)
		finding_add(&reader->findings, FINDING_PEBS_INDEX, event->offset, 1);
	if (event->odd_bits)
		finding_say(&reader->findings, FINDING_HEADER_BITS, event->offset,
			    "unknown bits in the version of a kernel event's header");
	if (!event->is_kernel || event->odd_bits)
		return;
	switch (event->group << 8 | event->opcode) {
	case ETL_LOG_HEADER:
		if (event->header == ETL_SYSTEM)
			take_log_header(reader, event);
		break;
	case ETL_BUILD_LAB:
		take_build(etl, event);
		break;
	case ETL_LAST_DROPPED:
		take_dropped(reader, event);
		break;
	case ETL_CONFIG_CPU:
		take_machine(reader, event);
		break;
	case ETL_PMC_CONFIG:
		take_counter_names(reader, event);
		break;
	case ETL_PMC_CORRUPTION:
		take_corruption(reader, event);
		break;
	case ETL_CSWITCH:
		take_switch(etl, event);
		break;
	case ETL_CSWITCH_BATCH:
		finding_add(&reader->findings, FINDING_BATCHED, event->offset, 1);
		break;
	default:
		break;
	}
	etl->text_used = 0;
}

/* --- buffers --- */

static bool add_place(struct reader *reader, const struct etl_place *place)
{
	struct etl *etl = reader->state;

	if (etl->place_count == etl->place_room) {
		size_t room = etl->place_room ? etl->place_room * 2 : 256;
		struct etl_place *places = realloc(etl->places, room * sizeof(*places));

		if (!places)
			return false;
		etl->places = places;
		etl->place_room = room;
	}
	etl->places[etl->place_count++] = *place;
	return true;
}

/* Every event of a block is counted. */
static void walk_block(struct reader *reader, const struct etl_block *block,
		       struct etl_place *place)
{
	struct etl *etl = reader->state;
	struct cursor c = cursor_over(block->events, block->size, block->offset, false);
	struct etl_event event;
	enum etl_walk walk;
	bool timed = false, any = false;

	for (;;) {
		const uint8_t *at;
		struct etl_kind *kind;

		while (timed && etl_kind_skip(etl, &c))
			;
		at = c.pos;
		walk = etl_event_read(&c, &event);
		if (walk != ETL_WALK_EVENT)
			break;
		if (block->compressed)
			event.offset = block->offset;
		any = true;
		kind = etl_kind_count(etl, &event);
		look_at_event(reader, &event);
		if (kind)
			etl_kind_remember(etl, at, &event, kind);
		if (event.has_ticks && !timed) {
			place->first_ticks = event.ticks;
			timed = true;
		}
	}
	if (!any) /* it need not be unpacked again */
		place->events_bytes = 0;
	place->is_whole = block->is_whole && walk != ETL_WALK_BAD;
	if (walk == ETL_WALK_BAD)
		finding_gap(&reader->findings, FINDING_BAD_RECORD,
			    block->compressed ? block->offset : c.offset,
			    block->offset + block->size,
			    "bytes that are no event: the rest of the buffer is skipped");
}

/* The bytes of the buffer at whose header the input stands; NULL: see *status. */
static const uint8_t *whole_buffer(struct reader *reader, uint32_t size,
				   struct etl_block *block, enum status *status)
{
	uint8_t *raw;

	if (size <= INPUT_BUFFER_BYTES) {
		const uint8_t *at = input_peek(&reader->input, size);

		*status = at				 ? ST_OK
			  : reader->error.status < ST_OK ? reader->error.status
							 : ST_TRUNCATED;
		return at;
	}
	raw = realloc(block->raw, size);
	*status = raw ? input_read_at(&reader->input, reader->input.offset, raw, size)
		      : ST_NOMEM;
	if (raw) {
		block->raw = raw;
		block->raw_room = size;
	}
	return *status == ST_OK ? raw : NULL;
}

/* What the second walk holds of such a buffer. */
static size_t held_bytes(const struct etl_block *block,
			 const struct etl_buffer_header *header)
{
	if (block->compressed)
		return header->size + block->unpacked_room;
	return header->size < ETL_WINDOW_BYTES ? header->size : ETL_WINDOW_BYTES;
}

static enum status take_buffer(struct reader *reader,
			       const struct etl_buffer_header *header,
			       struct etl_block *block)
{
	struct etl *etl = reader->state;
	struct etl_place place = {
		.offset = reader->input.offset,
		.sequence = header->sequence,
		.size = header->size,
		.cpu = (uint16_t)header->cpu,
		.flags = header->flags,
	};
	enum status status;
	const uint8_t *buffer = whole_buffer(reader, header->size, block, &status);

	if (buffer)
		status = etl_block_open(buffer, place.offset, header, block,
					&reader->findings);
	if (status != ST_OK)
		return status;
	place.events_bytes = (uint32_t)block->size;
	if (block->compressed)
		etl->is_compressed = true;
	walk_block(reader, block, &place);
	/* A log-file header begins a segment with the buffer it stands in. */
	place.segment = (uint16_t)(etl->segment_count ? etl->segment_count - 1 : 0);
	if (held_bytes(block, header) > etl->largest)
		etl->largest = held_bytes(block, header);
	if (!add_place(reader, &place))
		return ST_NOMEM;
	return input_skip(&reader->input, header->size);
}

/* Buffers of a file that is not compressed are mostly all of one size; 0: not known. */
static uint64_t stride_of(const struct etl *etl)
{
	uint64_t stride = etl->log.buffer_bytes;

	return etl->has_log && !etl->is_compressed && stride >= ETL_BUFFER_HEADER_BYTES &&
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
	header = etl_buffer_header(bytes);
	return etl_buffer_is_plausible(&header) &&
	       header.filled <= ETL_BUFFER_BYTES_MAX &&
	       header.filled >= ETL_BUFFER_HEADER_BYTES && header.flags < 0x100 &&
	       header.type < 16;
}

/* One whose size leads to another; where all are of one size, that one needs no proof. */
static bool is_buffer(struct reader *reader, const struct etl_buffer_header *header)
{
	uint64_t left = reader->input.size - reader->input.offset;
	uint64_t stride = stride_of(reader->state);

	if (!etl_buffer_is_plausible(header) || header->size > left)
		return false;
	return header->size == stride || !stride ||
	       (header->flags & ETL_BUFFER_COMPRESSED) ||
	       !is_buffer_at(reader, reader->input.offset + stride) ||
	       is_buffer_at(reader, reader->input.offset + header->size);
}

/* A header that cannot be one: the next buffer is found by the size that all have. */
static bool step_over(struct reader *reader)
{
	struct input *in = &reader->input;
	uint64_t stride = stride_of(reader->state), from = in->offset;

	if (stride == 0 || stride > in->size - from)
		return false;
	finding_gap(&reader->findings, FINDING_BAD_RECORD, from, from + stride,
		    "a buffer whose header is damaged");
	return input_skip(in, stride) == ST_OK;
}

static void tell_end(struct reader *reader, const char *what)
{
	finding_gap(&reader->findings, FINDING_TRUNCATED, reader->input.offset,
		    reader->input.size, "%s", what);
}

static enum status walk_file(struct reader *reader, struct etl_block *block)
{
	const struct etl *etl = reader->state;
	struct input *in = &reader->input;
	enum status status = ST_OK;

	while (status == ST_OK && in->offset < in->size) {
		const uint8_t *head = input_peek(in, ETL_BUFFER_HEADER_BYTES);
		struct etl_buffer_header header;

		if (os_interrupted()) /* thousands of them may be in what is buffered */
			error_set(&reader->error, ST_INTERRUPTED, ERROR_NO_OFFSET,
				  "interrupted");
		if (reader->error.status < ST_OK)
			return reader->error.status;
		if (etl->place_count >= ETL_BUFFERS_MAX) {
			tell_end(reader, "more buffers than are read of one file");
			return ST_OK;
		}
		if (head)
			header = etl_buffer_header(head);
		if (head && is_buffer(reader, &header)) {
			status = take_buffer(reader, &header, block);
		} else if (!head || !step_over(reader)) {
			tell_end(reader, "a buffer that does not end within the file, or "
					 "is none");
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

static int by_cpu_and_time(const void *left, const void *right)
{
	const struct etl_drop *a = left, *b = right;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

static void sort_drops(struct etl *etl)
{
	if (etl->drop_count == 0)
		return;
	qsort(etl->drops, etl->drop_count, sizeof(*etl->drops), by_cpu_and_time);
	for (size_t i = 0; i < etl->drop_count; i++) {
		struct etl_cpu *cpu = &etl->cpus[etl->drops[i].cpu];

		if (cpu->end_drop == 0)
			cpu->next_drop = i;
		cpu->end_drop = i + 1;
	}
}

enum status etl_index(struct reader *reader)
{
	struct etl *etl = reader->state;
	struct etl_block block = { .raw = NULL };
	enum status status;

	etl->cpus = calloc(ETL_CPUS_MAX, sizeof(*etl->cpus));
	if (!etl->cpus)
		return error_nomem(&reader->error);
	for (size_t i = 0; i < ETL_CPUS_MAX; i++)
		etl->cpus[i].good_ticks = UINT64_MAX;
	status = walk_file(reader, &block);
	etl_block_release(&block);
	if (status == ST_NOMEM)
		return error_nomem(&reader->error);
	if (status != ST_OK)
		return status;
	etl->consumer->end_learning(reader);
	sort_drops(etl);
	settle_counters(reader);
	if (!etl->has_log) {
		finding_say(&reader->findings, FINDING_BAD_SECTION, 0,
			    "no log-file header: its clock is taken for one of 10 MHz");
		etl->segment_count = 1;
		etl->segments[0].ticks =
			etl->place_count ? etl->places[0].first_ticks : 0;
	}
	return ST_OK;
}
