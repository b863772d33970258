/* Records of the kernel and of perf itself: which type has which layout. */
#include "swap/swap.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

enum {
	HEADER_BYTES = 8,
	FIRST_TOOL_RECORD = 64,
	RECORD_HEADER_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_AUXTRACE = 71,
	RECORD_AUXTRACE_ERROR = 72,
	RECORD_CPU_MAP = 74,
	RECORD_EVENT_UPDATE = 78,
	RECORD_HEADER_FEATURE = 80,
	FIRST_SIMPLEPERF_RECORD = 32768,
};

struct record {
	const char *name;
	const char *layout; /* NULL: a function below */
};

/* clang-format off */
static const struct record records[] = {
	[PERF_RECORD_MMAP] = { "MMAP", "44888z" },
	[PERF_RECORD_LOST] = { "LOST", "88" },
	[PERF_RECORD_COMM] = { "COMM", "44z" },
	[PERF_RECORD_EXIT] = { "EXIT", "44448" },
	[PERF_RECORD_THROTTLE] = { "THROTTLE", "888" },
	[PERF_RECORD_UNTHROTTLE] = { "UNTHROTTLE", "888" },
	[PERF_RECORD_FORK] = { "FORK", "44448" },
	[PERF_RECORD_READ] = { "READ", NULL },
	[PERF_RECORD_SAMPLE] = { "SAMPLE", NULL },
	[PERF_RECORD_MMAP2] = { "MMAP2", NULL },
	[PERF_RECORD_AUX] = { "AUX", "888" },
	[PERF_RECORD_ITRACE_START] = { "ITRACE_START", "44" },
	[PERF_RECORD_LOST_SAMPLES] = { "LOST_SAMPLES", "8" },
	[PERF_RECORD_SWITCH] = { "SWITCH", "" },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { "SWITCH_CPU_WIDE", "44" },
	[PERF_RECORD_NAMESPACES] = { "NAMESPACES", "44N(88)" },
	[PERF_RECORD_KSYMBOL] = { "KSYMBOL", "8422z" },
	[PERF_RECORD_BPF_EVENT] = { "BPF_EVENT", "224q" },
	[PERF_RECORD_CGROUP] = { "CGROUP", "8z" },
	[PERF_RECORD_TEXT_POKE] = { "TEXT_POKE", NULL },
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = { "AUX_OUTPUT_HW_ID", "8" },
	[22] = { "CALLCHAIN_DEFERRED", "8N(8)" },
	[RECORD_HEADER_ATTR] = { "HEADER_ATTR", NULL },
	[65] = { "HEADER_EVENT_TYPE", "8r" },
	[RECORD_TRACING_DATA] = { "TRACING_DATA", NULL },
	[67] = { "BUILD_ID", "4r" },
	[68] = { "FINISHED_ROUND", "" },
	[69] = { "ID_INDEX", "*" },
	[70] = { "AUXTRACE_INFO", "44*" },
	[RECORD_AUXTRACE] = { "AUXTRACE", NULL },
	[RECORD_AUXTRACE_ERROR] = { "AUXTRACE_ERROR", NULL },
	[73] = { "THREAD_MAP", "N(8qq)" },
	[RECORD_CPU_MAP] = { "CPU_MAP", NULL },
	[75] = { "STAT_CONFIG", "N(88)" },
	[76] = { "STAT", "844888" },
	[77] = { "STAT_ROUND", "88" },
	[RECORD_EVENT_UPDATE] = { "EVENT_UPDATE", NULL },
	[79] = { "TIME_CONV", "888?88q" },
	[RECORD_HEADER_FEATURE] = { "HEADER_FEATURE", NULL },
	[81] = { "COMPRESSED", NULL },
	[82] = { "FINISHED_INIT", "" },
	[83] = { "COMPRESSED2", NULL },
};
/* clang-format on */

enum { RECORD_COUNT = COUNT(records) };

static void swap_header_attr(struct swapper *swapper, struct cursor *record)
{
	size_t bytes = (size_t)cursor_peek(record, record->at + 4, 4);

	swap_attr(swapper, record, bytes ? bytes : PERF_ATTR_SIZE_VER0, true);
	while (cursor_left(record) >= 8)
		event_add_id(swapper, swapper->event_count - 1, swap_u64(record));
}

static void swap_cpu_map(struct cursor *record)
{
	enum { CPUS, MASK, RANGE };
	uint16_t type = swap_u16(record);
	uint16_t count;
	uint16_t width = 2;

	if (type == RANGE) {
		copy_bytes(record, 2);
		swap_u16(record);
		swap_u16(record);
		return;
	}
	if (type > RANGE)
		cursor_die(record, "CPU map type %u is unknown", type);
	count = swap_u16(record);
	if (type == MASK) {
		width = swap_u16(record);
		if (width != 4 && width != 8)
			cursor_die(record, "CPU masks of %u bytes are unknown", width);
		/* The compiler's padding in front of u64 mask[]. */
		copy_bytes(record, width - 4u);
	}
	while (count--)
		swap_number(record, width);
}

static void swap_event_update(struct cursor *record)
{
	enum { UNIT, SCALE, NAME, CPUS };
	uint64_t type = swap_u64(record);

	swap_u64(record);
	if (type == SCALE)
		swap_u64(record);
	else if (type == CPUS)
		swap_cpu_map(record);
	else if (type == UNIT || type == NAME)
		copy_bytes(record, cursor_left(record));
	else
		cursor_die(record, "update type %llu is unknown",
			   (unsigned long long)type);
}

