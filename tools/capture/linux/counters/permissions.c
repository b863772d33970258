/* permissions.c - reads kernel settings and capabilities; explains refusals. */
#include "capture/linux/counters/permissions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

#define CAPABILITY_IPC_LOCK 14
#define CAPABILITY_SYS_ADMIN 21
#define CAPABILITY_PERFMON 38
#define FIRST_PID_NAMESPACE 0xEFFFFFFCu /* PROC_PID_INIT_INO of <linux/proc_ns.h> */

static bool read_int(const char *path, int *value)
{
	FILE *file = fopen(path, "re");
	bool got = file && fscanf(file, "%d", value) == 1;

	if (file)
		fclose(file);
	return got;
}

static unsigned long long effective_capabilities(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long bits = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %llx", &bits) == 1)
			break;
	if (file)
		fclose(file);
	return bits;
}

void permissions_read(struct permissions *permissions)
{
	unsigned long long bits = effective_capabilities();

	permissions->paranoid = PERMISSIONS_NO_PARANOID;
	(void)read_int("/proc/sys/kernel/perf_event_paranoid", &permissions->paranoid);
	permissions->is_perfmon =
		(bits >> CAPABILITY_PERFMON | bits >> CAPABILITY_SYS_ADMIN) & 1;
	permissions->is_ipc_lock = bits >> CAPABILITY_IPC_LOCK & 1;
}

bool permissions_cpu_wide(const struct permissions *permissions)
{
	return permissions->is_perfmon || permissions->paranoid <= 0;
}

bool permissions_kernel(const struct permissions *permissions)
{
	return permissions->is_perfmon || permissions->paranoid <= 1;
}

bool permissions_in_pid_namespace(void)
{
	struct stat info;

	return stat("/proc/self/ns/pid", &info) == 0 &&
	       info.st_ino != FIRST_PID_NAMESPACE;
}

const char *permissions_tracefs(void)
{
	static const char *const places[] = { "/sys/kernel/tracing",
					      "/sys/kernel/debug/tracing" };
	char path[128];

	for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
		snprintf(path, sizeof(path), "%s/events/sched/sched_switch/id",
			 places[i]);
		if (access(path, R_OK) == 0)
			return places[i];
	}
	return NULL;
}

/* --- sentences --- */

static enum status set_error(struct error *error, const char *event, const char *why)
{
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET, "%.60s: %s", event, why);
}

static bool is_another_users(pid_t tid)
{
	char path[32];
	struct stat info;

	snprintf(path, sizeof(path), "/proc/%d", (int)tid);
	return stat(path, &info) == 0 && info.st_uid != geteuid();
}

static enum status not_permitted(const struct refusal *r, struct error *error)
{
	char why[200];

	if (r->permissions->is_perfmon)
		return set_error(
			error, r->event,
			"forbidden although CAP_PERFMON is there: a container's seccomp "
			"filter, a security module or kernel lockdown; record outside it");
	if (r->tid >= 0 && (r->permissions->paranoid < 2 || is_another_users(r->tid)))
		snprintf(why, sizeof(why),
			 "not permitted for process %d: it is another user's; record as "
			 "root or with CAP_PERFMON",
			 (int)r->tid);
	else
		snprintf(
			why, sizeof(why),
			"not permitted: no CAP_PERFMON, and kernel.perf_event_paranoid is "
			"%d; record as root, or have root set it to %s",
			r->permissions->paranoid,
			r->tid >= 0 ? "1" : "0 (1 allows a command or -p without -a)");
	return set_error(error, r->event, why);
}

