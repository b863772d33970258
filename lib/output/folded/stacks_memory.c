/* stacks_memory.c - memory of the stacks of a trace, up to their maximum. */
#include "output/folded/stacks.h"

void *stacks_allocate(struct stacks *stacks, size_t size)
{
	void *memory = stacks->bytes + size > STACKS_BYTES_MAX
			       ? NULL
			       : arena_alloc(&stacks->arena, size);

	stacks->bytes += size + sizeof(struct map_slot);
	stacks->failed |= !memory;
	return memory;
}

struct str stacks_copy(struct stacks *stacks, struct str text)
{
	char *copy = text.ptr ? stacks_allocate(stacks, text.len + 1) : NULL;

	if (copy && text.len)
		memcpy(copy, text.ptr, text.len);
	return copy ? (struct str){ copy, text.len } : STR_NONE;
}
