/*
 * test_runs.c - lib/pipeline/runs.h, lib/attribution/chain_run.c and ledger_run.c: what a
 * run comes to is what its switches come to as records, condition by condition.
 */
#include "pipeline/runs.h"

#include <stdlib.h>
#include <string.h>

#include "events.h"

#define SLOTS 3
#define EXITED 0x30 /* of prev_state, as Linux has it */

enum what {
	DONE,
	OUT, /* a switch, with counters */
	COMES,
	COMES_UNTIMED, /* SWITCH records */
	LOSS,
	THROTTLE,
	HANDED,
	FORKED,
	NAMED,
	INTERRUPTED,
};

/*
 * A switch comes 100 ns after the event before it, which it counts; the leader of its
 * stream counts 1, the others 10 and 20.  Anything else is given here.
 */
struct step {
	int line;
	enum what what;
	int64_t prev, next; /* others: a tid */
	enum charge_status status;
	int64_t after; /* instead of 100; AT_ONCE: 0 */
	int64_t stream, group, cpu;
	int64_t leader; /* more than 1 */
	int64_t fall;	/* of the last counter */
	bool is_equal;	/* no counter but the leader's rises */
	int64_t unlike; /* enabled and running differ by that much more */
	bool lacks_times, lacks_running;
	int64_t lost; /* samples of the leader, more */
	int64_t own;  /* the sample's tid where it is not prev's */
	int64_t pid;  /* the sample's where it is not own */
	int64_t state;
	const char *comm, *next_comm;
	int64_t cgroup;
	bool is_read;
};

#define AT_ONCE INT64_MAX
#define STEPS 12

/* clang-format off */
#define SWITCH(out, in, verdict, ...)                                                    \
	{ ROW, .what = OUT, .prev = out, .next = in, .status = CHARGE_##verdict,         \
	  __VA_ARGS__ }
#define EVENT(kind, number, ...) { ROW, .what = kind, .prev = number, __VA_ARGS__ }
/* clang-format on */

/* --- both roads --- */

/* Values of the streams so far. */
struct machine {
	int64_t ts_ns, lost;
	int64_t enabled_ns, running_ns;
	uint64_t values[8][SLOTS];
};

static const char *comm_of(int64_t tid, char comm[16])
{
	memset(comm, 0, 16);
	snprintf(comm, 16, "task-%lld", (long long)tid);
	return comm;
}

static struct str padded(const char *given, int64_t tid)
{
	char comm[16];
	char *copy = unit_alloc(16);

	memcpy(copy, comm_of(tid, comm), 16);
	if (given)
		strncpy(copy, given, 16);
	return (struct str){ copy, 16 };
}

static const uint64_t *count_on(struct machine *machine, const struct step *step)
{
	uint64_t *values = machine->values[step->stream];
	uint64_t *copy = unit_alloc(SLOTS * sizeof(*copy));

	values[0] += 1 + (uint64_t)step->leader;
	for (size_t i = 1; i < SLOTS && !step->is_equal; i++)
		values[i] += 10 * i;
	values[SLOTS - 1] -= (uint64_t)step->fall;
	memcpy(copy, values, SLOTS * sizeof(*copy));
	return copy;
}

static void add_switch(struct trace *trace, struct machine *machine,
		       const struct step *step)
{
	int64_t own = step->own ? step->own : step->prev;

	machine->lost += step->lost;
	TRACE_ADD(trace, RECORD_SWITCH,
		  (struct switch_event){
			  .ts_ns = machine->ts_ns,
			  .cpu = step->cpu,
			  .stream = step->stream,
			  .group_id = 1 + step->group,
			  .prev_tid = step->is_read ? INT_NONE : step->prev,
			  .next_tid = step->is_read ? INT_NONE : step->next,
			  .prev_state = step->state,
			  .prev_comm = padded(step->comm, step->prev),
			  .next_comm = padded(step->next_comm, step->next),
			  .prev_exited = step->state & EXITED,
			  .is_read = step->is_read,
			  .sample_pid = step->pid ? step->pid : own,
			  .sample_tid = own == 0 && step->pid ? -1 : own,
			  .enabled_ns =
				  step->lacks_times ? INT_NONE : machine->enabled_ns,
			  .running_ns = step->lacks_times || step->lacks_running
						? INT_NONE
						: machine->running_ns,
			  .leader_lost = machine->lost,
			  .detail_id = machine->ts_ns % 7,
			  .cgroup_id = step->cgroup,
			  .values = count_on(machine, step),
			  .count = SLOTS,
		  });
}

