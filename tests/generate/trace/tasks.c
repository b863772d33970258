/* Simulated tasks: their start, names and exit, and the records about them. */
#include <string.h>

#include "trace/machine.h"

enum {
	INITIAL_PROCESSES = 12,
	INITIAL_THREADS = 8,
	TASKS_WANTED = 24,
	FIRST_PID = 301,
	FIRST_FORKED_PID = 4001,
};

static const char *const usual_names[] = {
	"nginx", "postgres",	 "redis-server", "cc1",	 "make",
	"bash",	 "kworker/u8:1", "rcu_preempt",	 "java", "python3",
	"node",	 "systemd",	 "sshd",	 "cron", "fifteen_bytes__",
	"x",
};

static const char *const odd_names[] = {
	"a,b",	    "say \"hi\"", "two words", "na\xc3\xafve-\xe6\x97\xa5\xe6\x9c\xac",
	"\"",	    ",",	  "=1+1",      "it's",
	"tab;semi", "\xce\xbb",	  "100%",      "back\\slash",
};

static const char *const thread_names[] = {
	"worker-%u",
	"GC Thread#%u",
	"io:%u",
	"pool-%u",
};

static void set_comm(struct task *task, const char *comm)
{
	size_t length = strlen(comm);

	if (length >= COMM_BYTES)
		die("comm \"%s\" is longer than %d bytes", comm, COMM_BYTES - 1);
	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, comm, length);
}

static const char *random_name(struct machine *machine)
{
	if (scenario_has(machine->scenario, TRAIT_ODD_NAMES) &&
	    !rng_chance(&machine->rng, 4))
		return odd_names[rng_range(&machine->rng, 0, COUNT(odd_names) - 1)];
	return usual_names[rng_range(&machine->rng, 0, COUNT(usual_names) - 1)];
}

/* Another name than it has; threads and processes are named from different lists. */
static void rename_task(struct machine *machine, struct task *task)
{
	char before[COMM_BYTES];

	memcpy(before, task->comm, sizeof(before));
	do {
		char name[COMM_BYTES];
		size_t kind = rng_range(&machine->rng, 0, 3);

		if (task->main == task)
			snprintf(name, sizeof(name), "%s", random_name(machine));
		else
			snprintf(name, sizeof(name), thread_names[kind],
				 (unsigned)rng_range(&machine->rng, 0, 30));
		set_comm(task, name);
	} while (!strcmp(before, task->comm));
	ledger_rename(machine->ledger, task->account, task->comm);
}

static struct task *new_slot(struct machine *machine)
{
	for (unsigned i = 0; i < TASK_MAX; i++) {
		struct task *task = &machine->tasks[i];

		if (task->used)
			continue;
		*task = (struct task){ .used = true };
		machine->task_count++;
		return task;
	}
	die("more than %d tasks", TASK_MAX);
}

/* Old numbers are given out in the order they were freed, not at once. */
static uint32_t new_tid(struct machine *machine, uint64_t now_ns)
{
	if (scenario_has(machine->scenario, TRAIT_REUSE) && machine->freed_count &&
	    machine->freed[0].freed_ns + 5000 < now_ns && !rng_chance(&machine->rng, 3)) {
		uint32_t tid = machine->freed[0].tid;

		machine->freed_count--;
		memmove(machine->freed, machine->freed + 1,
			machine->freed_count * sizeof(machine->freed[0]));
		return tid;
	}
	machine->next_tid += (uint32_t)rng_range(&machine->rng, 1, 3);
	return machine->next_tid;
}

/* The numbers the recorder sees; a task outside its namespace has none but 0. */
static void number_task(struct machine *machine, struct task *task, struct task *main,
			uint32_t tid)
{
	task->tid = tid;
	task->main = main ? main : task;
	task->pid = main ? main->pid : tid;
	if (!scenario_has(machine->scenario, TRAIT_NAMESPACE)) {
		task->shown.pid = task->pid;
		task->shown.tid = task->tid;
	} else if (!task->outside) {
		task->shown.pid = machine->next_inside_tid;
		task->shown.tid = machine->next_inside_tid++;
	}
}

