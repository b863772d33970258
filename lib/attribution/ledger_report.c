/* ledger_report.c - turns the books of ledger.c into table rows. */
#include <stdlib.h>

#include "attribution/ledger.h"
#include "base/memory.h"
#include "base/wrap.h"
#include "model/row_sums.h"

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
static struct thread_summary_row summary_of(const struct group_book *group,
					    const struct thread_book *book,
					    int64_t thread_id)
{
	const struct thread_rest *rest = ledger_known_rest(book->rest);
	const struct thread_rare *rare = ledger_known_rare(book->rest);

	return (struct thread_summary_row){
		.thread_id = thread_id,
		.group_id = group->group_id,
		.switches = book->switches,
		.on_cpu_ns = book->on_cpu_ns,
		.with_idle_switches = rest->with_idle_switches,
		.timeless_switches = rest->timeless_switches,
		.unproven_switches = rare->unproven_switches,
		.unproven_ns = rare->unproven_ns,
		.running_ns = ledger_running_ns(book->ran),
		.reads = rare->reads,
		.interrupts_ns = rare->interrupts_ns,
	};
}

/* The charged, shared and unproven counts of a counter. */
struct counts {
	int64_t charged, interrupts, with_idle, unproven;
};

static struct counts counts_of(const struct thread_book *book, size_t slots, size_t slot)
{
	const struct thread_rest *rest = book->rest;
	const struct thread_rare *rare = rest ? rest->rare : NULL;

	return (struct counts){ book->charged[slot], rare ? rare->counts[slot] : 0,
				rest ? rest->with_idle[slot] : 0,
				rare ? rare->counts[slots + slot] : 0 };
}

