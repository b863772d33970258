/*
 * test_run_streams.c - runs of several streams, in lib/attribution/chain_run.c and
 * ledger_run.c: what such a run comes to is what its switches come to as records.
 */
#include <string.h>

#include "events.h"
#include "model/run.h"

#define SLOTS 2
#define CPUS 3

enum what { DONE, OUT, LOSS, THROTTLE, COMES, HANDED, FORKED };

/*
 * A switch comes 100 ns after the event before it; the counters of its CPU rise by 3 and
 * 10.  A step that is not `in_run` is a record between runs.
 */
struct step {
	enum what what;
	int64_t cpu, prev, next; /* others: prev is a tid */
	bool in_run;
	int64_t after, fall; /* instead of 100; of the last counter */
	bool unread, suspect, exited;
};

struct machine {
	int64_t ts_ns;
	uint64_t values[CPUS][SLOTS];
};

/* --- as records --- */

static const uint64_t *count_on(struct machine *machine, const struct step *step)
{
	uint64_t *values = machine->values[step->cpu];
	uint64_t *copy = unit_alloc(SLOTS * sizeof(*copy));

	values[0] += 3;
	values[1] += 10 - (uint64_t)step->fall;
	memcpy(copy, values, SLOTS * sizeof(*copy));
	return copy;
}

static void add_switch(struct trace *trace, struct machine *machine,
		       const struct step *step)
{
	TRACE_ADD(trace, RECORD_SWITCH,
		  (struct switch_event){ .ts_ns = machine->ts_ns,
					 .cpu = step->cpu,
					 .stream = step->cpu,
					 .group_id = 1,
					 .prev_tid = step->prev,
					 .next_tid = step->next,
					 .prev_state = step->exited ? 4 : 5,
					 .prev_exited = step->exited,
					 .every_switch = true,
					 .never_rotated = true,
					 .unread = step->unread,
					 .suspect = step->suspect,
					 .sample_pid = INT_NONE,
					 .sample_tid = INT_NONE,
					 .enabled_ns = INT_NONE,
					 .running_ns = INT_NONE,
					 .leader_lost = INT_NONE,
					 .detail_id = machine->ts_ns % 7,
					 .values = count_on(machine, step),
					 .count = SLOTS });
}

static void add_step(struct trace *trace, struct machine *machine,
		     const struct step *step)
{
	int64_t ts_ns = machine->ts_ns += step->after ? step->after : 100;

	switch (step->what) {
	case OUT:
		add_switch(trace, machine, step);
		break;
	case LOSS:
		TRACE_ADD(trace, RECORD_LOSS,
			  (struct loss_event){ .ts_ns = ts_ns,
					       .cpu = step->cpu,
					       .counter_id = INT_NONE,
					       .events = 1,
					       .record = STR("buffer") });
		break;
	case THROTTLE:
		TRACE_ADD(trace, RECORD_THROTTLED,
			  (struct throttled_event){ .ts_ns = ts_ns,
						    .cpu = step->cpu,
						    .counter_id = INT_NONE,
						    .throttled = true });
		break;
	case COMES:
		TRACE_ADD(trace, RECORD_SWITCH_IN,
			  (struct switch_in_event){ .ts_ns = ts_ns,
						    .cpu = step->cpu,
						    .tid = step->prev,
						    .next_tid = INT_NONE,
						    .in = true });
		break;
	case HANDED:
		TRACE_ADD(trace, RECORD_TASK_HANDED,
			  (struct task_handed_event){ .id = step->prev,
						      .from_ns = ts_ns,
						      .to_ns = ts_ns + 900 });
		break;
	case FORKED:
		TRACE_ADD(trace, RECORD_TASK_FORK,
			  (struct task_fork_event){ .ts_ns = ts_ns,
						    .pid = step->prev,
						    .tid = step->prev,
						    .parent_pid = INT_NONE,
						    .parent_tid = INT_NONE });
		break;
	case DONE:
		break;
	}
}

/* --- as runs --- */

struct made_run {
	struct run run;
	uint8_t last[CPUS + 1]; /* by stream */
};

