/*
 * perftab.h - reads performance traces as tables: perf.data, ETW, PerfLib and others.
 *
 *	struct perftab *trace;
 *
 *	if (perftab_open(&trace, "perf.data", NULL) == PERFTAB_OK)
 *		while (perftab_next(trace) == PERFTAB_ROW)
 *			...perftab_table(trace), perftab_int(trace, 0)...
 *	if (perftab_status(trace) < 0)
 *		...perftab_error(trace)...
 *	perftab_close(trace);
 *
 * A handle reads one trace, once: its rows, or its bill, or a conversion.  The tables and
 * columns are those of a converted database (share/perftab/schema).  Only the row at hand
 * is kept, so memory does not grow with the trace.
 *
 * A handle may be used by one thread at a time; different handles by different threads at
 * once.  The library handles no signals, prints nothing, and never ends the process: what
 * a trace does wrong is a status, or a row of the table `finding`.  Each handle has
 * threads of its own that read and decode; where the kernel allows, they, but not the
 * host, are in a sandbox.  All callbacks run in the thread that calls the library.
 * Handles are of no use in a child process after fork().
 */
#ifndef PERFTAB_H
#define PERFTAB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PERFTAB_API __attribute__((visibility("default")))
#else
#define PERFTAB_API
#endif

/* Of this header; perftab_version() is that of the library. */
#define PERFTAB_VERSION_MAJOR 0
#define PERFTAB_VERSION_MINOR 1

/* "0.1.0"; valid for ever. */
PERFTAB_API const char *perftab_version(void);

/* Negative: a failure, which the handle keeps. */
enum perftab_status {
	PERFTAB_OK = 0,
	PERFTAB_ROW = 1,	  /* there is a row */
	PERFTAB_DONE = 2,	  /* there are no more */
	PERFTAB_CORRUPT = -1,	  /* invalid bytes where the format needs others */
	PERFTAB_TRUNCATED = -2,	  /* the trace ends too early */
	PERFTAB_UNSUPPORTED = -3, /* no known format, or a variant that is not read */
	PERFTAB_LIMIT = -4,	  /* over a named maximum (SECURITY.md) */
	PERFTAB_IO = -5,	  /* the system, or the read callback, failed */
	PERFTAB_NOMEM = -6,	  /* out of memory */
	PERFTAB_INTERRUPTED = -7, /* by the callback of the options */
	PERFTAB_MISUSE = -8	  /* a call that makes no sense here; rows go on */
};

/* --- opening --- */

struct perftab;

struct perftab_options {
	size_t size; /* of this struct: set by PERFTAB_OPTIONS */
	/*
	 * Names of tables, separated by commas: only their rows are given, and what
	 * others alone need is not worked out.  NULL: all.  A name that neither the schema
	 * nor the trace has is PERFTAB_UNSUPPORTED, at the end of the trace.
	 */
	const char *tables;
	/* Rows with a column cpu, and a bill: of this one alone; -1: of all. */
	int64_t cpu;
	/* Rows with a column ts_ns, and a bill: from from_ns to to_ns, both included. */
	int64_t from_ns, to_ns;
	/* Called every 20 ms or less while the library waits; not 0 ends the reading. */
	int (*interrupted)(void *context);
	void *context;
	unsigned int flags; /* PERFTAB_NO_SANDBOX */
};

/* The thread of the handle is not confined: for debuggers. */
#define PERFTAB_NO_SANDBOX 1u

/* struct perftab_options options = PERFTAB_OPTIONS; */
#define PERFTAB_OPTIONS                                                               \
	{                                                                             \
		sizeof(struct perftab_options), NULL, -1, INT64_MIN, INT64_MAX, NULL, \
			NULL, 0                                                       \
	}

/*
 * Opens a file, or the directory of a trace.  *trace is set, for perftab_error() and
 * perftab_close(), on failure too; it is NULL if there is no memory for it.  A trace is
 * recognised when the first row is asked for.
 */
