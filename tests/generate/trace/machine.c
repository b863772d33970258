/* The simulated machine: time, context switches, counters and what goes wrong there. */
#include "trace/machine.h"

#include <linux/perf_event.h>

enum {
	SLICE_BITS_MIN = 12,	/* 4 us */
	SLICE_BITS_MAX = 22,	/* 4 ms */
	ACTION_START_NS = 1500, /* after the SWITCH records of the switch before */
	ACTION_TAIL_NS = 600,	/* a THROTTLE and its UNTHROTTLE end before the switch */
	STATE_RUNNING = 0,
	STATE_SLEEPING = 1,
	STATE_WAITING = 2,
	STATE_DEAD = 0x10,
	STATE_ZOMBIE = 0x20,
	STATE_PREEMPTED = 0x100,
};

static const uint64_t start_ns = 3600000000000u;

struct fault_gap {
	unsigned first;
	unsigned last;
};

/* How many chances pass before the next fault of a kind. */
/* clang-format off */
static const struct fault_gap fault_gaps[FAULT_COUNT] = {
	[FAULT_IDLE_MISS] = { 0, 2 },
	[FAULT_CHAIN] = { 4, 20 },
	[FAULT_LOST] = { 8, 40 },
	[FAULT_LOST_SAMPLES] = { 10, 40 },
	[FAULT_JUMP] = { 8, 40 },
	[FAULT_THROTTLE] = { 6, 30 },
	[FAULT_DECREASE] = { 12, 60 },
	[FAULT_MUX] = { 6, 30 },
};
/* clang-format on */

/* What became of a context switch. */
enum fate {
	FATE_SAMPLED,
	FATE_HIDDEN,  /* sampled, but the sample does not reach the file */
	FATE_COUNTED, /* counted by the leader without a sample */
	FATE_UNSEEN,  /* neither */
};

struct context_switch {
	unsigned cpu;
	uint64_t time_ns;
	struct task *prev;
	struct task *next;
	uint64_t state;
	bool last; /* prev never runs again */
};

static bool fault_due(struct machine *machine, struct cpu *cpu, enum fault fault)
{
	const struct fault_gap *gap = &fault_gaps[fault];

	if (!scenario_has(machine->scenario, 1u << fault))
		return false;
	if (cpu->faults_in[fault]) {
		cpu->faults_in[fault]--;
		return false;
	}
	cpu->faults_in[fault] = (unsigned)rng_range(&machine->rng, gap->first, gap->last);
	return true;
}

static uint64_t initial_value(struct machine *machine)
{
	if (scenario_has(machine->scenario, TRAIT_BIG_VALUES))
		return rng_log(&machine->rng, 53, 62);
	return rng_chance(&machine->rng, 4) ? 0 : rng_log(&machine->rng, 1, 36);
}

/* A slice has room for one action, and so has its first part for SWITCH records. */
static void begin_slice(struct machine *machine, unsigned index, uint64_t now_ns)
{
	struct cpu *cpu = &machine->cpus[index];
	uint64_t length_ns = rng_log(&machine->rng, SLICE_BITS_MIN, SLICE_BITS_MAX);

	cpu->slice_end_ns = now_ns + length_ns;
	cpu->action = tasks_choose_action(machine, cpu->current);
	if (cpu->action == ACTION_NONE && fault_due(machine, cpu, FAULT_THROTTLE))
		cpu->action = ACTION_THROTTLE;
	cpu->event_ns = cpu->slice_end_ns;
	if (cpu->action != ACTION_NONE)
		cpu->event_ns = now_ns + rng_range(&machine->rng, ACTION_START_NS,
						   length_ns - ACTION_TAIL_NS);
}

