/* test_event_pmu.c - tools/capture/linux/events/event.h: PMUs of several machines, and
 * defaults.
 */
#include <stdlib.h>
#include <string.h>

#include "event_words.h"
#include "unit.h"

struct row {
	int line;
	const char *names; /* NULL: those that nobody named */
	const char *expected;
};

static const struct row intel[] = {
	{ ROW, "cpu/event=0x3c,umask=0x1/", "cpu/event=0x3c,umask=0x1/ 4/0x13c pmu=cpu" },
	{ ROW, "cpu/ event = 0x3c , umask=1 /u",
	  "cpu/ event = 0x3c , umask=1 /u 4/0x13c -k -h pmu=cpu" },
	{ ROW, "cpu/event=60/:k", "cpu/event=60/k 4/0x3c -u -h pmu=cpu" },
	{ ROW, "cpu//", "cpu// 4/0 pmu=cpu" },
	{ ROW, "cpu/r1a8/", "cpu/r1a8/ 4/0x1a8 pmu=cpu" },
	{ ROW, "cpu/edge,inv,event=1/", "cpu/edge,inv,event=1/ 4/0x840001 pmu=cpu" },
	{ ROW, "cpu/cmask=0xff/", "cpu/cmask=0xff/ 4/0xff000000 pmu=cpu" },
	{ ROW, "cpu/config=1,config1=2,config2=3/",
	  "cpu/config=1,config1=2,config2=3/ 4/0x1 config1=0x2 config2=0x3 pmu=cpu" },
	{ ROW, "cpu/umask=1,config=0x3c/", "cpu/umask=1,config=0x3c/ 4/0x13c pmu=cpu" },
	{ ROW, "cpu/offcore_rsp=0xffffffffffffffff/",
	  "cpu/offcore_rsp=0xffffffffffffffff/ 4/0 config1=0xffffffffffffffff pmu=cpu" },
	/* Bits ascend, however the ranges are written. */
	{ ROW, "cpu/split=0x1ff/", "cpu/split=0x1ff/ 4/0 config2=0x1000000ff pmu=cpu" },
	{ ROW, "cpu/instructions/", "cpu/instructions/ 4/0xc0 pmu=cpu" },
	{ ROW, "cpu/cycles/", "cpu/cycles/ 0/0 pmu=cpu" }, /* not below events/ */
	{ ROW, "cpu/L1-dcache-load-misses/",
	  "cpu/L1-dcache-load-misses/ 3/0x10000 pmu=cpu" },
	{ ROW, "cpu/mem-loads/P", "cpu/mem-loads/P 4/0x1cd config1=0x3 p2max pmu=cpu" },
	{ ROW, "cpu/ldlat=50,mem-loads/",
	  "cpu/ldlat=50,mem-loads/ 4/0x1cd config1=0x32 pmu=cpu" },
	{ ROW, "cpu/mem-loads,umask=2/",
	  "cpu/mem-loads,umask=2/ 4/0x2cd config1=0x3 pmu=cpu" },
	{ ROW, "cpu/asked,umask=5/", "cpu/asked,umask=5/ 4/0x511 pmu=cpu" },
	{ ROW, "cpu/mixed.case/", "cpu/mixed.case/ 4/0x13 pmu=cpu" },
	{ ROW, "cpu/event=1,name=mine/u", "mine 4/0x1 -k -h pmu=cpu" },
	{ ROW, "cpu/event=1,name='a, b/c',umask=1/", "a, b/c 4/0x101 pmu=cpu" },
	{ ROW, "mem-loads", "mem-loads 4/0x1cd config1=0x3 pmu=cpu" },
	{ ROW, "slots:u", "slots:u 4/0x400 -k -h pmu=cpu" },
	{ ROW, "tsc", "tsc 9/0 pmu=msr" },
	{ ROW, "msr/tsc/", "msr/tsc/ 9/0 pmu=msr" },
	{ ROW, "power/energy-pkg/",
	  "power/energy-pkg/ 14/0x2 pmu=power cpus=0 2.32831e-10Joules" },
	{ ROW, "energy-pkg", "energy-pkg 14/0x2 pmu=power cpus=0 2.32831e-10Joules" },
	{ ROW, "uncore_imc_1/event=4/",
	  "uncore_imc_1/event=4/ 21/0x4 pmu=uncore_imc_1 cpus=0,18" },
	{ ROW, "imc/cas_count_read/",
	  "uncore_imc_0/cas_count_read/ 20/0x304 pmu=uncore_imc_0 cpus=0,18 "
	  "6.10352e-05MiB; "
	  "uncore_imc_1/cas_count_read/ 21/0x304 pmu=uncore_imc_1 cpus=0,18 "
	  "6.10352e-05MiB; "
	  "uncore_imc_10/cas_count_read/ 30/0x304 pmu=uncore_imc_10 cpus=0,18 "
	  "6.10352e-05MiB" },
	{ ROW, "uncore_imc/event=1/u",
	  "uncore_imc_0/event=1/u 20/0x1 -k -h pmu=uncore_imc_0 cpus=0,18; "
	  "uncore_imc_1/event=1/u 21/0x1 -k -h pmu=uncore_imc_1 cpus=0,18; "
	  "uncore_imc_10/event=1/u 30/0x1 -k -h pmu=uncore_imc_10 cpus=0,18" },
	{ ROW, "uncore_imc_1*/event=1/",
	  "uncore_imc_1/event=1/ 21/0x1 pmu=uncore_imc_1 cpus=0,18; "
	  "uncore_imc_10/event=1/ 30/0x1 pmu=uncore_imc_10 cpus=0,18" },
	/* The other two do not have it. */
	{ ROW, "imc/only_here/",
	  "uncore_imc_1/only_here/ 21/0x5 pmu=uncore_imc_1 cpus=0,18" },
	{ ROW, "cbox_1/event=0x1ff/",
	  "cbox_1/event=0x1ff/ 41/0x2000ff pmu=uncore_cbox_1" },
	{ ROW, NULL,
	  "cycles 0/0; instructions 0/0x1; branches 0/0x4; branch-misses 0/0x5; "
	  "cache-references 0/0x2; cache-misses 0/0x3" },
};

