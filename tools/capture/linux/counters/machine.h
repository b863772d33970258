/*
 * machine.h - what a trace says of the machine that it was recorded on.
 */
#ifndef PERFTAB_COUNTERS_MACHINE_H
#define PERFTAB_COUNTERS_MACHINE_H

#include <stdint.h>

#define MACHINE_TEXT 256

struct machine {
	char host[MACHINE_TEXT];
	char os_release[MACHINE_TEXT];
	char arch[MACHINE_TEXT];
	char cpu_model[MACHINE_TEXT]; /* "" where the system does not tell */
	char cpu_id[MACHINE_TEXT];    /* as perf writes it, "" likewise */
	uint32_t cpus_available, cpus_online;
	uint64_t memory_kb;
	uint64_t clock_resolution_ns; /* of CLOCK_MONOTONIC */
	uint64_t wall_ns, clock_ns;   /* CLOCK_REALTIME and CLOCK_MONOTONIC at once */
};

/* CLOCK_REALTIME and CLOCK_MONOTONIC at once, as close as it gets. */
void machine_read_clocks(uint64_t *wall_ns, uint64_t *clock_ns);
void machine_read(struct machine *machine);

#endif
