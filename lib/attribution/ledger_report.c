/* ledger_report.c - turns the books of ledger.c into table rows. */
#include <stdlib.h>

#include "attribution/ledger.h"
#include "base/memory.h"
#include "base/wrap.h"

static void add_all(int64_t *sums, const int64_t *more, size_t slots)
{
	for (size_t i = 0; i < slots; i++)
		sums[i] = wrap_add(sums[i], more[i]);
}

/* Unknown times add nothing. */
static void add_time(int64_t *sum, int64_t more)
{
	if (more != INT_NONE)
		*sum = wrap_add(*sum == INT_NONE ? 0 : *sum, more);
}

struct output {
	enum status (*put)(void *context, enum record_kind kind, const void *row);
	void *context;
	enum status status; /* first failure; no rows follow it */
};

static void out(struct output *output, enum record_kind kind, const void *row)
{
	if (output->status == ST_OK)
		output->status = output->put(output->context, kind, row);
}

/* A book's sums as a row. */
static struct thread_summary_row summary_of(const struct ledger *ledger,
					    const struct thread_book *book,
					    int64_t thread_id)
{
	static const struct thread_rest none;
	const struct thread_rest *rest = book->rest ? book->rest : &none;

	return (struct thread_summary_row){
		.thread_id = thread_id,
		.group_id = ledger->groups[book->group].group_id,
		.switches = book->switches,
		.on_cpu_ns = book->on_cpu_ns,
		.with_idle_switches = rest->with_idle_switches,
		.timeless_switches = rest->timeless_switches,
		.unproven_switches = rest->unproven_switches,
		.unproven_ns = rest->unproven_ns,
		.running_ns = book->running_ns,
		.reads = rest->reads,
		.interrupts_ns = rest->interrupts_ns,
	};
}

/* What of a counter was charged, and what was not. */
struct counts {
	int64_t charged, interrupts, with_idle, unproven;
};

static struct counts counts_of(const struct thread_book *book, size_t slots, size_t slot)
{
	const int64_t *counts = book->rest ? book->rest->counts : NULL;

	return counts ? (struct counts){ book->charged[slot], counts[slot],
					 counts[slots + slot], counts[2 * slots + slot] }
		      : (struct counts){ book->charged[slot], 0, 0, 0 };
}

/* What of a thread was in one control group. */
static void report_part(const struct ledger *ledger, const struct group_book *group,
			int64_t thread_id, const struct thread_book *part,
			struct output *output)
{
	const struct thread_summary_row sum = summary_of(ledger, part, thread_id);
	int64_t cgroup_id = part->rest->cgroup_id;

	out(output, RECORD_cgroup_summary,
	    &(struct cgroup_summary_row){
		    .cgroup_id = cgroup_id,
		    .thread_id = thread_id,
		    .group_id = group->group_id,
		    .switches = sum.switches,
		    .on_cpu_ns = sum.on_cpu_ns,
		    .with_idle_switches = sum.with_idle_switches,
		    .timeless_switches = sum.timeless_switches,
		    .unproven_switches = sum.unproven_switches,
		    .unproven_ns = sum.unproven_ns,
		    .running_ns = sum.running_ns,
		    .reads = sum.reads,
		    .interrupts_ns = sum.interrupts_ns,
	    });
	for (size_t i = 0; i < group->slots; i++) {
		struct counts counts = counts_of(part, group->slots, i);

		out(output, RECORD_cgroup_charge,
		    &(struct cgroup_charge_row){
			    .cgroup_id = cgroup_id,
			    .thread_id = thread_id,
			    .counter_id = group->counter_ids[i],
			    .charged = counts.charged,
			    .interrupts = counts.interrupts,
			    .with_idle = counts.with_idle,
			    .unproven = counts.unproven,
		    });
	}
}

static void report_book(const struct ledger *ledger, const struct group_book *group,
			int64_t thread_id, const struct thread_book *book,
			struct output *output)
{
	const struct thread_summary_row summary = summary_of(ledger, book, thread_id);

	out(output, RECORD_thread_summary, &summary);
	for (size_t i = 0; i < group->slots; i++) {
		struct counts counts = counts_of(book, group->slots, i);

		out(output, RECORD_thread_charge,
		    &(struct thread_charge_row){
			    .thread_id = thread_id,
			    .counter_id = group->counter_ids[i],
			    .charged = counts.charged,
			    .interrupts = counts.interrupts,
			    .with_idle = counts.with_idle,
			    .unproven = counts.unproven,
		    });
	}
	for (const struct thread_book *p = book->rest ? book->rest->parts : NULL; p;
	     p = p->next)
		report_part(ledger, group, thread_id, p, output);
}

