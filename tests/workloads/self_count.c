/*
 * self_count.c - a program that knows what it cost: it counts itself.
 *
 *   self_count [-n NAME] [-c CPU] [-w] MILLISECONDS PAGES
 *     -n  the name it sets   -c  runs on this CPU alone
 *     -w  prints its pid, and waits for a line on standard input before it counts, and
 *         for another one before it ends
 *   self_count -t
 *     says nothing if all of CPU 0 may be counted here, else why not, and fails
 *
 * Uses MILLISECONDS of CPU time and touches PAGES fresh pages, then prints a line "NAME
 * COUNTER VALUE" for each counter there is.  The counters are this thread's own, opened
 * with perf_event_open(2) and read without a system call where the kernel offers it, as
 * the comment at struct perf_event_mmap_page in linux/perf_event.h says.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct counter {
	const char *name;
	uint32_t type;
	uint64_t config;
	int fd; /* -1: there is none such here */
	const volatile struct perf_event_mmap_page *page;
	uint64_t before, after;
};

static struct counter counters[] = {
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, -1, NULL, 0, 0 },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, -1, NULL, 0, 0 },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, -1, NULL, 0,
	  0 },
	{ "msr/tsc/", 0, 0, -1, NULL, 0, 0 },
};

#define COUNTERS (sizeof(counters) / sizeof(counters[0]))

static int open_counter(uint32_t type, uint64_t config, pid_t tid, int cpu)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof(attr) };

	attr.config = config;
	return (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1, 0);
}

static void open_counters(void)
{
	FILE *type = fopen("/sys/bus/event_source/devices/msr/type", "re");

	for (size_t i = 0; i < COUNTERS; i++) {
		struct counter *c = &counters[i];
		void *page;

		if (strcmp(c->name, "msr/tsc/") == 0 &&
		    (!type || fscanf(type, "%u", &c->type) != 1))
			continue;
		c->fd = open_counter(c->type, c->config, 0, -1);
		if (c->fd < 0)
			continue;
		page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED,
			    c->fd, 0);
		c->page = page == MAP_FAILED ? NULL : page;
	}
	if (type)
		fclose(type);
}

#if defined(__x86_64__)
static uint64_t rdpmc(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}
#else
static uint64_t rdpmc(uint32_t index)
{
	(void)index;
	return 0;
}
#endif

/* false: it is not on the PMU, or the kernel does not let us look. */
static bool read_page(const volatile struct perf_event_mmap_page *page, uint64_t *value)
{
	uint32_t lock, index, width;

	do {
		lock = page->lock;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		index = page->index;
		if (!page->cap_user_rdpmc || index == 0)
			return false;
		width = 64u - page->pmc_width;
		*value = (uint64_t)page->offset;
		*value += (uint64_t)((int64_t)(rdpmc(index - 1) << width) >> width);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	} while (page->lock != lock);
	return true;
}

static uint64_t read_counter(const struct counter *c)
{
	uint64_t value = 0;

	if (c->page && read_page(c->page, &value))
		return value;
	if (read(c->fd, &value, sizeof(value)) != (ssize_t)sizeof(value))
		abort();
	return value;
}

/* --- work --- */

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void work(uint64_t ms, size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t end = cpu_ns() + ms * 1000000u;
	volatile uint8_t *memory = NULL;

	if (pages)
		memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages && memory == MAP_FAILED)
		abort();
	if (pages) /* pages of the smallest size, one fault each */
		(void)madvise((void *)(uintptr_t)memory, pages * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * page] = 1;
	while (ms && cpu_ns() < end)
		for (volatile int i = 0; i < 1000; i++)
			;
}

static void run(const char *name, uint64_t ms, size_t pages)
{
	open_counters();
	for (size_t i = 0; i < COUNTERS; i++)
		if (counters[i].fd >= 0)
			counters[i].before = read_counter(&counters[i]);
	work(ms, pages);
	for (size_t i = 0; i < COUNTERS; i++)
		if (counters[i].fd >= 0)
			counters[i].after = read_counter(&counters[i]);
	for (size_t i = 0; i < COUNTERS; i++)
		if (counters[i].fd >= 0)
			printf("%s %s %llu\n", name, counters[i].name,
			       (unsigned long long)(counters[i].after -
						    counters[i].before));
}

static void wait_for_line(void)
{
	int byte;

	fflush(stdout);
	do
		byte = getchar();
	while (byte != '\n' && byte != EOF);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0) {
		perror("self_count: sched_setaffinity");
		exit(1);
	}
}

static int try_cpu(void)
{
	int fd = open_counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, -1, 0);

	if (fd < 0)
		printf("counting all of a CPU: %s\n", strerror(errno));
	return fd < 0;
}

int main(int argc, char **argv)
{
	const char *name = program_invocation_short_name;
	bool waits = false;
	int option;

	while ((option = getopt(argc, argv, "n:c:wt")) != -1) {
		if (option == 't')
			return try_cpu();
		if (option == 'n')
			name = optarg;
		else if (option == 'c')
			pin(atoi(optarg));
		else if (option == 'w')
			waits = true;
		else
			return 2;
	}
	if (argc - optind != 2) {
		fprintf(stderr, "usage: self_count [-n NAME] [-c CPU] [-w] MILLISECONDS "
				"PAGES\n       self_count -t\n");
		return 2;
	}
	if (name != program_invocation_short_name)
		prctl(PR_SET_NAME, name);
	if (waits) {
		printf("%d\n", (int)getpid());
		wait_for_line();
	}
	run(name, strtoull(argv[optind], NULL, 10), strtoull(argv[optind + 1], NULL, 10));
	if (waits)
		wait_for_line();
	return 0;
}
