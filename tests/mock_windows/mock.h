/*
 * mock.h - a mock of the Windows API: follows a script, and logs every call with all
 * bytes of its structures.
 *
 * Its knowledge of Windows comes from the same documents as the code under test.  It
 * shows that the calls are the documented ones, in the right order, and that nothing is
 * left open; it does not show that Windows behaves as documented.
 */
#ifndef PERFTAB_MOCK_H
#define PERFTAB_MOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/windows/api/api.h"

#define MOCK_RULES 8
#define MOCK_SESSIONS 8
#define MOCK_FILES 8
#define MOCK_NAME 128

struct mock_session {
	char name[MOCK_NAME];
	uint64_t handle; /* 0: none */
	bool ours;
	bool has_counters, has_events;
};

struct mock {
	/* The script. */
	struct {
		char function[40]; /* or "any" */
		unsigned nth;	   /* 0: every call */
		uint32_t number;
	} rules[MOCK_RULES];
	size_t rule_count;
	char missing[MOCK_RULES][40];
	size_t missing_count;
	char sources[16], list[16];
	struct win_machine machine;
	uint32_t limit;			   /* 0: not reported */
	uint32_t command_code, command_ms; /* 0 ms: at once; UINT32_MAX: never */
	uint32_t bill_code;		   /* exit status of perftab-analyze */
	uint32_t interrupt_ms, gone_ms;	   /* UINT32_MAX: never */
	uint32_t events_lost, buffers_lost;
	uint64_t free_bytes;
	bool held;	 /* other sessions hold counters, and Windows reports them */
	bool quiet;	 /* no log */
	bool processors; /* the first counterset of the bundle has their GUID */
	char bundle[MOCK_NAME];
	char trace[MOCK_NAME]; /* what a session writes; "": nothing */
	uint32_t own_id;
	uint32_t refused_identifier, refused_code; /* from 1; 0: none */

	/* The machine. */
	uint32_t now_ms;
	unsigned calls;
	struct mock_session sessions[MOCK_SESSIONS];
	char files[MOCK_FILES][MOCK_NAME];
	int handles, privileges, processes, faults;
	int64_t ticks;
	uint32_t intervals[32]; /* of profile sources; 0: as the machine began */
	bool sampled;		/* there is a list of sampled sources */
	unsigned lists;		/* number of queries for the list */
	uint32_t process_end_ms;
	bool catches, process_ended;
	uint32_t process_code;
};

extern struct mock mock;

/* Runs commands, separated by semicolons; see script.c.  Exits on a wrong one. */
void mock_script(const char *script);
void mock_api(struct windows_api *api);
/* Prints the sessions, handles, processes and files that are left. */
void mock_report_left(void);

/* Writes a list of profile sources, as the script demands. */
size_t mock_source_list(uint8_t *to, size_t size);

/* --- for the parts of the mock --- */

/* Begins a call: the error that the script demands, or 0. */
uint32_t mock_enter(const char *function);
void mock_log(const char *format, ...) PRINTF_LIKE(1, 2);
/* Logs little-endian 32-bit numbers, then the remaining bytes. */
void mock_log_numbers(const void *numbers, size_t size);
/* Logs the fields that differ from *last, a line each, and updates *last. */
void mock_log_properties(const struct etw_properties *properties,
			 struct etw_properties *last);
void mock_log_event(const struct etw_event_id *event);
/* Logs PERF_COUNTER_IDENTIFIER blocks, a line each. */
void mock_log_identifiers(const uint8_t *identifiers, uint32_t size);
/* Reports and counts a breach of the rules of Windows; returns an error. */
uint32_t mock_fault(const char *what);
void mock_text(char *to, size_t size, const uint16_t *text);
void mock_system(struct system_api *api);
void mock_etw(struct etw_api *api);
void mock_perflib(struct perflib_api *api);
void mock_perflib_release(void);
/* Whether the script removes a function. */
bool mock_is_missing(const char *function);
/* The number for a fault of sizes (perflib.c); 0: no such word. */
uint32_t mock_size_fault(const char *word);
bool mock_has_file(const char *name);
bool mock_add_file(const char *name);

#endif