/* The message is cut to its length, except where something follows it. */
static void swap_auxtrace_error(struct cursor *record)
{
	static const char *const layouts[] = { "4444448r", "44444488r",
					       "44444488qqqqqqqq44" };
	uint64_t format = cursor_peek(record, record->at + 20, 4);

	if (format >= COUNT(layouts))
		cursor_die(record, "error format %llu is unknown",
			   (unsigned long long)format);
	swap_layout(record, layouts[format]);
}

static void swap_feature_record(struct swapper *swapper, struct cursor *record)
{
	char name[64];
	struct cursor feature = *record;
	uint64_t id = swap_u64(record);

	/* Nothing behind the number: the end of the features, or a mere flag. */
	if (!cursor_left(record))
		return;
	snprintf(name, sizeof(name), "HEADER_FEATURE %s", feature_name(id));
	feature.what = name;
	feature.at = record->at;
	swap_feature(swapper, &feature, id);
	record->at = feature.at;
}

/* Bytes behind the record, in *stream, belong to these two. */
static void swap_tracing_record(struct swapper *swapper, struct cursor *record,
				struct cursor *stream)
{
	uint32_t bytes = swap_u32(record);
	struct cursor blob =
		cursor_open(stream->image, "TRACING_DATA payload", stream->at, bytes);

	swap_tracing_data(swapper, &blob);
	stream->at = blob.at;
}

static void swap_auxtrace(struct cursor *record, struct cursor *stream)
{
	uint64_t bytes = cursor_peek(record, record->at, 8);

	swap_layout(record, "8884444");
	copy_bytes(stream, (size_t)bytes);
}

/* Returns false for a type without a layout. */
static bool swap_tool_record(struct swapper *swapper, struct cursor *record,
			     struct cursor *stream, uint32_t type)
{
	switch (type) {
	case RECORD_HEADER_ATTR:
		swap_header_attr(swapper, record);
		break;
	case RECORD_TRACING_DATA:
		swap_tracing_record(swapper, record, stream);
		break;
	case RECORD_AUXTRACE:
		swap_auxtrace(record, stream);
		break;
	case RECORD_AUXTRACE_ERROR:
		swap_auxtrace_error(record);
		break;
	case RECORD_CPU_MAP:
		swap_cpu_map(record);
		break;
	case RECORD_EVENT_UPDATE:
		swap_event_update(record);
		break;
	case RECORD_HEADER_FEATURE:
		swap_feature_record(swapper, record);
		break;
	default:
		return false;
	}
	return true;
}

static void swap_kernel_body(struct cursor *record, const struct event *event,
			     uint32_t type, uint16_t misc)
{
	uint32_t length;

	switch (type) {
	case PERF_RECORD_READ:
		swap_layout(record, "44");
		if (!event)
			cursor_die(record, "no event has been described before it");
		swap_read_values(record, event->read_format);
		break;
	case PERF_RECORD_MMAP2:
		swap_layout(record, misc & PERF_RECORD_MISC_MMAP_BUILD_ID
					    ? "44888qqq44z"
					    : "44888448844z");
		break;
	case PERF_RECORD_TEXT_POKE:
		swap_u64(record);
		length = swap_u16(record);
		length += swap_u16(record);
		length += -(length + 4) % 8;
		copy_bytes(record, length);
		break;
	default:
		swap_layout(record, records[type].layout);
		break;
	}
}

/*
 * The trailer is the last thing in the record; perf pads names with whatever was there
 * before, and leaves the trailer away in some records of its own making.
 */
static void swap_kernel_record(struct swapper *swapper, struct cursor *record,
			       uint32_t type, uint16_t misc)
{
	const struct event *event = trailer_event(swapper, record);
	size_t trailer = event ? trailer_bytes(event) : 0;
	const char *layout = records[type].layout;
	bool has_name = type == PERF_RECORD_MMAP2 || (layout && strchr(layout, 'z'));

	swap_kernel_body(record, event, type, misc);
	if (trailer && has_name && cursor_left(record) > trailer)
		copy_bytes(record, cursor_left(record) - trailer);
	if (trailer && cursor_left(record) == trailer)
		swap_trailer(record, event);
	if (has_name && !trailer)
		copy_bytes(record, cursor_left(record));
	copy_padding(record);
}

void swap_record(struct swapper *swapper, struct cursor *stream)
{
	struct cursor record = *stream;
	char name[32];
	uint32_t type;
	uint16_t misc;
	uint16_t size;

	record.what = "record";
	record.start = stream->at;
	type = swap_u32(&record);
	snprintf(name, sizeof(name), "record of type %u", type);
	record.what = name;
	/* These have their size split in two, 32 bits in all. */
	if (type >= FIRST_SIMPLEPERF_RECORD)
		cursor_die(&record, "records of simpleperf cannot be swapped");
	misc = swap_u16(&record);
	size = swap_u16(&record);
	if (type >= RECORD_COUNT || !records[type].name)
		cursor_die(&record, "the layout of this type is unknown");
	record.what = records[type].name;
	if (size < HEADER_BYTES || size > stream->end - record.start)
		cursor_die(&record, "size %u is not in 8..%zu", size,
			   stream->end - record.start);
	record.end = record.start + size;
	stream->at = record.end;
	if (type == PERF_RECORD_SAMPLE) {
		swap_sample(swapper, &record);
	} else if (type < FIRST_TOOL_RECORD) {
		swap_kernel_record(swapper, &record, type, misc);
	} else if (!swap_tool_record(swapper, &record, stream, type)) {
		if (!records[type].layout)
			cursor_die(&record, "compressed records cannot be swapped");
		swap_layout(&record, records[type].layout);
	}
	copy_padding(&record);
}
