/*
 * record.h - a whole recording: privilege, counters, session, command, and the cleanup of
 * all of them after any failure.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_ETW_RECORD_H
#define PERFTAB_CAPTURE_WINDOWS_ETW_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/windows/api/api.h"
#include "capture/windows/etw/profile_sources.h"
#include "capture/windows/etw/session.h"

struct etw_record_options {
	const char *const *event_lists; /* comma-separated names */
	size_t event_list_count;	/* 0: the defaults */
	const char *const *samples;	/* SOURCE=INTERVAL */
	size_t sample_count;
	uint32_t flags; /* WIN_FLAG_DPC, WIN_FLAG_INTERRUPT */
	const char *output;
	char *const *command; /* or NULL */
	double seconds;	      /* 0: until the command ends or Ctrl-C */
	struct etw_session_options session;
	void (*warn)(const char *text);
};

struct etw_record_result {
	char counters[400]; /* comma-separated names, in the order of the trace */
	double seconds;
	struct win_machine machine;
	uint32_t buffers, events_lost, buffers_lost;
	bool recorded; /* a trace was written */
	bool named;    /* it has the name of the output */
	bool command_ended;
	uint32_t exit_code; /* of the command; 126, 127: it did not start */
};

/* On return no session and no command runs, and the privilege is disabled. */
enum status etw_record(const struct windows_api *api,
		       const struct etw_record_options *options,
		       struct etw_record_result *result, struct error *error) MUST_CHECK;

/* Reads the profile sources; release the list in any case. */
enum status etw_list_sources(const struct windows_api *api, struct profile_sources *list,
			     struct error *error) MUST_CHECK;

#endif
