/*
 * windows_double.h - a Windows that is played: it does what a script says, and notes down
 * every call with its structures, byte for byte.
 *
 * Only in test programs.  It knows Windows from the documents, like the code that it
 * tests: what it shows is that the calls are those that are documented, in their order,
 * and that nothing is left behind.
 */
#ifndef PERFTAB_WINDOWS_DOUBLE_H
#define PERFTAB_WINDOWS_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etw_record.h"

#define DOUBLE_RULES 8
#define DOUBLE_SESSIONS 8
#define DOUBLE_FILES 8
#define DOUBLE_NAME 128

struct double_session {
	char name[DOUBLE_NAME];
	uint64_t handle; /* 0: none */
	bool ours;
	bool has_counters, has_events;
};

struct windows_double {
	/* The script. */
	struct {
		char function[40]; /* or "any" */
		unsigned nth;	   /* 0: every call */
		uint32_t number;
	} rules[DOUBLE_RULES];
	size_t rule_count;
	char missing[DOUBLE_RULES][40];
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
	char bundle[DOUBLE_NAME];
	uint32_t refused_identifier, refused_code; /* from 1; 0: none */

	/* The machine. */
	uint32_t now_ms;
	unsigned calls;
	struct double_session sessions[DOUBLE_SESSIONS];
	char files[DOUBLE_FILES][DOUBLE_NAME];
	int handles, privileges, processes, faults;
	int64_t ticks;
	unsigned lists; /* how often the list was asked for */
	uint32_t process_end_ms;
	bool catches, process_ended;
	uint32_t process_code;
};

extern struct windows_double windows_double;

/* Commands with semicolons; see double_script.c.  Ends the program on a wrong one. */
void double_script(const char *script);
void double_api(struct windows_api *api);
/* What is left of what the program has started. */
void double_tell_left(void);

/* The bytes of a list of profile sources, made as the script says. */
size_t double_source_list(uint8_t *to, size_t size);

/* --- for the parts of the double --- */

/* Begins a call: what the script has it fail with, or 0. */
uint32_t double_enter(const char *function);
void double_log(const char *format, ...) PRINTF_LIKE(1, 2);
void double_log_bytes(const void *bytes, size_t size);
/* A breach of the rules of Windows: told, counted, and answered as an error would be. */
uint32_t double_fault(const char *what);
void double_text(char *to, size_t size, const uint16_t *text);
void double_system(struct system_api *api);
void double_etw(struct etw_api *api);
void double_perflib(struct perflib_api *api);
void double_perflib_release(void);
/* Whether a script has it that this Windows lacks a function. */
bool double_is_missing(const char *function);
/* The number that stands for a way of getting sizes wrong; 0: no such word. */
uint32_t double_size_fault(const char *word);
bool double_has_file(const char *name);
bool double_add_file(const char *name);

#endif