static int64_t id_of(const struct ledger *ledger, const struct ledger_thread *thread)
{
	return ledger->first_thread_id + (thread - ledger->threads);
}

static void report_thread(const struct ledger *ledger, const struct ledger_thread *thread,
			  struct output *output)
{
	for (size_t g = 0; g < ledger->group_count; g++) {
		const struct thread_book *book = thread->books;

		while (book && book->group != g)
			book = book->next;
		if (book)
			report_book(ledger, &ledger->groups[g], id_of(ledger, thread),
				    book, output);
	}
}

static void report_cpus(const struct ledger *ledger, struct group_book *group,
			struct output *output)
{
	for (size_t c = 0; c < group->cpu_count; c++) {
		struct cpu_book *book = ledger_cpu(group, c);

		if (!book || book->summary.switches + book->summary.reads == 0)
			continue;
		book->summary.all_switches = c < ledger->union_count
						     ? ledger->unions[c].switches
						     : book->summary.switches;
		out(output, RECORD_cpu_summary, &book->summary);
		for (size_t i = 0; i < group->slots; i++)
			out(output, RECORD_cpu_charge,
			    &(struct cpu_charge_row){
				    .cpu = (int64_t)c,
				    .counter_id = group->counter_ids[i],
				    .first_value = book->first[i],
				    .last_value = book->last[i],
				    .charged = book->charged[i],
				    .interrupts = book->interrupts[i],
				    .with_idle = book->with_idle[i],
				    .idle = book->idle[i],
				    .unattributed = book->unattributed[i],
			    });
	}
}

void ledger_charge_idle(struct ledger *ledger)
{
	for (size_t g = 0; g < ledger->group_count; g++) {
		const struct group_book *group = &ledger->groups[g];

		for (size_t at = 0; at < group->cpu_count; at++) {
			struct cpu_book *cpu = ledger_cpu(group, at);

			if (!cpu)
				continue;
			add_all(cpu->charged, cpu->idle, group->slots);
			memset(cpu->idle, 0, group->slots * sizeof(*cpu->idle));
			cpu->summary.idle_ns = 0;
		}
	}
}

/* CHARGED is the sum of charged, interrupts and idle in the CPUs' books. */
static void charged_values(struct group_book *group)
{
	for (size_t c = 0; c < group->cpu_count; c++) {
		const struct cpu_book *book = ledger_cpu(group, c);

		if (!book)
			continue;
		add_all(group->status[CHARGE_CHARGED].values, book->charged,
			group->slots);
		add_all(group->status[CHARGE_CHARGED].values, book->interrupts,
			group->slots);
		add_all(group->status[CHARGE_CHARGED].values, book->idle, group->slots);
	}
}

static void report_statuses(struct group_book *group, struct output *output)
{
	charged_values(group);
	for (int s = 0; s < CHARGE_STATUSES; s++) {
		if (group->status[s].switches + group->status[s].reads == 0)
			continue;
		out(output, RECORD_status_summary,
		    &(struct status_summary_row){ .group_id = group->group_id,
						  .status = s,
						  .switches = group->status[s].switches,
						  .reads = group->status[s].reads,
						  .on_cpu_ns =
							  group->status[s].on_cpu_ns });
		for (size_t i = 0; i < group->slots; i++)
			out(output, RECORD_status_charge,
			    &(struct status_charge_row){
				    .counter_id = group->counter_ids[i],
				    .status = s,
				    .value = group->status[s].values[i] });
	}
}

/* Books of one process and group, summed from those of its threads. */
struct process_sum {
	struct process_summary_row summary;
	int64_t values[]; /* as in struct process_total_event */
};

void ledger_add_to_process(const struct ledger *ledger, const struct thread_book *book,
			   struct process_summary_row *to, int64_t *values)
{
	size_t slots = ledger->groups[book->group].slots;
	const struct thread_summary_row row = summary_of(ledger, book, 0), *from = &row;

	to->threads += from->switches + from->reads > 0;
	to->switches += from->switches;
	to->reads += from->reads;
	to->with_idle_switches += from->with_idle_switches;
	to->timeless_switches += from->timeless_switches;
	to->unproven_switches += from->unproven_switches;
	add_time(&to->on_cpu_ns, from->on_cpu_ns);
	add_time(&to->interrupts_ns, from->interrupts_ns);
	add_time(&to->unproven_ns, from->unproven_ns);
	add_time(&to->running_ns, from->running_ns);
	add_all(values, book->charged, slots);
	if (book->rest)
		add_all(values + slots, book->rest->counts, 3 * slots);
}

