/*
 * counter_plan.c - what goes into which group; see counters.h.
 *
 * The kernel is the only one who knows what fits a PMU at once, so groups are tried out:
 * a sibling that is refused in its group and taken alone does not fit.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "capture/linux/counters/counters.h"

#define SWITCH_TRACEPOINT "sched:sched_switch"
#define SWITCH_SOFTWARE "context-switches"
#define CLOCK_MONOTONIC_ID 1

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

/* --- attributes --- */

static void set_common(const struct counters *c, struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	/* Only leaders sample; but perf script shows no event without an address. */
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			    PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			    PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
			    PERF_FORMAT_GROUP;
	if (c->supports.lost)
		attr->read_format |= PERF_FORMAT_LOST;
	attr->sample_id_all = 1;
	attr->use_clockid = c->supports.clockid;
	attr->clockid = c->supports.clockid ? CLOCK_MONOTONIC_ID : 0;
	attr->inherit = c->request.tids && c->supports.inherit;
	if (!c->supports.kernel && !attr->exclude_user)
		attr->exclude_kernel = attr->exclude_hv = 1;
}

static void set_awake(const struct counters *c, struct perf_event_attr *attr)
{
	attr->watermark = 1;
	attr->wakeup_watermark = c->request.wake_bytes;
	attr->disabled = 1;
}

/* Its fields say it all, and are shown without an address. */
static void set_traced(struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_RAW;
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_IP;
}

static struct perf_event_attr leader_attr(const struct counters *c, uint64_t tracepoint)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CONTEXT_SWITCHES };

	if (tracepoint) {
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.config = tracepoint;
	}
	set_common(c, &attr);
	set_awake(c, &attr);
	attr.sample_period = 1;
	attr.sample_type |= PERF_SAMPLE_READ;
	if (c->supports.cgroups)
		attr.sample_type |= PERF_SAMPLE_CGROUP;
	if (tracepoint)
		set_traced(&attr);
	return attr;
}

static struct perf_event_attr tracker_attr(const struct counters *c)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY };

	set_common(c, &attr);
	set_awake(c, &attr);
	attr.comm = attr.comm_exec = attr.task = 1;
	attr.context_switch = c->supports.switches && !c->request.bpf;
	attr.cgroup = c->supports.cgroups;
	/* Counts nothing: no need of the right to look into the kernel. */
	attr.exclude_kernel = attr.exclude_hv = 1;
	attr.inherit = c->request.tids != NULL; /* nothing is read: every kernel can */
	if (attr.inherit)			/* of groups, before 4.13, none can */
		attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
	return attr;
}

static struct perf_event_attr sibling_attr(const struct counters *c,
					   const struct capture_event *event)
{
	struct perf_event_attr attr = event->attr;

	set_common(c, &attr);
	if (event->is_edge) {
		set_awake(c, &attr);
		attr.disabled = 0;
		attr.sample_period = 1;
		set_traced(&attr);
	}
	return attr;
}

/* --- what the kernel supports --- */

