/* totals_lookup.c - finds books, CPUs and interrupts of totals by what they are of. */
#include "report/totals_lookup.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/wrap.h"

#define BOOKS_LISTED 8 /* of a thread: more are found by their keys */

bool totals_lookup_add_group(struct totals *totals, int64_t group_id, size_t index)
{
	return map_get(&totals->group_by_id, (uint64_t)group_id) ||
	       map_put(&totals->group_by_id, (uint64_t)group_id,
		       (void *)(uintptr_t)(index + 1));
}

struct totals_group *totals_group(const struct totals *totals, int64_t group_id)
{
	size_t place =
		(size_t)(uintptr_t)map_get(&totals->group_by_id, (uint64_t)group_id);

	return place ? &totals->groups[place - 1] : NULL;
}

/* --- books of threads --- */

static bool is_book(const struct totals_book *book, int64_t thread_id, int64_t group_id)
{
	return book->summary.thread_id == thread_id && book->summary.group_id == group_id;
}

static struct totals_book *find_book(const struct totals *totals, int64_t thread_id,
				     int64_t group_id, uint64_t *key)
{
	struct totals_book *book;

	*key = map_key(thread_id, group_id, 0, 0);
	while ((book = map_get(&totals->book_by_place, *key)) != NULL &&
	       !is_book(book, thread_id, group_id))
		++*key;
	return book;
}

struct totals_book *totals_lookup_book(const struct totals *totals,
				       const struct totals_thread *thread,
				       int64_t group_id)
{
	struct totals_book *book = thread->books;
	uint64_t key;

	if (thread->book_count > BOOKS_LISTED)
		return find_book(totals, thread->row.thread_id, group_id, &key);
	while (book && book->summary.group_id != group_id)
		book = book->next;
	return book;
}

static bool index_book(struct totals *totals, struct totals_book *book)
{
	uint64_t key;

	return !find_book(totals, book->summary.thread_id, book->summary.group_id,
			  &key) &&
	       map_put(&totals->book_by_place, key, book);
}

bool totals_lookup_add_book(struct totals *totals, struct totals_thread *thread,
			    struct totals_book *book)
{
	bool done = true;

	if (totals_lookup_book(totals, thread, book->summary.group_id))
		return false;
	book->next = thread->books;
	thread->books = book;
	if (++thread->book_count == BOOKS_LISTED + 1)
		for (; book && done; book = book->next)
			done = index_book(totals, book);
	else if (thread->book_count > BOOKS_LISTED)
		done = index_book(totals, book);
	return done;
}

/* --- CPUs of groups --- */

static struct totals_cpu *find_cpu(const struct totals *totals, int64_t group_id,
				   int64_t number, uint64_t *key)
{
	struct totals_cpu *cpu;

	*key = map_key(group_id, number, 0, 0);
	while ((cpu = map_get(&totals->cpu_by_place, *key)) != NULL &&
	       (cpu->summary.group_id != group_id || cpu->summary.cpu != number))
		++*key;
	return cpu;
}

struct totals_cpu *totals_lookup_cpu(const struct totals *totals, int64_t group_id,
				     int64_t cpu)
{
	uint64_t key;

	return find_cpu(totals, group_id, cpu, &key);
}

bool totals_lookup_add_cpu(struct totals *totals, struct totals_cpu *cpu)
{
	uint64_t key;

	return !find_cpu(totals, cpu->summary.group_id, cpu->summary.cpu, &key) &&
	       map_put(&totals->cpu_by_place, key, cpu);
}

/* --- interrupts --- */

static struct totals_interrupt *find_interrupt(const struct totals *totals,
					       int64_t interrupt_id, int64_t cpu,
					       int64_t thread_id, int64_t group_id,
					       uint64_t *key)
{
	struct totals_interrupt *at;

	*key = map_key(interrupt_id, cpu, thread_id, group_id);
	while ((at = map_get(&totals->interrupt_by_place, *key)) != NULL &&
	       (at->summary.interrupt_id != interrupt_id || at->summary.cpu != cpu ||
		at->summary.thread_id != thread_id || at->summary.group_id != group_id))
		++*key;
	return at;
}

struct totals_interrupt *totals_lookup_interrupt(const struct totals *totals,
						 const struct interrupt_charge_row *row,
						 int64_t group_id)
{
	uint64_t key;

	return find_interrupt(totals, row->interrupt_id, row->cpu, row->thread_id,
			      group_id, &key);
}

bool totals_lookup_add_interrupt(struct totals *totals,
				 struct totals_interrupt *interrupt)
{
	const struct interrupt_summary_row *row = &interrupt->summary;
	uint64_t key;

	return !find_interrupt(totals, row->interrupt_id, row->cpu, row->thread_id,
			       row->group_id, &key) &&
	       map_put(&totals->interrupt_by_place, key, interrupt);
}

/* --- groups on the same CPUs --- */

/* The one that saw more first; of equals the first. */
static int compare_groups(const void *x, const void *y)
{
	const struct totals_group *a = *(struct totals_group *const *)x;
	const struct totals_group *b = *(struct totals_group *const *)y;

	if (a->switches != b->switches)
		return a->switches > b->switches ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Claims the CPUs of a group; false: one of them was claimed; !*done: out of memory. */
static bool claim_cpus(struct map *claimed, struct totals_group *group, bool *done)
{
	bool is_first = true;

	for (struct totals_cpu *cpu = group->cpus; cpu && *done; cpu = cpu->next) {
		if (cpu->summary.switches == 0)
			continue;
		is_first &= !map_get(claimed, (uint64_t)cpu->summary.cpu);
		*done = map_put(claimed, (uint64_t)cpu->summary.cpu, group);
	}
	return is_first;
}

bool totals_lookup_choose_references(struct totals *totals)
{
	struct totals_group **groups =
		memory_alloc((totals->group_count + 1) * sizeof(*groups));
	struct map claimed = { NULL, 0, 0 };
	bool done = groups != NULL;

	if (!done)
		return false;
	for (size_t i = 0; i < totals->group_count; i++)
		groups[i] = &totals->groups[i];
	qsort(groups, totals->group_count, sizeof(*groups), compare_groups);
	totals->reference = totals->group_count ? groups[0] : NULL;
	totals->switches = 0;
	for (size_t i = 0; i < totals->group_count && done; i++) {
		groups[i]->is_reference = claim_cpus(&claimed, groups[i], &done) &&
					  (i == 0 || groups[i]->switches > 0);
		if (groups[i]->is_reference)
			totals->switches =
				wrap_add(totals->switches, groups[i]->switches);
	}
	map_release(&claimed);
	free(groups);
	return done;
}

void totals_lookup_release(struct totals *totals)
{
	map_release(&totals->group_by_id);
	map_release(&totals->book_by_place);
	map_release(&totals->cpu_by_place);
	map_release(&totals->interrupt_by_place);
}
