/*
 * test_roles.c - lib/counters/roles.def: every name, type and code in it, as tools spell
 * it, and the role that the manuals of its vendor give it.
 */
#include <string.h>
#include <strings.h>

#include "counters/role.h"
#include "unit.h"

#define UNKNOWN INT64_MIN

/* As perf, libpfm4, the kernel's sysfs and Windows' profile sources spell them. */
static const struct {
	int line;
	enum role role;
	const char *event;
} named[] = {
	{ ROW, ROLE_CYCLES, "cycles" },
	{ ROW, ROLE_CYCLES, "CPU-cycles:u" },
	{ ROW, ROLE_CYCLES, "CPU_CLK_UNHALTED:THREAD" },
	{ ROW, ROLE_CYCLES, "cpu_core/CPU_CLK_UNHALTED.THREAD_P/u" },
	{ ROW, ROLE_CYCLES, "knl::CPU_CLK_UNHALTED.CORE" },
	{ ROW, ROLE_CYCLES, "CPU_CLK_UNHALTED.CORE_P:k" },
	{ ROW, ROLE_CYCLES, "UNHALTED_CORE_CYCLES:uk" },
	{ ROW, ROLE_CYCLES, "ls_not_halted_cyc" },
	{ ROW, ROLE_CYCLES, "CYCLES_NOT_IN_HALT" },
	{ ROW, ROLE_CYCLES, "amd64_fam10h::CPU_CLK_UNHALTED" },
	{ ROW, ROLE_CYCLES, "armv8_cortex_a72/cpu_cycles/" },
	{ ROW, ROLE_CYCLES, "TotalCycles" },
	{ ROW, ROLE_CYCLES, "UnhaltedCoreCycles" },
	{ ROW, ROLE_CYCLES, "UnhaltedCoreCyclesFixed" },
	{ ROW, ROLE_INSTRUCTIONS, "instructions:u" },
	{ ROW, ROLE_INSTRUCTIONS, "cpu_atom/INST_RETIRED.ANY/" },
	{ ROW, ROLE_INSTRUCTIONS, "skl::INST_RETIRED:ANY_P:u" },
	{ ROW, ROLE_INSTRUCTIONS, "INSTRUCTIONS_RETIRED" },
	{ ROW, ROLE_INSTRUCTIONS, "INSTRUCTION_RETIRED:k" },
	{ ROW, ROLE_INSTRUCTIONS, "ex_ret_instr:u" },
	{ ROW, ROLE_INSTRUCTIONS, "amd64_fam19h_zen3::RETIRED_INSTRUCTIONS" },
	{ ROW, ROLE_INSTRUCTIONS, "arm_ac76::INST_RETIRED" },
	{ ROW, ROLE_INSTRUCTIONS, "InstructionRetired" },
	{ ROW, ROLE_INSTRUCTIONS, "InstructionsRetired" },
	{ ROW, ROLE_INSTRUCTIONS, "InstructionsRetiredFixed" },
	{ ROW, ROLE_BRANCHES, "branches" },
	{ ROW, ROLE_BRANCHES, "branch-instructions:P" },
	{ ROW, ROLE_BRANCHES, "branch-loads" },
	{ ROW, ROLE_BRANCHES, "BR_INST_RETIRED:ALL_BRANCHES" },
	{ ROW, ROLE_BRANCHES, "BRANCH_INSTRUCTIONS_RETIRED" },
	{ ROW, ROLE_BRANCHES, "ex_ret_brn" },
	{ ROW, ROLE_BRANCHES, "amd64_fam17h_zen2::RETIRED_BRANCH_INSTRUCTIONS" },
	{ ROW, ROLE_BRANCHES, "BR_RETIRED" },
	{ ROW, ROLE_BRANCHES, "armv8_pmuv3_0/br_pred/" },
	{ ROW, ROLE_BRANCHES, "BranchInstructions" },
	{ ROW, ROLE_BRANCHES, "BranchInstructionRetired" },
	{ ROW, ROLE_BRANCH_MISSES, "branch-misses:u" },
	{ ROW, ROLE_BRANCH_MISSES, "branch-load-misses" },
	{ ROW, ROLE_BRANCH_MISSES, "cpu/BR_MISP_RETIRED.ALL_BRANCHES/upp" },
	{ ROW, ROLE_BRANCH_MISSES, "MISPREDICTED_BRANCH_RETIRED" },
	{ ROW, ROLE_BRANCH_MISSES, "ex_ret_brn_misp" },
	{ ROW, ROLE_BRANCH_MISSES, "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED:u" },
	{ ROW, ROLE_BRANCH_MISSES, "RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS" },
	{ ROW, ROLE_BRANCH_MISSES, "BR_MIS_PRED_RETIRED:u" },
	{ ROW, ROLE_BRANCH_MISSES, "br_mis_pred" },
	{ ROW, ROLE_BRANCH_MISSES, "BranchMispredictions" },
	{ ROW, ROLE_BRANCH_MISSES, "BranchMispredictsRetired" },
	{ ROW, ROLE_CACHE_REFERENCES, "cache-references" },
	{ ROW, ROLE_CACHE_REFERENCES, "LLC-loads" },
	{ ROW, ROLE_CACHE_REFERENCES, "LONGEST_LAT_CACHE:REFERENCE" },
	{ ROW, ROLE_CACHE_REFERENCES, "LLC_REFERENCES" },
	{ ROW, ROLE_CACHE_REFERENCES, "LL_CACHE_RD" },
	{ ROW, ROLE_CACHE_REFERENCES, "LLCReference" },
	{ ROW, ROLE_CACHE_MISSES, "cache-misses:u" },
	{ ROW, ROLE_CACHE_MISSES, "LLC-load-misses" },
	{ ROW, ROLE_CACHE_MISSES, "LONGEST_LAT_CACHE.MISS:k" },
	{ ROW, ROLE_CACHE_MISSES, "LLC_MISSES" },
	{ ROW, ROLE_CACHE_MISSES, "LL_CACHE_MISS_RD" },
	{ ROW, ROLE_CACHE_MISSES, "CacheMisses" },
	{ ROW, ROLE_CACHE_MISSES, "LLCMisses" },
	{ ROW, ROLE_FRONTEND_STALLS, "stalled-cycles-frontend" },
	{ ROW, ROLE_FRONTEND_STALLS, "idle-cycles-frontend" },
	{ ROW, ROLE_FRONTEND_STALLS, "STALL_FRONTEND" },
	{ ROW, ROLE_BACKEND_STALLS, "stalled-cycles-backend" },
	{ ROW, ROLE_BACKEND_STALLS, "idle-cycles-backend" },
	{ ROW, ROLE_BACKEND_STALLS, "STALL_BACKEND" },
	{ ROW, ROLE_L1D_LOADS, "L1-dcache-loads" },
	{ ROW, ROLE_L1D_LOADS, "MEM_INST_RETIRED:ALL_LOADS" },
	{ ROW, ROLE_L1D_LOADS, "l1d_cache" },
	{ ROW, ROLE_L1D_MISSES, "L1-dcache-load-misses" },
	{ ROW, ROLE_L1D_MISSES, "MEM_LOAD_RETIRED:L1_MISS" },
	{ ROW, ROLE_L1D_MISSES, "l1d_cache_refill" },
	{ ROW, ROLE_DTLB_LOADS, "dTLB-loads" },
	{ ROW, ROLE_DTLB_LOADS, "l1d_tlb" },
	{ ROW, ROLE_DTLB_MISSES, "dTLB-load-misses" },
	{ ROW, ROLE_DTLB_MISSES, "l1d_tlb_refill" },
	{ ROW, ROLE_TASK_CLOCK, "task-clock" },
	{ ROW, ROLE_PAGE_FAULTS, "page-faults" },
	{ ROW, ROLE_PAGE_FAULTS, "faults" },
};

