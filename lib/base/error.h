/*
 * error.h - statuses of functions, and the text of a failure.
 *
 * A function that can fail returns enum status.  The function that finds the fault calls
 * error_set() on the object's struct error; its callers return the status unchanged, and
 * main() prints "<tool>: <file>: <text>".
 */
#ifndef PERFTAB_ERROR_H
#define PERFTAB_ERROR_H

#include <stdint.h>

enum status { /* > 0 benign, 0 fine, < 0 stop */
	      ST_OK = 0,
	      ST_END = 1,	   /* no more records */
	      ST_CORRUPT = -1,	   /* invalid bytes */
	      ST_TRUNCATED = -2,   /* the input ends too early */
	      ST_UNSUPPORTED = -3, /* well formed, but not for this version */
	      ST_LIMIT = -4,	   /* over a named maximum */
	      ST_IO = -5,	   /* the system refused to read or write */
	      ST_NOMEM = -6,	   /* out of memory */
	      ST_INTERRUPTED = -7, /* SIGINT or SIGTERM */
};

#define ERROR_NO_OFFSET UINT64_MAX

struct error {
	enum status status;
	uint64_t offset; /* in the input, or ERROR_NO_OFFSET */
	char text[256];	 /* lower case, no full stop, expected and found */
};

#define MUST_CHECK __attribute__((warn_unused_result))
#ifdef _WIN32 /* plain printf would mean that of the Windows C library */
#define PRINTF_LIKE(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#endif

/* Records the first failure only; returns `status`, for use in a return statement. */
enum status error_set(struct error *error, enum status status, uint64_t offset,
		      const char *format, ...) PRINTF_LIKE(4, 5);

/* Sets "out of memory". */
enum status error_nomem(struct error *error);

/* Sets "cannot DOING PATH: ", then what errno says. */
enum status error_system(struct error *error, const char *doing, const char *path);

/* Sets what `from`, such as that of another thread, records; ST_OK: nothing. */
enum status error_copy(struct error *error, const struct error *from);

#endif
