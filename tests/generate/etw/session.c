/* What a recording session writes at its start and end, and beside the switches. */
#include "etw/machine.h"

enum {
	STEP_US = 2,
	IMAGES = 3,
	BATCH_THREADS = 16,
	RUN_LONGEST = 5000,
	RUNS_MAX = 8,
	INTERVAL_SET = 0x48,
	INTERVAL_START = 0x49,
	INTERVAL_END = 0x4a,
};

static void put_interval(struct machine *machine, const struct etw_stamp *stamp,
			 uint8_t type, unsigned version)
{
	struct etw_interval_facts facts = {
		.type = type,
		.version = version,
		.source = version == 3 ? 6 : 0,
		.now = version == 3 ? 65536 : 10000,
		.before = version == 3 ? 65536 : 10000,
		.name = version == 3 ? "BranchInstructions" : "Timer",
	};

	etl_put_interval(machine->etl, stamp, &facts);
	xperf_put_interval(machine->xperf, stamp, &facts);
}

static uint64_t put_intervals(struct machine *machine, uint64_t us, uint8_t type)
{
	struct etw_stamp stamp = machine_stamp(machine, 0, us);

	if (!(machine->plan->dress & DRESS_SAMPLES))
		return us;
	put_interval(machine, &stamp, type, 2);
	stamp.us += STEP_US;
	put_interval(machine, &stamp, type, 3);
	return stamp.us + STEP_US;
}

static uint64_t put_images(struct machine *machine, uint64_t us, enum verb verb)
{
	struct etw_stamp stamp = machine_stamp(machine, 0, us);

	for (unsigned i = 0; i < IMAGES && machine->plan->dress & DRESS_IMAGES; i++) {
		struct etw_image_facts facts = {
			.pid = 4,
			.version = 1 + i,
			.base = 0xfffff80212000000u + i * 0x400000u,
			.path = "\\SystemRoot\\system32\\ntoskrnl.exe",
		};

		etl_put_image(machine->etl, &stamp, verb, &facts);
		stamp.us += STEP_US;
	}
	return stamp.us;
}

static uint64_t put_config(struct machine *machine, uint64_t us, bool other)
{
	struct etw_stamp stamp = machine_stamp(machine, 0, us);

	if (!machine->plan->counter_count || machine->plan->dress & DRESS_NO_CONFIG)
		return us;
	etl_put_counters(machine->etl, &stamp, other);
	return us + STEP_US;
}

uint64_t session_begin(struct machine *machine, uint64_t us)
{
	struct etw_stamp stamp = machine_stamp(machine, 0, us + STEP_US);

	if (machine->plan->dress & DRESS_CPU_CONFIG)
		etl_put_cpu_config(machine->etl, &stamp);
	us = put_config(machine, stamp.us + STEP_US, false);
	if (!(machine->plan->dress & DRESS_NOTED_LATE))
		us = put_intervals(machine, us, INTERVAL_START);
	us = put_images(machine, us, VERB_DC_START);
	if (machine->plan->tasks & TASKS_RUNDOWN_END)
		return us;
	return tasks_rundown(machine, us, VERB_DC_START);
}

static uint64_t put_bad_news(struct machine *machine, uint64_t us)
{
	struct etw_stamp stamp = machine_stamp(machine, 0, us);

	for (unsigned cpu = 0; cpu < machine->plan->cpu_count; cpu++) {
		if (!machine->last_good_us[cpu])
			continue;
		etl_put_corruption(machine->etl, &stamp, cpu, machine->last_good_us[cpu]);
		stamp.us += STEP_US;
	}
	if (machine->plan->faults & FAULT_DROPPED) {
		etl_put_dropped(machine->etl, &stamp, machine->dropped_us);
		stamp.us += STEP_US;
	}
	return stamp.us;
}

uint64_t session_end(struct machine *machine, uint64_t us)
{
	const struct etw_plan *plan = machine->plan;

	xperf_advance(machine->xperf, us);
	/* A recorder that was killed says nothing more. */
	if (plan->faults & FAULT_TRUNCATED)
		return us;
	us = put_bad_news(machine, us);
	if (plan->dress & (DRESS_TWO_CONFIGS | DRESS_SAME_CONFIGS))
		us = put_config(machine, us, plan->dress & DRESS_TWO_CONFIGS);
	us = put_intervals(machine, us, INTERVAL_END);
	us = put_images(machine, us, VERB_DC_END);
	return tasks_rundown(machine, us, VERB_DC_END);
}

static void put_batch(struct machine *machine, const struct etw_stamp *stamp)
{
	uint32_t tids[BATCH_THREADS];

	for (unsigned i = 0; i < BATCH_THREADS; i++)
		tids[i] = machine->tasks[i % machine->task_count].tid;
	etl_put_batch(machine->etl, stamp, tids);
}

/* The event has room for one time of a CPU: it is reported before the next is lost
 * there.
 */
static void put_drops(struct machine *machine, const struct etw_stamp *stamp)
{
	bool untold = false;

	for (unsigned cpu = 0; cpu < CPU_MAX; cpu++) {
		untold |= machine->drop_untold[cpu];
		machine->drop_untold[cpu] = false;
	}
	if (untold)
		etl_put_dropped(machine->etl, stamp, machine->dropped_us);
}

static void put_run(struct machine *machine, const struct etw_stamp *stamp)
{
	unsigned count = RUN_LONGEST;

	if (machine->runs++ == RUNS_MAX)
		machine->runs = RUNS_MAX;
	if (machine->runs == RUNS_MAX)
		return;
	/* 24 bytes each: the first run is longer than 16 bits can say. */
	for (unsigned i = 1; i < machine->runs; i++)
		count /= 4;
	etl_put_run(machine->etl, stamp, count + 1);
}

static void put_sample(struct machine *machine, const struct etw_stamp *stamp)
{
	bool counter = rng_chance(&machine->rng, 2);

	etl_put_sample(machine->etl, stamp, counter);
	if (!counter)
		xperf_put_sample(machine->xperf, stamp,
				 machine->cpus[stamp->cpu].current->account);
}

static void put_ready(struct machine *machine, const struct etw_stamp *stamp)
{
	const struct task *task = &machine->tasks[stamp->us % machine->task_count];

	if (!task->used)
		return;
	etl_put_ready(machine->etl, stamp, task->tid);
	xperf_put_ready(machine->xperf, stamp, machine->cpus[stamp->cpu].current->account,
			task->account);
}

void session_act(struct machine *machine, unsigned cpu, uint64_t us)
{
	struct etw_stamp stamp = machine_stamp(machine, cpu, us);
	unsigned dress = machine->plan->dress;

	if (dress & DRESS_SAMPLES)
		put_sample(machine, &stamp);
	stamp.us += STEP_US;
	if (dress & DRESS_READY)
		put_ready(machine, &stamp);
	stamp.us += STEP_US;
	if (dress & DRESS_BATCHED)
		put_batch(machine, &stamp);
	stamp.us += STEP_US;
	if (machine->plan->faults & FAULT_DROPPED)
		put_drops(machine, &stamp);
	stamp.us += STEP_US;
	if (dress & DRESS_HUGE)
		put_run(machine, &stamp);
	if (dress & DRESS_COUNTED)
		etl_put_counted(machine->etl, &stamp);
	stamp.us += STEP_US;
	if (dress & DRESS_SAMPLES && !(dress & DRESS_NOTED_LATE) &&
	    rng_chance(&machine->rng, 8))
		put_interval(machine, &stamp, INTERVAL_SET, 3);
	stamp.us += STEP_US;
	xperf_put_strange(machine->xperf, &stamp);
}