static void birth(struct machine *machine, struct task *task)
{
	size_t main = task->main == task ? SIZE_MAX : task->main->account;

	if (task->main != task)
		task->main->thread_count++;
	/* Without a tracepoint its numbers are those of the recorder. */
	if (machine->scenario->software_leader)
		task->account = ledger_birth(machine->ledger, task->shown.pid,
					     task->shown.tid, main, task->comm);
	else
		task->account = ledger_birth(machine->ledger, task->pid, task->tid, main,
					     task->comm);
}

static void create_initial(struct machine *machine, unsigned index, struct task *main)
{
	struct task *task = new_slot(machine);
	bool collide = scenario_has(machine->scenario, TRAIT_COLLIDE);
	bool outside = collide ? index % 2 == 0 : index % 3 == 0;
	uint32_t tid = machine->next_tid;

	machine->next_tid += (uint32_t)rng_range(&machine->rng, 1, 40);
	/* The same small numbers that tasks inside the namespace go by, there. */
	if (collide && outside)
		tid = 1 + index;
	task->outside = scenario_has(machine->scenario, TRAIT_NAMESPACE) && outside;
	set_comm(task, random_name(machine));
	number_task(machine, task, main, tid);
	task->shown.parent_pid = main ? main->shown.pid : 0;
	task->shown.parent_tid = main ? main->shown.tid : 0;
	birth(machine, task);
	if (main)
		rename_task(machine, task);
	if (!task->outside)
		trace_put_existing(machine->trace, &task->shown, task->comm);
	else
		task->silent = true;
}

void tasks_init(struct machine *machine)
{
	machine->next_tid = FIRST_PID;
	machine->next_inside_tid = 1;
	for (unsigned i = 0; i < INITIAL_PROCESSES; i++)
		create_initial(machine, i, NULL);
	if (scenario_has(machine->scenario, TRAIT_THREADS))
		for (unsigned i = 0; i < INITIAL_THREADS; i++)
			create_initial(machine, i, &machine->tasks[i % 3]);
	machine->next_tid = FIRST_FORKED_PID;
}

/* Without a time in COMM records, a second one would have no certain order. */
static bool may_rename(const struct machine *machine, const struct task *task)
{
	return !scenario_has(machine->scenario, TRAIT_NO_TRAILERS) ||
	       task->comm_records == 0;
}

enum action tasks_choose_action(struct machine *machine, const struct task *task)
{
	const struct scenario *scenario = machine->scenario;
	struct rng *rng = &machine->rng;
	bool alone = task->thread_count == 0;
	/* Short incarnations: more numbers come back within a small trace. */
	uint64_t patience = scenario_has(scenario, TRAIT_REUSE) ? 4 : 10;

	if (task->tid == 0 || task->exiting)
		return ACTION_NONE;
	if (task->nameless)
		return ACTION_COMM;
	if (scenario_has(scenario, TRAIT_EXEC) && task->main == task && alone &&
	    may_rename(machine, task) && rng_chance(rng, 20))
		return ACTION_EXEC;
	if (!scenario_has(scenario, TRAIT_FORK))
		return ACTION_NONE;
	if (machine->task_count < TASKS_WANTED && rng_chance(rng, patience))
		return ACTION_FORK;
	if (machine->task_count > TASKS_WANTED / 2 && alone && rng_chance(rng, patience))
		return ACTION_EXIT;
	return ACTION_NONE;
}

