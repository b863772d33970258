/* ledger.c - see ledger.h.  Adding comes first, the rows that go out are at the end. */
#include "attribution/ledger.h"

#include <stdlib.h>

#include "attribution/identity.h"

/* Two's complement sums: a wrapped total still balances, and is not undefined. */
static int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void add_all(int64_t *sums, const int64_t *deltas, size_t slots)
{
	for (size_t i = 0; i < slots; i++)
		sums[i] = wrap_add(sums[i], deltas[i]);
}

void ledger_begin(struct ledger *ledger, int64_t trace_id, int64_t first_thread_id)
{
	int64_t from_ns = ledger->from_ns, to_ns = ledger->to_ns;

	*ledger = (struct ledger){ .trace_id = trace_id,
				   .from_ns = from_ns,
				   .to_ns = to_ns,
				   .whole = from_ns == INT64_MIN && to_ns == INT64_MAX,
				   .first_thread_id = first_thread_id };
}

void ledger_end(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->group_count; i++)
		free(ledger->groups[i].cpus);
	free(ledger->groups);
	free(ledger->unions);
	free(ledger->threads);
	arena_release(&ledger->arena);
	ledger_begin(ledger, 0, INT_NONE);
}

static int64_t *sums(struct ledger *ledger, size_t slots)
{
	int64_t *zeroed =
		arena_alloc(&ledger->arena, (slots ? slots : 1) * sizeof(*zeroed));

	ledger->out_of_memory |= zeroed == NULL;
	return zeroed;
}

void ledger_group(struct ledger *ledger, const struct counter_group_row *row)
{
	size_t slots = (size_t)row->counters;
	struct group_book *groups, *group;

	if (row->counters < 0 || slots > GROUP_COUNTERS_MAX)
		return;
	if (ledger->group_count &&
	    row->group_id != ledger->groups[0].group_id + (int64_t)ledger->group_count)
		return; /* a damaged database: its switches find no group */
	groups = realloc(ledger->groups, (ledger->group_count + 1) * sizeof(*groups));
	if (!groups) {
		ledger->out_of_memory = true;
		return;
	}
	ledger->groups = groups;
	group = &groups[ledger->group_count];
	*group = (struct group_book){ .group_id = row->group_id, .slots = slots };
	group->per_task = str_equal(row->scope, STR("task"));
	group->counter_ids = sums(ledger, slots);
	for (int i = 0; i < CHARGE_STATUSES; i++)
		group->status[i].values = sums(ledger, slots);
	if (!ledger->out_of_memory)
		ledger->group_count++;
}

struct group_book *ledger_find_group(struct ledger *ledger, int64_t group_id)
{
	uint64_t at;

	if (ledger->group_count == 0)
		return NULL;
	at = (uint64_t)group_id - (uint64_t)ledger->groups[0].group_id;
	return at < ledger->group_count ? &ledger->groups[at] : NULL;
}

void ledger_counter(struct ledger *ledger, const struct counter_row *row)
{
	struct group_book *group = ledger_find_group(ledger, row->group_id);

	if (group && row->slot >= 0 && (size_t)row->slot < group->slots)
		group->counter_ids[row->slot] = row->counter_id;
}

/* --- threads --- */

static bool grow_threads(struct ledger *ledger, size_t at)
{
	size_t room = ledger->thread_room ? ledger->thread_room : 64;
	struct ledger_thread *threads;

	while (room <= at)
		room *= 2;
	threads = realloc(ledger->threads, room * sizeof(*threads));
	if (!threads) {
		ledger->out_of_memory = true;
		return false;
	}
	memset(threads + ledger->thread_room, 0,
	       (room - ledger->thread_room) * sizeof(*threads));
	ledger->threads = threads;
	ledger->thread_room = room;
	return true;
}

/* The thread, made if need be; NULL for ids that cannot be of this trace. */
static struct ledger_thread *new_thread(struct ledger *ledger, int64_t thread_id)
{
	size_t at;

	if (thread_id == INT_NONE)
		return NULL;
	if (ledger->first_thread_id == INT_NONE)
		ledger->first_thread_id = thread_id;
	if (thread_id < ledger->first_thread_id ||
	    (uint64_t)thread_id - (uint64_t)ledger->first_thread_id >= 2 * THREADS_MAX)
		return NULL;
	at = (size_t)(thread_id - ledger->first_thread_id);
	if (at >= ledger->thread_room && !grow_threads(ledger, at))
		return NULL;
	ledger->threads[at].thread_id = thread_id;
	return &ledger->threads[at];
}

