/* top.c - ranks processes by each key, and prunes those that are not among the first. */
#include "model/top.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/row_sums.h"

/* More is not worth it: then threads are listed. */
#define TOP_BYTES_MAX ((size_t)16 << 20)

/* Processes that cost less are not among the first. */
struct top_bound {
	int64_t value;
	int64_t pid;
};

/* --- keys: time on a CPU, and what each counter charged --- */

static size_t key_count(const struct top *top)
{
	return 1 + top->slots;
}

static int64_t key_of(const struct top_process *process, size_t key)
{
	return key ? process->values[key - 1] : process->summary.on_cpu_ns;
}

static bool is_idle(const struct top_process *process)
{
	return process->pid == 0;
}

/* Returns whether a process may be among the first. */
static bool is_candidate(const struct top *top, const struct top_process *process)
{
	if (!top->has_bounds || is_idle(process))
		return true;
	for (size_t key = 0; key < key_count(top); key++) {
		int64_t value = key_of(process, key);
		const struct top_bound *bound = &top->bounds[key];

		if (value > bound->value ||
		    (value == bound->value && process->pid <= bound->pid))
			return true;
	}
	return false;
}

/* --- the sum of those not chosen --- */

static void add_to_rest(struct top *top, const struct top_process *process)
{
	struct process_summary_row *to = &top->rest->summary;
	const struct process_summary_row *from = &process->summary;

	top->rest_count++;
	wrap_add_to(&to->threads, from->threads);
	wrap_add_to(&to->switches, from->switches);
	wrap_add_to(&to->on_cpu_ns, from->on_cpu_ns);
	wrap_add_to(&to->with_idle_switches, from->with_idle_switches);
	wrap_add_to(&to->timeless_switches, from->timeless_switches);
	wrap_add_to(&to->unproven_switches, from->unproven_switches);
	wrap_add_to(&to->unproven_ns, from->unproven_ns);
	wrap_add_to(&to->reads, from->reads);
	wrap_add_to(&to->interrupts_ns, from->interrupts_ns);
	row_add_known(&to->running_ns, from->running_ns);
	row_add_all(top->rest->values, process->values,
		    TOP_VALUES_OF_COUNTER * top->slots);
}

/* --- choosing --- */

struct ranked {
	int64_t value;
	int64_t pid;
	struct top_process *process;
};

/* As lines of a bill are sorted. */
static int compare_ranked(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* Marks the first by one key, and those equal to the last of them. */
static void keep_first(struct top *top, size_t key, struct ranked *ranked)
{
	struct top_bound *bound = &top->bounds[key];
	size_t count = 0;

	for (size_t i = 0; i < top->count; i++) {
		struct top_process *process = top_at(top, i);

		if (!is_idle(process))
			ranked[count++] = (struct ranked){ key_of(process, key),
							   process->pid, process };
	}
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	*bound = (struct top_bound){ INT64_MIN, INT64_MAX };
	if (count >= top->wanted)
		*bound = (struct top_bound){ ranked[top->wanted - 1].value,
					     ranked[top->wanted - 1].pid };
	for (size_t i = 0; i < count; i++) {
		if (ranked[i].value < bound->value ||
		    (ranked[i].value == bound->value && ranked[i].pid > bound->pid))
			break;
		ranked[i].process->is_kept = true;
	}
}

/* Adds those that are not among the first by any key to the rest. */
bool top_choose(struct top *top)
{
	struct ranked *ranked = memory_alloc((top->count + 1) * sizeof(*ranked));
	size_t kept = 0;

	if (!ranked)
		return false;
	for (size_t i = 0; i < top->count; i++)
		top_at(top, i)->is_kept = is_idle(top_at(top, i));
	for (size_t key = 0; key < key_count(top); key++)
		keep_first(top, key, ranked);
	free(ranked);
	for (size_t i = 0; i < top->count; i++) {
		const struct top_process *process = top_at(top, i);

		if (!process->is_kept)
			add_to_rest(top, process);
		else
			memmove(top_at(top, kept++), process, top->process_bytes);
	}
	top->count = kept;
	top->has_bounds = true;
	return true;
}

/* One with no proven interval has no line, and shares none with idle. */
static bool is_empty(const struct top *top, const struct top_process *process)
{
	int64_t with_idle = process->summary.with_idle_switches;

	for (size_t i = 0; i < top->slots; i++)
		with_idle |= process->values[2 * top->slots + i];
	return !with_idle;
}

bool top_add(struct top *top)
{
	const struct top_process *process = top_at(top, top->count);

	if (wrap_add(process->summary.switches, process->summary.reads) == 0)
		return is_empty(top, process);
	if (!is_candidate(top, process)) {
		add_to_rest(top, process);
		return true;
	}
	if (++top->count < top->room)
		return true;
	return top_choose(top) && top->count < top->room / 2;
}

/* --- begin, end, rows --- */

bool top_begin(struct top *top, size_t wanted, int64_t group_id, size_t slots)
{
	size_t bytes = top_process_bytes(slots);

	*top = (struct top){ .wanted = wanted, .slots = slots, .process_bytes = bytes };
	if (wanted > TOP_BYTES_MAX)
		return false;
	top->room = 4 * key_count(top) * wanted + 4;
	if (top->room > TOP_BYTES_MAX / bytes)
		return false;
	top->processes = memory_alloc_zeroed(top->room + 1, bytes);
	top->rest = memory_alloc_zeroed(1, bytes);
	top->bounds = memory_alloc_zeroed(key_count(top), sizeof(*top->bounds));
	if (top->rest) {
		top->rest->summary.group_id = group_id;
		top->rest->summary.running_ns = INT_NONE;
	}
	return top->processes && top->rest && top->bounds;
}

void top_end(struct top *top)
{
	free(top->processes);
	free(top->rest);
	free(top->bounds);
	*top = (struct top){ .wanted = 0 };
}

struct process_total_event top_total(const struct top *top, size_t at)
{
	bool is_rest = at == top->count;
	const struct top_process *process = is_rest ? top->rest : top_at(top, at);

	return (struct process_total_event){
		.process_id = is_rest ? INT_NONE : process->summary.process_id,
		.processes = is_rest ? top->rest_count : 1,
		.summary = process->summary,
		.values = process->values,
		.slots = top->slots,
	};
}
