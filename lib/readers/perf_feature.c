/*
 * perf_feature.c - the header features behind the data: who recorded what, where.
 *
 * Each becomes rows of header_fact; event names and tracepoint formats go to the events.
 * A string is u32 length (padded, NUL inside), then its bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/text.h"
#include "readers/perf.h"

enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCKID = 23,
	FEATURE_CLOCK_DATA = 29,
};

/* Words in a command line, groups, PMUs: more than any real file has. */
#define LIST_MAX 65536u

static const char *const names[] = {
	NULL,
	"TRACING_DATA",
	"BUILD_ID",
	"HOSTNAME",
	"OSRELEASE",
	"VERSION",
	"ARCH",
	"NRCPUS",
	"CPUDESC",
	"CPUID",
	"TOTAL_MEM",
	"CMDLINE",
	"EVENT_DESC",
	"CPU_TOPOLOGY",
	"NUMA_TOPOLOGY",
	"BRANCH_STACK",
	"PMU_MAPPINGS",
	"GROUP_DESC",
	"AUXTRACE",
	"STAT",
	"CACHE",
	"SAMPLE_TIME",
	"MEM_TOPOLOGY",
	"CLOCKID",
	"DIR_FORMAT",
	"BPF_PROG_INFO",
	"BPF_BTF",
	"COMPRESSED",
	"CPU_PMU_CAPS",
	"CLOCK_DATA",
	"HYBRID_TOPOLOGY",
	"PMU_CAPS",
	"CPU_DOMAIN_INFO",
	"E_MACHINE",
	"CLN_SIZE",
};

const char *perf_feature_name(unsigned int feature)
{
	return feature < sizeof(names) / sizeof(names[0]) ? names[feature] : NULL;
}

static struct str read_string(struct cursor *c)
{
	return cursor_padded_str(c, cursor_u32(c));
}

static struct str add_fact(struct perf *perf, const char *key, struct str value)
{
	struct perf_fact *fact = arena_alloc(&perf->arena, sizeof(*fact));

	value.len = value.len < PERF_FACT_BYTES_MAX ? value.len : PERF_FACT_BYTES_MAX;
	value = text_valid_utf8(&perf->arena, value);
	if (!fact || !value.ptr)
		return STR_NONE;
	fact->key = str_of(key);
	fact->value = value;
	*perf->facts_tail = fact;
	perf->facts_tail = &fact->next;
	return value;
}

static struct str text_fact(struct perf *perf, unsigned int feature, struct cursor *c)
{
	struct str value = read_string(c);

	return c->overrun ? STR_NONE : add_fact(perf, names[feature], value);
}

static void number_fact(struct perf *perf, const char *key, uint64_t number,
			const char *unit)
{
	char text[64];

	text_print(text, sizeof(text), "%llu%s", (unsigned long long)number, unit);
	add_fact(perf, key, str_of(text));
}

static void read_cpu_count(struct perf *perf, struct cursor *c)
{
	uint32_t available = cursor_u32(c);
	uint32_t online = cursor_u32(c);

	if (c->overrun)
		return;
	number_fact(perf, "NRCPUS available", available, "");
	number_fact(perf, "NRCPUS online", online, "");
	perf->trace.cpu_count = online;
}

/* The words of the command, quoted where a shell would need it. */
static void read_command(struct perf *perf, struct cursor *c)
{
	uint32_t count = cursor_u32(c);
	char text[4096];
	size_t at = 0;

	for (uint32_t i = 0; i < count && i < LIST_MAX && !c->overrun; i++) {
		struct str word = read_string(c);
		bool quote = word.len == 0 || memchr(word.ptr, ' ', word.len);

		if (c->overrun)
			break;
		at += text_print(text + at, sizeof(text) - at, "%s%s%.*s%s", i ? " " : "",
				 quote ? "'" : "", (int)word.len, word.ptr,
				 quote ? "'" : "");
	}
	perf->trace.command = add_fact(perf, "CMDLINE", (struct str){ text, at });
}

/* Pairs of u32 number and name; what stands between them depends on `group`. */
static void read_pmus(struct perf *perf, struct cursor *c)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < LIST_MAX && !c->overrun; i++) {
		uint32_t type = cursor_u32(c);
		struct str name = read_string(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text), "%.*s = %u", (int)name.len, name.ptr,
			   type);
		add_fact(perf, "PMU", str_of(text));
	}
}

