/*
 * exit_read_probe.c - see counters.h.
 *
 * Whether inherit_stat has an effect: from 5.13 on (measured: 6.12) the kernel removes a
 * thread's counters from it before it looks whose they were, and then writes no READ
 * record; Linux 6.18 writes one again.  So a child is let end.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/linux/counters/counters.h"
#include "capture/linux/recorder/ring.h"

static bool has_read(struct ring *ring)
{
	uint64_t end = ring_poll(ring);

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

/* A child that ends at once; false: there was none. */
static bool let_one_end(void)
{
	pid_t child = fork(), got;

	if (child == 0)
		_exit(0);
	do {
		got = waitpid(child, NULL, 0);
	} while (got < 0 && errno == EINTR);
	return child > 0 && got == child;
}

/*
 * The event samples what it reads, as leaders do: contexts of other events are swapped
 * between parent and child instead of being switched, and then the child has none of its
 * own to tell of.
 */
bool exit_reads_are_written(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type =
			PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_ID,
		.inherit = 1,
		.inherit_stat = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct ring ring;
	int fd = counter_open(&attr, 0, sched_getcpu(), -1);
	bool seen = false;

	if (fd < 0)
		return false;
	if (ring_open(&ring, fd, (size_t)sysconf(_SC_PAGESIZE)))
		seen = let_one_end() && has_read(&ring);
	ring_close(&ring);
	close(fd);
	return seen;
}
