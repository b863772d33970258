/* collect.c - adds up what passes; see collect.h. */
#include "output/fleet/collect.h"

#include "base/wrap.h"
#include "model/read_class.h"

struct counter_place {
	struct fleet_counters *counters;
	size_t slot;
};

/* --- opening --- */

static enum status on_totals(void *context, struct sink *sink, struct totals *totals)
{
	struct fleet_collector *collector = context;

	(void)sink;
	return totals->group_count == 0 ? ST_OK
					: collector->on_bill(collector->context, totals);
}

enum status collector_open(struct fleet_collector *collector)
{
	struct totals_sink *totals;

	collector->last_counters = &collector->counters;
	if (collector->no_bill)
		return ST_OK;
	if (sink_open(&collector->totals, &totals_sink_ops, NULL) != ST_OK) {
		collector->totals.ops = NULL;
		return error_nomem(collector->error);
	}
	totals = collector->totals.state;
	totals->done = on_totals;
	totals->context = collector;
	collector->has_bill = true;
	return ST_OK;
}

/* --- counters --- */

static enum status keep_group(struct fleet_collector *collector,
			      const struct counter_group_row *row)
{
	size_t slots = row->counters > 0 && row->counters <= GROUP_COUNTERS_MAX
			       ? (size_t)row->counters
			       : 0;
	struct fleet_counters *counters =
		arena_alloc(&collector->arena, sizeof(*counters));
	struct str *texts =
		arena_alloc(&collector->arena, (2 * slots + 1) * sizeof(*texts));

	if (!counters || !texts ||
	    !map_put(&collector->counters_by_group, (uint64_t)row->group_id, counters))
		return error_nomem(collector->error);
	counters->group_id = row->group_id;
	counters->slots = slots;
	counters->names = texts;
	counters->units = texts + slots;
	seconds_begin(&counters->seconds, slots + 1, collector->error);
	*collector->last_counters = counters;
	collector->last_counters = &counters->next;
	return ST_OK;
}

static struct str keep_text(struct fleet_collector *collector, struct str text)
{
	return text.ptr ? arena_str(&collector->arena, text) : STR_NONE;
}

static enum status keep_counter(struct fleet_collector *collector,
				const struct counter_row *row)
{
	struct fleet_counters *counters =
		row->group_id == INT_NONE
			? NULL
			: map_get(&collector->counters_by_group, (uint64_t)row->group_id);
	struct counter_place *place;

	if (!counters || row->slot < 0 || (size_t)row->slot >= counters->slots)
		return ST_OK;
	place = arena_alloc(&collector->arena, sizeof(*place));
	if (!place ||
	    !map_put(&collector->place_by_counter, (uint64_t)row->counter_id, place))
		return error_nomem(collector->error);
	*place = (struct counter_place){ counters, (size_t)row->slot };
	counters->names[row->slot] = keep_text(collector, row->name);
	counters->units[row->slot] = keep_text(collector, row->unit);
	return ST_OK;
}

/* --- switches and reads --- */

/* Of an interval shared with idle the thread's own part is the thread's. */
static enum status add_time(struct fleet_collector *collector,
			    struct fleet_counters *counters, int64_t ts_ns,
			    int64_t thread_id, enum charge_class class, int64_t on_cpu_ns)
{
	enum charge_class whose = class == CLASS_WITH_IDLE ? CLASS_CHARGED : class;
	struct second_row *sums;

	if (on_cpu_ns == INT_NONE || on_cpu_ns == 0)
		return ST_OK;
	sums = seconds_row(&counters->seconds, ts_ns, thread_id, whose);
	if (!sums)
		return collector->error->status;
	sums->values[counters->slots] =
		wrap_add(sums->values[counters->slots], on_cpu_ns);
	return ST_OK;
}

static enum status put_switch(struct fleet_collector *collector,
			      const struct record *record)
{
	const struct context_switch_row *row = RECORD_DATA(record, context_switch);
	struct fleet_counters *counters =
		map_get(&collector->counters_by_group, (uint64_t)row->group_id);
	enum charge_class class = charge_class(row->status, false);
	struct second_row *sums;
	enum status status = ST_OK;

	if (!counters)
		return ST_OK;
	if (collector->on_switch)
		status = collector->on_switch(collector->context, counters, record);
	if (status != ST_OK || row->status == CHARGE_BASELINE || collector->no_bill)
		return status;
	sums = seconds_row(&counters->seconds, row->ts_ns, row->prev_thread_id, class);
	if (!sums)
		return collector->error->status;
	for (size_t i = 0; i < record->slots && i < counters->slots; i++)
		sums->values[i] = wrap_add(sums->values[i], record->deltas[i]);
	if (row->status == CHARGE_CHARGED && row->on_cpu_ns != INT_NONE) {
		sums->values[counters->slots] =
			wrap_add(sums->values[counters->slots], row->on_cpu_ns);
		return ST_OK;
	}
	return add_time(collector, counters, row->ts_ns, row->prev_thread_id, class,
			row->on_cpu_ns);
}

