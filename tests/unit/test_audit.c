/*
 * test_audit.c - tools/capture/linux/audit against a mock PMU: one that is right, that
 * counts a tenth, nothing, late or too much, and one of which others hold counters.  The
 * linker gives the kernel's calls, its clocks, and the work, to the mock below.
 */
#include "capture/linux/audit/audit.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/linux/audit/facts.h"
#include "capture/linux/audit/loop.h"
#include "capture/linux/audit/system.h"
#include "unit.h"

#define FILES_MAX 128
#define FIRST_FILE 5000
#define EVENTS_MAX 8
#define CALL_NS 200 /* what a call of the kernel lasts here */
#define TSC_TYPE 20 /* of its PMU, whose event is the time-stamp counter */
#define TSC_MHZ 3000

/* --- the mock --- */

enum lie { HONEST, TENTH, NOTHING, LATE, TENFOLD };

static struct {
	int slots, held;	/* counters of the PMU, and those of others */
	enum lie lie, software; /* of the PMU; of what the kernel counts */
	int refused;		/* errno of each open; 0 */
	uint64_t turns, work;	/* of the loop so far; in how many pieces */
	uint64_t ns;		/* since the start: each turn lasts one */
	long switches, faults;	/* of this thread */
} mock;

static struct file {
	bool is_open, is_enabled;
	struct perf_event_attr attr;
	int group_fd;
	uint64_t enabled_at; /* turns then */
} files[FILES_MAX];
static int open_files;

static bool is_hardware(const struct file *file)
{
	return file->attr.type == PERF_TYPE_HARDWARE;
}

static bool is_of(const struct file *file, int leader)
{
	return file->is_open &&
	       (file->group_fd == leader || file == &files[leader - FIRST_FILE]);
}

static int hardware_in(int leader)
{
	int count = 0;

	for (int i = 0; i < FILES_MAX; i++)
		count += is_of(&files[i], leader) && is_hardware(&files[i]);
	return count;
}

static long open_event(const struct perf_event_attr *attr, int group_fd)
{
	struct file file = { true, !attr->disabled, *attr, group_fd, mock.turns };

	errno = mock.refused;
	if (mock.refused || (is_hardware(&file) && mock.slots == 0)) {
		errno = errno ? errno : ENOENT;
		return -1;
	}
	errno = EINVAL; /* what could never fit is refused; what others hold does not count */
	if (is_hardware(&file) && group_fd >= 0 && hardware_in(group_fd) == mock.slots)
		return -1;
	if (is_hardware(&file) && mock.slots == 0)
		return -1;
	for (int i = 0; i < FILES_MAX; i++)
		if (!files[i].is_open) {
			files[i] = file;
			open_files++;
			return i + FIRST_FILE;
		}
	errno = EMFILE;
	return -1;
}

/* What an honest counter has by now. */
static uint64_t truth_of(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_HARDWARE)
		switch (attr->config) {
		case PERF_COUNT_HW_INSTRUCTIONS:
			return mock.turns * AUDIT_LOOP_LEAST;
		case PERF_COUNT_HW_BRANCH_INSTRUCTIONS:
			return mock.turns;
		case PERF_COUNT_HW_CPU_CYCLES:
			return mock.turns;
		default:
			return mock.turns / 100;
		}
	if (attr->type == TSC_TYPE)
		return mock.ns * TSC_MHZ / 1000;
	if (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES)
		return (uint64_t)mock.switches;
	if (attr->config == PERF_COUNT_SW_PAGE_FAULTS)
		return (uint64_t)mock.faults;
	return mock.ns;
}

static uint64_t value_of(const struct file *file)
{
	uint64_t truth = truth_of(&file->attr);

	switch (is_hardware(file) ? mock.lie : mock.software) {
	case TENTH:
		return truth / 10;
	case NOTHING:
		return 0;
	case LATE: /* after the loop that learns how long a turn is, and one more */
		return mock.work < 3 ? 0 : truth;
	case TENFOLD:
		return truth * 10;
	default:
		return truth;
	}
}

