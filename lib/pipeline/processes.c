/* processes.c - adds up the books of threads by process and emits the first processes. */
#include "pipeline/processes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/prefetch.h"
#include "pipeline/ids.h"

enum status emit_process(struct pipeline *p, const struct process *process)
{
	const struct thread *main = process->main;

	return emit_row(p, RECORD_process,
			&(struct process_row){
				.process_id = process->process_id,
				.trace_id = p->trace_id,
				.pid = process->pid,
				.parent_pid = process->parent_pid,
				.start_ns = main ? main->start_ns : INT_NONE,
				.end_ns = main ? thread_history(main)->end_ns : INT_NONE,
				.name = process_name(process),
				.command =
					process->more ? process->more->command : STR_NONE,
			});
}

/* Returns whether sums of processes suffice: interrupts and samples need threads. */
static bool are_enough(const struct pipeline *p)
{
	return p->top_processes && p->identity.processes && p->ledger.group_count == 1 &&
	       !p->ledger.interrupts && !p->sampling.thread_totals;
}

/* Of a process: the book of its first thread, and that of all if there are more. */
struct sum {
	const struct thread_book *first;
	struct thread_book *all;
	int64_t threads; /* that have run */
};

/* Sums of all processes of a trace, by id. */
struct sums {
	struct sum *sums;
	size_t large; /* bytes of all in large pages; 0: they are not */
	int64_t first_id;
};

/* Many are written once each: a fault for each small page would cost more than that. */
#define LARGE_BYTES ((size_t)2 << 20)

static struct sum *sum_of(const struct sums *sums, int64_t process_id)
{
	return &sums->sums[process_id - sums->first_id];
}

/* False: out of memory. */
static bool begin_sums(const struct pipeline *p, struct sums *sums)
{
	const struct identity *identity = &p->identity;
	int64_t first_id = identity->processes->process_id;
	size_t count = (size_t)(identity->last_process_id - first_id) + 1;
	size_t bytes = count * sizeof(*sums->sums);

	sums->first_id = first_id;
	sums->large = (bytes + LARGE_BYTES - 1) / LARGE_BYTES * LARGE_BYTES;
	if (sums->large == LARGE_BYTES)
		sums->large = 0;
	sums->sums = sums->large ? memory_alloc_large(sums->large)
				 : memory_alloc_zeroed(count, sizeof(*sums->sums));
	return sums->sums != NULL;
}

static void end_sums(const struct sums *sums)
{
	if (sums->large)
		os_free_large(sums->sums, sums->large);
	else
		free(sums->sums);
}

static void add_book(struct pipeline *p, struct sum *sum, const struct thread_book *book)
{
	size_t slots = p->ledger.groups[0].slots;

	sum->threads += ledger_has_run(book);
	if (!sum->first) {
		sum->first = book;
		return;
	}
	if (!sum->all) {
		sum->all = ledger_new_book(&p->ledger, slots);
		if (!sum->all)
			return;
		ledger_add_to_process(&p->ledger, sum->all, sum->first, slots);
	}
	ledger_add_to_process(&p->ledger, sum->all, book, slots);
}

/*
 * Of threads so far ahead processes are asked for, their sums half as far, and the books
 * of these a quarter.
 */
#define AHEAD 32

static void fetch_book(const struct pipeline *p, const struct sum *sum)
{
	const struct thread_book *book = sum->all ? sum->all : sum->first;

	if (book)
		prefetch(book, p->ledger.books.book_bytes);
}

static void fetch_sums(const struct pipeline *p, const struct sums *sums, size_t thread)
{
	const struct identity *identity = &p->identity;
	const struct process *process = identity_process_ahead(identity, thread + AHEAD);

	if (process)
		prefetch(&process->process_id, sizeof(process->process_id));
	process = identity_process_ahead(identity, thread + AHEAD / 2);
	if (process)
		prefetch(sum_of(sums, process->process_id), sizeof(struct sum));
	process = identity_process_ahead(identity, thread + AHEAD / 4);
	if (process)
		fetch_book(p, sum_of(sums, process->process_id));
}

/* Threads and their books follow one another in memory, but not their processes. */
static void add_threads(struct pipeline *p, const struct sums *sums)
{
	const struct identity *identity = &p->identity;

	for (size_t i = 0; i < identity->listed; i++) {
		const struct thread *thread = identity_at(identity, i);
		const struct thread_book *book =
			ledger_first_book(&p->ledger, thread->thread_id);

		fetch_sums(p, sums, i);
		if (book && !ledger_is_empty(book))
			add_book(p, sum_of(sums, thread->process->process_id), book);
	}
}

static struct process_summary_row sums_of(const struct group_book *group,
					  const struct sum *sum, int64_t process_id,
					  int64_t *values)
{
	if (sum->first)
		return ledger_process_sums(group, sum->all ? sum->all : sum->first,
					   process_id, sum->threads, values);
	memset(values, 0, 4 * group->slots * sizeof(*values));
	return (struct process_summary_row){ .process_id = process_id,
					     .group_id = group->group_id,
					     .running_ns = INT_NONE };
}

/* Every thread with a book was met, so it has a process, except out of memory. */
bool top_of_processes(struct pipeline *p, struct top *top)
{
	const struct group_book *group = p->ledger.groups;
	struct sums sums;
	bool done;

	if (!are_enough(p) || p->identity.out_of_memory || p->ledger.out_of_memory ||
	    !begin_sums(p, &sums))
		return false;
	add_threads(p, &sums);
	done = top_begin(top, p->top_processes, group->group_id, group->slots) &&
	       !p->ledger.out_of_memory;
	for (const struct process *process = p->identity.processes; process && done;
	     process = process->next) {
		struct top_process *next = top_at(top, top->count);

		if (process->process_id + AHEAD / 4 <= p->identity.last_process_id)
			fetch_book(p, sum_of(&sums, process->process_id + AHEAD / 4));
		next->pid = process->pid;
		next->summary = sums_of(group, sum_of(&sums, process->process_id),
					process->process_id, next->values);
		done = top_add(top);
	}
	end_sums(&sums);
	return done && top_choose(top);
}

static enum status emit_total(struct pipeline *p, const struct top *top, size_t at)
{
	const struct process_total_event total = top_total(top, at);

	return emit_record(p, &(struct record){ .kind = RECORD_PROCESS_TOTAL,
						.data = &total });
}

enum status emit_top(struct pipeline *p, const struct top *top)
{
	const struct process *process = p->identity.processes;
	enum status status = ST_OK;

	for (size_t at = 0; at < top->count && status == ST_OK; process = process->next) {
		if (process->process_id != top_at(top, at)->summary.process_id)
			continue;
		status = emit_process(p, process);
		if (status == ST_OK)
			status = emit_total(p, top, at++);
	}
	return status == ST_OK && top->rest_count ? emit_total(p, top, top->count)
						  : status;
}
