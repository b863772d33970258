/*
 * open.c - opens a recording: which CPUs and tasks, which events, by which way, how large
 * its rings.  recorder.c runs it.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "capture/linux/recorder/recorder.h"
#include "capture/linux/recorder/sample_cost.h"
#include "capture/linux/recorder/tasks.h"

#define ONLINE_CPUS "/sys/devices/system/cpu/online"
#define POSSIBLE_CPUS "/sys/devices/system/cpu/possible"
#define RING_BYTES_DEFAULT ((size_t)4 << 20)
#define RINGS_BYTES_DEFAULT ((size_t)256 << 20) /* of all CPUs, at most */
#define RING_BYTES_LEAST ((size_t)32 << 10)	/* the smallest to try */
#define TRACKER_RING_BYTES ((size_t)1 << 20)

void recorder_warn(const struct recorder *r, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (r->options.warn)
		r->options.warn(r->options.context, text);
}

/* --- which CPUs, which tasks --- */

/* Of those asked for, the ones that are online. */
static enum status choose_cpus(struct recorder *r)
{
	const struct cpu_list *wanted = &r->options.cpus;
	struct cpu_list possible;
	enum status status = cpu_list_read(&r->cpus, ONLINE_CPUS, r->error);
	size_t kept = 0;

	if (status != ST_OK || !wanted->count)
		return status;
	status = cpu_list_read(&possible, POSSIBLE_CPUS, r->error);
	for (size_t i = 0; i < wanted->count && status == ST_OK; i++) {
		int cpu = wanted->cpus[i];

		if (!cpu_list_has(&possible, cpu))
			status = error_set(r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
					   "-C: this machine has no CPU %d", cpu);
		else if (!cpu_list_has(&r->cpus, cpu))
			recorder_warn(r, "CPU %d is offline: not recorded", cpu);
	}
	cpu_list_release(&possible);
	for (size_t i = 0; i < r->cpus.count; i++)
		if (cpu_list_has(wanted, r->cpus.cpus[i]))
			r->cpus.cpus[kept++] = r->cpus.cpus[i];
	r->cpus.count = kept;
	if (status == ST_OK && r->cpus.count == 0)
		status = error_set(r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "-C: none of these CPUs is online");
	return status;
}

static enum status choose_one(struct recorder *r, pid_t tid)
{
	r->tids = malloc(sizeof(*r->tids));
	if (!r->tids)
		return error_nomem(r->error);
	r->tids[0] = tid;
	r->tid_count = 1;
	return ST_OK;
}

static enum status choose_thread(struct recorder *r)
{
	r->options.pid = tasks_process("/proc", r->options.tid);
	if (!r->options.pid)
		return error_set(r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "there is no thread %lld", (long long)r->options.tid);
	return choose_one(r, (pid_t)r->options.tid);
}

static enum status choose_process(struct recorder *r)
{
	int64_t pid = r->options.pid;
	pid_t process = tasks_process("/proc", pid);
	char thread[32] = "";

	if (!process || process == pid)
		return tasks_of("/proc", pid, &r->tids, &r->tid_count, r->error);
	if (!r->options.is_live)
		snprintf(thread, sizeof(thread), "-t %lld, or ", (long long)pid);
	return error_set(r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "%lld is a thread of process %d: %s-p %d", (long long)pid,
			 (int)process, thread, (int)process);
}

static enum status not_whole_cpus(struct recorder *r, const char *what, const char *how)
{
	return error_set(r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "recording %s is not permitted: no CAP_PERFMON, and "
			 "kernel.perf_event_paranoid is %d; %srecord as root, or have "
			 "root set it to 0",
			 what, r->permissions.paranoid, how);
}

static enum status choose_cgroup(struct recorder *r)
{
	char mount[CGROUP_PATH_BYTES];

	if (!control_groups_find_mount("/proc/self/mounts", mount, sizeof(mount)))
		return error_set(r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "--cgroup: neither cgroup v2 nor the perf_event "
				 "hierarchy of cgroup v1 is mounted");
	if (!permissions_cpu_wide(&r->permissions))
		return not_whole_cpus(r, "a control group", "");
	r->cgroup_path = malloc(CGROUP_PATH_BYTES);
	if (!r->cgroup_path)
		return error_nomem(r->error);
	r->whole_cpus = true;
	return control_groups_open(mount, r->options.cgroup, &r->cgroup_fd,
				   r->cgroup_path, CGROUP_PATH_BYTES, r->error);
}

static enum status choose_tasks(struct recorder *r)
{
	const struct recorder_options *o = &r->options;
	bool whole = o->all_cpus || o->cpus.count;

	if (o->cgroup)
		return choose_cgroup(r);
	if (o->tid)
		return choose_thread(r);
	if (o->pid)
		return choose_process(r);
	r->whole_cpus =
		whole || (!o->follow_command && permissions_cpu_wide(&r->permissions));
	if (r->whole_cpus)
		return ST_OK;
	if (!o->command)
		return not_whole_cpus(r, "all CPUs", "give a command or -p, ");
	return choose_one(r, r->workload.pid);
}

