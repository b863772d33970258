/*
 * test_permissions.c - tools/capture/linux/counters/permissions.h: each refusal is a
 * sentence with a way out.
 */
#include "capture/linux/counters/permissions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "unit.h"

#define WORDS 4

static const struct permissions root = { 2, true, true };
static const struct permissions strict = { 3, false, false };
static const struct permissions usual = { 2, false, false };
static const struct permissions open_to_all = { -1, false, false };

static struct perf_event_attr hardware = { .type = PERF_TYPE_HARDWARE };
static struct perf_event_attr cache = { .type = PERF_TYPE_HW_CACHE };
static struct perf_event_attr raw = { .type = PERF_TYPE_RAW };
static struct perf_event_attr software = { .type = PERF_TYPE_SOFTWARE };
static struct perf_event_attr tracepoint = { .type = PERF_TYPE_TRACEPOINT };
static struct perf_event_attr uncore = { .type = 30 };
static struct perf_event_attr user_mode = { .type = 30, .exclude_kernel = 1 };

/* errno, rights, event, its attributes, PMU, CPU, thread, counters; then the cause, and
 * what to do: every word must be there.
 */
#define REFUSED(number, rights, event, attr, pmu, cpu, tid, counters, ...)       \
	{                                                                        \
		ROW, number, { &rights, event, &attr, pmu, cpu, tid, counters }, \
		{                                                                \
			__VA_ARGS__                                              \
		}                                                                \
	}

static const struct {
	int line;
	int number;
	struct refusal refusal;
	const char *words[WORDS + 1];
} refusals[] = {
	/* whole CPUs, a user */
	REFUSED(EACCES, usual, "task-clock", software, NULL, 0, -1, 8, "no CAP_PERFMON",
		"perf_event_paranoid is 2", "as root", "set it to 0"),
	REFUSED(EPERM, strict, "task-clock", software, NULL, 0, -1, 8, "no CAP_PERFMON",
		"perf_event_paranoid is 3", "as root", "set it to 0"),
	/* one process */
	REFUSED(EACCES, strict, "task-clock", software, NULL, 0, INT32_MAX, 8,
		"no CAP_PERFMON", "perf_event_paranoid is 3", "as root", "set it to 1"),
	REFUSED(EACCES, open_to_all, "task-clock", software, NULL, 0, 77, 8, "process 77",
		"another user's", "as root", "CAP_PERFMON"),
	/* no want of rights */
	REFUSED(EPERM, root, "task-clock", software, NULL, 0, -1, 8,
		"although CAP_PERFMON is there", "seccomp", "lockdown", "outside it"),
	REFUSED(EACCES, root, "task-clock", software, NULL, 0, -1, 8,
		"although CAP_PERFMON is there", "container", "outside it"),
	/* the event */
	REFUSED(ENOENT, root, "sched:nope", tracepoint, NULL, 0, -1, 8,
		"the kernel has no such tracepoint"),
	REFUSED(ENOENT, root, "uncore/x/", uncore, "uncore", 0, -1, 8,
		"has no such event", "perftab-capture list events"),
	REFUSED(ENODEV, root, "cpu_atom/cycles/", uncore, "cpu_atom", 3, -1, 8,
		"no cpu_atom on CPU 3"),
	REFUSED(ENXIO, root, "x", software, NULL, 5, -1, 8, "no PMU on CPU 5"),
	REFUSED(EOPNOTSUPP, root, "cycles:ppp", hardware, NULL, 0, -1, 8,
		"the PMU cannot count it this way", ":p", "choose another event"),
	REFUSED(EINVAL, root, "cpu/event=0xfff/", raw, "cpu", 0, -1, 8,
		"refuses its terms or modifiers"),
	REFUSED(EINVAL, usual, "msr/tsc/:u", user_mode, "msr", 0, 77, 8,
		"perf_event_paranoid is 2", "only user mode may be counted", "as root",
		"set it to 1"),
	REFUSED(EINVAL, root, "msr/tsc/:u", user_mode, "msr", 0, 77, 8,
		"refuses its terms or modifiers"),
	REFUSED(EBUSY, root, "cycles", hardware, NULL, 0, -1, 8,
		"another program holds this PMU", "end it first"),
	REFUSED(ENOSPC, root, "mem:0x1000:w", uncore, NULL, 0, -1, 8,
		"no hardware breakpoint is left", "choose fewer mem: events"),
	/* the rest */
	REFUSED(EMFILE, root, "task-clock", software, NULL, 0, -1, 4096, "4096 counters",
		"at most 123 files", "ulimit -n", "choose fewer events or CPUs"),
	REFUSED(ENFILE, root, "task-clock", software, NULL, 0, -1, 4096, "4096 counters",
		"ulimit -n"),
	REFUSED(EMFILE, root, "task-clock", software, NULL, 0, -1, 0,
		"task-clock: counters are needed"),
	REFUSED(ESRCH, root, "task-clock", software, NULL, 0, 77, 8,
		"there is no process 77"),
	REFUSED(ENOSYS, root, "task-clock", software, NULL, 0, -1, 8,
		"without perf events", "seccomp"),
	REFUSED(EIO, root, "task-clock", software, NULL, 0, -1, 8, "cannot be opened",
		"Input/output error"),
};