static inline struct ledger_thread *find_thread(struct ledger *ledger, int64_t thread_id)
{
	uint64_t at = (uint64_t)thread_id - (uint64_t)ledger->first_thread_id;

	if (at < ledger->thread_room && ledger->threads[at].thread_id == thread_id)
		return &ledger->threads[at];
	return new_thread(ledger, thread_id);
}

void ledger_thread(struct ledger *ledger, int64_t thread_id, int64_t process_id,
		   bool idle)
{
	struct ledger_thread *thread = find_thread(ledger, thread_id);

	if (!thread)
		return;
	thread->known = true;
	thread->process_id = process_id;
	thread->idle = idle;
}

bool ledger_is_idle(const struct ledger *ledger, int64_t thread_id)
{
	uint64_t at = (uint64_t)thread_id - (uint64_t)ledger->first_thread_id;

	return at < ledger->thread_room && ledger->threads[at].idle;
}

static struct thread_book *new_thread_book(struct ledger *ledger,
					   struct ledger_thread *thread,
					   const struct group_book *group)
{
	struct thread_book *book =
		arena_alloc(&ledger->arena,
			    sizeof(*book) + 3 * group->slots * sizeof(*book->charged));

	if (!book) {
		ledger->out_of_memory = true;
		return NULL;
	}
	book->group_id = group->group_id;
	book->home_cpu = INT_NONE;
	book->summary.running_ns = INT_NONE;
	book->charged = (int64_t *)(book + 1);
	book->with_idle = book->charged + group->slots;
	book->unproven = book->with_idle + group->slots;
	book->next = thread->books;
	thread->books = book;
	return book;
}

static inline struct thread_book *thread_book(struct ledger *ledger,
					      struct ledger_thread *thread,
					      const struct group_book *group)
{
	struct thread_book *book = thread->books;

	while (book && book->group_id != group->group_id)
		book = book->next;
	return book ? book : new_thread_book(ledger, thread, group);
}

/* --- CPUs --- */

static struct cpu_book *new_cpu_book(struct ledger *ledger,
				     const struct group_book *group, int64_t cpu)
{
	struct cpu_book *book = arena_alloc(&ledger->arena, sizeof(*book));

	if (!book) {
		ledger->out_of_memory = true;
		return NULL;
	}
	book->summary.trace_id = ledger->trace_id;
	book->summary.cpu = cpu;
	book->summary.group_id = group->group_id;
	book->summary.first_ns = book->summary.last_ns = INT_NONE;
	book->summary.running_ns = INT_NONE;
	book->first = sums(ledger, group->slots);
	book->last = sums(ledger, group->slots);
	book->charged = sums(ledger, group->slots);
	book->with_idle = sums(ledger, group->slots);
	book->idle = sums(ledger, group->slots);
	book->unattributed = sums(ledger, group->slots);
	return ledger->out_of_memory ? NULL : book;
}

static struct cpu_book *make_cpu_book(struct ledger *ledger, struct group_book *group,
				      int64_t cpu)
{
	if (cpu < 0 || cpu >= CPU_MAX)
		return NULL;
	if ((size_t)cpu >= group->cpu_count) {
		size_t count = (size_t)cpu + 1;
		struct cpu_book **cpus =
			realloc(group->cpus, count * sizeof(struct cpu_book *));

		if (!cpus) {
			ledger->out_of_memory = true;
			return NULL;
		}
		for (size_t i = group->cpu_count; i < count; i++)
			cpus[i] = NULL;
		group->cpus = cpus;
		group->cpu_count = count;
	}
	group->cpus[cpu] = new_cpu_book(ledger, group, cpu);
	return group->cpus[cpu];
}

static inline struct cpu_book *cpu_book(struct ledger *ledger, struct group_book *group,
					int64_t cpu)
{
	if ((uint64_t)cpu < group->cpu_count && group->cpus[cpu])
		return group->cpus[cpu];
	return make_cpu_book(ledger, group, cpu);
}