/* --- opening --- */

static void choose_ring_bytes(struct recorder *r)
{
	r->ring_bytes = r->options.ring_bytes;
	if (r->ring_bytes)
		return;
	r->ring_bytes = RING_BYTES_DEFAULT;
	while (r->ring_bytes * r->cpus.count > RINGS_BYTES_DEFAULT &&
	       r->ring_bytes > RING_BYTES_LEAST)
		r->ring_bytes /= 2;
}

/* Where BPF programs see the switches, only births, names and ends are left. */
static size_t perf_ring_bytes(const struct recorder *r)
{
	if (r->uses_bpf && r->ring_bytes > TRACKER_RING_BYTES)
		return TRACKER_RING_BYTES;
	return r->ring_bytes;
}

static enum status choose_events(struct recorder *r)
{
	struct event_sources sources = {
		.sysfs = "/sys/bus/event_source/devices",
		.tracefs = permissions_tracefs(),
		.counts = counter_is_counted,
		.context = &r->permissions,
		.model_names = true,
	};
	enum status status = ST_OK;

	if (r->options.interrupts && r->tids)
		return error_set(
			r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"--interrupts records whole CPUs, and here only tasks are "
			"followed");

	for (size_t i = 0; i < r->options.event_lists && status == ST_OK; i++)
		status = event_list_parse(&r->events, &sources, r->options.events[i],
					  r->error);
	r->wrong_usage = status == ST_CORRUPT;
	if (r->options.event_lists == 0)
		status = event_list_default(&r->events, &sources, r->error);
	if (status == ST_OK)
		status = interrupts_add(&r->events, &sources, r->options.interrupts,
					r->error);
	return status;
}

/*
 * In a PID namespace the tracepoint names tasks by other numbers than all other records
 * do; where only our own tasks are counted, the software leader names them as well.
 */
static const char *tracefs_of_leader(const struct recorder *r)
{
	return r->tids && permissions_in_pid_namespace() ? NULL : permissions_tracefs();
}

static enum status choose_counters(struct recorder *r)
{
	struct counter_request request = {
		.events = &r->events,
		.permissions = &r->permissions,
		.tracefs = tracefs_of_leader(r),
		.cpus = r->cpus,
		.tids = r->tids,
		.tid_count = r->tid_count,
		.follows_cgroup = r->cgroup_path != NULL,
		.cgroup_fd = r->cgroup_fd,
		.cgroup_id = r->cgroup_path ? control_groups_id(r->cgroup_fd) : 0,
		.wake_bytes = (uint32_t)(perf_ring_bytes(r) / 2),
		.multiplex = r->options.multiplex,
		.filter = r->options.filter,
		.has_witness = !r->uses_bpf && !r->tids,
		.bpf = r->uses_bpf,
	};
	enum status status = counters_plan(&r->counters, &request, r->error);

	return status == ST_OK ? counters_open(&r->counters, r->error) : status;
}

/* --- by BPF programs, or by samples of perf --- */

/* Whether BPF programs are to be tried; an error where they were asked for in vain. */
static enum status choose_via(struct recorder *r)
{
	const char *why = NULL;

	if (r->options.via == RECORDER_VIA_PERF)
		return ST_OK;
	if (r->tids)
		why = "programs read whole CPUs, and here only tasks are followed";
	else if (r->cgroup_path && !control_groups_id(r->cgroup_fd))
		why = "the kernel's number of the control group cannot be read";
	else if (!permissions_tracefs())
		why = "the format of sched_switch cannot be read: tracefs is not mounted, "
		      "or root's alone";
	else if (r->options.via == RECORDER_VIA_AUTO && !bpf_programs_built())
		return ST_OK;
	if (why && r->options.via == RECORDER_VIA_BPF)
		return error_set(r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "--via bpf: %s", why);
	r->uses_bpf = !why;
	return ST_OK;
}

static void warn_of_kernel(const struct recorder *r)
{
	if (!r->tids)
		return;
	if (!r->counters.supports.kernel)
		recorder_warn(
			r,
			"kernel.perf_event_paranoid is %d: what runs in the kernel is not "
			"counted, and no switch is seen: counters are read where the "
			"recording begins and ends, and in between once a second",
			r->permissions.paranoid);
	if (!r->counters.supports.inherit)
		recorder_warn(
			r,
			"this kernel cannot read the counters of children (Linux 6.12 "
			"can): threads and processes that begin from now on are not counted");
	else if (!exit_reads_are_written())
		recorder_warn(
			r,
			"this kernel does not tell what threads had counted when they ended "
			"(Linux 6.18 does): what each of them counted after its last switch is "
			"missing; -a has it all");
}

/* The first counter of a CPU owns its ring, all others write into it as well. */
static enum status open_ring(struct recorder *r, size_t cpu)
{
	const struct counters *c = &r->counters;
	size_t tasks = c->instances / r->cpus.count;
	struct refusal refusal = { .permissions = &r->permissions,
				   .cpu = r->cpus.cpus[cpu] };
	int owner = -1;