enum status collector_put_run(struct fleet_collector *collector,
			      const struct run_rows *rows)
{
	struct fleet_counters *counters =
		map_get(&collector->counters_by_group, (uint64_t)rows->group_id);
	const struct run *run = rows->run;
	size_t slots = run->common.count, known;
	enum status status;

	if (!counters)
		return ST_OK;
	known = slots < counters->slots ? slots : counters->slots;
	status = collector->on_run(collector->context, counters, rows);
	for (size_t at = rows->from; at < rows->to && status == ST_OK; at++) {
		struct second_row *sums =
			seconds_row(&counters->seconds, run->ts_ns[at],
				    run->prev_thread_id[at], CLASS_CHARGED);
		const int64_t *deltas = run->deltas + at * slots;

		if (!sums)
			return collector->error->status;
		for (size_t i = 0; i < known; i++)
			sums->values[i] = wrap_add(sums->values[i], deltas[i]);
		if (run->on_cpu_ns[at] != INT_NONE)
			sums->values[counters->slots] = wrap_add(
				sums->values[counters->slots], run->on_cpu_ns[at]);
	}
	return status;
}

static enum status put_read(struct fleet_collector *collector,
			    const struct group_read_row *row)
{
	struct fleet_counters *counters =
		map_get(&collector->counters_by_group, (uint64_t)row->group_id);
	enum charge_class class = read_class(&collector->interrupts, row);
	enum status status;

	collector->read = NULL;
	if (!counters || row->status == CHARGE_BASELINE || collector->no_bill)
		return ST_OK;
	status = add_time(collector, counters, row->ts_ns, row->thread_id, class,
			  row->on_cpu_ns);
	if (status != ST_OK)
		return status;
	collector->read =
		seconds_row(&counters->seconds, row->ts_ns, row->thread_id, class);
	return collector->read ? ST_OK : collector->error->status;
}

/* Follows its read at once. */
static void put_read_value(struct fleet_collector *collector,
			   const struct group_read_value_row *row)
{
	const struct counter_place *place =
		map_get(&collector->place_by_counter, (uint64_t)row->counter_id);

	if (place && collector->read)
		collector->read->values[place->slot] =
			wrap_add(collector->read->values[place->slot], row->delta);
}

/* --- rows --- */

/* A row that the totals collect, too; rows that contradict others end the bill. */
static enum status put_total(struct fleet_collector *collector,
			     const struct record *record)
{
	switch ((int)record->kind) {
	case RECORD_context_switch:
	case RECORD_group_read:
	case RECORD_group_read_value:
	case RECORD_OWN_TABLE:
		return ST_OK;
	}
	if (!collector->has_bill || sink_put(&collector->totals, record) == ST_OK)
		return ST_OK;
	if (collector->error->status != ST_OK)
		return collector->error->status;
	if (collector->totals.error.status == ST_NOMEM)
		return error_nomem(collector->error);
	collector->has_bill = false;
	return ST_OK;
}

static enum status keep_row(struct fleet_collector *collector,
			    const struct record *record)
{
	switch ((int)record->kind) {
	case RECORD_counter_group:
		return keep_group(collector, record->data);
	case RECORD_counter:
		return keep_counter(collector, record->data);
	case RECORD_context_switch:
		return put_switch(collector, record);
	case RECORD_interrupt:
		return read_class_add(&collector->interrupts, record->data)
			       ? ST_OK
			       : error_nomem(collector->error);
	case RECORD_group_read:
		return put_read(collector, record->data);
	case RECORD_group_read_value:
		put_read_value(collector, record->data);
		return ST_OK;
	case RECORD_process:
	case RECORD_thread:
		return fleet_tasks_on_row(&collector->tasks, record)
			       ? ST_OK
			       : error_nomem(collector->error);
	default:
		return ST_OK;
	}
}

enum status collector_put(struct fleet_collector *collector, const struct record *record)
{
	enum status status = keep_row(collector, record);

	return status == ST_OK ? put_total(collector, record) : status;
}

enum status collector_end(struct fleet_collector *collector, const struct record *record)
{
	return put_total(collector, record);
}

void collector_forget(struct fleet_collector *collector)
{
	for (struct fleet_counters *c = collector->counters; c; c = c->next)
		seconds_release(&c->seconds);
	collector->counters = NULL;
	collector->last_counters = &collector->counters;
	collector->read = NULL;
	fleet_tasks_release(&collector->tasks);
	map_release(&collector->counters_by_group);
	map_release(&collector->place_by_counter);
	map_release(&collector->interrupts);
	arena_release(&collector->arena);
}

void collector_close(struct fleet_collector *collector)
{
	collector_forget(collector);
	if (collector->totals.ops)
		sink_close(&collector->totals);
}
