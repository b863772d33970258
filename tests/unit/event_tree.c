/* event_tree.c - see event_tree.h. */
#include "event_tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct file {
	const char *path, *text;
};

#define CPU "sysfs/cpu/"
#define IMC(n) "sysfs/uncore_imc_" #n "/"
#define IMC_FILES(n, number)                                                   \
	{ IMC(n) "type", number }, { IMC(n) "cpumask", "0,18\n" },             \
		{ IMC(n) "format/event", "config:0-7\n" },                     \
		{ IMC(n) "format/umask", "config:8-15\n" },                    \
		{ IMC(n) "events/cas_count_read", "event=0x04,umask=0x03\n" }, \
		{ IMC(n) "events/cas_count_read.scale", "6.103515625e-5\n" },  \
	{                                                                      \
		IMC(n) "events/cas_count_read.unit", "MiB\n"                   \
	}

/* As a Skylake server has it, shortened. */
static const struct file intel[] = {
	{ CPU "type", "4\n" },
	{ CPU "caps/max_precise", "2\n" },
	{ CPU "format/event", "config:0-7\n" },
	{ CPU "format/umask", "config:8-15\n" },
	{ CPU "format/edge", "config:18\n" },
	{ CPU "format/any", "config:21\n" },
	{ CPU "format/inv", "config:23\n" },
	{ CPU "format/cmask", "config:24-31\n" },
	{ CPU "format/offcore_rsp", "config1:0-63\n" },
	{ CPU "format/ldlat", "config1:0-15\n" },
	{ CPU "format/split", "config2:32-35,0-7\n" },
	{ CPU "format/far_away", "config9:0-7\n" },
	{ CPU "events/cpu-cycles", "event=0x3c\n" },
	{ CPU "events/instructions", "event=0xc0\n" },
	{ CPU "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ CPU "events/slots", "event=0x00,umask=0x4\n" },
	{ CPU "events/asked", "event=0x11,umask=?\n" },
	{ CPU "events/broken", "event=0x11,nothing=1\n" },
	{ CPU "events/scaled", "event=0x12\n" },
	{ CPU "events/scaled.scale", "much\n" },
	{ CPU "events/Mixed.Case", "event=0x13\n" },
	{ "sysfs/msr/type", "9\n" },
	{ "sysfs/msr/format/event", "config:0-63\n" },
	{ "sysfs/msr/events/tsc", "event=0x00\n" },
	{ "sysfs/power/type", "14\n" },
	{ "sysfs/power/cpumask", "0\n" },
	{ "sysfs/power/format/event", "config:0-7\n" },
	{ "sysfs/power/events/energy-pkg", "event=0x02\n" },
	{ "sysfs/power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n" },
	{ "sysfs/power/events/energy-pkg.unit", "Joules\n" },
	IMC_FILES(0, "20\n"),
	IMC_FILES(1, "21\n"),
	IMC_FILES(10, "30\n"),
	{ IMC(1) "events/only_here", "event=0x05\n" },
	{ "sysfs/uncore_cbox_1/type", "41\n" },
	{ "sysfs/uncore_cbox_1/format/event", "config:0-7,21\n" },
	{ "sysfs/uncore_cbox_10/type", "42\n" },
	{ "sysfs/uncore_cbox_10/format/event", "config:0-7,21\n" },
	{ "sysfs/software/type", "1\n" },
	{ "sysfs/tracepoint/type", "2\n" },
	{ "sysfs/breakpoint/type", "5\n" },
};

static const struct file hybrid[] = {
	{ "sysfs/cpu_core/type", "4\n" },
	{ "sysfs/cpu_core/cpus", "0-15\n" },
	{ "sysfs/cpu_core/format/event", "config:0-7\n" },
	{ "sysfs/cpu_core/format/umask", "config:8-15\n" },
	{ "sysfs/cpu_core/events/cycles", "event=0x3c\n" },
	{ "sysfs/cpu_core/events/topdown-be", "event=0x00,umask=0x83\n" },
	{ "sysfs/cpu_atom/type", "10\n" },
	{ "sysfs/cpu_atom/cpus", "16-23\n" },
	{ "sysfs/cpu_atom/format/event", "config:0-7\n" },
	{ "sysfs/cpu_atom/format/umask", "config:8-15\n" },
	{ "sysfs/cpu_atom/events/cycles", "event=0x3c\n" },
	{ "sysfs/cpu_atom/events/topdown-be", "event=0xa4\n" },
	{ "sysfs/cpu_atom/events/only-atom", "event=0xa5\n" },
	{ "sysfs/cpu_lowpower/type", "11\n" }, /* all of its CPUs are offline */
	{ "sysfs/cpu_lowpower/cpus", "\n" },
	{ "sysfs/cpu_lowpower/events/cycles", "event=0x3c\n" },
	{ "sysfs/software/type", "1\n" },
};

static const struct file arm[] = {
	{ "sysfs/armv8_pmuv3_0/type", "8\n" },
	{ "sysfs/armv8_pmuv3_0/cpus", "0-3\n" },
	{ "sysfs/armv8_pmuv3_0/format/event", "config:0-15\n" },
	{ "sysfs/armv8_pmuv3_0/format/long", "config1:0\n" },
	{ "sysfs/armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n" },
	{ "sysfs/armv8_pmuv3_0/events/inst_retired", "event=0x0008\n" },
	{ "sysfs/mrvl_ddr_pmu_87e1b0000000/type", "12\n" },
	{ "sysfs/mrvl_ddr_pmu_87e1b0000000/format/event", "config:0-7\n" },
};

static const struct file s390[] = {
	{ "sysfs/cpum_cf/type", "8\n" },
	{ "sysfs/cpum_cf/format/event", "config:0-63\n" },
	{ "sysfs/cpum_cf/events/CPU_CYCLES", "event=0x0000\n" },
	{ "sysfs/cpum_cf/events/INSTRUCTIONS", "event=0x0001\n" },
	{ "sysfs/cpum_cf_diag/type", "9\n" },
};

static const struct file empty[] = {
	{ "sysfs/software/type", "1\n" },
	{ "sysfs/tracepoint/type", "2\n" },
};

static const struct file tracepoints[] = {
	{ "tracefs/events/enable", "0\n" },
	{ "tracefs/events/header_page", "\n" },
	{ "tracefs/events/sched/enable", "0\n" },
	{ "tracefs/events/sched/filter", "none\n" },
	{ "tracefs/events/sched/sched_switch/id", "314\n" },
	{ "tracefs/events/sched/sched_wakeup/id", "316\n" },
	{ "tracefs/events/sched/sched_stat_runtime/id", "310\n" },
	{ "tracefs/events/irq/softirq_entry/id", "70\n" },
	{ "tracefs/events/irq/u/id", "71\n" }, /* looks like a modifier */
	{ "tracefs/events/broken/no_number/id", "many\n" },
	{ "tracefs/events/broken/no_id/format", "\n" },
};

int event_tree_write(const char *folder, const char *path, const void *bytes,
		     unsigned long size)
{
	char whole[4096];
	int written;
	FILE *file;

	if (snprintf(whole, sizeof(whole), "%s/%s", folder, path) >= (int)sizeof(whole))
		return 0;
	for (char *at = whole + strlen(folder) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(whole, 0700) < 0 && errno != EEXIST)
			return 0;
		*at = '/';
	}
	file = fopen(whole, "we");
	if (!file)
		return 0;
	written = size == 0 || fwrite(bytes, 1, size, file) == size;
	return fclose(file) == 0 && written;
}

int event_tree_text(const char *folder, const char *path, const char *text)
{
	return event_tree_write(folder, path, text, strlen(text));
}

#define TREE(files)                                     \
	{                                               \
		files, sizeof(files) / sizeof(files[0]) \
	}
struct tree {
	const struct file *files;
	unsigned long count;
};

static int write_all(const char *folder, const struct tree *tree)
{
	for (unsigned long i = 0; i < tree->count; i++)
		if (!event_tree_text(folder, tree->files[i].path, tree->files[i].text))
			return 0;
	return 1;
}

int event_tree_make(const char *folder, enum event_tree kind)
{
	static const struct tree trees[] = {
		[TREE_INTEL] = TREE(intel), [TREE_HYBRID] = TREE(hybrid),
		[TREE_ARM] = TREE(arm),	    [TREE_S390] = TREE(s390),
		[TREE_EMPTY] = TREE(empty),
	};
	static const struct tree traced = TREE(tracepoints);

	return write_all(folder, &trees[kind]) && write_all(folder, &traced);
}
