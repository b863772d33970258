/* stacks.c - adds up what samples and switches cost, by stack. */
#include "output/folded/stacks.h"

#include "base/array.h"
#include "base/wrap.h"
#include "model/read_class.h"

#define MODE_KERNEL 1
#define MODE_USER 2

void stacks_begin(struct stacks *stacks)
{
	*stacks = (struct stacks){ .bytes = 0 };
	stacks->last = &stacks->first;
	stacks->last_counter = &stacks->counters;
}

void stacks_release(struct stacks *stacks)
{
	struct map *maps[] = { &stacks->by_key,	       &stacks->chains,
			       &stacks->deferred,      &stacks->threads,
			       &stacks->processes,     &stacks->frames,
			       &stacks->counter_by_id, &stacks->counter_by_slot,
			       &stacks->thread_by_id,  &stacks->names,
			       &stacks->interrupts,    &stacks->group_by_id };

	for (size_t i = 0; i < ARRAY_COUNT(maps); i++)
		map_release(maps[i]);
	arena_release(&stacks->arena);
	stacks_begin(stacks);
}

static void put(struct stacks *stacks, struct map *map, uint64_t key, void *value)
{
	stacks->failed |= !value || !map_put(map, key, value);
}

/* --- stacks and weights --- */

static struct stack *intern_stack(struct stacks *stacks, const struct stack *wanted)
{
	uint64_t key = map_key(wanted->thread_id, wanted->chain_id, wanted->address,
			       wanted->is_kernel);
	struct stack *stack;

	MAP_FIND(&stacks->by_key, key, stack,
		 stack->thread_id == wanted->thread_id &&
			 stack->chain_id == wanted->chain_id &&
			 stack->address == wanted->address &&
			 stack->is_kernel == wanted->is_kernel);
	if (stack)
		return stack;
	stack = stacks_allocate(stacks, sizeof(*stack));
	put(stacks, &stacks->by_key, key, stack);
	if (!stack)
		return NULL;
	*stack = *wanted;
	*stacks->last = stack;
	stacks->last = &stack->next;
	return stack;
}

static void add_weight(struct stacks *stacks, struct stack *stack,
		       const struct weight *added)
{
	struct weight *weight = stack ? stack->weights : NULL;

	if (!stack)
		return;
	while (weight &&
	       (weight->counter_id != added->counter_id || weight->group != added->group))
		weight = weight->next;
	if (!weight) {
		weight = stacks_allocate(stacks, sizeof(*weight));
		if (!weight)
			return;
		*weight = (struct weight){ .counter_id = added->counter_id,
					   .group = added->group,
					   .next = stack->weights };
		stack->weights = weight;
	}
	weight->samples += added->samples;
	weight->value = wrap_add(weight->value, added->value);
}

static void add_on_cpu(struct stacks *stacks, struct stack *stack, int64_t group_id,
		       int64_t on_cpu_ns)
{
	add_weight(stacks, stack,
		   &(struct weight){ .counter_id = WEIGHT_ON_CPU,
				     .group = stacks_intern_group(stacks, group_id),
				     .value = on_cpu_ns });
}

/* Idle is not waiting when it is off the CPU. */
static bool is_idle(const struct stacks *stacks, const struct stack *stack)
{
	const struct thread_row *thread =
		map_get(&stacks->threads, (uint64_t)stack->thread_id);

	return thread && thread->idle_cpu != INT_NONE;
}

int64_t stack_weight(const struct stacks *stacks, const struct stack *stack,
		     int64_t counter_id)
{
	const struct stack_counter *counter =
		counter_id < 0 ? NULL
			       : map_get(&stacks->counter_by_id, (uint64_t)counter_id);
	int64_t sum = 0;

	if (counter_id == WEIGHT_OFF_CPU && is_idle(stacks, stack))
		return 0;
	for (const struct weight *w = stack->weights; w; w = w->next)
		if (w->counter_id == counter_id && (!w->group || w->group->is_reference))
			sum = wrap_add(sum, !counter || counter->in_group ||
							    counter->has_periods
						    ? w->value
						    : w->samples);
	return sum;
}

