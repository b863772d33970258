/* interrupts.c - knows kinds and vectors of interrupts, and steps from edge to edge. */
#include "attribution/interrupts.h"

#include "base/array.h"
#include "base/text.h"

static const char *const kind_names[] = {
	[INTERRUPT_SOFTIRQ] = "softirq",
	[INTERRUPT_IRQ] = "irq",
	[INTERRUPT_VECTOR] = "vector",
};

/* include/linux/interrupt.h; the same since Linux 2.6.32 but for BLOCK_IOPOLL. */
static const char *const softirq_names[] = { "HI",	"TIMER",    "NET_TX",  "NET_RX",
					     "BLOCK",	"IRQ_POLL", "TASKLET", "SCHED",
					     "HRTIMER", "RCU" };

void interrupt_kinds_forget(struct interrupt_kinds *interrupts)
{
	int64_t last_id = interrupts->last_id;

	arena_release(&interrupts->arena);
	map_release(&interrupts->known);
	map_release(&interrupts->last_named);
	*interrupts = (struct interrupt_kinds){ .last_id = last_id };
}

/* --- kinds and vectors --- */

static struct str name_of(const struct edge_event *edge)
{
	size_t names = ARRAY_COUNT(softirq_names);

	if (edge->kind != INTERRUPT_SOFTIRQ)
		return edge->name;
	return edge->vector >= 0 && edge->vector < (int64_t)names
		       ? str_of(softirq_names[edge->vector])
		       : STR_NONE;
}

static uint64_t hash_of(const struct interrupt_row *row)
{
	uint64_t start =
		map_salt() ^ (uint64_t)row->vector * 4 ^ (uint64_t)row->in_thread;

	return map_hash_text(start ^ (uint64_t)row->kind.len << 56, row->name);
}

static bool is_same(const struct interrupt_row *a, const struct interrupt_row *b)
{
	return a->vector == b->vector && a->in_thread == b->in_thread &&
	       str_equal(a->kind, b->kind) && !a->name.ptr == !b->name.ptr &&
	       str_equal(a->name, b->name);
}

/* Names end at a NUL; those of irqs come from drivers. */
static struct interrupt *add(struct interrupt_kinds *interrupts,
			     const struct interrupt_row *row, uint64_t key)
{
	struct interrupt *interrupt = arena_alloc(&interrupts->arena, sizeof(*interrupt));

	if (!interrupt)
		return NULL;
	interrupt->row = *row;
	if (row->name.ptr)
		interrupt->row.name = text_valid_utf8(&interrupts->arena, row->name);
	interrupt->row.interrupt_id = ++interrupts->last_id;
	interrupts->count++;
	return map_put(&interrupts->known, key, interrupt) ? interrupt : NULL;
}

static struct interrupt *find(struct interrupt_kinds *interrupts,
			      struct interrupt_row *row)
{
	uint64_t key;
	struct interrupt *found;

	if (interrupts->count >= INTERRUPTS_MAX) {
		row->vector = INT_NONE;
		row->name = STR_NONE;
	}
	key = hash_of(row);
	MAP_FIND(&interrupts->known, key, found, is_same(&found->row, row));
	return found ? found : add(interrupts, row, key);
}

struct interrupt *interrupt_intern(struct interrupt_kinds *interrupts, struct str kind,
				   int64_t vector, struct str name)
{
	struct interrupt_row row = { .kind = kind, .vector = vector, .name = name };
	struct interrupt *interrupt = find(interrupts, &row);

	interrupts->out_of_memory |= !interrupt;
	return interrupt;
}

static struct interrupt *intern(struct interrupt_kinds *interrupts,
				const struct edge_event *edge, bool in_thread)
{
	struct interrupt_row row = { .kind = str_of(kind_names[edge->kind]),
				     .vector = edge->vector,
				     .name = name_of(edge),
				     .in_thread = in_thread };
	struct interrupt *interrupt = NULL;
	bool is_irq = edge->kind == INTERRUPT_IRQ;

	/* The exit of an irq does not name it. */
	if (is_irq && !row.name.ptr)
		interrupt = map_get(&interrupts->last_named, (uint64_t)edge->vector);
	if (!interrupt)
		interrupt = find(interrupts, &row);
	if (is_irq && row.name.ptr && interrupt &&
	    !map_put(&interrupts->last_named, (uint64_t)edge->vector, interrupt))
		interrupt = NULL;
	interrupts->out_of_memory |= !interrupt;
	return interrupt;
}

