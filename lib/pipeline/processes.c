/* processes.c - adds up the books of threads by process and emits the first processes. */
#include "pipeline/processes.h"

#include <stdlib.h>

#include "base/memory.h"
#include "pipeline/ids.h"
#include "pipeline/totals.h"

/* All processes of a trace, by id. */
struct sums {
	char *processes;
	size_t bytes; /* of each */
	size_t count;
	int64_t first_id;
};

static struct top_process *sum_of(const struct sums *sums, int64_t process_id)
{
	size_t at = (size_t)(process_id - sums->first_id);

	return (struct top_process *)(void *)(sums->processes + at * sums->bytes);
}

/* What a bill without threads says of interrupts and samples is by thread. */
static bool are_enough(const struct pipeline *p)
{
	return p->top_processes && p->identity.processes && p->ledger.group_count == 1 &&
	       !p->ledger.interrupts && !p->sampling.thread_totals;
}

/* False: out of memory. */
static bool begin_sums(const struct pipeline *p, struct sums *sums)
{
	const struct identity *identity = &p->identity;
	const struct group_book *group = &p->ledger.groups[0];

	sums->bytes = top_process_bytes(group->slots);
	sums->first_id = identity->processes->process_id;
	sums->count = (size_t)(identity->last_process_id - sums->first_id) + 1;
	sums->processes = memory_alloc_zeroed(sums->count, sums->bytes);
	for (const struct process *process = identity->processes;
	     process && sums->processes; process = process->next) {
		struct top_process *sum = sum_of(sums, process->process_id);

		sum->pid = process->pid;
		sum->summary.process_id = process->process_id;
		sum->summary.group_id = group->group_id;
		sum->summary.running_ns = INT_NONE;
	}
	return sums->processes != NULL;
}

static void add_threads(const struct pipeline *p, const struct sums *sums)
{
	for (const struct thread *t = p->identity.threads; t; t = t->next) {
		const struct thread_book *book =
			ledger_find_book(&p->ledger, t->thread_id);
		struct top_process *sum;

		if (!book)
			continue;
		sum = sum_of(sums, t->process->process_id);
		ledger_add_to_process(&p->ledger, book, &sum->summary, sum->values);
	}
}

/* Every thread with a book was met, so it has a process unless memory was out. */
bool top_of_processes(struct pipeline *p, struct top *top)
{
	const struct group_book *group = p->ledger.groups;
	struct sums sums;
	bool done;

	if (!are_enough(p) || p->identity.out_of_memory || p->ledger.out_of_memory ||
	    !begin_sums(p, &sums))
		return false;
	add_threads(p, &sums);
	done = top_begin(top, p->top_processes, group->group_id, group->slots);
	for (size_t i = 0; i < sums.count && done; i++) {
		memcpy(top_at(top, top->count), sum_of(&sums, sums.first_id + (int64_t)i),
		       sums.bytes);
		done = top_add(top);
	}
	free(sums.processes);
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
		status = totals_emit_process(p, process);
		if (status == ST_OK)
			status = emit_total(p, top, at++);
	}
	return status == ST_OK && top->rest_count ? emit_total(p, top, top->count)
						  : status;
}
