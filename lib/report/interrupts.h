/*
 * interrupts.h - what interrupts cost, by kind and vector, and what they interrupted.
 */
#ifndef PERFTAB_REPORT_INTERRUPTS_H
#define PERFTAB_REPORT_INTERRUPTS_H

#include "report/bill.h"

struct interrupt_bill {
	struct view view;
	struct map lines; /* by kind and vector */
};

/*
 * Makes it from the totals of a bill, sorted by its heaviest counter.  False: out of
 * memory.  What was made is freed by interrupt_bill_release() in either case.
 */
bool interrupt_bill_make(struct interrupt_bill *interrupts, const struct bill *bill);
void interrupt_bill_release(struct interrupt_bill *interrupts);

#endif