/* --- the stack --- */

static bool is_of(const struct interrupt *interrupt, const struct edge_event *edge)
{
	return interrupt->row.vector == edge->vector &&
	       str_equal(interrupt->row.kind, str_of(kind_names[edge->kind]));
}

void interrupt_stack_lose(struct interrupt_stack *stack)
{
	stack->depth = 0;
	stack->is_known = false;
	stack->left_ns = stack->left_vector = INT_NONE;
}

void interrupt_stack_clear(struct interrupt_stack *stack)
{
	interrupt_stack_lose(stack);
	stack->is_known = true;
}

enum interrupt_segment interrupt_segment(struct interrupt_kinds *interrupts,
					 const struct interrupt_stack *stack,
					 const struct edge_event *edge,
					 struct interrupt **owner)
{
	*owner = NULL;
	if (stack->depth) {
		struct interrupt *top = stack->levels[stack->depth - 1];

		if (!edge->is_entry && !is_of(top, edge))
			return SEGMENT_UNKNOWN;
		*owner = top;
		return SEGMENT_INTERRUPT;
	}
	if (edge->is_entry) /* softirqs only interrupt threads */
		return stack->is_known || edge->kind == INTERRUPT_SOFTIRQ
			       ? SEGMENT_THREAD
			       : SEGMENT_UNKNOWN;
	if (stack->is_known) /* it ends without having begun */
		return SEGMENT_UNKNOWN;
	*owner = intern(interrupts, edge, false);
	return *owner ? SEGMENT_INTERRUPT : SEGMENT_UNKNOWN;
}

static bool is_way_out(const struct interrupt_stack *stack, const struct edge_event *edge)
{
	bool is_again =
		stack->left_vector != INT_NONE && edge->vector <= stack->left_vector;

	return stack->left_ns != INT_NONE && edge->at.ts_ns >= stack->left_ns &&
	       (uint64_t)edge->at.ts_ns - (uint64_t)stack->left_ns <=
		       (is_again ? INTERRUPT_AGAIN_NS : INTERRUPT_WAY_OUT_NS);
}

static void enter(struct interrupt_kinds *interrupts, struct interrupt_stack *stack,
		  const struct edge_event *edge, bool is_proven)
{
	bool in_thread = edge->kind == INTERRUPT_SOFTIRQ && is_proven &&
			 stack->depth == 0 && !is_way_out(stack, edge);
	struct interrupt *interrupt = intern(interrupts, edge, in_thread);

	if (edge->kind == INTERRUPT_SOFTIRQ && stack->depth == 0)
		stack->is_known = true;
	if (!interrupt || stack->depth == INTERRUPT_DEPTH_MAX)
		interrupt_stack_lose(stack);
	else
		stack->levels[stack->depth++] = interrupt;
}

static void leave(struct interrupt_stack *stack, const struct edge_event *edge)
{
	bool is_softirq = edge->kind == INTERRUPT_SOFTIRQ, in_thread = false;
	size_t at = stack->depth;

	while (at > 0 && !is_of(stack->levels[at - 1], edge))
		at--;
	if (at == 0 && (stack->depth || stack->is_known))
		return; /* it ends without having begun: nothing has changed */
	if (at > 0) {
		in_thread = stack->levels[at - 1]->row.in_thread;
		stack->depth = at - 1;
	} else if (is_softirq) {
		stack->is_known = true;
	}
	if (stack->depth)
		return;
	stack->left_ns = in_thread ? INT_NONE : edge->at.ts_ns;
	stack->left_vector = is_softirq ? edge->vector : INT_NONE;
}

void interrupt_step(struct interrupt_kinds *interrupts, struct interrupt_stack *stack,
		    const struct edge_event *edge, bool is_proven)
{
	if (edge->is_entry)
		enter(interrupts, stack, edge, is_proven);
	else
		leave(stack, edge);
}
