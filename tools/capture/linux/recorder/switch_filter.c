/*
 * switch_filter.c - drops records of a ring that repeat others.
 *
 * Layouts: perf_event_open(2), "MMAP layout".
 */
#include "capture/linux/recorder/switch_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_TID (-1)
#define GROUP_IN_SAMPLE 40  /* after header, IDENTIFIER, TID, TIME and CPU */
#define MEMBERS_IN_GROUP 24 /* after their number, time enabled and time running */
#define MEMBERS_MAX 4096
#define OTHER_IN_SWITCH 8 /* pid and tid of the other one */

/* The offset of the field of that name, of 4 bytes; false: there is none such. */
static bool find_field(const char *path, const char *name, uint32_t *at)
{
	FILE *file = fopen(path, "re");
	unsigned int offset, size;
	char line[512];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		const char *end = strstr(line, name);

		found = end &&
			sscanf(end + strlen(name), " offset:%u; size:%u;", &offset,
			       &size) == 2 &&
			size == 4 && offset % 4 == 0 && offset < 4096;
	}
	if (file)
		fclose(file);
	if (found)
		*at = offset;
	return found;
}

bool switch_filter_open(struct filter *filter, const struct counters *c)
{
	char path[256];

	*filter = (struct filter){ .works = false };
	if (!c->tracepoint_leads || c->request.bpf || c->request.tids ||
	    c->request.follows_cgroup || permissions_in_pid_namespace())
		return true;
	snprintf(path, sizeof(path), "%s/events/sched/sched_switch/format",
		 c->request.tracefs);
	if (!find_field(path, " next_pid;", &filter->next_at))
		return true;
	filter->member_bytes = c->supports.lost ? 24 : 16;
	filter->expected = malloc(c->request.cpus.count * sizeof(*filter->expected));
	if (!filter->expected)
		return false;
	for (size_t i = 0; i < c->request.cpus.count; i++)
		filter->expected[i] = NO_TID;
	filter->works = true;
	return true;
}

void switch_filter_close(struct filter *filter)
{
	free(filter->expected);
	*filter = (struct filter){ .works = false };
}

/* The 4 bytes at any multiple of 4. */
static uint32_t ring_u32(const struct ring *ring, uint64_t at)
{
	uint64_t word = ring_u64(ring, at & ~UINT64_C(7));
	uint32_t halves[2];

	memcpy(halves, &word, sizeof(halves));
	return halves[at >> 2 & 1];
}

/* Who comes, as the sample's tracepoint has it: size and data follow the group. */
static int64_t next_of_sample(const struct filter *filter, const struct ring *ring,
			      uint64_t at, uint16_t bytes)
{
	uint64_t members = ring_u64(ring, at + GROUP_IN_SAMPLE);
	uint64_t data = GROUP_IN_SAMPLE + MEMBERS_IN_GROUP +
			members * filter->member_bytes + sizeof(uint32_t);

	if (members > MEMBERS_MAX || data + filter->next_at + 4 > bytes)
		return NO_TID;
	return ring_u32(ring, at + data + filter->next_at);
}

static bool is_switch_kept(int64_t *expected, const struct ring *ring, uint64_t at,
			   const struct perf_event_header *header)
{
	uint64_t who = at + OTHER_IN_SWITCH; /* out: pid and tid of who comes */
	bool is_out = header->misc & PERF_RECORD_MISC_SWITCH_OUT;
	uint32_t comes;

	if (!is_out)
		who += 8; /* its own, in the trailer */
	comes = ring_u32(ring, who + 4);
	if (*expected != (int64_t)comes) {
		*expected = NO_TID;
		return true;
	}
	if (!is_out)
		*expected = NO_TID;
	return false;
}

bool switch_filter_keeps(struct filter *filter, size_t cpu, const struct ring *ring,
			 uint64_t at, const struct perf_event_header *header)
{
	if (!filter->works)
		return true;
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		filter->expected[cpu] = next_of_sample(filter, ring, at, header->size);
		return true;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return is_switch_kept(&filter->expected[cpu], ring, at, header);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		filter->expected[cpu] = NO_TID;
		return true;
	default:
		return true;
	}
}
