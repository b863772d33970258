/*
 * events.h - handwritten traces: events in, through the whole attribution stage.
 */
#ifndef PERFTAB_EVENTS_H
#define PERFTAB_EVENTS_H

#include "pipeline/pipeline.h"
#include "unit.h"

/* A list of records with copies of their events, and the values of switches. */
struct trace {
	struct record *records;
	size_t count, room;
};

/* Copies the event; what it returns may still be changed. */
void *trace_add(struct trace *trace, enum record_kind kind, const void *event,
		size_t size);
#define TRACE_ADD(trace, kind, ...) \
	trace_add((trace), (kind), &(__VA_ARGS__), sizeof(__VA_ARGS__))

/* Group `group` with two counters; counters are numbered 10 * group, ... */
void trace_begin_group(struct trace *trace, int64_t group);
/* A switch of group 1, one stream for each CPU. */
void trace_add_switch(struct trace *trace, int64_t ts, int64_t cpu, int64_t prev,
		      int64_t next, uint64_t leader, uint64_t value);
/* The record that ends every trace. */
void trace_end(struct trace *trace);

/* Runs the trace into these sinks; what it came to. */
enum status trace_run(const struct trace *trace, struct sink *sinks, size_t sink_count);
/* Ends the trace and runs it: all of its rows. */
struct unit_notes trace_rows(struct trace *trace);
/*
 * Runs two traces, whose rows must be the same, and returns them.  The second one has
 * runs; *in_runs becomes how many of its switches were judged in one loop.
 */
struct unit_notes trace_rows_of_both(const struct trace *records,
				     const struct trace *runs, size_t *in_runs);

#endif
