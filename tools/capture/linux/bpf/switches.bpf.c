/*
 * switches.bpf.c - reads the counters of a CPU at every context switch.
 *
 * The kernel drops perf samples that are taken in idle (Linux 6.18: half of the switches
 * of a disk-bound run) and runs BPF programs there.  Counters and clock are read before
 * room is reserved in the ring, so an interrupt in between cannot put a newer record in
 * front of this one.  programs.c loads this and writes what it sends as a perf.data.
 */
#include <linux/bpf.h> /* the types that the others need */

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "record.h"

#define READ_ERRORS 133 /* the highest error number: no counter is that near its end */

/* What is used of them; the loader finds the fields in this kernel. */
struct kernfs_node {
	unsigned long long id;
} __attribute__((preserve_access_index));

struct cgroup {
	struct kernfs_node *kn;
} __attribute__((preserve_access_index));

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
} __attribute__((preserve_access_index));

enum cgroup_subsys_id { perf_event_cgrp_id = 1 };

struct css_set {
	struct cgroup_subsys_state *subsys[1];
} __attribute__((preserve_access_index));

struct mm_struct {
	unsigned long arg_start, arg_end;
} __attribute__((preserve_access_index));

struct task_struct {
	struct mm_struct *mm;
	int pid;
	int tgid;
	int prio;
	int exit_state;
	char comm[BPF_COMM_BYTES];
	unsigned int __state;
	struct css_set *cgroups;
} __attribute__((preserve_access_index));

struct irqaction {
	const char *name;
} __attribute__((preserve_access_index));

struct task_struct___old { /* before 5.14 */
	long state;
} __attribute__((preserve_access_index));

const volatile struct bpf_config config;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct bpf_cpu_state);
} states SEC(".maps");

struct { /* too large for the stack */
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct bpf_command);
} commands SEC(".maps");

struct { /* by CPU * counters + counter */
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(unsigned int));
	__uint(value_size, sizeof(unsigned int));
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
} ring SEC(".maps");

static __always_inline struct bpf_cpu_state *this_cpu(void)
{
	unsigned int key = 0;

	return bpf_map_lookup_elem(&states, &key);
}

/*
 * Fills words[]; false: not all of them can be read.  The times are those of the group,
 * so only its first counter is read with them: that costs as much as the count itself.
 */
static __always_inline _Bool read_counters_into(struct bpf_record *record)
{
	unsigned int first = record->cpu * config.counters, at = 0;

	for (unsigned int i = 0; i < BPF_COUNTERS_MAX; i++) {
		struct bpf_perf_event_value value;

		if (i >= config.counters)
			break;
		if (config.begins_group[i]) {
			if (bpf_perf_event_read_value(&counters, first + i, &value,
						      sizeof(value)) != 0)
				return 0;
			if (at + 2 < BPF_WORDS_MAX) {
				record->words[at++] = value.enabled;
				record->words[at++] = value.running;
			}
		} else {
			value.counter = bpf_perf_event_read(&counters, first + i);
			if (value.counter >= (unsigned long long)-READ_ERRORS)
				return 0;
		}
		if (at < BPF_WORDS_MAX)
			record->words[at++] = value.counter;
	}
	return 1;
}

/* Who is on the CPU, as the recorder numbers it. */
static __always_inline void name_own(struct bpf_record *record)
{
	struct bpf_pidns_info own = { 0 };

	if (!config.namespace_ino) {
		record->own_tid = record->prev.tid;
		record->own_pid = record->prev.pid;
	} else if (bpf_get_ns_current_pid_tgid(config.namespace_dev, config.namespace_ino,
					       &own, sizeof(own)) == 0) {
		record->own_tid = (int)own.pid;
		record->own_pid = (int)own.tgid;
	}
}

/* Wakes the recorder once as the ring fills, not at every record. */
static __always_inline unsigned long long wake_flag(void)
{
	unsigned long long filled = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA);

	return filled - config.wake_bytes < 4096 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

static __always_inline void send(struct bpf_cpu_state *state, struct bpf_record *record)
{
	record->switches = state->switches;
	record->lost = state->lost;
	if (bpf_ringbuf_output(&ring, record, config.bytes, wake_flag()) != 0)
		__sync_fetch_and_add(&state->lost, 1); /* interrupts are on in softirqs */
}

static __always_inline void name_thread(struct bpf_thread *thread,
					struct task_struct *task)
{
	thread->tid = task->pid;
	thread->pid = task->tgid;
	thread->prio = task->prio;
	bpf_probe_read_kernel(thread->comm, sizeof(thread->comm), task->comm);
}

