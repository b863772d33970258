/*
 * sampling.h - totals of what is not counted but sampled, and of time on CPUs.
 *
 * A sample stands for as many events as its period says; added up, that is an estimate.
 * Time on a CPU is measured: from the SWITCH record that a thread came with to the one it
 * left with.  Where records were lost in between, or one of the two is missing, nothing
 * is added.
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
	int64_t from_ns, to_ns; /* only what lies within [from_ns, to_ns) */
	struct map by_thread;	/* (thread, counter) -> struct sample_total */
	struct map by_cpu;	/* (cpu, counter) -> struct sample_total */
	struct map on_cpu;	/* (thread, cpu) -> struct on_cpu_total */
	struct sample_total *thread_totals, **thread_tail;
	struct sample_total *cpu_totals, **cpu_tail;
	struct on_cpu_total *on_cpu_totals, **on_cpu_tail;
	struct running *cpus; /* who is on each CPU */
	size_t cpu_count;
	struct map running; /* thread -> struct running, where no CPU is recorded */
	int64_t all_losses; /* that name no CPU */
	int64_t any_losses; /* of any CPU */
	bool out_of_memory;
};

void sampling_begin(struct sampling *sampling, int64_t trace_id, int64_t from_ns,
		    int64_t to_ns);
void sampling_end(struct sampling *sampling);

void sampling_add(struct sampling *sampling, const struct sample_row *row);
/* Fills in row->on_cpu_ns, and adds it up; row->thread_id is the output's. */
void sampling_switch(struct sampling *sampling, struct switch_record_row *row);
/* The second half of it, for a row that is complete. */
void sampling_add_on_cpu(struct sampling *sampling, const struct switch_record_row *row);
/* Who is on the CPU is not known any more; INT_NONE: on any of them. */
void sampling_lost(struct sampling *sampling, int64_t cpu);

/* Every total as rows, to `put`; what it returns other than ST_OK ends the call. */
enum status sampling_report(struct sampling *sampling,
			    enum status (*put)(void *context, enum record_kind kind,
					       const void *row),
			    void *context);

#endif
