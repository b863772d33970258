/* Simulated processes and threads, and the events about them. */
#include <stdlib.h>
#include <string.h>

#include "etw/machine.h"

enum {
	FIRST_ID = 8,
	SYSTEM_PID = 4,
	REUSE_AFTER_US = 20,
	THREADS_MAX = 5,
	EVENT_STEP_US = 2,
};

static void write_group(struct machine *machine, const struct etw_stamp *stamp,
			enum verb verb, const struct group *group)
{
	struct etw_process_facts facts = facts_of_group(machine, group);

	etl_put_process(machine->etl, stamp, verb, &facts);
	xperf_put_process(machine->xperf, stamp, verb, &facts);
}

static void write_task(struct machine *machine, const struct etw_stamp *stamp,
		       enum verb verb, const struct task *task)
{
	struct etw_thread_facts facts = facts_of_task(machine, task);

	if (task->silent)
		return;
	etl_put_thread(machine->etl, stamp, verb, &facts);
	xperf_put_thread(machine->xperf, stamp, verb, &facts);
}

static uint32_t allocate_id(struct machine *machine, uint64_t us)
{
	uint32_t id;

	machine->id_reused = machine->plan->tasks & TASKS_REUSE && machine->freed_count &&
			     us >= machine->freed[0].freed_us + REUSE_AFTER_US &&
			     !rng_chance(&machine->rng, 4);
	if (machine->id_reused) {
		id = machine->freed[0].id;
		memmove(machine->freed, machine->freed + 1,
			--machine->freed_count * sizeof(machine->freed[0]));
		return id;
	}
	id = machine->next_id;
	machine->next_id += 4 * (uint32_t)rng_range(&machine->rng, 1, 12);
	return id;
}

static void free_id(struct machine *machine, uint32_t id, uint64_t us)
{
	if (machine->freed_count < FREED_MAX)
		machine->freed[machine->freed_count++] = (struct freed_id){ id, us };
}

static struct group *add_group(struct machine *machine, uint32_t pid, const char *image)
{
	for (unsigned i = 0; i < GROUP_MAX; i++) {
		struct group *group = &machine->groups[i];

		if (group->used)
			continue;
		*group = (struct group){
			.used = true,
			.pid = pid,
			.parent_pid = pid == SYSTEM_PID ? 0 : SYSTEM_PID,
			.process = etw_ledger_process(machine->ledger, pid, image),
			.version = facts_process_version(machine),
			.authorities = facts_user(machine),
			.command = machine->births,
		};
		machine->births++;
		return group;
	}
	die("%s: too many processes", machine->plan->name);
}

static struct task *add_task(struct machine *machine, struct group *group, uint32_t tid,
			     uint64_t us)
{
	unsigned slot = 0;
	struct task *task;

	while (slot < machine->task_count && machine->tasks[slot].used)
		slot++;
	if (slot == TASK_MAX)
		die("%s: too many threads", machine->plan->name);
	if (slot == machine->task_count)
		machine->task_count++;
	task = &machine->tasks[slot];
	*task = (struct task){
		.used = true,
		.silent = machine->plan->tasks & TASKS_UNKNOWN &&
			  group->pid != SYSTEM_PID && !machine->id_reused &&
			  rng_chance(&machine->rng, 5),
		.tid = tid,
		.group = (unsigned)(group - machine->groups),
		.account = etw_ledger_thread(machine->ledger, tid, group->process),
		.ready_us = us,
	};
	facts_choose_version(machine, task);
	machine->ledger->accounts[task->account].silent = task->silent;
	/* What an event cannot tell is told by SetName, later. */
	if (task->version >= 4 || (task->version == 3 && task->name_field))
		etw_ledger_rename(machine->ledger, task->account,
				  facts_thread_name(machine, group));
	machine->births++;
	group->living++;
	group->present++;
	return task;
}

