/* write_parts.c - encodes attributes, header features and synthesized records. */
#include "formats/perf/write_parts.h"

#include <stdio.h>
#include <string.h>

#include "formats/perf/layout.h"

#define STRING_UNIT 64 /* perf pads texts to this, and counts the padding */
#define ATTR_BYTES_OLD 112
#define ID_INDEX_MAX 1024 /* entries of one ID_INDEX record */
#define ATTR_SIZE_AT 4	  /* in an attribute */

/* --- records of our own --- */

static void write_own(struct bytes *to, uint64_t mark, const uint32_t numbers[2],
		      const uint64_t *time_ns, struct str text)
{
	size_t start = perf_begin_record(to, PERF_RECORD_HEADER_EVENT_TYPE), at;

	bytes_u64(to, mark);
	bytes_u32(to, numbers[0]);
	bytes_u32(to, numbers[1]);
	if (time_ns)
		bytes_u64(to, *time_ns);
	at = to->size;
	bytes_put(to, text.ptr, text.len);
	bytes_pad(to, at, 8);
	(void)perf_end_record(to, start);
}

void perf_write_command_line(struct bytes *to, uint32_t pid, uint64_t time_ns,
			     struct str words)
{
	const uint32_t numbers[] = { pid, (uint32_t)words.len };

	write_own(to, PERF_OWN_COMMAND, numbers, &time_ns, words);
}

void perf_write_followed_cgroup(struct bytes *to, struct str path)
{
	const uint32_t numbers[] = { (uint32_t)path.len, 0 };

	write_own(to, PERF_OWN_CGROUP, numbers, NULL, path);
}

/* --- attributes and ids --- */

uint32_t perf_write_attr_bytes(const struct perf_write_facts *facts)
{
	for (size_t i = 0; i < facts->event_count; i++) {
		const uint8_t *attr = facts->events[i].attr;

		for (size_t k = ATTR_BYTES_OLD; k < facts->events[i].attr_bytes; k++)
			if (attr[k])
				return (uint32_t)facts->events[i].attr_bytes;
	}
	return ATTR_BYTES_OLD;
}

void perf_write_attr(struct bytes *to, const struct perf_write_facts *facts, size_t event)
{
	uint32_t size = perf_write_attr_bytes(facts);
	uint8_t *attr = bytes_extend(to, size);

	if (!attr)
		return;
	memcpy(attr, facts->events[event].attr, size);
	memcpy(attr + ATTR_SIZE_AT, &size, sizeof(size));
}

void perf_write_ids(struct bytes *to, const struct perf_write_event *event)
{
	for (size_t i = 0; i < event->id_count; i++)
		bytes_u64(to, event->ids[i].id);
}

/* --- header features --- */

static void write_string(struct bytes *to, const char *text)
{
	size_t start;

	bytes_u32(to,
		  (uint32_t)((strlen(text) + STRING_UNIT) / STRING_UNIT * STRING_UNIT));
	start = to->size;
	bytes_text(to, text);
	bytes_pad(to, start, STRING_UNIT);
}

static bool write_text(struct bytes *to, const char *text)
{
	if (text[0])
		write_string(to, text);
	return text[0] != '\0';
}

static void write_command(struct bytes *to, char *const *words)
{
	uint32_t count = 0;

	while (words[count])
		count++;
	bytes_u32(to, count);
	for (uint32_t i = 0; i < count; i++)
		write_string(to, words[i]);
}

static void write_event_names(struct bytes *to, const struct perf_write_facts *facts)
{
	bytes_u32(to, (uint32_t)facts->event_count);
	bytes_u32(to, perf_write_attr_bytes(facts));
	for (size_t i = 0; i < facts->event_count; i++) {
		perf_write_attr(to, facts, i);
		bytes_u32(to, (uint32_t)facts->events[i].id_count);
		write_string(to, facts->events[i].name);
		perf_write_ids(to, &facts->events[i]);
	}
}

static void write_groups(struct bytes *to, const struct perf_write_facts *facts)
{
	bytes_u32(to, (uint32_t)facts->group_count);
	for (size_t g = 0; g < facts->group_count; g++) {
		write_string(to, "{anon_group}"); /* as perf calls those without a name */
		bytes_u32(to, (uint32_t)facts->groups[g].first);
		bytes_u32(to, (uint32_t)facts->groups[g].count);
	}
}

