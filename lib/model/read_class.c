/* read_class.c - keeps which interrupts are not the work of threads; see read_class.h. */
#include "model/read_class.h"

bool read_class_add(struct map *interrupts, const struct interrupt_row *row)
{
	return row->in_thread ||
	       map_put(interrupts, (uint64_t)row->interrupt_id, interrupts);
}

/* An interval that idle shares, or that is unproven, belongs to no interrupt. */
enum charge_class read_class(const struct map *interrupts,
			     const struct group_read_row *row)
{
	bool in_interrupt = row->status == CHARGE_CHARGED &&
			    map_get(interrupts, (uint64_t)row->interrupt_id);

	return charge_class(row->status, in_interrupt);
}