/* Counts a switch once, however many groups saw it: the rule of chain.c, on rows. */
static void count_switch(struct ledger *ledger, struct cpu_book *book,
			 const struct context_switch_row *row)
{
	size_t at = (size_t)book->summary.cpu;
	struct cpu_union *cpu;

	if (at >= ledger->union_count) {
		cpu = realloc(ledger->unions, (at + 1) * sizeof(*cpu));
		if (!cpu) {
			ledger->out_of_memory = true;
			return;
		}
		memset(cpu + ledger->union_count, 0,
		       (at + 1 - ledger->union_count) * sizeof(*cpu));
		ledger->unions = cpu;
		ledger->union_count = at + 1;
	}
	cpu = &ledger->unions[at];
	if (cpu->switches == 0 || book->seen == cpu->switches ||
	    row->prev_thread_id != cpu->last_prev_id ||
	    row->next_thread_id != cpu->last_next_id || row->ts_ns < cpu->last_ns ||
	    (uint64_t)row->ts_ns - (uint64_t)cpu->last_ns > SAME_SWITCH_NS) {
		cpu->switches++;
		cpu->last_ns = row->ts_ns;
		cpu->last_prev_id = row->prev_thread_id;
		cpu->last_next_id = row->next_thread_id;
	}
	book->seen = cpu->switches;
}

/* --- adding an interval --- */

static void add_time(int64_t *sum, int64_t more)
{
	if (more != INT_NONE)
		*sum = wrap_add(*sum == INT_NONE ? 0 : *sum, more);
}

static void add_to_thread(struct thread_book *book, const struct group_book *group,
			  const struct context_switch_row *row, const int64_t *deltas)
{
	struct thread_summary_row *summary = &book->summary;

	if (charge_is_unproven(row->status)) {
		summary->unproven_switches++;
		add_time(&summary->unproven_ns, row->on_cpu_ns);
		add_all(book->unproven, deltas, group->slots);
		return;
	}
	summary->switches++;
	add_time(&summary->on_cpu_ns, row->on_cpu_ns);
	if (row->status == CHARGE_WITH_IDLE) {
		summary->with_idle_switches++;
		summary->timeless_switches += row->on_cpu_ns == 0;
		add_all(book->with_idle, deltas, group->slots);
	} else {
		add_all(book->charged, deltas, group->slots);
	}
	add_time(&summary->running_ns, row->running_ns);
}

/*
 * First and last value of a window are those of its first and last switch.  Of a whole
 * trace the trace itself tells them: ledger_base().
 */
static void note_values(struct cpu_book *book, const struct group_book *group,
			const int64_t *deltas, const int64_t *values)
{
	if (group->per_task) { /* several instances on a CPU: only the rise is known */
		add_all(book->last, deltas, group->slots);
		return;
	}
	for (size_t i = 0; i < group->slots; i++) {
		if (book->summary.switches == 1)
			book->first[i] =
				wrap_add(values[i], (int64_t)(0 - (uint64_t)deltas[i]));
		book->last[i] = values[i];
	}
}

static void add_to_cpu(struct cpu_book *book, const struct group_book *group,
		       const struct context_switch_row *row, bool idle,
		       const int64_t *deltas)
{
	struct cpu_summary_row *summary = &book->summary;

	if (summary->switches++ == 0)
		summary->first_ns = row->ts_ns;
	summary->last_ns = row->ts_ns;
	add_time(&summary->on_cpu_ns, row->on_cpu_ns);
	add_time(&summary->running_ns, row->running_ns);
	if (charge_is_unproven(row->status)) {
		add_time(&summary->unattributed_ns, row->on_cpu_ns);
		add_all(book->unattributed, deltas, group->slots);
	} else if (idle) {
		add_time(&summary->idle_ns, row->on_cpu_ns);
		add_all(book->idle, deltas, group->slots);
	} else if (row->status == CHARGE_WITH_IDLE) {
		add_all(book->with_idle, deltas, group->slots);
	} else {
		add_all(book->charged, deltas, group->slots);
	}
}

/*
 * A group that follows a thread may count on one CPU and go on on another, so books by
 * CPU could not balance.  All of it stands on the CPU where the thread was first seen.
 */
static int64_t home_of(const struct group_book *group, const struct thread_book *book,
		       int64_t cpu)
{
	return group->per_task && book ? book->home_cpu : cpu;
}

