/* The table of plans: one line of facts each, one thing under test each. */
#include "etw/plan.h"

#define QPC CLOCK_QPC, 10000000
#define GO TASKS_COME_AND_GO
#define NAMED (TASKS_COME_AND_GO | TASKS_THREAD_NAMES)

/* clang-format off */
const struct etw_plan etw_plans[] = {
	/* CPUs, counters, CSwitch version, clock, faults, tasks, dress */
	{ "basic", "rundown, processes come and go, nothing goes wrong",
	  4, 2, 4, QPC, 0, GO, 0 },
	{ "steady", "no task starts or ends, however long: for measuring",
	  4, 2, 4, QPC, 0, 0, 0 },
	{ "demo", "the sum over sorted and unsorted numbers: 0.06 and 18 % mispredicted",
	  2, 2, 4, QPC, 0, TASKS_DEMO, 0 },
	{ "cpus_1", "one CPU", 1, 2, 4, QPC, 0, GO, 0 },
	{ "cpus_64", "as many as a group holds", 64, 2, 4, QPC, 0, GO, 0 },
	{ "counters_0", "context switches without counters", 4, 0, 4, QPC, 0, GO, 0 },
	{ "counters_1", "one counter", 2, 1, 4, QPC, 0, GO, 0 },
	{ "counters_3", "three counters", 2, 3, 4, QPC, 0, GO, 0 },
	{ "counters_7", "as many as three bits can say, large values",
	  2, 7, 4, QPC, 0, GO, DRESS_BIG_VALUES },
	{ "pebs", "a PEBS index before the counters", 4, 2, 4, QPC, 0, GO, DRESS_PEBS },
	{ "cswitch_v1", "CSwitch of 16 bytes", 2, 2, 1, QPC, 0, GO, 0 },
	{ "cswitch_v2", "CSwitch version 2", 2, 2, 2, QPC, 0, GO, 0 },
	{ "cswitch_v3", "CSwitch version 3", 2, 2, 3, QPC, 0, GO, 0 },
	{ "cswitch_v5", "CSwitch of a version to come, 28 bytes", 2, 2, 5, QPC, 0, GO, 0 },
	{ "frequency_low", "performance counter of 2337949 Hz",
	  4, 2, 4, CLOCK_QPC, 2337949, 0, GO, 0 },
	{ "frequency_odd", "performance counter of 2994853 Hz",
	  4, 2, 4, CLOCK_QPC, 2994853, 0, GO, 0 },
	{ "clock_system", "stamps are system time",
	  4, 2, 4, CLOCK_SYSTEM, 10000000, 0, GO, 0 },
	{ "clock_cycles", "stamps are CPU cycles of 2400 MHz",
	  4, 2, 4, CLOCK_CYCLES, 2400000000u, 0, GO, 0 },
	{ "late", "a third of the switches come before the counters are armed",
	  4, 2, 4, QPC, FAULT_LATE, GO, 0 },
	{ "uncounted", "some switches have no counters", 4, 2, 4, QPC, FAULT_UNCOUNTED, GO, 0 },
	{ "odd_count", "some switches have another number of counters",
	  4, 2, 4, QPC, FAULT_ODD_COUNT, GO, 0 },
	{ "reset", "counters go down", 4, 2, 4, QPC, FAULT_RESET, GO, 0 },
	{ "lost_buffer", "numbers of buffers that are not there",
	  4, 2, 4, QPC, FAULT_LOST_BUFFER, 0, 0 },
	{ "events_lost", "events lost between buffers, reported by flags",
	  4, 2, 4, QPC, FAULT_EVENTS_LOST, 0, 0 },
	{ "last_dropped", "events lost, reported by LastDroppedTimes",
	  4, 2, 4, QPC, FAULT_DROPPED, GO, 0 },
	{ "corruption", "counters that are no longer good on some CPUs",
	  4, 2, 4, QPC, FAULT_CORRUPTION, GO, 0 },
	{ "chain_break", "switches missing, and nothing says so",
	  4, 2, 4, QPC, FAULT_CHAIN, 0, 0 },
	{ "truncated", "the file ends within its last buffer",
	  4, 2, 4, QPC, FAULT_TRUNCATED, 0, 0 },
	{ "reuse", "numbers of processes and threads are given out again",
	  4, 2, 4, QPC, 0, NAMED | TASKS_REUSE, 0 },
	{ "after_exit", "threads run on after their End events",
	  4, 2, 4, QPC, 0, GO | TASKS_LINGER, 0 },
	{ "rundown_end", "named by End and DCEnd events only",
	  4, 2, 4, QPC, 0, NAMED | TASKS_RUNDOWN_END, 0 },
	{ "unknown_threads", "threads that no event names",
	  4, 2, 4, QPC, 0, GO | TASKS_UNKNOWN, 0 },
	{ "two_configs", "a second list of counters differs from the first",
	  4, 2, 4, QPC, 0, GO, DRESS_TWO_CONFIGS },
	{ "same_configs", "the list of counters twice",
	  4, 2, 4, QPC, 0, GO, DRESS_SAME_CONFIGS },
	{ "no_config", "no list of counters", 4, 2, 4, QPC, 0, GO, DRESS_NO_CONFIG },
	{ "batched", "batched context switches alone: no bill",
	  4, 0, 4, QPC, 0, 0, DRESS_BATCHED | DRESS_ONLY_BATCHED },
	{ "batched_mixed", "batched context switches beside the others",
	  4, 2, 4, QPC, 0, GO, DRESS_BATCHED },
	{ "names", "commas, quotes, parentheses, code page 1252, long command lines",
	  4, 3, 4, QPC, 0, NAMED | TASKS_ODD_NAMES, 0 },
	{ "versions", "every version of Process and Thread events, SetName, Defunct",
	  4, 2, 4, QPC, 0, NAMED | TASKS_VERSIONS, 0 },
	{ "sids", "users of every size, and none", 4, 2, 4, QPC, 0, GO | TASKS_SIDS, 0 },
	{ "images", "Image versions 1 to 3", 4, 2, 4, QPC, 0, GO, DRESS_IMAGES },
	{ "samples", "SampledProfile, PmcInterrupt and intervals",
	  4, 2, 4, QPC, 0, GO, DRESS_SAMPLES },
	{ "samples_noted_late", "the same, whose intervals are noted at the end",
	  4, 2, 4, QPC, 0, GO, DRESS_SAMPLES | DRESS_NOTED_LATE },
	{ "counted", "disk, network and timer events of the kernel",
	  4, 2, 4, QPC, 0, GO, DRESS_COUNTED },
	{ "ready", "ReadyThread", 4, 2, 4, QPC, 0, GO, DRESS_READY },
	{ "single_stream", "one stream for all CPUs: no bill",
	  4, 2, 4, QPC, 0, 0, DRESS_SINGLE_STREAM },
	{ "append", "a second session after the first, with a clock of its own",
	  4, 2, 4, QPC, 0, GO, DRESS_APPEND },
	{ "merged", "as the merge writes it: no logger, classic and manifest events",
	  4, 2, 4, QPC, 0, NAMED, DRESS_MERGED | DRESS_STRANGE },
	{ "cpu_header", "SystemConfig with the name of the computer",
	  4, 2, 4, QPC, 0, GO, DRESS_CPU_CONFIG },
	{ "huge", "buffers of 256 KiB, long runs of equal events",
	  2, 2, 4, QPC, 0, GO, DRESS_HUGE },
	{ "everything", "most of it at once",
	  6, 5, 4, QPC,
	  FAULT_RESET | FAULT_LOST_BUFFER | FAULT_EVENTS_LOST | FAULT_DROPPED |
	  FAULT_CHAIN | FAULT_ODD_COUNT | FAULT_UNCOUNTED | FAULT_LATE,
	  NAMED | TASKS_REUSE | TASKS_LINGER | TASKS_UNKNOWN | TASKS_ODD_NAMES |
	  TASKS_VERSIONS | TASKS_SIDS,
	  DRESS_SAME_CONFIGS | DRESS_BATCHED | DRESS_IMAGES | DRESS_SAMPLES | DRESS_READY |
	  DRESS_CPU_CONFIG | DRESS_NOISE | DRESS_STRANGE | DRESS_BIG_VALUES },
};
/* clang-format on */