static bool opens(struct perf_event_attr attr, pid_t tid, int cpu)
{
	int fd = counter_open(&attr, tid, cpu, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static pid_t first_tid(const struct counters *c)
{
	return c->request.tids ? c->request.tids[0] : -1;
}

static struct refusal refusal_of(const struct counters *c, const char *name,
				 const struct perf_event_attr *attr, int cpu)
{
	return (struct refusal){
		.permissions = c->request.permissions,
		.event = name,
		.attr = attr,
		.cpu = cpu,
		.tid = first_tid(c),
	};
}

/* Drops one ability after the other, the newest first, until the kernel accepts it. */
static bool learn(struct counters *c, struct perf_event_attr (*make)(struct counters *),
		  bool *const *abilities, size_t count)
{
	int cpu = c->request.cpus.cpus[0];

	for (size_t i = 0;; i++) {
		if (opens(make(c), first_tid(c), cpu))
			return true;
		if (errno != EINVAL || i == count)
			return false;
		*abilities[i] = false;
	}
}

static struct perf_event_attr make_tracker(struct counters *c)
{
	return tracker_attr(c);
}

static struct perf_event_attr make_software_leader(struct counters *c)
{
	return leader_attr(c, 0);
}

static enum status learn_kernel(struct counters *c, struct error *error)
{
	bool *const tracker[] = { &c->supports.lost, &c->supports.switches,
				  &c->supports.clockid };
	bool *const leader[] = { &c->supports.inherit, &c->supports.lost };
	int cpu = c->request.cpus.cpus[0];
	struct perf_event_attr attr;
	struct refusal refusal;

	c->supports = (struct kernel_support){
		.inherit = true,
		.lost = true,
		.switches = true,
		.clockid = true,
		.kernel = permissions_kernel(c->request.permissions),
	};
	attr = tracker_attr(c);
	refusal = refusal_of(c, c->request.tids ? "counting" : "counting whole CPUs",
			     &attr, c->request.cpus.cpus[0]);
	if (!learn(c, make_tracker, tracker, ARRAY_COUNT(tracker)))
		return refusal_open(&refusal, errno, error);
	attr = leader_attr(c, 0);
	if (!learn(c, make_software_leader, leader, ARRAY_COUNT(leader)))
		return refusal_open(&refusal, errno, error);
	/* Last, and alone: an older kernel may have it, a newer one be built without. */
	c->supports.cgroups = true;
	c->supports.cgroups = opens(tracker_attr(c), first_tid(c), cpu) &&
			      opens(leader_attr(c, 0), first_tid(c), cpu);
	return ST_OK;
}

static uint64_t switch_tracepoint(const struct counter_request *request)
{
	char path[256];
	FILE *file;
	unsigned long long id = 0;

	if (!request->tracefs)
		return 0;
	snprintf(path, sizeof(path), "%s/events/sched/sched_switch/id", request->tracefs);
	file = fopen(path, "re");
	if (file && fscanf(file, "%llu", &id) != 1)
		id = 0;
	if (file)
		fclose(file);
	return id;
}

/* --- events and groups --- */

static struct counted_event *add_event(struct counters *c, const char *name,
				       struct perf_event_attr attr, size_t group)
{
	struct counted_event *event;

	if (!ARRAY_GROW(c->events, c->event_room, c->event_count))
		return NULL;
	event = &c->events[c->event_count];
	*event = (struct counted_event){ .name = strdup(name),
					 .attr = attr,
					 .group = group };
	if (!event->name)
		return NULL;
	c->event_count++;
	return event;
}

static bool begin_group(struct counters *c, uint64_t tracepoint, size_t part)
{
	struct counted_group *group = &c->groups[c->group_count];
	struct counted_event *leader;

	if (c->group_count == COUNTER_GROUPS_MAX)
		return false;
	*group = (struct counted_group){ .first = c->event_count, .part = part };
	leader = add_event(c, tracepoint ? SWITCH_TRACEPOINT : SWITCH_SOFTWARE,
			   leader_attr(c, tracepoint), c->group_count);
	if (!leader)
		return false;
	leader->is_leader = true;
	group->count = 1;
	c->group_count++;
	return true;
}

/*
 * As users write what is counted then: "page-faults" becomes "page-faults:u" where only
 * user mode may be counted.
 */
static bool rename_user_only(struct counted_event *event,
			     const struct capture_event *asked)
{
	bool has_letters = asked->modifiers[0];
	size_t length = strlen(asked->name);
	char *name;

	if (!event->attr.exclude_kernel || asked->attr.exclude_kernel || asked->is_named)
		return true;
	if (asprintf(&name, "%s%su", asked->name,
		     has_letters || asked->name[length - 1] == '/' ? "" : ":") < 0)
		return false;
	free(event->name);
	event->name = name;
	return true;
}

static bool add_sibling(struct counters *c, const struct capture_event *event)
{
	struct counted_group *group = &c->groups[c->group_count - 1];
	struct counted_event *sibling =
		add_event(c, event->name, sibling_attr(c, event), c->group_count - 1);

	if (!sibling || !rename_user_only(sibling, event))
		return false;
	sibling->asked = event;
	group->count++;
	return true;
}

/* Removes the last events, from `count` of the last group on. */
static void shorten_group(struct counters *c, size_t count)
{
	struct counted_group *group = &c->groups[c->group_count - 1];

	while (group->count > count) {
		free(c->events[--c->event_count].name);
		group->count--;
	}
}

/* Always counting: needs no counter of a PMU. */
static bool never_rotates(const struct capture_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE ||
	       event->attr.type == PERF_TYPE_TRACEPOINT ||
	       (event->pmu && strcmp(event->pmu, "msr") == 0);
}

/* --- trying out --- */

/* The CPU on which a part is tried out: the first of it. */
static int trial_cpu(const struct counters *c, size_t part)
{
	for (size_t i = 0; i < c->request.cpus.count; i++)
		if (c->part_of_cpu[i] == part)
			return c->request.cpus.cpus[i];
	return c->request.cpus.cpus[0];
}

/* :P asks for as much precision as there is. */
static int open_precisely(struct counted_event *event, pid_t tid, int cpu, int group_fd)
{
	int fd = counter_open(&event->attr, tid, cpu, group_fd);

	while (fd < 0 && event->asked && event->asked->precise_max &&
	       event->attr.precise_ip) {
		event->attr.precise_ip--;
		fd = counter_open(&event->attr, tid, cpu, group_fd);
	}
	return fd;
}

/*
 * Opens the last group as it is; returns how many of its events the kernel accepts
 * together.  Fewer than all: errno says why the next one is not.
 */
static size_t try_group(struct counters *c)
{
	struct counted_group *group = &c->groups[c->group_count - 1];
	int *fds = malloc(group->count * sizeof(*fds));
	int cpu = trial_cpu(c, group->part), why = ENOMEM;
	size_t taken = 0;

	while (fds && taken < group->count) {
		fds[taken] = open_precisely(&c->events[group->first + taken],
					    first_tid(c), cpu, taken ? fds[0] : -1);
		if (fds[taken] < 0) {
			why = errno;
			break;
		}
		taken++;
	}
	for (size_t i = taken; i > 0; i--)
		close(fds[i - 1]);
	free(fds);
	errno = why;
	return taken;
}

static size_t count_hardware(const struct counters *c, const struct counted_group *group,
			     size_t until)
{
	size_t count = 0;

	for (size_t i = 1; i < until; i++)
		count += !never_rotates(c->events[group->first + i].asked);
	return count;
}

/* The kernel refuses the event at `taken` of the last group with `why`. */
static enum status report_refused(const struct counters *c, size_t taken, int why,
				  struct error *error)
{
	const struct counted_group *group = &c->groups[c->group_count - 1];
	const struct counted_event *event = &c->events[group->first + taken];
	int cpu = trial_cpu(c, group->part);
	struct refusal refusal = refusal_of(c, event->name, &event->attr, cpu);

	if (event->asked)
		refusal.pmu = event->asked->pmu;
	if (taken && why == EINVAL && opens(event->attr, first_tid(c), cpu)) {
		size_t fit = count_hardware(c, group, taken);
		size_t all = count_hardware(c, group, group->count);

		return error_set(
			error, ST_LIMIT, ERROR_NO_OFFSET,
			"%.60s: does not fit: %zu of these %zu hardware events fit "
			"the PMU at once; leave out %zu, or let groups take turns "
			"(--multiplex)",
			event->name, fit, all, all - fit);
	}
	return refusal_open(&refusal, why, error);
}

/*
 * A thread's last counts come when it ends, because its last switch is not sampled.  The
 * kernel dissolves its group from the last member on: that one still sees all others.
 */
static void sum_up_ends(struct counters *c)
{
	for (size_t g = 0; g < c->group_count; g++) {
		struct counted_event *last =
			&c->events[c->groups[g].first + c->groups[g].count - 1];

		last->attr.inherit_stat = last->attr.inherit;
	}
}

/* --- the plan of one part --- */

static bool is_counted(const struct capture_event *event, int cpu)
{
	struct error unused = { .status = ST_OK };
	struct cpu_list list;
	bool has;

	if (!event->cpus)
		return true;
	if (cpu_list_parse(&list, event->cpus, &unused) != ST_OK)
		return false;
	has = cpu_list_has(&list, cpu);
	cpu_list_release(&list);
	return has;
}

/* All in one group; what does not fit is an error. */
static enum status plan_one_group(struct counters *c, size_t part, uint64_t tracepoint,
				  struct error *error)
{
	const struct event_list *list = c->request.events;
	int cpu = trial_cpu(c, part);
	size_t taken;

	if (!begin_group(c, tracepoint, part))
		return error_nomem(error);
	for (size_t i = 0; i < list->count; i++)
		if (is_counted(&list->events[i], cpu) &&
		    !add_sibling(c, &list->events[i]))
			return error_nomem(error);
	taken = try_group(c);
	if (taken < c->groups[c->group_count - 1].count)
		return report_refused(c, taken, errno, error);
	return ST_OK;
}

/* Events [from, to) of the list, which the user wrote in one {...}. */
static size_t end_of_braces(const struct event_list *list, size_t from)
{
	size_t to = from + 1;

	while (list->events[from].group && to < list->count &&
	       list->events[to].group == list->events[from].group)
		to++;
	return to;
}

/* Adds those of [from, to) that need the PMU here; false: no memory. */
static bool add_hardware(struct counters *c, size_t from, size_t to, int cpu)
{
	const struct event_list *list = c->request.events;

	for (size_t i = from; i < to; i++)
		if (!never_rotates(&list->events[i]) &&
		    is_counted(&list->events[i], cpu) &&
		    !add_sibling(c, &list->events[i]))
			return false;
	return true;
}

/*
 * Software events first: their group never waits, so it sees every switch.  Then as many
 * of the others as fit, group after group; what is in one {...} stays together.
 */
static enum status plan_turns(struct counters *c, size_t part, uint64_t tracepoint,
			      struct error *error)
{
	const struct event_list *list = c->request.events;
	int cpu = trial_cpu(c, part);
	size_t taken, to;

	if (!begin_group(c, tracepoint, part))
		return error_nomem(error);
	for (size_t i = 0; i < list->count; i++)
		if (never_rotates(&list->events[i]) &&
		    is_counted(&list->events[i], cpu) &&
		    !add_sibling(c, &list->events[i]))
			return error_nomem(error);
	taken = try_group(c);
	if (taken < c->groups[c->group_count - 1].count)
		return report_refused(c, taken, errno, error);
	if (!begin_group(c, tracepoint, part))
		return error_nomem(error);
	for (size_t from = 0; from < list->count; from = to) {
		size_t before = c->groups[c->group_count - 1].count;

		to = end_of_braces(list, from);
		if (!add_hardware(c, from, to, cpu))
			return error_nomem(error);
		taken = try_group(c);
		if (taken == c->groups[c->group_count - 1].count)
			continue;
		if (before == 1 || errno != EINVAL)
			return report_refused(c, taken, errno, error);
		shorten_group(c, before);
		if (!begin_group(c, tracepoint, part))
			return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
					 "more than %d groups, or no memory for them",
					 COUNTER_GROUPS_MAX);
		to = from; /* once more, in a group of its own */
	}
	if (c->groups[c->group_count - 1].count == 1) { /* no hardware event at all */
		shorten_group(c, 0);
		c->group_count--;
	}
	return ST_OK;
}

/* --- parts: CPUs that count the same events --- */

static bool same_events(const struct counters *c, int cpu, int other)
{
	for (size_t i = 0; i < c->request.events->count; i++)
		if (is_counted(&c->request.events->events[i], cpu) !=
		    is_counted(&c->request.events->events[i], other))
			return false;
	return true;
}

static enum status find_parts(struct counters *c, struct error *error)
{
	bool alike = true;

	c->part_of_cpu = calloc(c->request.cpus.count, sizeof(*c->part_of_cpu));
	if (!c->part_of_cpu)
		return error_nomem(error);
	c->part_count = 1;
	for (size_t i = 0; i < c->request.events->count; i++)
		alike &= !c->request.events->events[i].cpus;
	for (size_t i = 1; i < c->request.cpus.count && !alike; i++) {
		size_t part = 0;

		while (part < c->part_count &&
		       !same_events(c, c->request.cpus.cpus[i], trial_cpu(c, part)))
			part++;
		c->part_of_cpu[i] = part;
		if (part == c->part_count)
			c->part_count++;
	}
	return ST_OK;
}

static enum status plan_parts(struct counters *c, uint64_t tracepoint,
			      struct error *error)
{
	enum status status = ST_OK;

	for (size_t part = 0; part < c->part_count && status == ST_OK; part++)
		status = c->request.multiplex
				 ? plan_turns(c, part, tracepoint, error)
				 : plan_one_group(c, part, tracepoint, error);
	return status;
}

enum status counters_plan(struct counters *c, const struct counter_request *request,
			  struct error *error)
{
	uint64_t tracepoint = switch_tracepoint(request);
	enum status status;

	*c = (struct counters){ .request = *request };
	c->instances = request->cpus.count * (request->tids ? request->tid_count : 1);
	status = counter_request_check(request, error);
	if (status == ST_OK)
		status = learn_kernel(c, error);
	if (status == ST_OK)
		status = find_parts(c, error);
	if (status != ST_OK)
		return status;
	if (tracepoint &&
	    !opens(leader_attr(c, tracepoint), first_tid(c), request->cpus.cpus[0]))
		tracepoint = 0;
	c->tracepoint_leads = tracepoint != 0;
	status = plan_parts(c, tracepoint, error);
	sum_up_ends(c);
	if (status == ST_OK && !add_event(c, "dummy:HG", tracker_attr(c), SIZE_MAX))
		status = error_nomem(error);
	return status;
}