static void add_to_run(struct made_run *made, const struct switch_event *event,
		       uint64_t offset)
{
	struct run *run = &made->run;
	size_t at = ++run->count, s = 0;

	while (s < run->stream_count && run->streams[s].cpu != event->cpu)
		s++;
	if (s == run->stream_count)
		run->streams[run->stream_count++] =
			(struct run_stream){ event->stream, event->cpu };
	run->stream_at[at] = (uint8_t)s;
	run->before[at] = made->last[s];
	made->last[s] = (uint8_t)at;
	run->ts_ns[at] = event->ts_ns;
	run->prev_tid[at] = (int32_t)event->prev_tid;
	run->next_tid[at] = (int32_t)event->next_tid;
	run->prev_state[at] = event->prev_state;
	run->detail_id[at] = event->detail_id;
	run->offsets[at] = offset;
	memcpy(run->values + at * SLOTS, event->values, SLOTS * sizeof(*event->values));
}

static void end_run(struct run *run)
{
	for (size_t at = 1; at <= run->count; at++)
		if (!run->before[at])
			run->before[at] = (uint8_t)(run->count + 1 + run->stream_at[at]);
}

static struct made_run *begin_run(struct trace *trace, const struct switch_event *event)
{
	struct made_run *made = unit_alloc(sizeof(*made));

	made->run.common = *event;
	made->run.has_details = made->run.has_offsets = true;
	(void)trace_add(trace, RECORD_RUN, event, 0);
	trace->records[trace->count - 1].run = &made->run;
	return made;
}

/* The same trace; in_run has a flag for each record. */
static struct trace with_runs(const struct trace *from, const bool *in_run)
{
	struct trace trace = { NULL, 0, 0 };
	struct made_run *made = NULL;

	for (size_t i = 0; i < from->count; i++) {
		const struct record *record = &from->records[i];

		if (made &&
		    (!in_run[i] || made->run.count + CPUS + 2 >= RUN_SWITCHES_MAX)) {
			end_run(&made->run);
			made = NULL;
		}
		if (in_run[i]) {
			if (!made)
				made = begin_run(&trace, record->data);
			add_to_run(made, record->data, record->offset);
			continue;
		}
		(void)trace_add(&trace, record->kind, record->data, 0);
		trace.records[trace.count - 1] = *record;
	}
	if (made)
		end_run(&made->run);
	return trace;
}

/* --- both roads --- */

struct made_trace {
	struct trace trace;
	struct machine machine;
	bool in_run[4096];
};

static struct made_trace *begin_trace(void)
{
	struct made_trace *made = unit_alloc(sizeof(*made));

	trace_begin_group(&made->trace, 1);
	made->machine.ts_ns = 1000;
	return made;
}

static void add(struct made_trace *made, const struct step *step)
{
	size_t at = made->trace.count;

	assert_in_range(at, 0, sizeof(made->in_run) - 2);
	add_step(&made->trace, &made->machine, step);
	made->in_run[at] = step->in_run;
}

/* Switches that were judged in one loop; the rows must be the same on both roads. */
static size_t judge(struct made_trace *made)
{
	struct trace runs;
	size_t in_runs;

	trace_end(&made->trace);
	runs = with_runs(&made->trace, made->in_run);
	(void)trace_rows_of_both(&made->trace, &runs, &in_runs);
	return in_runs;
}

/* --- one condition each --- */

#define STEPS 8

/* clang-format off */
#define SWITCH(on, out, in, ...)                                                         \
	{ .what = OUT, .cpu = on, .prev = out, .next = in, .in_run = true, __VA_ARGS__ }
#define RECORD(kind, on, number, ...)                                                    \
	{ .what = kind, .cpu = on, .prev = number, __VA_ARGS__ }
/* clang-format on */

/* Each CPU has its first switch, and then one more, which is judged in the loop. */
#define KNOWN 3
static const struct step known[] = {
	SWITCH(0, 1, 2), SWITCH(1, 5, 0), SWITCH(2, 9, 8),
	SWITCH(1, 0, 5), SWITCH(0, 2, 1), SWITCH(2, 8, 9),
};
static const struct step later[] = {
	SWITCH(2, 9, 8),
	SWITCH(0, 1, 0),
	SWITCH(1, 5, 6),
	SWITCH(1, 6, 5),
};