/* Its place in the hierarchy that perf goes by: that of its controller. */
static __always_inline struct cgroup_subsys_state *state_in_hierarchy(
	struct task_struct *task)
{
	unsigned long long place =
		bpf_core_enum_value(enum cgroup_subsys_id, perf_event_cgrp_id);
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *state = 0;

	bpf_probe_read_kernel(&state, sizeof(state), &set->subsys[place]);
	return state;
}

/* The control group that perf would name. */
static __always_inline unsigned long long cgroup_of(struct task_struct *task)
{
	struct cgroup_subsys_state *state = state_in_hierarchy(task);

	return BPF_CORE_READ(state, cgroup, kn, id);
}

/*
 * Whether the counters count while this task runs: it is in the control group that is
 * followed, or in one below it, as PERF_FLAG_PID_CGROUP has it.
 */
static __always_inline _Bool is_counted(struct task_struct *task)
{
	struct cgroup_subsys_state *state;

	if (!config.cgroup_id)
		return 1;
	state = state_in_hierarchy(task);
	for (int i = 0; i < BPF_CGROUP_DEPTH && state; i++) {
		if (BPF_CORE_READ(state, cgroup, kn, id) == config.cgroup_id)
			return 1;
		state = BPF_CORE_READ(state, parent);
	}
	return 0;
}

static __always_inline unsigned int state_of(const unsigned long long *args,
					     struct task_struct *task)
{
	if (config.has_prev_state)
		return (unsigned int)args[3];
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return (unsigned int)BPF_CORE_READ((struct task_struct___old *)task, state);
}

SEC("tp_btf/sched_switch")
int on_switch(unsigned long long *args)
{
	struct task_struct *prev = (struct task_struct *)args[1];
	struct task_struct *next = (struct task_struct *)args[2];
	struct bpf_cpu_state *state = this_cpu();
	struct bpf_record record = { .kind = BPF_RECORD_SWITCH };

	if (!state || !state->is_armed || !is_counted(prev))
		return 0;
	state->switches++;
	record.cpu = bpf_get_smp_processor_id();
	if (!read_counters_into(&record)) {
		state->lost++;
		return 0;
	}
	record.time_ns = bpf_ktime_get_ns();
	name_thread(&record.prev, prev);
	name_thread(&record.next, next);
	record.prev_state = state_of(args, prev);
	record.exit_state = (unsigned int)prev->exit_state;
	record.is_preempted = args[0] & 1;
	if (config.has_cgroups)
		record.cgroup_id = cgroup_of(prev);
	name_own(&record);
	send(state, &record);
	return 0;
}

static __always_inline int own_pid(void)
{
	struct bpf_pidns_info own = { 0 };

	if (!config.namespace_ino)
		return (int)(bpf_get_current_pid_tgid() >> 32);
	if (bpf_get_ns_current_pid_tgid(config.namespace_dev, config.namespace_ino, &own,
					sizeof(own)) != 0)
		return 0;
	return (int)own.tgid;
}

/*
 * A program of a millisecond has ended before /proc can be read.  Here its words are in
 * memory already: the kernel has just written them.
 */
