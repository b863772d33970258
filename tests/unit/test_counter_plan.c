/*
 * test_counter_plan.c - tools/capture/linux/counters/counter_plan.c against kernels and
 * mock machines: the linker gives perf_event_open(2) to play() below.
 */
#include "capture/linux/counters/counters.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit.h"

#define FILES_MAX 256
#define FIRST_FILE 5000
#define EVENTS_MAX 16
#define CPUS_MAX 4

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

/* --- a kernel --- */

/* What it knows, and how many hardware events its PMU counts at once. */
struct kernel {
	bool lost, inherit_read, inherit_group, switches, clockid;
	bool paranoid; /* EACCES for whole CPUs */
	int slots;
	bool is_hybrid;	 /* type 8 counts on CPUs 0-1 alone, type 9 on 2-3 */
	int max_precise; /* the highest precise_ip */
};

static const struct kernel linux_6_12 = {
	true, true, true, true, true, false, 6, false, 2
};
static const struct kernel linux_6_1 = {
	true, false, true, true, true, false, 6, false, 2
};
static const struct kernel linux_5_10 = { false, false, true,  true, true,
					  false, 6,	false, 2 };
static const struct kernel linux_4_9 = { false, false, false, true, true,
					 false, 6,     false, 2 };
static const struct kernel linux_4_2 = { false, false, false, false, true,
					 false, 6,     false, 2 };
static const struct kernel linux_4_0 = { false, false, false, false, false,
					 false, 6,     false, 2 };

static struct kernel kernel;

struct file {
	bool is_open;
	bool is_hardware;
	int group_fd; /* -1: a leader */
};

static struct file files[FILES_MAX];
static int open_files;

static bool is_hardware(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_RAW ||
	       attr->type == 8 || attr->type == 9;
}

/* Of a group, its leader included. */
static int hardware_in(int leader)
{
	int count = 0;

	for (int i = 0; i < FILES_MAX; i++)
		count += files[i].is_open && files[i].is_hardware &&
			 (i + FIRST_FILE == leader || files[i].group_fd == leader);
	return count;
}

/* 0, or what the kernel refuses it with. */
static int refuse(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd)
{
	if (attr->inherit && (attr->sample_type & PERF_SAMPLE_READ) &&
	    !kernel.inherit_read)
		return EINVAL;
	if (attr->inherit && (attr->read_format & PERF_FORMAT_GROUP) &&
	    !kernel.inherit_group)
		return EINVAL;
	if ((attr->read_format & PERF_FORMAT_LOST) && !kernel.lost)
		return EINVAL;
	if (attr->context_switch && !kernel.switches)
		return EINVAL;
	if (attr->use_clockid && !kernel.clockid)
		return EINVAL;
	if (tid == -1 && kernel.paranoid)
		return EACCES;
	if (attr->type == 8 && !(kernel.is_hybrid && cpu < 2))
		return ENOENT;
	if (attr->type == 9 && !(kernel.is_hybrid && cpu >= 2))
		return ENOENT;
	if (is_hardware(attr) && attr->precise_ip > kernel.max_precise)
		return EOPNOTSUPP;
	if (is_hardware(attr) && kernel.slots == 0)
		return ENOENT;
	if (is_hardware(attr) && group_fd >= 0 && hardware_in(group_fd) == kernel.slots)
		return EINVAL;
	return 0;
}

static long play(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd)
{
	int why = refuse(attr, tid, cpu, group_fd);

	/* No call may ask with a field the kernel does not fill, or of two kinds. */
	assert_int_equal(attr->size, sizeof(*attr));
	assert_true(cpu >= 0 && cpu < CPUS_MAX);
	assert_true(group_fd == -1 || files[group_fd - FIRST_FILE].is_open);
	if (why) {
		errno = why;
		return -1;
	}
	for (int i = 0; i < FILES_MAX; i++)
		if (!files[i].is_open) {
			files[i] = (struct file){ true, is_hardware(attr), group_fd };
			open_files++;
			return i + FIRST_FILE;
		}
	errno = EMFILE;
	return -1;
}

long __wrap_syscall(long number, ...);
int __wrap_close(int fd);
int __real_close(int fd);

