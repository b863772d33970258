/*
 * mock.h - a Windows that is played: it does what a script says, and notes down
 * every call with its structures, byte for byte.
 *
 * Only in test programs.  It knows Windows from the documents, like the code that it
 * tests: what it shows is that the calls are those that are documented, in their order,
 * and that nothing is left behind.
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
	uint32_t limit;			   /* 0: not told */
	uint32_t command_code, command_ms; /* 0 ms: at once; UINT32_MAX: never */
	uint32_t interrupt_ms, gone_ms;	   /* UINT32_MAX: never */
	uint32_t events_lost, buffers_lost;
	uint64_t free_bytes;
	bool held;	 /* counters, by others who are known */
	bool quiet;	 /* no log */
	bool processors; /* are the first counterset of the bundle */
	char bundle[MOCK_NAME];
	uint32_t refused_identifier, refused_code; /* from 1; 0: none */

	/* The machine. */
	uint32_t now_ms;
	unsigned calls;
	struct mock_session sessions[MOCK_SESSIONS];
	char files[MOCK_FILES][MOCK_NAME];
	int handles, privileges, processes, faults;
	int64_t ticks;
	unsigned lists; /* how often the list was asked for */
	uint32_t process_end_ms;
	bool catches, process_ended;
	uint32_t process_code;
};

extern struct mock mock;

/* Commands with semicolons; see script.c.  Ends the program on a wrong one. */
void mock_script(const char *script);
void mock_api(struct windows_api *api);
/* What is left of what the program has started. */
void mock_report_left(void);

/* The bytes of a list of profile sources, made as the script says. */
size_t mock_source_list(uint8_t *to, size_t size);

/* --- for the parts of the double --- */

/* Begins a call: what the script has it fail with, or 0. */
uint32_t mock_enter(const char *function);
void mock_log(const char *format, ...) PRINTF_LIKE(1, 2);
/* Little-endian numbers of 32 bits, then the bytes that are left over. */
void mock_log_numbers(const void *numbers, size_t size);
/* The fields that changed since *last, a line each; it becomes the last. */
void mock_log_properties(const struct etw_properties *properties,
			 struct etw_properties *last);
void mock_log_event(const struct etw_event_id *event);
/* PERF_COUNTER_IDENTIFIER blocks, a line each. */
void mock_log_identifiers(const uint8_t *identifiers, uint32_t size);
/* A breach of the rules of Windows: told, counted, and answered as an error would be. */
uint32_t mock_fault(const char *what);
void mock_text(char *to, size_t size, const uint16_t *text);
void mock_system(struct system_api *api);
void mock_etw(struct etw_api *api);
void mock_perflib(struct perflib_api *api);
void mock_perflib_release(void);
/* Whether a script has it that this Windows lacks a function. */
bool mock_is_missing(const char *function);
/* The number that stands for a way of getting sizes wrong; 0: no such word. */
uint32_t mock_size_fault(const char *word);
bool mock_has_file(const char *name);
bool mock_add_file(const char *name);

#endif
