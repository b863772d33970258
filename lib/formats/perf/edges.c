/*
 * edges.c - finds the tracepoints where interrupts begin and end.
 *
 * As members of a group with a period of 1 they carry the values of the whole group, so
 * each is a read of it.  Both ends of a kind must be there, or nothing is known of it.
 */
#include "formats/perf/perf.h"
#include "formats/perf/tracepoints.h"

static bool cut_end(struct str *name, struct str end)
{
	if (name->len <= end.len ||
	    memcmp(name->ptr + name->len - end.len, end.ptr, end.len) != 0)
		return false;
	name->len -= end.len;
	return true;
}

static struct tracepoint_field find_field(const struct tracepoint_format *format,
					  struct str name)
{
	for (size_t i = 0; i < format->field_count; i++)
		if (str_equal(format->fields[i].name, name))
			return format->fields[i];
	return (struct tracepoint_field){ .size = 0 };
}

/* Kind and name of a tracepoint, and the field with its number; false: another one. */
static bool describe(const struct tracepoint_format *format, struct perf_edge *edge)
{
	struct str name = format->name;

	edge->is_entry = cut_end(&name, STR("_entry"));
	if (!edge->is_entry && !cut_end(&name, STR("_exit")))
		return false;
	edge->name = name;
	if (str_equal(format->system, STR("irq_vectors"))) {
		edge->kind = INTERRUPT_VECTOR;
		edge->number = find_field(format, STR("vector"));
		return true;
	}
	if (!str_equal(format->system, STR("irq")))
		return false;
	edge->kind = str_equal(name, STR("softirq")) ? INTERRUPT_SOFTIRQ : INTERRUPT_IRQ;
	edge->number =
		find_field(format, edge->kind == INTERRUPT_IRQ ? STR("irq") : STR("vec"));
	if (edge->kind == INTERRUPT_IRQ)
		edge->handler = find_field(format, STR("name"));
	return edge->kind == INTERRUPT_SOFTIRQ || str_equal(name, STR("irq_handler"));
}

void perf_find_edge(struct perf_catalog *catalog, struct perf_event *event)
{
	const uint64_t wanted = PERF_READ_GROUP | PERF_READ_ID;
	const uint64_t fields = PERF_RAW | PERF_READ | PERF_TIME | PERF_TID | PERF_CPU;
	struct perf_edge edge = { .kind = INTERRUPT_IRQ };

	event->edge = NULL;
	if (event->type != PERF_TYPE_TRACEPOINT || !event->format || event->period != 1 ||
	    event->flags & PERF_FLAG_FREQ || (event->sample_type & fields) != fields ||
	    (event->read_format & wanted) != wanted || !describe(event->format, &edge))
		return;
	event->edge = arena_alloc(&catalog->arena, sizeof(edge));
	if (event->edge)
		*event->edge = edge;
}

/* The other end of the same kind. */
static bool has_other_end(const struct perf_group *group, const struct perf_edge *edge)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct perf_edge *other = group->members[i]->edge;

		if (other && other->kind == edge->kind &&
		    other->is_entry != edge->is_entry &&
		    str_equal(other->name, edge->name))
			return true;
	}
	return false;
}

void perf_find_edges(struct perf_catalog *catalog, struct perf_group *group)
{
	size_t *slots = arena_alloc(&catalog->arena, (group->count + 1) * sizeof(*slots));
	size_t count = 0;

	for (size_t i = 0; slots && !group->per_task && i < group->count; i++)
		if (group->members[i]->edge &&
		    has_other_end(group, group->members[i]->edge))
			slots[count++] = i;
	if (count == 0)
		return;
	group->edges = arena_alloc(&catalog->arena, sizeof(*group->edges));
	if (group->edges)
		*group->edges = (struct edge_slots){ count, slots };
}
