/*
 * chain.h - judges whether the interval between two switch samples proves its charge.
 *
 * A stream is one kernel instance of a counter group: its samples form a chain of
 * cumulative values.  An instance that follows a task is copied to every child, under the
 * same id, and is a stream for each thread.  The state of a CPU combines all its streams:
 * threads switched in and out, and losses in between.  docs/attribution.md has the rules
 * and their evidence.
 */
#ifndef PERFTAB_CHAIN_H
#define PERFTAB_CHAIN_H

#include "attribution/chain_witness.h"
#include "attribution/identity.h"
#include "attribution/interrupts.h"
#include "attribution/ledger.h"
#include "model/finding.h"
#include "model/run_sums.h"

/* Maximum of streams of a trace: 1024 CPUs with 1024 groups. */
#define STREAMS_MAX (1u << 20)

/* A SWITCH "in" record. */
struct switched_in {
	int64_t ns;   /* INT_NONE: there was none */
	int64_t tid;  /* likewise */
	int64_t from; /* the thread before it, as recorded; only valid with a `tid` */
};

struct cpu_state {
	bool any;	  /* a switch was seen; the next members describe the last one */
	int64_t switches; /* distinct ones that any stream saw */
	int64_t last_ns;
	int64_t last_prev; /* tids as the samples name them, INT_NONE: unknown */
	int64_t last_next;
	bool last_next_known;
	struct thread *prev;
	struct thread *next;

	/* the interval that ended with the last switch */
	int64_t before_ns;	      /* time of the switch before; INT_NONE: none */
	int64_t before_next;	      /* the thread it switched in, INT_NONE: unknown */
	struct switched_in before_in; /* the last one within it */
	struct thread *before_thread; /* of before_next, or NULL */
	enum witness_verdict before_witness;
	bool after_read;	 /* the interval began with a read */
	int64_t before_read_tid; /* that read's thread for the recorder; INT_NONE: none */

	/* the interval that began with the last switch */
	struct switched_in in;
	int64_t read_ns;	    /* time of the last read within it; INT_NONE: none */
	int64_t read_tid;	    /* that read's thread in the recorder's numbers */
	struct thread *before_read; /* the thread on the CPU at the last read */
	int64_t exit_tid;	    /* a thread that exited here, or INT_NONE */
	int64_t next_hint; /* SWITCH "out" record: the next thread, INT_NONE: unknown */

	struct witness witness; /* the SWITCH records in it */

	int64_t losses; /* LOST and THROTTLE records so far */
	int64_t throttles;
	bool never_multiplexed; /* it has a stream that can never be multiplexed */

	/* chain_ends.c: the longest of its streams; INT_NONE: none */
	int64_t unread_before_ns, unread_after_ns;
};

/* Where interrupts begin and end. */
struct stream_edges {
	struct interrupt_stack stack;
	bool is_last;	 /* the stream's last values were read at an edge */
	int64_t tid;	 /* of the thread on the CPU then; INT_NONE: unknown */
	int64_t own_tid; /* `tid` in the recorder's numbers */
	struct thread *thread;
};

struct stream {
	bool started;
	bool has_baseline; /* reported as such: nothing was read before its first values */
	bool is_over;	   /* its thread has ended, and its last counts are known */
	int64_t cpu;	   /* of its first sample */
	int64_t group_id;
	int64_t prev_tid; /* of its first sample; per_task: of all */
	int64_t switches; /* cpu_state.switches at its last sample */
	int64_t losses, throttles;
	int64_t ts_ns, first_ns;
	int64_t last_ns; /* of its last values; ts_ns may be of a switch without */
	int64_t enabled_ns, running_ns, leader_lost;
	bool after_unread; /* a switch without values came after its last sample */
	bool after_read;   /* its last values were read, not sampled at a switch */
	bool per_task;
	struct thread *thread; /* of its first sample; per_task: its owner */
	size_t slots;
	int64_t *first; /* each `slots` long */
	int64_t *last;
	struct stream_edges *edges; /* NULL: its group samples no edges */
};

