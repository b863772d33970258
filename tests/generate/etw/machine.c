/* The simulated machine: time, context switches, counters and what goes wrong there. */
#include "etw/machine.h"

enum {
	SLICE_BITS_MIN = 6, /* 64 us */
	SLICE_BITS_MAX = 12,
	ACTION_FIRST_US = 4,
	ACTION_LAST_US = 32, /* before the end of the slice: an action needs time */
	START_US = 800,
	RESTART_US = 50000,
	STATE_READY = 1,
	STATE_RUNNING = 2,
	STATE_TERMINATED = 4,
	STATE_WAITING = 5,
	REASON_WAIT_LAST = 15,
	REASON_TERMINATED = 22,
	REASON_QUANTUM_END = 30,
};

struct etw_stamp machine_stamp(const struct machine *machine, unsigned cpu, uint64_t us)
{
	const struct task *task = machine->cpus[cpu].current;
	bool idle = task->tid == 0;

	return (struct etw_stamp){
		.us = us,
		.cpu = cpu,
		.pid = idle ? 0 : machine->groups[task->group].pid,
		.tid = task->tid,
	};
}

static void begin_slice(struct machine *machine, struct cpu *cpu, uint64_t us)
{
	uint64_t length_us = rng_log(&machine->rng, SLICE_BITS_MIN, SLICE_BITS_MAX);
	bool busy = machine->plan->tasks & (TASKS_REUSE | TASKS_LINGER | TASKS_VERSIONS);

	cpu->slice_end_us = us + length_us;
	cpu->acting = !(machine->plan->dress & DRESS_SINGLE_STREAM) &&
		      rng_chance(&machine->rng, busy ? 2 : 5);
	cpu->event_us = cpu->slice_end_us;
	if (cpu->acting)
		cpu->event_us = us + rng_range(&machine->rng, ACTION_FIRST_US,
					       length_us - ACTION_LAST_US);
}

static void init_cpu(struct machine *machine, unsigned index)
{
	struct cpu *cpu = &machine->cpus[index];
	bool big = machine->plan->dress & DRESS_BIG_VALUES;

	cpu->idle.account = etw_ledger_thread(machine->ledger, 0, 0);
	machine->ledger->accounts[cpu->idle.account].idle_cpu = index;
	cpu->current = &cpu->idle;
	for (unsigned i = 0; i < COUNTER_MAX; i++)
		cpu->values[i] = big ? rng_log(&machine->rng, 53, 62)
				     : rng_log(&machine->rng, 1, 36);
}

static void start_cpus(struct machine *machine, uint64_t us)
{
	for (unsigned i = 0; i < machine->plan->cpu_count; i++) {
		machine->cpus[i].switch_us = us;
		begin_slice(machine, &machine->cpus[i],
			    us + rng_range(&machine->rng, 0, 90));
	}
}

static void shrink_counter(struct machine *machine, struct cpu *cpu)
{
	uint64_t *value = &cpu->values[rng_range(&machine->rng, 0,
						 machine->plan->counter_count - 1)];

	*value = rng_chance(&machine->rng, 2) ? 0 : *value / 2;
}

static void grow_counters(struct machine *machine, struct cpu *cpu)
{
	bool resets = machine->plan->faults & FAULT_RESET;

	if (machine->plan->tasks & TASKS_DEMO) {
		uint64_t rounds = rng_range(&machine->rng, 1, 500);

		cpu->values[0] += rounds * 10000;
		cpu->values[1] += rounds * facts_mispredicted(machine, cpu->current);
		return;
	}
	for (unsigned i = 0; i < machine->plan->counter_count; i++)
		if (!rng_chance(&machine->rng, 16))
			cpu->values[i] += rng_log(&machine->rng, 0, 24);
	if (resets && rng_chance(&machine->rng, 25))
		shrink_counter(machine, cpu);
}