long __wrap_syscall(long number, ...);
int __wrap_close(int fd);
int __real_close(int fd);
ssize_t __wrap_read(int fd, void *to, size_t bytes);
ssize_t __real_read(int fd, void *to, size_t bytes);
int __wrap_ioctl(int fd, unsigned long request, ...);
void __wrap_audit_loop(uint64_t turns);
void __real_audit_loop(uint64_t turns);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_getrusage(int who, struct rusage *usage);
int __wrap_nanosleep(const struct timespec *duration, struct timespec *left);
void __wrap_audit_touch_pages(void);
void __real_audit_touch_pages(void);
uint64_t __wrap_audit_tsc(void);

long __wrap_syscall(long number, ...)
{
	const struct perf_event_attr *attr;
	int cpu, group_fd;
	va_list args;

	assert_int_equal(number, SYS_perf_event_open);
	va_start(args, number);
	attr = va_arg(args, struct perf_event_attr *);
	(void)va_arg(args, int);
	cpu = va_arg(args, int);
	group_fd = va_arg(args, int);
	va_end(args);
	assert_int_equal(cpu, 0);
	/* The copies leave no trace. */
	assert_int_equal(attr->sample_period, 0);
	assert_int_equal(attr->sample_type, 0);
	assert_int_equal(attr->inherit, 0);
	return open_event(attr, group_fd);
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

/* A group that needs more counters than are free is enabled, and does not run. */
ssize_t __wrap_read(int fd, void *to, size_t bytes)
{
	uint64_t *words = to, count = 0;

	if (fd < FIRST_FILE || fd >= FIRST_FILE + FILES_MAX)
		return __real_read(fd, to, bytes);
	words[1] = mock.turns + 1;
	words[2] = hardware_in(fd) <= mock.slots - mock.held ? mock.turns + 1 : 0;
	for (int i = 0; i < FILES_MAX; i++)
		if (is_of(&files[i], fd)) {
			assert_true((4 + count) * sizeof(*words) <= bytes);
			words[3 + count++] = words[2] ? value_of(&files[i]) : 0;
		}
	words[0] = count;
	mock.turns += 1; /* so that time goes on where there is no loop */
	mock.ns += CALL_NS;
	return (ssize_t)((3 + count) * sizeof(*words));
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	assert_true(files[fd - FIRST_FILE].is_open);
	files[fd - FIRST_FILE].is_enabled = request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

void __wrap_audit_loop(uint64_t turns)
{
	__real_audit_loop(turns);
	mock.turns += turns;
	mock.ns += turns;
	mock.work++;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock; /* the thread is never off the CPU, but when it sleeps */
	mock.ns += CALL_NS;
	now->tv_sec = (time_t)(mock.ns / 1000000000u);
	now->tv_nsec = (long)(mock.ns % 1000000000u);
	return 0;
}

int __wrap_getrusage(int who, struct rusage *usage)
{
	assert_int_equal(who, RUSAGE_THREAD);
	memset(usage, 0, sizeof(*usage));
	usage->ru_nvcsw = mock.switches;
	usage->ru_minflt = mock.faults;
	return 0;
}

int __wrap_nanosleep(const struct timespec *duration, struct timespec *left)
{
	(void)left;
	mock.ns += (uint64_t)duration->tv_nsec;
	mock.switches++;
	return 0;
}

void __wrap_audit_touch_pages(void)
{
	__real_audit_touch_pages();
	mock.faults += AUDIT_PAGES;
}

uint64_t __wrap_audit_tsc(void)
{
	return mock.ns * TSC_MHZ / 1000;
}

/* --- what is audited --- */

struct fixture {
	struct counters counters;
	struct counted_event events[EVENTS_MAX];
	int cpus[1];
	size_t parts[1];
	struct audit_trial *trials[1];
	struct audit audit;
	struct bytes lines;
	char warned[2000];
};

static void setup(struct fixture *f)
{
	memset(&mock, 0, sizeof(mock));
	mock.slots = 6;
	f->counters.events = f->events;
	f->counters.groups[0] = (struct counted_group){ 0, 0, 0 };
	f->counters.group_count = 1;
	f->counters.part_of_cpu = f->parts;
	f->counters.request.cpus = (struct cpu_list){ f->cpus, 1 };
	f->audit.trials = f->trials;
	f->audit.count = 1;
}

static void teardown(struct fixture *f)
{
	assert_int_equal(open_files, 0); /* nothing stays open */
	audit_trial_free(f->trials[0]);
	bytes_release(&f->lines);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

static void ask(struct fixture *f, const char *name, uint32_t type, uint64_t config)
{
	struct counted_event *event = &f->events[f->counters.event_count++];

	*event = (struct counted_event){ .name = (char *)(uintptr_t)name };
	event->attr.type = type;
	event->attr.config = config;
	event->attr.sample_period = f->counters.event_count == 1;
	event->attr.sample_type = PERF_SAMPLE_READ;
	event->attr.inherit = 1;
	f->counters.groups[0].count++;
}

static void ask_all(struct fixture *f)
{
	ask(f, "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	ask(f, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	ask(f, "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	ask(f, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	ask(f, "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	ask(f, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	ask(f, "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES);
	ask(f, "msr/tsc/", TSC_TYPE, 0);
}

static void try_it(struct fixture *f)
{
	f->trials[0] = audit_trial_new(&f->counters, 0, unit_directory());
	assert_non_null(f->trials[0]);
	audit_trial_run(f->trials[0]);
	audit_write(&f->lines, &f->audit, &f->counters);
	bytes_put(&f->lines, "", 1);
}

static void warn(void *context, const char *text)
{
	struct fixture *f = context;
	size_t used = strlen(f->warned);

	snprintf(f->warned + used, sizeof(f->warned) - used, "%s\n", text);
}

static const struct audit_result *result_of(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->trials[0]->event_count; i++)
		if (strcmp(f->events[f->trials[0]->events[i].index].name, name) == 0)
			return &f->trials[0]->events[i].result;
	fail_msg("no %s", name);
	return NULL;
}

/* --- verdicts --- */

static const struct {
	int line;
	enum lie lie, software;
	const char *name;
	enum audit_verdict verdict;
	const char *reason;
} cases[] = {
	{ ROW, HONEST, HONEST, "instructions", AUDIT_PROVEN, "" },
	{ ROW, HONEST, HONEST, "branches", AUDIT_PROVEN, "" },
	{ ROW, HONEST, HONEST, "cycles", AUDIT_PLAUSIBLE, "" },
	{ ROW, HONEST, HONEST, "task-clock", AUDIT_PROVEN, "" },
	{ ROW, HONEST, HONEST, "page-faults", AUDIT_PROVEN, "" },
	{ ROW, HONEST, HONEST, "context-switches", AUDIT_PROVEN, "" },
	{ ROW, HONEST, HONEST, "cache-misses", AUDIT_UNTESTED, "" },
	{ ROW, HONEST, HONEST, "msr/tsc/", AUDIT_PROVEN, "" },
	{ ROW, TENTH, HONEST, "instructions", AUDIT_CONTRADICTED,
	  "it counted too little" },
	{ ROW, TENTH, HONEST, "branches", AUDIT_CONTRADICTED, "it counted too little" },
	{ ROW, TENTH, HONEST, "cycles", AUDIT_CONTRADICTED, "it counted too little" },
	{ ROW, TENTH, HONEST, "task-clock", AUDIT_PROVEN, "" },
	{ ROW, NOTHING, HONEST, "instructions", AUDIT_CONTRADICTED,
	  "it counted nothing" },
	{ ROW, NOTHING, HONEST, "cycles", AUDIT_CONTRADICTED, "it counted nothing" },
	{ ROW, LATE, HONEST, "instructions", AUDIT_CONTRADICTED, "it counted late" },
	{ ROW, LATE, HONEST, "branches", AUDIT_CONTRADICTED, "it counted late" },
	{ ROW, LATE, HONEST, "cycles", AUDIT_CONTRADICTED, "it counted late" },
	{ ROW, TENFOLD, HONEST, "instructions", AUDIT_CONTRADICTED,
	  "it counted too much" },
	{ ROW, HONEST, TENTH, "task-clock", AUDIT_CONTRADICTED, "it counted too little" },
	{ ROW, HONEST, TENFOLD, "task-clock", AUDIT_CONTRADICTED, "it counted too much" },
	{ ROW, HONEST, NOTHING, "task-clock", AUDIT_CONTRADICTED, "it counted nothing" },
	{ ROW, HONEST, TENTH, "msr/tsc/", AUDIT_CONTRADICTED, "it counted too little" },
	{ ROW, HONEST, TENFOLD, "msr/tsc/", AUDIT_CONTRADICTED, "it counted too much" },
	{ ROW, HONEST, NOTHING, "page-faults", AUDIT_CONTRADICTED, "it counted nothing" },
	{ ROW, HONEST, NOTHING, "context-switches", AUDIT_CONTRADICTED,
	  "it counted nothing" },
	{ ROW, HONEST, TENTH, "instructions", AUDIT_PROVEN, "" },
};

static void try_case(struct fixture *f, size_t i)
{
	mock.lie = cases[i].lie;
	mock.software = cases[i].software;
	mock.work = mock.turns = 0;
	f->lines.size = 0;
	try_it(f);
}

UNIT_CASE(verdicts, struct fixture *f)
{
	ask_all(f);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct audit_result *result;
		char wanted[100];

		try_case(f, i);
		result = result_of(f, cases[i].name);
		ROW_INT(&cases[i], audit_verdict_of(result), cases[i].verdict);
		ROW_TEXT(&cases[i], audit_reason_of(result), cases[i].reason);
		if (cases[i].verdict == AUDIT_CONTRADICTED) {
			snprintf(wanted, sizeof(wanted), "\tcontradicted\t%s\n",
				 cases[i].reason);
			ROW_HAS(&cases[i], (const char *)f->lines.data, wanted);
		}
		audit_trial_free(f->trials[0]);
		f->trials[0] = NULL;
	}
}

/* What the user reads before the recording. */
UNIT_CASE(warning, struct fixture *f)
{
	ask_all(f);
	mock.lie = NOTHING;
	try_it(f);
	audit_warn(&f->audit, &f->counters, warn, f);
	HAS(f->warned,
	    "instructions is contradicted on CPU 0: it counted nothing, 0 where",
	    "cycles is contradicted on CPU 0");
	LACKS(f->warned, "task-clock", "hold counters");
}

/* --- counters of others --- */

UNIT_CASE(hog, struct fixture *f)
{
	ask_all(f); /* four events of the PMU */
	for (int held = 0; held <= 6; held++) {
		char placed[60];

		mock.held = held;
		f->lines.size = 0;
		f->warned[0] = '\0';
		try_it(f);
		assert_int_equal(f->trials[0]->places, 6);
		assert_int_equal(f->trials[0]->placed, 6 - held);
		snprintf(placed, sizeof(placed), "placed\t0\t-\t-\t6\t%d\t-\t", 6 - held);
		HAS((const char *)f->lines.data, placed);
		audit_warn(&f->audit, &f->counters, warn, f);
		snprintf(placed, sizeof(placed), "%d of 6 can count on CPU 0", 6 - held);
		if (held)
			HAS(f->warned, placed);
		else
			LACKS(f->warned, "can count");
		/* Of a group that did not run nothing is said but that. */
		if (held > 2)
			HAS((const char *)f->lines.data, "held\t0\t0\t-\t4\t-\t-\t");
		else
			LACKS((const char *)f->lines.data, "held");
		assert_int_equal(audit_verdict_of(result_of(f, "instructions")),
				 held > 2 ? AUDIT_UNTESTED : AUDIT_PROVEN);
		LACKS((const char *)f->lines.data, "contradicted");
		audit_trial_free(f->trials[0]);
		f->trials[0] = NULL;
	}
}

/* A machine without a PMU, and a kernel that refuses. */
UNIT_CASE(without, struct fixture *f)
{
	mock.slots = 0;
	ask(f, "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	ask(f, "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	try_it(f);
	assert_false(f->trials[0]->has_pmu);
	HAS((const char *)f->lines.data, "loop\t0\t1\t", "\tproven\t-\n");
	LACKS((const char *)f->lines.data, "placed", "held");
	audit_trial_free(f->trials[0]);
	f->lines.size = 0;
	mock.refused = EMFILE;
	try_it(f);
	HAS((const char *)f->lines.data,
	    "untested\t0\t0\t-\t-\t-\t-\tToo many open files");
	LACKS((const char *)f->lines.data, "proven", "contradicted");
}

/* --- frequency and users, from files --- */

static void write_text(const char *name, const char *text)
{
	unit_write_file(unit_path(name), text, strlen(text));
}

UNIT_TEST(frequency)
{
	const char *sysfs = unit_directory();

	unit_folder("cpu3/cpufreq");
	unit_folder("cpufreq");
	assert_int_equal(system_max_khz(sysfs, 3), 0);
	write_text("cpu3/cpufreq/scaling_driver", "intel_pstate\n");
	write_text("cpu3/cpufreq/cpuinfo_max_freq", "4700000\n");
	assert_int_equal(system_max_khz(sysfs, 3), 4700000);
	/* Its highest frequency may be that without boost. */
	write_text("cpu3/cpufreq/scaling_driver", "acpi-cpufreq\n");
	write_text("cpufreq/boost", "1\n");
	assert_int_equal(system_max_khz(sysfs, 3), 0);
	write_text("cpufreq/boost", "0\n");
	assert_int_equal(system_max_khz(sysfs, 3), 4700000);
}

UNIT_TEST(users)
{
	const char *proc = unit_directory();
	char words[600];

	unit_folder("sys/kernel");
	unit_folder("41/fd");
	unit_folder("42/fd");
	write_text("41/comm", "perf\n");
	assert_int_equal(symlink("anon_inode:[perf_event]", unit_path("41/fd/3")), 0);
	assert_int_equal(symlink("anon_inode:[perf_event]", unit_path("41/fd/4")), 0);
	assert_int_equal(symlink("anon_inode:[perf_event]", unit_path("42/fd/3")), 0);
	assert_int_equal(symlink("/dev/null", unit_path("41/fd/5")), 0);
	assert_int_equal(system_counter_users(proc, 42, 1000000000, words, sizeof(words)),
			 1);
	assert_string_equal(words, "perf (pid 41, 2 perf events)");
	write_text("sys/kernel/nmi_watchdog", "1\n");
	assert_int_equal(system_counter_users(proc, 42, 1000000000, words, sizeof(words)),
			 2);
	HAS(words, "the NMI watchdog (kernel.nmi_watchdog is 1), perf (pid 41");
	assert_int_equal(system_counter_users(proc, 1, 1000000000, words, sizeof(words)),
			 3);
}

/* Bounds by the highest frequency, and the share of it that proves. */
UNIT_TEST(cycles)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE };
	const struct audit_work work = { .turns = 100000, .wall_ns = { 100000, 110000 } };
	const struct audit_scope slow = { false, 1000000 }, unknown = { false, 0 };
	static const struct {
		int line;
		bool is_known;
		uint64_t found;
		enum audit_verdict verdict;
	} rows[] = {
		{ ROW, true, 100000, AUDIT_PROVEN },
		{ ROW, true, 50000, AUDIT_PLAUSIBLE },
		{ ROW, true, 10000, AUDIT_CONTRADICTED },
		{ ROW, true, 200000, AUDIT_CONTRADICTED },
		{ ROW, false, 100000, AUDIT_PLAUSIBLE },
		{ ROW, false, 10000, AUDIT_CONTRADICTED },
		{ ROW, false, 200000, AUDIT_PLAUSIBLE },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct audit_bounds bounds = audit_bounds_of(
			AUDIT_CYCLES, &attr, &work, rows[i].is_known ? &slow : &unknown);
		struct audit_result result = { .tries = 0 };

		audit_judge(&result, &bounds, rows[i].found);
		ROW_INT(&rows[i], audit_verdict_of(&result), rows[i].verdict);
	}
}
