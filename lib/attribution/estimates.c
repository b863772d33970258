/* estimates.c - adds up times of interrupts between two switches, for estimates. */
#include "attribution/estimates.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/wrap.h"

void estimates_release(struct estimates *estimates)
{
	for (size_t i = 0; i < estimates->cpu_count; i++)
		free(estimates->cpus[i].sums);
	free(estimates->cpus);
	*estimates = (struct estimates){ .cpus = NULL };
}

static struct estimate_cpu *get_cpu(struct estimates *estimates, int64_t number)
{
	if (number < 0 || number >= CPU_MAX)
		return NULL;
	if (!ARRAY_GROW_ZEROED(estimates->cpus, estimates->cpu_count, (size_t)number)) {
		estimates->out_of_memory = true;
		return NULL;
	}
	return &estimates->cpus[number];
}

static struct estimate_sum *sum_of(struct estimates *estimates, struct estimate_cpu *cpu,
				   const struct interrupt_row *interrupt)
{
	for (size_t i = 0; i < cpu->sum_count; i++)
		if (cpu->sums[i].interrupt == interrupt)
			return &cpu->sums[i];
	if (!ARRAY_GROW(cpu->sums, cpu->sum_room, cpu->sum_count)) {
		estimates->out_of_memory = true;
		return NULL;
	}
	cpu->sums[cpu->sum_count] = (struct estimate_sum){ .interrupt = interrupt };
	return &cpu->sums[cpu->sum_count++];
}

/* Its time without that of the ones that ended within it, whose spans it replaces. */
static int64_t own_time(struct estimate_cpu *cpu, int64_t begin_ns, int64_t end_ns)
{
	int64_t inner_ns = 0;

	while (cpu->span_count && cpu->spans[cpu->span_count - 1].begin_ns >= begin_ns) {
		const struct estimate_span *span = &cpu->spans[--cpu->span_count];

		inner_ns = wrap_add(inner_ns, wrap_sub(span->end_ns, span->begin_ns));
	}
	if (cpu->span_count == ESTIMATE_SPANS)
		memmove(cpu->spans, cpu->spans + 1,
			--cpu->span_count * sizeof(cpu->spans[0]));
	cpu->spans[cpu->span_count++] = (struct estimate_span){ begin_ns, end_ns };
	return wrap_sub(wrap_sub(end_ns, begin_ns), inner_ns);
}

void estimates_add(struct estimates *estimates, const struct interrupted_event *event,
		   const struct interrupt_row *interrupt)
{
	struct estimate_cpu *cpu = get_cpu(estimates, event->cpu);
	struct estimate_sum *sum = cpu ? sum_of(estimates, cpu, interrupt) : NULL;

	if (!sum)
		return;
	sum->count++;
	sum->time_ns =
		wrap_add(sum->time_ns, own_time(cpu, event->begin_ns, event->ts_ns));
}

void estimates_settle(struct estimates *estimates, struct ledger *ledger,
		      const struct context_switch_row *row, const int64_t *deltas,
		      size_t slots)
{
	struct estimate_cpu *cpu;

	if (row->cpu < 0 || (size_t)row->cpu >= estimates->cpu_count)
		return;
	cpu = &estimates->cpus[row->cpu];
	for (size_t i = 0; i < cpu->sum_count; i++)
		ledger_estimate(ledger, cpu->sums[i].interrupt, row, cpu->sums[i].count,
				cpu->sums[i].time_ns, deltas, slots);
	cpu->sum_count = cpu->span_count = 0;
}
