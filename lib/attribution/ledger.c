/* ledger.c - adds intervals to the books of threads, CPUs and statuses. */
#include "attribution/ledger.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/wrap.h"
#include "model/row_sums.h"

void ledger_begin(struct ledger *ledger, int64_t trace_id, int64_t first_thread_id)
{
	int64_t from_ns = ledger->from_ns, to_ns = ledger->to_ns;
	bool no_process_sums = ledger->no_process_sums;

	*ledger = (struct ledger){ .trace_id = trace_id,
				   .no_process_sums = no_process_sums,
				   .from_ns = from_ns,
				   .to_ns = to_ns,
				   .whole = from_ns == INT64_MIN && to_ns == INT64_MAX,
				   .first_thread_id = first_thread_id };
}

void ledger_end(struct ledger *ledger)
{
	free(ledger->groups);
	free(ledger->unions);
	free(ledger->books.pages);
	free(ledger->threads);
	map_release(&ledger->part_by_cgroup);
	map_release(&ledger->interrupt_books);
	map_release(&ledger->interrupt_rows);
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
	struct group_book *group;

	if (row->counters < 0 || slots > GROUP_COUNTERS_MAX)
		return;
	if (ledger->group_count && wrap_sub(row->group_id, ledger->groups[0].group_id) !=
					   (int64_t)ledger->group_count)
		return; /* a damaged database: its switches find no group */
	if (!ARRAY_GROW(ledger->groups, ledger->group_room, ledger->group_count)) {
		ledger->out_of_memory = true;
		return;
	}
	if (ledger->group_count == 1)
		ledger_begin_unions(ledger, &ledger->groups[0]);
	group = &ledger->groups[ledger->group_count];
	*group = (struct group_book){ .group_id = row->group_id, .slots = slots };
	group->per_task = str_equal(row->scope, STR("task"));
	group->counter_ids = sums(ledger, slots);
	for (int i = 0; i < CHARGE_STATUSES; i++)
		group->status[i].values = sums(ledger, slots);
	if (ledger->out_of_memory)
		return;
	if (ledger->group_count++ == 0)
		ledger_size_books(ledger, slots);
}

struct group_book *ledger_find_group(struct ledger *ledger, int64_t group_id)
{
	uint64_t at;

	if (ledger->group_count == 0)
		return NULL;
	at = (uint64_t)group_id - (uint64_t)ledger->groups[0].group_id;
	return at < ledger->group_count ? &ledger->groups[at] : NULL;
}

/* Sets all sums to zero; only the list of counters stays. */
static void copy_group(struct ledger *to, const struct group_book *from)
{
	struct counter_group_row row = { .group_id = from->group_id,
					 .counters = (int64_t)from->slots };

	row.scope = from->per_task ? STR("task") : STR("cpu");
	ledger_group(to, &row);
	if (!to->out_of_memory && from->slots)
		memcpy(to->groups[to->group_count - 1].counter_ids, from->counter_ids,
		       from->slots * sizeof(*from->counter_ids));
}

void ledger_restart(struct ledger *ledger)
{
	struct ledger old = *ledger;

	ledger_begin(ledger, old.trace_id, old.first_thread_id);
	ledger->whole = old.whole;
	ledger_copy_interrupts(ledger, &old);
	for (size_t g = 0; g < old.group_count; g++)
		copy_group(ledger, &old.groups[g]);
	ledger->out_of_memory |= old.out_of_memory;
	ledger_end(&old);
}

void ledger_counter(struct ledger *ledger, const struct counter_row *row)
{
	struct group_book *group = ledger_find_group(ledger, row->group_id);

	if (group && row->slot >= 0 && (size_t)row->slot < group->slots)
		group->counter_ids[row->slot] = row->counter_id;
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
	book->interrupts = sums(ledger, group->slots);
	book->with_idle = sums(ledger, group->slots);
	book->idle = sums(ledger, group->slots);
	book->unattributed = sums(ledger, group->slots);
	return ledger->out_of_memory ? NULL : book;
}

static struct cpu_book *make_cpu_book(struct ledger *ledger, struct group_book *group,
				      int64_t cpu)
{
	struct cpu_book ***page;

	if (cpu < 0 || cpu >= CPU_MAX)
		return NULL;
	page = &group->pages[cpu / CPU_PAGE];
	if (!*page)
		*page = arena_alloc(&ledger->arena, CPU_PAGE * sizeof(struct cpu_book *));
	if (!*page) {
		ledger->out_of_memory = true;
		return NULL;
	}
	(*page)[cpu % CPU_PAGE] = new_cpu_book(ledger, group, cpu);
	if ((size_t)cpu >= group->cpu_count)
		group->cpu_count = (size_t)cpu + 1;
	return (*page)[cpu % CPU_PAGE];
}