static bool write_pmus(struct bytes *to, const struct perf_write_facts *facts)
{
	bytes_u32(to, (uint32_t)facts->pmu_count);
	for (size_t i = 0; i < facts->pmu_count; i++) {
		bytes_u32(to, facts->pmus[i].type);
		write_string(to, facts->pmus[i].name);
	}
	return facts->pmu_count > 0;
}

static bool write_recorder(struct bytes *to, const struct perf_write_facts *facts)
{
	char text[256];

	snprintf(text, sizeof(text), "%s%s", facts->recorder,
		 facts->unfinished ? PERF_UNFINISHED : "");
	return write_text(to, text);
}

static bool write_numbers(struct bytes *to, bool known, uint64_t first, uint64_t second)
{
	if (known) {
		bytes_u64(to, first);
		bytes_u64(to, second);
	}
	return known;
}

/* version, type, level, ratio, longest piece once it is unpacked. */
static bool write_compression(struct bytes *to, const struct perf_write_facts *facts)
{
	if (!facts->compression_level)
		return false;
	bytes_u32(to, 1);
	bytes_u32(to, PERF_COMPRESSED_ZSTD);
	bytes_u32(to, facts->compression_level);
	bytes_u32(to, facts->packed);
	bytes_u32(to, facts->unpacked_mib << 20);
	return true;
}

/* version, clock, wall clock and that clock at the same moment. */
static bool write_clock(struct bytes *to, const struct perf_write_facts *facts)
{
	if (!facts->has_clock)
		return false;
	bytes_u32(to, 1);
	bytes_u32(to, 1); /* CLOCK_MONOTONIC */
	bytes_u64(to, facts->wall_ns);
	bytes_u64(to, facts->clock_ns);
	return true;
}

bool perf_write_feature(struct bytes *to, unsigned int feature,
			const struct perf_write_facts *facts)
{
	switch (feature) {
	case FEATURE_TRACING_DATA:
		bytes_put(to, facts->tracing_data.ptr, facts->tracing_data.len);
		return facts->tracing_data.len > 0;
	case FEATURE_HOSTNAME:
		return write_text(to, facts->host);
	case FEATURE_OSRELEASE:
		return write_text(to, facts->os_release);
	case FEATURE_VERSION:
		return write_recorder(to, facts);
	case FEATURE_ARCH:
		return write_text(to, facts->arch);
	case FEATURE_NRCPUS:
		bytes_u32(to, facts->cpus_available);
		bytes_u32(to, facts->cpus_online);
		return true;
	case FEATURE_CPUDESC:
		return write_text(to, facts->cpu_model);
	case FEATURE_CPUID:
		return write_text(to, facts->cpu_id);
	case FEATURE_TOTAL_MEM:
		bytes_u64(to, facts->memory_kb);
		return true;
	case FEATURE_CMDLINE:
		write_command(to, facts->command);
		return true;
	case FEATURE_EVENT_DESC:
		write_event_names(to, facts);
		return true;
	case FEATURE_PMU_MAPPINGS:
		return write_pmus(to, facts);
	case FEATURE_GROUP_DESC:
		write_groups(to, facts);
		return true;
	case FEATURE_SAMPLE_TIME:
		return write_numbers(to, facts->last_ns != 0, facts->first_ns,
				     facts->last_ns);
	case FEATURE_CLOCKID:
		if (facts->has_clock)
			bytes_u64(to, facts->clock_resolution_ns);
		return facts->has_clock;
	case FEATURE_COMPRESSED:
		return write_compression(to, facts);
	case FEATURE_CLOCK_DATA:
		return write_clock(to, facts);
	default:
		return false;
	}
}

/* --- records --- */

size_t perf_begin_record(struct bytes *to, uint32_t type)
{
	size_t start = to->size;

	bytes_u32(to, type);
	bytes_u32(to, 0); /* misc, and the size when it is known */
	return start;
}

bool perf_end_record(struct bytes *to, size_t start)
{
	uint16_t size;

	bytes_pad(to, start, 8);
	if (to->failed || to->size - start > PERF_RECORD_BYTES_MAX) {
		to->size = to->failed ? to->size : start;
		return false;
	}
	size = (uint16_t)(to->size - start);
	memcpy(to->data + start + 6, &size, sizeof(size));
	return true;
}

void perf_write_attr_records(struct bytes *to, const struct perf_write_facts *facts)
{
	for (size_t i = 0; i < facts->event_count; i++) {
		size_t start = perf_begin_record(to, PERF_RECORD_HEADER_ATTR);

		perf_write_attr(to, facts, i);
		perf_write_ids(to, &facts->events[i]);
		(void)perf_end_record(to, start);
	}
}

