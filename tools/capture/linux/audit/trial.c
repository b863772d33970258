/* trial.c - reads a copy of each group around a loop, puts counters side by side. */
#include "capture/linux/audit/trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "capture/linux/audit/loop.h"
#include "capture/linux/audit/system.h"
#include "capture/linux/counters/clock.h"

#define TURNS_FIRST 20000 /* to learn how long a turn is */
#define TURNS_MAX 4000000
#define SLEEP_NS 20000
#define SLEEPS 2

/* --- what is to be tried --- */

/* On the core's PMU, of which there is a limited number of counters. */
static bool is_hardware(const struct counted_event *event)
{
	const char *pmu = event->asked ? event->asked->pmu : NULL;

	if (event->attr.type == PERF_TYPE_HARDWARE ||
	    event->attr.type == PERF_TYPE_HW_CACHE || event->attr.type == PERF_TYPE_RAW)
		return true;
	return pmu && (strncmp(pmu, "cpu", 3) == 0 || strncmp(pmu, "arm", 3) == 0);
}

/* Counts, and no more: no samples, no records, not by children. */
static struct perf_event_attr counting(const struct perf_event_attr *of, bool leads)
{
	struct perf_event_attr attr = {
		.type = of->type,
		.size = sizeof(attr),
		.config = of->config,
		.config1 = of->config1,
		.config2 = of->config2,
		.bp_type = of->bp_type,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	attr.disabled = leads;
	attr.exclude_user = of->exclude_user;
	attr.exclude_kernel = of->exclude_kernel;
	attr.exclude_hv = of->exclude_hv;
	attr.exclude_idle = of->exclude_idle;
	attr.exclude_host = of->exclude_host;
	attr.exclude_guest = of->exclude_guest;
	return attr;
}

static void add_group(struct audit_trial *trial, const struct counters *c,
		      const struct counted_group *from)
{
	struct audit_group *group = &trial->groups[trial->group_count++];

	*group =
		(struct audit_group){ .first = trial->event_count, .count = from->count };
	for (size_t i = 0; i < from->count; i++) {
		const struct counted_event *event = &c->events[from->first + i];

		trial->events[trial->event_count++] = (struct audit_event){
			.attr = counting(&event->attr, i == 0),
			.kind = audit_kind_of(&event->attr, event->name),
			.index = from->first + i,
		};
		if (!is_hardware(event))
			continue;
		if (!group->hardware++ && !trial->has_pmu) {
			trial->place_attr = counting(&event->attr, true);
			trial->has_pmu = true;
		}
	}
}

struct audit_trial *audit_trial_new(const struct counters *c, size_t at,
				    const char *sysfs)
{
	struct audit_trial *trial = memory_alloc_zeroed(1, sizeof(*trial));

	if (!trial)
		return NULL;
	trial->cpu = c->request.cpus.cpus[at];
	trial->scope.is_task = c->request.tids != NULL;
	trial->scope.max_khz = system_max_khz(sysfs, trial->cpu);
	trial->events = memory_alloc_zeroed(c->event_count, sizeof(*trial->events));
	trial->groups = memory_alloc_zeroed(c->group_count + 1, sizeof(*trial->groups));
	trial->values = memory_alloc((3 + c->event_count + AUDIT_PLACES_MAX) *
				     sizeof(*trial->values));
	if (!trial->events || !trial->groups || !trial->values) {
		audit_trial_free(trial);
		return NULL;
	}
	for (size_t g = 0; g < c->group_count; g++)
		if (c->groups[g].part == c->part_of_cpu[at])
			add_group(trial, c, &c->groups[g]);
	/* Not one of those that have a counter of their own, as cycles may. */
	if (trial->has_pmu && trial->place_attr.type == PERF_TYPE_HARDWARE)
		trial->place_attr.config =
			(trial->place_attr.config & ~UINT64_C(0xffffffff)) |
			PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	return trial;
}

void audit_trial_free(struct audit_trial *trial)
{
	if (!trial)
		return;
	free(trial->events);
	free(trial->groups);
	free(trial->values);
	free(trial);
}

/* --- clocks --- */

struct moment {
	uint64_t wall_ns, cpu_ns, tsc, switches, faults;
};

static uint64_t switches_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
}

static struct moment moment_now(void)
{
	struct rusage usage;
	struct moment now;

	getrusage(RUSAGE_THREAD, &usage);
	now.switches = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
	now.faults = (uint64_t)(usage.ru_minflt + usage.ru_majflt);
	now.cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
	now.wall_ns = now_ns(CLOCK_MONOTONIC);
	now.tsc = audit_tsc();
	return now;
}

/* --- groups --- */

static int open_copy(const struct audit_trial *trial, struct perf_event_attr *attr,
		     int group_fd)
{
	return counter_open(attr, trial->scope.is_task ? 0 : -1, trial->cpu, group_fd);
}

static void close_copies(const int *fds, size_t count)
{
	for (size_t i = count; i > 0; i--)
		close(fds[i - 1]);
}

/* nr, enabled, running, then a value each. */
static bool read_copies(struct audit_trial *trial, int fd, size_t count)
{
	size_t bytes = (3 + count) * sizeof(*trial->values);

	return read(fd, trial->values, bytes) == (ssize_t)bytes;
}

