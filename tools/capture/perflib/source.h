/*
 * source.h - a source of PerfLib answers: the consumer functions of PerfLib as a table.
 *
 * Each call is like its namesake in perflib.h: it returns a Win32 error code, fills the
 * caller's buffer, and reports how many bytes it filled or requires.  Windows, /proc and
 * a replayed bundle are sources.  GUIDs are 16 bytes as in memory, structures are laid
 * out as in Microsoft's documentation; all little-endian.
 */
#ifndef PERFTAB_CAPTURE_PERFLIB_SOURCE_H
#define PERFTAB_CAPTURE_PERFLIB_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/perflib/layout.h"
#include "formats/perflib/write.h"

/* The Win32 codes used here; source_code_text() knows more. */
enum source_code {
	CODE_DONE = 0,
	CODE_FILE_NOT_FOUND = 2,
	CODE_ACCESS_DENIED = 5,
	CODE_NOT_ENOUGH_MEMORY = 8, /* the buffer is too small */
	CODE_OUT_OF_MEMORY = 14,
	CODE_READ_FAULT = 30,
	CODE_INVALID_PARAMETER = 87,
	CODE_NO_FUNCTION = 127,	  /* ERROR_PROC_NOT_FOUND */
	CODE_NO_MORE_ITEMS = 259, /* used for: no more snapshots */
	CODE_NOT_FOUND = 1168,
	CODE_SET_NOT_FOUND = 4200,	/* ERROR_WMI_GUID_NOT_FOUND */
	CODE_INSTANCE_NOT_FOUND = 4201, /* ERROR_WMI_INSTANCE_NOT_FOUND */
	CODE_COUNTER_NOT_FOUND = 4202,	/* ERROR_WMI_ITEMID_NOT_FOUND */
};

/* "all counters", and "any instance" */
#define SOURCE_ANY UINT32_MAX

/* Sizes of perflib.h's structures. */
#define SOURCE_COUNTER_BYTES 48	   /* PERF_COUNTER_REG_INFO */
#define SOURCE_IDENTIFIER_BYTES 40 /* PERF_COUNTER_IDENTIFIER, without its name */
#define SOURCE_STRINGS_BYTES 8	   /* PERF_STRING_BUFFER_HEADER */
#define SOURCE_STRING_BYTES 8	   /* PERF_STRING_COUNTER_HEADER */
#define SOURCE_NAME_UNITS_MAX 1023

#define SOURCE_HAS_INSTANCES 2 /* a bit of the instance type */
#define SOURCE_NOT_SHOWN 2     /* a bit of a counter's attributes */

struct source {
	const struct source_ops *ops;
	void *state;
};

struct source_buffer {
	uint8_t *bytes; /* NULL: room is 0 */
	uint32_t room;
	uint32_t size; /* out: filled, or needed */
};

struct source_ops {
	const char *name;
	/* Its snapshots have recorded times: do not wait for the schedule. */
	bool is_recorded;

	/* An array of GUIDs. */
	uint32_t (*enumerate)(void *state, struct source_buffer *buffer);
	uint32_t (*registration)(void *state, const uint8_t *guid, uint32_t request,
				 uint32_t argument, struct source_buffer *buffer);
	/* PERF_INSTANCE_HEADER blocks. */
	uint32_t (*instances)(void *state, const uint8_t *guid,
			      struct source_buffer *buffer);
	uint32_t (*open)(void *state, uint32_t *query);
	/* PERF_COUNTER_IDENTIFIER blocks; fills in the Status of each. */
	uint32_t (*add)(void *state, uint32_t query, uint8_t *identifiers, uint32_t size);
	uint32_t (*query_info)(void *state, uint32_t query, struct source_buffer *buffer);
	uint32_t (*query_data)(void *state, uint32_t query, struct source_buffer *buffer);
	uint32_t (*close)(void *state, uint32_t query);

	/* Not part of PerfLib: the clocks, the tick counter, and facts by number. */
	void (*clock)(void *state, struct plb_clock *clock);
	int64_t (*ticks)(void *state);
	bool (*fact)(void *state, size_t number, const char **key, const char **value);
	void (*release)(void *state);
};

/* Copies the bytes to `buffer`, or reports the required size. */
uint32_t source_fill(struct source_buffer *buffer, const void *bytes, size_t size);
/* "access denied", or "" */
const char *source_code_text(uint32_t code);
/* "access denied (error 5)" */
#define SOURCE_CODE_WORDS 96
const char *source_code_words(char to[SOURCE_CODE_WORDS], uint32_t code);

#endif
