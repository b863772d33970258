/*
 * sampling.h - totals of sampled events and of time on CPUs.
 *
 * A sample stands for as many events as its period; their sum is an estimate.  Time on a
 * CPU is measured, from the SWITCH record that switches a thread in to the one that
 * switches it out.  If records were lost in between, or one of the two is missing,
 * nothing is added.
 */
#ifndef PERFTAB_SAMPLING_H
#define PERFTAB_SAMPLING_H

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "model/record.h"

struct sampling {
	struct arena arena;
	int64_t trace_id;
	int64_t from_ns, to_ns; /* only times within [from_ns, to_ns) */
	struct map by_thread;	/* (thread, counter) -> struct sample_total */
	struct map by_cpu;	/* (cpu, counter) -> struct sample_total */
	struct map by_cgroup;	/* hash of cgroup, thread, counter -> likewise */
	struct map others;	/* (any, counter) -> likewise: left out */
	struct map on_cpu;	/* (thread, cpu) -> struct on_cpu_total */
	struct sample_total *thread_totals, **thread_tail;
	struct sample_total *cpu_totals, **cpu_tail;
	struct sample_total *cgroup_totals, **cgroup_tail;
	struct sample_total *other_totals, **other_tail;
	struct on_cpu_total *on_cpu_totals, **on_cpu_tail;
	struct running *cpus; /* the thread on each CPU */
	size_t cpu_count;
	struct map running; /* thread -> struct running, where no CPU is recorded */
	int64_t all_losses; /* losses without a CPU */
	int64_t any_losses; /* losses of any CPU */
	bool out_of_memory;
};

void sampling_begin(struct sampling *sampling, int64_t trace_id, int64_t from_ns,
		    int64_t to_ns);
void sampling_end(struct sampling *sampling);

void sampling_add(struct sampling *sampling, const struct sample_row *row);
/*
 * Of samples that are left out only that their event has some: a row of no CPU with 0
 * samples, and 1 event if one of them says its period, else 0.
 */
void sampling_note(struct sampling *sampling, const struct sample_row *row);
/* Fills in row->on_cpu_ns and adds it; row->thread_id is the output's. */
void sampling_switch(struct sampling *sampling, struct switch_record_row *row);
/* As sampling_switch(), for a row whose on_cpu_ns is set. */
void sampling_add_on_cpu(struct sampling *sampling, const struct switch_record_row *row);
/* Forgets the thread on a CPU after a loss; INT_NONE: on all CPUs. */
void sampling_lost(struct sampling *sampling, int64_t cpu);

/* Passes every total as rows to `put`; a result other than ST_OK ends the call. */
enum status sampling_report(struct sampling *sampling,
			    enum status (*put)(void *context, enum record_kind kind,
					       const void *row),
			    void *context);

#endif