/* --- rows of the trace --- */

/* Rows of counters that no group has come after their samples. */
static struct stack_counter *intern_counter(struct stacks *stacks, int64_t counter_id)
{
	struct stack_counter *counter =
		map_get(&stacks->counter_by_id, (uint64_t)counter_id);

	if (counter)
		return counter;
	counter = stacks_allocate(stacks, sizeof(*counter));
	put(stacks, &stacks->counter_by_id, (uint64_t)counter_id, counter);
	if (!counter)
		return NULL;
	counter->row.counter_id = counter_id;
	counter->row.group_id = INT_NONE;
	*stacks->last_counter = counter;
	stacks->last_counter = &counter->next;
	return counter;
}

static void on_counter(struct stacks *stacks, const struct counter_row *row)
{
	struct stack_counter *counter = intern_counter(stacks, row->counter_id);

	if (!counter)
		return;
	counter->row = *row;
	counter->row.name = stacks_copy(stacks, row->name);
	counter->row.unit = stacks_copy(stacks, row->unit);
	counter->in_group = row->group_id != INT_NONE;
	if (counter->in_group && row->slot != INT_NONE)
		put(stacks, &stacks->counter_by_slot,
		    (uint64_t)row->group_id * GROUP_COUNTERS_MAX + (uint64_t)row->slot,
		    counter);
}

static void on_sample(struct stacks *stacks, const struct sample_row *row)
{
	struct stack_counter *counter = row->counter_id == INT_NONE
						? NULL
						: intern_counter(stacks, row->counter_id);
	bool has_ip = row->ip != INT_NONE && row->mode <= MODE_USER;
	struct stack wanted = {
		.thread_id =
			row->thread_id == INT_NONE ? THREAD_UNATTRIBUTED : row->thread_id,
		.chain_id = row->callchain_id,
		.address = has_ip && row->callchain_id == INT_NONE ? row->ip : INT_NONE,
		.first_ns = row->ts_ns,
	};

	if (!counter || counter->in_group)
		return;
	wanted.is_kernel =
		wanted.address != INT_NONE && (row->mode == MODE_KERNEL || row->ip < 0);
	add_weight(stacks, intern_stack(stacks, &wanted),
		   &(struct weight){ .counter_id = row->counter_id,
				     .samples = 1,
				     .value =
					     row->period == INT_NONE ? 0 : row->period });
	counter->samples++;
	if (row->period != INT_NONE)
		counter->value = wrap_add(counter->value, row->period);
	counter->has_periods |= row->period != INT_NONE && row->period != 0;
}

/* --- switches --- */

static struct stack_thread *intern_thread(struct stacks *stacks, int64_t thread_id)
{
	struct stack_thread *thread = map_get(&stacks->thread_by_id, (uint64_t)thread_id);

	if (thread)
		return thread;
	thread = stacks_allocate(stacks, sizeof(*thread));
	put(stacks, &stacks->thread_by_id, (uint64_t)thread_id, thread);
	if (!thread)
		return NULL;
	thread->next = stacks->stack_threads;
	stacks->stack_threads = thread;
	return thread;
}

static void add_away(void *context, void *left_at, int64_t away_ns)
{
	add_weight(context, left_at,
		   &(struct weight){ .counter_id = WEIGHT_OFF_CPU, .value = away_ns });
}

static bool enlarge_turns(struct stacks *stacks, struct turns *turns, size_t room)
{
	struct turn *larger = stacks_allocate(stacks, room * sizeof(*larger));

	if (!larger)
		return false;
	if (turns->count)
		memcpy(larger, turns->turns, turns->count * sizeof(*larger));
	turns->turns = larger;
	turns->room = room;
	return true;
}

/* The thread left its CPU with that stack, or came to one: NULL. */
static void keep_turn(struct stacks *stacks, int64_t thread_id, int64_t ts_ns,
		      struct stack *left_at)
{
	struct stack_thread *thread;
	size_t room;

