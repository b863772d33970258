/*
 * etw_refusal.h - a number of Windows, at a step of a recording, as a sentence with its
 * cause and the next thing to do.
 */
#ifndef PERFTAB_ETW_REFUSAL_H
#define PERFTAB_ETW_REFUSAL_H

#include <stdint.h>

#include "base/error.h"
#include "system_api.h"

enum etw_step {
	ETW_LIST,      /* the profile sources */
	ETW_PRIVILEGE, /* SeSystemProfilePrivilege */
	ETW_OUTPUT,    /* the file; what: its name */
	ETW_START,     /* the session; what: its name */
	ETW_COUNTERS,  /* which counters; what: their names */
	ETW_EVENTS,    /* at which events they are read */
	ETW_SWITCHES,  /* context switches on */
	ETW_STOP,      /* the session; what: its name */
	ETW_COMMAND,   /* what: its name */
	ETW_STEPS,
};

struct etw_refusal {
	enum etw_step step;
	uint32_t number;
	const char *what; /* or NULL */
	const char *why;  /* instead of the usual reason, or NULL */
	const struct win_machine *machine;
};

enum status etw_refused(const struct etw_refusal *refusal, struct error *error);

/* There is nothing but a clock in the list of profile sources. */
enum status etw_no_counters(const struct win_machine *machine, struct error *error);

#endif
