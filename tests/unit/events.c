/* events.c - see events.h. */
#include "events.h"

#include <stdlib.h>
#include <string.h>

void *trace_add(struct trace *trace, enum record_kind kind, const void *event,
		size_t size)
{
	void *copy = unit_alloc(size);

	memcpy(copy, event, size);
	if (trace->count == trace->room) {
		const struct record *old = trace->records;

		trace->room = trace->room ? 2 * trace->room : 64;
		trace->records = unit_alloc(trace->room * sizeof(*trace->records));
		if (old)
			memcpy(trace->records, old, trace->count * sizeof(*old));
	}
	trace->records[trace->count] = (struct record){ .kind = kind,
							.offset = 0x1000 + trace->count,
							.data = copy };
	trace->count++;
	return copy;
}

void trace_begin_group(struct trace *trace, int64_t group)
{
	TRACE_ADD(trace, RECORD_counter_group,
		  (struct counter_group_row){ group, 0, STR("leader"), 2, STR("cpu"),
					      STR("no") });
	for (int64_t slot = 0; slot < 2; slot++)
		TRACE_ADD(trace, RECORD_counter,
			  (struct counter_row){ .counter_id = 10 * group + slot,
						.group_id = group,
						.slot = slot,
						.name = slot ? STR("cycles")
							     : STR("leader"),
						.event = STR("e"),
						.unit = STR_NONE,
						.source = STR("test") });
}

void trace_add_switch(struct trace *trace, int64_t ts, int64_t cpu, int64_t prev,
		      int64_t next, uint64_t leader, uint64_t value)
{
	struct switch_event *event =
		TRACE_ADD(trace, RECORD_SWITCH,
			  (struct switch_event){ .ts_ns = ts,
						 .cpu = cpu,
						 .stream = cpu,
						 .group_id = 1,
						 .prev_tid = prev,
						 .next_tid = next,
						 .prev_state = 0,
						 .sample_pid = prev,
						 .sample_tid = prev,
						 .enabled_ns = INT_NONE,
						 .running_ns = INT_NONE,
						 .leader_lost = INT_NONE,
						 .detail_id = INT_NONE,
						 .count = 2 });
	uint64_t *values = unit_alloc(2 * sizeof(*values));

	values[0] = leader;
	values[1] = value;
	event->values = values;
}

void trace_end(struct trace *trace)
{
	TRACE_ADD(trace, RECORD_trace,
		  (struct trace_row){ .format = STR("test"), .status = STR("complete") });
}

enum status trace_run(const struct trace *trace, struct sink *sinks, size_t sink_count)
{
	static const struct pipeline_hooks no_hooks;
	struct unit_play play = { trace->records, trace->count, 0, ST_OK };
	struct reader reader = unit_replay(&play);
	struct pipeline pipeline;
	enum status status;

	pipeline_init(&pipeline, sinks, sink_count);
	status = pipeline_run(&pipeline, &reader, &no_hooks);
	pipeline_release(&pipeline);
	return status;
}

struct unit_notes trace_rows(struct trace *trace)
{
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);

	trace_end(trace);
	assert_int_equal(trace_run(trace, &sink, 1), ST_OK);
	return notes;
}

static size_t judged_in_runs;

static enum status count_run(struct sink *sink, const struct run_rows *rows)
{
	judged_in_runs += rows->to - rows->from;
	return sink_put_rows(sink, rows);
}

static struct unit_notes counted_rows(const struct trace *trace)
{
	static struct sink_ops counting;
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);

	counting = *sink.ops;
	counting.put_run = count_run;
	sink.ops = &counting;
	judged_in_runs = 0;
	assert_int_equal(trace_run(trace, &sink, 1), ST_OK);
	return notes;
}

struct unit_notes trace_rows_of_both(const struct trace *records,
				     const struct trace *runs, size_t *in_runs)
{
	struct unit_notes notes = counted_rows(records), others;

	assert_int_equal(judged_in_runs, 0);
	others = counted_rows(runs);
	assert_string_equal(unit_notes_text(&others), unit_notes_text(&notes));
	*in_runs = judged_in_runs;
	return notes;
}