struct chains {
	struct arena arena;
	struct cpu_state **cpus;
	size_t cpu_count;
	struct stream **streams;
	size_t stream_count;
	struct map task_streams; /* by instance and tid, of those that follow tasks */
	size_t task_stream_count;
	int64_t all_losses; /* LOST and THROTTLE records without a CPU */
	int64_t all_throttles;
	int64_t deltas[GROUP_COUNTERS_MAX]; /* of the interval just judged */
	const int64_t *values;		    /* at its end */
	bool idle;			    /* that interval was idle's */
	int64_t unseen_leaves;		    /* thread.unseen_leaves of all threads */
	struct interrupt_kinds interrupts;
	struct interrupt *interrupt; /* in which the read interval was; NULL: none */
	bool ended;		     /* `interrupt` ended with the read interval */
	size_t unfinished;	     /* streams forgotten without their last interval */
	bool out_of_memory;
};

void chains_begin(struct chains *chains);
void chains_end(struct chains *chains);
/*
 * chain_forget.c, for forget.c alone: forgets the streams of threads that ended before
 * `before_ns`.  False: out of memory, and nothing has changed.
 */
bool chains_forget_tasks(struct chains *chains, int64_t before_ns);

/*
 * Judges the interval that a switch sample ends: fills the row except for its id, and
 * chains->deltas and idle.  group_id is the output's.  False: the sample was dropped (a
 * finding says why).
 */
bool chain_switch(struct chains *chains, struct identity *identity,
		  struct findings *findings, const struct switch_event *event,
		  uint64_t offset, int64_t group_id, struct context_switch_row *row);

/* Begins a run: compares each of its switches with the one before it. */
void chain_begin_run(const struct chains *chains, struct run *run);
/*
 * Judges the switches of a run from `from` on, as long as each is charged, and fills the
 * columns of attribution.  Returns the place of the first one that it did not judge, for
 * chain_switch().
 */
size_t chain_run(struct chains *chains, struct identity *identity, struct run *run,
		 size_t from);

/*
 * For a run_sum_fn (run_sums.h): finds which switches of a run of one stream follow from
 * the ones before them, and computes their deltas.  Uses nothing but the run.
 */
void chain_compare_run(struct run *run);
/* chain_sums.c: adds them up to the first that does not; returns how many. */
size_t chain_add_sums(struct run_sums *sums, struct run *run);
/*
 * Judges summed switches.  True: each is charged, and the threads of the sums are set.
 * False: nothing has changed.
 */
bool chain_run_sums(struct chains *chains, struct identity *identity,
		    struct run_summed *summed);

/*
 * As chain_switch() for a read (event->is_read), as a switch from the thread on the CPU
 * to itself; switch_id is INT_NONE.
 */
bool chain_read(struct chains *chains, struct identity *identity,
		struct findings *findings, const struct switch_event *event,
		uint64_t offset, int64_t group_id, struct context_switch_row *row);

/* As chain_read() for an edge of an interrupt. */
bool chain_edge(struct chains *chains, struct identity *identity,
		struct findings *findings, const struct edge_event *edge, uint64_t offset,
		int64_t group_id, struct context_switch_row *row);

/*
 * At the end of a trace: reports the threads whose switches out were never recorded, and
 * the number of intervals after them.
 */
void chain_report_unseen(const struct chains *chains, const struct identity *identity,
			 struct findings *findings);
/*
 * At the end of a trace: reports how long the counts of each CPU are unknown before its
 * first values, which a finding counts already, and after its last ones.
 */
void chain_report_ends(const struct chains *chains, const struct trace_row *trace,
		       struct findings *findings);

/* Returns whether the CPU's last switch went to idle in the machine's numbers. */
bool chain_is_idle(const struct chains *chains, int64_t cpu);
void chain_switch_in(struct chains *chains, const struct switch_in_event *event);
void chain_exit(struct chains *chains, const struct task_exit_event *event);
void chain_loss(struct chains *chains, const struct loss_event *event);
void chain_throttled(struct chains *chains, const struct throttled_event *event);

#endif