static void init_cpu(struct machine *machine, unsigned index)
{
	struct cpu *cpu = &machine->cpus[index];

	snprintf(cpu->idle.comm, sizeof(cpu->idle.comm), "%s/%u",
		 scenario_hides_idle(machine->scenario) ? "outside" : "swapper",
		 index % CPU_MAX);
	cpu->idle.main = &cpu->idle;
	cpu->idle.account = ledger_birth(machine->ledger, 0, 0, SIZE_MAX, cpu->idle.comm);
	cpu->current = &cpu->idle;
	cpu->enabled_since_ns = start_ns - rng_range(&machine->rng, 100000, 1000000);
	if (scenario_has_times(machine->scenario))
		cpu->stopped_ns = rng_range(&machine->rng, 0, 100000);
	cpu->values[0] = rng_range(&machine->rng, 0, 3);
	for (unsigned i = 1; i < machine->scenario->counter_count; i++)
		cpu->values[i] = initial_value(machine);
	for (unsigned fault = 0; fault < FAULT_COUNT; fault++)
		cpu->faults_in[fault] = (unsigned)rng_range(
			&machine->rng, fault_gaps[fault].first, fault_gaps[fault].last);
	begin_slice(machine, index, start_ns);
}

void machine_init(struct machine *machine, const struct scenario *scenario,
		  struct trace *trace, struct ledger *ledger, uint64_t seed)
{
	*machine = (struct machine){
		.scenario = scenario,
		.trace = trace,
		.ledger = ledger,
		.rng = { seed },
		.round_ns = start_ns,
	};
	trace_put_preamble(trace);
	tasks_init(machine);
	trace_put_ready(trace);
	for (unsigned i = 0; i < scenario->cpu_count; i++)
		init_cpu(machine, i);
}

/* The kernel reports losses as soon as a record fits again, just before that record. */
static void report_losses(struct machine *machine, const struct stamp *stamp)
{
	struct cpu *cpu = &machine->cpus[stamp->cpu];

	if (cpu->pending_lost)
		trace_put_lost(machine->trace, stamp, cpu->pending_lost);
	if (cpu->pending_lost_samples)
		trace_put_lost_samples(machine->trace, stamp, cpu->pending_lost_samples);
	if (cpu->pending_lost || cpu->pending_lost_samples)
		ledger_disturb(machine->ledger, stamp->cpu);
	cpu->pending_lost = 0;
	cpu->pending_lost_samples = 0;
}

struct stamp machine_stamp(struct machine *machine, unsigned cpu, const struct task *task,
			   uint64_t time_ns)
{
	struct stamp stamp = {
		.cpu = cpu,
		.time_ns = time_ns,
		.pid = task->shown.pid,
		.tid = task->shown.tid,
	};

	report_losses(machine, &stamp);
	return stamp;
}

static bool group_is_off(const struct cpu *cpu, uint64_t now_ns)
{
	return now_ns >= cpu->off_start_ns && now_ns < cpu->off_end_ns;
}

/* Only called while the group is on: a window is then over, or still to come. */
static uint64_t running_ns(struct cpu *cpu, uint64_t now_ns)
{
	if (cpu->off_end_ns && now_ns >= cpu->off_end_ns) {
		cpu->stopped_ns += cpu->off_end_ns - cpu->off_start_ns;
		cpu->off_start_ns = 0;
		cpu->off_end_ns = 0;
	}
	return now_ns - cpu->enabled_since_ns - cpu->stopped_ns;
}

static void plan_off_window(struct machine *machine, struct cpu *cpu, uint64_t now_ns)
{
	if (cpu->off_end_ns || !fault_due(machine, cpu, FAULT_MUX))
		return;
	cpu->off_start_ns = now_ns + rng_range(&machine->rng, 1, 500000);
	cpu->off_end_ns = cpu->off_start_ns + rng_range(&machine->rng, 20000, 4000000);
}

static void grow_counters(struct machine *machine, struct cpu *cpu, uint64_t now_ns)
{
	struct rng *rng = &machine->rng;

	for (unsigned i = 1; i < machine->scenario->counter_count; i++) {
		cpu->growth[i] = 0;
		if (group_is_off(cpu, now_ns) || rng_chance(rng, 16))
			continue;
		cpu->growth[i] =
			rng_chance(rng, 40) ? rng_log(rng, 32, 40) : rng_log(rng, 0, 24);
		cpu->values[i] += cpu->growth[i];
	}
}