void ledger_add(struct ledger *ledger, const struct context_switch_row *row, bool idle,
		const int64_t *deltas, const int64_t *values, size_t slots)
{
	struct group_book *group = ledger_find_group(ledger, row->group_id);
	struct ledger_thread *thread;
	struct thread_book *book;
	struct cpu_book *cpu;

	if (!group || group->slots != slots || row->status < 0 ||
	    row->status >= CHARGE_STATUSES)
		return;
	if (!ledger->whole &&
	    (row->ts_ns < ledger->from_ns || row->ts_ns >= ledger->to_ns))
		return;
	thread = find_thread(ledger, row->prev_thread_id);
	book = thread ? thread_book(ledger, thread, group) : NULL;
	if (book) {
		if (book->home_cpu == INT_NONE)
			book->home_cpu = row->cpu;
		add_to_thread(book, group, row, deltas);
	}
	cpu = cpu_book(ledger, group, home_of(group, book, row->cpu));
	if (cpu) {
		if (ledger->group_count > 1) /* else it is what the group saw */
			count_switch(ledger, cpu, row);
		add_to_cpu(cpu, group, row, idle, deltas);
		if (!ledger->whole)
			note_values(cpu, group, deltas, values);
	}
	group->status[row->status].switches++;
	add_time(&group->status[row->status].on_cpu_ns, row->on_cpu_ns);
	if (row->status != CHARGE_CHARGED) /* most are: see charged_values() */
		add_all(group->status[row->status].values, deltas, slots);
}

void ledger_base(struct ledger *ledger, const struct counter_base_row *base)
{
	for (size_t g = 0; g < ledger->group_count; g++) {
		struct group_book *group = &ledger->groups[g];

		for (size_t slot = 0; slot < group->slots; slot++) {
			struct ledger_thread *thread;
			struct thread_book *book;
			struct cpu_book *cpu;

			if (group->counter_ids[slot] != base->counter_id)
				continue;
			thread = find_thread(ledger, base->thread_id);
			book = thread ? thread_book(ledger, thread, group) : NULL;
			cpu = cpu_book(ledger, group, home_of(group, book, base->cpu));
			if (!cpu)
				return;
			if (!cpu->based) {
				memset(cpu->first, 0, group->slots * sizeof(*cpu->first));
				memset(cpu->last, 0, group->slots * sizeof(*cpu->last));
				cpu->based = true;
			}
			/* Groups that follow tasks have several instances on a CPU. */
			cpu->first[slot] = wrap_add(cpu->first[slot], base->first_value);
			cpu->last[slot] = wrap_add(cpu->last[slot], base->last_value);
			return;
		}
	}
}

/* --- the totals as rows --- */

struct output {
	enum status (*put)(void *context, enum record_kind kind, const void *row);
	void *context;
	enum status status; /* first failure; nothing goes out after it */
};

static void out(struct output *output, enum record_kind kind, const void *row)
{
	if (output->status == ST_OK)
		output->status = output->put(output->context, kind, row);
}

static void report_thread(struct ledger *ledger, const struct ledger_thread *thread,
			  struct output *output)
{
	for (size_t g = 0; g < ledger->group_count; g++) {
		const struct group_book *group = &ledger->groups[g];
		struct thread_book *book = thread->books;

		while (book && book->group_id != group->group_id)
			book = book->next;
		if (!book)
			continue;
		book->summary.thread_id = thread->thread_id;
		book->summary.group_id = group->group_id;
		out(output, RECORD_thread_summary, &book->summary);
		for (size_t i = 0; i < group->slots; i++)
			out(output, RECORD_thread_charge,
			    &(struct thread_charge_row){
				    .thread_id = thread->thread_id,
				    .counter_id = group->counter_ids[i],
				    .charged = book->charged[i],
				    .with_idle = book->with_idle[i],
				    .unproven = book->unproven[i],
			    });
	}
}

static void report_cpus(const struct ledger *ledger, struct group_book *group,
			struct output *output)
{
	for (size_t c = 0; c < group->cpu_count; c++) {
		struct cpu_book *book = group->cpus[c];

		if (!book || book->summary.switches == 0)
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
				    .with_idle = book->with_idle[i],
				    .idle = book->idle[i],
				    .unattributed = book->unattributed[i],
			    });
	}
}

/* What is CHARGED is what the CPUs' books hold as charged and as idle. */
static void charged_values(struct group_book *group)
{
	for (size_t c = 0; c < group->cpu_count; c++) {
		if (!group->cpus[c])
			continue;
		add_all(group->status[CHARGE_CHARGED].values, group->cpus[c]->charged,
			group->slots);
		add_all(group->status[CHARGE_CHARGED].values, group->cpus[c]->idle,
			group->slots);
	}
}

