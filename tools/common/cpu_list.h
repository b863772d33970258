/*
 * cpu_list.h - CPUs as the kernel and its users write them: "0-3,8".
 */
#ifndef PERFTAB_CPU_LIST_H
#define PERFTAB_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define CPU_LIST_MAX 16384 /* as the reader's CPU_MAX */

/* Ascending, each once. */
struct cpu_list {
	int *cpus;
	size_t count;
};

/* ST_CORRUPT: `text` is none; nothing is kept then. */
MUST_CHECK enum status cpu_list_parse(struct cpu_list *list, const char *text,
				      struct error *error);
/* Those that are online; `path` is /sys/devices/system/cpu/online, or a test's. */
MUST_CHECK enum status cpu_list_read(struct cpu_list *list, const char *path,
				     struct error *error);
/* Those of CPU_LIST_MAX that are true, as "0-3,8"; "..." are those without room. */
void cpu_list_print(char *text, size_t size, const bool *cpus);
bool cpu_list_has(const struct cpu_list *list, int cpu);
void cpu_list_release(struct cpu_list *list);

#endif
