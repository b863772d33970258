/*
 * The simulated machine: tasks that run, sleep, migrate, fork, exec and exit on some
 * CPUs, each with a group of counters that is read at every context switch.  What
 * happens goes to the trace as records and to the ledger as truth.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "common/random.h"
#include "trace/ledger.h"
#include "trace/trace.h"

enum {
	TASK_MAX = 64,
	FREED_MAX = 32,
};

struct task {
	bool used;
	bool on_cpu;
	bool exiting;  /* the EXIT record is written */
	bool outside;  /* of the recorder's PID namespace */
	bool nameless; /* COMM of its own comes when it first runs */
	bool silent;   /* has no COMM record so far */
	uint32_t pid;
	uint32_t tid;
	struct trace_task shown; /* the same as COMM, FORK and EXIT name it */
	struct task *main;
	unsigned thread_count; /* living threads beside the main one */
	unsigned comm_records;
	unsigned cgroup;      /* its place in cgroups[] */
	unsigned held_rounds; /* cannot run before that many more rounds are over */
	uint64_t ready_ns;
	size_t account;
	char comm[COMM_BYTES];
};

enum action {
	ACTION_NONE,
	ACTION_COMM,
	ACTION_EXEC,
	ACTION_FORK,
	ACTION_EXIT,
	ACTION_THROTTLE,
};

struct cpu {
	struct task idle;
	struct task *current;
	enum action action; /* comes before the end of the slice */
	uint64_t event_ns;  /* time of the action, or of the end of the slice */
	uint64_t slice_end_ns;
	uint64_t values[COUNTER_MAX];
	uint64_t growth[COUNTER_MAX]; /* during the slice that just ended */
	uint64_t enabled_since_ns;
	uint64_t stopped_ns;   /* total before the present window */
	uint64_t off_start_ns; /* window in which the group does not count */
	uint64_t off_end_ns;
	unsigned faults_in[FAULT_COUNT]; /* chances left before the next one */
	unsigned hide_left;		 /* samples still to be dropped */
	enum fault hide_kind;
	uint64_t pending_lost;
	uint64_t pending_lost_samples;
	uint64_t lost_total;
	uint32_t last_next_tid; /* as the last sample in the file says */
	unsigned chain_left;
	bool idle_ran_unseen; /* since the last sample in the file */
	bool thread_ran_unseen, several_ran_unseen;
	uint32_t unseen_tid; /* the last one */
};

struct freed_tid {
	uint32_t tid;
	uint64_t freed_ns;
};

struct machine {
	const struct scenario *scenario;
	struct trace *trace;
	struct ledger *ledger;
	struct rng rng;
	struct cpu cpus[CPU_MAX];
	struct task tasks[TASK_MAX];
	unsigned task_count; /* slots in use */
	struct freed_tid freed[FREED_MAX];
	unsigned freed_count;
	uint32_t next_tid;
	uint32_t next_inside_tid;
	uint64_t round_ns;  /* time of the next step of the round */
	unsigned round_cpu; /* CPU whose ring that step flushes */
	uint64_t switch_count;
};

void machine_init(struct machine *machine, const struct scenario *scenario,
		  struct trace *trace, struct ledger *ledger, uint64_t seed);
void machine_run(struct machine *machine, uint64_t switches);

/* Stamp of a record written by a task on a CPU; writes what was lost there before. */
struct stamp machine_stamp(struct machine *machine, unsigned cpu, const struct task *task,
			   uint64_t time_ns);

/* In tasks.c: tasks. */
void tasks_init(struct machine *machine);
enum action tasks_choose_action(struct machine *machine, const struct task *task);
void tasks_act(struct machine *machine, unsigned cpu, enum action action,
	       uint64_t now_ns);

/* A task ready to run, or NULL. */
struct task *tasks_pick(struct machine *machine, uint64_t now_ns);
void tasks_bury(struct machine *machine, struct task *task, uint64_t now_ns);
void tasks_end_round(struct machine *machine, uint64_t now_ns);

#endif
