/*
 * The simulated machine: processes and threads that run, sleep, migrate, start and end on
 * some CPUs, each CPU with counters that are read at its context switches.  What happens
 * goes to both writers.
 */
#ifndef ETW_MACHINE_H
#define ETW_MACHINE_H

#include "etw/etl_write.h"
#include "etw/xperf_write.h"

enum {
	TASK_MAX = 512,
	GROUP_MAX = 160,
	FREED_MAX = 64,
};

/* A living process, and one that has ended but whose last thread is still on a CPU. */
struct group {
	bool used;
	bool ended;
	uint32_t pid;
	uint32_t parent_pid;
	size_t process;	  /* in the ledger */
	unsigned living;  /* threads without an End event */
	unsigned present; /* threads that may still be switched out */
	unsigned version;
	int authorities;
	unsigned command; /* which one */
};

struct task {
	bool used;
	bool on_cpu;
	bool ended; /* its End event is written */
	bool silent;
	unsigned runs_left; /* after its End event */
	uint32_t tid;
	unsigned group;
	size_t account;
	unsigned version;
	bool name_field;
	uint64_t ready_us;
};

struct cpu {
	struct task idle;
	struct task *current;
	bool acting;	   /* the next step is an action, not a switch */
	uint64_t event_us; /* time of the next step */
	uint64_t slice_end_us;
	uint64_t switch_us; /* of the last switch, written or not */
	uint64_t values[COUNTER_MAX + 1];
	unsigned hide_left; /* switches that will not be written */
	bool dropped;	    /* LastDroppedTimes will speak of the present interval */
};

struct freed_id {
	uint32_t id;
	uint64_t freed_us;
};

struct machine {
	const struct etw_plan *plan;
	struct etl *etl;
	struct xperf *xperf;
	struct etw_ledger *ledger;
	struct rng rng;
	struct cpu cpus[CPU_MAX];
	struct group groups[GROUP_MAX];
	unsigned group_goal; /* how many there are at first */
	unsigned task_goal;
	struct task tasks[TASK_MAX];
	unsigned task_count; /* slots in use */
	struct freed_id freed[FREED_MAX];
	unsigned freed_count;
	uint32_t next_id;
	bool id_reused;	 /* the last one given out */
	unsigned births; /* of processes and threads, to go round names and versions */
	uint64_t switch_count;
	uint64_t switch_goal;
	uint64_t last_us;	      /* of any event */
	uint64_t dropped_us[CPU_MAX]; /* the last time, 0: never */
	bool drop_untold[CPU_MAX];
	bool corrupt;
	uint64_t last_good_us[CPU_MAX]; /* 0: always */
	unsigned runs;
};

void machine_run(struct machine *machine, const struct etw_plan *plan, struct etl *etl,
		 struct xperf *xperf, struct etw_ledger *ledger, uint64_t switches,
		 uint64_t seed);

struct etw_stamp machine_stamp(const struct machine *machine, unsigned cpu, uint64_t us);

/* In tasks.c: processes and threads. */
void tasks_init(struct machine *machine);
void tasks_act(struct machine *machine, unsigned cpu, uint64_t us);
/* A thread ready to run, or NULL. */
struct task *tasks_pick(struct machine *machine, uint64_t us);
void tasks_bury(struct machine *machine, struct task *task, uint64_t us);
/* Start or end of the trace; returns the time after the last event. */
uint64_t tasks_rundown(struct machine *machine, uint64_t us, enum verb verb);

/* In facts.c: the facts about them. */
struct etw_process_facts facts_of_group(const struct machine *machine,
					const struct group *group);
struct etw_thread_facts facts_of_task(const struct machine *machine,
				      const struct task *task);
unsigned facts_process_version(const struct machine *machine);
int facts_user(const struct machine *machine);
const char *facts_image(const struct machine *machine);
/* Of 10,000 branches of the demo. */
unsigned facts_mispredicted(const struct machine *machine, const struct task *task);
const char *facts_thread_name(const struct machine *machine, const struct group *group);
void facts_choose_version(struct machine *machine, struct task *task);

/* In session.c: what a session writes beside, at its start, end and in between. */
uint64_t session_begin(struct machine *machine, uint64_t us);
uint64_t session_end(struct machine *machine, uint64_t us);
void session_act(struct machine *machine, unsigned cpu, uint64_t us);

#endif
