/* sampling.c - adds up sample periods and the time between SWITCH records. */
#include "attribution/sampling.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/wrap.h"

struct sample_total {
	int64_t of; /* thread or CPU */
	int64_t counter_id;
	int64_t cgroup_id; /* 0: of any */
	int64_t samples, events;
	struct sample_total *next;
};

struct on_cpu_total {
	struct on_cpu_summary_row row;
	struct on_cpu_total *next;
};

struct running {
	int64_t thread_id; /* INT_NONE: not known */
	int64_t since_ns;
	int64_t losses; /* when it began: sampling.losses, of any CPU or of all */
};

void sampling_begin(struct sampling *sampling, int64_t trace_id, int64_t from_ns,
		    int64_t to_ns)
{
	*sampling = (struct sampling){
		.trace_id = trace_id,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.thread_tail = &sampling->thread_totals,
		.cpu_tail = &sampling->cpu_totals,
		.cgroup_tail = &sampling->cgroup_totals,
		.other_tail = &sampling->other_totals,
		.on_cpu_tail = &sampling->on_cpu_totals,
	};
}

void sampling_end(struct sampling *sampling)
{
	map_release(&sampling->by_thread);
	map_release(&sampling->by_cpu);
	map_release(&sampling->by_cgroup);
	map_release(&sampling->others);
	map_release(&sampling->on_cpu);
	map_release(&sampling->running);
	arena_release(&sampling->arena);
	free(sampling->cpus);
	sampling_begin(sampling, 0, sampling->from_ns, sampling->to_ns);
}

/* --- samples --- */

/* Thread ids, CPUs and counters are all far below 2^32; INT_NONE becomes 0. */
static uint64_t pair_key(int64_t a, int64_t b)
{
	return (a == INT_NONE ? 0 : (uint64_t)a + 1) << 32 | (uint32_t)b;
}

static struct sample_total *new_total(struct sampling *sampling, struct map *map,
				      uint64_t key, struct sample_total ***tail)
{
	struct sample_total *total = arena_alloc(&sampling->arena, sizeof(*total));

	if (!total || !map_put(map, key, total)) {
		sampling->out_of_memory = true;
		return NULL;
	}
	**tail = total;
	*tail = &total->next;
	return total;
}

static struct sample_total *total_of(struct sampling *sampling, struct map *map,
				     struct sample_total ***tail, int64_t of,
				     int64_t counter_id)
{
	uint64_t key = pair_key(of, counter_id);
	struct sample_total *total = map_get(map, key);

	if (total)
		return total;
	total = new_total(sampling, map, key, tail);
	if (!total)
		return NULL;
	total->of = of;
	total->counter_id = counter_id;
	return total;
}

/* Finds or adds the total of a thread's samples in a control group. */
static struct sample_total *cgroup_total(struct sampling *sampling,
					 const struct sample_row *row)
{
	uint64_t key = map_key(row->thread_id, row->counter_id, row->cgroup_id, 0);
	struct sample_total *total;

	MAP_FIND(&sampling->by_cgroup, key, total,
		 total->of == row->thread_id && total->counter_id == row->counter_id &&
			 total->cgroup_id == row->cgroup_id);
	if (!total)
		total = new_total(sampling, &sampling->by_cgroup, key,
				  &sampling->cgroup_tail);
	if (!total)
		return NULL;
	total->of = row->thread_id;
	total->counter_id = row->counter_id;
	total->cgroup_id = row->cgroup_id;
	return total;
}

static void add_sample(struct sample_total *total, int64_t period)
{
	if (!total)
		return;
	total->samples++;
	if (period != INT_NONE)
		total->events = wrap_add(total->events, period);
}

void sampling_add(struct sampling *sampling, const struct sample_row *row)
{
	if (row->counter_id == INT_NONE)
		return;
	if (row->ts_ns != INT_NONE &&
	    !time_is_within(row->ts_ns, sampling->from_ns, sampling->to_ns)) {
		sampling_note(sampling, row);
		return;
	}
	add_sample(total_of(sampling, &sampling->by_thread, &sampling->thread_tail,
			    row->thread_id, row->counter_id),
		   row->period);
	add_sample(total_of(sampling, &sampling->by_cpu, &sampling->cpu_tail, row->cpu,
			    row->counter_id),
		   row->period);
	if (row->cgroup_id != INT_NONE && row->cgroup_id != 0)
		add_sample(cgroup_total(sampling, row), row->period);
}

void sampling_note(struct sampling *sampling, const struct sample_row *row)
{
	if (row->counter_id != INT_NONE)
		add_sample(total_of(sampling, &sampling->others, &sampling->other_tail,
				    INT_NONE, row->counter_id),
			   row->period);
}

/* --- time on CPUs --- */

static struct running *running_on(struct sampling *sampling, int64_t cpu)
{
	size_t known = sampling->cpu_count;

	if (cpu < 0 || cpu >= CPU_MAX)
		return NULL;
	if (!ARRAY_GROW(sampling->cpus, sampling->cpu_count, (size_t)cpu)) {
		sampling->out_of_memory = true;
		return NULL;
	}
	for (; known < sampling->cpu_count; known++)
		sampling->cpus[known] = (struct running){ INT_NONE, 0, 0 };
	return &sampling->cpus[cpu];
}