static const struct row hybrid[] = {
	{ ROW, "cycles",
	  "cpu_core/cycles/ 0/0x400000000 pmu=cpu_core cpus=0-15; "
	  "cpu_atom/cycles/ 0/0xa00000000 pmu=cpu_atom cpus=16-23" },
	{ ROW, "LLC-load-misses:u",
	  "cpu_core/LLC-load-misses/u 3/0x400010002 -k -h pmu=cpu_core cpus=0-15; "
	  "cpu_atom/LLC-load-misses/u 3/0xa00010002 -k -h pmu=cpu_atom cpus=16-23" },
	{ ROW, "r3c",
	  "cpu_core/r3c/ 4/0x3c pmu=cpu_core cpus=0-15; "
	  "cpu_atom/r3c/ 10/0x3c pmu=cpu_atom cpus=16-23" },
	{ ROW, "topdown-be",
	  "cpu_core/topdown-be/ 4/0x8300 pmu=cpu_core cpus=0-15; "
	  "cpu_atom/topdown-be/ 10/0xa4 pmu=cpu_atom cpus=16-23" },
	{ ROW, "only-atom", "only-atom 10/0xa5 pmu=cpu_atom cpus=16-23" },
	{ ROW, "cpu_atom/cycles/k",
	  "cpu_atom/cycles/k 10/0x3c -u -h pmu=cpu_atom cpus=16-23" },
	{ ROW, "cpu_core/instructions/",
	  "cpu_core/instructions/ 0/0x400000001 pmu=cpu_core cpus=0-15" },
	{ ROW, "cs", "cs 1/0x3" },
	/* The kernel has no groups across PMUs. */
	{ ROW, "{cycles,r1,cs}",
	  "cpu_core/cycles/ 0/0x400000000 pmu=cpu_core cpus=0-15 group1; "
	  "cpu_atom/cycles/ 0/0xa00000000 pmu=cpu_atom cpus=16-23 group2; "
	  "cpu_core/r1/ 4/0x1 pmu=cpu_core cpus=0-15 group1; "
	  "cpu_atom/r1/ 10/0x1 pmu=cpu_atom cpus=16-23 group2; cs 1/0x3 group1" },
};

