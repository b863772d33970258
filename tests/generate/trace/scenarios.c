/* The table of scenarios: one line of facts each, one thing under test each. */
#include <linux/perf_event.h>

#include "trace/scenario.h"

enum {
	TYPE_HARDWARE,
	TYPE_SOFTWARE,
	TYPE_TRACEPOINT,
	TYPE_CACHE,
	TYPE_RAW,
	TYPE_MSR = 9, /* one of those the kernel numbers as it likes */
};

/* clang-format off */
static const struct counter_spec usual_members[COUNTER_MAX - 1] = {
	{ "cycles", TYPE_HARDWARE, 0 },
	{ "instructions", TYPE_HARDWARE, 1 },
	{ "cache-misses", TYPE_HARDWARE, 3 },
	{ "branches", TYPE_HARDWARE, 4 },
	{ "branch-misses", TYPE_HARDWARE, 5 },
	{ "page-faults", TYPE_SOFTWARE, 2 },
	{ "msr/tsc/", TYPE_MSR, 0 },
};
/* clang-format on */

/* clang-format off */
/* Names a CSV header must quote, and one that differs from its config's usual name. */
static const struct counter_spec odd_members[COUNTER_MAX - 1] = {
	{ "cpu/event=0x3c,umask=0x0/", TYPE_RAW, 0x3c },
	{ "instructions:u", TYPE_HARDWARE, 1 },
	{ "L1-dcache-load-misses", TYPE_CACHE, 0x10000 },
	{ "cpu/event=0xc0,name=retired/", TYPE_RAW, 0xc0 },
	{ "stalls \xc2\xb5op", TYPE_RAW, 0x10e },
	{ "task-clock", TYPE_SOFTWARE, 1 },
	{ "r412e", TYPE_RAW, 0x412e },
};
/* clang-format on */

const struct cgroup cgroups[CGROUP_COUNT] = {
	{ 1, "/" },
	{ 5131, "/system.slice/cron.service" },
	{ 7402, "/user.slice/user-1000.slice" },
	{ 0x100001f2a, "/kubepods/pod1" },
	{ 9000, ":9000" },
};

