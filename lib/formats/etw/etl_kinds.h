/*
 * etl_kinds.h - the kernel's events by group and opcode, and the count of every kind.
 */
#ifndef PERFTAB_ETL_KINDS_H
#define PERFTAB_ETL_KINDS_H

#include "formats/etw/etl.h"

/* group << 8 | opcode, also called hook ids; names in etl_kinds.c. */
enum etl_kernel_event {
	ETL_LOG_HEADER = 0x0000,
	ETL_BUILD_LAB = 0x0042,
	ETL_LAST_DROPPED = 0x0052,
	ETL_PROCESS_START = 0x0301,
	ETL_PROCESS_END = 0x0302,
	ETL_PROCESS_DC_START = 0x0303,
	ETL_PROCESS_DC_END = 0x0304,
	ETL_IMAGE_LOAD = 0x030a,
	ETL_PROCESS_DEFUNCT = 0x0327,
	ETL_THREAD_START = 0x0501,
	ETL_THREAD_END = 0x0502,
	ETL_THREAD_DC_START = 0x0503,
	ETL_THREAD_DC_END = 0x0504,
	ETL_CSWITCH = 0x0524,
	ETL_CSWITCH_BATCH = 0x0525,
	ETL_READY_THREAD = 0x0532,
	ETL_THREAD_NAME = 0x0548,
	ETL_CONFIG_CPU = 0x0b0a,
	ETL_SAMPLED_PROFILE = 0x0f2e,
	ETL_PMC_INTERRUPT = 0x0f2f,
	ETL_PMC_CONFIG = 0x0f30,
	ETL_PMC_CORRUPTION = 0x0f31,
	ETL_ISR_MSI = 0x0f32,
	ETL_THREADED_DPC = 0x0f42,
	ETL_ISR = 0x0f43,
	ETL_DPC = 0x0f44,
	ETL_TIMER_DPC = 0x0f45,
	ETL_INTERVAL_SET = 0x0f48,
	ETL_INTERVAL_DC_START = 0x0f49,
	ETL_INTERVAL_DC_END = 0x0f4a,
	ETL_IMAGE_UNLOAD = 0x1402,
	ETL_IMAGE_DC_START = 0x1403,
	ETL_IMAGE_DC_END = 0x1404,
	ETL_IMAGE_LOAD_CLASSIC = 0x140a, /* with the classic GUID */
};

/* Counts an event under its kind; NULL: out of memory. */
struct etl_kind *etl_kind_count(struct etl_kinds *kinds, const struct etl_event *event);
/*
 * Has etl_plain_skip() skip events that begin like the one at `at`, if the first walk
 * only counts them.
 */
void etl_kind_remember(struct etl_kinds *kinds, const uint8_t *at,
		       const struct etl_event *event, struct etl_kind *kind);
/* Returns the time of a plain event. */
uint64_t etl_plain_ticks(const uint8_t *at);
/* Skips a plain event at the cursor; NULL: it is another one. */
const struct etl_plain *etl_plain_skip(const struct etl_plain plains[ETL_PLAINS],
				       struct cursor *c);
/* Counts plain events. */
void etl_plain_count(const struct etl_plain *plain, uint32_t events);

#endif