static void read_groups(struct perf *perf, struct cursor *c)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < LIST_MAX && !c->overrun; i++) {
		struct str name = read_string(c);
		uint32_t leader = cursor_u32(c);
		uint32_t members = cursor_u32(c);
		char text[300];

		if (c->overrun)
			break;
		text_print(text, sizeof(text), "%.*s: leader event %u, %u members",
			   (int)name.len, name.ptr, leader, members);
		add_fact(perf, "GROUP_DESC", str_of(text));
	}
}

static void read_sample_time(struct perf *perf, struct cursor *c)
{
	uint64_t first = cursor_u64(c);
	uint64_t last = cursor_u64(c);

	if (c->overrun)
		return;
	number_fact(perf, "SAMPLE_TIME first", first, " ns");
	number_fact(perf, "SAMPLE_TIME last", last, " ns");
}

/* u32 version, u32 clockid, u64 wall clock ns, u64 trace clock ns at the same moment. */
static void read_clock_data(struct perf *perf, struct cursor *c)
{
	uint32_t version = cursor_u32(c);
	uint64_t wall, trace;

	cursor_skip(c, 4);
	wall = cursor_u64(c);
	trace = cursor_u64(c);
	if (c->overrun || version != 1)
		return;
	number_fact(perf, "CLOCK_DATA wall clock", wall, " ns");
	number_fact(perf, "CLOCK_DATA trace clock", trace, " ns");
	perf->trace.wall_offset_ns = (int64_t)(wall - trace);
}

/*
 * u32 events, u32 attr size, then for each: attr, u32 ids, name, u64 ids.  The events
 * stand in the order of the attributes; when their number differs they are told apart by
 * id.
 */
static void read_event_names(struct perf *perf, struct cursor *c)
{
	uint32_t count = cursor_u32(c);
	uint32_t attr_size = cursor_u32(c);

	for (uint32_t i = 0; i < count && i < PERF_EVENTS_MAX && !c->overrun; i++) {
		struct perf_event *event = NULL;
		uint32_t ids;
		struct str name;

		cursor_skip(c, attr_size);
		ids = cursor_u32(c);
		name = read_string(c);
		if (count == perf->event_count)
			event = &perf->events[i];
		for (uint32_t k = 0; k < ids && !c->overrun; k++) {
			struct perf_stream *stream =
				map_get(&perf->streams, cursor_u64(c));

			if (stream && !event)
				event = stream->event;
		}
		name.len =
			name.len < PERF_NAME_BYTES_MAX ? name.len : PERF_NAME_BYTES_MAX;
		if (!c->overrun && event && name.len)
			event->name = text_valid_utf8(&perf->arena, name);
	}
}

void perf_feature_read(struct reader *reader, unsigned int feature, struct cursor *c)
{
	struct perf *perf = reader->state;

	switch (feature) {
	case FEATURE_TRACING_DATA:
		perf_tracing_data_read(reader, c);
		return; /* says itself what was wrong */
	case FEATURE_HOSTNAME:
		perf->trace.host = text_fact(perf, feature, c);
		break;
	case FEATURE_OSRELEASE:
		perf->trace.os_release = text_fact(perf, feature, c);
		break;
	case FEATURE_VERSION:
		perf->trace.recorder = text_fact(perf, feature, c);
		break;
	case FEATURE_ARCH:
		perf->trace.arch = text_fact(perf, feature, c);
		break;
	case FEATURE_CPUDESC:
		perf->trace.cpu_model = text_fact(perf, feature, c);
		break;
	case FEATURE_CPUID:
		(void)text_fact(perf, feature, c);
		break;
	case FEATURE_NRCPUS:
		read_cpu_count(perf, c);
		break;
	case FEATURE_TOTAL_MEM:
		number_fact(perf, "TOTAL_MEM", cursor_u64(c), " kB");
		break;
	case FEATURE_CMDLINE:
		read_command(perf, c);
		break;
	case FEATURE_EVENT_DESC:
		read_event_names(perf, c);
		break;
	case FEATURE_PMU_MAPPINGS:
		read_pmus(perf, c);
		break;
	case FEATURE_GROUP_DESC:
		read_groups(perf, c);
		break;
	case FEATURE_SAMPLE_TIME:
		read_sample_time(perf, c);
		break;
	case FEATURE_CLOCKID:
		number_fact(perf, "CLOCKID resolution", cursor_u64(c), " ns");
		break;
	case FEATURE_CLOCK_DATA:
		read_clock_data(perf, c);
		break;
	default:
		finding_add(&reader->findings, FINDING_SKIPPED_FEATURE, c->offset, 1);
		return;
	}
	if (c->overrun)
		finding_say(&reader->findings, FINDING_BAD_SECTION, c->offset,
			    "header feature %s ends early at 0x%llx", names[feature],
			    (unsigned long long)c->offset);
}