static void report_statuses(struct group_book *group, struct output *output)
{
	charged_values(group);
	for (int s = 0; s < CHARGE_STATUSES; s++) {
		if (group->status[s].switches == 0)
			continue;
		out(output, RECORD_status_summary,
		    &(struct status_summary_row){ .group_id = group->group_id,
						  .status = s,
						  .switches = group->status[s].switches,
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
	struct process_charge_row charges[];
};

static void add_thread_to_process(struct process_sum *sum, const struct thread_book *book,
				  size_t slots)
{
	struct process_summary_row *to = &sum->summary;
	const struct thread_summary_row *from = &book->summary;

	to->threads += from->switches > 0;
	to->switches += from->switches;
	to->with_idle_switches += from->with_idle_switches;
	to->timeless_switches += from->timeless_switches;
	to->unproven_switches += from->unproven_switches;
	add_time(&to->on_cpu_ns, from->on_cpu_ns);
	add_time(&to->unproven_ns, from->unproven_ns);
	add_time(&to->running_ns, from->running_ns);
	for (size_t i = 0; i < slots; i++) {
		struct process_charge_row *charge = &sum->charges[i];

		charge->charged = wrap_add(charge->charged, book->charged[i]);
		charge->with_idle = wrap_add(charge->with_idle, book->with_idle[i]);
		charge->unproven = wrap_add(charge->unproven, book->unproven[i]);
	}
}

static int by_process(const void *a, const void *b)
{
	const struct ledger_thread *const *x = a, *const *y = b;

	if ((*x)->process_id != (*y)->process_id)
		return (*x)->process_id < (*y)->process_id ? -1 : 1;
	return (*x)->thread_id < (*y)->thread_id ? -1 : (*x)->thread_id > (*y)->thread_id;
}

/* All books of `group` that threads [from, to) of one process have, as one sum. */
static void report_process_group(const struct group_book *group,
				 const struct ledger_thread *const *from,
				 const struct ledger_thread *const *to,
				 struct process_sum *sum, struct output *output)
{
	bool any = false;

	memset(sum, 0, sizeof(*sum) + group->slots * sizeof(sum->charges[0]));
	sum->summary.process_id = (*from)->process_id;
	sum->summary.group_id = group->group_id;
	sum->summary.running_ns = INT_NONE;
	for (; from < to; from++)
		for (const struct thread_book *book = (*from)->books; book;
		     book = book->next)
			if (book->group_id == group->group_id) {
				add_thread_to_process(sum, book, group->slots);
				any = true;
			}
	if (!any)
		return;
	out(output, RECORD_process_summary, &sum->summary);
	for (size_t i = 0; i < group->slots; i++) {
		sum->charges[i].process_id = sum->summary.process_id;
		sum->charges[i].counter_id = group->counter_ids[i];
		out(output, RECORD_process_charge, &sum->charges[i]);
	}
}

static enum status report_processes(struct ledger *ledger, struct output *output)
{
	const struct ledger_thread **sorted;
	struct process_sum *sum;
	size_t count = 0;

	sorted =
		malloc((ledger->thread_room ? ledger->thread_room : 1) * sizeof(*sorted));
	sum = malloc(sizeof(*sum) + GROUP_COUNTERS_MAX * sizeof(sum->charges[0]));
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
			report_process_group(&ledger->groups[g], sorted + from,
					     sorted + to, sum, output);
	}
	free(sorted);
	free(sum);
	return output->status;
}

enum status ledger_report(struct ledger *ledger,
			  enum status (*put)(void *context, enum record_kind kind,
					     const void *row),
			  void *context)
{
	struct output output = { put, context, ST_OK };

	if (ledger->out_of_memory)
		return ST_NOMEM;
	for (size_t i = 0; i < ledger->thread_room; i++)
		report_thread(ledger, &ledger->threads[i], &output);
	if (output.status == ST_OK)
		output.status = report_processes(ledger, &output);
	for (size_t g = 0; g < ledger->group_count; g++) {
		report_cpus(ledger, &ledger->groups[g], &output);
		report_statuses(&ledger->groups[g], &output);
	}
	return output.status;
}
