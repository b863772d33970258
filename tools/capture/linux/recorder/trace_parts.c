/* trace_parts.c - encodes attributes, header features and synthesized records. */
#include "capture/linux/recorder/trace_parts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "version.h"

#define RECORD_BYTES_MAX 65528
#define STRING_UNIT 64 /* perf pads texts to this, and counts the padding */
#define ATTR_BYTES_OLD 112
#define ID_INDEX_MAX 1024 /* entries of one ID_INDEX record */
#define UPDATE_UNIT 0
#define UPDATE_SCALE 1
#define UPDATE_NAME 2

/* --- attributes and ids --- */

uint32_t trace_attr_bytes(const struct counters *c)
{
	for (size_t i = 0; i < c->event_count; i++) {
		const uint8_t *attr = (const uint8_t *)&c->events[i].attr;

		for (size_t k = ATTR_BYTES_OLD; k < sizeof(c->events[i].attr); k++)
			if (attr[k])
				return sizeof(c->events[i].attr);
	}
	return ATTR_BYTES_OLD;
}

void trace_put_attr(struct bytes *to, const struct counters *c, size_t event)
{
	struct perf_event_attr attr = c->events[event].attr;

	attr.size = trace_attr_bytes(c);
	bytes_put(to, &attr, attr.size);
}

size_t trace_put_ids(struct bytes *to, const struct counted_event *event,
		     size_t instances)
{
	size_t count = 0;

	for (size_t i = 0; i < instances; i++)
		if (event->fds[i] >= 0) {
			bytes_u64(to, event->ids[i]);
			count++;
		}
	return count;
}

static uint32_t count_ids(const struct counted_event *event, size_t instances)
{
	uint32_t count = 0;

	for (size_t i = 0; i < instances; i++)
		count += event->fds[i] >= 0;
	return count;
}

/* --- header features --- */

static void put_string(struct bytes *to, const char *text)
{
	size_t start;

	bytes_u32(to,
		  (uint32_t)((strlen(text) + STRING_UNIT) / STRING_UNIT * STRING_UNIT));
	start = to->size;
	bytes_text(to, text);
	bytes_pad(to, start, STRING_UNIT);
}

static void put_command(struct bytes *to, char *const *words)
{
	uint32_t count = 0;

	while (words[count])
		count++;
	bytes_u32(to, count);
	for (uint32_t i = 0; i < count; i++)
		put_string(to, words[i]);
}

static void put_event_names(struct bytes *to, const struct counters *c)
{
	bytes_u32(to, (uint32_t)c->event_count);
	bytes_u32(to, trace_attr_bytes(c));
	for (size_t i = 0; i < c->event_count; i++) {
		trace_put_attr(to, c, i);
		bytes_u32(to, count_ids(&c->events[i], c->instances));
		put_string(to, c->events[i].name);
		trace_put_ids(to, &c->events[i], c->instances);
	}
}

static void put_groups(struct bytes *to, const struct counters *c)
{
	bytes_u32(to, (uint32_t)c->group_count);
	for (size_t g = 0; g < c->group_count; g++) {
		put_string(to, "{anon_group}"); /* as perf calls those without a name */
		bytes_u32(to, (uint32_t)c->groups[g].first);
		bytes_u32(to, (uint32_t)c->groups[g].count);
	}
}

static bool read_type(const char *pmu, uint32_t *type)
{
	char path[512];
	FILE *file;
	bool got;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	file = fopen(path, "re");
	got = file && fscanf(file, "%u", type) == 1;
	if (file)
		fclose(file);
	return got;
}

static bool put_pmus(struct bytes *to)
{
	DIR *folder = opendir("/sys/bus/event_source/devices");
	struct bytes pmus = { .data = NULL };
	const struct dirent *entry;
	uint32_t count = 0, type;

	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.' || !read_type(entry->d_name, &type))
			continue;
		bytes_u32(&pmus, type);
		put_string(&pmus, entry->d_name);
		count++;
	}
	if (folder)
		closedir(folder);
	bytes_u32(to, count);
	bytes_put(to, pmus.data, pmus.size);
	bytes_release(&pmus);
	return count > 0;
}

static bool put_text(struct bytes *to, const char *text)
{
	if (text[0])
		put_string(to, text);
	return text[0] != '\0';
}

