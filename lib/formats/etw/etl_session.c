/*
 * etl_session.c - what a session says of itself, anywhere in the file, and what must be
 * known before the first switch is charged.
 *
 * That is: how many counters a switch carries and what they are called, from when on a
 * CPU's counters are wrong, when events were dropped, the bases of the clock, the
 * machine.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"

static void add_segment(struct etl_index *index, const struct etl_event *event,
			const struct etl_log_header *log)
{
	struct etl_segment *segment;

	if (index->segment_count >= ETL_SEGMENTS_MAX) {
		finding_report(index->findings, FINDING_FACT_LIMIT, event->offset,
			       "more than %u log-file headers in one file",
			       ETL_SEGMENTS_MAX);
		return;
	}
	segment = &index->segments[index->segment_count++];
	segment->ticks = event->ticks;
	segment->ticks_per_s = etl_ticks_per_s(log);
	segment->start_ns = 0;
	if (!index->has_log)
		index->log = *log;
	else if (log->start_time > index->log.start_time &&
		 log->start_time - index->log.start_time < INT64_MAX / 100)
		segment->start_ns =
			(int64_t)(log->start_time - index->log.start_time) * 100;
	if (segment->ticks_per_s == 0)
		finding_report(index->findings, FINDING_BAD_SECTION, event->offset,
			       "the log-file header has no frequency for its clock (%u): "
			       "10 MHz assumed",
			       log->clock);
	index->has_log = true;
}

/* Of the first header the texts must outlive the event. */
static void copy_texts(struct etl_index *index)
{
	index->log.logger = arena_str(index->arena, index->log.logger);
	index->log.file = arena_str(index->arena, index->log.file);
}

static void on_log_header(struct etl_index *index, const struct etl_event *event)
{
	struct etl_log_header log;
	struct cursor c = event->payload;
	bool first = !index->has_log;

	if (!etl_decode_log_header(index->texts, &c, event->pointer_bytes, &log)) {
		finding_report(index->findings, FINDING_BAD_SECTION, event->offset,
			       "a log-file header that is too short");
		return;
	}
	add_segment(index, event, &log);
	if (first && index->has_log)
		copy_texts(index);
}

static uint64_t hash_of_names(const struct str *names, uint32_t count)
{
	uint64_t hash = count + 1;

	for (uint32_t i = 0; i < count; i++)
		hash = map_hash_text(hash ^ names[i].len, names[i]);
	return hash | 1;
}

static bool decode_counter_names(struct etl_index *index, const struct etl_event *event,
				 struct str *names, uint32_t *count)
{
	struct cursor c = event->payload;

	*count = cursor_u32(&c);
	if (*count > ETL_PMCS_MAX)
		c.overrun = true;
	for (uint32_t i = 0; i < *count && !c.overrun; i++)
		names[i] = etl_utf16(index->texts, &c);
	if (c.overrun)
		finding_report(index->findings, FINDING_SHORT_RECORD, event->offset,
			       "PmcCounterConfig of %u counters, expected at most %u, "
			       "or with names that are cut off",
			       *count, ETL_PMCS_MAX);
	return !c.overrun;
}

/* The earliest list names the counters; in a wrapped file it need not come first. */
static void on_counter_names(struct etl_index *index, const struct etl_event *event)
{
	size_t segment = index->segment_count ? index->segment_count - 1 : 0;
	struct str names[ETL_PMCS_MAX];
	uint32_t count;
	uint64_t hash;

	if (!decode_counter_names(index, event, names, &count))
		return;
	hash = hash_of_names(names, count);
	if (!index->segments[segment].list_hash)
		index->segments[segment].list_hash = hash;
	if (index->counters_named) {
		if (hash != index->segments[index->config_segment].list_hash)
			finding_add(index->findings, FINDING_OTHER_COUNTERS,
				    event->offset, 1);
		if (segment > index->config_segment ||
		    event->ticks >= index->config_ticks)
			return;
		index->segments[segment].list_hash = hash;
	}
	index->counters_named = true;
	index->config_segment = segment;
	index->config_ticks = event->ticks;
	index->counter_count = count;
	for (uint32_t i = 0; i < count; i++)
		index->counter_names[i] = arena_str(index->arena, names[i]);
}