static void write_update(struct bytes *to, const struct perf_write_event *event,
			 enum perf_update type, const void *data, size_t bytes)
{
	size_t start = perf_begin_record(to, PERF_RECORD_EVENT_UPDATE);

	bytes_u64(to, type);
	bytes_u64(to, event->id_count ? event->ids[0].id : 0);
	bytes_put(to, data, bytes);
	(void)perf_end_record(to, start);
}

static void write_names(struct bytes *to, const struct perf_write_facts *facts)
{
	for (size_t i = 0; i < facts->event_count; i++)
		write_update(to, &facts->events[i], UPDATE_NAME, facts->events[i].name,
			     strlen(facts->events[i].name) + 1);
}

void perf_write_units(struct bytes *to, const struct perf_write_facts *facts)
{
	for (size_t i = 0; i < facts->event_count; i++) {
		const struct perf_write_event *event = &facts->events[i];

		if (event->unit)
			write_update(to, event, UPDATE_UNIT, event->unit,
				     strlen(event->unit) + 1);
		if (event->scale < 1 || event->scale > 1)
			write_update(to, event, UPDATE_SCALE, &event->scale,
				     sizeof(event->scale));
	}
}

/*
 * The payload follows its record and is padded; the record of 12 bytes is not, because
 * perf reads the payload right after it.
 */
static struct perf_write_section write_tracing_data(struct bytes *to, struct str data)
{
	static const uint16_t misc_and_size[] = { 0, PERF_RECORD_HEADER_BYTES + 4 };
	size_t start;

	if (data.len == 0)
		return (struct perf_write_section){ 0, 0 };
	bytes_u32(to, PERF_RECORD_TRACING_DATA);
	bytes_put(to, misc_and_size, sizeof(misc_and_size));
	bytes_u32(to, (uint32_t)((data.len + 7) / 8 * 8));
	start = to->size;
	bytes_put(to, data.ptr, data.len);
	bytes_pad(to, start, 8);
	return (struct perf_write_section){ start, data.len };
}

/* One feature as a record; one that is too long is left out. */
static struct perf_write_section write_feature_record(
	struct bytes *to, unsigned int feature, const struct perf_write_facts *facts)
{
	size_t start = perf_begin_record(to, PERF_RECORD_HEADER_FEATURE), content;
	struct perf_write_section section = { 0, 0 };

	bytes_u64(to, feature);
	content = to->size;
	if (!perf_write_feature(to, feature, facts)) {
		to->size = to->failed ? to->size : start;
		return section;
	}
	section = (struct perf_write_section){ content, to->size - content };
	if (!perf_end_record(to, start))
		section.size = 0;
	return section;
}

void perf_write_description(struct bytes *to, const struct perf_write_facts *facts,
			    struct perf_write_section *sections)
{
	struct perf_write_section unused[PERF_WRITE_FEATURES];

	sections = sections ? sections : unused;
	sections[0].size = 0;
	for (unsigned int i = FEATURE_TRACING_DATA + 1; i < PERF_WRITE_FEATURES; i++)
		sections[i] = write_feature_record(to, i, facts);
	write_names(to, facts);
	sections[FEATURE_TRACING_DATA] = write_tracing_data(to, facts->tracing_data);
}

/* nr, then id, index of the event, CPU and task of each. */
void perf_write_id_index(struct bytes *to, const struct perf_write_facts *facts)
{
	uint64_t count = 0;
	size_t start = 0;

	for (size_t i = 0; i < facts->event_count; i++)
		for (size_t k = 0; k < facts->events[i].id_count; k++) {
			const struct perf_write_id *id = &facts->events[i].ids[k];

			if (count == 0) {
				start = perf_begin_record(to, PERF_RECORD_ID_INDEX);
				bytes_u64(to, 0);
			}
			bytes_u64(to, id->id);
			bytes_u64(to, i);
			bytes_u64(to, (uint64_t)id->cpu);
			bytes_u64(to, (uint64_t)id->task);
			count++;
			if (!to->failed)
				memcpy(to->data + start + PERF_RECORD_HEADER_BYTES,
				       &count, sizeof(count));
			if (count == ID_INDEX_MAX) {
				(void)perf_end_record(to, start);
				count = 0;
			}
		}
	if (count)
		(void)perf_end_record(to, start);
}