static int by_process(const void *a, const void *b)
{
	const struct ledger_thread *const *x = a, *const *y = b;

	if ((*x)->process_id != (*y)->process_id)
		return (*x)->process_id < (*y)->process_id ? -1 : 1;
	return *x < *y ? -1 : *x > *y; /* in the order of their ids */
}

/* The sum of the books of `group` over threads [from, to) of one process. */
static void report_process_group(const struct ledger *ledger,
				 const struct group_book *group,
				 const struct ledger_thread *const *from,
				 const struct ledger_thread *const *to,
				 struct process_sum *sum, struct output *output)
{
	size_t slots = group->slots;
	bool any = false;

	memset(sum, 0, sizeof(*sum) + 4 * slots * sizeof(sum->values[0]));
	sum->summary.process_id = (*from)->process_id;
	sum->summary.group_id = group->group_id;
	sum->summary.running_ns = INT_NONE;
	for (; from < to; from++)
		for (const struct thread_book *book = (*from)->books; book;
		     book = book->next)
			if (&ledger->groups[book->group] == group) {
				ledger_add_to_process(ledger, book, &sum->summary,
						      sum->values);
				any = true;
			}
	if (!any)
		return;
	out(output, RECORD_process_summary, &sum->summary);
	for (size_t i = 0; i < slots; i++)
		out(output, RECORD_process_charge,
		    &(struct process_charge_row){
			    .process_id = sum->summary.process_id,
			    .counter_id = group->counter_ids[i],
			    .charged = sum->values[i],
			    .interrupts = sum->values[slots + i],
			    .with_idle = sum->values[2 * slots + i],
			    .unproven = sum->values[3 * slots + i],
		    });
}

static enum status report_processes(struct ledger *ledger, struct output *output)
{
	const struct ledger_thread **sorted;
	struct process_sum *sum;
	size_t count = 0;

	sorted = memory_alloc((ledger->thread_room ? ledger->thread_room : 1) *
			      sizeof(*sorted));
	sum = memory_alloc(sizeof(*sum) +
			   4 * GROUP_COUNTERS_MAX * sizeof(sum->values[0]));
	if (!sorted || !sum) {
		free(sorted);
		free(sum);
		return ST_NOMEM;
	}
	for (size_t i = 0; i < ledger->thread_room; i++)
		if (ledger->threads[i].books)
			sorted[count++] = &ledger->threads[i];
	qsort(sorted, count, sizeof(*sorted), by_process);
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from;
		     to < count && sorted[to]->process_id == sorted[from]->process_id;)
			to++;
		for (size_t g = 0; g < ledger->group_count; g++)
			report_process_group(ledger, &ledger->groups[g], sorted + from,
					     sorted + to, sum, output);
	}
	free(sorted);
	free(sum);
	return output->status;
}

static void report_interrupts(struct ledger *ledger, struct output *output)
{
	for (const struct interrupt_book *b = ledger->interrupts; b; b = b->next) {
		const struct group_book *group =
			ledger_find_group(ledger, b->summary.group_id);

		out(output, RECORD_interrupt_summary, &b->summary);
		for (size_t i = 0; group && i < group->slots; i++)
			out(output, RECORD_interrupt_charge,
			    &(struct interrupt_charge_row){
				    .interrupt_id = b->summary.interrupt_id,
				    .kind = b->kind,
				    .vector = b->vector,
				    .cpu = b->summary.cpu,
				    .thread_id = b->summary.thread_id,
				    .counter_id = group->counter_ids[i],
				    .status = b->summary.status,
				    .charged = b->charged[i] });
	}
}

enum status ledger_report(struct ledger *ledger,
			  enum status (*put)(void *context, enum record_kind kind,
					     const void *row),
			  void *context)
{
	struct output output = { put, context, ST_OK };

	if (ledger->out_of_memory)
		return ST_NOMEM;
	for (size_t i = 0; i < ledger->thread_room && !ledger->no_task_sums; i++)
		report_thread(ledger, &ledger->threads[i], &output);
	if (output.status == ST_OK && !ledger->no_process_sums && !ledger->no_task_sums)
		output.status = report_processes(ledger, &output);
	for (size_t g = 0; g < ledger->group_count; g++) {
		report_cpus(ledger, &ledger->groups[g], &output);
		report_statuses(&ledger->groups[g], &output);
	}
	report_interrupts(ledger, &output);
	return output.status;
}
