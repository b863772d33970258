/*
 * thread_ends.c - see counters.h.
 *
 * Whether inherit_stat has an effect: from 5.13 on (measured: 6.12) the kernel takes a
 * thread's counters from it before it looks whose they were, and then writes no READ
 * record; Linux 6.18 writes one again.  So a child is let end.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters.h"
#include "ring.h"

static bool has_read(struct ring *ring)
{
	uint64_t end = ring_look(ring);

	for (uint64_t at = 0; at < end;) {
		uint64_t word = ring_u64(ring, at);
		struct perf_event_header header;

		memcpy(&header, &word, sizeof(header));
		if (header.type == PERF_RECORD_READ)
			return true;
		if (header.size < sizeof(header)) /* the kernel never does */
			return false;
		at += header.size;
	}
	return false;
}

/*
 * A child that ends at once, on the CPU: of its counters on other CPUs nothing is told,
 * nor is there anything to tell.  False: there was none.
 */
static bool let_one_end(int cpu)
{
	pid_t child = fork(), got;
	cpu_set_t set;

	if (child == 0) {
		CPU_ZERO(&set);
		CPU_SET((size_t)cpu, &set);
		(void)sched_setaffinity(0, sizeof(set), &set);
		_exit(0);
	}
	do {
		got = waitpid(child, NULL, 0);
	} while (got < 0 && errno == EINTR);
	return child > 0 && got == child;
}

bool counter_ends_are_told(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.inherit = 1,
		.inherit_stat = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct ring ring;
	int cpu = sched_getcpu(); /* one that we may run on */
	int fd = cpu < 0 || cpu >= CPU_SETSIZE ? -1 : counter_open(&attr, 0, cpu, -1);
	bool told = false;

	if (fd < 0)
		return false;
	if (ring_open(&ring, fd, (size_t)sysconf(_SC_PAGESIZE)))
		told = let_one_end(cpu) && has_read(&ring);
	ring_close(&ring);
	close(fd);
	return told;
}
