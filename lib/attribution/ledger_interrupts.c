/* ledger_interrupts.c - the books of kinds and vectors of interrupts. */
#include "attribution/ledger.h"
#include "base/wrap.h"

void ledger_interrupt(struct ledger *ledger, const struct interrupt_row *interrupt)
{
	struct interrupt_row *row = arena_alloc(&ledger->arena, sizeof(*row));

	if (!row ||
	    !row_copy(&ledger->arena, &tables[RECORD_interrupt], row, interrupt) ||
	    !map_put(&ledger->interrupt_rows, (uint64_t)row->interrupt_id, row))
		ledger->out_of_memory = true;
}

void ledger_copy_interrupts(struct ledger *to, const struct ledger *from)
{
	const struct map *rows = &from->interrupt_rows;

	for (size_t i = 0; i < rows->capacity; i++)
		if (rows->slots[i].value)
			ledger_interrupt(to, rows->slots[i].value);
}

static struct interrupt_book *new_book(struct ledger *ledger,
				       const struct interrupt_row *interrupt,
				       const struct context_switch_row *row, size_t slots)
{
	struct interrupt_book *book = arena_alloc(
		&ledger->arena, sizeof(*book) + slots * sizeof(*book->charged));

	if (!book)
		return NULL;
	book->summary = (struct interrupt_summary_row){
		.interrupt_id = interrupt->interrupt_id,
		.group_id = row->group_id,
		.cpu = row->cpu,
		.thread_id = row->prev_thread_id,
		.status = STR("charged"),
	};
	book->kind = interrupt->kind;
	book->vector = interrupt->vector;
	book->charged = (int64_t *)(book + 1);
	if (!ledger->interrupts_tail)
		ledger->interrupts_tail = &ledger->interrupts;
	*ledger->interrupts_tail = book;
	ledger->interrupts_tail = &book->next;
	return book;
}

static struct interrupt_book *find_book(struct ledger *ledger,
					const struct interrupt_row *interrupt,
					const struct context_switch_row *row,
					size_t slots)
{
	uint64_t key = map_key(row->prev_thread_id, interrupt->interrupt_id,
			       row->group_id, row->cpu);
	struct interrupt_book *book;

	MAP_FIND(&ledger->interrupt_books, key, book,
		 book->summary.interrupt_id == interrupt->interrupt_id &&
			 book->summary.thread_id == row->prev_thread_id &&
			 book->summary.group_id == row->group_id &&
			 book->summary.cpu == row->cpu);
	if (book)
		return book;
	book = new_book(ledger, interrupt, row, slots);
	return book && map_put(&ledger->interrupt_books, key, book) ? book : NULL;
}

void ledger_charge_interrupt(struct ledger *ledger, const struct interrupt_row *interrupt,
			     const struct context_switch_row *row, bool has_ended,
			     const int64_t *deltas, size_t slots)
{
	struct interrupt_book *book = find_book(ledger, interrupt, row, slots);

	if (!book) {
		ledger->out_of_memory = true;
		return;
	}
	book->summary.interrupts += has_ended;
	if (row->on_cpu_ns != INT_NONE)
		book->summary.time_ns = wrap_add(book->summary.time_ns, row->on_cpu_ns);
	for (size_t i = 0; i < slots; i++)
		book->charged[i] = wrap_add(book->charged[i], deltas[i]);
}

void ledger_estimate(struct ledger *ledger, const struct interrupt_row *interrupt,
		     const struct context_switch_row *row, int64_t count, int64_t time_ns,
		     const int64_t *deltas, size_t slots)
{
	struct interrupt_book *book = find_book(ledger, interrupt, row, slots);
	int64_t length_ns = row->on_cpu_ns;
	int64_t share_ns = time_ns < length_ns ? time_ns : length_ns;

	if (!book) {
		ledger->out_of_memory = true;
		return;
	}
	book->summary.status = STR("estimated");
	book->summary.interrupts += count;
	book->summary.time_ns = wrap_add(book->summary.time_ns, time_ns);
	if (row->status != CHARGE_CHARGED || length_ns <= 0)
		return;
	for (size_t i = 0; i < slots; i++)
		book->charged[i] =
			wrap_add(book->charged[i],
				 (int64_t)((__int128)deltas[i] * share_ns / length_ns));
}
