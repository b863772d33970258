/* test_event_parse.c - tools/capture/linux/events/event.h: names of every kind, and what
 * of them. */
#include <stdlib.h>
#include <string.h>

#include "event_words.h"
#include "unit.h"

struct row {
	int line;
	const char *names;
	const char
		*expected; /* see event_words.h; what perf stat -vv shows for the same */
};

static const struct row kernel_names[] = {
	{ ROW, "cycles", "cycles 0/0" },
	{ ROW, "cpu-cycles", "cpu-cycles 0/0" },
	{ ROW, "instructions", "instructions 0/0x1" },
	{ ROW, "cache-references", "cache-references 0/0x2" },
	{ ROW, "cache-misses", "cache-misses 0/0x3" },
	{ ROW, "branches", "branches 0/0x4" },
	{ ROW, "branch-instructions", "branch-instructions 0/0x4" },
	{ ROW, "branch-misses", "branch-misses 0/0x5" },
	{ ROW, "bus-cycles", "bus-cycles 0/0x6" },
	{ ROW, "stalled-cycles-frontend", "stalled-cycles-frontend 0/0x7" },
	{ ROW, "idle-cycles-frontend", "idle-cycles-frontend 0/0x7" },
	{ ROW, "stalled-cycles-backend", "stalled-cycles-backend 0/0x8" },
	{ ROW, "idle-cycles-backend", "idle-cycles-backend 0/0x8" },
	{ ROW, "ref-cycles", "ref-cycles 0/0x9" },
	{ ROW, "cpu-clock", "cpu-clock 1/0" },
	{ ROW, "task-clock", "task-clock 1/0x1" },
	{ ROW, "page-faults", "page-faults 1/0x2" },
	{ ROW, "faults", "faults 1/0x2" },
	{ ROW, "context-switches", "context-switches 1/0x3" },
	{ ROW, "cs", "cs 1/0x3" },
	{ ROW, "cpu-migrations", "cpu-migrations 1/0x4" },
	{ ROW, "migrations", "migrations 1/0x4" },
	{ ROW, "minor-faults", "minor-faults 1/0x5" },
	{ ROW, "major-faults", "major-faults 1/0x6" },
	{ ROW, "alignment-faults", "alignment-faults 1/0x7" },
	{ ROW, "emulation-faults", "emulation-faults 1/0x8" },
	{ ROW, "dummy", "dummy 1/0x9" },
	{ ROW, "bpf-output", "bpf-output 1/0xa" },
	{ ROW, "cgroup-switches", "cgroup-switches 1/0xb" },
	{ ROW, "r1a8", "r1a8 4/0x1a8" },
	{ ROW, "rFFFFffffFFFFffff", "rFFFFffffFFFFffff 4/0xffffffffffffffff" },
	{ ROW, "r1a8:u", "r1a8:u 4/0x1a8 -k -h" },
	{ ROW, "1:2", "1:2 1/0x2" },
	{ ROW, "4:0x3c:k", "4:0x3c:k 4/0x3c -u -h" },
};

static const struct row cache_names[] = {
	{ ROW, "L1-dcache-load-misses", "L1-dcache-load-misses 3/0x10000" },
	{ ROW, "L1-dcache-loads", "L1-dcache-loads 3/0" },
	{ ROW, "L1-dcache-misses", "L1-dcache-misses 3/0x10000" },
	{ ROW, "l1d-read-miss", "l1d-read-miss 3/0x10000" },
	{ ROW, "L1-data-write", "L1-data-write 3/0x100" },
	{ ROW, "l1-d-misses-stores", "l1-d-misses-stores 3/0x10100" },
	{ ROW, "L1-dcache-speculative-read", "L1-dcache-speculative-read 3/0x200" },
	{ ROW, "L1-icache-loads", "L1-icache-loads 3/0x1" },
	{ ROW, "L1-icache-prefetch-misses", "L1-icache-prefetch-misses 3/0x10201" },
	{ ROW, "LLC", "LLC 3/0x2" },
	{ ROW, "LLC-loads", "LLC-loads 3/0x2" },
	{ ROW, "llc-STORES", "llc-STORES 3/0x102" },
	{ ROW, "L2-refs", "L2-refs 3/0x2" },
	{ ROW, "dTLB-stores", "dTLB-stores 3/0x103" },
	{ ROW, "Data-TLB-load-misses", "Data-TLB-load-misses 3/0x10003" },
	{ ROW, "iTLB-load-misses", "iTLB-load-misses 3/0x10004" },
	{ ROW, "branch-load-misses", "branch-load-misses 3/0x10005" },
	{ ROW, "branch-loads", "branch-loads 3/0x5" },
	{ ROW, "bpc-access", "bpc-access 3/0x5" },
	{ ROW, "node-prefetches", "node-prefetches 3/0x206" },
	{ ROW, "node-load-misses:u", "node-load-misses:u 3/0x10006 -k -h" },
};

