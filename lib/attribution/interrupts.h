/*
 * interrupts.h - kinds and vectors of interrupts, and which of them a CPU is in.
 *
 * Interrupts nest: thread < softirq < hard irq or vector.  What a CPU counts between two
 * reads belongs to the top of the stack.
 */
#ifndef PERFTAB_ATTRIBUTION_INTERRUPTS_H
#define PERFTAB_ATTRIBUTION_INTERRUPTS_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"

/* Kinds and vectors of a trace; beyond it, one without a vector for each kind. */
#define INTERRUPTS_MAX 4096
/* Levels; Linux has two or three. */
#define INTERRUPT_DEPTH_MAX 16
/*
 * A softirq that begins this soon after an interrupt has ended runs on its way out; else
 * the thread runs it (local_bh_enable).  Measured on Linux 6.18: 0.4 to 2 us, 4 us with
 * perf's samples.  One run of softirqs has them in order of their numbers; only a softirq
 * that was raised again follows one that is not lower, at once.
 */
#define INTERRUPT_WAY_OUT_NS 20000
#define INTERRUPT_AGAIN_NS 2000

struct interrupt {
	struct interrupt_row row;
	bool is_emitted; /* for the pipeline */
};

struct interrupt_kinds {
	struct arena arena;
	struct map known;      /* by a hash of kind, vector, name and in_thread */
	struct map last_named; /* the last irq of a number */
	size_t count;
	int64_t last_id; /* continues across traces of one output */
	bool out_of_memory;
};

/* What a CPU is in, as one group sees it. */
struct interrupt_stack {
	struct interrupt *levels[INTERRUPT_DEPTH_MAX];
	size_t depth;
	bool is_known;	 /* below the levels is the thread, and nothing else */
	int64_t left_ns; /* the thread goes on since then, INT_NONE: unknown, or its own */
	int64_t left_vector; /* after that softirq, INT_NONE: after an interrupt */
};

/* Forgets those of a trace. */
void interrupt_kinds_forget(struct interrupt_kinds *interrupts);

/* Finds, or adds, one by kind, vector and name; NULL: out of memory. */
struct interrupt *interrupt_intern(struct interrupt_kinds *interrupts, struct str kind,
				   int64_t vector, struct str name);

/* What the segment is in that ends with this edge. */
enum interrupt_segment {
	SEGMENT_THREAD,
	SEGMENT_INTERRUPT, /* *owner */
	SEGMENT_UNKNOWN,
};
enum interrupt_segment interrupt_segment(struct interrupt_kinds *interrupts,
					 const struct interrupt_stack *stack,
					 const struct edge_event *edge,
					 struct interrupt **owner);
/* The stack after it; is_proven: nothing came before it unseen. */
void interrupt_step(struct interrupt_kinds *interrupts, struct interrupt_stack *stack,
		    const struct edge_event *edge, bool is_proven);
/* Nothing is known any more of what the CPU is in. */
void interrupt_stack_lose(struct interrupt_stack *stack);
/* A switch: the CPU is in no interrupt. */
void interrupt_stack_clear(struct interrupt_stack *stack);

#endif