long __wrap_syscall(long number, ...)
{
	struct perf_event_attr *attr;
	int tid, cpu, group_fd;
	va_list args;

	assert_int_equal(number, SYS_perf_event_open);
	va_start(args, number);
	attr = va_arg(args, struct perf_event_attr *);
	tid = va_arg(args, int);
	cpu = va_arg(args, int);
	group_fd = va_arg(args, int);
	va_end(args);
	return play(attr, tid, cpu, group_fd);
}

int __wrap_close(int fd)
{
	if (fd < FIRST_FILE || fd >= FIRST_FILE + FILES_MAX)
		return __real_close(fd);
	assert_true(files[fd - FIRST_FILE].is_open);
	files[fd - FIRST_FILE].is_open = false;
	open_files--;
	return 0;
}

/* --- what is requested --- */

struct fixture {
	struct capture_event events[EVENTS_MAX];
	struct event_list list;
	struct permissions permissions;
	int cpus[CPUS_MAX];
	struct counter_request request;
	struct counters counters;
	struct error error;
};

static const pid_t tids[] = { 77 };

static void setup(struct fixture *f)
{
	kernel = linux_6_12;
	for (int i = 0; i < CPUS_MAX; i++)
		f->cpus[i] = i;
	f->list.events = f->events;
	f->permissions = (struct permissions){ 2, true, true };
	f->request = (struct counter_request){
		.events = &f->list,
		.permissions = &f->permissions,
		.cpus = { f->cpus, 2 },
		.wake_bytes = 4096,
	};
}

static void teardown(struct fixture *f)
{
	counters_close(&f->counters);
	assert_int_equal(open_files, 0);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

/* Asked for, by name; "s..." is a software event, "h..." one of the PMU. */
static struct capture_event *ask(struct fixture *f, const char *name)
{
	struct capture_event *event = &f->events[f->list.count++];

	assert_true(f->list.count <= EVENTS_MAX);
	*event = (struct capture_event){ .scale = 1 };
	event->name = (char *)(uintptr_t)name;
	event->attr.type = name[0] == 's' ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
	return event;
}

static enum status plan(struct fixture *f)
{
	enum status status = counters_plan(&f->counters, &f->request, &f->error);

	assert_int_equal(open_files, 0); /* nothing that was tried stays open */
	return status;
}

/* "leader a b | leader c | tracker" of what was planned. */
static const char *groups_of(const struct counters *c)
{
	static char text[512];
	size_t group = 0, used = 0;

	for (size_t i = 0; i < c->event_count; i++) {
		if (i && c->events[i].group != group)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " |");
		group = c->events[i].group;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 used ? " " : "",
					 c->events[i].is_leader ? "leader"
					 : group == SIZE_MAX	? "tracker"
								: c->events[i].name);
	}
	return text;
}

/* --- old kernels --- */

static const struct {
	int line;
	const struct kernel *kernel;
	bool follows; /* a task, else CPUs */
	bool inherit, lost, switches, clockid;
} ages[] = {
	{ ROW, &linux_6_12, false, true, true, true, true },
	{ ROW, &linux_6_12, true, true, true, true, true },
	{ ROW, &linux_6_1, false, true, true, true,
	  true }, /* nothing inherits: not asked */
	{ ROW, &linux_6_1, true, false, true, true, true },
	{ ROW, &linux_5_10, false, true, false, true, true },
	{ ROW, &linux_5_10, true, false, false, true, true },
	{ ROW, &linux_4_9, false, true, false, true, true },
	{ ROW, &linux_4_9, true, false, false, true, true },
	{ ROW, &linux_4_2, false, true, false, false, true },
	{ ROW, &linux_4_2, true, false, false, false, true },
	{ ROW, &linux_4_0, false, true, false, false, false },
	{ ROW, &linux_4_0, true, false, false, false, false },
};

