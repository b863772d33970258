/*
 * layout.h - numbers of the perf.data format, and the header of every record.
 *
 * From include/uapi/linux/perf_event.h and tools/perf of the Linux kernel, including
 * those that an older <linux/perf_event.h> lacks.  Reader and writer share it.  It uses
 * the names of that header, so a file includes one of the two.
 */
#ifndef PERFTAB_PERF_LAYOUT_H
#define PERFTAB_PERF_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Record types: kernel 1.., tools 64.., simpleperf 32769..; see perf_record_name(). */
enum perf_record_type {
	PERF_RECORD_MMAP = 1,
	PERF_RECORD_LOST = 2,
	PERF_RECORD_COMM = 3,
	PERF_RECORD_EXIT = 4,
	PERF_RECORD_THROTTLE = 5,
	PERF_RECORD_UNTHROTTLE = 6,
	PERF_RECORD_FORK = 7,
	PERF_RECORD_READ = 8,
	PERF_RECORD_SAMPLE = 9,
	PERF_RECORD_MMAP2 = 10,
	PERF_RECORD_AUX = 11,
	PERF_RECORD_ITRACE_START = 12,
	PERF_RECORD_LOST_SAMPLES = 13,
	PERF_RECORD_SWITCH = 14,
	PERF_RECORD_SWITCH_CPU_WIDE = 15,
	PERF_RECORD_NAMESPACES = 16,
	PERF_RECORD_KSYMBOL = 17,
	PERF_RECORD_BPF_EVENT = 18,
	PERF_RECORD_CGROUP = 19,
	PERF_RECORD_TEXT_POKE = 20,
	PERF_RECORD_AUX_OUTPUT_HW_ID = 21,
	PERF_RECORD_CALLCHAIN_DEFERRED = 22,
	PERF_RECORD_KERNEL_LAST = PERF_RECORD_CALLCHAIN_DEFERRED,
	PERF_RECORD_HEADER_ATTR = 64,
	PERF_RECORD_TOOL_FIRST = PERF_RECORD_HEADER_ATTR,
	PERF_RECORD_HEADER_EVENT_TYPE = 65,
	PERF_RECORD_TRACING_DATA = 66,
	PERF_RECORD_BUILD_ID = 67,
	PERF_RECORD_FINISHED_ROUND = 68,
	PERF_RECORD_ID_INDEX = 69,
	PERF_RECORD_AUXTRACE = 71,
	PERF_RECORD_THREAD_MAP = 73,
	PERF_RECORD_CPU_MAP = 74,
	PERF_RECORD_STAT_CONFIG = 75,
	PERF_RECORD_STAT = 76,
	PERF_RECORD_STAT_ROUND = 77,
	PERF_RECORD_EVENT_UPDATE = 78,
	PERF_RECORD_TIME_CONV = 79,
	PERF_RECORD_HEADER_FEATURE = 80,
	PERF_RECORD_COMPRESSED = 81,
	PERF_RECORD_FINISHED_INIT = 82,
	PERF_RECORD_COMPRESSED2 = 83,
	PERF_RECORD_SCHEDSTAT_CPU = 85,
	PERF_RECORD_SCHEDSTAT_DOMAIN = 86,
	PERF_RECORD_TOOL_LAST = PERF_RECORD_SCHEDSTAT_DOMAIN,
	PERF_RECORD_SIMPLEPERF_FIRST = 32768,
	PERF_RECORD_SIMPLEPERF_KERNEL_SYMBOL = 32769,
	PERF_RECORD_SIMPLEPERF_DSO = 32770,
	PERF_RECORD_SIMPLEPERF_SYMBOL = 32771,
	PERF_RECORD_SIMPLEPERF_EVENT_ID = 32774,
	PERF_RECORD_SIMPLEPERF_TRACING_DATA = 32777,
	PERF_RECORD_SIMPLEPERF_LAST = 32800,
};

/* Types that are counted separately: the kernel's and the tools', then simpleperf's. */
#define PERF_COUNTED_TYPES (128 + 64)