static void shrink_counter(struct machine *machine, struct cpu *cpu)
{
	unsigned count = machine->scenario->counter_count;
	unsigned i = (unsigned)rng_range(&machine->rng, 1, count - 1);
	uint64_t drop = cpu->growth[i] + rng_log(&machine->rng, 0, 16);

	if (drop <= cpu->values[i])
		cpu->values[i] -= drop;
}

static bool starts_chain_break(struct machine *machine, struct cpu *cpu,
			       const struct context_switch *sw)
{
	/* Leading back to where the chain is would hide the break from any reader. */
	if (sw->prev->tid == 0 || sw->next->tid == 0 ||
	    sw->next->tid == cpu->last_next_tid)
		return false;
	if (cpu->chain_left) {
		cpu->chain_left--;
		return true;
	}
	if (sw->prev->tid != cpu->last_next_tid || cpu->thread_ran_unseen ||
	    !fault_due(machine, cpu, FAULT_CHAIN))
		return false;
	cpu->chain_left = (unsigned)rng_range(&machine->rng, 0, 1);
	return true;
}

static void begin_hiding(struct machine *machine, struct cpu *cpu)
{
	static const enum fault kinds[] = { FAULT_LOST, FAULT_LOST_SAMPLES, FAULT_JUMP };

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!fault_due(machine, cpu, kinds[i]))
			continue;
		cpu->hide_kind = kinds[i];
		cpu->hide_left = (unsigned)rng_range(&machine->rng, 0, 5);
		/* Records of another kind may be all that was lost. */
		if (kinds[i] == FAULT_LOST)
			cpu->pending_lost++;
		if (kinds[i] == FAULT_LOST_SAMPLES)
			cpu->pending_lost_samples++;
		return;
	}
}

static enum fate decide_fate(struct machine *machine, struct cpu *cpu,
			     const struct context_switch *sw)
{
	if (group_is_off(cpu, sw->time_ns))
		return FATE_UNSEEN;
	if (sw->prev->tid == 0 && fault_due(machine, cpu, FAULT_IDLE_MISS))
		return machine->scenario->software_leader ? FATE_COUNTED : FATE_UNSEEN;
	if (starts_chain_break(machine, cpu, sw))
		return FATE_UNSEEN;
	cpu->chain_left = 0;
	if (!cpu->hide_left)
		begin_hiding(machine, cpu);
	if (!cpu->hide_left)
		return FATE_SAMPLED;
	cpu->hide_left--;
	if (cpu->hide_kind == FAULT_LOST)
		cpu->pending_lost++;
	if (cpu->hide_kind == FAULT_LOST_SAMPLES)
		cpu->pending_lost_samples++;
	if (cpu->hide_kind != FAULT_JUMP)
		cpu->lost_total++;
	return FATE_HIDDEN;
}

/*
 * The rules must never prove what is not so: no other thread ran in a charged interval,
 * and none but idle in one with idle.  Only an off window without times escapes them.
 */
static void check_status(const struct machine *machine, const struct cpu *cpu,
			 uint32_t charged_tid, enum charge_status status)
{
	bool proven = status == STATUS_CHARGED || status == STATUS_IDLE;
	bool another_ran = cpu->thread_ran_unseen &&
			   (cpu->several_ran_unseen || cpu->unseen_tid != charged_tid);

	if (scenario_has(machine->scenario, TRAIT_MUX) &&
	    !scenario_has_times(machine->scenario))
		return;
	if ((proven && (cpu->idle_ran_unseen || another_ran)) ||
	    (status == STATUS_WITH_IDLE && another_ran))
		die("%s: an interval is charged though another thread ran in it",
		    machine->scenario->name);
}

static struct sched_side sched_side(const struct task *task)
{
	return (struct sched_side){ task->comm, task->tid, 120 };
}

