/*
 * totals_processes.c - sums of processes instead of their threads, for a bill of the
 * first ones.
 */
#include "base/memory.h"
#include "model/row_sums.h"
#include "report/totals_lookup.h"

/* Room for the values after the book. */
static struct totals_book *new_book(struct totals *totals,
				    const struct process_total_event *event,
				    const struct totals_group *group)
{
	const struct process_summary_row *row = &event->summary;
	const size_t bytes = event->slots * sizeof(int64_t);
	struct totals_book *book = arena_alloc(&totals->arena, sizeof(*book) + 4 * bytes);

	if (!book)
		return NULL;
	book->group = group;
	book->is_sum = true;
	book->threads = row->threads;
	book->summary = (struct thread_summary_row){
		.thread_id = event->process_id,
		.group_id = row->group_id,
		ROW_SUMS(row),
	};
	book->charged = (int64_t *)(book + 1);
	book->interrupts = book->charged + event->slots;
	book->with_idle = book->interrupts + event->slots;
	book->unproven = book->with_idle + event->slots;
	if (bytes)
		memcpy(book->charged, event->values, 4 * bytes);
	return book;
}

bool totals_on_process(struct totals *totals, const struct process_total_event *event)
{
	const struct totals_group *group = totals_group(totals, event->summary.group_id);
	struct totals_thread *thread = arena_alloc(&totals->arena, sizeof(*thread));

	if (!group || event->slots != group->slots || !thread)
		return false;
	row_clear(&tables[RECORD_thread], &thread->row);
	thread->row.thread_id = event->process_id;
	thread->books = new_book(totals, event, group);
	if (!thread->books)
		return false;
	thread->book_count = 1;
	if (event->process_id == INT_NONE) {
		totals->rest = thread;
		totals->rest_processes = event->processes;
		return event->processes > 0;
	}
	thread->process = map_get(&totals->process_by_id, (uint64_t)event->process_id);
	*totals->threads_tail = thread;
	totals->threads_tail = &thread->next;
	return thread->process != NULL;
}