static void on_corruption(struct etl_index *index, const struct etl_event *event)
{
	struct cursor c = event->payload;
	uint32_t cpu = cursor_u32(&c), count = cursor_u32(&c);

	for (uint32_t i = 0; i < count && !c.overrun; i++) {
		uint32_t source = cursor_u32(&c);
		uint64_t good = cursor_u64(&c);

		(void)source;
		if (!c.overrun && cpu < ETL_CPUS_MAX &&
		    (!index->cpus[cpu].is_wrong || good < index->cpus[cpu].good_ticks)) {
			index->cpus[cpu].is_wrong = true;
			index->cpus[cpu].good_ticks = good;
		}
	}
	if (c.overrun)
		finding_add(index->findings, FINDING_SHORT_RECORD, event->offset, 1);
}

/* 0: never.  A time that is repeated adds nothing.  False: out of memory. */
static bool add_drop(struct etl_index *index, uint32_t cpu, uint64_t ticks)
{
	if (ticks == 0 || ticks == index->cpus[cpu].last_drop)
		return true;
	index->cpus[cpu].last_drop = ticks;
	if (index->drop_count >= ETL_DROPS_MAX) {
		finding_add(index->findings, FINDING_FACT_LIMIT, ERROR_NO_OFFSET, 1);
		return true;
	}
	if (!ARRAY_GROW(index->drops, index->drop_room, index->drop_count))
		return false;
	index->drops[index->drop_count++] = (struct etl_drop){
		.ticks = ticks,
		.cpu = cpu,
		.segment =
			(uint16_t)(index->segment_count ? index->segment_count - 1 : 0),
	};
	return true;
}

/* The last time at which an event was dropped on each CPU.  False: out of memory. */
static bool on_dropped(struct etl_index *index, const struct etl_event *event)
{
	struct cursor c = event->payload;
	uint32_t count = cursor_u32(&c);

	cursor_skip(&c, 4);
	for (uint32_t cpu = 0; cpu < count && cpu < ETL_CPUS_MAX && !c.overrun; cpu++) {
		uint64_t ticks = cursor_u64(&c);

		if (!c.overrun && !add_drop(index, cpu, ticks))
			return false;
	}
	return true;
}

/* SystemConfig, CPU: where the machine's name is. */
static void on_machine(struct etl_index *index, const struct etl_event *event)
{
	struct cursor c = event->payload;
	uint32_t mhz = cursor_u32(&c), cpus = cursor_u32(&c), memory = cursor_u32(&c);
	const uint8_t *name;
	size_t units = 0;
	uint16_t architecture;

	cursor_skip(&c, 8); /* page size, granularity */
	name = cursor_bytes(&c, 512);
	cursor_skip(&c, 268); /* domain */
	if (c.overrun || index->host.ptr)
		return;
	/* Version 2 ends after the first of two pointers. */
	etl_pointer(&c, event->pointer_bytes);
	etl_pointer(&c, event->pointer_bytes);
	architecture = cursor_u16(&c);
	while (units < 256 && (name[2 * units] || name[2 * units + 1]))
		units++;
	index->host = arena_str(index->arena, etl_utf16_units(index->texts, name, units));
	index->arch = c.overrun		   ? STR_NONE
		      : architecture == 9  ? STR("x86_64")
		      : architecture == 12 ? STR("arm64")
		      : architecture == 0  ? STR("i386")
		      : architecture == 5  ? STR("arm")
					   : STR_NONE;
	etl_fact(&index->facts, "CPU_MHZ", "%u", mhz);
	etl_fact(&index->facts, "CPUS", "%u", cpus);
	etl_fact(&index->facts, "MEMORY_MIB", "%u", memory);
}

static void on_build(struct etl_index *index, const struct etl_event *event)
{
	struct cursor c = event->payload;
	struct str build = etl_utf16(index->texts, &c);

	if (c.overrun || index->has_build)
		return;
	index->has_build = true;
	etl_fact(&index->facts, "BUILD_LAB", "%.*s",
		 (int)(build.len < 512 ? build.len : 512), build.ptr);
}

static void count_switch(struct etl_index *index, const struct etl_event *event)
{
	index->has_switches = true;
	index->kinds.switches_with[event->pmc_count]++;
}

/*
 * Recorders note name and interval of a source after they have begun: samples before the
 * note have them as well.  Where the interval was changed the event has the one before.
 */
