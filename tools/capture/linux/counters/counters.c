/* counters.c - opens, arms and reads the perf events of a recording. */
#include "capture/linux/counters/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WITNESS_NS 100000000

int counter_open(struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, group_fd,
			    PERF_FLAG_FD_CLOEXEC);
}

bool counter_is_counted(void *context, const struct capture_event *event)
{
	const struct permissions *permissions = context;
	struct perf_event_attr attr = event->attr;
	struct error unused = { .status = ST_OK };
	struct cpu_list cpus;
	int cpu = 0, fd;

	attr.disabled = 1;
	if (event->cpus && cpu_list_parse(&cpus, event->cpus, &unused) == ST_OK) {
		cpu = cpus.cpus[0];
		cpu_list_release(&cpus);
	}
	fd = permissions_cpu_wide(permissions) ? counter_open(&attr, -1, cpu, -1)
					       : counter_open(&attr, 0, -1, -1);
	if (fd < 0 && errno == EACCES) { /* the user's half needs no permission */
		attr.exclude_kernel = attr.exclude_hv = 1;
		fd = counter_open(&attr, 0, -1, -1);
	}
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int counters_cpu(const struct counters *c, size_t instance)
{
	size_t tasks = c->request.tids ? c->request.tid_count : 1;

	return c->request.cpus.cpus[instance / tasks];
}

pid_t counters_tid(const struct counters *c, size_t instance)
{
	return c->request.tids ? c->request.tids[instance % c->request.tid_count] : -1;
}

/* --- opening --- */

/* As many files as the system lets us have. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* A task that ended since it was listed has nothing left to count. */
static bool is_gone(const struct counters *c, int number)
{
	return number == ESRCH && c->request.tid_count > 1;
}

/*
 * The trace says sched_switch; a BPF program is there instead, and this holds the group.
 */
static void make_silent(struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_period = 0;
	attr->sample_type &= ~(uint64_t)(PERF_SAMPLE_READ | PERF_SAMPLE_RAW);
}

/*
 * The tracker also says ten times a second who is on its CPU; the trace has none of it.
 */
static void make_witness(struct perf_event_attr *attr)
{
	attr->config = PERF_COUNT_SW_CPU_CLOCK;
	attr->sample_period = WITNESS_NS;
	attr->exclude_kernel = attr->exclude_hv = 0;
}

/* The leader counts every switch, and an interrupt has a beginning and an end. */
static bool is_filtered(const struct counters *c, const struct counted_event *event)
{
	return c->request.filter && event->asked && !event->asked->is_edge &&
	       event->attr.type == PERF_TYPE_TRACEPOINT;
}

static enum status open_event(struct counters *c, struct counted_event *event,
			      size_t instance, int group_fd, struct error *error)
{
	int cpu = counters_cpu(c, instance);
	pid_t tid = counters_tid(c, instance);
	struct perf_event_attr attr = event->attr;
	int fd;

	if (c->request.bpf && (event->is_leader || counter_is_edge(event)))
		make_silent(&attr);
	else if (c->request.has_witness && event == counters_tracker(c))
		make_witness(&attr);
	if (c->request.follows_cgroup && event != counters_tracker(c))
		fd = (int)syscall(SYS_perf_event_open, &attr, c->request.cgroup_fd, cpu,
				  group_fd, PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);
	else
		fd = counter_open(&attr, tid, cpu, group_fd);
	if (fd < 0 && c->request.follows_cgroup && event->is_leader &&
	    (errno == EBADF || errno == EINVAL || errno == ENOENT))
		return error_set(
			error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"--cgroup: this kernel cannot count a control group there "
			"(%s): CONFIG_CGROUP_PERF, and the hierarchy that has "
			"perf_event",
			strerror(errno));
	if (fd < 0 && !is_gone(c, errno)) {
		struct refusal refusal = {
			.permissions = c->request.permissions,
			.event = event->name,
			.attr = &event->attr,
			.pmu = event->asked ? event->asked->pmu : NULL,
			.cpu = cpu,
			.tid = tid,
			.files = c->instances * c->event_count,
		};

		return refusal_open(&refusal, errno, error);
	}
	event->fds[instance] = fd;
	if (fd >= 0 && is_filtered(c, event) &&
	    ioctl(fd, PERF_EVENT_IOC_SET_FILTER, c->request.filter) != 0)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "--filter '%.100s': %.60s: %s", c->request.filter,
				 event->name,
				 errno == EINVAL ? "not a filter over its fields"
						 : strerror(errno));
	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ID, &event->ids[instance]) != 0)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "this kernel gives counters no ids (PERF_EVENT_IOC_ID): "
				 "Linux 3.12 or newer is needed");
	return ST_OK;
}

static enum status open_group(struct counters *c, const struct counted_group *group,
			      size_t instance, struct error *error)
{
	struct counted_event *leader = &c->events[group->first];
	enum status status = open_event(c, leader, instance, -1, error);

	for (size_t i = 1;
	     i < group->count && status == ST_OK && leader->fds[instance] >= 0; i++)
		status = open_event(c, &c->events[group->first + i], instance,
				    leader->fds[instance], error);
	return status;
}