UNIT_CASE(ages, struct fixture *f)
{
	ask(f, "software");
	ask(f, "hardware");
	for (size_t i = 0; i < COUNT(ages); i++) {
		const struct kernel_support *can = &f->counters.supports;
		const struct counted_event *tracker;

		kernel = *ages[i].kernel;
		f->request.tids = ages[i].follows ? tids : NULL;
		f->request.tid_count = ages[i].follows ? 1 : 0;
		f->error = (struct error){ .status = ST_OK };
		ROW_INT(&ages[i], plan(f), ST_OK);
		ROW_INT(&ages[i], can->inherit, ages[i].inherit);
		ROW_INT(&ages[i], can->lost, ages[i].lost);
		ROW_INT(&ages[i], can->switches, ages[i].switches);
		ROW_INT(&ages[i], can->clockid, ages[i].clockid);
		ROW_TEXT(&ages[i], groups_of(&f->counters),
			 "leader software hardware | tracker");
		for (size_t k = 0; k < f->counters.event_count; k++) {
			const struct perf_event_attr *attr = &f->counters.events[k].attr;

			ROW_INT(&ages[i], attr->use_clockid, ages[i].clockid);
			ROW_INT(&ages[i], !!(attr->read_format & PERF_FORMAT_LOST),
				ages[i].lost);
			ROW_INT(&ages[i], !!(attr->sample_type & PERF_SAMPLE_READ),
				k == 0);
			ROW_INT(&ages[i], attr->sample_period, k == 0 ? 1 : 0);
			/* What a thread counted at its end comes with the last one. */
			if (k + 1 < f->counters.event_count)
				ROW_INT(&ages[i], attr->inherit,
					ages[i].follows && ages[i].inherit);
			ROW_INT(&ages[i], attr->inherit_stat,
				k + 2 == f->counters.event_count ? attr->inherit : 0);
		}
		/* Every kernel reports births and names of children. */
		tracker = counters_tracker(&f->counters);
		ROW_INT(&ages[i], tracker->attr.inherit, ages[i].follows);
		ROW_INT(&ages[i], tracker->attr.context_switch, ages[i].switches);
		ROW_INT(&ages[i], tracker->attr.comm && tracker->attr.task, 1);
		counters_close(&f->counters);
	}
}

/* What the plan holds opens on that kernel, on every CPU, and is closed again. */
UNIT_TEST(opens)
{
	static const struct kernel *const kernels[] = { &linux_6_12, &linux_4_0 };
	struct fixture *f = *state;

	ask(f, "software");
	ask(f, "hardware");
	for (size_t i = 0; i < COUNT(kernels); i++) {
		kernel = *kernels[i];
		assert_int_equal(plan(f), ST_OK);
		/* PERF_EVENT_IOC_ID fails: these are not counters. */
		f->error = (struct error){ .status = ST_OK };
		assert_int_equal(counters_open(&f->counters, &f->error), ST_UNSUPPORTED);
		HAS(f->error.text, "PERF_EVENT_IOC_ID");
		assert_int_equal(open_files, 1);
		counters_close(&f->counters);
	}
}

/* --- rights --- */

UNIT_CASE(refused, struct fixture *f)
{
	kernel.paranoid = true;
	f->permissions = (struct permissions){ 2, false, false };
	ask(f, "software");
	assert_int_equal(plan(f), ST_UNSUPPORTED);
	HAS(f->error.text, "counting whole CPUs", "perf_event_paranoid is 2");
}

/* An event that this machine lacks is named, not the group. */
UNIT_CASE(no_pmu, struct fixture *f)
{
	kernel.slots = 0;
	ask(f, "software");
	ask(f, "hardware");
	assert_int_equal(plan(f), ST_UNSUPPORTED);
	assert_int_equal(strncmp(f->error.text, "hardware: ", 10), 0);
}

/* --- what fits the PMU --- */

