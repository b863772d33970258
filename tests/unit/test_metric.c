/* test_metric.c - lib/counters/metric.h: which ratios a set of counters allows. */
#include <string.h>

#include "counters/metric.h"
#include "unit.h"

#define NAMES 6

/* Names of one group unless `groups` says otherwise, and the metrics expected of them. */
static const struct {
	int line;
	const char *names[NAMES];
	int64_t groups[NAMES];
	const char *expected; /* "IPC:1/0 ..." by index of the counters */
} possible[] = {
	{ ROW, { NULL }, { 0 }, "" },
	{ ROW, { "cycles" }, { 0 }, "" },
	{ ROW, { "cycles", "instructions" }, { 1, 1 }, "IPC:1/0 " },
	{ ROW, { "instructions", "cycles" }, { 1, 1 }, "IPC:0/1 " },
	{ ROW, { "cycles:u", "instructions:u" }, { 1, 1 }, "IPC:1/0 " },
	{ ROW, { "cycles:u", "instructions:k" }, { 1, 1 }, "" },
	{ ROW, { "cycles", "instructions:u" }, { 1, 1 }, "" },
	{ ROW, { "cycles:u", "instructions:uk" }, { 1, 1 }, "" },
	{ ROW,
	  { "cycles:u", "cycles:k", "instructions:k", "instructions:u" },
	  { 1, 1, 1, 1 },
	  "IPC:2/1 IPC#2:3/0 " },
	{ ROW, { "cpu-cycles:u", "instructions:u" }, { 1, 1 }, "IPC:1/0 " },
	{ ROW, { "cycles", "instructions" }, { 1, 2 }, "" },
	{ ROW, { "cycles", "cycles#2", "instructions" }, { 1, 2, 2 }, "" },
	{ ROW, { "cyclesx", "instructions" }, { 1, 1 }, "" },
	{ ROW, { "cycle", "instructions" }, { 1, 1 }, "" },
	{ ROW, { "Cycles", "instructions" }, { 1, 1 }, "IPC:1/0 " },
	{ ROW,
	  { "branch-misses", "branch-instructions" },
	  { 1, 1 },
	  "branch-miss-rate:0/1 " },
	{ ROW,
	  { "branch-misses", "branches", "instructions" },
	  { 1, 1, 1 },
	  "branch-miss-rate:0/1 branch-MPKI:0/2 " },
	{ ROW, { "cache-misses", "cache-references" }, { 1, 1 }, "cache-miss-rate:0/1 " },
	/* A clock has no user and kernel share: it goes with any modifiers. */
	{ ROW, { "cycles:u", "task-clock" }, { 1, 1 }, "GHz:0/1 " },
	{ ROW, { "page-faults", "task-clock:u" }, { 1, 1 }, "faults/s:0/1 " },
	{ ROW, { "cycles:u", "task-clock" }, { 1, 2 }, "" },
};

UNIT_TEST(possible)
{
	for (size_t i = 0; i < COUNT(possible); i++) {
		struct metric_use uses[16];
		struct metric_counter counters[NAMES];
		struct metric_trace trace = { counters, 0, STR_NONE, STR_NONE };
		char found[256] = "";
		size_t count = 0, used, at = 0;

		for (; count < NAMES && possible[i].names[count]; count++)
			counters[count] = (struct metric_counter){
				{ str_of(possible[i].names[count]), INT64_MIN,
				  INT64_MIN },
				possible[i].groups[count]
			};
		trace.count = count;
		used = metrics_possible(&trace, uses, COUNT(uses));
		for (size_t k = 0; k < used && !uses[k].metric->of_idle; k++)
			at += (size_t)snprintf(found + at, sizeof(found) - at,
					       "%s:%zu/%zu ", uses[k].name,
					       uses[k].numerator, uses[k].denominator);
		ROW_TEXT(&possible[i], found, possible[i].expected);
	}
}