	if (thread_id == INT_NONE || ts_ns == INT_NONE)
		return;
	thread = intern_thread(stacks, thread_id);
	if (!thread)
		return;
	if (turns_full(&thread->turns, &room)) {
		if (!room)
			turns_settle(&thread->turns, false, add_away, stacks);
		else if (!enlarge_turns(stacks, &thread->turns, room))
			return;
	}
	turns_add(&thread->turns, ts_ns, left_at);
}

/* Where the thread of the last switch was when it left the CPU. */
static void leave_cpu(struct stacks *stacks)
{
	struct stack wanted = {
		.thread_id = stacks->pending.prev_thread_id,
		.chain_id = stacks->pending.chain_id,
		.address = INT_NONE,
		.first_ns = stacks->pending.ts_ns,
	};
	struct stack *stack =
		wanted.thread_id == INT_NONE ? NULL : intern_stack(stacks, &wanted);

	if (stack)
		keep_turn(stacks, wanted.thread_id, wanted.first_ns, stack);
}

/* The last switch is complete: no chain follows any more. */
static void flush_switch(struct stacks *stacks)
{
	struct stack wanted = {
		.thread_id = stacks->pending.thread_id,
		.chain_id = stacks->pending.thread_id < 0 ? INT_NONE
							  : stacks->pending.chain_id,
		.address = INT_NONE,
		.first_ns = stacks->pending.ts_ns,
	};
	struct stack *stack;

	if (!stacks->pending.any)
		return;
	stacks->pending.any = false;
	leave_cpu(stacks);
	stack = intern_stack(stacks, &wanted);
	for (size_t i = 0; i < stacks->pending.slots; i++) {
		struct stack_counter *counter = map_get(
			&stacks->counter_by_slot,
			(uint64_t)stacks->pending.group_id * GROUP_COUNTERS_MAX + i);

		if (counter)
			add_weight(
				stacks, stack,
				&(struct weight){ .counter_id = counter->row.counter_id,
						  .value = stacks->pending.deltas[i] });
	}
	if (!stacks->pending.is_charged)
		return;
	if (stacks->pending.on_cpu_ns != INT_NONE)
		add_on_cpu(stacks, stack, stacks->pending.group_id,
			   stacks->pending.on_cpu_ns);
}

static int64_t charged_thread(int64_t status, int64_t thread_id)
{
	if (status == CHARGE_WITH_IDLE)
		return THREAD_WITH_IDLE;
	if (status == CHARGE_DECREASE)
		return THREAD_FELL;
	return status == CHARGE_CHARGED && thread_id != INT_NONE ? thread_id
								 : THREAD_UNATTRIBUTED;
}

static void on_switch(struct stacks *stacks, const struct record *record)
{
	const struct context_switch_row *row = record->data;
	size_t slots =
		record->slots < GROUP_COUNTERS_MAX ? record->slots : GROUP_COUNTERS_MAX;

	flush_switch(stacks);
	stacks->pending.any = true;
	stacks->pending.switch_id = row->switch_id;
	stacks->pending.thread_id = charged_thread(row->status, row->prev_thread_id);
	stacks->pending.prev_thread_id = row->prev_thread_id;
	stacks->pending.is_charged = row->status == CHARGE_CHARGED;
	stacks->pending.ts_ns = row->ts_ns;
	stacks->pending.on_cpu_ns = row->on_cpu_ns;
	stacks->pending.chain_id = INT_NONE;
	stacks->pending.group_id = row->group_id;
	stacks->pending.slots = slots;
	if (slots)
		memcpy(stacks->pending.deltas, record->deltas, slots * sizeof(int64_t));
	keep_turn(stacks, row->next_thread_id, row->ts_ns, NULL);
}

/* The chain of the last switch: where its thread was when it left the CPU. */
static void on_switch_chain(struct stacks *stacks, const struct switch_callchain_row *row)
{
	if (!stacks->pending.any || row->switch_id != stacks->pending.switch_id)
		return;
	stacks->has_switch_chains = true;
	stacks->pending.chain_id = row->callchain_id;
}

/*
 * A SWITCH record knows who came to the CPU where the switch itself was not recorded:
 * some kernels drop samples that are taken in idle.
 */