static const struct {
	int line;
	int slots;
	bool multiplex;
	const char *events[8];
	const char *groups; /* NULL: refused, and says: */
	const char *words;
} fits[] = {
	{ ROW, 2, false, { "s1", "h1", "h2" }, "leader s1 h1 h2 | tracker", NULL },
	{ ROW,
	  2,
	  false,
	  { "h1", "s1", "h2", "s2" },
	  "leader h1 s1 h2 s2 | tracker",
	  NULL },
	{ ROW,
	  2,
	  false,
	  { "s1", "h1", "h2", "h3" },
	  NULL,
	  "h3: does not fit: 2 of these 3 hardware events fit the PMU at once; leave out 1" },
	{ ROW,
	  1,
	  false,
	  { "h1", "s1", "h2", "h3", "h4" },
	  NULL,
	  "h2: does not fit: 1 of these 4 hardware events fit the PMU at once; leave out 3" },
	{ ROW, 6, false, { NULL }, "leader | tracker", NULL },
	/* taking turns: software events have a group that never waits */
	{ ROW,
	  2,
	  true,
	  { "s1", "h1", "h2" },
	  "leader s1 | leader h1 h2 | tracker",
	  NULL },
	{ ROW,
	  2,
	  true,
	  { "h1", "s1", "h2", "h3", "s2" },
	  "leader s1 s2 | leader h1 h2 | leader h3 | tracker",
	  NULL },
	{ ROW,
	  1,
	  true,
	  { "h1", "h2", "h3" },
	  "leader | leader h1 | leader h2 | leader h3 | tracker",
	  NULL },
	{ ROW, 1, true, { "s1" }, "leader s1 | tracker", NULL },
	{ ROW, 6, true, { NULL }, "leader | tracker", NULL },
};

UNIT_CASE(fits, struct fixture *f)
{
	for (size_t i = 0; i < COUNT(fits); i++) {
		enum status status;

		f->list.count = 0;
		kernel.slots = fits[i].slots;
		f->request.multiplex = fits[i].multiplex;
		f->error = (struct error){ .status = ST_OK };
		for (size_t k = 0; k < COUNT(fits[i].events) && fits[i].events[k]; k++)
			ask(f, fits[i].events[k]);
		status = plan(f);
		if (fits[i].groups) {
			ROW_INT(&fits[i], status, ST_OK);
			ROW_TEXT(&fits[i], groups_of(&f->counters), fits[i].groups);
		} else {
			ROW_INT(&fits[i], status, ST_LIMIT);
			ROW_TRUE(&fits[i], strstr(f->error.text, fits[i].words) &&
						   strstr(f->error.text, "--multiplex"));
		}
		counters_close(&f->counters);
	}
}

/* The events in one {...} are counted together, or not at all. */
UNIT_CASE(braces, struct fixture *f)
{
	kernel.slots = 3;
	f->request.multiplex = true;
	ask(f, "h1");
	ask(f, "h2");
	ask(f, "h3")->group = 1;
	ask(f, "h4")->group = 1;
	ask(f, "h5");
	assert_int_equal(plan(f), ST_OK);
	assert_string_equal(groups_of(&f->counters),
			    "leader | leader h1 h2 | leader h3 h4 h5 | tracker");
	counters_close(&f->counters);
	kernel.slots = 1;
	assert_int_equal(plan(f), ST_LIMIT);
	HAS(f->error.text, "h4: does not fit");
}

/* In turns are those that need the PMU; a tracepoint is counted all the time. */
UNIT_CASE(tracepoints_outside_turns, struct fixture *f)
{
	kernel.slots = 1;
	f->request.multiplex = true;
	ask(f, "h1");
	ask(f, "t1")->attr.type = PERF_TYPE_TRACEPOINT;
	ask(f, "h2");
	assert_int_equal(plan(f), ST_OK);
	assert_string_equal(groups_of(&f->counters),
			    "leader t1 | leader h1 | leader h2 | tracker");
}

/* Braces that hold the last event of the list: nothing after it is read. */
UNIT_CASE(braces_at_the_end, struct fixture *f)
{
	struct event_list list = { .count = 2 };

	f->request.multiplex = true;
	ask(f, "h1")->group = 1;
	ask(f, "h2")->group = 1;
	/* An allocation of just these: a sanitizer sees more. */
	list.events = malloc(list.count * sizeof(*list.events));
	assert_non_null(list.events);
	memcpy(list.events, f->events, list.count * sizeof(*list.events));
	f->request.events = &list;
	assert_int_equal(plan(f), ST_OK);
	assert_string_equal(groups_of(&f->counters), "leader | leader h1 h2 | tracker");
	counters_close(&f->counters);
	free(list.events);
	/* Nor if it looks like one of them. */
	ask(f, "h3")->group = 1;
	f->list.count = 2;
	f->request.events = &f->list;
	assert_int_equal(plan(f), ST_OK);
	assert_string_equal(groups_of(&f->counters), "leader | leader h1 h2 | tracker");
}