/* perf_event_open(2): types 0 (hardware), 1 (software) and 3 (caches). */
static const struct {
	int line;
	enum role role;
	int64_t type, config;
} generic[] = {
	{ ROW, ROLE_CYCLES, 0, 0 },	      /* PERF_COUNT_HW_CPU_CYCLES */
	{ ROW, ROLE_INSTRUCTIONS, 0, 1 },     /* PERF_COUNT_HW_INSTRUCTIONS */
	{ ROW, ROLE_CACHE_REFERENCES, 0, 2 }, /* PERF_COUNT_HW_CACHE_REFERENCES */
	{ ROW, ROLE_CACHE_MISSES, 0, 3 },     /* PERF_COUNT_HW_CACHE_MISSES */
	{ ROW, ROLE_BRANCHES, 0, 4 },	      /* PERF_COUNT_HW_BRANCH_INSTRUCTIONS */
	{ ROW, ROLE_BRANCH_MISSES, 0, 5 },    /* PERF_COUNT_HW_BRANCH_MISSES */
	{ ROW, ROLE_NONE, 0, 6 },	      /* PERF_COUNT_HW_BUS_CYCLES */
	{ ROW, ROLE_FRONTEND_STALLS, 0, 7 },
	{ ROW, ROLE_BACKEND_STALLS, 0, 8 },
	{ ROW, ROLE_NONE, 0, 9 },	 /* PERF_COUNT_HW_REF_CPU_CYCLES */
	{ ROW, ROLE_NONE, 1, 0 },	 /* PERF_COUNT_SW_CPU_CLOCK */
	{ ROW, ROLE_TASK_CLOCK, 1, 1 },	 /* PERF_COUNT_SW_TASK_CLOCK */
	{ ROW, ROLE_PAGE_FAULTS, 1, 2 }, /* PERF_COUNT_SW_PAGE_FAULTS */
	{ ROW, ROLE_NONE, 1, 3 },	 /* PERF_COUNT_SW_CONTEXT_SWITCHES */
	/* id | operation << 8 | result << 16: loads, then their misses */
	{ ROW, ROLE_L1D_LOADS, 3, 0x00000 },
	{ ROW, ROLE_L1D_MISSES, 3, 0x10000 },
	{ ROW, ROLE_CACHE_REFERENCES, 3, 0x00002 },
	{ ROW, ROLE_CACHE_MISSES, 3, 0x10002 },
	{ ROW, ROLE_DTLB_LOADS, 3, 0x00003 },
	{ ROW, ROLE_DTLB_MISSES, 3, 0x10003 },
	{ ROW, ROLE_BRANCHES, 3, 0x00005 },
	{ ROW, ROLE_BRANCH_MISSES, 3, 0x10005 },
	{ ROW, ROLE_NONE, 3, 0x00100 }, /* stores */
};