static void on_interval(struct etl_index *index, const struct etl_event *event)
{
	bool is_change = event->opcode == (ETL_INTERVAL_SET & 0xff);
	size_t segment = index->segment_count;
	struct etl_source *source;
	struct cursor c = event->payload;
	struct etw_interval_row row;
	int64_t interval;

	etl_decode_interval(index->texts, event, &row, &c);
	interval = is_change ? row.old_interval : row.new_interval;
	if (c.overrun || row.source >= ETL_SOURCES)
		return;
	source = &index->sources[row.source];
	if (!source->name.ptr && row.name.len)
		source->name = arena_str(index->arena, row.name);
	if (!interval) /* there was none before */
		return;
	if (source->interval == INT_NONE ||
	    (segment == source->segment && event->ticks < source->ticks)) {
		source->interval = interval;
		source->ticks = event->ticks;
		source->segment = segment;
	}
}

bool etl_session_event(struct etl_index *index, const struct etl_event *event)
{
	bool good = true;

	if (event->has_pebs)
		finding_add(index->findings, FINDING_PEBS_INDEX, event->offset, 1);
	if (event->odd_bits)
		finding_report(index->findings, FINDING_HEADER_BITS, event->offset,
			       "unknown bits in the version of a kernel event's header");
	if (!event->is_kernel || event->odd_bits)
		return true;
	switch (event->group << 8 | event->opcode) {
	case ETL_LOG_HEADER:
		if (event->header == ETL_SYSTEM)
			on_log_header(index, event);
		break;
	case ETL_BUILD_LAB:
		on_build(index, event);
		break;
	case ETL_LAST_DROPPED:
		good = on_dropped(index, event);
		break;
	case ETL_CONFIG_CPU:
		on_machine(index, event);
		break;
	case ETL_PMC_CONFIG:
		on_counter_names(index, event);
		break;
	case ETL_PMC_CORRUPTION:
		on_corruption(index, event);
		break;
	case ETL_INTERVAL_SET:
	case ETL_INTERVAL_DC_START:
	case ETL_INTERVAL_DC_END:
		on_interval(index, event);
		break;
	case ETL_CSWITCH:
		count_switch(index, event);
		break;
	case ETL_CSWITCH_BATCH:
		finding_add(index->findings, FINDING_BATCHED, event->offset, 1);
		break;
	default:
		break;
	}
	index->texts->used = 0;
	return good;
}

/* --- at the end of the walk --- */

/*
 * How many counters a switch has: as many as the list names, if any switch has so many;
 * else as most of them have, and the names are not theirs.
 */
static void settle_counters(struct etl_index *index)
{
	size_t most = 0;

	for (size_t n = 1; n <= ETL_PMCS_MAX; n++)
		if (index->kinds.switches_with[n] >
		    (most ? index->kinds.switches_with[most] : 0))
			most = n;
	for (size_t i = 0; i < index->segment_count; i++)
		index->segments[i].other_counters =
			index->counters_named && index->segments[i].list_hash &&
			index->segments[i].list_hash !=
				index->segments[index->config_segment].list_hash;
	if (most == 0 || (index->counters_named && index->counter_count &&
			  index->kinds.switches_with[index->counter_count]))
		return;
	if (index->counters_named)
		finding_report(index->findings, FINDING_OTHER_COUNTERS, ERROR_NO_OFFSET,
			       "a list of %zu counters, but switches with %zu: the list "
			       "is not used",
			       index->counter_count, most);
	index->counter_count = most;
	memset(index->counter_names, 0, sizeof(index->counter_names));
}

static int by_cpu_and_time(const void *left, const void *right)
{
	const struct etl_drop *a = left, *b = right;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

static void sort_drops(struct etl_index *index)
{
	if (index->drop_count == 0)
		return;
	qsort(index->drops, index->drop_count, sizeof(*index->drops), by_cpu_and_time);
	for (size_t i = 0; i < index->drop_count; i++) {
		struct etl_cpu *cpu = &index->cpus[index->drops[i].cpu];

		if (cpu->end_drop == 0)
			cpu->next_drop = i;
		cpu->end_drop = i + 1;
	}
}

void etl_session_end(struct etl_index *index)
{
	sort_drops(index);
	settle_counters(index);
}