/* Reports the part of a thread in a control group. */
static void report_part(const struct group_book *group, int64_t thread_id,
			const struct thread_book *part, struct output *output)
{
	const struct thread_summary_row sum = summary_of(group, part, thread_id);
	int64_t cgroup_id = part->rest->rare->cgroup_id;

	out(output, RECORD_cgroup_summary,
	    &(struct cgroup_summary_row){
		    .cgroup_id = cgroup_id,
		    .thread_id = thread_id,
		    .group_id = group->group_id,
		    ROW_SUMS(&sum),
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

static void report_book(const struct group_book *group, int64_t thread_id,
			const struct thread_book *book, struct output *output)
{
	const struct thread_summary_row summary = summary_of(group, book, thread_id);

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
	for (const struct thread_book *p = ledger_known_rare(book->rest)->parts; p;
	     p = p->rest->rare->next)
		report_part(group, thread_id, p, output);
}

static void report_thread(const struct ledger *ledger, size_t thread,
			  struct output *output)
{
	int64_t thread_id = ledger->first_thread_id + (int64_t)thread;

	for (size_t g = 0; g < ledger->group_count; g++) {
		const struct thread_book *book = ledger_find_book(ledger, thread, g);

		if (book)
			report_book(&ledger->groups[g], thread_id, book, output);
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
			row_add_all(cpu->charged, cpu->idle, group->slots);
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
		row_add_all(group->status[CHARGE_CHARGED].values, book->charged,
			    group->slots);
		row_add_all(group->status[CHARGE_CHARGED].values, book->interrupts,
			    group->slots);
		row_add_all(group->status[CHARGE_CHARGED].values, book->idle,
			    group->slots);
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

static void add_rare(struct ledger *ledger, struct thread_book *to,
		     const struct thread_rare *from, size_t slots)
{
	struct thread_rare *rare = ledger_rare(ledger, &to->rest, slots);

	if (!rare)
		return;
	rare->reads += from->reads;
	rare->unproven_switches += from->unproven_switches;
	rare->unproven_ns = wrap_add(rare->unproven_ns, from->unproven_ns);
	rare->interrupts_ns = wrap_add(rare->interrupts_ns, from->interrupts_ns);
	row_add_all(rare->counts, from->counts, 2 * slots);
}

static void add_rest(struct ledger *ledger, struct thread_book *to,
		     const struct thread_rest *from, size_t slots)
{
	struct thread_rest *rest = ledger_rest(ledger, &to->rest, slots);

	if (!rest)
		return;
	rest->with_idle_switches += from->with_idle_switches;
	rest->timeless_switches += from->timeless_switches;
	row_add_all(rest->with_idle, from->with_idle, slots);
	if (from->rare)
		add_rare(ledger, to, from->rare, slots);
}

void ledger_add_to_process(struct ledger *ledger, struct thread_book *to,
			   const struct thread_book *from, size_t slots)
{
	to->switches += from->switches;
	to->on_cpu_ns = wrap_add(to->on_cpu_ns, from->on_cpu_ns);
	if (from->ran)
		ledger_add_running(&to->ran, ledger_running_ns(from->ran));
	row_add_all(to->charged, from->charged, slots);
	if (from->rest)
		add_rest(ledger, to, from->rest, slots);
}

static void copy_values(int64_t *values, const struct thread_book *book, size_t slots)
{
	for (size_t i = 0; i < slots; i++) {
		struct counts counts = counts_of(book, slots, i);

		values[i] = counts.charged;
		values[slots + i] = counts.interrupts;
		values[2 * slots + i] = counts.with_idle;
		values[3 * slots + i] = counts.unproven;
	}
}

struct process_summary_row ledger_process_sums(const struct group_book *group,
					       const struct thread_book *book,
					       int64_t process_id, int64_t threads,
					       int64_t *values)
{
	const struct thread_summary_row sums = summary_of(group, book, INT_NONE);

	copy_values(values, book, group->slots);
	return (struct process_summary_row){
		.process_id = process_id,
		.group_id = sums.group_id,
		.threads = threads,
		ROW_SUMS(&sums),
	};
}

/* A thread with books. */
struct member {
	int64_t process_id;
	size_t thread;
};

static int by_process(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->process_id != y->process_id)
		return x->process_id < y->process_id ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Room for the sums of one process and group. */
struct process_sum {
	struct thread_book *book;
	struct thread_rest *rest;
	int64_t *values;
};

static bool begin_sum(struct ledger *ledger, struct process_sum *sum)
{
	const size_t slots = GROUP_COUNTERS_MAX;

	sum->book = ledger_new_book(ledger, slots);
	sum->rest = NULL;
	sum->values = arena_alloc(&ledger->arena, 4 * slots * sizeof(*sum->values));
	return sum->book && sum->values && ledger_rare(ledger, &sum->rest, slots);
}

static void clear_sum(const struct process_sum *sum, size_t slots)
{
	size_t bytes = slots * sizeof(*sum->values);

	memset(sum->book, 0, sizeof(*sum->book) + bytes);
	sum->rest->with_idle_switches = sum->rest->timeless_switches = 0;
	memset(sum->rest->with_idle, 0, bytes);
	memset(sum->rest->rare, 0, sizeof(*sum->rest->rare) + 2 * bytes);
	sum->book->rest = sum->rest;
}

/* The sum of the books of a group over threads [from, to) of one process. */
static void report_process_group(struct ledger *ledger, size_t g,
				 const struct member *from, const struct member *to,
				 const struct process_sum *sum, struct output *output)
{
	const struct group_book *group = &ledger->groups[g];
	struct process_summary_row summary;
	const int64_t *values = sum->values;
	size_t slots = group->slots;
	int64_t process_id = from->process_id;
	int64_t threads = 0;
	bool any = false;

	clear_sum(sum, slots);
	for (; from < to; from++) {
		const struct thread_book *book =
			ledger_find_book(ledger, from->thread, g);

		if (!book)
			continue;
		ledger_add_to_process(ledger, sum->book, book, slots);
		threads += ledger_has_run(book);
		any = true;
	}
	if (!any)
		return;
	summary = ledger_process_sums(group, sum->book, process_id, threads, sum->values);
	out(output, RECORD_process_summary, &summary);
	for (size_t i = 0; i < slots; i++)
		out(output, RECORD_process_charge,
		    &(struct process_charge_row){
			    .process_id = process_id,
			    .counter_id = group->counter_ids[i],
			    .charged = values[i],
			    .interrupts = values[slots + i],
			    .with_idle = values[2 * slots + i],
			    .unproven = values[3 * slots + i],
		    });
}

static bool has_books(const struct ledger *ledger, size_t thread)
{
	return (thread < ledger->thread_room && ledger->threads[thread].others) ||
	       ledger_find_book(ledger, thread, 0);
}

/* Threads by process, in the order of their ids; NULL: out of memory. */
static struct member *sort_members(const struct ledger *ledger, size_t *count)
{
	size_t threads = ledger_thread_count(ledger);
	struct member *members = memory_alloc((threads + 1) * sizeof(*members));

	*count = 0;
	for (size_t i = 0; i < threads && members; i++)
		if (has_books(ledger, i))
			members[(*count)++] = (struct member){
				i < ledger->thread_room ? ledger->threads[i].process_id
							: 0,
				i,
			};
	if (members)
		qsort(members, *count, sizeof(*members), by_process);
	return members;
}

static enum status report_processes(struct ledger *ledger, struct output *output)
{
	struct process_sum sum;
	size_t count;
	struct member *members = sort_members(ledger, &count);

	if (!members || !begin_sum(ledger, &sum)) {
		free(members);
		return ST_NOMEM;
	}
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from;
		     to < count && members[to].process_id == members[from].process_id;)
			to++;
		for (size_t g = 0; g < ledger->group_count; g++)
			report_process_group(ledger, g, members + from, members + to,
					     &sum, output);
	}
	free(members);
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
	for (size_t g = 0; g < ledger->group_count; g++) {
		report_cpus(ledger, &ledger->groups[g], &output);
		report_statuses(&ledger->groups[g], &output);
	}
	for (size_t i = 0; i < ledger_thread_count(ledger) && !ledger->no_task_sums; i++)
		report_thread(ledger, i, &output);
	if (output.status == ST_OK && !ledger->no_process_sums && !ledger->no_task_sums)
		output.status = report_processes(ledger, &output);
	report_interrupts(ledger, &output);
	return output.status;
}
