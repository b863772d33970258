/*
 * job.h - from one open input to what is printed of it.
 */
#ifndef PERFTAB_ANALYZE_JOB_H
#define PERFTAB_ANALYZE_JOB_H

#include "html.h"
#include "options.h"
#include "over_time.h"
#include "pipeline/pipeline.h"
#include "value_report.h"

#define TEXT_LINES_DEFAULT 25

struct job {
	const struct analyze_options *options;
	const char *path;
	const char *reader; /* name of its format */
	struct progress progress;
	int traces;		    /* of this input */
	int printed;		    /* traces so far, of all inputs */
	bool has_others;	    /* it is one of several traces */
	struct value_report values; /* of PerfLib */
	bool opened;		    /* the JSON document */
	bool damaged, unbalanced, nothing_to_check, wrong_usage;
	bool has_series; /* a bill for each interval of a recorded trace */
	struct series series;
	struct html *html;    /* NULL: something is printed instead */
	struct places places; /* --by symbol or module */
	/* Live. */
	bool is_live, in_blocks; /* in blocks: a bill for each interval */
	int64_t tree;		 /* only what this process started, 0: all */
	bool tree_of_recorder;	 /* which recorded before it started any */
	const struct live *live;
	int64_t wall_offset_ns; /* from the trace's clock to ns since 1970 */
	bool stdout_failed;	/* after a block, and it was reported */
	/* Of pipeline_hooks.trace, with the job as its context; NULL: nothing changes. */
	void (*on_trace)(void *context, struct trace_row *row);
	struct pipeline *pipeline;
};

/* Before job_run(), of a trace that reaches so far; false: it was reported why not. */
bool job_begin_series(struct job *job, const struct trace_row *range);
/* What the hooks of a run with intervals are; their context is the job. */
void job_hook_series(struct pipeline_hooks *hooks);
/* The same of what a page shows over time. */
void job_hook_html(struct pipeline_hooks *hooks);
/* job_places.c: the same for --by symbol and module. */
void job_hook_places(struct pipeline_hooks *hooks);
/* Their lines; ST_OK, or *error says why there are none. */
MUST_CHECK enum status job_make_places(struct job *job, struct pages *pages,
				       struct view *view, struct error *error);
/* In front of the totals, what names functions; a database has its names. */
MUST_CHECK enum status job_open_symbols(const struct job *job, struct sink *sink,
					struct sink *totals);
/* Live, a pid is what is recorded: it and what it starts. */
struct cut_filter job_filter(const struct job *job);
/* job_checks.c: an option that values of PerfLib have no use for; NULL: none. */
const char *job_bill_option(const struct job *job);
/* ST_OK, or *error says what was asked for and is not in the trace. */
MUST_CHECK enum status job_check_values(const struct job *job, struct error *error);
MUST_CHECK enum status job_check_no_values(const struct job *job, struct error *error);
MUST_CHECK enum status job_check_matches(const struct job *job, struct error *error,
					 const struct pages *pages);
MUST_CHECK enum status job_check_cgroups(const struct job *job, struct error *error,
					 const struct totals *totals);
MUST_CHECK enum status job_check_cpus(const struct job *job, struct error *error,
				      const struct totals *totals);
void job_missing_cpus(const struct job *job, const struct totals *totals, char *text,
		      size_t size);
MUST_CHECK enum status job_check_window(struct job *job, struct error *error,
					const struct trace_row *trace);
/* Reads all of it, prints each trace in it; returns the exit status so far. */
int job_run(struct job *job, struct reader *reader);
/* After the last trace of an input: reports what is wrong with it; its exit status. */
int job_end_input(const struct job *job, int result);
/* After the last input: completes the document and closes stdout; the exit status. */
int job_finish(const struct job *job, int result);

#endif