static const struct row arm[] = {
	{ ROW, "cycles", "cycles 0/0" },
	{ ROW, "r11", "r11 4/0x11" },
	{ ROW, "armv8_pmuv3_0/cpu_cycles/",
	  "armv8_pmuv3_0/cpu_cycles/ 8/0x11 pmu=armv8_pmuv3_0 cpus=0-3" },
	{ ROW, "armv8_pmuv3/event=0x8,long/",
	  "armv8_pmuv3/event=0x8,long/ 8/0x8 config1=0x1 pmu=armv8_pmuv3_0 cpus=0-3" },
	{ ROW, "inst_retired:u",
	  "inst_retired:u 8/0x8 -k -h pmu=armv8_pmuv3_0 cpus=0-3" },
	{ ROW, "mrvl_ddr_pmu/event=1/",
	  "mrvl_ddr_pmu/event=1/ 12/0x1 pmu=mrvl_ddr_pmu_87e1b0000000" },
};

static const struct row s390[] = {
	{ ROW, "cycles", "cycles 0/0" },
	{ ROW, "cpum_cf/CPU_CYCLES/", "cpum_cf/CPU_CYCLES/ 8/0 pmu=cpum_cf" },
	{ ROW, "INSTRUCTIONS", "INSTRUCTIONS 8/0x1 pmu=cpum_cf" },
	{ ROW, "cpum_cf/instructions/", "cpum_cf/instructions/ 8/0x1 pmu=cpum_cf" },
};

static const struct row guest[] = {
	{ ROW, NULL, "task-clock 1/0x1; page-faults 1/0x2" },
	{ ROW, "cycles", "cycles 0/0" },
};

static const struct {
	enum event_tree tree;
	const struct row *rows;
	size_t count;
} machines[] = {
	{ TREE_INTEL, intel, COUNT(intel) }, { TREE_HYBRID, hybrid, COUNT(hybrid) },
	{ TREE_ARM, arm, COUNT(arm) },	     { TREE_S390, s390, COUNT(s390) },
	{ TREE_EMPTY, guest, COUNT(guest) },
};

UNIT_TEST(machines)
{
	for (size_t k = 0; k < COUNT(machines); k++) {
		event_machine_make(machines[k].tree);
		event_machine.tracefs = NULL;
		for (size_t i = 0; i < machines[k].count; i++) {
			const struct row *row = &machines[k].rows[i];

			ROW_TEXT(row, event_outcome(&event_machine, row->names, NULL),
				 row->expected);
		}
	}
}

/* --- what is counted when the kernel is asked --- */

/* Events with this type, and of it those with a config up to this, are opened. */
struct kernel {
	uint32_t types;
	uint64_t most;
};

static bool counts(void *context, const struct capture_event *event)
{
	const struct kernel *kernel = context;

	return kernel->types >> event->attr.type & 1 &&
	       event->attr.config <= kernel->most;
}

static const struct {
	int line;
	enum event_tree tree;
	struct kernel kernel;
	const char *expected;
} defaults[] = {
	{ ROW,
	  TREE_INTEL,
	  { 3, 2 },
	  "cycles 0/0; instructions 0/0x1; cache-references 0/0x2" },
	{ ROW,
	  TREE_INTEL,
	  { 2 | 1 << 9, 9 },
	  "task-clock 1/0x1; page-faults 1/0x2; msr/tsc/ 9/0 pmu=msr" },
	{ ROW, TREE_INTEL, { 2, 9 }, "task-clock 1/0x1; page-faults 1/0x2" },
	{ ROW, TREE_INTEL, { 0, 0 }, "task-clock 1/0x1; page-faults 1/0x2" },
	{ ROW, TREE_EMPTY, { 3, 1 }, "cycles 0/0; instructions 0/0x1" },
	{ ROW,
	  TREE_HYBRID,
	  { 1, 0x400000000 },
	  "cpu_core/cycles/ 0/0x400000000 pmu=cpu_core cpus=0-15" },
};

UNIT_TEST(defaults)
{
	for (size_t i = 0; i < COUNT(defaults); i++) {
		struct kernel kernel = defaults[i].kernel;

		event_machine_make(defaults[i].tree);
		event_machine.counts = counts;
		event_machine.context = &kernel;
		event_machine.tracefs = NULL;
		ROW_TEXT(&defaults[i], event_outcome(&event_machine, NULL, NULL),
			 defaults[i].expected);
	}
}
