/*
 * trace_rows.c - rows of the trace as a whole: a group and its counters before the first
 * switch that reads them; the other counters, the number of records and the trace itself
 * last.
 */
#include "base/array.h"
#include "formats/perf/perf.h"

/* --- counters --- */

static void emit_counter(struct perf_rows *rows, struct perf_event *event)
{
	const struct perf_group *group = event->group;
	bool nanoseconds = event->type == PERF_TYPE_SOFTWARE &&
			   (event->config == PERF_SW_CPU_CLOCK ||
			    event->config == PERF_SW_TASK_CLOCK);
	const struct counter_row row = {
		.counter_id = (int64_t)event->number + 1,
		.group_id = group ? group->group_id : INT_NONE,
		.slot = group && group->count ? (int64_t)event->slot : INT_NONE,
		.name = event->counter_name,
		.event = event->name,
		.unit = nanoseconds ? STR("ns") : event->unit,
		.source = STR("perf"),
		.type = event->type,
		.config = (int64_t)event->config,
		.period =
			event->flags & PERF_FLAG_FREQ ? INT_NONE : (int64_t)event->period,
	};

	event->emitted = true;
	if (!event->named)
		finding_add(rows->findings, FINDING_NAMELESS, ERROR_NO_OFFSET, 1);
	emit_push_row(&rows->emit, RECORD_counter, 0, &row);
}

void perf_emit_group(struct perf_rows *rows, const struct perf_group *group)
{
	const struct counter_group_row row = {
		.group_id = group->group_id,
		.leader = group->leader->counter_name,
		.counters = (int64_t)group->count,
		.scope = group->per_task     ? STR("task")
			 : group->per_cgroup ? STR("cgroup")
					     : STR("cpu"),
		.has_times = group->has_times ? STR("yes") : STR("no"),
	};

	emit_push_row(&rows->emit, RECORD_counter_group, 0, &row);
	for (size_t i = 0; i < group->count || i == 0; i++)
		emit_counter(rows, group->members[i]);
}

/* --- trace, counters, record counts --- */

/* The types of which there were records. */
static void emit_counts(struct perf_rows *rows)
{
	for (size_t i = 0; i <= PERF_COUNTED_TYPES; i++) {
		uint32_t type =
			i < 128 ? (uint32_t)i
				: PERF_RECORD_SIMPLEPERF_FIRST + (uint32_t)i - 128;
		uint64_t count =
			i < PERF_COUNTED_TYPES ? rows->counts[i] : rows->other_types;
		struct record_count_row row = { .type = type, .records = (int64_t)count };

		if (count == 0)
			continue;
		if (i == PERF_COUNTED_TYPES)
			row.type = -1;
		else
			row.record = str_of(perf_record_name(type));
		emit_push_row(&rows->emit, RECORD_record_count, 0, &row);
	}
}

void perf_emit_counters(struct perf_rows *rows, struct perf_catalog *catalog)
{
	for (size_t i = 0; i < catalog->event_count; i++)
		if (!catalog->events[i]->emitted)
			emit_counter(rows, catalog->events[i]);
	emit_counts(rows);
}

static struct str clock_name(const struct perf *perf)
{
	static const char *const names[] = {
		[0] = "CLOCK_REALTIME",	     [1] = "CLOCK_MONOTONIC",
		[4] = "CLOCK_MONOTONIC_RAW", [7] = "CLOCK_BOOTTIME",
		[11] = "CLOCK_TAI",
	};
	const struct perf_event *event;

	if (perf->catalog.event_count == 0)
		return STR_NONE;
	event = perf->catalog.events[0];
	if (!(event->flags & PERF_FLAG_USE_CLOCKID))
		return STR("perf (the kernel's scheduler clock)");
	if (event->clockid < 0 || (size_t)event->clockid >= ARRAY_COUNT(names))
		return STR_NONE;
	return str_of(names[event->clockid]);
}

void perf_emit_trace(struct perf *perf)
{
	struct trace_row *trace = &perf->rows.trace;

	trace->first_ns =
		perf->rows.first_ns == INT64_MAX ? INT_NONE : perf->rows.first_ns;
	trace->last_ns = perf->rows.last_ns;
	trace->clock = clock_name(perf);
	trace->form = perf->source.is_pipe	  ? STR("pipe")
		      : perf->source.is_directory ? STR("directory")
						  : STR("file");
	trace->byte_order =
		perf->catalog.big_endian ? STR("big-endian") : STR("little-endian");
	trace->status = findings_completeness(perf->findings);
	emit_push_row(&perf->rows.emit, RECORD_trace, 0, trace);
}