static bool put_numbers(struct bytes *to, bool known, uint64_t first, uint64_t second)
{
	if (known) {
		bytes_u64(to, first);
		bytes_u64(to, second);
	}
	return known;
}

/* version, type (1: zstd), level, ratio, longest piece once it is unpacked. */
static bool put_compression(struct bytes *to, const struct trace_facts *facts)
{
	if (!facts->compression_level)
		return false;
	bytes_u32(to, 1);
	bytes_u32(to, 1);
	bytes_u32(to, facts->compression_level);
	bytes_u32(to, facts->packed);
	bytes_u32(to, facts->unpacked_mib << 20);
	return true;
}

/* version, clock, wall clock and that clock at the same moment. */
static bool put_clock(struct bytes *to, const struct trace_facts *facts)
{
	if (!facts->counters->takes.clockid)
		return false;
	bytes_u32(to, 1);
	bytes_u32(to, 1); /* CLOCK_MONOTONIC */
	bytes_u64(to, facts->machine->wall_ns);
	bytes_u64(to, facts->machine->clock_ns);
	return true;
}

bool trace_put_feature(struct bytes *to, enum trace_feature feature,
		       const struct trace_facts *facts)
{
	const struct machine *machine = facts->machine;

	switch (feature) {
	case TRACE_FEATURE_TRACING_DATA:
		bytes_put(to, facts->tracing_data->data, facts->tracing_data->size);
		return facts->tracing_data->size > 0;
	case TRACE_FEATURE_HOSTNAME:
		return put_text(to, machine->host);
	case TRACE_FEATURE_OSRELEASE:
		return put_text(to, machine->os_release);
	case TRACE_FEATURE_VERSION:
		return put_text(to, facts->unfinished ? "perftab " PERFTAB_VERSION
							", unfinished"
						      : "perftab " PERFTAB_VERSION);
	case TRACE_FEATURE_ARCH:
		return put_text(to, machine->arch);
	case TRACE_FEATURE_NRCPUS:
		bytes_u32(to, machine->cpus_available);
		bytes_u32(to, machine->cpus_online);
		return true;
	case TRACE_FEATURE_CPUDESC:
		return put_text(to, machine->cpu_model);
	case TRACE_FEATURE_CPUID:
		return put_text(to, machine->cpu_id);
	case TRACE_FEATURE_TOTAL_MEM:
		bytes_u64(to, machine->memory_kb);
		return true;
	case TRACE_FEATURE_CMDLINE:
		put_command(to, facts->command);
		return true;
	case TRACE_FEATURE_EVENT_DESC:
		put_event_names(to, facts->counters);
		return true;
	case TRACE_FEATURE_PMU_MAPPINGS:
		return put_pmus(to);
	case TRACE_FEATURE_GROUP_DESC:
		put_groups(to, facts->counters);
		return true;
	case TRACE_FEATURE_SAMPLE_TIME:
		return put_numbers(to, facts->last_ns != 0, facts->first_ns,
				   facts->last_ns);
	case TRACE_FEATURE_CLOCKID:
		if (facts->counters->takes.clockid)
			bytes_u64(to, machine->clock_resolution_ns);
		return facts->counters->takes.clockid;
	case TRACE_FEATURE_COMPRESSED:
		return put_compression(to, facts);
	case TRACE_FEATURE_CLOCK_DATA:
		return put_clock(to, facts);
	case TRACE_FEATURES:
		break;
	}
	return false;
}

/* --- records --- */

size_t trace_begin_record(struct bytes *to, enum trace_record type)
{
	size_t start = to->size;

	bytes_u32(to, type);
	bytes_u32(to, 0); /* misc, and the size when it is known */
	return start;
}

bool trace_end_record(struct bytes *to, size_t start)
{
	uint16_t size;

	bytes_pad(to, start, 8);
	if (to->failed || to->size - start > RECORD_BYTES_MAX) {
		to->size = to->failed ? to->size : start;
		return false;
	}
	size = (uint16_t)(to->size - start);
	memcpy(to->data + start + 6, &size, sizeof(size));
	return true;
}

void trace_put_attr_records(struct bytes *to, const struct counters *c)
{
	for (size_t i = 0; i < c->event_count; i++) {
		size_t start = trace_begin_record(to, TRACE_HEADER_ATTR);

		trace_put_attr(to, c, i);
		trace_put_ids(to, &c->events[i], c->instances);
		(void)trace_end_record(to, start);
	}
}