static void on_switch_record(struct stacks *stacks, const struct switch_record_row *row)
{
	if (!row->is_out)
		keep_turn(stacks, row->thread_id, row->ts_ns, NULL);
}

/* A read while a thread kept its CPU; its deltas follow. */
static void on_read(struct stacks *stacks, const struct group_read_row *row)
{
	flush_switch(stacks);
	stacks->read_thread_id = read_class(&stacks->interrupts, row) == CLASS_INTERRUPT
					 ? THREAD_INTERRUPTS
					 : charged_thread(row->status, row->thread_id);
	if (stacks->read_thread_id < 0 || row->on_cpu_ns == INT_NONE)
		return;
	add_on_cpu(stacks,
		   intern_stack(stacks,
				&(struct stack){ .thread_id = stacks->read_thread_id,
						 .chain_id = INT_NONE,
						 .address = INT_NONE,
						 .first_ns = row->ts_ns }),
		   row->group_id, row->on_cpu_ns);
}

static void on_read_value(struct stacks *stacks, const struct group_read_value_row *row)
{
	add_weight(
		stacks,
		intern_stack(stacks, &(struct stack){ .thread_id = stacks->read_thread_id,
						      .chain_id = INT_NONE,
						      .address = INT_NONE,
						      .first_ns = INT_NONE }),
		&(struct weight){ .counter_id = row->counter_id, .value = row->delta });
}

/* --- dispatch --- */

static void keep_row(struct stacks *stacks, const struct record *record, struct map *map,
		     int64_t id)
{
	const struct table *table = &tables[record->kind];
	void *row = stacks_allocate(stacks, table->row_size);

	put(stacks, map, (uint64_t)id, row);
	if (row)
		stacks->failed |= !row_copy(&stacks->arena, table, row, record->data);
}

static void keep_chain(struct stacks *stacks, const struct callchain_row *row)
{
	struct str *text = stacks_allocate(stacks, sizeof(*text));

	put(stacks, &stacks->chains, (uint64_t)row->callchain_id, text);
	if (text)
		*text = stacks_copy(stacks, row->frames);
}

static void keep_deferred(struct stacks *stacks, const struct callchain_deferred_row *row)
{
	int64_t *id = stacks_allocate(stacks, sizeof(*id));

	put(stacks, &stacks->deferred, map_key(row->thread_id, row->cookie, 0, 0), id);
	if (id)
		*id = row->callchain_id;
}

void stacks_on_row(struct stacks *stacks, const struct record *record)
{
	switch (record->kind) {
	case RECORD_counter:
		on_counter(stacks, record->data);
		break;
	case RECORD_callchain:
		keep_chain(stacks, record->data);
		break;
	case RECORD_callchain_deferred:
		keep_deferred(stacks, record->data);
		break;
	case RECORD_sample:
		on_sample(stacks, record->data);
		break;
	case RECORD_context_switch:
		on_switch(stacks, record);
		break;
	case RECORD_switch_record:
		on_switch_record(stacks, record->data);
		break;
	case RECORD_switch_callchain:
		on_switch_chain(stacks, record->data);
		break;
	case RECORD_interrupt:
		stacks->failed |= !read_class_add(&stacks->interrupts, record->data);
		break;
	case RECORD_group_read:
		on_read(stacks, record->data);
		break;
	case RECORD_group_read_value:
		on_read_value(stacks, record->data);
		break;
	case RECORD_cpu_summary:
		stacks_on_cpu_summary(stacks, record->data);
		break;
	case RECORD_process:
		keep_row(stacks, record, &stacks->processes,
			 RECORD_DATA(record, process)->process_id);
		break;
	case RECORD_thread:
		keep_row(stacks, record, &stacks->threads,
			 RECORD_DATA(record, thread)->thread_id);
		break;
	case RECORD_frame_symbol:
		stacks_add_frame(stacks, record->data);
		break;
	default:
		break;
	}
}

void stacks_settle(struct stacks *stacks)
{
	flush_switch(stacks);
	stacks_choose_references(stacks);
	for (struct stack_thread *t = stacks->stack_threads; t; t = t->next)
		turns_settle(&t->turns, true, add_away, stacks);
}
