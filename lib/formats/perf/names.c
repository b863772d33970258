/* names.c - the names of records and of header features, as perf's sources spell them. */
#include "formats/perf/catalog.h"

/* --- records --- */

static const char *const records[] = {
	[PERF_RECORD_MMAP] = "MMAP",
	[PERF_RECORD_LOST] = "LOST",
	[PERF_RECORD_COMM] = "COMM",
	[PERF_RECORD_EXIT] = "EXIT",
	[PERF_RECORD_THROTTLE] = "THROTTLE",
	[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
	[PERF_RECORD_FORK] = "FORK",
	[PERF_RECORD_READ] = "READ",
	[PERF_RECORD_SAMPLE] = "SAMPLE",
	[PERF_RECORD_MMAP2] = "MMAP2",
	[PERF_RECORD_AUX] = "AUX",
	[PERF_RECORD_ITRACE_START] = "ITRACE_START",
	[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[PERF_RECORD_SWITCH] = "SWITCH",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[PERF_RECORD_NAMESPACES] = "NAMESPACES",
	[PERF_RECORD_KSYMBOL] = "KSYMBOL",
	[PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
	[PERF_RECORD_CGROUP] = "CGROUP",
	[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
	[PERF_RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
	[PERF_RECORD_HEADER_ATTR] = "HEADER_ATTR",
	[PERF_RECORD_HEADER_EVENT_TYPE] = "HEADER_EVENT_TYPE",
	[PERF_RECORD_TRACING_DATA] = "TRACING_DATA",
	[PERF_RECORD_BUILD_ID] = "BUILD_ID",
	[PERF_RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
	[PERF_RECORD_ID_INDEX] = "ID_INDEX",
	[70] = "AUXTRACE_INFO",
	[PERF_RECORD_AUXTRACE] = "AUXTRACE",
	[72] = "AUXTRACE_ERROR",
	[PERF_RECORD_THREAD_MAP] = "THREAD_MAP",
	[PERF_RECORD_CPU_MAP] = "CPU_MAP",
	[PERF_RECORD_STAT_CONFIG] = "STAT_CONFIG",
	[PERF_RECORD_STAT] = "STAT",
	[PERF_RECORD_STAT_ROUND] = "STAT_ROUND",
	[PERF_RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
	[PERF_RECORD_TIME_CONV] = "TIME_CONV",
	[PERF_RECORD_HEADER_FEATURE] = "HEADER_FEATURE",
	[PERF_RECORD_COMPRESSED] = "COMPRESSED",
	[PERF_RECORD_FINISHED_INIT] = "FINISHED_INIT",
	[PERF_RECORD_COMPRESSED2] = "COMPRESSED2",
	[84] = "BPF_METADATA",
	[PERF_RECORD_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
	[PERF_RECORD_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
};

/* simpleperf's, from 32769 on. */
static const char *const simpleperf_records[] = {
	"SIMPLEPERF_KERNEL_SYMBOL", "SIMPLEPERF_DSO",
	"SIMPLEPERF_SYMBOL",	    "SIMPLEPERF_SPLIT",
	"SIMPLEPERF_SPLIT_END",	    "SIMPLEPERF_EVENT_ID",
	"SIMPLEPERF_CALLCHAIN",	    "SIMPLEPERF_UNWINDING_RESULT",
	"SIMPLEPERF_TRACING_DATA",  "SIMPLEPERF_DEBUG",
};

const char *perf_record_name(uint32_t type)
{
	uint32_t simple = type - PERF_RECORD_SIMPLEPERF_FIRST - 1;

	if (type < sizeof(records) / sizeof(records[0]))
		return records[type];
	if (simple < sizeof(simpleperf_records) / sizeof(simpleperf_records[0]))
		return simpleperf_records[simple];
	return NULL;
}

/* --- features --- */

static const char *const features[] = {
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

/* simpleperf's, from 128 on. */
static const char *const simpleperf_features[] = {
	"SIMPLEPERF_FILE",	   "SIMPLEPERF_META_INFO",
	"SIMPLEPERF_DEBUG_UNWIND", "SIMPLEPERF_DEBUG_UNWIND_FILE",
	"SIMPLEPERF_FILE2",	   "SIMPLEPERF_ETM_BRANCH_LIST",
	"SIMPLEPERF_INIT_MAP",
};

const char *perf_feature_name(unsigned int feature)
{
	if (feature >= 128 &&
	    feature - 128 < sizeof(simpleperf_features) / sizeof(simpleperf_features[0]))
		return simpleperf_features[feature - 128];
	return feature < sizeof(features) / sizeof(features[0]) ? features[feature]
								: NULL;
}