SEC("raw_tp/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args *context)
{
	struct task_struct *task = (struct task_struct *)context->args[0];
	struct bpf_cpu_state *state = this_cpu();
	unsigned long from = BPF_CORE_READ(task, mm, arg_start);
	unsigned long bytes = BPF_CORE_READ(task, mm, arg_end) - from;
	struct bpf_command *command;
	unsigned int key = 0;

	command = bpf_map_lookup_elem(&commands, &key);
	if (!state || !state->is_armed || !command || bytes == 0)
		return 0;
	if (bytes > BPF_COMMAND_BYTES - 1)
		bytes = BPF_COMMAND_BYTES - 1;
	bytes &= BPF_COMMAND_BYTES - 1; /* as the verifier wants to see it */
	if (bpf_probe_read_user(command->text, bytes, (const void *)from) != 0)
		return 0;
	command->time_ns = bpf_ktime_get_ns();
	command->bytes = bytes;
	command->kind = BPF_RECORD_COMMAND;
	command->own_pid = own_pid();
	bpf_ringbuf_output(&ring, command,
			   __builtin_offsetof(struct bpf_command, text) + bytes,
			   wake_flag());
	return 0;
}

/* Never attached: the recorder has it run on a CPU (BPF_PROG_TEST_RUN). */
SEC("raw_tp")
int read_counters(struct bpf_raw_tracepoint_args *context)
{
	unsigned long long why = context->args[0];
	unsigned long long ids = bpf_get_current_pid_tgid();
	struct bpf_cpu_state *state = this_cpu();
	struct bpf_record record = { .kind = BPF_RECORD_READ };
	_Bool counts;

	if (!state || (why != BPF_READ_FIRST && !state->is_armed))
		return 0;
	state->is_armed = why != BPF_READ_LAST;
	counts = is_counted((struct task_struct *)bpf_get_current_task());
	if (why == BPF_READ_TICK && !counts)
		return 0;
	record.cpu = bpf_get_smp_processor_id();
	if (!read_counters_into(&record)) {
		state->lost++;
		return 0;
	}
	record.time_ns = bpf_ktime_get_ns();
	record.prev.tid = (int)ids;
	record.prev.pid = (int)(ids >> 32);
	bpf_get_current_comm(record.prev.comm, sizeof(record.prev.comm));
	if (counts)
		name_own(&record);
	else
		record.prev.tid = -1; /* the counts are not of this task */
	send(state, &record);
	record.kind = BPF_RECORD_COST;
	for (int i = 0; why == BPF_READ_FIRST && i < BPF_COST_READS; i++)
		if (read_counters_into(&record))
			send(state, &record);
	return 0;
}

/*
 * Interrupts are on in softirqs: an interrupt between counters and clock would leave
 * counters from before it with a time from after it.  Then both are read again.
 */
static __always_inline _Bool read_undisturbed(struct bpf_cpu_state *state,
					      struct bpf_record *record)
{
	volatile unsigned int *edges = &state->edges;

	*edges += 1;
	for (int i = 0; i < BPF_EDGE_READS; i++) {
		unsigned int before = *edges;

		if (!read_counters_into(record))
			return 0;
		record->time_ns = bpf_ktime_get_ns();
		if (*edges == before)
			return 1;
	}
	return 0;
}

/* An edge of an interrupt: the counters, and the thread that it is of. */
static __always_inline int send_edge(unsigned int program, int number, int returned,
				     const struct irqaction *action)
{
	unsigned long long ids = bpf_get_current_pid_tgid();
	struct bpf_cpu_state *state = this_cpu();
	struct bpf_record record = { .kind = BPF_RECORD_EDGE };

	if (!state || !state->is_armed)
		return 0;
	record.cpu = bpf_get_smp_processor_id();
	if (!read_undisturbed(state, &record)) {
		__sync_fetch_and_add(&state->lost, 1);
		return 0;
	}
	record.prev.tid = (int)ids;
	record.prev.pid = (int)(ids >> 32);
	record.edge.program = program;
	record.edge.number = number;
	record.edge.returned = returned;
	if (action)
		bpf_probe_read_kernel_str(record.edge.name, sizeof(record.edge.name),
					  BPF_CORE_READ(action, name));
	name_own(&record);
	send(state, &record);
	return 0;
}

SEC("raw_tp/irq_handler_entry")
int on_irq_entry(struct bpf_raw_tracepoint_args *context)
{
	return send_edge(BPF_EDGE_IRQ_ENTRY, (int)context->args[0], 0,
			 (const struct irqaction *)context->args[1]);
}

SEC("raw_tp/irq_handler_exit")
int on_irq_exit(struct bpf_raw_tracepoint_args *context)
{
	return send_edge(BPF_EDGE_IRQ_EXIT, (int)context->args[0], (int)context->args[2],
			 0);
}

/* Softirqs and vectors: the loader attaches as many as there are tracepoints. */
#define EDGE(program)                                                   \
	SEC("raw_tp")                                                   \
	int on_edge_##program(struct bpf_raw_tracepoint_args *context)  \
	{                                                               \
		return send_edge(program, (int)context->args[0], 0, 0); \
	}
EDGE(2)
EDGE(3)
EDGE(4)
EDGE(5)
EDGE(6)
EDGE(7)
EDGE(8)
EDGE(9)
EDGE(10)
EDGE(11)
EDGE(12)
EDGE(13)
EDGE(14)
EDGE(15)
EDGE(16)
EDGE(17)
EDGE(18)
EDGE(19)
EDGE(20)
EDGE(21)
EDGE(22)
EDGE(23)

char LICENSE[] SEC("license") = "Dual MIT/GPL";
