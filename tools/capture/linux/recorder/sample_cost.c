/* sample_cost.c - measures the cost of a sample; see sample_cost.h. */
#include "capture/linux/recorder/sample_cost.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "capture/linux/recorder/ring.h"

#define TIME_IN_SAMPLE 24 /* after header, id and thread */
#define TIME_WITH_IP 32
#define SWITCHES 24
#define SLEEP_NS 20000
#define RING_PAGES 16
#define MEMBERS_MAX 64
#define COST_NS_MAX 1000000 /* more is not the cost of a sample */

struct trial {
	const struct counters *counters;
	int cpu;
	int marker; /* its samples come second */
	uint64_t marker_id;
	int fds[MEMBERS_MAX];
	size_t count;
	struct ring ring;
};

static int open_copy(const struct trial *t, const struct counted_event *event,
		     int group_fd, bool is_marker)
{
	struct perf_event_attr attr = event->attr;

	attr.inherit = attr.inherit_stat = 0;
	attr.wakeup_watermark = 0;
	if (!event->is_leader) { /* it is read, and does not sample by itself */
		attr.sample_period = 0;
		attr.disabled = 0;
	}
	if (is_marker) {
		attr.sample_type &= ~(uint64_t)(PERF_SAMPLE_READ | PERF_SAMPLE_RAW);
		attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
	}
	return t->counters->request.tids ? counter_open(&attr, 0, -1, group_fd)
					 : counter_open(&attr, -1, t->cpu, group_fd);
}

/* The last that is armed is the first that samples. */
static bool open_trial(struct trial *t)
{
	const struct counters *c = t->counters;
	const struct counted_group *group = &c->groups[0];

	t->marker = open_copy(t, &c->events[group->first], -1, true);
	if (t->marker < 0 || ioctl(t->marker, PERF_EVENT_IOC_ID, &t->marker_id) != 0 ||
	    !ring_open(&t->ring, t->marker, RING_PAGES * (size_t)sysconf(_SC_PAGESIZE)))
		return false;
	for (size_t i = 0; i < group->count && i < MEMBERS_MAX; i++) {
		int fd = open_copy(t, &c->events[group->first + i], i ? t->fds[0] : -1,
				   false);

		if (fd < 0)
			return false;
		t->fds[t->count++] = fd;
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, t->marker) != 0)
			return false;
	}
	return true;
}

static void close_trial(struct trial *t)
{
	ring_close(&t->ring);
	while (t->count)
		close(t->fds[--t->count]);
	if (t->marker >= 0)
		close(t->marker);
}

static void switch_often(const struct trial *t)
{
	const struct timespec pause = { .tv_nsec = SLEEP_NS };

	(void)ioctl(t->marker, PERF_EVENT_IOC_ENABLE, 0);
	(void)ioctl(t->fds[0], PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < SWITCHES; i++)
		(void)nanosleep(&pause, NULL);
	(void)ioctl(t->fds[0], PERF_EVENT_IOC_DISABLE, 0);
	(void)ioctl(t->marker, PERF_EVENT_IOC_DISABLE, 0);
}

static int by_size(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return first < second ? -1 : first > second;
}

/* Times from a sample of the group to the marker's that follows it. */
static size_t collect(struct trial *t, uint64_t *costs)
{
	size_t place = t->counters->tracepoint_leads ? TIME_IN_SAMPLE : TIME_WITH_IP;
	size_t count = 0;
	uint64_t end = ring_poll(&t->ring), before = 0;

	for (uint64_t at = 0; at < end && count < SWITCHES;) {
		uint64_t word = ring_u64(&t->ring, at), time_ns;
		struct perf_event_header header;

		memcpy(&header, &word, sizeof(header));
		if (header.size < sizeof(header))
			break;
		if (header.type == PERF_RECORD_SAMPLE) {
			time_ns = ring_u64(&t->ring, at + place);
			if (ring_u64(&t->ring, at + 8) != t->marker_id)
				before = time_ns;
			else if (before && time_ns > before &&
				 time_ns - before < COST_NS_MAX)
				costs[count++] = time_ns - before;
		}
		at += header.size;
	}
	return count;
}

uint64_t sample_cost_ns(const struct counters *c)
{
	struct trial trial = { .counters = c,
			       .cpu = c->request.cpus.cpus[0],
			       .marker = -1 };
	uint64_t costs[SWITCHES];
	cpu_set_t before, one;
	size_t count = 0;

	if (c->group_count == 0 || sched_getaffinity(0, sizeof(before), &before) != 0)
		return 0;
	CPU_ZERO(&one);
	CPU_SET((size_t)trial.cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) == 0 && open_trial(&trial)) {
		switch_often(&trial);
		count = collect(&trial, costs);
	}
	close_trial(&trial);
	(void)sched_setaffinity(0, sizeof(before), &before);
	qsort(costs, count, sizeof(costs[0]), by_size);
	return count ? costs[count / 2] : 0;
}