void tasks_init(struct machine *machine)
{
	unsigned goal = machine->plan->cpu_count * 2 + 8;

	machine->task_goal = goal;
	machine->next_id = FIRST_ID;
	etw_ledger_process(machine->ledger, 0, "Idle");
	for (unsigned threads = 0; threads < goal; machine->group_goal++) {
		bool first = machine->group_goal == 0;
		uint32_t pid = first ? SYSTEM_PID : allocate_id(machine, 0);
		struct group *group =
			add_group(machine, pid, first ? "System" : facts_image(machine));
		uint64_t count = rng_range(&machine->rng, 1, THREADS_MAX);

		for (uint64_t i = 0; i < count; i++, threads++)
			add_task(machine, group, allocate_id(machine, 0), 0);
	}
}

struct task *tasks_pick(struct machine *machine, uint64_t us)
{
	size_t start = (size_t)rng_range(&machine->rng, 0, machine->task_count - 1);

	for (unsigned i = 0; i < machine->task_count; i++) {
		struct task *task = &machine->tasks[(start + i) % machine->task_count];

		if (task->used && !task->on_cpu && task->ready_us <= us)
			return task;
	}
	return NULL;
}

void tasks_bury(struct machine *machine, struct task *task, uint64_t us)
{
	struct group *group = &machine->groups[task->group];

	task->used = false;
	/* What nobody told of is not given out again: whose it is would be a guess. */
	if (!task->silent)
		free_id(machine, task->tid, us);
	if (--group->present)
		return;
	group->used = false;
	free_id(machine, group->pid, us);
}

static void start_thread(struct machine *machine, unsigned cpu, uint64_t us,
			 struct group *group)
{
	struct etw_stamp stamp = machine_stamp(machine, cpu, us);
	struct task *task =
		add_task(machine, group, allocate_id(machine, us), us + EVENT_STEP_US);

	write_task(machine, &stamp, VERB_START, task);
}

static void start_process(struct machine *machine, unsigned cpu, uint64_t us)
{
	struct etw_stamp stamp = machine_stamp(machine, cpu, us);
	struct group *group =
		add_group(machine, allocate_id(machine, us), facts_image(machine));
	struct etw_image_facts image = {
		.pid = group->pid,
		.version = 1 + machine->births % 3,
		.base = 0x7ff600000000u + group->pid * 0x100000u,
		.path = "\\Device\\HarddiskVolume3\\tool\\tool.exe",
	};

	write_group(machine, &stamp, VERB_START, group);
	start_thread(machine, cpu, us + EVENT_STEP_US, group);
	if (!(machine->plan->dress & DRESS_IMAGES))
		return;
	stamp.us += 2 * EVENT_STEP_US;
	etl_put_image(machine->etl, &stamp, VERB_START, &image);
}

static void end_thread(struct machine *machine, unsigned cpu, uint64_t us)
{
	struct etw_stamp stamp = machine_stamp(machine, cpu, us);
	struct task *task = machine->cpus[cpu].current;
	struct group *group = &machine->groups[task->group];
	struct etw_image_facts image = {
		.pid = group->pid,
		.version = 2 + machine->births % 2,
		.base = 0x7ff600000000u + group->pid * 0x100000u,
		.path = "\\Device\\HarddiskVolume3\\tool\\tool.exe",
	};

	write_task(machine, &stamp, VERB_END, task);
	task->ended = true;
	if (machine->plan->tasks & TASKS_LINGER)
		task->runs_left = (unsigned)rng_range(&machine->rng, 0, 2);
	if (--group->living)
		return;
	group->ended = true;
	if (machine->plan->dress & DRESS_IMAGES) {
		stamp.us += EVENT_STEP_US;
		etl_put_image(machine->etl, &stamp, VERB_END, &image);
	}
	stamp.us += EVENT_STEP_US;
	write_group(machine, &stamp, VERB_END, group);
}