static void fork_task(struct machine *machine, unsigned cpu, struct task *parent,
		      uint64_t now_ns)
{
	const struct scenario *scenario = machine->scenario;
	struct stamp stamp = machine_stamp(machine, cpu, parent, now_ns);
	struct task *child = new_slot(machine);
	/* A process's name must be known from its main thread's own records. */
	bool thread = scenario_has(scenario, TRAIT_THREADS) && !parent->main->silent &&
		      !rng_chance(&machine->rng, 3);

	child->outside = parent->outside;
	set_comm(child, parent->comm);
	number_task(machine, child, thread ? parent->main : NULL,
		    new_tid(machine, now_ns));
	child->shown.parent_pid = parent->shown.pid;
	child->shown.parent_tid = parent->shown.tid;
	child->cgroup = parent->cgroup;
	child->silent = true;
	child->nameless = scenario->software_leader || !rng_chance(&machine->rng, 4);
	child->ready_ns = now_ns + rng_range(&machine->rng, 1000, 100000);
	/* A COMM without a time must come after the FORK in the file. */
	if (scenario_has(scenario, TRAIT_NO_TRAILERS))
		child->held_rounds = 2;
	birth(machine, child);
	trace_put_fork(machine->trace, &stamp, &child->shown);
}

static void name_task(struct machine *machine, unsigned cpu, struct task *task, bool exec,
		      uint64_t now_ns)
{
	struct stamp stamp = machine_stamp(machine, cpu, task, now_ns);

	rename_task(machine, task);
	task->nameless = false;
	trace_put_comm(machine->trace, &stamp, task->comm, exec);
	if (task->outside) /* it names none */
		return;
	task->silent = false;
	task->comm_records++;
	if (exec && scenario_has(machine->scenario, TRAIT_TOOL_RECORDS))
		trace_put_mmap2(machine->trace, &stamp, "/usr/bin/generated");
}

static void exit_task(struct machine *machine, unsigned cpu, struct task *task,
		      uint64_t now_ns)
{
	struct stamp stamp = machine_stamp(machine, cpu, task, now_ns);

	task->exiting = true;
	trace_put_exit(machine->trace, &stamp, &task->shown);
}

static void throttle(struct machine *machine, unsigned cpu, const struct task *task,
		     uint64_t now_ns)
{
	struct stamp stamp = machine_stamp(machine, cpu, task, now_ns);

	trace_put_throttle(machine->trace, &stamp, true);
	stamp.time_ns += rng_range(&machine->rng, 50, 500);
	trace_put_throttle(machine->trace, &stamp, false);
	ledger_disturb(machine->ledger, cpu);
}

void tasks_act(struct machine *machine, unsigned cpu, enum action action, uint64_t now_ns)
{
	struct task *task = machine->cpus[cpu].current;

	switch (action) {
	case ACTION_NONE:
		break;
	case ACTION_COMM:
		name_task(machine, cpu, task, task->main == task, now_ns);
		break;
	case ACTION_EXEC:
		name_task(machine, cpu, task, true, now_ns);
		break;
	case ACTION_FORK:
		fork_task(machine, cpu, task, now_ns);
		break;
	case ACTION_EXIT:
		exit_task(machine, cpu, task, now_ns);
		break;
	case ACTION_THROTTLE:
		throttle(machine, cpu, task, now_ns);
		break;
	}
}

struct task *tasks_pick(struct machine *machine, uint64_t now_ns)
{
	unsigned start = (unsigned)rng_range(&machine->rng, 0, TASK_MAX - 1);

	for (unsigned i = 0; i < TASK_MAX; i++) {
		struct task *task = &machine->tasks[(start + i) % TASK_MAX];

		if (task->used && !task->on_cpu && !task->held_rounds &&
		    task->ready_ns <= now_ns)
			return task;
	}
	return NULL;
}

void tasks_bury(struct machine *machine, struct task *task, uint64_t now_ns)
{
	if (task->main != task)
		task->main->thread_count--;
	if (machine->freed_count < FREED_MAX)
		machine->freed[machine->freed_count++] =
			(struct freed_tid){ task->tid, now_ns };
	task->used = false;
	machine->task_count--;
}

void tasks_end_round(struct machine *machine, uint64_t now_ns)
{
	for (unsigned i = 0; i < TASK_MAX; i++) {
		struct task *task = &machine->tasks[i];

		if (task->used && task->held_rounds && --task->held_rounds == 0)
			task->ready_ns = now_ns + 1000;
	}
}
