/* stack_frames.c - the names of the frames of a stack. */
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "model/chain_text.h"
#include "output/folded/stacks.h"

#define CHAIN_DEPTH_MAX 4096

/* What was at an address at a time. */
struct stack_frame {
	int64_t process_id, address; /* INT_NONE: the kernel's */
	int64_t from_ns, to_ns;
	struct stack_name *name;
	struct stack_frame *next; /* of the same hash */
};

static uint64_t frame_key(int64_t process_id, int64_t address)
{
	return map_key(process_id, address, 0, 0);
}

static struct str last_part(struct str path)
{
	size_t at = path.len;

	while (at && path.ptr[at - 1] != '/' && path.ptr[at - 1] != '\\')
		at--;
	return (struct str){ path.ptr + at, path.len - at };
}

/* The function, or file+0x1234. */
void stacks_add_frame(struct stacks *stacks, const struct frame_symbol_row *row)
{
	uint64_t key = frame_key(row->process_id, row->address);
	struct stack_frame *frame = stacks_allocate(stacks, sizeof(*frame));
	struct str file = last_part(row->module.ptr ? row->module : STR("?"));
	struct str text = row->symbol;
	char name[320];

	if (!frame)
		return;
	*frame = (struct stack_frame){
		.process_id = row->process_id,
		.address = row->address,
		.from_ns = row->from_ns,
		.to_ns = row->to_ns == INT_NONE ? INT64_MAX : row->to_ns,
		.next = map_get(&stacks->frames, key),
	};
	if (!row->symbol.ptr) {
		text_print(name, sizeof(name), "%.*s+0x%llx",
			   (int)(file.len < 256 ? file.len : 256), file.ptr,
			   (unsigned long long)row->module_offset);
		text = str_of(name);
	}
	frame->name = stacks_intern_name(stacks, text);
	stacks->failed |= !map_put(&stacks->frames, key, frame);
}

static bool add_name(struct stacks *stacks, struct frame_list *list,
		     struct stack_name *name)
{
	if (!name || !ARRAY_GROW(list->names, list->room, list->count)) {
		stacks->failed = true;
		return false;
	}
	list->names[list->count++] = name;
	return true;
}

static bool add_text(struct stacks *stacks, struct frame_list *list, struct str text)
{
	return add_name(stacks, list, stacks_intern_name(stacks, text));
}

static bool add_address(struct stacks *stacks, const struct stack *stack,
			int64_t process_id, int64_t address, struct frame_list *list)
{
	const struct stack_frame *frame =
		map_get(&stacks->frames, frame_key(process_id, address));
	char number[24];

	while (frame &&
	       (frame->process_id != process_id || frame->address != address ||
		/* INT_NONE is less than any time. */
		(stack->first_ns != INT_NONE &&
		 (frame->from_ns > stack->first_ns || frame->to_ns <= stack->first_ns))))
		frame = frame->next;
	if (frame && frame->name)
		return add_name(stacks, list, frame->name);
	text_print(number, sizeof(number), "0x%llx", (unsigned long long)address);
	return add_text(stacks, list, str_of(number));
}

/* The frames of a chain, innermost first; the user part may be in another one. */
static bool add_chain(struct stacks *stacks, const struct stack *stack, int64_t chain_id,
		      int64_t process_id, struct frame_list *list)
{
	const struct str *text = map_get(&stacks->chains, (uint64_t)chain_id);
	struct str rest = text ? *text : STR_NONE;
	struct chain_frame frame = { .address = 0 };
	bool done = true;

	while (done && list->count < CHAIN_DEPTH_MAX && chain_next_frame(&rest, &frame)) {
		const int64_t *later;

		if (!frame.is_cookie) {
			done = add_address(stacks, stack,
					   chain_is_kernel(&frame) ? INT_NONE
								   : process_id,
					   (int64_t)frame.address, list);
			continue;
		}
		later = map_get(&stacks->deferred,
				map_key(stack->thread_id, (int64_t)frame.address, 0, 0));
		if (later && *later != chain_id) {
			text = map_get(&stacks->chains, (uint64_t)*later);
			rest = text ? *text : STR_NONE;
			chain_id = *later;
		}
	}
	return done;
}

static bool add_id(struct stacks *stacks, struct frame_list *list, int64_t id)
{
	char number[32];

	text_print(number, sizeof(number), ":%lld", (long long)id);
	return add_text(stacks, list, str_of(number));
}

static bool add_task(struct stacks *stacks, const struct stack *stack,
		     const struct thread_row *thread, const struct process_row *process,
		     struct frame_list *list)
{
	if (stack->thread_id == THREAD_WITH_IDLE)
		return add_text(stacks, list, STR("(with idle)"));
	if (stack->thread_id == THREAD_INTERRUPTS)
		return add_text(stacks, list, STR("(interrupts)"));
	if (!thread || !process)
		return add_text(stacks, list, STR("(unattributed)"));
	if (process->pid == 0 || thread->idle_cpu != INT_NONE)
		return add_text(stacks, list, STR("(idle)"));
	return (process->name.len ? add_text(stacks, list, process->name)
				  : add_id(stacks, list, process->pid)) &&
	       (thread->name.len ? add_text(stacks, list, thread->name)
				 : add_id(stacks, list, thread->tid));
}

static void reverse(struct stack_name **names, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct stack_name *name = names[i];

		names[i] = names[count - 1 - i];
		names[count - 1 - i] = name;
	}
}

bool stacks_list_frames(struct stacks *stacks, const struct stack *stack,
			struct frame_list *list)
{
	const struct thread_row *thread =
		stack->thread_id < 0
			? NULL
			: map_get(&stacks->threads, (uint64_t)stack->thread_id);
	const struct process_row *process =
		thread ? map_get(&stacks->processes, (uint64_t)thread->process_id) : NULL;
	int64_t process_id = process ? process->process_id : -1;
	size_t tasks;

	list->count = 0;
	if (!add_task(stacks, stack, thread, process, list))
		return false;
	tasks = list->count;
	if (stack->address != INT_NONE &&
	    !add_address(stacks, stack, stack->is_kernel ? INT_NONE : process_id,
			 stack->address, list))
		return false;
	if (stack->chain_id != INT_NONE &&
	    !add_chain(stacks, stack, stack->chain_id, process_id, list))
		return false;
	reverse(list->names + tasks, list->count - tasks);
	return true;
}