/* Names, types and configs of the common models, and the role of each. */
static const struct {
	int line;
	const char *event;
	int64_t type, config;
	const char *arch, *model;
	enum role role;
	const char *pmu, *modifiers;
} found[] = {
#define UNKNOWN INT64_MIN
	/* perf's generic events, by type and config, whatever the name */
	{ ROW, "instructions:u", 0, 1, "x86_64", "", ROLE_INSTRUCTIONS, "", "u" },
	{ ROW, "my cycles", 0, 0, "x86_64", "", ROLE_CYCLES, "", "" },
	{ ROW, "cpu_core/cycles/", 0, 0x400000000, "x86_64", "", ROLE_CYCLES, "cpu_core",
	  "" },
	{ ROW, "cpu_atom/instructions/uk", 0, 0xa00000001, "", "", ROLE_INSTRUCTIONS,
	  "cpu_atom", "uk" },
	{ ROW, "L1-dcache-load-misses", 3, 0x10000, "", "", ROLE_L1D_MISSES, "", "" },
	{ ROW, "LLC-loads", 3, 2, "", "", ROLE_CACHE_REFERENCES, "", "" },
	{ ROW, "dTLB-load-misses:u", 3, 0x10003, "", "", ROLE_DTLB_MISSES, "", "u" },
	{ ROW, "task-clock", 1, 1, "", "", ROLE_TASK_CLOCK, "", "" },
	{ ROW, "cpu-clock", 1, 0, "", "", ROLE_NONE, "", "" },
	{ ROW, "sched:sched_switch", 2, 372, "", "", ROLE_NONE, "", "" },
	/* perf's own names, where nothing else is known */
	{ ROW, "branch-instructions:P", UNKNOWN, UNKNOWN, "", "", ROLE_BRANCHES, "",
	  "P" },
	{ ROW, "faults", UNKNOWN, UNKNOWN, "", "", ROLE_PAGE_FAULTS, "", "" },
	{ ROW, "cycles-ct", UNKNOWN, UNKNOWN, "", "", ROLE_NONE, "", "" },
	/* Intel */
	{ ROW, "inst_retired.any_p:u", 4, 0xc0, "", "", ROLE_INSTRUCTIONS, "", "u" },
	{ ROW, "skl::INST_RETIRED:ANY_P:uk", 4, 0xc0, "", "", ROLE_INSTRUCTIONS, "",
	  "uk" },
	{ ROW, "cpu_clk_unhalted.thread", 4, 0x3c, "", "", ROLE_CYCLES, "", "" },
	{ ROW, "cpu_core/INST_RETIRED.ANY/u", 4, 0xc0, "", "", ROLE_INSTRUCTIONS,
	  "cpu_core", "u" },
	{ ROW, "br_misp_retired.all_branches", 4, 0xc5, "", "", ROLE_BRANCH_MISSES, "",
	  "" },
	{ ROW, "longest_lat_cache.miss", 4, 0x412e, "", "", ROLE_CACHE_MISSES, "", "" },
	{ ROW, "r00c0", 4, 0xc0, "x86_64", "Intel(R) Xeon(R)", ROLE_INSTRUCTIONS, "",
	  "" },
	{ ROW, "cpu/event=0x2e,umask=0x4f/", 4, 0x4f2e, "x86_64", "Intel(R) Core(TM)",
	  ROLE_CACHE_REFERENCES, "cpu", "" },
	{ ROW, "r00c4", 4, 0xc4, "x86_64", "", ROLE_NONE, "", "" },
	/* AMD */
	{ ROW, "ex_ret_instr", 4, 0xc0, "", "", ROLE_INSTRUCTIONS, "", "" },
	{ ROW, "ls_not_halted_cyc:k", 4, 0x76, "", "", ROLE_CYCLES, "", "k" },
	{ ROW, "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", 4, 0xc3, "", "",
	  ROLE_BRANCH_MISSES, "", "" },
	{ ROW, "r00c2", 4, 0xc2, "x86_64", "AMD EPYC 7763", ROLE_BRANCHES, "", "" },
	{ ROW, "r00c4", 4, 0xc4, "x86_64", "AMD EPYC 7763", ROLE_NONE, "", "" },
	/* Arm */
	{ ROW, "armv8_pmuv3_0/inst_retired/u", 8, 8, "aarch64", "", ROLE_INSTRUCTIONS,
	  "armv8_pmuv3_0", "u" },
	{ ROW, "cpu_cycles", 8, 0x11, "aarch64", "", ROLE_CYCLES, "", "" },
	{ ROW, "r011", 4, 0x11, "aarch64", "", ROLE_CYCLES, "", "" },
	{ ROW, "br_mis_pred_retired", 8, 0x22, "aarch64", "", ROLE_BRANCH_MISSES, "",
	  "" },
	{ ROW, "ll_cache_miss_rd", 8, 0x37, "", "", ROLE_CACHE_MISSES, "", "" },
	/* Windows' profile sources */
	{ ROW, "InstructionRetired", UNKNOWN, UNKNOWN, "", "", ROLE_INSTRUCTIONS, "",
	  "" },
	{ ROW, "TotalCycles", UNKNOWN, UNKNOWN, "", "", ROLE_CYCLES, "", "" },
	{ ROW, "UnhaltedCoreCycles", UNKNOWN, UNKNOWN, "", "", ROLE_CYCLES, "", "" },
	{ ROW, "BranchInstructions", UNKNOWN, UNKNOWN, "", "", ROLE_BRANCHES, "", "" },
	{ ROW, "BranchMispredictions", UNKNOWN, UNKNOWN, "", "", ROLE_BRANCH_MISSES, "",
	  "" },
	{ ROW, "CacheMisses", UNKNOWN, UNKNOWN, "", "", ROLE_CACHE_MISSES, "", "" },
	{ ROW, "LLCReference", UNKNOWN, UNKNOWN, "", "", ROLE_CACHE_REFERENCES, "", "" },
	{ ROW, "LLCMisses", UNKNOWN, UNKNOWN, "", "", ROLE_CACHE_MISSES, "", "" },
	/* Nothing to go by */
	{ ROW, "", UNKNOWN, UNKNOWN, "", "", ROLE_NONE, "", "" },
	{ ROW, ":", UNKNOWN, UNKNOWN, "", "", ROLE_NONE, "", "" },
	{ ROW, "//", UNKNOWN, UNKNOWN, "", "", ROLE_NONE, "", "" },
	{ ROW, "::", UNKNOWN, UNKNOWN, "", "", ROLE_NONE, "", "" },
};

