/* ledger_threads.c - finds the books of threads, and makes them when first needed. */
#include "attribution/identity.h"
#include "attribution/ledger.h"
#include "base/array.h"

/* A thread far from all others makes a page, so these are small. */
#define PAGE_BYTES BUFFER_SIZE((size_t)4096, (size_t)256)

/* --- numbers of threads --- */

/* False: the id is not of this trace. */
static bool number_of(struct ledger *ledger, int64_t thread_id, size_t *number)
{
	if (thread_id == INT_NONE)
		return false;
	if (ledger->first_thread_id == INT_NONE)
		ledger->first_thread_id = thread_id;
	if (thread_id < ledger->first_thread_id ||
	    (uint64_t)thread_id - (uint64_t)ledger->first_thread_id >= 2 * THREADS_MAX)
		return false;
	*number = (size_t)(thread_id - ledger->first_thread_id);
	return true;
}

/* --- books of the first group --- */

void ledger_size_books(struct ledger *ledger, size_t slots)
{
	struct book_pages *books = &ledger->books;

	books->book_bytes = sizeof(struct thread_book) + slots * sizeof(int64_t);
	if (books->book_bytes < CACHE_LINE_BYTES)
		books->book_bytes = CACHE_LINE_BYTES;
	for (books->shift = 0; books->book_bytes << (books->shift + 1) <= PAGE_BYTES;)
		books->shift++;
}

static bool make_page(struct ledger *ledger, size_t at)
{
	struct book_pages *books = &ledger->books;

	char *page = NULL;

	if (ARRAY_GROW_ZEROED(books->pages, books->count, at))
		page = books->pages[at] = arena_alloc_line(
			&ledger->arena, books->book_bytes << books->shift);
	ledger->out_of_memory |= !page;
	return page != NULL;
}

static struct thread_book *first_book(struct ledger *ledger, int64_t thread_id)
{
	struct thread_book *book = ledger_first_book(ledger, thread_id);
	size_t number;

	if (book)
		return book;
	return number_of(ledger, thread_id, &number) &&
			       make_page(ledger, number >> ledger->books.shift)
		       ? ledger_first_book(ledger, thread_id)
		       : NULL;
}

/* --- books of other groups --- */

static struct ledger_thread *find_thread(struct ledger *ledger, int64_t thread_id)
{
	size_t at;

	if (!number_of(ledger, thread_id, &at))
		return NULL;
	if (!ARRAY_GROW_ZEROED(ledger->threads, ledger->thread_room, at)) {
		ledger->out_of_memory = true;
		return NULL;
	}
	return &ledger->threads[at];
}

struct thread_book *ledger_new_book(struct ledger *ledger, size_t slots)
{
	struct thread_book *book = arena_alloc(
		&ledger->arena, sizeof(*book) + slots * sizeof(*book->charged));

	ledger->out_of_memory |= !book;
	return book;
}

static const struct other_book *find_other(const struct ledger_thread *thread,
					   size_t group)
{
	const struct other_book *other = thread->others;

	while (other && other->group != group)
		other = other->next;
	return other;
}

static struct thread_book *other_book(struct ledger *ledger, struct ledger_thread *thread,
				      const struct group_book *group)
{
	size_t number = (size_t)(group - ledger->groups);
	const struct other_book *known = find_other(thread, number);
	struct other_book *other;

	if (known)
		return known->book;
	other = arena_alloc(&ledger->arena, sizeof(*other));
	if (!other) {
		ledger->out_of_memory = true;
		return NULL;
	}
	other->book = ledger_new_book(ledger, group->slots);
	if (!other->book)
		return NULL;
	other->group = number;
	other->next = thread->others;
	thread->others = other;
	return other->book;
}

/* --- of a group --- */