static inline struct cpu_book *cpu_book(struct ledger *ledger, struct group_book *group,
					int64_t cpu)
{
	struct cpu_book *book = group->last_cpu;

	/* A ring is written in one piece: mostly the CPU of the previous switch. */
	if (book && book->summary.cpu == cpu)
		return book;
	book = (uint64_t)cpu < CPU_MAX ? ledger_cpu(group, (size_t)cpu) : NULL;
	group->last_cpu = book ? book : make_cpu_book(ledger, group, cpu);
	return group->last_cpu;
}

struct cpu_book *ledger_cpu_book(struct ledger *ledger, struct group_book *group,
				 int64_t cpu)
{
	return cpu_book(ledger, group, cpu);
}

/* --- adding an interval --- */

static void add_to_rare(struct ledger *ledger, struct thread_book *book,
			const struct group_book *group,
			const struct context_switch_row *row, enum charge_class class,
			const int64_t *deltas)
{
	struct thread_rare *rare = ledger_rare(ledger, &book->rest, group->slots);

	if (!rare)
		return;
	rare->reads += row_is_read(row) && row->status != CHARGE_BASELINE;
	if (class == CLASS_UNPROVEN) {
		rare->unproven_switches += !row_is_read(row);
		row_add_time(&rare->unproven_ns, row->on_cpu_ns);
		row_add_all(rare->counts + group->slots, deltas, group->slots);
	} else if (class == CLASS_INTERRUPT) {
		row_add_time(&rare->interrupts_ns, row->on_cpu_ns);
		row_add_all(rare->counts, deltas, group->slots);
	}
}

static void add_with_idle(struct ledger *ledger, struct thread_book *book,
			  const struct group_book *group,
			  const struct context_switch_row *row, const int64_t *deltas)
{
	struct thread_rest *rest = ledger_rest(ledger, &book->rest, group->slots);

	if (!rest)
		return;
	rest->with_idle_switches += !row_is_read(row);
	rest->timeless_switches += !row_is_read(row) && row->on_cpu_ns == 0;
	row_add_all(rest->with_idle, deltas, group->slots);
}

static void add_to_thread(struct ledger *ledger, struct thread_book *book,
			  const struct group_book *group,
			  const struct context_switch_row *row, enum charge_class class,
			  const int64_t *deltas)
{
	bool is_own = class == CLASS_CHARGED || class == CLASS_WITH_IDLE;

	if (!is_own || row_is_read(row))
		add_to_rare(ledger, book, group, row, class, deltas);
	if (!is_own)
		return;
	if (class == CLASS_WITH_IDLE)
		add_with_idle(ledger, book, group, row, deltas);
	book->switches += !row_is_read(row);
	row_add_time(&book->on_cpu_ns, row->on_cpu_ns);
	if (class == CLASS_CHARGED)
		row_add_all(book->charged, deltas, group->slots);
	if (row->running_ns != INT_NONE)
		ledger_add_running(&book->ran, row->running_ns);
}

/*
 * The first and last value of a window are those of its first and last switch.  Those of
 * a whole trace come from the trace itself: ledger_base().
 */
static void add_window_values(struct cpu_book *book, const struct group_book *group,
			      const int64_t *deltas, const int64_t *values)
{
	if (group->per_task) { /* several instances on a CPU: only the rise is known */
		row_add_all(book->last, deltas, group->slots);
		return;
	}
	for (size_t i = 0; i < group->slots; i++) {
		if (!book->valued)
			book->first[i] = wrap_sub(values[i], deltas[i]);
		book->last[i] = values[i];
	}
	book->valued = true;
}

static void add_to_part(struct ledger *ledger, struct thread_book *book,
			const struct group_book *group, int64_t cgroup_id,
			const struct context_switch_row *row, enum charge_class class,
			const int64_t *deltas)
{
	struct thread_book *part = ledger_part_book(ledger, book, group, cgroup_id);

	if (part)
		add_to_thread(ledger, part, group, row, class, deltas);
}

static void add_to_cpu(struct cpu_book *book, const struct group_book *group,
		       const struct context_switch_row *row, bool idle,
		       enum charge_class class, const int64_t *deltas)
{
	struct cpu_summary_row *summary = &book->summary;

	if (summary->switches + summary->reads == 0)
		summary->first_ns = row->ts_ns;
	summary->switches += !row_is_read(row);
	summary->reads += row_is_read(row);
	summary->last_ns = row->ts_ns;
	row_add_time(&summary->on_cpu_ns, row->on_cpu_ns);
	row_add_known(&summary->running_ns, row->running_ns);
	if (class == CLASS_UNPROVEN) {
		row_add_time(&summary->unattributed_ns, row->on_cpu_ns);
		row_add_all(book->unattributed, deltas, group->slots);
	} else if (class == CLASS_INTERRUPT) {
		row_add_time(&summary->interrupts_ns, row->on_cpu_ns);
		row_add_all(book->interrupts, deltas, group->slots);
	} else if (idle) {
		row_add_time(&summary->idle_ns, row->on_cpu_ns);
		row_add_all(book->idle, deltas, group->slots);
	} else if (class == CLASS_WITH_IDLE) {
		row_add_all(book->with_idle, deltas, group->slots);
	} else {
		row_add_all(book->charged, deltas, group->slots);
	}
}

