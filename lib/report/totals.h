/*
 * totals.h - collects the totals of a trace from table rows.
 *
 * A sink for the rows of attribution or of a database.  The row of the table trace is the
 * last one: then `done` is called with the totals.
 */
#ifndef PERFTAB_REPORT_TOTALS_H
#define PERFTAB_REPORT_TOTALS_H

#include "base/arena.h"
#include "base/map.h"
#include "model/sink.h"
#include "report/tally.h"
#include "report/values.h"

struct places; /* places.h */

/* The counts of one group for one thread, or for its part in a control group. */
struct totals_book {
	const struct totals_group *group;
	struct thread_summary_row summary;
	int64_t *charged; /* by slot */
	/* By slot; for most threads all three are totals.zeros. */
	int64_t *interrupts;
	int64_t *with_idle;
	int64_t *unproven;
	struct totals_book
		*next; /* of another group; of a part: of another control group */
	struct totals_book *parts; /* by known control group */
	int64_t cgroup_id;	   /* of a part; 0: the whole thread */
	bool is_sum;		   /* of all threads of a process */
	int64_t threads;	   /* if is_sum: how many of them ran */
};

struct totals_thread {
	struct thread_row row;
	struct totals_process *process;
	struct totals_book *books;
	size_t book_count;
	bool is_sampled;  /* it has samples that are of no group */
	bool is_switched; /* it has SWITCH records */
	bool is_listed;	  /* in the list of an interval of series.h */
	struct totals_thread *next;
};

struct totals_process {
	struct process_row row;
	struct totals_process *next;
};

/* A kind and vector of interrupts on a CPU while a thread was there, seen by a group. */
struct totals_interrupt {
	const struct interrupt_row *row;
	struct interrupt_summary_row summary;
	int64_t *charged; /* by slot */
	struct totals_interrupt *next;
};

struct totals_counter {
	struct counter_row row;
	struct totals_group *group;
	int64_t status_values[CHARGE_STATUSES];
	struct counter_audit_row audit; /* all zero: there is none */
};

struct totals_cpu {
	struct cpu_summary_row summary;
	struct cpu_charge_row *charges; /* by slot */
	struct totals_cpu *next;
};

struct totals_group {
	struct counter_group_row row;
	size_t slots;
	size_t first; /* index of slot 0 in totals.counters */
	/*
	 * Its switches and times are shown in lines: no group with more switches was on
	 * one of its CPUs.  Groups of different kinds of cores add up.
	 */
	bool is_reference;
	struct totals_cpu *cpus, **cpus_tail, *last_cpu;
	struct status_summary_row statuses[CHARGE_STATUSES];
	int64_t switches;     /* that it saw */
	int64_t all_switches; /* that any group saw, on the CPUs where it saw some */
};

struct totals_cgroup {
	struct cgroup_row row;
};

struct totals {
	struct arena arena;
	/* Texts of the last process and thread that had one, to share equal ones. */
	struct str last_process_name, last_command, last_name;
	struct trace_row trace;
	struct totals_group *groups;
	size_t group_count, group_room;
	struct totals_counter *counters; /* of groups, in order of group and slot */
	size_t counter_count, counter_room;
	bool indexed; /* totals_counter.group is set */
	struct totals_process *processes, **processes_tail;
	struct totals_thread *threads, **threads_tail;
	struct totals_thread *recent; /* found last; NULL: none */
	int64_t *zeros;		      /* GROUP_COUNTERS_MAX, or NULL */
	/*
	 * From a database that was asked for some processes: the sum of the others.  Each
	 * process has one thread then, with a book that is the sum of its threads.
	 */
	struct totals_thread *rest;
	int64_t rest_processes; /* in `rest`; 0: there is no rest */
	struct totals_interrupt *interrupts, **interrupts_tail;
	struct totals_interrupt *charged_interrupt; /* of the last charge */
	bool has_interrupts;			    /* interrupts were recorded apart */
	struct map process_by_id, thread_by_id, counter_by_id, interrupt_by_id;
	struct map group_by_id;	  /* -> its index + 1, once they are indexed */
	struct map cpu_by_place;  /* hash of group and CPU -> struct totals_cpu */
	struct map book_by_place; /* hash of thread and group, if it has many books */
	struct map interrupt_by_place;
	struct map cgroup_by_id;  /* -> struct totals_cgroup, the last of that id */
	struct map part_by_place; /* hash of thread, group, control group -> its book */
	bool has_cgroups;	  /* threads or samples name control groups */
	struct finding_row *findings;
	size_t finding_count, finding_room;
	bool is_window;			      /* totals_limit_findings() was called */
	size_t window_finding_count;	      /* if is_window: the first ones are of it */
	const struct totals_group *reference; /* with most switches; NULL: none */
	int64_t switches;		      /* of all reference groups */
	struct tally tally;		      /* of events that no group reads */
};

/* The sink.  Its state begins with a struct totals_sink. */
struct totals_sink {
	struct totals totals;
	int64_t from_ns, to_ns; /* window, for rows that are not totals */
	const bool *cpus;	/* CPUs, for the same rows; NULL: all */
	size_t cpu_count;
	struct places *places; /* for frames; NULL: not wanted */
	struct values *values; /* for values of PerfLib; NULL: not wanted */
	/* Called when a trace is complete; its totals are freed after the call. */
	enum status (*done)(void *context, struct sink *sink, struct totals *totals);
	void *context;
};
extern const struct sink_ops totals_sink_ops;

struct totals_group *totals_group(const struct totals *totals, int64_t group_id);
/* Adds the charges of a process, or of the rest.  False: they do not fit. */
bool totals_on_process(struct totals *totals, const struct process_total_event *event);
/* Adds the part of a book for a control group; NULL: out of memory. */
struct totals_book *totals_add_part(struct arena *arena, struct totals_book *book,
				    int64_t cgroup_id, size_t slots);

#endif
