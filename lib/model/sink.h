/*
 * sink.h - the interface that every output implements.
 *
 * put() gets table rows, in any number and order of tables, and copies the data it keeps.
 * An output gets its final name when finish() returns ST_OK; close() afterwards, or
 * instead of finish(), removes a partial output.
 */
#ifndef PERFTAB_SINK_H
#define PERFTAB_SINK_H

#include "base/error.h"
#include "model/run.h"

struct sink;

struct sink_ops {
	const char *name;
	size_t state_size;
	bool to_stdout;	  /* the path "-" is standard output */
	bool totals_only; /* wants no context_switch rows, which come by the million */
	bool no_process_sums; /* wants no process_summary and process_charge rows */
	enum status (*open)(struct sink *sink);
	enum status (*put)(struct sink *sink, const struct record *record);
	/* put() of many context_switch rows at once; NULL: put() gets each. */
	enum status (*put_run)(struct sink *sink, const struct run_rows *rows);
	/* No more samples and call chains of this trace follow. */
	enum status (*end_addresses)(struct sink *sink);
	/* No more switches follow.  Both hold unless the input is damaged. */
	enum status (*end_switches)(struct sink *sink);
	enum status (*finish)(struct sink *sink);
	void (*close)(struct sink *sink);
};

enum sink_verify { VERIFY_SMALL, VERIFY_ALWAYS, VERIFY_NEVER };

/* When to flush an output to the disk before it gets its name. */
enum sink_sync { SYNC_REPLACING, SYNC_ALWAYS, SYNC_NEVER };

/* Tables for many traces, of which a stream has one. */
enum fleet_table { FLEET_BILL, FLEET_BILL_BY_SECOND, FLEET_SWITCH, FLEET_TABLES };

struct sink_options {
	const char *path;
	bool overwrite;		    /* replace an output that exists */
	const char *overwrite_hint; /* how the user asks for that; or NULL */
	unsigned int mode; /* permissions; 0: for the user alone, less the umask */
	enum sink_sync sync;
	const char *counter;	/* stacks: their weight; NULL: the heaviest counter */
	bool csv_safe;		/* no text cell may look like a spreadsheet formula */
	bool no_views;		/* CSV: leave out files that join tables */
	bool all_tables;	/* Parquet: write every table, too */
	enum fleet_table table; /* ClickHouse */
	const char
		*create; /* ClickHouse: only the statements, for this cluster; or NULL */
	bool parquet_plain;    /* use no encodings that old readers lack */
	uint64_t input_bytes;  /* of all inputs, a hint; 0: unknown */
	bool totals_only;      /* leave out rows that come by the million */
	bool indexes;	       /* false: leave out what can be made later (benchmarks) */
	bool by_sql;	       /* databases: SQLite inserts every row, no bulk loading */
	uint64_t memory_bytes; /* for sorting; 0: the default */
	enum sink_verify verify;		       /* databases: docs/bulk-load.md */
	void (*note)(void *context, const char *text); /* for --verbose; or NULL */
	void (*warn)(void *context, const char *text); /* or NULL */
	void *context;
};

struct sink {
	const struct sink_ops *ops;
	void *state;
	struct sink_options options;
	struct error error;
};

MUST_CHECK enum status sink_open(struct sink *sink, const struct sink_ops *ops,
				 const struct sink_options *options);
MUST_CHECK static inline enum status sink_put(struct sink *sink,
					      const struct record *record)
{
	return sink->ops->put(sink, record);
}
MUST_CHECK enum status sink_put_run(struct sink *sink, const struct run_rows *rows);
/* Passes each row to put(). */
MUST_CHECK enum status sink_put_rows(struct sink *sink, const struct run_rows *rows);
/* Hints: in damaged input rows may follow nevertheless. */
MUST_CHECK enum status sink_end_addresses(struct sink *sink);
MUST_CHECK enum status sink_end_switches(struct sink *sink);
MUST_CHECK enum status sink_finish(struct sink *sink);
void sink_close(struct sink *sink);

#endif