/*
 * A group that follows a thread may count on one CPU and continue on another, so books by
 * CPU would not balance.  All its counts go to the CPU where the thread was first seen.
 */
static int64_t home_of(const struct group_book *group, const struct thread_book *book,
		       int64_t cpu)
{
	if (!group->per_task || !book)
		return cpu;
	return ledger_known_rare(book->rest)->home_cpu - 1;
}

static void set_home(struct ledger *ledger, struct thread_book *book,
		     const struct group_book *group, int64_t cpu)
{
	struct thread_rare *rare = ledger_rare(ledger, &book->rest, group->slots);

	if (rare && rare->home_cpu == HOME_NONE)
		rare->home_cpu = (uint64_t)cpu < CPU_MAX ? cpu + 1 : HOME_NOWHERE;
}

/* False: it is none of these books. */
static inline bool add_interval(struct ledger *ledger,
				const struct context_switch_row *row, bool idle,
				bool in_interrupt, int64_t cgroup_id,
				const int64_t *deltas, const int64_t *values,
				size_t slots)
{
	struct group_book *group = ledger_find_group(ledger, row->group_id);
	enum charge_class class = charge_class(row->status, in_interrupt);
	struct thread_book *book;
	struct cpu_book *cpu;

	if (!group || group->slots != slots || row->status < 0 ||
	    row->status >= CHARGE_STATUSES)
		return false;
	if (!ledger->whole && !time_is_within(row->ts_ns, ledger->from_ns, ledger->to_ns))
		return false;
	book = ledger_thread_book(ledger, row->prev_thread_id, group);
	if (book) {
		if (group->per_task)
			set_home(ledger, book, group, row->cpu);
		add_to_thread(ledger, book, group, row, class, deltas);
		if (cgroup_id && !idle)
			add_to_part(ledger, book, group, cgroup_id, row, class, deltas);
	}
	cpu = cpu_book(ledger, group, home_of(group, book, row->cpu));
	if (cpu) {
		if (!row_is_read(row))
			cpu->last_switch =
				(struct last_switch){ row->ts_ns, row->prev_thread_id,
						      row->next_thread_id };
		if (ledger->group_count > 1 &&
		    !row_is_read(row)) /* else it equals the group's count */
			ledger_count_switch(ledger, cpu);
		add_to_cpu(cpu, group, row, idle, class, deltas);
		if (!ledger->whole && row->status != CHARGE_UNREAD)
			add_window_values(cpu, group, deltas, values);
	}
	group->status[row->status].switches += !row_is_read(row);
	group->status[row->status].reads += row_is_read(row);
	row_add_time(&group->status[row->status].on_cpu_ns, row->on_cpu_ns);
	if (row->status != CHARGE_CHARGED) /* most are: see charged_values() */
		row_add_all(group->status[row->status].values, deltas, slots);
	return true;
}

void ledger_add(struct ledger *ledger, const struct context_switch_row *row, bool idle,
		int64_t cgroup_id, const int64_t *deltas, const int64_t *values,
		size_t slots)
{
	(void)add_interval(ledger, row, idle, false, cgroup_id, deltas, values, slots);
}

bool ledger_add_read(struct ledger *ledger, const struct context_switch_row *row,
		     int64_t interrupt_id, bool has_ended, bool idle, int64_t cgroup_id,
		     const int64_t *deltas, const int64_t *values, size_t slots)
{
	const struct interrupt_row *interrupt = NULL;
	bool in_interrupt;

	if (interrupt_id != INT_NONE && row->status == CHARGE_CHARGED)
		interrupt = map_get(&ledger->interrupt_rows, (uint64_t)interrupt_id);
	in_interrupt = interrupt && !interrupt->in_thread;
	if (add_interval(ledger, row, idle, in_interrupt, cgroup_id, deltas, values,
			 slots) &&
	    interrupt)
		ledger_charge_interrupt(ledger, interrupt, row, has_ended, deltas, slots);
	return in_interrupt;
}

void ledger_base(struct ledger *ledger, const struct counter_base_row *base)
{
	for (size_t g = 0; g < ledger->group_count; g++) {
		struct group_book *group = &ledger->groups[g];

		for (size_t slot = 0; slot < group->slots; slot++) {
			struct thread_book *book;
			struct cpu_book *cpu;

			if (group->counter_ids[slot] != base->counter_id)
				continue;
			book = ledger_thread_book(ledger, base->thread_id, group);
			if (book) /* it has a row, with or without an interval */
				(void)ledger_rest(ledger, &book->rest, group->slots);
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