const size_t etw_plan_count = COUNT(etw_plans);

const char *etw_counter_name(const struct etw_plan *plan, unsigned counter)
{
	static const char *const usual[COUNTER_MAX] = {
		"BranchInstructions", "BranchMispredictions", "InstructionRetired",
		"TotalCycles",	      "LLCReference",	      "LLCMisses",
		"UnhaltedCoreCycles",
	};
	static const char *const odd[COUNTER_MAX] = {
		"Retired \xc2\xb5ops", "L1 misses (all)", "Dispatch\"Stalls\"",
		"TotalCycles",	       "LLCReference",	  "LLCMisses",
		"UnhaltedCoreCycles",
	};
	static const char *const unnamed[COUNTER_MAX] = {
		"pmc0", "pmc1", "pmc2", "pmc3", "pmc4", "pmc5", "pmc6",
	};

	if (plan->dress & DRESS_NO_CONFIG)
		return unnamed[counter];
	return plan->tasks & TASKS_ODD_NAMES ? odd[counter] : usual[counter];
}

bool etw_plan_has_text(const struct etw_plan *plan)
{
	/* Text has no buffers, no list of counters, and LastGood on a clock it never
	 * shows. */
	if (plan->dress & (DRESS_NO_CONFIG | DRESS_SINGLE_STREAM | DRESS_ONLY_BATCHED))
		return false;
	return !(plan->faults & (FAULT_CORRUPTION | FAULT_TRUNCATED));
}