/* Sample types: what the attribution needs, and what perf record adds to it. */
#define NEEDED (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_READ)
#define BARE (NEEDED | PERF_SAMPLE_RAW)
#define NO_RAW (NEEDED | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_IDENTIFIER)
#define USUAL (NO_RAW | PERF_SAMPLE_RAW)
#define BY_ID (NEEDED | PERF_SAMPLE_IP | PERF_SAMPLE_ID)
#define MANY                                                                    \
	(USUAL | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |    \
	 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |    \
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

/* Read formats, all of them GROUP: E enabled, R running, I id, L lost. */
#define G PERF_FORMAT_GROUP
#define GI (G | PERF_FORMAT_ID)
#define GEI (GI | PERF_FORMAT_TOTAL_TIME_ENABLED)
#define GRI (GI | PERF_FORMAT_TOTAL_TIME_RUNNING)
#define GERI (GEI | GRI)
#define GIL (GI | PERF_FORMAT_LOST)
#define GEIL (GEI | PERF_FORMAT_LOST)
#define GRIL (GRI | PERF_FORMAT_LOST)
#define GERIL (GERI | PERF_FORMAT_LOST)

#define LIFE (TRAIT_FORK | TRAIT_EXEC | TRAIT_EXIT_TID | TRAIT_THREADS)
#define LIFE_SW (TRAIT_FORK | TRAIT_EXEC | TRAIT_THREADS)
#define EVERY_FAULT                                                                     \
	(TRAIT_IDLE_MISS | TRAIT_CHAIN | TRAIT_LOST | TRAIT_LOST_SAMPLES | TRAIT_JUMP | \
	 TRAIT_THROTTLE | TRAIT_DECREASE | TRAIT_MUX)
#define DRESS                                                                      \
	(TRAIT_ODD_NAMES | TRAIT_TRACKER | TRAIT_TOOL_RECORDS | TRAIT_STALE_COMM | \
	 TRAIT_BIG_VALUES | TRAIT_GROUP_DESC)

#define TP false
#define SW true
#define PLAIN LAYOUT_USUAL

/* clang-format off */
const struct scenario scenarios[] = {
	/* CPUs, counters, leader, layout, attr bytes, reads, samples, traits, members */
	{ "basic", "as perf record -a writes it, nothing goes wrong",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, TRAIT_GROUP_DESC, usual_members },
	{ "one_counter", "the leader alone, smallest sample",
	  2, 1, TP, PLAIN, 64, GI, BARE, 0, usual_members },
	{ "two_counters", "one CPU, times in the reads, no period and no IP",
	  1, 2, TP, PLAIN, 72, GERI, BARE | PERF_SAMPLE_ID, 0, usual_members },
	{ "eight_counters", "eight CPUs, all read fields, large values",
	  8, 8, TP, PLAIN, 104, GERIL, USUAL, TRAIT_BIG_VALUES, usual_members },
	{ "read_enabled", "time_enabled without time_running",
	  2, 4, TP, PLAIN, 80, GEI, USUAL, 0, usual_members },
	{ "read_running", "time_running without time_enabled",
	  2, 4, TP, PLAIN, 96, GRI, USUAL, 0, usual_members },
	{ "read_enabled_lost", "time_enabled and lost",
	  2, 4, TP, PLAIN, 112, GEIL, USUAL, 0, usual_members },
	{ "read_running_lost", "time_running and lost",
	  2, 2, TP, PLAIN, 120, GRIL, USUAL, 0, usual_members },
	{ "no_id", "no ids in the reads: members are known by their order (perf refuses)",
	  2, 4, TP, PLAIN, 112, G, USUAL, 0, usual_members },
	{ "software", "leader context-switches, tasks come and go",
	  4, 4, SW, PLAIN, 128, GIL, NO_RAW, LIFE_SW, usual_members },
	{ "software_single", "context-switches alone",
	  2, 1, SW, PLAIN, 64, GI, NEEDED, 0, usual_members },
	{ "software_switch", "context-switches with SWITCH records",
	  4, 2, SW, PLAIN, 96, GERI, NO_RAW, TRAIT_SWITCH | LIFE_SW, usual_members },
	{ "state4", "prev_state of 4 bytes, leftovers after the comms",
	  2, 4, TP, LAYOUT_STATE4, 80, GI, BY_ID | PERF_SAMPLE_RAW,
	  TRAIT_STALE_COMM | TRAIT_PLAIN_TRACING, usual_members },
	{ "extra_fields", "format with fields before prev_pid",
	  2, 4, TP, LAYOUT_EXTRA, 96, GIL, USUAL, 0, usual_members },
	{ "next_first", "format with next_pid before prev_pid",
	  2, 4, TP, LAYOUT_NEXT_FIRST, 112, GIL, USUAL, TRAIT_PLAIN_TRACING,
	  usual_members },
	{ "body_fields", "every plain field of the sample body, and a call chain",
	  2, 4, TP, PLAIN, 128, GERIL, MANY, TRAIT_FORK | TRAIT_LOST, usual_members },
	{ "fork_exit", "processes come and go; exited ones have tid -1",
	  4, 4, TP, PLAIN, 120, GIL, USUAL, TRAIT_FORK | TRAIT_EXIT_TID, usual_members },
	{ "exit_zero", "exited ones have tid 0 and their pid, as old kernels write it",
	  4, 4, TP, PLAIN, 120, GIL, USUAL, TRAIT_FORK | TRAIT_EXIT_ZERO | TRAIT_SWITCH,
	  usual_members },
	{ "threads", "threads with comms of their own",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, TRAIT_FORK | TRAIT_THREADS | TRAIT_EXIT_TID,
	  usual_members },
	{ "exec", "processes change their names",
	  4, 2, TP, PLAIN, 128, GIL, USUAL, TRAIT_FORK | TRAIT_EXEC, usual_members },
	{ "reuse", "tids and pids are given out again",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, LIFE | TRAIT_REUSE, usual_members },
	{ "cgroups", "tasks in control groups, which they change; orphans, reused pids",
	  4, 4, TP, PLAIN, 128, GIL, USUAL | PERF_SAMPLE_CGROUP,
	  LIFE | TRAIT_REUSE | TRAIT_IDLE_MISS | TRAIT_CHAIN | TRAIT_LOST | TRAIT_CGROUPS,
	  usual_members },
	{ "software_cgroups", "the same with leader context-switches",
	  2, 3, SW, PLAIN, 128, GERIL, NO_RAW | PERF_SAMPLE_CGROUP,
	  LIFE_SW | TRAIT_REUSE | TRAIT_SWITCH | TRAIT_CGROUPS, usual_members },
	{ "software_reuse", "the same with leader context-switches",
	  4, 4, SW, PLAIN, 128, GIL, NO_RAW, LIFE_SW | TRAIT_REUSE, usual_members },
	{ "late_fork", "a child's first records are in the file before its FORK, reused tids",
	  4, 4, SW, PLAIN, 128, GIL, NO_RAW, LIFE_SW | TRAIT_REUSE | TRAIT_LATE_FORK,
	  usual_members },
	{ "namespace", "recorder inside a PID namespace",
	  4, 4, TP, PLAIN, 128, GIL, USUAL,
	  TRAIT_NAMESPACE | TRAIT_FORK | TRAIT_EXIT_TID, usual_members },
	{ "namespace_collide", "its numbers are also numbers of tasks outside",
	  4, 4, TP, PLAIN, 128, GIL, USUAL,
	  TRAIT_NAMESPACE | TRAIT_COLLIDE | TRAIT_FORK | TRAIT_EXIT_TID, usual_members },
	{ "software_namespace", "the same with leader context-switches: ids 0/0 are not idle",
	  4, 4, SW, PLAIN, 128, GIL, NO_RAW, TRAIT_NAMESPACE | TRAIT_FORK,
	  usual_members },
	{ "idle_miss", "switches out of idle have no sample",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, TRAIT_IDLE_MISS, usual_members },
	{ "idle_miss_switch", "the same with SWITCH records",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, TRAIT_IDLE_MISS | TRAIT_SWITCH,
	  usual_members },
	{ "software_idle_miss", "unsampled switches out of idle are counted",
	  4, 4, SW, PLAIN, 128, GIL, NO_RAW, TRAIT_IDLE_MISS, usual_members },
	{ "software_idle_switch", "the same with SWITCH records",
	  4, 4, SW, PLAIN, 128, GIL, NO_RAW, TRAIT_IDLE_MISS | TRAIT_SWITCH,
	  usual_members },
	{ "software_jump_switch", "the same, and windows without samples that only they show",
	  4, 4, SW, PLAIN, 128, GIL, NO_RAW,
	  TRAIT_IDLE_MISS | TRAIT_JUMP | TRAIT_SWITCH | TRAIT_FORK, usual_members },
	{ "jump_switch", "windows without samples beside the tracepoint, likewise",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, TRAIT_IDLE_MISS | TRAIT_JUMP | TRAIT_SWITCH,
	  usual_members },
	{ "switch_records", "SWITCH records beside the tracepoint",
	  4, 4, TP, PLAIN, 104, GIL, USUAL, TRAIT_SWITCH | LIFE, usual_members },
	{ "lost", "windows without samples, then LOST",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, TRAIT_LOST | TRAIT_FORK, usual_members },
	{ "lost_samples", "windows without samples, then LOST_SAMPLES",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, TRAIT_LOST_SAMPLES | TRAIT_FORK,
	  usual_members },
	{ "leader_jump", "windows without samples and no record of it",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, TRAIT_JUMP, usual_members },
	{ "software_lost", "LOST and silent losses, leader context-switches",
	  4, 4, SW, PLAIN, 128, GIL, BY_ID, TRAIT_LOST | TRAIT_JUMP, usual_members },
	{ "throttle", "THROTTLE and UNTHROTTLE between two samples",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, TRAIT_THROTTLE, usual_members },
	{ "decrease", "a cumulative value goes down",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, TRAIT_DECREASE, usual_members },
	{ "chain_break", "switches between threads neither sampled nor counted",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, TRAIT_CHAIN, usual_members },
	{ "times", "enabled and running keep the same distance",
	  4, 4, TP, PLAIN, 128, GERIL, USUAL, TRAIT_FORK, usual_members },
	{ "mux", "the group is off for a while",
	  4, 4, TP, PLAIN, 128, GERIL, USUAL, TRAIT_MUX, usual_members },
	{ "mux_no_times", "the same, and nothing in the reads says so",
	  4, 4, TP, PLAIN, 128, GIL, USUAL, TRAIT_MUX, usual_members },
	{ "software_mux", "the group is off for a while, leader context-switches",
	  4, 4, SW, PLAIN, 128, GERIL, NO_RAW, TRAIT_MUX, usual_members },
	{ "no_trailers", "records other than samples carry no sample_id",
	  4, 4, TP, PLAIN, 128, GIL, USUAL,
	  TRAIT_NO_TRAILERS | LIFE | TRAIT_LOST | TRAIT_THROTTLE, usual_members },
	{ "software_no_trailers", "the same with leader context-switches",
	  4, 2, SW, PLAIN, 64, GI, BY_ID,
	  TRAIT_NO_TRAILERS | LIFE_SW | TRAIT_LOST, usual_members },
	{ "tracker", "COMM and FORK belong to a dummy event with other trailers",
	  4, 4, TP, PLAIN, 128, GIL, MANY,
	  TRAIT_TRACKER | TRAIT_TOOL_RECORDS | TRAIT_GROUP_DESC | TRAIT_SWITCH |
	  TRAIT_LOST | LIFE, usual_members },
	{ "names", "comma, quote, space and UTF-8 in names",
	  2, 8, TP, PLAIN, 128, GIL, USUAL, TRAIT_ODD_NAMES | LIFE, odd_members },
	{ "everything", "most of it at once",
	  6, 8, TP, LAYOUT_EXTRA, 128, GERIL, MANY,
	  EVERY_FAULT | LIFE | TRAIT_REUSE | TRAIT_SWITCH | DRESS, odd_members },
	{ "software_everything", "most of it at once, leader context-switches",
	  6, 8, SW, PLAIN, 120, GERIL, NO_RAW | PERF_SAMPLE_STREAM_ID,
	  (EVERY_FAULT & ~TRAIT_CHAIN) | LIFE_SW | TRAIT_REUSE | TRAIT_SWITCH |
	  (DRESS & ~TRAIT_STALE_COMM), odd_members },
};
/* clang-format on */

const size_t scenario_count = COUNT(scenarios);

bool scenario_has_times(const struct scenario *scenario)
{
	return (scenario->read_format & GERI) == GERI;
}

bool scenario_hides_idle(const struct scenario *scenario)
{
	return scenario->software_leader && scenario_has(scenario, TRAIT_NAMESPACE);
}

uint16_t scenario_tracepoint_id(const struct scenario *scenario)
{
	return (uint16_t)(316 + 29 * scenario->layout);
}

struct counter_spec scenario_counter(const struct scenario *scenario, unsigned index)
{
	if (index > 0)
		return scenario->members[index - 1];
	if (scenario->software_leader)
		return (struct counter_spec){ "context-switches", TYPE_SOFTWARE, 3 };
	return (struct counter_spec){ "sched:sched_switch", TYPE_TRACEPOINT,
				      scenario_tracepoint_id(scenario) };
}