PERFTAB_API int perftab_open(struct perftab **trace, const char *path,
			     const struct perftab_options *options);
/* The bytes of a trace, which must stay until perftab_close(). */
PERFTAB_API int perftab_open_memory(struct perftab **trace, const void *bytes,
				    size_t size, const struct perftab_options *options);
/*
 * A trace from a callback, which returns how many bytes it has written to `to`: at most
 * `room`, 0 at the end of the trace, less on failure.  `name` is for messages and for the
 * column trace.path.
 */
typedef ptrdiff_t perftab_read(void *context, void *to, size_t room);
PERFTAB_API int perftab_open_read(struct perftab **trace, const char *name,
				  perftab_read *read, void *context,
				  const struct perftab_options *options);
/* Ends the reading, at any time.  NULL is allowed. */
PERFTAB_API void perftab_close(struct perftab *trace);

/* --- rows --- */

/* PERFTAB_ROW, PERFTAB_DONE, or a failure; after either, the same again. */
PERFTAB_API int perftab_next(struct perftab *trace);

/*
 * Of the row at hand; valid until the next call of perftab_next().  The columns are those
 * of this row: a switch has delta_0, delta_1, ... as far as its group has counters, so
 * rows of one table can have more columns than the first of them.
 */
PERFTAB_API const char *perftab_table(const struct perftab *trace);
PERFTAB_API int perftab_columns(const struct perftab *trace);
/* NULL: there is no such column. */
PERFTAB_API const char *perftab_column_name(const struct perftab *trace, int column);
/* The column of that name; -1: there is none. */
PERFTAB_API int perftab_find(const struct perftab *trace, const char *name);

enum perftab_type {
	PERFTAB_NULL,
	PERFTAB_INTEGER,
	PERFTAB_REAL,
	PERFTAB_TEXT,
	PERFTAB_BLOB
};
PERFTAB_API enum perftab_type perftab_type(const struct perftab *trace, int column);
/* 0, and NULL, of values that are of another type. */
PERFTAB_API int64_t perftab_int(const struct perftab *trace, int column);
PERFTAB_API double perftab_real(const struct perftab *trace, int column);
/*
 * A text or blob; *length, unless NULL, is its length in bytes.  A NUL follows, but a
 * text may have others; it is valid UTF-8.
 */
PERFTAB_API const char *perftab_text(const struct perftab *trace, int column,
				     size_t *length);

/* --- instead of rows --- */

/*
 * Before the first row: the rows are then those of a bill, by "process", "thread", "cpu",
 * "comm", "tree" or "cgroup".  Their table is `bill`, and the columns are those of
 * `perftab-analyze --by WHAT --csv`.  An interval is in the bill if it ends on the CPU and
 * at the times of the options.  A trace without counter groups has no rows.
 */
PERFTAB_API int perftab_bill(struct perftab *trace, const char *by);
/*
 * Instead of rows: converts the trace as perftab-convert does.  `format` is "sqlite",
 * "csv", "parquet", "clickhouse" (the table bill), "perfetto", "folded" or "speedscope";
 * `path` must not exist.  The tables, cpu and times of the options do not matter here,
 * and there is no sandbox.
 * PERFTAB_DONE, or a failure, which leaves no output.
 */
PERFTAB_API int perftab_convert(struct perftab *trace, const char *format,
				const char *path);

/* --- what went wrong --- */

/* The last status. */
PERFTAB_API int perftab_status(const struct perftab *trace);
/* In words, in one line; "" if nothing failed.  Valid until the next call. */
PERFTAB_API const char *perftab_error(const struct perftab *trace);
/* Where in the trace; PERFTAB_NO_OFFSET: at no place that is known. */
#define PERFTAB_NO_OFFSET UINT64_MAX
PERFTAB_API uint64_t perftab_error_offset(const struct perftab *trace);
/* 1: damage was found so far; the table `finding` describes it. */
PERFTAB_API int perftab_is_damaged(const struct perftab *trace);

#ifdef __cplusplus
}
#endif

#endif