/* One lower-case line without a full stop that begins with the event's name. */
#define ROW_SENTENCE(row, error, name)                                                 \
	do {                                                                           \
		const char *sentence = (error)->text;                                  \
		size_t length = strlen(sentence);                                      \
		ROW_TRUE(row, length > 0 && length < sizeof((error)->text) - 1);       \
		ROW_TRUE(row, sentence[length - 1] != '.' && !strchr(sentence, '\n')); \
		ROW_TRUE(row, !strncmp(sentence, name, strlen(name)));                 \
	} while (0)

UNIT_TEST(refusals)
{
	struct rlimit before, few;

	getrlimit(RLIMIT_NOFILE, &before);
	few = before;
	few.rlim_cur = 123;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (size_t i = 0; i < COUNT(refusals); i++) {
		struct error error = { .status = ST_OK };

		ROW_INT(&refusals[i],
			refusal_open(&refusals[i].refusal, refusals[i].number, &error),
			ST_UNSUPPORTED);
		ROW_SENTENCE(&refusals[i], &error, refusals[i].refusal.event);
		unit_has(true, error.text, refusals[i].words, __FILE__, refusals[i].line);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* A machine without a PMU says so, and what can be counted instead. */
UNIT_TEST(no_pmu)
{
	const struct perf_event_attr *const attrs[] = { &hardware, &cache, &raw };
	bool has_pmu = access("/sys/bus/event_source/devices/cpu", F_OK) == 0 ||
		       access("/sys/bus/event_source/devices/cpu_core", F_OK) == 0;

	if (has_pmu)
		skip();
	for (size_t i = 0; i < COUNT(attrs); i++) {
		struct refusal refusal = { &root, "cycles", attrs[i], NULL, 0, -1, 8 };
		struct error error = { .status = ST_OK };

		assert_int_equal(refusal_open(&refusal, ENOENT, &error), ST_UNSUPPORTED);
		HAS(error.text, "no PMU", "task-clock");
	}
}

/* A name that is too long leaves room for what is wrong. */
UNIT_TEST(long_names)
{
	char name[300];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i < COUNT(refusals); i++) {
		struct refusal refusal = refusals[i].refusal;
		struct error error = { .status = ST_OK };

		refusal.event = name;
		(void)!refusal_open(&refusal, refusals[i].number, &error);
		ROW_TRUE(&refusals[i], strlen(error.text) < sizeof(error.text) - 1);
	}
}

static const struct {
	int line;
	int number;
	const struct permissions *permissions;
	const char *words[WORDS + 1];
} maps[] = {
	{ ROW,
	  EPERM,
	  &usual,
	  { "4096 KiB a CPU", "kernel.perf_event_mlock_kb", "64 KiB (ulimit -l)",
	    "smaller -m" } },
	{ ROW, ENOSPC, &usual, { "kernel.perf_event_mlock_kb", "as root" } },
	{ ROW, EAGAIN, &usual, { "kernel.perf_event_mlock_kb", "as root" } },
	{ ROW, ENOMEM, &root, { "no memory", "4096 KiB on CPU 1", "smaller -m" } },
	{ ROW, ENOMEM, &usual, { "no memory", "smaller -m" } },
	{ ROW, EPERM, &root, { "CPU 1, 4096 KiB", "Operation not permitted" } },
	{ ROW, EINVAL, &root, { "cannot be mapped", "Invalid argument" } },
};

UNIT_TEST(maps)
{
	struct rlimit before, little;

	getrlimit(RLIMIT_MEMLOCK, &before);
	little = before;
	little.rlim_cur = 64 * 1024;
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &little), 0);
	for (size_t i = 0; i < COUNT(maps); i++) {
		struct refusal refusal = { .permissions = maps[i].permissions,
					   .cpu = 1,
					   .tid = -1 };
		struct error error = { .status = ST_OK };

		ROW_TRUE(&maps[i],
			 refusal_map(&refusal, 4 << 20, maps[i].number, &error) < ST_OK);
		ROW_TRUE(&maps[i], strlen(error.text) < sizeof(error.text) - 1);
		unit_has(true, error.text, maps[i].words, __FILE__, maps[i].line);
	}
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &before), 0);
}

static const struct {
	int line;
	struct permissions permissions;
	bool cpu_wide;
} wide[] = {
	{ ROW, { 3, true, false }, true },
	{ ROW, { 2, true, true }, true },
	{ ROW, { 1, false, true }, false },
	{ ROW, { 2, false, false }, false },
	{ ROW, { 0, false, false }, true },
	{ ROW, { -1, false, false }, true },
	{ ROW, { PERMISSIONS_NO_PARANOID, false, false }, false },
};

UNIT_TEST(cpu_wide)
{
	for (size_t i = 0; i < COUNT(wide); i++)
		ROW_INT(&wide[i], permissions_cpu_wide(&wide[i].permissions),
			wide[i].cpu_wide);
}

/* Of this process: what /proc says, whatever that is. */
UNIT_TEST(look)
{
	struct permissions permissions = { -2, false, false };
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int paranoid = PERMISSIONS_NO_PARANOID;

	if (file) {
		assert_int_equal(fscanf(file, "%d", &paranoid), 1);
		fclose(file);
	}
	permissions_read(&permissions);
	assert_int_equal(permissions.paranoid, paranoid);
}
