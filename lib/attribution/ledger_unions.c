/* ledger_unions.c - counts the switches of a CPU that several groups saw. */
#include "attribution/ledger.h"
#include "base/array.h"

/* NULL: out of memory. */
static struct cpu_union *cpu_union(struct ledger *ledger, size_t at)
{
	if (!ARRAY_GROW_ZEROED(ledger->unions, ledger->union_room, at)) {
		ledger->out_of_memory = true;
		return NULL;
	}
	if (at >= ledger->union_count)
		ledger->union_count = at + 1;
	return &ledger->unions[at];
}

void ledger_begin_unions(struct ledger *ledger, const struct group_book *only)
{
	for (size_t c = 0; c < only->cpu_count; c++) {
		struct cpu_book *book = ledger_cpu(only, c);
		struct cpu_union *cpu = book ? cpu_union(ledger, c) : NULL;

		if (cpu)
			*cpu = (struct cpu_union){ book->summary.switches,
						   book->last_switch };
		if (cpu)
			book->seen = cpu->switches;
	}
}

void ledger_count_switch(struct ledger *ledger, struct cpu_book *book)
{
	struct cpu_union *cpu = cpu_union(ledger, (size_t)book->summary.cpu);

	if (!cpu)
		return;
	if (cpu->switches == 0 || book->seen == cpu->switches ||
	    !switch_is_same(&cpu->last, &book->last_switch)) {
		cpu->switches++;
		cpu->last = book->last_switch;
	}
	book->seen = cpu->switches;
}