/* A machine may have PMUs, or none that the kernel shows. */
static bool has_core_pmu(void)
{
	static const char *const names[] = { "cpu", "cpu_core", "armv8_pmuv3_0",
					     "armv8_pmuv3", "cpum_cf" };
	char path[128];

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s",
			 names[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

static bool is_hardware(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	       attr->type == PERF_TYPE_RAW;
}

static enum status no_such_event(const struct refusal *r, struct error *error)
{
	if (is_hardware(r->attr) && !has_core_pmu())
		return set_error(
			error, r->event,
			"this machine has no PMU, or hides it from its guest; use "
			"software events such as task-clock, page-faults "
			"(perftab-capture list events)");
	if (r->attr->type == PERF_TYPE_TRACEPOINT)
		return set_error(error, r->event, "the kernel has no such tracepoint");
	return set_error(
		error, r->event,
		"this CPU's PMU has no such event (perftab-capture list events shows "
		"those it has)");
}

/* Many PMUs cannot leave out the kernel. */
static enum status user_mode_refused(const struct refusal *r, struct error *error)
{
	char why[200];

	snprintf(
		why, sizeof(why),
		"kernel.perf_event_paranoid is %d, so only user mode may be counted, and "
		"the kernel refuses that of this event: record as root, or have root set "
		"it to 1",
		r->permissions->paranoid);
	return set_error(error, r->event, why);
}

static enum status too_many_files(const struct refusal *r, struct error *error)
{
	struct rlimit limit = { 0, 0 };
	char why[200], count[32] = "";

	if (r->files) /* known once the machine was seen */
		snprintf(count, sizeof(count), "%zu ", r->files);
	getrlimit(RLIMIT_NOFILE, &limit);
	snprintf(why, sizeof(why),
		 "%scounters are needed, and at most %llu files may be open, all others "
		 "included: raise the limit "
		 "(ulimit -n), or choose fewer events or CPUs",
		 count, (unsigned long long)limit.rlim_cur);
	return set_error(error, r->event, why);
}

enum status refusal_open(const struct refusal *r, int number, struct error *error)
{
	char why[200];

	switch (number) {
	case EACCES:
	case EPERM:
		return not_permitted(r, error);
	case ENOENT:
		return no_such_event(r, error);
	case ENODEV:
	case ENXIO:
		snprintf(why, sizeof(why), "no %s on CPU %d counts it",
			 r->pmu ? r->pmu : "PMU", r->cpu);
		return set_error(error, r->event, why);
	case EOPNOTSUPP:
		return set_error(
			error, r->event,
			"the PMU cannot count it this way: leave out :p and other "
			"modifiers, or choose another event");
	case EINVAL:
		if (r->attr->exclude_kernel && !permissions_kernel(r->permissions))
			return user_mode_refused(r, error);
		return set_error(error, r->event,
				 "the kernel refuses its terms or modifiers as invalid");
	case EMFILE:
	case ENFILE:
		return too_many_files(r, error);
	case EBUSY:
		return set_error(
			error, r->event,
			"another program holds this PMU for itself (a profiler, or a "
			"pinned event); end it first");
	case ENOSPC:
		return set_error(
			error, r->event,
			"no hardware breakpoint is left; choose fewer mem: events");
	case ESRCH:
		snprintf(why, sizeof(why), "there is no process %d (any more)",
			 (int)r->tid);
		return set_error(error, r->event, why);
	case ENOSYS:
		return set_error(
			error, r->event,
			"this kernel was built without perf events, or a seccomp filter "
			"hides them");
	default:
		snprintf(why, sizeof(why), "cannot be opened: %s", strerror(number));
		return set_error(error, r->event, why);
	}
}

enum status refusal_map(const struct refusal *r, size_t bytes, int number,
			struct error *error)
{
	struct rlimit limit = { 0, 0 };
	int mlock_kb = 0;

	(void)read_int("/proc/sys/kernel/perf_event_mlock_kb", &mlock_kb);
	getrlimit(RLIMIT_MEMLOCK, &limit);
	if ((number == EPERM || number == ENOSPC || number == EAGAIN) &&
	    !r->permissions->is_ipc_lock)
		return error_set(
			error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"rings of %zu KiB a CPU are over what may be locked: %d KiB "
			"(kernel.perf_event_mlock_kb) and %llu KiB (ulimit -l); choose "
			"a smaller -m, or record as root",
			bytes / 1024, mlock_kb,
			(unsigned long long)limit.rlim_cur / 1024);
	if (number == ENOMEM)
		return error_set(
			error, ST_NOMEM, ERROR_NO_OFFSET,
			"no memory for a ring of %zu KiB on CPU %d; choose a smaller -m",
			bytes / 1024, r->cpu);
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "the ring of CPU %d, %zu KiB, cannot be mapped: %s", r->cpu,
			 bytes / 1024, strerror(number));
}
