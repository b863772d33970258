/* Header features, in a section of a file or in a HEADER_FEATURE record of a pipe. */
#include "swap/swap.h"

#include <stdio.h>

enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_NRCPUS = 7,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	BUILD_ID_BYTES = 24,
};

struct feature {
	const char *name;
	const char *layout; /* NULL: a function below, or bytes to be copied */
};

/* clang-format off */
static const struct feature features[] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA", NULL },
	[FEATURE_BUILD_ID] = { "BUILD_ID", NULL },
	[3] = { "HOSTNAME", "s" },
	[4] = { "OSRELEASE", "s" },
	[5] = { "VERSION", "s" },
	[6] = { "ARCH", "s" },
	[FEATURE_NRCPUS] = { "NRCPUS", "44" },
	[8] = { "CPUDESC", "s" },
	[9] = { "CPUID", "s" },
	[10] = { "TOTAL_MEM", "8" },
	[11] = { "CMDLINE", "n(s)" },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC", NULL },
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", NULL },
	[14] = { "NUMA_TOPOLOGY", "n(488s)" },
	[15] = { "BRANCH_STACK", "" },
	[16] = { "PMU_MAPPINGS", "n(4s)" },
	[17] = { "GROUP_DESC", "n(s44)" },
	[18] = { "AUXTRACE", "*" },
	[19] = { "STAT", "" },
	[20] = { "CACHE", "4n(4444sss)" },
	[21] = { "SAMPLE_TIME", "88" },
	[22] = { "MEM_TOPOLOGY", "*" },
	[23] = { "CLOCKID", "8" },
	[24] = { "DIR_FORMAT", "8" },
	[25] = { "BPF_PROG_INFO", NULL },
	[26] = { "BPF_BTF", NULL },
	[27] = { "COMPRESSED", "44444" },
	[28] = { "CPU_PMU_CAPS", "n(ss)" },
	[29] = { "CLOCK_DATA", "4488" },
	[30] = { "HYBRID_TOPOLOGY", "n(ss)" },
	[31] = { "PMU_CAPS", "n(n(ss)s)" },
};
/* clang-format on */

enum { FEATURE_COUNT = COUNT(features) };

const char *feature_name(uint64_t feature)
{
	static char text[40];

	if (feature < FEATURE_COUNT && features[feature].name)
		return features[feature].name;
	snprintf(text, sizeof(text), "feature %llu", (unsigned long long)feature);
	return text;
}

static void swap_event_desc(struct swapper *swapper, struct cursor *cursor)
{
	uint32_t count = swap_u32(cursor);
	uint32_t attr_bytes = swap_u32(cursor);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t id_count;

		swap_attr(swapper, cursor, attr_bytes, false);
		id_count = swap_u32(cursor);
		swap_layout(cursor, "s");
		for (uint32_t j = 0; j < id_count; j++)
			swap_u64(cursor);
	}
}

/*
 * Three revisions, told apart by their length; the numbers are counted by NRCPUS.  Fewer
 * than 8 bytes are the padding of a HEADER_FEATURE record.
 */
static void swap_cpu_topology(struct swapper *swapper, struct cursor *cursor)
{
	swap_layout(cursor, "n(s)n(s)");
	if (cursor_left(cursor) < 8)
		return;
	if (!swapper->cpus_available)
		cursor_die(cursor, "NRCPUS does not come before it");
	for (uint32_t i = 0; i < swapper->cpus_available; i++)
		swap_layout(cursor, "44");
	if (cursor_left(cursor) < 8)
		return;
	swap_layout(cursor, "n(s)");
	for (uint32_t i = 0; i < swapper->cpus_available; i++)
		swap_u32(cursor);
}

static void swap_build_ids(struct cursor *cursor)
{
	while (cursor_left(cursor) >= 8) {
		size_t start = cursor->at;
		uint16_t bytes;

		swap_u32(cursor);
		swap_u16(cursor);
		bytes = swap_u16(cursor);
		if (bytes < 8 + 4 + BUILD_ID_BYTES)
			cursor_die(cursor, "build id at 0x%zx: size %u is too small",
				   start, bytes);
		swap_u32(cursor);
		copy_bytes(cursor, (size_t)(bytes - 12));
	}
}

/* Numbers that are zero, such as the count of no BPF programs, need no word. */
static void copy_feature(struct cursor *cursor)
{
	uint8_t bits = 0;

	while (cursor_left(cursor))
		bits |= *copy_bytes(cursor, 1);
	if (bits)
		cursor_note(cursor, "is copied as it is");
}

void swap_feature(struct swapper *swapper, struct cursor *cursor, uint64_t feature)
{
	const char *layout = feature < FEATURE_COUNT ? features[feature].layout : NULL;

	if (feature == FEATURE_NRCPUS)
		swapper->cpus_available = (uint32_t)cursor_peek(cursor, cursor->at, 4);
	if (feature == FEATURE_TRACING_DATA) {
		swap_tracing_data(swapper, cursor);
	} else if (feature == FEATURE_BUILD_ID) {
		swap_build_ids(cursor);
	} else if (feature == FEATURE_EVENT_DESC) {
		swap_event_desc(swapper, cursor);
	} else if (feature == FEATURE_CPU_TOPOLOGY) {
		swap_cpu_topology(swapper, cursor);
	} else if (layout) {
		swap_layout(cursor, layout);
	} else {
		copy_feature(cursor);
	}
	copy_padding(cursor);
}
