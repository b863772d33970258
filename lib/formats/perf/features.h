/*
 * features.h - what features.c and machine.c share: the header features.
 *
 * The numbers are HEADER_* of the kernel's tools/perf/util/header.h and, from 128 on,
 * simpleperf's.
 */
#ifndef PERFTAB_PERF_FEATURE_H
#define PERFTAB_PERF_FEATURE_H

#include "formats/perf/perf.h"

enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
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
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_STAT = 19,
	FEATURE_CACHE = 20,
	FEATURE_MEM_TOPOLOGY = 22,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_COMPRESSED = 27,
	FEATURE_CPU_PMU_CAPS = 28,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_PMU_CAPS = 31,
	FEATURE_E_MACHINE = 33,
	FEATURE_META_INFO = 129,
};

/* Words in a command line, groups, PMUs: more than any real file has. */
#define PERF_LIST_MAX 65536u

/* u32 length (padded, NUL inside), then its bytes. */
static inline struct str perf_feature_string(struct cursor *c)
{
	return cursor_padded_str(c, cursor_u32(c));
}

/* features.c: a fact that is a number. */
void perf_number_fact(struct perf *perf, const char *key, uint64_t number,
		      const char *unit);

/* machine.c: a feature that says what machine it was; false: it is another one. */
bool perf_machine_read(struct perf *perf, unsigned int feature, struct cursor *c);

#endif