/* A name that the text tells too, for each thread has an End or DCEnd line. */
static void rename_thread(struct machine *machine, unsigned cpu, uint64_t us)
{
	struct etw_stamp stamp = machine_stamp(machine, cpu, us);
	struct task *task = machine->cpus[cpu].current;
	struct etw_thread_facts facts;
	const char *name;

	machine->births++;
	name = facts_thread_name(machine, &machine->groups[task->group]);
	if (task->silent || !*name)
		return;
	etw_ledger_rename(machine->ledger, task->account, name);
	facts = facts_of_task(machine, task);
	etl_put_thread_name(machine->etl, &stamp, &facts);
}

/* Where there are fewer than at first, more will come. */
static bool wants_more(struct machine *machine)
{
	unsigned count = 0;

	for (unsigned i = 0; i < machine->task_count; i++)
		count += machine->tasks[i].used && !machine->tasks[i].ended;
	return rng_chance(&machine->rng, 4) != (count < machine->task_goal);
}

static unsigned count_groups(const struct machine *machine)
{
	unsigned count = 0;

	for (unsigned i = 0; i < GROUP_MAX; i++)
		count += machine->groups[i].used && !machine->groups[i].ended;
	return count;
}

void tasks_act(struct machine *machine, unsigned cpu, uint64_t us)
{
	struct task *task = machine->cpus[cpu].current;
	struct group *group = &machine->groups[task->group];

	if (!task->tid || task->ended)
		return;
	if (rng_chance(&machine->rng, 5))
		rename_thread(machine, cpu, us);
	else if (!wants_more(machine) && group->pid != SYSTEM_PID)
		end_thread(machine, cpu, us);
	else if (count_groups(machine) < machine->group_goal ||
		 group->present >= THREADS_MAX)
		start_process(machine, cpu, us);
	else
		start_thread(machine, cpu, us, group);
}

/* A process that only waits for somebody to forget it. */
static void write_defunct(struct machine *machine, const struct etw_stamp *stamp)
{
	struct group group = {
		.pid = machine->next_id,
		.parent_pid = SYSTEM_PID,
		.process = etw_ledger_process(machine->ledger, machine->next_id,
					      "zombie.exe"),
		.version = 5,
		.authorities = 5,
		.ended = true,
	};

	machine->next_id += 4;
	write_group(machine, stamp, VERB_DEFUNCT, &group);
}

static uint64_t write_idle(struct machine *machine, struct etw_stamp stamp,
			   enum verb verb)
{
	struct group group = { .version = 4, .authorities = -1, .command = 0 };
	struct etw_process_facts process = facts_of_group(machine, &group);
	struct etw_thread_facts thread = { .version = 3, .name = "", .image = "Idle" };

	process.command = "";
	etl_put_process(machine->etl, &stamp, verb, &process);
	xperf_put_process(machine->xperf, &stamp, verb, &process);
	for (unsigned i = 0; i < machine->plan->cpu_count; i++) {
		stamp.us += EVENT_STEP_US;
		etl_put_thread(machine->etl, &stamp, verb, &thread);
		xperf_put_thread(machine->xperf, &stamp, verb, &thread);
	}
	return stamp.us + EVENT_STEP_US;
}

uint64_t tasks_rundown(struct machine *machine, uint64_t us, enum verb verb)
{
	struct etw_stamp stamp = machine_stamp(machine, 0, us);

	stamp.us = write_idle(machine, stamp, verb);
	for (unsigned i = 0; i < GROUP_MAX; i++) {
		const struct group *group = &machine->groups[i];

		if (!group->used || group->ended)
			continue;
		write_group(machine, &stamp, verb, group);
		stamp.us += EVENT_STEP_US;
	}
	for (unsigned i = 0; i < machine->task_count; i++) {
		const struct task *task = &machine->tasks[i];

		if (!task->used || task->ended)
			continue;
		write_task(machine, &stamp, verb, task);
		stamp.us += EVENT_STEP_US;
	}
	if (machine->plan->tasks & TASKS_VERSIONS)
		write_defunct(machine, &stamp);
	return stamp.us + EVENT_STEP_US;
}