static void add_other(struct trace *trace, const struct machine *machine,
		      const struct step *step)
{
	int64_t ts = machine->ts_ns, tid = step->prev;

	if (step->what == COMES || step->what == COMES_UNTIMED)
		TRACE_ADD(trace, RECORD_SWITCH_IN,
			  (struct switch_in_event){ step->what == COMES ? ts : INT_NONE,
						    step->cpu, tid, true, false,
						    step->next });
	else if (step->what == LOSS)
		TRACE_ADD(trace, RECORD_LOSS,
			  (struct loss_event){ ts, step->cpu, INT_NONE, 5, STR("LOST") });
	else if (step->what == THROTTLE)
		TRACE_ADD(trace, RECORD_THROTTLED,
			  (struct throttled_event){ ts, step->cpu, INT_NONE, true });
	else if (step->what == HANDED)
		TRACE_ADD(trace, RECORD_TASK_HANDED,
			  (struct task_handed_event){ tid, ts, ts + 10000, false });
	else if (step->what == FORKED)
		TRACE_ADD(trace, RECORD_TASK_FORK,
			  (struct task_fork_event){ ts, tid, tid, 1, 1 });
	else if (step->what == NAMED)
		TRACE_ADD(trace, RECORD_TASK_COMM,
			  (struct task_comm_event){ ts, tid, tid, str_of(step->comm),
						    true });
	else if (step->what == INTERRUPTED)
		TRACE_ADD(trace, RECORD_INTERRUPTED,
			  (struct interrupted_event){ ts, ts - 5, step->cpu, STR("isr"),
						      3, STR("disk") });
}

static void add_step(struct trace *trace, struct machine *machine,
		     const struct step *step)
{
	int64_t after = step->after ? step->after : 100;

	machine->ts_ns += step->after == AT_ONCE ? 0 : after;
	machine->enabled_ns += 100 + step->unlike;
	machine->running_ns += 100;
	if (step->what == OUT)
		add_switch(trace, machine, step);
	else
		add_other(trace, machine, step);
}

static void begin_trace(struct trace *trace, int64_t groups)
{
	static const struct str events[SLOTS] = { STR("sched:sched_switch"),
						  STR("cycles"), STR("instructions") };

	for (int64_t group = 1; group <= groups; group++) {
		TRACE_ADD(trace, RECORD_counter_group,
			  (struct counter_group_row){ group, 0, STR("leader"), SLOTS,
						      STR("cpu"), STR("no") });
		for (int64_t slot = 0; slot < SLOTS; slot++)
			TRACE_ADD(trace, RECORD_counter,
				  (struct counter_row){ .counter_id = 10 * group + slot,
							.group_id = group,
							.slot = slot,
							.name = events[slot],
							.event = events[slot],
							.unit = STR_NONE,
							.source = STR("test") });
	}
}

/* --- runs of the switches that follow one another --- */

#define RECORD_BYTES 40 /* with 8 bytes before both names */

static bool is_alike(const struct switch_event *a, const struct switch_event *b)
{
	return a->stream == b->stream && a->cpu == b->cpu && a->group_id == b->group_id &&
	       (a->enabled_ns == INT_NONE) == (b->enabled_ns == INT_NONE) &&
	       (a->running_ns == INT_NONE) == (b->running_ns == INT_NONE) &&
	       !a->cgroup_id && !b->cgroup_id && !a->is_read && !b->is_read;
}

