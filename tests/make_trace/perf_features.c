/* The parts of perf.data around the records: header, ids, attrs and header features. */
#include <linux/perf_event.h>
#include <string.h>

#include "perf_write.h"

enum {
	HEADER_BYTES = 104,
	SECTION_BYTES = 16,
	FEATURE_TRACING_DATA = 1,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_GROUP_DESC = 17,
	FEATURE_SAMPLE_TIME = 21,
};

/* clang-format off */
static const unsigned char features_in_order[] = {
	FEATURE_TRACING_DATA, FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_VERSION,
	FEATURE_ARCH, FEATURE_NRCPUS, FEATURE_CMDLINE, FEATURE_EVENT_DESC,
	FEATURE_GROUP_DESC, FEATURE_SAMPLE_TIME,
};
/* clang-format on */

static bool has_feature(const struct trace *trace, unsigned feature)
{
	if (feature == FEATURE_TRACING_DATA)
		return !trace->scenario->software_leader;
	if (feature == FEATURE_GROUP_DESC)
		return scenario_has(trace->scenario, TRAIT_GROUP_DESC);
	return true;
}

/* Fields behind the flags stay zero: the size says how many of them there are. */
static void put_attr(struct byte_buf *out, const struct trace_event *event,
		     uint32_t bytes)
{
	size_t start = out->size;

	buf_u32(out, event->spec.type);
	buf_u32(out, bytes);
	buf_u64(out, event->spec.config);
	buf_u64(out, event->period);
	buf_u64(out, event->sample_type);
	buf_u64(out, event->read_format);
	buf_u64(out, event->flags);
	buf_zero(out, start + bytes - out->size);
}

static void put_ids(struct byte_buf *out, const struct trace *trace, unsigned event)
{
	for (unsigned cpu = 0; cpu < trace->scenario->cpu_count; cpu++)
		buf_u64(out, trace->events[event].first_id + cpu);
}

static void put_header(struct trace *trace, struct byte_buf *out)
{
	const struct scenario *scenario = trace->scenario;
	uint64_t ids_bytes = (uint64_t)trace->event_count * scenario->cpu_count * 8;
	uint64_t entry_bytes = scenario->attr_bytes + SECTION_BYTES;
	uint64_t features = 0;

	for (size_t i = 0; i < sizeof(features_in_order); i++)
		if (has_feature(trace, features_in_order[i]))
			features |= (uint64_t)1 << features_in_order[i];
	trace->data_offset = HEADER_BYTES + ids_bytes + trace->event_count * entry_bytes;
	buf_bytes(out, "PERFILE2", 8);
	buf_u64(out, HEADER_BYTES);
	buf_u64(out, entry_bytes);
	buf_u64(out, HEADER_BYTES + ids_bytes);
	buf_u64(out, trace->event_count * entry_bytes);
	buf_u64(out, trace->data_offset);
	buf_u64(out, trace->data_bytes);
	buf_zero(out, SECTION_BYTES);
	buf_u64(out, features);
	buf_zero(out, 3 * sizeof(uint64_t));
}

void features_put_head(struct trace *trace, struct byte_buf *out)
{
	uint64_t ids_bytes = (uint64_t)trace->scenario->cpu_count * 8;

	put_header(trace, out);
	for (unsigned i = 0; i < trace->event_count; i++)
		put_ids(out, trace, i);
	for (unsigned i = 0; i < trace->event_count; i++) {
		put_attr(out, &trace->events[i], trace->scenario->attr_bytes);
		buf_u64(out, HEADER_BYTES + i * ids_bytes);
		buf_u64(out, ids_bytes);
	}
}

/* perf pads strings to a multiple of 64 bytes and counts the padding. */
static void put_string(struct byte_buf *out, const char *text)
{
	size_t padded = (strlen(text) + 1 + 63) / 64 * 64;

	buf_u32(out, (uint32_t)padded);
	buf_bytes(out, text, strlen(text));
	buf_zero(out, padded - strlen(text));
}

static void put_command_line(struct byte_buf *out, const struct trace *trace)
{
	static const char *const words[] = { "perf", "record", "-a", "-c", "1", "-e" };
	struct byte_buf events = { 0 };

	buf_u32(out, sizeof(words) / sizeof(words[0]) + 1);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put_string(out, words[i]);
	for (unsigned i = 0; i < trace->scenario->counter_count; i++)
		buf_text(&events, "%c%s", i ? ',' : '{', trace->events[i].spec.name);
	buf_text(&events, "}:S");
	buf_u8(&events, '\0');
	put_string(out, (const char *)events.data);
	buf_release(&events);
}

static void put_event_description(struct byte_buf *out, const struct trace *trace)
{
	buf_u32(out, trace->event_count);
	buf_u32(out, trace->scenario->attr_bytes);
	for (unsigned i = 0; i < trace->event_count; i++) {
		put_attr(out, &trace->events[i], trace->scenario->attr_bytes);
		buf_u32(out, trace->scenario->cpu_count);
		put_string(out, trace->events[i].spec.name);
		put_ids(out, trace, i);
	}
}

static void put_group_description(struct byte_buf *out, const struct trace *trace)
{
	buf_u32(out, 1);
	put_string(out, "{anon_group}");
	buf_u32(out, 0); /* index of the leader */
	buf_u32(out, trace->scenario->counter_count);
}

static void put_feature(struct byte_buf *out, const struct trace *trace, unsigned feature)
{
	switch (feature) {
	case FEATURE_TRACING_DATA:
		sched_put_tracing_data(out, trace->scenario);
		break;
	case FEATURE_HOSTNAME:
		put_string(out, "lab");
		break;
	case FEATURE_OSRELEASE:
		put_string(out, "6.1.0-generated");
		break;
	case FEATURE_VERSION:
		put_string(out, "6.1.187");
		break;
	case FEATURE_ARCH:
		put_string(out, "x86_64");
		break;
	case FEATURE_NRCPUS:
		buf_u32(out, trace->scenario->cpu_count); /* available */
		buf_u32(out, trace->scenario->cpu_count); /* online */
		break;
	case FEATURE_CMDLINE:
		put_command_line(out, trace);
		break;
	case FEATURE_EVENT_DESC:
		put_event_description(out, trace);
		break;
	case FEATURE_GROUP_DESC:
		put_group_description(out, trace);
		break;
	case FEATURE_SAMPLE_TIME:
		buf_u64(out, trace->first_sample_ns);
		buf_u64(out, trace->last_sample_ns);
		break;
	}
}

void features_put_tail(struct trace *trace, struct byte_buf *out)
{
	uint64_t table_offset = trace->data_offset + trace->data_bytes;
	size_t table_at = out->size;
	size_t slot = out->size;

	for (size_t i = 0; i < sizeof(features_in_order); i++)
		if (has_feature(trace, features_in_order[i]))
			buf_zero(out, SECTION_BYTES);
	for (size_t i = 0; i < sizeof(features_in_order); i++) {
		size_t start = out->size;

		if (!has_feature(trace, features_in_order[i]))
			continue;
		put_feature(out, trace, features_in_order[i]);
		buf_set_u64(out, slot, table_offset + start - table_at);
		buf_set_u64(out, slot + 8, out->size - start);
		slot += SECTION_BYTES;
	}
}
