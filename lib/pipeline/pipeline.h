/*
 * pipeline.h - passes records from a reader to the sinks.
 *
 * The pump (pump.c) passes each record to a handler.  Events go to attribution, which
 * identifies threads, judges each interval (docs/attribution.md) and adds up.  Rows of a
 * trace pass with their ids set; rows of a database keep their ids and are added up
 * again.
 */
#ifndef PERFTAB_PIPELINE_H
#define PERFTAB_PIPELINE_H

#include "attribution/callchains.h"
#include "attribution/cgroups.h"
#include "attribution/chain.h"
#include "attribution/estimates.h"
#include "attribution/identity.h"
#include "attribution/ledger.h"
#include "attribution/sampling.h"
#include "audit/verdicts.h"
#include "model/reader.h"
#include "model/sink.h"
#include "pipeline/own_tables.h"

struct pipeline {
	struct sink *sinks; /* borrowed; every row goes to each */
	size_t sink_count;
	bool switches_wanted;	/* by any of the sinks */
	int64_t from_ns, to_ns; /* window of the totals; rows are not filtered */
	/* Filter of the totals by CPU; NULL: all. */
	const bool *cpus;
	size_t cpu_count; /* of `cpus`; higher numbers are not wanted */

	/* one trace */
	struct findings *findings; /* the reader's */
	struct identity identity;
	struct chains chains;
	struct estimates estimates;
	struct ledger ledger;
	struct sampling sampling;
	struct cgroups cgroups;
	struct callchains callchains;
	struct verdicts verdicts;
	int64_t trace_id;
	bool has_events; /* the reader emits events: the pipeline makes ids and threads */
	bool sums_are_stored; /* the reader emits sums: the ledger adds up nothing */
	size_t top_processes; /* reader_options.top_processes; 0 for a live trace */
	const struct pipeline_hooks *hooks;

	bool is_merged; /* one of several inputs; set it before pipeline_run() */
	bool is_last;	/* last input; set it before pipeline_run() */

	/* a live trace: totals are emitted for each interval */
	bool is_live;	      /* set it before pipeline_run() */
	int64_t live_from_ns; /* end of the last interval, INT_NONE: there was none */
	struct live_row {     /* header of a row, which follows it */
		enum record_kind kind;
		struct live_row *next;
	} * live_rows, **live_tail;
	struct arena live_arena;

	struct own_tables own_tables; /* of all traces */
	struct arena texts;	      /* of the current row */
	/* Places of the columns that attribution fills; SIZE_MAX: none. */
	struct row_ids {
		const struct table
			*table; /* the reader's; NULL: none was looked up yet */
		size_t trace, counter, thread, ts, cpu;
		bool has_texts;
	} ids[RECORD_TABLES +
	      1]; /* by kind; the last: of a table that the trace defines */
	int64_t switched_thread_id; /* of the last switch; INT_NONE: it was dropped */

	/* last ids used, across traces */
	int64_t last_trace_id, last_group_id, last_counter_id, last_switch_id,
		last_read_id, last_sample_id;
	int64_t group_base, counter_base; /* what to add to the reader's ids */

	bool is_endless;       /* the reader's input is live: a signal ends it */
	unsigned rows_emitted; /* since the last check for a signal */
};

void pipeline_init(struct pipeline *pipeline, struct sink *sinks, size_t sink_count);
void pipeline_release(struct pipeline *pipeline);

/* Callbacks of the program during a run; each may be NULL. */
struct pipeline_hooks {
	void (*progress)(void *context, const struct reader *reader);
	void (*finding)(void *context, const struct finding_row *finding);
	/* Called at the end of a trace; may change the row before the sinks get it. */
	void (*trace)(void *context, struct trace_row *row);
	void *context;
	/*
	 * Called with what the totals count: an interval, which a switch or a read ended
	 * (switch_id INT_NONE), as a record of context_switch, and whether it was charged
	 * to an interrupt; a sample; a thread that left a CPU.  False: out of memory.
	 */
	bool (*interval)(void *context, const struct record *record, bool in_interrupt);
	/* As interval() for the charged intervals of a run; NULL: no runs are read. */
	bool (*interval_run)(void *context, const struct run_rows *rows);
	bool (*sample)(void *context, const struct sample_row *row);
	bool (*on_cpu)(void *context, const struct switch_record_row *row);
};

/*
 * Reads one whole input: passes rows to the sinks, and totals at the end of each trace in
 * it.  On failure the error is in the reader or in one of the sinks.
 */
MUST_CHECK enum status pipeline_run(struct pipeline *pipeline, struct reader *reader,
				    const struct pipeline_hooks *hooks);

/*
 * Emits the totals of a live trace since the last call, as rows of a trace from from_ns
 * to to_ns.  Called between two records.
 */
MUST_CHECK enum status pipeline_interval(struct pipeline *pipeline, int64_t from_ns,
					 int64_t to_ns);

#endif
