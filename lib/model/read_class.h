/*
 * read_class.h - where a bill puts an interval that a read of counters ended, for outputs
 * that have only rows.
 */
#ifndef PERFTAB_READ_CLASS_H
#define PERFTAB_READ_CLASS_H

#include "base/map.h"
#include "model/record.h"

/*
 * Adds an interrupt to those of a trace; a softirq that threads run themselves is their
 * work, and left out.  False: out of memory.
 */
bool read_class_add(struct map *interrupts, const struct interrupt_row *row);
/* Classes a read like the ledger; the rows of interrupts precede it. */
enum charge_class read_class(const struct map *interrupts,
			     const struct group_read_row *row);

#endif
