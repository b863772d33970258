/*
 * etw.h - the event tracing functions of Windows, as a table of pointers.
 *
 * The structures are those of evntrace.h, declared here with fixed widths for 64-bit
 * Windows.  Each function returns an error code of api/numbers.h, and is NULL if this
 * Windows lacks it.  etw.c fills the table in the program, a mock in tests.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_API_ETW_H
#define PERFTAB_CAPTURE_WINDOWS_API_ETW_H

#include <stdint.h>

struct win_guid {
	uint32_t data1;
	uint16_t data2, data3;
	uint8_t data4[8];
};

/* EVENT_TRACE_PROPERTIES, with its WNODE_HEADER: 120 bytes */
struct etw_properties {
	uint32_t buffer_size; /* total, with the names */
	uint32_t provider_id;
	uint64_t historical_context;
	uint64_t time_stamp;
	struct win_guid guid;
	uint32_t client_context; /* the clock */
	uint32_t flags;
	uint32_t buffer_kib;
	uint32_t minimum_buffers, maximum_buffers;
	uint32_t maximum_file_mib;
	uint32_t log_file_mode;
	uint32_t flush_timer;
	uint32_t enable_flags;
	int32_t age_limit;
	uint32_t number_of_buffers, free_buffers;
	uint32_t events_lost;
	uint32_t buffers_written;
	uint32_t log_buffers_lost, real_time_buffers_lost;
	uint64_t logger_thread_id;
	uint32_t log_file_name_offset;
	uint32_t logger_name_offset;
};

/* TRACE_PROFILE_INTERVAL */
struct etw_profile_interval {
	uint32_t source, interval;
};

/* CLASSIC_EVENT_ID: 24 bytes */
struct etw_event_id {
	struct win_guid guid;
	uint8_t type;
	uint8_t reserved[7];
};

_Static_assert(sizeof(struct etw_properties) == 120, "as on 64-bit Windows");
_Static_assert(sizeof(struct etw_event_id) == 24, "without padding");

struct etw_api {
	/* StartTraceW */
	uint32_t (*start)(uint64_t *session, const uint16_t *name,
			  struct etw_properties *properties);
	/* ControlTraceW; the session by its handle or, if that is 0, by its name */
	uint32_t (*control)(uint64_t session, const uint16_t *name,
			    struct etw_properties *properties, uint32_t code);
	/* TraceSetInformation */
	uint32_t (*set)(uint64_t session, uint32_t kind, void *information,
			uint32_t size);
	/* TraceQueryInformation; missing in Wine and Windows 7 */
	uint32_t (*query)(uint64_t session, uint32_t kind, void *information,
			  uint32_t size, uint32_t *returned);
};

/* Fills the table with the functions of this machine. */
void etw_api_windows(struct etw_api *api);

#endif