static void put_update(struct bytes *to, const struct counters *c, size_t event,
		       uint64_t type, const void *data, size_t bytes)
{
	const struct counted_event *from = &c->events[event];
	size_t start = trace_begin_record(to, TRACE_EVENT_UPDATE), i = 0;

	while (i < c->instances && from->fds[i] < 0)
		i++;
	bytes_u64(to, type);
	bytes_u64(to, i < c->instances ? from->ids[i] : 0);
	bytes_put(to, data, bytes);
	(void)trace_end_record(to, start);
}

static void put_names(struct bytes *to, const struct counters *c)
{
	for (size_t i = 0; i < c->event_count; i++) {
		const struct counted_event *event = &c->events[i];
		const struct capture_event *asked = event->asked;

		put_update(to, c, i, UPDATE_NAME, event->name, strlen(event->name) + 1);
		if (asked && asked->unit)
			put_update(to, c, i, UPDATE_UNIT, asked->unit,
				   strlen(asked->unit) + 1);
		if (asked && (asked->scale < 1 || asked->scale > 1))
			put_update(to, c, i, UPDATE_SCALE, &asked->scale,
				   sizeof(asked->scale));
	}
}

/*
 * The payload stands behind its record, padded; the record of 12 bytes is not, because
 * perf looks for the payload there.
 */
static struct trace_section put_tracing_data(struct bytes *to, const struct bytes *data)
{
	static const uint16_t misc_and_size[] = { 0, 12 };
	size_t start;

	if (data->size == 0)
		return (struct trace_section){ 0, 0 };
	bytes_u32(to, TRACE_TRACING_DATA);
	bytes_put(to, misc_and_size, sizeof(misc_and_size));
	bytes_u32(to, (uint32_t)((data->size + 7) / 8 * 8));
	start = to->size;
	bytes_put(to, data->data, data->size);
	bytes_pad(to, start, 8);
	return (struct trace_section){ start, data->size };
}

/* One feature as a record; what is too long for one is left out. */
static struct trace_section put_feature_record(struct bytes *to,
					       enum trace_feature feature,
					       const struct trace_facts *facts)
{
	size_t start = trace_begin_record(to, TRACE_HEADER_FEATURE), content;
	struct trace_section section = { 0, 0 };

	bytes_u64(to, feature);
	content = to->size;
	if (!trace_put_feature(to, feature, facts)) {
		to->size = to->failed ? to->size : start;
		return section;
	}
	section = (struct trace_section){ content, to->size - content };
	if (!trace_end_record(to, start))
		section.size = 0;
	return section;
}

void trace_put_description(struct bytes *to, const struct trace_facts *facts,
			   struct trace_section *sections)
{
	struct trace_section unused[TRACE_FEATURES];

	sections = sections ? sections : unused;
	sections[0].size = 0;
	for (int i = TRACE_FEATURE_TRACING_DATA + 1; i < TRACE_FEATURES; i++)
		sections[i] = put_feature_record(to, (enum trace_feature)i, facts);
	put_names(to, facts->counters);
	sections[TRACE_FEATURE_TRACING_DATA] = put_tracing_data(to, facts->tracing_data);
}

/* nr, then id, index of the event, CPU and task of each. */
void trace_put_id_index(struct bytes *to, const struct counters *c)
{
	uint64_t count = 0;
	size_t start = 0;

	for (size_t i = 0; i < c->event_count; i++)
		for (size_t k = 0; k < c->instances; k++) {
			if (c->events[i].fds[k] < 0)
				continue;
			if (count == 0) {
				start = trace_begin_record(to, TRACE_ID_INDEX);
				bytes_u64(to, 0);
			}
			bytes_u64(to, c->events[i].ids[k]);
			bytes_u64(to, i);
			bytes_u64(to, (uint64_t)counters_cpu(c, k));
			bytes_u64(to, (uint64_t)(int64_t)counters_tid(c, k));
			count++;
			if (!to->failed)
				memcpy(to->data + start + 8, &count, sizeof(count));
			if (count == ID_INDEX_MAX) {
				(void)trace_end_record(to, start);
				count = 0;
			}
		}
	if (count)
		(void)trace_end_record(to, start);
}