static const struct script {
	const char *name;
	size_t in_runs; /* of the script's steps and of `later` */
	struct step steps[STEPS];
} scripts[] = {
	{ "nothing", 4, { { .what = DONE } } },
	{ "a loss on one CPU", 3, { RECORD(LOSS, 1, 0) } },
	{ "a loss on any", 1, { RECORD(LOSS, INT_NONE, 0) } },
	{ "a throttled CPU", 3, { RECORD(THROTTLE, 2, 0) } },
	{ "a SWITCH record", 3, { RECORD(COMES, 0, 1) } },
	{ "a counter that falls", 5, { SWITCH(0, 1, 2, .fall = 500), SWITCH(0, 2, 1) } },
	{ "another thread than came",
	  6,
	  { SWITCH(0, 4, 1), SWITCH(1, 5, 7), SWITCH(1, 7, 5) } },
	{ "no counters, as a record",
	  4,
	  { RECORD(OUT, 0, 1, .next = 2, .unread = true), SWITCH(0, 2, 1) } },
	{ "wrong counters, as a record",
	  5,
	  { RECORD(OUT, 0, 1, .next = 2, .suspect = true), SWITCH(0, 2, 1) } },
	{ "a thread that ends, as a record",
	  6,
	  { RECORD(OUT, 0, 1, .next = 2, .exited = true), SWITCH(0, 2, 3),
	    SWITCH(0, 3, 1) } },
	{ "time that goes back",
	  6,
	  { SWITCH(0, 1, 2, .after = -450), SWITCH(1, 5, 0), SWITCH(1, 0, 5),
	    SWITCH(0, 2, 1, .after = 900) } },
	{ "a thread in doubt",
	  5,
	  { RECORD(HANDED, 0, 7), SWITCH(0, 1, 7), SWITCH(0, 7, 1) } },
	{ "a new thread", 6, { RECORD(FORKED, 0, 7), SWITCH(0, 1, 7), SWITCH(0, 7, 1) } },
};

UNIT_TEST(scripts)
{
	bool all = true;

	for (size_t i = 0; i < COUNT(scripts); i++) {
		struct made_trace *made = begin_trace();
		size_t expected = KNOWN + scripts[i].in_runs, judged;

		for (size_t k = 0; k < COUNT(known); k++)
			add(made, &known[k]);
		for (size_t k = 0; k < STEPS && scripts[i].steps[k].what != DONE; k++)
			add(made, &scripts[i].steps[k]);
		for (size_t k = 0; k < COUNT(later); k++)
			add(made, &later[k]);
		judged = judge(made);
		if (judged != expected)
			print_error("%s: %zu in runs, expected %zu\n", scripts[i].name,
				    judged, expected);
		all &= judged == expected;
	}
	assert_true(all);
}

/* --- all of them together --- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void disturb(struct step *step, uint64_t what)
{
	static const struct step events[] = {
		RECORD(LOSS, 0, 0),	     RECORD(LOSS, INT_NONE, 0),
		RECORD(THROTTLE, 1, 0),	     RECORD(COMES, 2, 3),
		RECORD(HANDED, 0, 6),	     RECORD(FORKED, 0, 7),
		SWITCH(0, 0, 0, .fall = 90), SWITCH(0, 0, 0, .after = -300),
	};
	const struct step wanted = *step;

	if (what >= COUNT(events)) {
		step->in_run = false;
		step->unread = what % 3 == 0;
		step->suspect = what % 3 == 1;
		step->exited = what % 3 == 2;
		return;
	}
	*step = events[what];
	if (step->what != OUT)
		return;
	step->cpu = wanted.cpu;
	step->prev = wanted.prev;
	step->next = wanted.next;
}

UNIT_TEST(wild)
{
	size_t judged = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct made_trace *made = begin_trace();
		int64_t on_cpu[CPUS] = { 1, 2, 3 };
		uint64_t random = seed * 7919;

		for (size_t i = 0; i < 1000; i++) {
			struct step step = { .what = OUT, .in_run = true };

			step.cpu = (int64_t)(next_random(&random) % CPUS);
			step.prev = on_cpu[step.cpu];
			step.next = (int64_t)(next_random(&random) % 12);
			if (next_random(&random) % 16 == 0)
				disturb(&step, next_random(&random) % 12);
			add(made, &step);
			if (step.what == OUT)
				on_cpu[step.cpu] = step.next;
		}
		judged += judge(made);
	}
	assert_in_range(judged, 5000, 19000); /* of 20 000 */
}
