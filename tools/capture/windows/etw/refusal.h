/*
 * refusal.h - turns an error code of Windows, at a step of a recording, into a message
 * with its cause and a remedy.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_ETW_REFUSAL_H
#define PERFTAB_CAPTURE_WINDOWS_ETW_REFUSAL_H

#include <stdint.h>

#include "base/error.h"
#include "capture/windows/api/system.h"

enum etw_step {
	ETW_LIST,      /* the profile sources */
	ETW_PRIVILEGE, /* SeSystemProfilePrivilege */
	ETW_OUTPUT,    /* the output file; what: its name */
	ETW_START,     /* the session; what: its name */
	ETW_COUNTERS,  /* setting the counters; what: their names */
	ETW_SAMPLES,   /* setting what is sampled; what: a source */
	ETW_EVENTS,    /* setting the events that read them */
	ETW_SWITCHES,  /* enabling context switches */
	ETW_STOP,      /* the session; what: its name */
	ETW_COMMAND,   /* the command; what: its name */
	ETW_STEPS,
};

struct etw_refusal {
	enum etw_step step;
	uint32_t number;
	const char *what; /* or NULL */
	const char *why;  /* instead of the reason in the table, or NULL */
	const struct win_machine *machine;
};

enum status etw_report_refusal(const struct etw_refusal *refusal, struct error *error);

/* The error for a list of profile sources with no counter, only a clock. */
enum status etw_report_no_counters(const struct win_machine *machine,
				   struct error *error);

#endif