/* How many counters the switch carries. */
static unsigned counters_carried(struct machine *machine)
{
	unsigned count = machine->plan->counter_count;
	unsigned faults = machine->plan->faults;

	if (faults & FAULT_LATE && machine->switch_count < machine->switch_goal / 3)
		return 0;
	if (faults & FAULT_UNCOUNTED && rng_chance(&machine->rng, 25))
		return 0;
	if (faults & FAULT_ODD_COUNT && rng_chance(&machine->rng, 25))
		return rng_chance(&machine->rng, 2) ? count - 1 : count + 1;
	return count;
}

/* A switch that is missing, and what will be known of that. */
static bool hides_switch(struct machine *machine, struct cpu *cpu, unsigned index,
			 uint64_t us)
{
	unsigned faults = machine->plan->faults;

	if (faults & FAULT_CHAIN && !cpu->hide_left && rng_chance(&machine->rng, 25))
		cpu->hide_left = (unsigned)rng_range(&machine->rng, 1, 2);
	if (cpu->hide_left) {
		cpu->hide_left--;
		return true;
	}
	if (!(faults & FAULT_DROPPED) || machine->drop_untold[index] ||
	    !rng_chance(&machine->rng, 12))
		return false;
	cpu->dropped = true;
	machine->drop_untold[index] = true;
	/* Half of the time it was an event of another kind that could not be kept. */
	if (rng_chance(&machine->rng, 2)) {
		machine->dropped_us[index] = us;
		return true;
	}
	machine->dropped_us[index] =
		us - rng_range(&machine->rng, 0, us - cpu->switch_us - 1);
	return false;
}

/* How the outgoing thread left, and when it can run again. */
static void leave_cpu(struct machine *machine, struct etw_switch *sw, struct task *task)
{
	bool preempted = rng_chance(&machine->rng, 3);

	task->on_cpu = false;
	sw->state = STATE_RUNNING;
	sw->reason = 0;
	if (!task->tid)
		return;
	sw->state = preempted ? STATE_READY : STATE_WAITING;
	sw->reason = preempted ? REASON_QUANTUM_END
			       : (uint8_t)rng_range(&machine->rng, 0, REASON_WAIT_LAST);
	task->ready_us = sw->us + 3;
	if (!preempted)
		task->ready_us += rng_log(&machine->rng, 3, 13);
	if (!task->ended || task->runs_left--)
		return;
	sw->state = STATE_TERMINATED;
	sw->reason = REASON_TERMINATED;
	tasks_bury(machine, task, sw->us);
}

static void write_switch(struct machine *machine, struct cpu *cpu, struct etw_switch *sw)
{
	if (machine->plan->dress & DRESS_ONLY_BATCHED)
		return;
	for (unsigned i = 0; i < sw->counter_count; i++)
		sw->values[i] = cpu->values[i];
	sw->dropped = cpu->dropped;
	if (!etl_put_switch(machine->etl, sw))
		return;
	cpu->dropped = false;
	xperf_put_switch(machine->xperf, sw);
}

static void switch_threads(struct machine *machine, unsigned index, uint64_t us)
{
	struct cpu *cpu = &machine->cpus[index];
	struct task *next = rng_chance(&machine->rng, 4) ? NULL : tasks_pick(machine, us);
	struct task *prev = cpu->current;
	struct etw_switch sw = {
		.cpu = index,
		.us = us,
		.old_account = prev->account,
		.old_tid = prev->tid,
		.old_priority = prev->tid ? 9 : 0,
		.c_state = prev->tid ? 0 : 1,
		.ideal_cpu = (uint8_t)(index ^ 1),
		.wait_time = (uint32_t)rng_range(&machine->rng, 0, 9),
		.quantum = (uint32_t)rng_range(&machine->rng, 1, 200000000),
		.ran_us = (uint32_t)(us - cpu->switch_us),
	};

	if (!next)
		next = &cpu->idle;
	if (next == prev) {
		begin_slice(machine, cpu, us);
		return;
	}
	sw.new_account = next->account;
	sw.new_tid = next->tid;
	sw.new_priority = next->tid ? 8 : 0;
	grow_counters(machine, cpu);
	sw.counter_count = counters_carried(machine);
	leave_cpu(machine, &sw, prev);
	next->on_cpu = true;
	cpu->current = next;
	if (!hides_switch(machine, cpu, index, us))
		write_switch(machine, cpu, &sw);
	cpu->switch_us = us;
	machine->switch_count++;
	begin_slice(machine, cpu, us);
}