UNIT_TEST(roles)
{
	for (size_t i = 0; i < COUNT(found); i++) {
		const struct role_counter counter = { str_of(found[i].event),
						      found[i].type, found[i].config };
		struct role_found got = role_find(&counter, str_of(found[i].arch),
						  str_of(found[i].model));

		ROW_INT(&found[i], got.role, found[i].role);
		ROW_TRUE(&found[i], str_equal(got.pmu, str_of(found[i].pmu)));
		ROW_TRUE(&found[i], str_equal(got.modifiers, str_of(found[i].modifiers)));
	}
}

/* Of two kinds of cores each has a ratio of its own. */
UNIT_TEST(hybrid)
{
	const struct metric_counter counters[] = {
		{ { STR("cpu_core/instructions/"), 0, 0x400000001 }, 1 },
		{ { STR("cpu_core/cycles/"), 0, 0x400000000 }, 1 },
		{ { STR("cpu_atom/instructions/"), 0, 0xa00000001 }, 1 },
		{ { STR("cpu_atom/cycles/"), 0, 0xa00000000 }, 1 },
	};
	const struct metric_trace trace = { counters, 4, STR_NONE, STR_NONE };
	struct metric_use uses[8];

	assert_int_equal(metrics_possible(&trace, uses, COUNT(uses)), 6);
	assert_string_equal(uses[0].name, "IPC(cpu_core)");
	assert_int_equal(uses[0].denominator, 1);
	assert_string_equal(uses[1].name, "IPC(cpu_atom)");
	assert_int_equal(uses[1].denominator, 3);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(uses[i].is_part, i >= 2);
		assert_int_equal(uses[i].numerator, i % 2 * 2);
	}
	assert_string_equal(uses[2].name, "IPC");
	assert_string_equal(uses[3].name, "IPC");
	assert_int_equal(uses[3].denominator, 3);
	/* Shares of idle are of one counter each, and have no sum. */
	assert_string_equal(uses[5].name, "idle-cycles(cpu_atom)");
	assert_int_equal(uses[5].numerator, 3);
	assert_int_equal(uses[5].denominator, 3);
	assert_false(uses[5].is_part);
	/* No room for the parts of a sum. */
	assert_int_equal(metrics_possible(&trace, uses, 3), 3);
	assert_true(uses[2].metric->of_idle);
}

