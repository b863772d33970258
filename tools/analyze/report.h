/*
 * report.h - everything that the totals of one trace say, collected from table rows.
 *
 * A sink: it takes the rows that attribution, or a database, puts out.  When the trace
 * row comes, the trace is complete and `done` is called with it.
 */
#ifndef PERFTAB_REPORT_H
#define PERFTAB_REPORT_H

#include "base/arena.h"
#include "base/map.h"
#include "model/sink.h"
#include "tally.h"
#include "values.h"

/* What one group counted for one thread. */
struct report_book {
	struct thread_summary_row summary;
	int64_t *charged; /* by slot */
	int64_t *with_idle;
	int64_t *unproven;
	struct report_book *next; /* of another group */
};

struct report_thread {
	struct thread_row row;
	struct report_process *process;
	struct report_book *books;
	bool is_sampled;  /* outside of groups */
	bool is_switched; /* there are SWITCH records of it */
	struct report_thread *next;
};

struct report_process {
	struct process_row row;
	struct report_process *next;
};

struct report_counter {
	struct counter_row row;
	struct report_group *group;
	int64_t status_values[CHARGE_STATUSES];
};

struct report_cpu {
	struct cpu_summary_row summary;
	struct cpu_charge_row *charges; /* by slot */
	struct report_cpu *next;
};

struct report_group {
	struct counter_group_row row;
	size_t slots;
	size_t first; /* index of slot 0 in report.counters */
	struct report_cpu *cpus, **cpus_tail, *last_cpu;
	struct status_summary_row statuses[CHARGE_STATUSES];
	int64_t switches;     /* that it saw */
	int64_t all_switches; /* that any group saw, on the CPUs where it saw some */
};

struct report {
	struct arena arena;
	struct str last_text; /* kept last */
	struct trace_row trace;
	struct report_group *groups;
	size_t group_count;
	struct report_counter *counters; /* of groups, in order of group and slot */
	size_t counter_count;
	bool indexed; /* counters know their groups */
	struct report_process *processes, **processes_tail;
	struct report_thread *threads, **threads_tail;
	struct map process_by_id, thread_by_id, counter_by_id;
	struct finding_row *findings;
	size_t finding_count;
	const struct report_group *reference; /* saw most switches; NULL: there is none */
	struct tally tally;		      /* of what no group read */
};

/* The sink.  Its state begins with a struct report_sink. */
struct report_sink {
	struct report report;
	int64_t from_ns, to_ns; /* the window of the totals, for rows that are none */
	struct values *values;	/* those of PerfLib go here; NULL: they are not wanted */
	enum status (*done)(void *context, struct sink *sink,
			    const struct report *report);
	void *context;
};
extern const struct sink_ops report_sink_ops;

struct report_book *report_book(const struct report_thread *thread, int64_t group_id);

#endif