	for (size_t i = cpu * tasks; i < (cpu + 1) * tasks; i++)
		for (size_t e = 0; e < c->event_count; e++) {
			int fd = c->events[e].fds[i];

			if (fd < 0)
				continue;
			if (owner >= 0) {
				if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner) != 0)
					return error_set(
						r->error, ST_IO, ERROR_NO_OFFSET,
						"%.60s: cannot share the ring of CPU %d: %s",
						c->events[e].name, refusal.cpu,
						strerror(errno));
				continue;
			}
			owner = fd;
			if (!ring_open(&r->rings[cpu], fd, perf_ring_bytes(r)))
				return refusal_map(&refusal, perf_ring_bytes(r), errno,
						   r->error);
		}
	r->polled[cpu] = (struct pollfd){ .fd = owner, .events = POLLIN };
	if (owner < 0)
		return error_set(r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "the process has ended");
	return ST_OK;
}

void recorder_close_rings(struct recorder *r)
{
	for (size_t i = 0; r->rings && i < r->cpus.count; i++)
		ring_close(&r->rings[i]);
}

static enum status open_rings(struct recorder *r)
{
	enum status status = ST_OK;

	for (size_t i = 0; i < r->cpus.count && status == ST_OK; i++)
		status = open_ring(r, i);
	return status;
}

/*
 * Rings of a default size may become smaller, down to what the limits
 * allow; counters are opened anew then, because they know when to wake us.
 */
static enum status open_sized(struct recorder *r)
{
	enum status status;

	for (;;) {
		status = choose_counters(r);
		if (status != ST_OK)
			return status;
		status = open_rings(r);
		if (status != ST_UNSUPPORTED || r->options.ring_bytes ||
		    r->ring_bytes <= RING_BYTES_LEAST)
			return status;
		recorder_close_rings(r);
		counters_close(&r->counters);
		r->ring_bytes /= 2;
		r->error->status = ST_OK;
	}
}

/* Of a CPU; nothing limits what of it is locked, and a busy machine lets us wait. */
size_t recorder_stream_bytes(const struct recorder *r)
{
	return r->options.ring_bytes ? r->options.ring_bytes : 4 * r->ring_bytes;
}

/* The perf way where the BPF way fails, unless that was asked for. */
static enum status open_counters(struct recorder *r)
{
	enum status status = choose_via(r);

	r->rings = calloc(r->cpus.count, sizeof(*r->rings));
	r->polled = calloc(r->cpus.count + RECORDER_POLLED_MORE, sizeof(*r->polled));
	r->pieces = calloc(r->cpus.count * 2 + 1, sizeof(*r->pieces));
	if (!r->rings || !r->polled || !r->pieces)
		return error_nomem(r->error);
	if (status == ST_OK)
		status = open_sized(r);
	if (status != ST_OK || !r->uses_bpf)
		return status;
	status = bpf_stream_open(&r->stream, &r->counters, recorder_stream_bytes(r),
				 r->error);
	if (status == ST_OK || r->options.via == RECORDER_VIA_BPF)
		return status;
	recorder_warn(r, "%s; recording by perf samples instead (--via perf)",
		      r->error->text);
	bpf_stream_close(&r->stream);
	recorder_close_rings(r);
	counters_close(&r->counters);
	r->uses_bpf = false;
	r->error->status = ST_OK;
	return open_sized(r);
}

static void on_child(int number)
{
	(void)number; /* poll() comes back, which is all */
}

enum status recorder_open(struct recorder *r, const struct recorder_options *options,
			  struct error *error)
{
	struct sigaction action = { .sa_handler = on_child };
	enum status status = ST_OK;

	*r = (struct recorder){ .options = *options, .error = error };
	r->workload.gate = r->workload.news = r->cgroup_fd = -1;
	sigemptyset(&action.sa_mask);
	sigaction(SIGCHLD, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	permissions_read(&r->permissions);
	if (options->command)
		status = workload_prepare(&r->workload, options->command,
					  options->to_stdout, error);
	if (status == ST_OK)
		status = choose_cpus(r);
	choose_ring_bytes(r);
	if (status == ST_OK)
		status = choose_tasks(r);
	if (status == ST_OK)
		status = choose_events(r);
	if (status == ST_OK)
		status = open_counters(r);
	if (status == ST_OK) {
		warn_of_kernel(r);
		commands_open(&r->commands, &r->counters);
		if (!r->uses_bpf)
			r->stats.read_ns = sample_cost_ns(&r->counters);
	}
	if (status == ST_OK &&
	    (!switch_filter_open(&r->filter, &r->counters) ||
	     (!r->uses_bpf &&
	      !group_reads_open(&r->reads, &r->counters, (pid_t)r->options.pid))))
		status = error_nomem(error);
	if (status == ST_OK)
		status = trace_formats_read(&r->facts, permissions_tracefs(),
					    &r->counters, error);
	return status;
}