/* One counter is enough for its share of idle, in each group. */
UNIT_TEST(idle)
{
	const struct metric_counter counters[] = {
		{ { STR("page-faults"), INT64_MIN, INT64_MIN }, 1 },
		{ { STR("task-clock"), INT64_MIN, INT64_MIN }, 1 },
		{ { STR("task-clock"), INT64_MIN, INT64_MIN }, 2 },
		{ { STR("TotalCycles"), INT64_MIN, INT64_MIN }, 2 },
	};
	const struct metric_trace trace = { counters, 4, STR_NONE, STR_NONE };
	struct metric_use uses[8];
	size_t used = metrics_possible(&trace, uses, COUNT(uses));

	assert_int_equal(used, 5); /* after GHz and faults/s */
	assert_string_equal(uses[2].name, "idle-share");
	assert_int_equal(uses[2].denominator, 1);
	assert_string_equal(uses[3].name, "idle-share#2");
	assert_int_equal(uses[3].denominator, 2);
	assert_string_equal(uses[4].name, "idle-cycles");
	assert_int_equal(uses[4].numerator, 3);
}

/* Where the names do not say it, the config has the kind of core. */
UNIT_TEST(hybrid_without_names)
{
	const struct metric_counter counters[] = {
		{ { STR("instructions"), 0, 0x400000001 }, 1 },
		{ { STR("cycles"), 0, 0xa00000000 }, 1 },
		{ { STR("cycles#2"), 0, 0x400000000 }, 1 },
	};
	struct metric_trace trace = { counters, 2, STR_NONE, STR_NONE };
	struct metric_use uses[8];

	assert_int_equal(metrics_possible(&trace, uses, COUNT(uses)), 1);
	assert_true(uses[0].metric->of_idle);
	trace.count = 3;
	assert_int_equal(metrics_possible(&trace, uses, COUNT(uses)), 3);
	assert_string_equal(uses[0].name, "IPC");
	assert_int_equal(uses[0].denominator, 2);
}

/* A sum needs each kind once, one mode, and a ratio that means something. */
static const struct {
	int line;
	const char *names[NAMES];
	int64_t groups[NAMES];
	size_t uses, parts;
} sums[] = {
	{ ROW,
	  { "cpu_core/instructions/u", "cpu_core/cycles/u", "cpu_atom/instructions/u",
	    "cpu_atom/cycles/u" },
	  { 1, 1, 2, 2 },
	  4,
	  2 },
	{ ROW,
	  { "cpu_core/instructions/u", "cpu_core/cycles/u", "cpu_atom/instructions/k",
	    "cpu_atom/cycles/k" },
	  { 1, 1, 2, 2 },
	  2,
	  0 },
	{ ROW,
	  { "cpu_core/instructions/", "cpu_core/cycles/", "cpu_core/instructions/",
	    "cpu_core/cycles/" },
	  { 1, 1, 2, 2 },
	  2,
	  0 },
	{ ROW,
	  { "instructions", "cycles", "cpu/instructions/", "cpu/cycles/" },
	  { 1, 1, 2, 2 },
	  2,
	  0 },
	{ ROW,
	  { "cpu_core/stalled-cycles-frontend/", "cpu_core/cycles/",
	    "cpu_atom/stalled-cycles-frontend/", "cpu_atom/cycles/" },
	  { 1, 1, 2, 2 },
	  2,
	  0 },
	/* One denominator for both would count twice. */
	{ ROW,
	  { "cpu_core/cycles/", "cpu_atom/cycles/", "task-clock" },
	  { 1, 1, 1 },
	  2,
	  0 },
	/* The instructions of a kind without cycles are in no sum. */
	{ ROW,
	  { "cpu_core/instructions/", "cpu_core/cycles/", "cpu_atom/instructions/" },
	  { 1, 1, 2 },
	  1,
	  0 },
};

UNIT_TEST(sums)
{
	for (size_t i = 0; i < COUNT(sums); i++) {
		struct metric_counter counters[NAMES];
		struct metric_trace trace = { counters, 0, STR_NONE, STR_NONE };
		struct metric_use uses[16];
		size_t used, parts = 0;

		for (; trace.count < NAMES && sums[i].names[trace.count]; trace.count++)
			counters[trace.count] = (struct metric_counter){
				{ str_of(sums[i].names[trace.count]), INT64_MIN,
				  INT64_MIN },
				sums[i].groups[trace.count]
			};
		used = metrics_possible(&trace, uses, COUNT(uses));
		while (used && uses[used - 1].metric->of_idle)
			used--;
		for (size_t k = 0; k < used; k++)
			parts += uses[k].is_part;
		ROW_INT(&sums[i], used, sums[i].uses);
		ROW_INT(&sums[i], parts, sums[i].parts);
	}
}