static struct cpu *next_cpu(struct machine *machine)
{
	struct cpu *first = &machine->cpus[0];

	for (unsigned i = 1; i < machine->plan->cpu_count; i++)
		if (machine->cpus[i].event_us < first->event_us)
			first = &machine->cpus[i];
	return first;
}

/* From here on the counters of every other CPU are invalid. */
static void corrupt_cpus(struct machine *machine, uint64_t us)
{
	const struct etw_clock *clock = &machine->etl->clock;

	machine->corrupt = true;
	for (unsigned i = 1; i < machine->plan->cpu_count; i += 2) {
		machine->last_good_us[i] = us;
		machine->ledger->chains[MEDIUM_ETL][i].corrupt_ns =
			clock_ns(clock, clock_ticks(clock, us));
	}
}

static void step(struct machine *machine)
{
	struct cpu *cpu = next_cpu(machine);
	unsigned index = (unsigned)(cpu - machine->cpus);
	uint64_t us = cpu->event_us;

	xperf_advance(machine->xperf, us);
	if (us > machine->last_us)
		machine->last_us = us;
	if (machine->plan->faults & FAULT_CORRUPTION && !machine->corrupt &&
	    machine->switch_count >= machine->switch_goal * 2 / 3)
		corrupt_cpus(machine, us);
	if (!cpu->acting) {
		switch_threads(machine, index, us);
		return;
	}
	cpu->acting = false;
	cpu->event_us = cpu->slice_end_us;
	if (machine->plan->tasks & TASKS_COME_AND_GO && rng_chance(&machine->rng, 2))
		tasks_act(machine, index, us);
	else
		session_act(machine, index, us);
}

/* Time in which the machine ran unrecorded: other threads are on the CPUs. */
static void pass_unrecorded(struct machine *machine, uint64_t us)
{
	for (unsigned i = 0; i < machine->plan->cpu_count; i++) {
		struct cpu *cpu = &machine->cpus[i];
		struct task *next = tasks_pick(machine, us);

		if (cpu->current->ended)
			tasks_bury(machine, cpu->current, us);
		if (!next)
			next = &cpu->idle;
		cpu->current->on_cpu = false;
		next->on_cpu = true;
		cpu->current = next;
		grow_counters(machine, cpu);
	}
}

static void restart(struct machine *machine)
{
	uint64_t us = session_end(machine, machine->last_us + 100) + RESTART_US;

	pass_unrecorded(machine, us);
	xperf_advance(machine->xperf, us);
	etl_put_head(machine->etl, us);
	us = session_begin(machine, us);
	start_cpus(machine, us + 10);
}

void machine_run(struct machine *machine, const struct etw_plan *plan, struct etl *etl,
		 struct xperf *xperf, struct etw_ledger *ledger, uint64_t switches,
		 uint64_t seed)
{
	bool again = plan->dress & DRESS_APPEND;
	uint64_t us;

	*machine = (struct machine){
		.plan = plan,
		.etl = etl,
		.xperf = xperf,
		.ledger = ledger,
		.rng = { rng_seed(seed, "machine") },
		.switch_goal = switches,
	};
	tasks_init(machine);
	for (unsigned i = 0; i < plan->cpu_count; i++)
		init_cpu(machine, i);
	us = session_begin(machine, 0);
	start_cpus(machine, us < START_US ? START_US : us);
	while (machine->switch_count < switches) {
		step(machine);
		if (again && machine->switch_count >= switches / 2) {
			again = false;
			restart(machine);
		}
	}
	machine->last_us = session_end(machine, machine->last_us + 100);
}