/* How many turns last AUDIT_LOOP_NS here; on a processor that slept they last longer. */
static uint64_t choose_turns(void)
{
	uint64_t begin = now_ns(CLOCK_MONOTONIC), ns;

	audit_loop(TURNS_FIRST);
	ns = now_ns(CLOCK_MONOTONIC) - begin;
	if (ns > AUDIT_LOOP_NS)
		return TURNS_FIRST;
	if (ns * TURNS_MAX <= (uint64_t)AUDIT_LOOP_NS * TURNS_FIRST)
		return TURNS_MAX;
	return (uint64_t)AUDIT_LOOP_NS * TURNS_FIRST / ns;
}

/* Switches and page faults, some of each. */
static void make_events(void)
{
	const struct timespec while_ns = { 0, SLEEP_NS };

	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&while_ns, NULL);
	audit_touch_pages();
}

/*
 * One piece of work between two reads: inside lies what happened at least, outside what
 * happened at most.  false: a read failed, or the group was not counting all the time.
 */
static bool work_once(struct audit_trial *trial, const struct audit_group *group, int fd,
		      uint64_t turns, struct audit_work *work, uint64_t *before)
{
	struct moment outer, inner, inner_end, outer_end;
	uint64_t enabled, running;

	outer = moment_now();
	if (!read_copies(trial, fd, group->count))
		return false;
	memcpy(before, trial->values, (3 + group->count) * sizeof(*before));
	inner = moment_now();
	if (turns)
		audit_loop(turns);
	else
		make_events();
	inner_end = moment_now();
	if (!read_copies(trial, fd, group->count))
		return false;
	outer_end = moment_now();
	*work = (struct audit_work){
		.turns = turns,
		.wall_ns = { inner_end.wall_ns - inner.wall_ns,
			     outer_end.wall_ns - outer.wall_ns },
		.cpu_ns = { inner_end.cpu_ns - inner.cpu_ns,
			    outer_end.cpu_ns - outer.cpu_ns },
		.tsc = { inner_end.tsc - inner.tsc, outer_end.tsc - outer.tsc },
		.switches = inner_end.switches - inner.switches,
		.all_switches = switches_now() - outer.switches,
		.faults = inner_end.faults - inner.faults,
	};
	enabled = trial->values[1] - before[1];
	running = trial->values[2] - before[2];
	return running && running == enabled;
}

static void try_group(struct audit_trial *trial, struct audit_group *group, int fd,
		      uint64_t *before)
{
	uint64_t turns = choose_turns();

	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0)
		return;
	for (int i = 0; i <= AUDIT_TRIES; i++) {
		struct audit_work work;

		group->ran = work_once(trial, group, fd, i < AUDIT_TRIES ? turns : 0,
				       &work, before);
		if (!group->ran)
			return;
		for (size_t k = 0; k < group->count; k++) {
			struct audit_event *event = &trial->events[group->first + k];
			struct audit_bounds bounds = audit_bounds_of(
				event->kind, &event->attr, &work, &trial->scope);

			audit_judge(&event->result, &bounds,
				    trial->values[3 + k] - before[3 + k]);
		}
	}
}

static void run_group(struct audit_trial *trial, struct audit_group *group)
{
	uint64_t *before = memory_alloc((3 + group->count) * sizeof(*before));
	int *fds = memory_alloc(group->count * sizeof(*fds));
	size_t open = 0;

	while (before && fds && open < group->count) {
		fds[open] = open_copy(trial, &trial->events[group->first + open].attr,
				      open ? fds[0] : -1);
		if (fds[open] < 0) {
			group->refused = errno;
			break;
		}
		open++;
	}
	if (before && fds && open == group->count)
		try_group(trial, group, fds[0], before);
	if (fds)
		close_copies(fds, open);
	free(fds);
	free(before);
}

/* --- counters side by side --- */

/* This many of one kind, as a group, do count now. */
static bool can_count(struct audit_trial *trial, int fd, size_t count)
{
	bool can;

	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0)
		return false;
	audit_loop(TURNS_FIRST);
	can = read_copies(trial, fd, count) && trial->values[2];
	(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return can;
}

/*
 * The kernel refuses a group that could never fit; one that could, but not beside the
 * counters of others, it accepts and does not run.
 */
static void find_places(struct audit_trial *trial)
{
	int fds[AUDIT_PLACES_MAX];
	size_t count = 0;

	while (count < AUDIT_PLACES_MAX) {
		struct perf_event_attr attr = trial->place_attr;

		attr.disabled = count == 0;
		fds[count] = open_copy(trial, &attr, count ? fds[0] : -1);
		if (fds[count] < 0)
			break;
		count++;
	}
	trial->places = count;
	for (; count && !can_count(trial, fds[0], count); count--)
		close(fds[count - 1]);
	trial->placed = count;
	close_copies(fds, count);
}

void audit_trial_run(struct audit_trial *trial)
{
	for (size_t g = 0; g < trial->group_count; g++)
		run_group(trial, &trial->groups[g]);
	if (trial->has_pmu)
		find_places(trial);
	trial->is_done = true;
}