static void write_sample(struct machine *machine, const struct context_switch *sw)
{
	struct cpu *cpu = &machine->cpus[sw->cpu];
	struct trace_sample sample = {
		.stamp = machine_stamp(machine, sw->cpu, sw->prev, sw->time_ns),
		.ip = 0xffffffff810a0000u + (sw->time_ns & 0xff0),
		.enabled_ns = sw->time_ns - cpu->enabled_since_ns,
		.running_ns = running_ns(cpu, sw->time_ns),
		.lost = cpu->lost_total,
		.cgroup_id = cgroups[sw->prev->cgroup].id,
		.values = cpu->values,
		.sched = { sched_side(sw->prev), sched_side(sw->next), sw->state },
	};
	struct ledger_sample entry = {
		.cpu = sw->cpu,
		.time_ns = sw->time_ns,
		.account = sw->prev->outside && scenario_hides_idle(machine->scenario)
				   ? cpu->idle.account
				   : sw->prev->account,
		.next_tid = sw->next->tid,
		.cgroup = sw->prev->cgroup,
		.enabled_ns = sample.enabled_ns,
		.running_ns = sample.running_ns,
		.values = cpu->values,
	};

	trace_put_sample(machine->trace, &sample);
	check_status(machine, cpu, sw->prev->tid, ledger_enter(machine->ledger, &entry));
	cpu->last_next_tid = sw->next->tid;
	cpu->idle_ran_unseen = false;
	cpu->thread_ran_unseen = cpu->several_ran_unseen = false;
	plan_off_window(machine, cpu, sw->time_ns);
}

static void put_switch_records(struct machine *machine, const struct context_switch *sw)
{
	struct cpu *cpu = &machine->cpus[sw->cpu];
	const struct trace_task *prev = &sw->prev->shown;
	const struct trace_task *next = &sw->next->shown;
	uint64_t out_ns = sw->time_ns + rng_range(&machine->rng, 0, 300);
	uint64_t in_ns = out_ns + rng_range(&machine->rng, 0, 300);
	struct stamp stamp;

	/* While the ring is full these are lost as the samples are. */
	if (cpu->pending_lost) {
		cpu->pending_lost += 2;
		return;
	}
	stamp = machine_stamp(machine, sw->cpu, sw->prev, out_ns);
	trace_put_switch(machine->trace, &stamp, true, sw->state == STATE_PREEMPTED,
			 next->pid, next->tid);
	stamp = machine_stamp(machine, sw->cpu, sw->next, in_ns);
	trace_put_switch(machine->trace, &stamp, false, false, prev->pid, prev->tid);
	ledger_switch_in(machine->ledger, sw->cpu, sw->prev->tid, sw->next->tid, in_ns);
}

/* What the outgoing thread does next, and when it can run again. */
static void leave_cpu(struct machine *machine, struct context_switch *sw)
{
	struct task *task = sw->prev;
	struct rng *rng = &machine->rng;

	sw->state = STATE_RUNNING;
	if (task->tid == 0)
		return;
	sw->last = task->exiting && !rng_chance(rng, 4);
	if (sw->last) {
		sw->state = rng_chance(rng, 2) ? STATE_DEAD : STATE_ZOMBIE;
		/* Threads, and processes without a waiting parent, are unhashed by now.
		 *  */
		if (scenario_has(machine->scenario, TRAIT_EXIT_TID) &&
		    (task->main != task || rng_chance(rng, 2))) {
			task->shown.pid = UINT32_MAX;
			task->shown.tid = UINT32_MAX;
		}
		if (scenario_has(machine->scenario, TRAIT_EXIT_ZERO) &&
		    rng_chance(rng, 2))
			task->shown.tid = 0;
	} else if (task->exiting || rng_chance(rng, 4)) {
		sw->state = STATE_PREEMPTED;
		task->ready_ns = sw->time_ns + 1000;
	} else {
		sw->state = rng_chance(rng, 5) ? STATE_WAITING : STATE_SLEEPING;
		task->ready_ns = sw->time_ns + rng_log(rng, 14, 21);
	}
}

