/*
 * perflib.h - PerfLib's consumer functions, behind pointers.
 *
 * As etw.h: they return numbers of Windows, one that this Windows does not have is
 * NULL, perflib.c fills the table, tests have another.  GUIDs and structures
 * are bytes laid out as source.h says.  Of those that take `room` the last argument is
 * what they filled or would need, in bytes; of `enumerate` both count GUIDs.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_API_PERFLIB_H
#define PERFTAB_CAPTURE_WINDOWS_API_PERFLIB_H

#include <stdint.h>

#include "capture/windows/api/etw.h"

struct perflib_api {
	uint32_t (*enumerate)(struct win_guid *sets, uint32_t room, uint32_t *count);
	uint32_t (*instances)(const struct win_guid *set, void *bytes, uint32_t room,
			      uint32_t *size);
	uint32_t (*registration)(const struct win_guid *set, uint32_t request,
				 uint32_t argument, void *bytes, uint32_t room,
				 uint32_t *size);
	uint32_t (*open)(uint64_t *query);
	uint32_t (*add)(uint64_t query, void *identifiers, uint32_t size);
	uint32_t (*query_info)(uint64_t query, void *bytes, uint32_t room,
			       uint32_t *size);
	uint32_t (*query_data)(uint64_t query, void *bytes, uint32_t room,
			       uint32_t *size);
	uint32_t (*close)(uint64_t query);
};

/* Members and the names that advapi32 exports. */
#define PERFLIB_FUNCTIONS(X)                                   \
	X(enumerate, "PerfEnumerateCounterSet")                \
	X(instances, "PerfEnumerateCounterSetInstances")       \
	X(registration, "PerfQueryCounterSetRegistrationInfo") \
	X(open, "PerfOpenQueryHandle")                         \
	X(add, "PerfAddCounters")                              \
	X(query_info, "PerfQueryCounterInfo")                  \
	X(query_data, "PerfQueryCounterData")                  \
	X(close, "PerfCloseQueryHandle")

/* The table of this machine. */
void perflib_api_windows(struct perflib_api *api);

#endif
