/*
 * etw_session.h - one session of Windows' kernel logger, with counters on its context
 * switches.
 *
 * The order is what matters: the session without context switches, the list of counters,
 * the events they are read at, and context switches last, so that none comes without
 * counters.  docs/windows.md has the sequence.
 */
#ifndef PERFTAB_ETW_SESSION_H
#define PERFTAB_ETW_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "etw_api.h"
#include "etw_refusal.h"
#include "system_api.h"

#define ETW_COUNTERS_MAX 32
#define ETW_PATH_UNITS 1024 /* names of sessions and files, NUL included */
#define ETW_BUFFER_KIB 1024

struct etw_session_options {
	uint32_t memory_mib; /* of buffers at most; 0: by the machine */
	bool kernel_logger;  /* the NT Kernel Logger instead of a session of our own */
	bool stop_existing;
};

/* EVENT_TRACE_PROPERTIES with its names behind it */
struct etw_request {
	struct etw_properties properties;
	uint16_t logger_name[ETW_PATH_UNITS];
	uint16_t file_name[ETW_PATH_UNITS];
};

struct etw_session {
	const struct etw_api *api;
	uint64_t handle;
	const char *name;
	bool running;
	uint32_t number; /* what Windows answered when it refused */
	struct etw_request request;
};

/* Buffers of ETW_BUFFER_KIB that a session keeps at least, and may have at most. */
void etw_size_buffers(const struct win_machine *machine, uint32_t memory_mib,
		      uint32_t *minimum, uint32_t *maximum);

/* Without context switches.  After a failure nothing runs. */
enum status etw_session_start(struct etw_session *session, const struct etw_api *api,
			      const struct etw_session_options *options,
			      const struct win_machine *machine, const uint16_t *path,
			      struct error *error) MUST_CHECK;
/* Which counters, read when, then the switches.  After a failure the session still runs,
 * and session->number says why. */
enum status etw_session_arm(struct etw_session *session, const uint32_t *ids,
			    size_t count, enum etw_step *failed) MUST_CHECK;
/* It is gone: somebody else, or Windows, stopped it. */
bool etw_session_gone(struct etw_session *session);
/* Stops it if it runs; what was lost is in session->request.properties then. */
enum status etw_session_stop(struct etw_session *session, struct error *error) MUST_CHECK;

/* What the session of this handle is called; false: Windows does not say. */
bool etw_session_named(struct etw_session *session, char *to, size_t size);

/* "; held by the session 'x', the driver 'y'", as far as Windows tells, or nothing. */
void etw_counter_owners(const struct etw_api *api, char *to, size_t size);

#endif