/* Records that follow a thread may have no CPU: then the thread is the key. */
static struct running *running_thread(struct sampling *sampling, int64_t thread_id)
{
	struct running *running = map_get(&sampling->running, (uint64_t)thread_id);

	if (running || thread_id == INT_NONE)
		return running;
	running = arena_alloc(&sampling->arena, sizeof(*running));
	if (!running || !map_put(&sampling->running, (uint64_t)thread_id, running)) {
		sampling->out_of_memory = true;
		return NULL;
	}
	*running = (struct running){ INT_NONE, 0, 0 };
	return running;
}

static struct on_cpu_summary_row *on_cpu_of(struct sampling *sampling, int64_t thread_id,
					    int64_t cpu)
{
	uint64_t key = pair_key(thread_id, cpu == INT_NONE ? UINT32_MAX : cpu);
	struct on_cpu_total *total = map_get(&sampling->on_cpu, key);

	if (total)
		return &total->row;
	total = arena_alloc(&sampling->arena, sizeof(*total));
	if (!total || !map_put(&sampling->on_cpu, key, total)) {
		sampling->out_of_memory = true;
		return NULL;
	}
	total->row.thread_id = thread_id;
	total->row.cpu = cpu;
	*sampling->on_cpu_tail = total;
	sampling->on_cpu_tail = &total->next;
	return &total->row;
}

void sampling_switch(struct sampling *sampling, struct switch_record_row *row)
{
	struct running *running = row->cpu == INT_NONE
					  ? running_thread(sampling, row->thread_id)
					  : running_on(sampling, row->cpu);

	/* The thread may have been on any CPU that lost records. */
	int64_t losses =
		row->cpu == INT_NONE ? sampling->any_losses : sampling->all_losses;

	row->on_cpu_ns = INT_NONE;
	if (!running || row->ts_ns == INT_NONE)
		return;
	if (!row->is_out) {
		*running = (struct running){ row->thread_id, row->ts_ns, losses };
		return;
	}
	if (running->thread_id != INT_NONE && running->thread_id == row->thread_id &&
	    running->losses == losses && row->ts_ns >= running->since_ns)
		row->on_cpu_ns = wrap_sub(row->ts_ns, running->since_ns);
	running->thread_id = INT_NONE;
	sampling_add_on_cpu(sampling, row);
}

void sampling_add_on_cpu(struct sampling *sampling, const struct switch_record_row *row)
{
	struct on_cpu_summary_row *total;

	if (!row->is_out || row->thread_id == INT_NONE ||
	    (row->cpu != INT_NONE && (row->cpu < 0 || row->cpu >= CPU_MAX)) ||
	    !time_is_within(row->ts_ns, sampling->from_ns, sampling->to_ns))
		return;
	total = on_cpu_of(sampling, row->thread_id, row->cpu);
	if (!total)
		return;
	total->switches++;
	if (row->on_cpu_ns != INT_NONE)
		total->on_cpu_ns = wrap_add(total->on_cpu_ns, row->on_cpu_ns);
}

void sampling_lost(struct sampling *sampling, int64_t cpu)
{
	sampling->any_losses++;
	if (cpu == INT_NONE)
		sampling->all_losses++;
	else if (cpu >= 0 && (uint64_t)cpu < sampling->cpu_count)
		sampling->cpus[cpu].thread_id = INT_NONE;
}

/* --- rows --- */

enum status sampling_report(struct sampling *sampling,
			    enum status (*put)(void *context, enum record_kind kind,
					       const void *row),
			    void *context)
{
	enum status status = ST_OK;

	for (const struct sample_total *t = sampling->thread_totals; t && status == ST_OK;
	     t = t->next)
		status = put(context, RECORD_sample_summary,
			     &(struct sample_summary_row){
				     .trace_id = sampling->trace_id,
				     .thread_id = t->of,
				     .counter_id = t->counter_id,
				     .samples = t->samples,
				     .events = t->events,
			     });
	for (const struct sample_total *t = sampling->cpu_totals; t && status == ST_OK;
	     t = t->next)
		status = put(context, RECORD_sample_cpu_summary,
			     &(struct sample_cpu_summary_row){
				     .trace_id = sampling->trace_id,
				     .cpu = t->of,
				     .counter_id = t->counter_id,
				     .samples = t->samples,
				     .events = t->events,
			     });
	for (const struct sample_total *t = sampling->other_totals; t && status == ST_OK;
	     t = t->next)
		status = put(context, RECORD_sample_cpu_summary,
			     &(struct sample_cpu_summary_row){
				     .trace_id = sampling->trace_id,
				     .cpu = INT_NONE,
				     .counter_id = t->counter_id,
				     .events = t->events != 0,
			     });
	for (const struct sample_total *t = sampling->cgroup_totals; t && status == ST_OK;
	     t = t->next)
		status = put(context, RECORD_sample_cgroup_summary,
			     &(struct sample_cgroup_summary_row){
				     .trace_id = sampling->trace_id,
				     .cgroup_id = t->cgroup_id,
				     .thread_id = t->of,
				     .counter_id = t->counter_id,
				     .samples = t->samples,
				     .events = t->events,
			     });
	for (const struct on_cpu_total *t = sampling->on_cpu_totals; t && status == ST_OK;
	     t = t->next)
		status = put(context, RECORD_on_cpu_summary, &t->row);
	return status;
}