#define PERF_RECORD_HEADER_BYTES 8u
/*
 * The header has 16 bits for the size; the size of nearly all records is a multiple of 8.
 */
#define PERF_RECORD_BYTES_MAX 65528u

/*
 * The file begins with magic, u64 size of the header, u64 size of an attribute with the
 * section of its ids, {u64 offset, u64 size} of attributes, data and event types, and 256
 * bits for the features that follow the data.  A pipe has only the first two.
 */
#define PERF_HEADER_BYTES 104
#define PERF_PIPE_HEADER_BYTES 16
#define PERF_SECTION_BYTES 16
#define PERF_DATA_SECTION_AT 40
#define PERF_MAGIC UINT64_C(0x32454c4946524550) /* "PERFILE2" on little-endian */

/*
 * Header features: HEADER_* of the kernel's tools/perf/util/header.h and, from 128 on,
 * simpleperf's.
 */
enum perf_feature {
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
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_STAT = 19,
	FEATURE_CACHE = 20,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_MEM_TOPOLOGY = 22,
	FEATURE_CLOCKID = 23,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_COMPRESSED = 27,
	FEATURE_CPU_PMU_CAPS = 28,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_PMU_CAPS = 31,
	FEATURE_E_MACHINE = 33,
	FEATURE_FILE = 128,
	FEATURE_META_INFO = 129,
	FEATURE_FILE2 = 132,
};

/* FEATURE_VERSION of perftab-capture ends with this until the file is finished. */
#define PERF_UNFINISHED ", unfinished"

/*
 * perftab-capture's own records are HEADER_EVENT_TYPE records, which perf skips, with one
 * of these in the place of the event's id.
 * COMMAND: u32 pid, u32 bytes, u64 time, words of /proc/PID/cmdline, each with its NUL.
 * CGROUP: u32 bytes, u32 0, the path of the control group that is followed.
 * FACTS: lines of text, then at least one zero byte: own_facts.c.
 */
#define PERF_OWN_COMMAND UINT64_C(0x646d632d62617470) /* "ptab-cmd" on little-endian */
#define PERF_OWN_CGROUP UINT64_C(0x7067632d62617470)  /* "ptab-cgp" */
#define PERF_OWN_FACTS UINT64_C(0x7463662d62617470)   /* "ptab-fct" */
#define PERF_COMMAND_BYTES_MAX 4096u

/* EVENT_UPDATE: the field that it changes. */
enum perf_update { UPDATE_UNIT = 0, UPDATE_SCALE = 1, UPDATE_NAME = 2 };

/* FEATURE_COMPRESSED: the method. */
#define PERF_COMPRESSED_ZSTD 1

struct perf_header {
	uint32_t type;
	uint16_t misc;
	uint32_t size; /* of the record, header included */
};

enum perf_sample_bit { /* PERF_SAMPLE_* */
		       PERF_IP = 1 << 0,
		       PERF_TID = 1 << 1,
		       PERF_TIME = 1 << 2,
		       PERF_ADDR = 1 << 3,
		       PERF_READ = 1 << 4,
		       PERF_CALLCHAIN = 1 << 5,
		       PERF_ID = 1 << 6,
		       PERF_CPU = 1 << 7,
		       PERF_PERIOD = 1 << 8,
		       PERF_STREAM_ID = 1 << 9,
		       PERF_RAW = 1 << 10,
		       PERF_BRANCH_STACK = 1 << 11,
		       PERF_REGS_USER = 1 << 12,
		       PERF_STACK_USER = 1 << 13,
		       PERF_WEIGHT = 1 << 14,
		       PERF_DATA_SRC = 1 << 15,
		       PERF_IDENTIFIER = 1 << 16,
		       PERF_TRANSACTION = 1 << 17,
		       PERF_REGS_INTR = 1 << 18,
		       PERF_PHYS_ADDR = 1 << 19,
		       PERF_AUX = 1 << 20,
		       PERF_CGROUP = 1 << 21,
		       PERF_DATA_PAGE_SIZE = 1 << 22,
		       PERF_CODE_PAGE_SIZE = 1 << 23,
		       PERF_WEIGHT_STRUCT = 1 << 24,
};
#define PERF_SAMPLE_BITS_KNOWN ((UINT64_C(1) << 25) - 1)

