/*
 * permissions.h - what this machine lets us count, and a sentence for every refusal.
 */
#ifndef PERFTAB_COUNTERS_PERMISSIONS_H
#define PERFTAB_COUNTERS_PERMISSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "capture/linux/events/event.h"

#define PERMISSIONS_NO_PARANOID 1000 /* the kernel has no perf events */

struct permissions {
	int paranoid;	  /* kernel.perf_event_paranoid, or PERMISSIONS_NO_PARANOID */
	bool is_perfmon;  /* CAP_PERFMON or CAP_SYS_ADMIN: no limits */
	bool is_ipc_lock; /* CAP_IPC_LOCK: no limit on locked memory */
};

void permissions_read(struct permissions *permissions);
/* Whole CPUs may be counted, not only one's own processes. */
bool permissions_cpu_wide(const struct permissions *permissions);
/* What runs in the kernel may be counted too, not only what runs in user mode. */
bool permissions_kernel(const struct permissions *permissions);
/* Processes have other numbers here than those the kernel's tracepoints tell. */
bool permissions_in_pid_namespace(void);
/* "/sys/kernel/tracing" or its place in debugfs where it can be read, else NULL. */
const char *permissions_tracefs(void);

/* What was asked for when the kernel said no. */
struct refusal {
	const struct permissions *permissions;
	const char *event; /* its name */
	const struct perf_event_attr *attr;
	const char *pmu; /* or NULL */
	int cpu;	 /* -1: any */
	pid_t tid;	 /* -1: all of the CPU */
	size_t files;	 /* that this recording needs */
};

/* perf_event_open() failed with `number`: why, and what to do. */
enum status refusal_open(const struct refusal *refusal, int number, struct error *error);
/* A ring of `bytes` could not be mapped. */
enum status refusal_map(const struct refusal *refusal, size_t bytes, int number,
			struct error *error);

#endif