static void note_unseen(struct cpu *cpu, uint32_t tid)
{
	cpu->several_ran_unseen |= cpu->thread_ran_unseen && cpu->unseen_tid != tid;
	cpu->thread_ran_unseen = true;
	cpu->unseen_tid = tid;
}

static void switch_tasks(struct machine *machine, unsigned index)
{
	struct cpu *cpu = &machine->cpus[index];
	struct context_switch sw = {
		.cpu = index,
		.time_ns = cpu->event_ns,
		.prev = cpu->current,
	};
	bool to_idle = sw.prev != &cpu->idle && rng_chance(&machine->rng, 3);
	enum fate fate;

	sw.next = to_idle ? NULL : tasks_pick(machine, sw.time_ns);
	if (!sw.next && sw.prev == &cpu->idle) {
		begin_slice(machine, index, sw.time_ns);
		return;
	}
	if (!sw.next)
		sw.next = &cpu->idle;
	leave_cpu(machine, &sw);
	if (scenario_has(machine->scenario, TRAIT_CGROUPS) && sw.prev->tid &&
	    rng_chance(&machine->rng, 30))
		sw.prev->cgroup = (unsigned)rng_range(&machine->rng, 0, CGROUP_COUNT - 1);
	grow_counters(machine, cpu, sw.time_ns);
	if (machine->scenario->counter_count > 1 && !group_is_off(cpu, sw.time_ns) &&
	    fault_due(machine, cpu, FAULT_DECREASE))
		shrink_counter(machine, cpu);
	fate = decide_fate(machine, cpu, &sw);
	if (fate != FATE_UNSEEN)
		cpu->values[0]++;
	if (fate == FATE_SAMPLED)
		write_sample(machine, &sw);
	else if (sw.prev->tid == 0)
		cpu->idle_ran_unseen = true;
	else
		note_unseen(cpu, sw.prev->tid);
	if (scenario_has(machine->scenario, TRAIT_SWITCH))
		put_switch_records(machine, &sw);
	sw.prev->on_cpu = false;
	sw.next->on_cpu = true;
	cpu->current = sw.next;
	if (sw.last)
		tasks_bury(machine, sw.prev, sw.time_ns);
	machine->switch_count++;
	begin_slice(machine, index, sw.time_ns);
}

/* perf empties the rings one after another; a round ends when all had their turn. */
static void step_round(struct machine *machine)
{
	uint64_t now_ns = machine->round_ns;

	trace_flush_ring(machine->trace, machine->round_cpu);
	machine->round_cpu++;
	machine->round_ns += rng_range(&machine->rng, 1000, 20000);
	if (machine->round_cpu < machine->scenario->cpu_count)
		return;
	trace_end_round(machine->trace);
	tasks_end_round(machine, now_ns);
	machine->round_cpu = 0;
	machine->round_ns += rng_range(&machine->rng, 1000000, 16000000);
}

static unsigned earliest_cpu(const struct machine *machine)
{
	unsigned earliest = 0;

	for (unsigned i = 1; i < machine->scenario->cpu_count; i++)
		if (machine->cpus[i].event_ns < machine->cpus[earliest].event_ns)
			earliest = i;
	return earliest;
}

void machine_run(struct machine *machine, uint64_t switches)
{
	while (machine->switch_count < switches) {
		unsigned index = earliest_cpu(machine);
		struct cpu *cpu = &machine->cpus[index];
		enum action action = cpu->action;

		if (machine->round_ns <= cpu->event_ns) {
			step_round(machine);
		} else if (action != ACTION_NONE) {
			uint64_t now_ns = cpu->event_ns;

			cpu->action = ACTION_NONE;
			cpu->event_ns = cpu->slice_end_ns;
			tasks_act(machine, index, action, now_ns);
		} else {
			switch_tasks(machine, index);
		}
	}
	/* The round in progress may have passed some rings already: one more for all. */
	while (machine->round_cpu)
		step_round(machine);
	do
		step_round(machine);
	while (machine->round_cpu);
}
