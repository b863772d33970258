/*
 * places.h - finds what rows of the totals are of, however many there are: a crafted
 * database must not make a search of each row long.
 */
#ifndef PERFTAB_REPORT_PLACES_H
#define PERFTAB_REPORT_PLACES_H

#include "report/totals.h"

/* Each: NULL or false if there is none, or, of those that add, if out of memory. */

bool places_add_group(struct totals *totals, int64_t group_id, size_t index);

struct totals_book *places_book(const struct totals *totals,
				const struct totals_thread *thread, int64_t group_id);
bool places_add_book(struct totals *totals, struct totals_thread *thread,
		     struct totals_book *book);

struct totals_cpu *places_cpu(const struct totals *totals, int64_t group_id, int64_t cpu);
bool places_add_cpu(struct totals *totals, struct totals_cpu *cpu);

/* The group of a charge is that of its counter. */
struct totals_interrupt *places_interrupt(const struct totals *totals,
					  const struct interrupt_charge_row *row,
					  int64_t group_id);
bool places_add_interrupt(struct totals *totals, struct totals_interrupt *interrupt);

/*
 * Which groups' switches and times are those of the lines: those that share no CPU with a
 * group that saw more.  False: out of memory.
 */
bool places_choose_references(struct totals *totals);

void places_release(struct totals *totals);

#endif