enum perf_read_bit { /* PERF_FORMAT_* */
		     PERF_READ_ENABLED = 1 << 0,
		     PERF_READ_RUNNING = 1 << 1,
		     PERF_READ_ID = 1 << 2,
		     PERF_READ_GROUP = 1 << 3,
		     PERF_READ_LOST = 1 << 4,
};

enum perf_type { /* PERF_TYPE_* */
		 PERF_TYPE_HARDWARE = 0,
		 PERF_TYPE_SOFTWARE = 1,
		 PERF_TYPE_TRACEPOINT = 2,
		 PERF_TYPE_HW_CACHE = 3,
		 PERF_TYPE_RAW = 4,
		 PERF_TYPE_BREAKPOINT = 5,
};

enum perf_software { /* PERF_COUNT_SW_* */
		     PERF_SW_CPU_CLOCK = 0,
		     PERF_SW_TASK_CLOCK = 1,
		     PERF_SW_CONTEXT_SWITCHES = 3,
		     PERF_SW_DUMMY = 9,
};

/* perf_event_attr flag bits that matter here, counted from bit 0 of the flag word. */
#define PERF_FLAG_INHERIT (UINT64_C(1) << 1)
#define PERF_FLAG_FREQ (UINT64_C(1) << 10)
#define PERF_FLAG_INHERIT_STAT (UINT64_C(1) << 11)
#define PERF_FLAG_ENABLE_ON_EXEC (UINT64_C(1) << 12)
#define PERF_FLAG_SAMPLE_ID_ALL (UINT64_C(1) << 18)
#define PERF_FLAG_USE_CLOCKID (UINT64_C(1) << 25)
#define PERF_FLAG_WRITE_BACKWARD (UINT64_C(1) << 27)

/* attr.branch_sample_type bits that change what a branch stack looks like. */
#define PERF_BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define PERF_BRANCH_COUNTERS (UINT64_C(1) << 19)

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define LIKELY(condition) __builtin_expect(!!(condition), 1)

/* Of a header as 8 bytes on a little-endian machine: misc, in both byte orders. */
#define PERF_MISC_MASK UINT64_C(0x0000ffff00000000)

/* Decodes type u32, misc u16, size u16.  On the hot path: every record is read twice. */
static inline struct perf_header perf_decode_header(const uint8_t *at, bool big_endian)
{
	struct perf_header header;
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	if (UNLIKELY(big_endian)) {
		header.type = __builtin_bswap32((uint32_t)word);
		header.misc = __builtin_bswap16((uint16_t)(word >> 32));
		header.size = __builtin_bswap16((uint16_t)(word >> 48));
	} else {
		header.type = (uint32_t)word;
		header.misc = (uint16_t)(word >> 32);
		header.size = (uint16_t)(word >> 48);
	}
	/* simpleperf: the upper half of the size is in place of misc. */
	if (UNLIKELY(header.type >= PERF_RECORD_SIMPLEPERF_FIRST &&
		     header.type <= PERF_RECORD_SIMPLEPERF_LAST)) {
		header.size |= (uint32_t)header.misc << 16;
		header.misc = 0;
	}
	return header;
}

/*
 * Returns the tid of a record; -1: an exiting thread.  Kernels before 4.17 have 0 there
 * for a thread that has left its process, which may still have its number.
 */
static inline int64_t perf_tid(int64_t pid, int64_t tid)
{
	return tid == 0 && pid != 0 ? -1 : tid;
}

static inline bool perf_is_kernel_type(uint32_t type)
{
	return type >= 1 && type <= PERF_RECORD_KERNEL_LAST;
}

static inline bool perf_is_compressed(uint32_t type)
{
	return type == PERF_RECORD_COMPRESSED || type == PERF_RECORD_COMPRESSED2;
}

#endif