static enum status make_tables(struct counters *c, struct error *error)
{
	for (size_t i = 0; i < c->event_count; i++) {
		struct counted_event *event = &c->events[i];

		event->fds = malloc(c->instances * sizeof(*event->fds));
		event->ids = calloc(c->instances, sizeof(*event->ids));
		if (!event->fds || !event->ids)
			return error_nomem(error);
		for (size_t k = 0; k < c->instances; k++)
			event->fds[k] = -1;
	}
	return ST_OK;
}

enum status counters_open(struct counters *c, struct error *error)
{
	size_t tasks = c->request.tids ? c->request.tid_count : 1;
	enum status status = make_tables(c, error);

	raise_file_limit();
	for (size_t i = 0; i < c->instances && status == ST_OK; i++) {
		for (size_t g = 0; g < c->group_count && status == ST_OK; g++)
			if (c->groups[g].part == c->part_of_cpu[i / tasks])
				status = open_group(c, &c->groups[g], i, error);
		if (status == ST_OK)
			status = open_event(c, counters_tracker(c), i, -1, error);
	}
	return status;
}

void counters_close(struct counters *c)
{
	for (size_t i = 0; i < c->event_count; i++) {
		struct counted_event *event = &c->events[i];

		for (size_t k = 0; event->fds && k < c->instances; k++)
			if (event->fds[k] >= 0)
				close(event->fds[k]);
		free(event->fds);
		free(event->ids);
		free(event->name);
	}
	free(c->events);
	free(c->part_of_cpu);
	*c = (struct counters){ .event_count = 0 };
}

/* --- arming --- */

static void order(const struct counters *c, const struct counted_event *event,
		  unsigned long request)
{
	for (size_t i = 0; i < c->instances; i++)
		if (event->fds[i] >= 0)
			(void)ioctl(event->fds[i], request, 0);
}

void counters_arm_tracker(struct counters *c)
{
	order(c, counters_tracker(c), PERF_EVENT_IOC_ENABLE);
}

void counters_arm_groups(struct counters *c)
{
	for (size_t g = 0; g < c->group_count; g++)
		order(c, &c->events[c->groups[g].first], PERF_EVENT_IOC_ENABLE);
}

void counters_disarm(struct counters *c)
{
	for (size_t g = 0; g < c->group_count; g++)
		order(c, &c->events[c->groups[g].first], PERF_EVENT_IOC_DISABLE);
	order(c, counters_tracker(c), PERF_EVENT_IOC_DISABLE);
}

/* --- the end --- */

/* nr, enabled, running, then value, id and perhaps lost of each member. */
static bool read_group(const struct counters *c, const struct counted_group *group,
		       int fd, uint64_t *buffer, size_t bytes, struct counter_end *end,
		       bool *is_gone)
{
	size_t each = c->supports.lost ? 3 : 2;

	ssize_t got = fd < 0 ? -1 : read(fd, buffer, bytes);
	bool is_whole = got >= (ssize_t)((3 + group->count * each) * 8);

	*is_gone =
		got >= 0 && !is_whole; /* its CPU went offline: the group is dissolved */
	if (!is_whole)
		return false;
	if (c->supports.lost)
		end->lost += buffer[3 + 2];
	return true;
}

/* A group of one is not dissolved: its time enabled is constant. */
bool counters_are_gone(const struct counters *c, size_t place)
{
	const struct counted_group *group = &c->groups[0];
	size_t bytes = (3 + 3 * c->event_count) * sizeof(uint64_t);
	uint64_t *buffer = malloc(bytes), before;
	struct counter_end unused = { .lost = 0 };
	bool is_gone = false;
	int fd;

	if (buffer && c->group_count && !c->request.tids) {
		fd = c->events[group->first].fds[place];
		if (read_group(c, group, fd, buffer, bytes, &unused, &is_gone)) {
			before = buffer[1];
			is_gone = !c->request.follows_cgroup && before &&
				  read_group(c, group, fd, buffer, bytes, &unused,
					     &is_gone) &&
				  buffer[1] == before;
		}
	}
	free(buffer);
	return is_gone;
}

static void add_times(struct counter_end *end, uint64_t enabled, uint64_t running)
{
	end->never_ran |= enabled && !running;
	if (!end->enabled || (double)running / (double)(enabled ? enabled : 1) <
				     (double)end->running / (double)end->enabled) {
		end->enabled = enabled;
		end->running = running;
	}
}

void counters_end(const struct counters *c, struct counter_end *end)
{
	size_t bytes = (3 + 3 * c->event_count) * sizeof(uint64_t);
	uint64_t *buffer = malloc(bytes);

	*end = (struct counter_end){ .gone_cpu = -1 };
	for (size_t g = 0; g < c->group_count && buffer; g++) {
		const int *fds = c->events[c->groups[g].first].fds;
		uint64_t enabled = 0, running = 0;

		for (size_t i = 0; i < c->instances; i++) {
			bool is_gone;

			if (!read_group(c, &c->groups[g], fds[i], buffer, bytes, end,
					&is_gone)) {
				if (is_gone && !c->request.tids)
					end->gone_cpu = counters_cpu(c, i);
				continue;
			}
			enabled += buffer[1];
			running += buffer[2];
			if (!c->request.tids)
				add_times(end, buffer[1], buffer[2]);
		}
		/* Of a task on one CPU: enabled wherever it runs, running only there. */
		if (c->request.tids)
			add_times(end, enabled, running);
	}
	free(buffer);
}
