/*
 * perflib.h - the consumer functions of PerfLib, as a table of pointers.
 *
 * Like etw.h: each function returns an error code and is NULL if this Windows lacks it;
 * perflib.c fills the table in the program, a mock in tests.  GUIDs and structures are
 * laid out as in capture/perflib/source.h.  The last argument after `room` is the size
 * filled or required, in bytes; `enumerate` counts GUIDs instead.
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

/* Members, and the names that advapi32 exports. */
#define PERFLIB_FUNCTIONS(X)                                   \
	X(enumerate, "PerfEnumerateCounterSet")                \
	X(instances, "PerfEnumerateCounterSetInstances")       \
	X(registration, "PerfQueryCounterSetRegistrationInfo") \
	X(open, "PerfOpenQueryHandle")                         \
	X(add, "PerfAddCounters")                              \
	X(query_info, "PerfQueryCounterInfo")                  \
	X(query_data, "PerfQueryCounterData")                  \
	X(close, "PerfCloseQueryHandle")

/* Fills the table with the functions of this machine. */
void perflib_api_windows(struct perflib_api *api);

#endif