struct made_run {
	struct run run;
	uint8_t records[RUN_SWITCHES_MAX][RECORD_BYTES];
};

static struct made_run *new_run(const struct switch_event *event)
{
	struct made_run *made = unit_alloc(sizeof(*made));
	struct run *run = &made->run;

	run->common = *event;
	run->common.prev_comm = run->common.next_comm = (struct str){ NULL, 16 };
	run->exit_states = EXITED;
	run->has_enabled = event->enabled_ns != INT_NONE;
	run->has_running = event->running_ns != INT_NONE;
	run->has_lost = run->has_details = run->has_offsets = true;
	run->first = made->records[0];
	run->bytes = RECORD_BYTES;
	run->prev_comm_at = 8;
	run->next_comm_at = 24;
	return made;
}

static void add_to_run(struct made_run *made, const struct switch_event *event,
		       uint64_t offset)
{
	struct run *run = &made->run;
	size_t at = ++run->count;
	uint8_t *record = made->records[at - 1];

	memcpy(record + 8, event->prev_comm.ptr, 16);
	memcpy(record + 24, event->next_comm.ptr, 16);
	run->ts_ns[at] = event->ts_ns;
	run->prev_tid[at] = (int32_t)event->prev_tid;
	run->next_tid[at] = (int32_t)event->next_tid;
	run->prev_state[at] = event->prev_state;
	run->sample[at].pid = (int32_t)event->sample_pid;
	run->sample[at].tid = (int32_t)event->sample_tid;
	run->enabled_ns[at] = event->enabled_ns;
	run->running_ns[at] = event->running_ns;
	run->leader_lost[at] = event->leader_lost;
	run->detail_id[at] = event->detail_id;
	run->offsets[at] = offset;
	memcpy(run->values + at * SLOTS, event->values, SLOTS * sizeof(*event->values));
}

/* The same trace; as runs if they are wanted. */
static struct trace with_runs(const struct trace *from)
{
	const struct switch_event *before = NULL;
	struct trace trace = { NULL, 0, 0 };
	struct made_run *made = NULL;

	for (size_t i = 0; i < from->count; i++) {
		const struct record *record = &from->records[i];
		const struct switch_event *event =
			record->kind == RECORD_SWITCH ? record->data : NULL;

		if (!event || event->cgroup_id || event->is_read) {
			(void)trace_add(&trace, record->kind, record->data, 0);
			trace.records[trace.count - 1] = *record;
			made = NULL;
			continue;
		}
		if (!made || !is_alike(before, event) ||
		    made->run.count == RUN_SWITCHES_MAX ||
		    (made->run.count + 2) * SLOTS > RUN_VALUES_MAX) {
			made = new_run(event);
			(void)trace_add(&trace, RECORD_RUN, event, 0);
			trace.records[trace.count - 1].run = &made->run;
		}
		add_to_run(made, event, record->offset);
		before = event;
	}
	return trace;
}

/* --- rows of both --- */

static size_t in_runs; /* switches that were judged in one loop */

static enum status count_run(struct sink *sink, const struct run_rows *rows)
{
	const struct run *run = rows->run;
	enum status status = ST_OK;

	for (size_t at = rows->from; at < rows->to && status == ST_OK; at++) {
		const struct context_switch_row row = run_rows_get(rows, at);

		status = sink->ops->put(
			sink, &(struct record){ .kind = RECORD_context_switch,
						.data = &row,
						.deltas = run->deltas + at * SLOTS,
						.values = (const int64_t *)run->values +
							  at * SLOTS,
						.slots = SLOTS });
	}
	in_runs += rows->to - rows->from;
	return status;
}

static struct unit_notes rows_of(const struct trace *trace)
{
	static struct sink_ops counting;
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);

	counting = *sink.ops;
	counting.put_run = count_run;
	sink.ops = &counting;
	in_runs = 0;
	assert_int_equal(trace_run(trace, &sink, 1), ST_OK);
	return notes;
}

