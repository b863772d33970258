/*
 * system.h - what /proc and /sys say of the frequency of a CPU, and of other users of its
 * counters.
 */
#ifndef PERFTAB_AUDIT_SYSTEM_H
#define PERFTAB_AUDIT_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The highest frequency that a CPU can have; 0: not known.  `sysfs` is
 * "/sys/devices/system/cpu".
 */
uint64_t system_max_khz(const char *sysfs, int cpu);

/*
 * Who may hold counters of the PMU, in words, "" if no such user is known: the NMI
 * watchdog, and processes other than `self` that have perf events open.  Stops looking
 * after `budget_ns`.  `proc` is "/proc".  Returns the number of users found.
 */
size_t system_counter_users(const char *proc, pid_t self, uint64_t budget_ns, char *words,
			    size_t size);

#endif
