/*
 * etw_record.h - a whole recording: rights, counters, session, command, and the end of
 * all of it whatever happens.
 */
#ifndef PERFTAB_ETW_RECORD_H
#define PERFTAB_ETW_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "etw_api.h"
#include "etw_session.h"
#include "perflib_api.h"
#include "profile_sources.h"
#include "system_api.h"

/* The machine: all tables. */
struct windows_api {
	struct etw_api etw;
	struct perflib_api perflib;
	struct system_api system;
};

struct etw_record_options {
	const char *const *event_lists; /* names with commas */
	size_t event_list_count;	/* 0: the usual ones */
	const char *output;
	char *const *command; /* or NULL */
	double seconds;	      /* 0: until the command ends, or Ctrl-C */
	struct etw_session_options session;
	void (*warn)(const char *text);
};

struct etw_record_result {
	char counters[400]; /* their names, with commas, as the trace has them */
	double seconds;
	struct win_machine machine;
	uint32_t buffers, events_lost, buffers_lost;
	bool recorded; /* there is a trace */
	bool command_ended;
	uint32_t exit_code; /* of the command; 126 and 127: it did not start */
};

/* Whatever comes back: no session runs, no command either, and no right is left on. */
enum status etw_record(const struct windows_api *api,
		       const struct etw_record_options *options,
		       struct etw_record_result *result, struct error *error) MUST_CHECK;

/* The list alone; its sources are to be released. */
enum status etw_list_sources(const struct windows_api *api, struct profile_sources *list,
			     struct error *error) MUST_CHECK;

#endif