/* The rows of the trace, which must be the same on both roads. */
static const char *rows_of_both(struct trace *trace)
{
	struct unit_notes records, runs;
	struct trace other;

	trace_end(trace);
	other = with_runs(trace);
	records = rows_of(trace);
	assert_int_equal(in_runs, 0);
	runs = rows_of(&other);
	assert_string_equal(unit_notes_text(&runs), unit_notes_text(&records));
	return unit_notes_of(&records, "context_switch");
}

/* --- one condition each --- */

struct script {
	const char *name;
	int64_t groups; /* more than one */
	size_t in_runs; /* switches judged in one loop, those of KNOWN with them */
	struct step steps[STEPS];
};

/* Threads 1, 2, 3 and idle have left a CPU, all but the first two judged in one loop. */
#define KNOWN 7
static const struct step known[] = {
	SWITCH(1, 2, BASELINE),
	SWITCH(2, 3, CHARGED),
	SWITCH(3, 0, CHARGED),
	SWITCH(0, 1, CHARGED),
	SWITCH(1, 2, CHARGED),
	SWITCH(2, 3, CHARGED),
	SWITCH(3, 1, CHARGED, .state = 1),
};
static const struct step later[] = {
	SWITCH(1, 2, CHARGED),
	SWITCH(2, 1, CHARGED),
	SWITCH(1, 0, CHARGED),
};

#include "run_scripts.def"

static void add_steps(struct trace *trace, struct machine *machine,
		      const struct step *steps, size_t count)
{
	for (size_t i = 0; i < count && steps[i].what != DONE; i++)
		add_step(trace, machine, &steps[i]);
}

/* The status of the next row, after `from`. */
static const char *check_status(const char *from, const struct step *step)
{
	const char *line = strstr(from, " status=");

	ROW_TRUE(step, line);
	ROW_TEXT(step, charge_status_words[atoi(line + 8)].words,
		 charge_status_words[step->status].words);
	return line + 8;
}

/* False: another number of switches were judged in one loop. */
static bool run_script(const struct script *script)
{
	struct machine machine = { .ts_ns = 1000, .values = { { 5, 1000, 1000 } } };
	struct trace trace = { NULL, 0, 0 };
	const char *rows;

	begin_trace(&trace, 1 + script->groups);
	add_steps(&trace, &machine, known, COUNT(known));
	add_steps(&trace, &machine, script->steps, STEPS);
	add_steps(&trace, &machine, later, COUNT(later));
	rows = rows_of_both(&trace);
	for (size_t i = 0; i < COUNT(known); i++)
		rows = check_status(rows, &known[i]);
	for (size_t i = 0; i < STEPS && script->steps[i].what != DONE; i++)
		if (script->steps[i].what == OUT && !script->steps[i].is_read)
			rows = check_status(rows, &script->steps[i]);
	if (in_runs == script->in_runs)
		return true;
	print_error("%s: %zu in runs, expected %zu\n", script->name, in_runs,
		    script->in_runs);
	return false;
}