/* A refusal names what is missing, and blames a PMU only where there was none. */
UNIT_TEST(missing)
{
	struct metric_counter counters[] = {
		{ { STR("cycles:u"), 0, 0 }, 1 },
		{ { STR("instructions:k"), 0, 1 }, 1 },
	};
	struct metric_trace trace = { counters, 1, STR_NONE, STR_NONE };
	char words[600];

	metrics_missing(&trace, words, sizeof(words));
	HAS(words, "IPC needs instructions in the same group");
	LACKS(words, "PMU");
	trace.count = 2;
	metrics_missing(&trace, words, sizeof(words));
	HAS(words, "of the same mode and core in the same group");
	counters[0].counter = (struct role_counter){ STR("r1234"), 4, 0x1234 };
	trace.count = 1;
	metrics_missing(&trace, words, sizeof(words));
	HAS(words, "none of these counters is known");
	LACKS(words, "PMU");
	counters[0].counter = (struct role_counter){ STR("page-faults"), 1, 2 };
	metrics_missing(&trace, words, sizeof(words));
	HAS(words, "without a PMU");
}

/* No more than there is room for. */
UNIT_TEST(room)
{
	const struct metric_counter counters[] = {
		{ { STR("instructions"), INT64_MIN, INT64_MIN }, 1 },
		{ { STR("cycles"), INT64_MIN, INT64_MIN }, 1 },
		{ { STR("task-clock"), INT64_MIN, INT64_MIN }, 1 },
	};
	const struct metric_trace trace = { counters, 3, STR_NONE, STR_NONE };
	struct metric_use uses[2];

	uses[1].metric = NULL;
	assert_int_equal(metrics_possible(&trace, uses, 0), 0);
	assert_int_equal(metrics_possible(&trace, uses, 1), 1);
	assert_null(uses[1].metric);
	assert_int_equal(metrics_possible(&trace, uses, 2), 2);
}

static const struct {
	int line;
	const char *metric;
	int64_t numerator, denominator;
	bool there;
	double value;
} ratios[] = {
	{ ROW, "IPC", 300, 200, true, 1.5 },
	{ ROW, "IPC", 0, 200, true, 0 },
	{ ROW, "IPC", 300, 0, false, 0 },
	{ ROW, "IPC", 0, 0, false, 0 },
	{ ROW, "IPC", 300, -1, false, 0 },
	{ ROW, "IPC", 300, INT64_MIN, false, 0 },
	{ ROW, "IPC", -300, 200, true, -1.5 },
	{ ROW, "IPC", INT64_MAX, INT64_MAX, true, 1 },
	{ ROW, "branch-miss-rate", 5, 200, true, 2.5 },
	{ ROW, "branch-MPKI", 5, 2000, true, 2.5 },
	{ ROW, "faults/s", 3, 2000000000, true, 1.5 },
	{ ROW, "GHz", 3, 2, true, 1.5 },
};

static const struct metric *metric_named(const char *name)
{
	for (size_t i = 0; i < metric_count; i++)
		if (strcmp(metrics[i].name, name) == 0)
			return &metrics[i];
	fail_msg("there is no metric %s", name);
	return NULL;
}

UNIT_TEST(value)
{
	for (size_t i = 0; i < COUNT(ratios); i++) {
		const struct metric_use use = { .metric =
							metric_named(ratios[i].metric) };
		double value = 0, error;

		ROW_INT(&ratios[i],
			metric_value(&use, ratios[i].numerator, ratios[i].denominator,
				     &value),
			ratios[i].there);
		error = value - ratios[i].value;
		ROW_TRUE(&ratios[i], error < 1e-12 && error > -1e-12);
	}
}

UNIT_TEST(table)
{
	assert_true(metric_count > 3);
	for (size_t i = 0; i < metric_count; i++) {
		assert_true(metrics[i].scale > 0);
		assert_int_equal(metrics[i].numerator == metrics[i].denominator,
				 metrics[i].of_idle);
		assert_true(strlen(metrics[i].words) > 0);
		assert_non_null(metrics[i].unit);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(metrics[i].name, metrics[k].name);
	}
}