struct thread_book *ledger_thread_book(struct ledger *ledger, int64_t thread_id,
				       const struct group_book *group)
{
	struct ledger_thread *thread;

	if (group == ledger->groups)
		return first_book(ledger, thread_id);
	thread = find_thread(ledger, thread_id);
	return thread ? other_book(ledger, thread, group) : NULL;
}

size_t ledger_thread_count(const struct ledger *ledger)
{
	size_t paged = ledger->books.count << ledger->books.shift;

	return paged > ledger->thread_room ? paged : ledger->thread_room;
}

const struct thread_book *ledger_find_book(const struct ledger *ledger, size_t thread,
					   size_t group)
{
	const struct other_book *other;
	const struct thread_book *book;

	if (group) {
		other = thread < ledger->thread_room
				? find_other(&ledger->threads[thread], group)
				: NULL;
		return other ? other->book : NULL;
	}
	book = ledger_first_book(ledger, ledger->first_thread_id + (int64_t)thread);
	return book && !ledger_is_empty(book) ? book : NULL;
}

const struct thread_rest thread_rest_none;
const struct thread_rare thread_rare_none;

struct thread_rest *ledger_rest(struct ledger *ledger, struct thread_rest **rest,
				size_t slots)
{
	if (!*rest)
		*rest = arena_alloc(&ledger->arena,
				    sizeof(**rest) +
					    slots * sizeof((*rest)->with_idle[0]));
	ledger->out_of_memory |= !*rest;
	return *rest;
}

struct thread_rare *ledger_rare(struct ledger *ledger, struct thread_rest **rest,
				size_t slots)
{
	struct thread_rest *less = ledger_rest(ledger, rest, slots);

	if (!less)
		return NULL;
	if (!less->rare)
		less->rare = arena_alloc(
			&ledger->arena,
			sizeof(*less->rare) + 2 * slots * sizeof(less->rare->counts[0]));
	ledger->out_of_memory |= !less->rare;
	return less->rare;
}

static struct thread_book *new_part(struct ledger *ledger, struct thread_book *book,
				    const struct group_book *group, int64_t cgroup_id)
{
	struct thread_rare *whole = ledger_rare(ledger, &book->rest, group->slots), *rare;
	struct thread_book *part = whole ? ledger_new_book(ledger, group->slots) : NULL;

	if (!part)
		return NULL;
	rare = ledger_rare(ledger, &part->rest, group->slots);
	if (!rare)
		return NULL;
	rare->of = book;
	rare->cgroup_id = cgroup_id;
	rare->next = whole->parts;
	whole->parts = part;
	return part;
}

struct thread_book *ledger_part_book(struct ledger *ledger, struct thread_book *book,
				     const struct group_book *group, int64_t cgroup_id)
{
	uint64_t key = map_key((intptr_t)book, cgroup_id, 0, 0);
	struct thread_book *part;

	MAP_FIND(&ledger->part_by_cgroup, key, part,
		 part->rest->rare->of == book &&
			 part->rest->rare->cgroup_id == cgroup_id);
	if (part)
		return part;
	part = new_part(ledger, book, group, cgroup_id);
	if (part)
		ledger->out_of_memory |= !map_put(&ledger->part_by_cgroup, key, part);
	return part;
}

/* --- what is known of threads --- */

void ledger_thread(struct ledger *ledger, int64_t thread_id, int64_t process_id,
		   bool idle)
{
	struct ledger_thread *thread = find_thread(ledger, thread_id);

	if (!thread)
		return;
	thread->process_id = process_id;
	thread->idle = idle;
}

void ledger_expect_threads(struct ledger *ledger, int64_t first_id, int64_t last_id)
{
	if (find_thread(ledger, first_id))
		(void)find_thread(ledger, last_id);
}

bool ledger_is_idle(const struct ledger *ledger, int64_t thread_id)
{
	uint64_t at = (uint64_t)thread_id - (uint64_t)ledger->first_thread_id;

	return at < ledger->thread_room && ledger->threads[at].idle;
}