UNIT_TEST(scripts)
{
	bool all = true;

	for (size_t i = 0; i < COUNT(scripts); i++)
		all &= run_script(&scripts[i]);
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

/* One thing in 16 steps; the table above has what each is. */
static void disturb(struct step *step, uint64_t what)
{
	static const struct step things[] = {
		{ .own = -1 },
		{ .own = 77 },
		{ .pid = 5 },
		{ .state = 0x10 },
		{ .state = 0x20 },
		{ .fall = 500 },
		{ .leader = 1 },
		{ .leader = -1 },
		{ .lost = 2 },
		{ .unlike = 30 },
		{ .after = -500 },
		{ .after = AT_ONCE },
		{ .is_equal = true },
		{ .lacks_times = true },
		{ .lacks_running = true },
		{ .prev = 4 },
		{ .next = 6 },
		{ .comm = "other" },
		{ .next_comm = "other" },
		{ .is_read = true },
	};
	static const struct step events[] = {
		{ .what = COMES },  { .what = COMES_UNTIMED },
		{ .what = LOSS },   { .what = LOSS, .cpu = INT_NONE },
		{ .what = HANDED }, { .what = THROTTLE },
		{ .what = FORKED }, { .what = NAMED, .comm = "named" },
	};
	const struct step wanted = *step;

	if (what >= COUNT(things) + COUNT(events))
		return;
	*step = what < COUNT(things) ? things[what] : events[what - COUNT(things)];
	if (what < COUNT(things))
		step->what = OUT;
	step->prev = step->prev ? step->prev : wanted.prev;
	step->next = step->next ? step->next : wanted.next;
	step->cpu = step->cpu ? step->cpu : wanted.cpu;
	step->stream = wanted.stream;
}

/* Bursts of two CPUs, on one of which there are two instances of the group. */
static void add_wild(struct trace *trace, struct machine *machine, uint64_t seed,
		     size_t steps)
{
	static const int64_t cpu_of[] = { 0, 1, 1 };
	int64_t on_cpu[2] = { 1, 2 };
	uint64_t random = seed * 7919;
	size_t stream = 0;

	for (size_t i = 0; i < steps; i++) {
		struct step step = { .what = OUT };
		int64_t *here;

		if (next_random(&random) % 12 == 0)
			stream = next_random(&random) % COUNT(cpu_of);
		here = &on_cpu[cpu_of[stream]];
		step.cpu = cpu_of[stream];
		step.stream = (int64_t)stream;
		step.prev = *here;
		step.next = (int64_t)(next_random(&random) % 4) + 4 * step.cpu;
		step.next = step.next == 4 ? 0 : step.next;
		if (next_random(&random) % 16 == 0)
			disturb(&step, next_random(&random) % 28);
		add_step(trace, machine, &step);
		if (step.what == OUT)
			*here = step.next;
	}
}

UNIT_TEST(wild)
{
	size_t judged = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct machine machine = { .ts_ns = 1000, .values = { { 5, 10, 90 } } };
		struct trace trace = { NULL, 0, 0 };

		begin_trace(&trace, 1);
		add_wild(&trace, &machine, seed, 1000);
		(void)rows_of_both(&trace);
		judged += in_runs;
	}
	assert_in_range(judged, 5000, 15000); /* of 20 000 */
}

/* --- traces and books that want each switch --- */

static bool on_interval(void *context, const struct record *record, bool in_interrupt)
{
	(void)context, (void)record, (void)in_interrupt;
	return true;
}

UNIT_TEST(wanted)
{
	static const bool cpus[1];
	static const struct {
		int line;
		bool no_runs, gives_rows, is_live, has_cpus, has_hook, is_wanted;
		int64_t from_ns, to_ns;
	} rows[] = {
		{ ROW, .is_wanted = true },  { ROW, .no_runs = true },
		{ ROW, .gives_rows = true }, { ROW, .is_live = true },
		{ ROW, .has_cpus = true },   { ROW, .has_hook = true },
		{ ROW, .from_ns = 1 },	     { ROW, .to_ns = -1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct pipeline_hooks hooks = { .interval = rows[i].has_hook
									  ? on_interval
									  : NULL };
		struct unit_play play = { .count = 0 };
		struct reader reader = unit_replay(&play);
		struct reader_ops ops = *reader.ops;
		struct pipeline pipeline;

		ops.gives_rows = rows[i].gives_rows;
		reader.ops = &ops;
		reader.options.no_runs = rows[i].no_runs;
		pipeline_init(&pipeline, NULL, 0);
		pipeline.is_live = rows[i].is_live;
		if (rows[i].has_cpus)
			pipeline.cpus = cpus;
		if (rows[i].from_ns)
			pipeline.from_ns = rows[i].from_ns;
		if (rows[i].to_ns)
			pipeline.to_ns = rows[i].to_ns;
		assert_int_equal(pipeline_run(&pipeline, &reader, &hooks), ST_OK);
		ROW_INT(&rows[i], reader.wants_runs, rows[i].is_wanted);
		pipeline_release(&pipeline);
	}
}
