/*
 * counters.h - the kernel's counters of one recording: which, in which groups, where.
 *
 * A group is a leader that fires at every context switch, and siblings that are read
 * whenever it does.  It is opened once for every CPU, or for every task and CPU.  Beside
 * the groups is the tracker, an event that counts nothing and reports names, births,
 * ends and switches.  counter_plan.c decides what goes into which group; counters.c opens
 * it.  Layout of perf_event_attr, meaning of its fields: perf_event_open(2).
 */
#ifndef PERFTAB_COUNTERS_H
#define PERFTAB_COUNTERS_H

#include <stdint.h>

#include "capture/linux/counters/permissions.h"
#include "capture/linux/events/event.h"
#include "common/cpu_list.h"

#define COUNTER_GROUPS_MAX 256

/* What is to be counted, and of which tasks. */
struct counter_request {
	const struct event_list *events;
	const struct permissions *permissions;
	const char *tracefs;  /* NULL: no tracepoint leads */
	struct cpu_list cpus; /* borrowed; online */
	const pid_t *tids;    /* tasks to follow, with their children; NULL: CPUs */
	size_t tid_count;
	bool follows_cgroup; /* counts only while tasks of the control group run */
	int cgroup_fd;	     /* its folder */
	uint64_t cgroup_id;  /* as the kernel knows it */
	uint32_t wake_bytes; /* in a ring, before the kernel wakes us */
	bool multiplex;	     /* several groups may take turns */
	bool has_witness;    /* the tracker samples who is on its CPU: group_reads.h */
	const char *filter;  /* of the tracepoints that are counted, or NULL */
	bool bpf; /* BPF programs read them; whole CPUs, and tracefs is there */
};

/* What this kernel supports; older ones support less. */
struct kernel_support {
	bool inherit;  /* groups read of children too: 6.12 */
	bool lost;     /* PERF_FORMAT_LOST: 6.0 */
	bool switches; /* SWITCH records: 4.3 */
	bool cgroups;  /* ids of control groups in samples: 5.7, CONFIG_CGROUP_PERF */
	bool clockid;  /* another clock than the scheduler's: 4.1 */
	bool kernel;   /* permitted: to count what runs in the kernel */
};

struct counted_event {
	char *name;			   /* owned */
	const struct capture_event *asked; /* NULL: a leader, or the tracker */
	struct perf_event_attr attr;
	size_t group; /* SIZE_MAX: the tracker */
	bool is_leader;
	int *fds;      /* by instance, -1: it is not counted there */
	uint64_t *ids; /* by instance */
};

struct counted_group {
	size_t first, count; /* its events; the leader is the first */
	size_t part;	     /* of the machine: CPUs that count the same events */
};

/* All zero is closed. */
struct counters {
	struct kernel_support supports;
	bool tracepoint_leads;
	struct counted_event *events; /* group by group; the tracker is the last */
	size_t event_count, event_room;
	struct counted_group groups[COUNTER_GROUPS_MAX];
	size_t group_count;
	size_t *part_of_cpu; /* by place in request.cpus */
	size_t part_count;
	struct counter_request request;
	size_t instances; /* request.cpus.count * max(request.tid_count, 1), CPU by CPU */
};

static inline bool counter_is_edge(const struct counted_event *event)
{
	return event->asked && event->asked->is_edge;
}

/* CPU and task of an instance; the task is -1 where all of a CPU is counted. */
int counters_cpu(const struct counters *counters, size_t instance);
pid_t counters_tid(const struct counters *counters, size_t instance);
static inline struct counted_event *counters_tracker(const struct counters *counters)
{
	return &counters->events[counters->event_count - 1];
}

/* request.c: modifiers and a filter that no kernel could obey are errors. */
MUST_CHECK enum status counter_request_check(const struct counter_request *request,
					     struct error *error);
/* counter_plan.c: what the kernel supports, and the groups; opens nothing that stays. */
MUST_CHECK enum status counters_plan(struct counters *counters,
				     const struct counter_request *request,
				     struct error *error);
/* Opens everything, disarmed.  Whatever happens, counters_close() frees it. */
MUST_CHECK enum status counters_open(struct counters *counters, struct error *error);
void counters_close(struct counters *counters);

/* The tracker first, then what exists is looked up, then the groups. */
void counters_arm_tracker(struct counters *counters);
void counters_arm_groups(struct counters *counters);
void counters_disarm(struct counters *counters);

/* What the groups can tell at the end. */
struct counter_end {
	uint64_t lost; /* samples that found no room, if the kernel reports them */
	uint64_t enabled, running; /* of the group that ran least */
	bool never_ran;		   /* a group was enabled and never on the PMU */
	int gone_cpu;		   /* went offline, and its counters with it; -1: none */
};
void counters_end(const struct counters *counters, struct counter_end *end);

/*
 * Whether the groups of a CPU, by its place, count no more though they are armed: it went
 * offline, and perf does not take it back.
 */
bool counters_are_gone(const struct counters *counters, size_t place);

/* recorder/exit_read_probe.c: a thread that inherited a counter of ours says at its end
 * what that was.
 */
bool exit_reads_are_written(void);

/* perf_event_open(2); close-on-exec. */
int counter_open(struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd);
/* For event_sources.counts: the kernel opens it. */
bool counter_is_counted(void *context, const struct capture_event *event);

#endif