/* In turns, only an event that does not fit gets a group of its own. */
UNIT_CASE(turns_refused, struct fixture *f)
{
	f->request.multiplex = true;
	ask(f, "h1");
	ask(f, "h2")->attr.type = 8; /* of a PMU that this machine lacks */
	assert_int_equal(plan(f), ST_UNSUPPORTED);
	assert_int_equal(strncmp(f->error.text, "h2: ", 4), 0);
	assert_int_equal(f->counters.group_count, 2);
}

/* Turns by the hundred: each event has its own. */
UNIT_CASE(more_turns_than_groups, struct fixture *f)
{
	const size_t most = COUNTER_GROUPS_MAX - 1; /* and the group of software events */
	struct event_list list = { .count = most };

	list.events = calloc(most + 1, sizeof(*list.events));
	assert_non_null(list.events);
	for (size_t i = 0; i <= most; i++) {
		list.events[i] = *ask(f, "h");
		f->list.count = 0;
	}
	kernel.slots = 1;
	f->request.events = &list;
	f->request.multiplex = true;
	assert_int_equal(plan(f), ST_OK);
	assert_int_equal(f->counters.group_count, COUNTER_GROUPS_MAX);
	counters_close(&f->counters);
	list.count++;
	assert_int_equal(plan(f), ST_LIMIT);
	assert_string_equal(f->error.text, "more than 256 groups, or no memory for them");
	counters_close(&f->counters);
	free(list.events);
}

/* :P means: as precise as there is. */
UNIT_CASE(precise, struct fixture *f)
{
	struct capture_event *event = ask(f, "hardware");

	kernel.max_precise = 1;
	event->attr.precise_ip = 3;
	assert_int_equal(plan(f), ST_UNSUPPORTED);
	HAS(f->error.text, "leave out :p");
	counters_close(&f->counters);
	event->precise_max = true;
	f->error = (struct error){ .status = ST_OK };
	assert_int_equal(plan(f), ST_OK);
	assert_int_equal(f->counters.events[1].attr.precise_ip, 1);
}

/* --- machines with two kinds of CPU --- */

UNIT_CASE(hybrid, struct fixture *f)
{
	struct capture_event *event;

	kernel.is_hybrid = true;
	f->request.cpus.count = 4;
	ask(f, "s1");
	event = ask(f, "h-big");
	event->attr.type = 8;
	event->cpus = (char *)(uintptr_t) "0-1";
	event = ask(f, "h-little");
	event->attr.type = 9;
	event->cpus = (char *)(uintptr_t) "2-3";
	assert_int_equal(plan(f), ST_OK);
	assert_string_equal(groups_of(&f->counters),
			    "leader s1 h-big | leader s1 h-little | tracker");
	assert_int_equal(f->counters.part_count, 2);
	for (size_t cpu = 0; cpu < 4; cpu++)
		assert_int_equal(f->counters.part_of_cpu[cpu], cpu / 2);
	counters_close(&f->counters);
	/* Each half has its own turns. */
	f->request.multiplex = true;
	kernel.slots = 1;
	event = ask(f, "h-big-2");
	event->attr.type = 8;
	event->cpus = (char *)(uintptr_t) "0-1";
	assert_int_equal(plan(f), ST_OK);
	assert_string_equal(groups_of(&f->counters),
			    "leader s1 | leader h-big | leader h-big-2 | "
			    "leader s1 | leader h-little | tracker");
	counters_close(&f->counters);
	/* CPUs of one kind alone need but one group. */
	f->request.multiplex = false;
	f->list.count = 3;
	f->request.cpus = (struct cpu_list){ f->cpus + 2, 2 };
	assert_int_equal(plan(f), ST_OK);
	assert_string_equal(groups_of(&f->counters), "leader s1 h-little | tracker");
}