static const struct row modifiers[] = {
	{ ROW, "cycles:u", "cycles:u 0/0 -k -h" },
	{ ROW, "cycles:k", "cycles:k 0/0 -u -h" },
	{ ROW, "cycles:h", "cycles:h 0/0 -u -k" },
	{ ROW, "cycles:uk", "cycles:uk 0/0 -h" },
	{ ROW, "cycles:ku", "cycles:ku 0/0 -h" },
	{ ROW, "cycles:uuu", "cycles:u 0/0 -k -h" },
	{ ROW, "cycles:p", "cycles:p 0/0 -guest p1" },
	{ ROW, "cycles:uppp", "cycles:uppp 0/0 -k -h -guest p3" },
	{ ROW, "cycles:pG", "cycles:pG 0/0 -host p1" },
	{ ROW, "cycles:P", "cycles:P 0/0 p2max" }, /* caps/max_precise */
	{ ROW, "msr/tsc/P", "msr/tsc/P 9/0 p3max pmu=msr" },
	{ ROW, "cycles:G", "cycles:G 0/0 -host" },
	{ ROW, "cycles:H", "cycles:H 0/0 -guest" },
	{ ROW, "cycles:GH", "cycles:GH 0/0" },
	{ ROW, "cycles:I", "cycles:I 0/0 -idle" },
	{ ROW, "cycles:D", "cycles:D 0/0 pinned" },
	{ ROW, "cycles:e", "cycles:e 0/0 exclusive" },
	{ ROW, "cycles:S", "cycles:S 0/0" },
	{ ROW, "cycles:ukhpGHIDSe", "cycles:ukhpGHIDSe 0/0 -idle pinned exclusive p1" },
};

static const struct row lists[] = {
	{ ROW, "cycles,cs", "cycles 0/0; cs 1/0x3" },
	{ ROW, " cycles ,\n\tcs ", "cycles 0/0; cs 1/0x3" },
	{ ROW, "{cycles,cs}", "cycles 0/0 group1; cs 1/0x3 group1" },
	{ ROW, " { cycles , cs } , faults",
	  "cycles 0/0 group1; cs 1/0x3 group1; faults 1/0x2" },
	{ ROW, "{cycles},{cs}:k", "cycles 0/0 group1; cs:k 1/0x3 -u -h group2" },
	{ ROW, "{cycles,cs}:u,faults",
	  "cycles:u 0/0 -k -h group1; cs:u 1/0x3 -k -h group1; faults 1/0x2" },
	{ ROW, "{cycles:k,cs:p}:up",
	  "cycles:kup 0/0 -h -guest p1 group1; "
	  "cs:pup 1/0x3 -k -h -guest p2 group1" },
	{ ROW, "{cycles,cs}:S", "cycles:S 0/0 group1; cs:S 1/0x3 group1" },
	{ ROW, "{msr/tsc/,cpu/event=1,umask=2/k}:u",
	  "msr/tsc/u 9/0 -k -h pmu=msr group1; "
	  "cpu/event=1,umask=2/ku 4/0x201 -h pmu=cpu group1" },
};

