/*
 * control_groups.h - control groups: the one that is followed, and those there are.
 *
 * perf knows one hierarchy: of cgroup v1 the one with its controller (perf_event), else
 * cgroup v2.  Names are paths below its mount.
 */
#ifndef PERFTAB_CONTROL_GROUPS_H
#define PERFTAB_CONTROL_GROUPS_H

#include "capture/linux/counters/counters.h"
#include "formats/perf/write_parts.h"

#define CGROUP_PATH_BYTES 4096
#define CGROUPS_MAX (1u << 16) /* that are listed */

/* The mount of perf's hierarchy, by `mounts` ("/proc/self/mounts"); false: none. */
bool control_groups_find_mount(const char *mounts, char *path, size_t room);

/*
 * Opens the folder of the control group `name` below the mount, with or without a leading
 * slash or the mount's own path; `path` gets the path below it, with a leading slash.
 */
MUST_CHECK enum status control_groups_open(const char *mount, const char *name, int *fd,
					   char *path, size_t room, struct error *error);

/* The number by which the kernel knows the one that is open; 0: it is not known. */
uint64_t control_groups_id(int fd);

/* CGROUP records of those below `mount`, itself too; the kernel reports later ones. */
void control_groups_write(struct bytes *to, const char *mount,
			  const struct counters *counters);

#endif
