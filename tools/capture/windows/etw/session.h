/*
 * session.h - one kernel session of Windows event tracing, with counters at its context
 * switches.
 *
 * The order matters: first the session without context switches, then the list of
 * counters, the events that read them, and last the context switches, so that each has
 * counters.  docs/windows.md describes the sequence.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_ETW_SESSION_H
#define PERFTAB_CAPTURE_WINDOWS_ETW_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/windows/api/etw.h"
#include "capture/windows/api/system.h"
#include "capture/windows/etw/refusal.h"

#define ETW_COUNTERS_MAX 32
#define ETW_PATH_UNITS 1024 /* of session and file names, with NUL */
#define ETW_BUFFER_KIB 1024

struct etw_session_options {
	uint32_t memory_mib; /* maximum for buffers; 0: computed from the machine */
	bool kernel_logger;  /* use the NT Kernel Logger instead of a private session */
	bool stop_existing;
};

/* EVENT_TRACE_PROPERTIES, followed by its names */
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
	uint32_t number; /* error code of a refusal */
	struct etw_request request;
};

/* The minimum and maximum number of buffers of ETW_BUFFER_KIB. */
void etw_size_buffers(const struct win_machine *machine, uint32_t memory_mib,
		      uint32_t *minimum, uint32_t *maximum);

/* Starts it without context switches.  After a failure no session runs. */
enum status etw_session_start(struct etw_session *session, const struct etw_api *api,
			      const struct etw_session_options *options,
			      const struct win_machine *machine, const uint16_t *path,
			      struct error *error) MUST_CHECK;
/*
 * Sets counters and events; enables context switches, and the flags of the two words of
 * `more`.  After a failure the session still runs, and session->number is the error
 * code.
 */
enum status etw_session_arm(struct etw_session *session, const uint32_t *ids,
			    size_t count, const uint32_t *more,
			    enum etw_step *failed) MUST_CHECK;
/* Whether another program or Windows has stopped it. */
bool etw_session_gone(struct etw_session *session);
/* Stops it if it runs; session->request.properties then has the losses. */
enum status etw_session_stop(struct etw_session *session, struct error *error) MUST_CHECK;

/* Queries the name of the session of this handle; false: Windows refuses. */
bool etw_session_named(struct etw_session *session, char *to, size_t size);

/* "; held by session 'x', driver 'y'", or "" if Windows does not report them. */
void etw_counter_owners(const struct etw_api *api, char *to, size_t size);

#endif