static const struct row breakpoints[] = {
	{ ROW, "mem:0x1000", "mem:0x1000 5/0 config1=0x1000 config2=0x4 access=0x3" },
	{ ROW, "mem:4096/8:w", "mem:4096/8:w 5/0 config1=0x1000 config2=0x8 access=0x2" },
	{ ROW, "mem:0x1000:x", "mem:0x1000:x 5/0 config1=0x1000 config2=0x8 access=0x4" },
	{ ROW, "mem:0x1000/1:rw:u",
	  "mem:0x1000/1:rw:u 5/0 config1=0x1000 config2=0x1 access=0x3 -k -h" },
	{ ROW, "mem:0x1000:k",
	  "mem:0x1000:k 5/0 config1=0x1000 config2=0x4 access=0x3 -u -h" },
	{ ROW, "{mem:1/1:r,cs}:u",
	  "mem:1/1:r:u 5/0 config1=0x1 config2=0x1 access=0x1 -k -h group1; "
	  "cs:u 1/0x3 -k -h group1" },
};

static const struct row tracepoints[] = {
	{ ROW, "sched:sched_switch", "sched:sched_switch 2/0x13a tp=sched,sched_switch" },
	{ ROW, "sched:sched_switch:u",
	  "sched:sched_switch:u 2/0x13a -k -h tp=sched,sched_switch" },
	{ ROW, "irq:u", "irq:u 2/0x47 tp=irq,u" },
	{ ROW, "irq:u:k", "irq:u:k 2/0x47 -u -h tp=irq,u" },
	{ ROW, "sched:sched_*w*:k",
	  "sched:sched_switch:k 2/0x13a -u -h tp=sched,sched_switch; "
	  "sched:sched_wakeup:k 2/0x13c -u -h tp=sched,sched_wakeup" },
	{ ROW, "{sched:*,cs}",
	  "sched:sched_stat_runtime 2/0x136 tp=sched,sched_stat_runtime group1; "
	  "sched:sched_switch 2/0x13a tp=sched,sched_switch group1; "
	  "sched:sched_wakeup 2/0x13c tp=sched,sched_wakeup group1; "
	  "cs 1/0x3 group1" },
	{ ROW, "[is]*:s*_[es]*y", "irq:softirq_entry 2/0x46 tp=irq,softirq_entry" },
};

static const struct {
	const struct row *rows;
	size_t count;
} all[] = {
	{ kernel_names, COUNT(kernel_names) }, { cache_names, COUNT(cache_names) },
	{ modifiers, COUNT(modifiers) },       { lists, COUNT(lists) },
	{ breakpoints, COUNT(breakpoints) },   { tracepoints, COUNT(tracepoints) },
};

UNIT_GROUP(event_machine_intel, NULL);

UNIT_TEST(names)
{
	for (size_t k = 0; k < COUNT(all); k++)
		for (size_t i = 0; i < all[k].count; i++)
			ROW_TEXT(&all[k].rows[i],
				 event_outcome(&event_machine, all[k].rows[i].names,
					       NULL),
				 all[k].rows[i].expected);
}

/* Several -e add up; one that fails leaves what was there. */
UNIT_TEST(several_lists)
{
	struct event_list list = { .count = 0 };
	struct error error = { .status = ST_OK };

	assert_int_equal(event_list_parse(&list, &event_machine, "{cs,faults}", &error),
			 ST_OK);
	assert_int_equal(event_list_parse(&list, &event_machine, "{cycles}", &error),
			 ST_OK);
	assert_int_not_equal(event_list_parse(&list, &event_machine, "dummy,{cs},nothing",
					      &error),
			     ST_OK);
	error.status = ST_OK;
	assert_int_equal(event_list_parse(&list, &event_machine, "{dummy}", &error),
			 ST_OK);
	assert_string_equal(event_words(&list),
			    "cs 1/0x3 group1; faults 1/0x2 group1; cycles 0/0 group2; "
			    "dummy 1/0x9 group3");
	event_list_release(&list);
}

/* Names stay apart from the text they came from. */
UNIT_TEST(names_are_copies)
{
	struct event_list list = { .count = 0 };
	struct error error = { .status = ST_OK };
	char *text = strdup("cycles:u,power/energy-pkg/");

	assert_int_equal(event_list_parse(&list, &event_machine, text, &error), ST_OK);
	free(text);
	assert_string_equal(list.events[0].name, "cycles:u");
	assert_string_equal(list.events[0].modifiers, "u");
	assert_string_equal(list.events[1].unit, "Joules");
	event_list_release(&list);
	assert_int_equal(list.count, 0);
}
