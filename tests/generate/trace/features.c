/* What ids, attrs and header features of perf.data say, wherever they stand. */
#include <linux/perf_event.h>
#include <string.h>

#include "trace/parts.h"

enum {
	BIG_ATTR_BYTES = 160,
	DIR_FORMAT_VERSION = 1,
	PRECISE_IP_LOW = 15, /* the only field of two bits */
	PRECISE_IP_HIGH = 16,
};

bool has_feature(const struct trace *trace, unsigned feature)
{
	switch (feature) {
	case FEATURE_TRACING_DATA:
		return !trace->scenario->software_leader;
	case FEATURE_HOSTNAME:
	case FEATURE_OSRELEASE:
	case FEATURE_VERSION:
	case FEATURE_ARCH:
	case FEATURE_NRCPUS:
	case FEATURE_CMDLINE:
	case FEATURE_EVENT_DESC:
	case FEATURE_SAMPLE_TIME:
		return true;
	case FEATURE_GROUP_DESC:
		return scenario_has(trace->scenario, TRAIT_GROUP_DESC);
	case FEATURE_DIR_FORMAT:
		return form_has(trace->form, FORM_DIRECTORY);
	case FEATURE_COMPRESSED:
		return form_has(trace->form, FORM_COMPRESSED | FORM_COMPRESSED2);
	default:
		return false;
	}
}

uint32_t attr_bytes(const struct trace *trace)
{
	if (form_has(trace->form, FORM_BIG_ATTR))
		return BIG_ATTR_BYTES;
	return trace->scenario->attr_bytes;
}

/*
 * Compilers for big-endian machines give the first bit-field the highest bits; within
 * a field the bits stay in order.
 */
static uint64_t mirrored_flags(uint64_t flags)
{
	uint64_t mirrored = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		unsigned place = bit;

		if (bit == PRECISE_IP_LOW)
			place = PRECISE_IP_HIGH;
		if (bit == PRECISE_IP_HIGH)
			place = PRECISE_IP_LOW;
		mirrored |= (flags >> bit & 1) << (63 - place);
	}
	return mirrored;
}

/* Fields after the flags stay zero: the size says how many of them there are. */
void put_attr(struct byte_buf *out, const struct trace *trace, unsigned event)
{
	const struct trace_event *facts = &trace->events[event];
	uint32_t bytes = attr_bytes(trace);
	size_t start = out->size;

	BUF(out, "4488888", facts->spec.type, bytes, facts->spec.config, facts->period,
	    facts->sample_type, facts->read_format,
	    out->big_endian ? mirrored_flags(facts->flags) : facts->flags);
	buf_zero(out, start + bytes - out->size);
}

void put_ids(struct byte_buf *out, const struct trace *trace, unsigned event)
{
	for (unsigned cpu = 0; cpu < trace->scenario->cpu_count; cpu++)
		buf_u64(out, trace->events[event].first_id + cpu);
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

	buf_u32(out, COUNT(words) + 1);
	for (size_t i = 0; i < COUNT(words); i++)
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
	BUF(out, "44", trace->event_count, attr_bytes(trace));
	for (unsigned i = 0; i < trace->event_count; i++) {
		put_attr(out, trace, i);
		buf_u32(out, trace->scenario->cpu_count);
		put_string(out, trace->events[i].spec.name);
		put_ids(out, trace, i);
	}
}

static void put_group_description(struct byte_buf *out, const struct trace *trace)
{
	buf_u32(out, 1);
	put_string(out, "{anon_group}");
	BUF(out, "44", 0, trace->scenario->counter_count); /* the leader's index */
}

void put_feature(struct byte_buf *out, const struct trace *trace, unsigned feature)
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
		put_string(out, out->big_endian ? "s390x" : "x86_64");
		break;
	case FEATURE_NRCPUS:
		BUF(out, "44", trace->scenario->cpu_count, /* available, online */
		    trace->scenario->cpu_count);
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
		BUF(out, "88", trace->first_sample_ns, trace->last_sample_ns);
		break;
	case FEATURE_DIR_FORMAT:
		buf_u64(out, DIR_FORMAT_VERSION);
		break;
	case FEATURE_COMPRESSED:
		packer_put_feature(&trace->packer, out);
		break;
	}
}
