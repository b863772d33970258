/* stacks_memory.c - memory of the stacks of a trace, up to their maximum. */
#include "output/folded/stacks.h"

bool stacks_charge(struct stacks *stacks, size_t size)
{
	bool is_over = size > STACKS_BYTES_MAX - stacks->bytes;

	stacks->is_over_maximum |= is_over;
	stacks->failed |= is_over;
	stacks->bytes = is_over ? STACKS_BYTES_MAX : stacks->bytes + size;
	return !is_over;
}

void *stacks_allocate(struct stacks *stacks, size_t size)
{
	void *memory =
		stacks_charge(stacks, size) ? arena_alloc(&stacks->arena, size) : NULL;

	stacks->failed |= !memory;
	if (memory && STACKS_BYTES_MAX - stacks->bytes > sizeof(struct map_slot))
		stacks->bytes += sizeof(struct map_slot);
	return memory;
}

struct str stacks_copy(struct stacks *stacks, struct str text)
{
	char *copy = text.ptr ? stacks_allocate(stacks, text.len + 1) : NULL;

	if (copy && text.len)
		memcpy(copy, text.ptr, text.len);
	return copy ? (struct str){ copy, text.len } : STR_NONE;
}

struct stack_name *stacks_intern_name(struct stacks *stacks, struct str text)
{
	uint64_t key = map_hash_text(map_salt(), text);
	struct stack_name *name;

	MAP_FIND(&stacks->names, key, name, str_equal(name->text, text));
	if (name)
		return name;
	name = stacks_allocate(stacks, sizeof(*name));
	if (!name)
		return NULL;
	name->text = stacks_copy(stacks, text);
	name->number = stacks->name_count++;
	stacks->failed |= !name->text.ptr || !map_put(&stacks->names, key, name);
	return stacks->failed ? NULL : name;
}

enum status stacks_error(const struct stacks *stacks, struct error *error)
{
	if (!stacks->is_over_maximum)
		return error_nomem(error);
	return error_set(
		error, ST_LIMIT, ERROR_NO_OFFSET,
		"the stacks of a trace, their names and lines need more than 1 GiB");
}
