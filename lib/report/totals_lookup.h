/*
 * totals_lookup.h - hash lookups of books, groups, CPUs and interrupts of the totals, so
 * that a crafted database cannot make each search long.
 */
#ifndef PERFTAB_REPORT_TOTALS_LOOKUP_H
#define PERFTAB_REPORT_TOTALS_LOOKUP_H

#include "report/totals.h"

/* Return NULL if there is none.  Those that add return false if out of memory. */

bool totals_lookup_add_group(struct totals *totals, int64_t group_id, size_t index);

struct totals_book *totals_lookup_book(const struct totals *totals,
				       const struct totals_thread *thread,
				       int64_t group_id);
bool totals_lookup_add_book(struct totals *totals, struct totals_thread *thread,
			    struct totals_book *book);

struct totals_cpu *totals_lookup_cpu(const struct totals *totals, int64_t group_id,
				     int64_t cpu);
bool totals_lookup_add_cpu(struct totals *totals, struct totals_cpu *cpu);

/* The group of a charge is that of its counter. */
struct totals_interrupt *totals_lookup_interrupt(const struct totals *totals,
						 const struct interrupt_charge_row *row,
						 int64_t group_id);
bool totals_lookup_add_interrupt(struct totals *totals,
				 struct totals_interrupt *interrupt);

/*
 * Sets totals_group.is_reference: true for groups that share no CPU with a group that saw
 * more switches.  False: out of memory.
 */
bool totals_lookup_choose_references(struct totals *totals);

void totals_lookup_release(struct totals *totals);

#endif
