/* run_steps.c - see run_steps.h. */
#include "run_steps.h"

#include <stdlib.h>
#include <string.h>

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

void run_steps_add(struct trace *trace, struct machine *machine, const struct step *step)
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

void run_steps_add_all(struct trace *trace, struct machine *machine,
		       const struct step *steps, size_t count)
{
	for (size_t i = 0; i < count && steps[i].what != DONE; i++)
		run_steps_add(trace, machine, &steps[i]);
}

void run_steps_begin(struct trace *trace, int64_t groups)
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
struct trace run_steps_in_runs(const struct trace *from)
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

void run_steps_add_wild(struct trace *trace, struct machine *machine, uint64_t seed,
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
		run_steps_add(trace, machine, &step);
		if (step.what == OUT)
			*here = step.next;
	}
}