#define ON_INTEL "x86_64", "Intel(R) Xeon(R) Gold 6230"
#define ON_AMD "x86_64", "AMD EPYC 9554 64-Core Processor"
#define ON_ARM "aarch64", ""

/* Intel SDM 20.3.1.2, AMD PPR 2.1.13, Arm DDI 0487 D13.12. */
static const struct {
	int line;
	enum role role;
	int64_t config;
	const char *arch, *model;
} raw[] = {
	{ ROW, ROLE_CYCLES, 0x003c, ON_INTEL },
	{ ROW, ROLE_INSTRUCTIONS, 0x00c0, ON_INTEL },
	{ ROW, ROLE_CACHE_REFERENCES, 0x4f2e, ON_INTEL },
	{ ROW, ROLE_CACHE_MISSES, 0x412e, ON_INTEL },
	{ ROW, ROLE_BRANCHES, 0x00c4, ON_INTEL },
	{ ROW, ROLE_BRANCH_MISSES, 0x00c5, ON_INTEL },
	{ ROW, ROLE_NONE, 0x013c, ON_INTEL }, /* reference cycles */
	{ ROW, ROLE_NONE, 0x0076, ON_INTEL },
	{ ROW, ROLE_CYCLES, 0x0076, ON_AMD },
	{ ROW, ROLE_INSTRUCTIONS, 0x00c0, ON_AMD },
	{ ROW, ROLE_BRANCHES, 0x00c2, ON_AMD },
	{ ROW, ROLE_BRANCH_MISSES, 0x00c3, ON_AMD },
	{ ROW, ROLE_NONE, 0x00c5, ON_AMD },
	{ ROW, ROLE_CYCLES, 0x0011, ON_ARM },
	{ ROW, ROLE_INSTRUCTIONS, 0x0008, ON_ARM },
	{ ROW, ROLE_BRANCHES, 0x0021, ON_ARM },
	{ ROW, ROLE_BRANCHES, 0x0012, ON_ARM },
	{ ROW, ROLE_BRANCH_MISSES, 0x0022, ON_ARM },
	{ ROW, ROLE_BRANCH_MISSES, 0x0010, ON_ARM },
	{ ROW, ROLE_L1D_LOADS, 0x0004, ON_ARM },
	{ ROW, ROLE_L1D_MISSES, 0x0003, ON_ARM },
	{ ROW, ROLE_CACHE_REFERENCES, 0x0036, ON_ARM },
	{ ROW, ROLE_CACHE_MISSES, 0x0037, ON_ARM },
	{ ROW, ROLE_NONE, 0x003c, ON_ARM },
	{ ROW, ROLE_NONE, 0x00c0, "x86_64", "" },
};

