/*
 * stacks.h - stacks of a trace with what each cost, by counter: collected from its rows.
 *
 * A stack is a thread with a call chain, an address, or neither.  Samples add their
 * periods; switches the deltas that were charged to the thread, and its time on and off
 * the CPU.
 */
#ifndef PERFTAB_FOLDED_STACKS_H
#define PERFTAB_FOLDED_STACKS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "model/record.h"
#include "output/folded/turns.h"

/* Maximum of bytes kept of a trace, and of those of the tree of its lines. */
#define STACKS_BYTES_MAX ((size_t)1 << 30)

/* Weights besides counters. */
enum { WEIGHT_ON_CPU = -2, WEIGHT_OFF_CPU = -3 };

/* Costs that are of no thread, as threads. */
enum {
	THREAD_UNATTRIBUTED = -2,
	THREAD_WITH_IDLE = -3,
	THREAD_INTERRUPTS = -4,
	THREAD_FELL = -5, /* unattributed since a counter went down */
};

/* A counter group, as lib/report/totals_lookup.h has it. */
struct stack_group {
	int64_t group_id;
	int64_t switches;
	bool is_reference; /* its time on the CPU is that of the bill */
	struct stack_group *next;
};

/* A CPU on which a group saw switches. */
struct stack_cpu {
	int64_t cpu;
	struct stack_group *group;
	struct stack_cpu *next;
};

struct weight {
	int64_t counter_id;
	const struct stack_group *group; /* of WEIGHT_ON_CPU, or NULL */
	int64_t samples;		 /* of a counter that was sampled */
	int64_t value;
	struct weight *next;
};

struct stack {
	int64_t thread_id, chain_id, address; /* INT_NONE: none */
	bool is_kernel;			      /* the address is the kernel's */
	int64_t first_ns;		      /* names are those of that time */
	struct weight *weights;
	struct stack *next;
};

struct stack_counter {
	struct counter_row row;
	bool in_group, has_periods;
	int64_t samples, value; /* in all */
	struct stack_counter *next;
};

/* A thread, and when it left its CPU and came back. */
struct stack_thread {
	struct turns turns;
	struct stack_thread *next;
};

/* Names of frames and tasks, each text once. */
struct stack_name {
	struct str text;
	uint32_t number;
	/* For the output: */
	struct str line;       /* as in a line; ptr NULL: not made yet */
	uint32_t frame_number; /* from 1 on; 0: has none yet */
};

struct stacks {
	struct arena arena;
	size_t bytes;
	struct map names; /* hash of a text -> struct stack_name */
	uint32_t name_count;
	struct stack *first, **last;
	struct map by_key;    /* hash -> struct stack */
	struct map chains;    /* id -> struct str */
	struct map deferred;  /* hash of thread and cookie -> id of a chain */
	struct map threads;   /* id -> struct thread_row */
	struct map processes; /* id -> struct process_row */
	struct map frames;    /* hash of process and address -> struct stack_frame */
	struct map counter_by_id, counter_by_slot;
	struct map interrupts; /* of read_class() */
	struct stack_counter *counters, **last_counter;
	struct map group_by_id; /* struct stack_group */
	struct stack_group *groups;
	struct stack_cpu *cpus;
	struct map thread_by_id; /* struct stack_thread */
	struct stack_thread *stack_threads;
	struct { /* a switch whose chain may follow */
		bool any;
		int64_t switch_id, thread_id, prev_thread_id, ts_ns, on_cpu_ns, chain_id;
		int64_t group_id;
		size_t slots;
		int64_t deltas[GROUP_COUNTERS_MAX];
		bool is_charged;
	} pending;
	int64_t read_thread_id; /* of the last group_read row */
	bool has_switch_chains;
	bool failed; /* out of memory, or over the maximum: */
	bool is_over_maximum;
};

void stacks_begin(struct stacks *stacks);
void stacks_release(struct stacks *stacks);
void stacks_on_row(struct stacks *stacks, const struct record *record);
/* The trace is complete. */
void stacks_settle(struct stacks *stacks);

/* stack_groups.c: several groups may see the same time. */
struct stack_group *stacks_intern_group(struct stacks *stacks, int64_t group_id);
void stacks_on_cpu_summary(struct stacks *stacks, const struct cpu_summary_row *row);
/* Sets stack_group.is_reference. */
void stacks_choose_references(struct stacks *stacks);

/* stack_frames.c: what a stack is, the process first, the innermost frame last. */
struct frame_list {
	struct stack_name **names;
	size_t count, room;
};
/* False: stacks->failed. */
bool stacks_list_frames(struct stacks *stacks, const struct stack *stack,
			struct frame_list *list);
void stacks_add_frame(struct stacks *stacks, const struct frame_symbol_row *row);

/* Returns what a counter or another weight adds to the stack. */
int64_t stack_weight(const struct stacks *stacks, const struct stack *stack,
		     int64_t counter_id);

/* Counts bytes toward the maximum; false: beyond it, and sets stacks->failed. */
bool stacks_charge(struct stacks *stacks, size_t size);
/* Returns zeroed memory, which counts toward the maximum. */
void *stacks_allocate(struct stacks *stacks, size_t size);
struct str stacks_copy(struct stacks *stacks, struct str text);
struct stack_name *stacks_intern_name(struct stacks *stacks, struct str text);
/* Why stacks->failed is set. */
enum status stacks_error(const struct stacks *stacks, struct error *error);

#endif