static enum role role_of(const char *event, int64_t type, int64_t config,
			 const char *arch, const char *model)
{
	const struct role_counter counter = { str_of(event), type, config };

	return role_find(&counter, str_of(arch), str_of(model)).role;
}

UNIT_TEST(by_name)
{
	for (size_t i = 0; i < COUNT(named); i++)
		ROW_INT(&named[i],
			role_of(named[i].event, UNKNOWN, UNKNOWN, "x86_64", ""),
			named[i].role);
}

UNIT_TEST(by_type)
{
	for (size_t i = 0; i < COUNT(generic); i++)
		ROW_INT(&generic[i],
			role_of("any", generic[i].type, generic[i].config, "", ""),
			generic[i].role);
}

UNIT_TEST(by_code)
{
	for (size_t i = 0; i < COUNT(raw); i++)
		ROW_INT(&raw[i],
			role_of("r1", 4, raw[i].config, raw[i].arch, raw[i].model),
			raw[i].role);
}

/* --- nothing in the file without a row above --- */

/* Does the event end with that name, but for its modifiers and the form of its dots? */
static bool is_spelling(const char *event, const char *name)
{
	size_t length = strlen(name);

	for (; *event; event++) {
		size_t same = 0;

		while (same < length && (strncasecmp(event + same, name + same, 1) == 0 ||
					 (event[same] == ':' && name[same] == '.')))
			same++;
		if (same == length && (!event[same] || strchr(":/", event[same])))
			return true;
		event += strcspn(event, ":/");
		if (!*event)
			break;
	}
	return false;
}

static bool has_name(enum role role, const char *name)
{
	for (size_t i = 0; i < COUNT(named); i++)
		if (named[i].role == role && is_spelling(named[i].event, name))
			return true;
	return false;
}

static bool has_type(enum role role, int64_t type, int64_t config)
{
	for (size_t i = 0; i < COUNT(generic); i++)
		if (generic[i].role == role && generic[i].type == type &&
		    generic[i].config == config)
			return true;
	return false;
}

enum vendor { INTEL, AMD, ARM };

static bool has_code(enum role role, enum vendor vendor, int64_t config)
{
	for (size_t i = 0; i < COUNT(raw); i++) {
		enum vendor is = strcmp(raw[i].arch, "aarch64") == 0	? ARM
				 : strncmp(raw[i].model, "AMD", 3) == 0 ? AMD
									: INTEL;

		if (raw[i].role == role && is == vendor && raw[i].config == config)
			return true;
	}
	return false;
}

UNIT_TEST(each_has_a_row)
{
#define ROLE(enumerator, name, is_hardware)
#define GENERIC(role, type, config) assert_true(has_type(ROLE_##role, type, config));
#define RAW(role, vendor, config) assert_true(has_code(ROLE_##role, vendor, config));
#define NAME(role, name)                  \
	if (!has_name(ROLE_##role, name)) \
		fail_msg("no row has %s as " #role, name);
#include "counters/roles.def"
#undef ROLE
#undef GENERIC
#undef RAW
#undef NAME
}
