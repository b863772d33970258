/* group_reads.c - see group_reads.h.  Layouts: perf_event_open(2), "MMAP layout". */
#include "capture/linux/recorder/group_reads.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "capture/linux/counters/clock.h"
#include "formats/perf/write_parts.h"

#define TICK_NS UINT64_C(1000000000)
#define NEAR_NS UINT64_C(1000000) /* a switch that close may be on either side */
#define TASK_READS_MAX 4096	  /* between beginning and end */
#define TASK_TICKS_MAX 256	  /* of a CPU: more are not read at one moment */
#define NO_TID UINT32_MAX
#define ZERO_TRIES 5
#define ZERO_NS 10000

/* Places in a record: header, IDENTIFIER, IP of some, TID, TIME. */
#define TID_IN_WITNESS 24
#define TIME_IN_WITNESS 32
#define TIME_IN_SAMPLE 24
#define TIME_IN_SWITCH 24  /* header, the other thread, TID */
#define THREAD_IN_READ 8   /* and again in the trailer */
#define ENABLED_IN_READ 24 /* and running; then value, id and perhaps lost of each */
#define LEADER_IN_READ 48  /* the first id */
#define TIME_IN_FORK 24
#define TIME_BEFORE_END 24

struct known {
	uint64_t switch_ns;  /* the last switch */
	uint64_t witness_ns; /* when the witness was last there, */
	uint32_t pid, tid;   /* and the thread it saw */
};

struct cpu_seen {
	struct known known;
	uint64_t read_ns;    /* of pending records, 0: none */
	uint64_t after_ns;   /* the first switch after them, 0: none yet */
	struct known later;  /* from that one on */
	uint64_t last_ns;    /* of the last read */
	uint64_t enabled;    /* of the first group, then */
	size_t from, to;     /* of the pending records, in `pending` */
	uint64_t kept_ns;    /* of tasks: of the last read that was put, */
	uint64_t missing_ns; /* or how long ago that was at one that was not */
	pid_t missing_tid;   /* and of which task */
};

static size_t tasks_of_cpu(const struct counters *c)
{
	return c->request.tids ? c->request.tid_count : 1;
}

/* On how many CPUs each group of a task is counted, all groups together. */
static size_t open_groups(const struct counters *c)
{
	size_t tasks = tasks_of_cpu(c), count = 0;

	for (size_t cpu = 0; cpu < c->request.cpus.count; cpu++)
		for (size_t g = 0; g < c->group_count; g++) {
			const int *fds = c->events[c->groups[g].first].fds + cpu * tasks;
			size_t t = 0;

			while (t < tasks && fds[t] < 0)
				t++;
			count += t < tasks;
		}
	return count;
}

bool group_reads_open(struct group_reads *r, const struct counters *c, pid_t pid)
{
	size_t widest = 0;

	*r = (struct group_reads){ .pid = pid };
	if (!c->supports.clockid) /* times could not be compared with those of samples */
		return true;
	for (size_t g = 0; g < c->group_count; g++)
		if (c->groups[g].count > widest)
			widest = c->groups[g].count;
	r->values_bytes = (3 + 3 * widest) * sizeof(*r->values);
	r->values = calloc(1, r->values_bytes);
	r->seen = calloc(c->request.cpus.count, sizeof(*r->seen));
	r->running = calloc(c->instances * c->group_count, sizeof(*r->running));
	r->ended_words = 2 + widest;
	r->ended =
		calloc(c->instances * c->group_count, r->ended_words * sizeof(*r->ended));
	r->counters = c;
	r->reads_of_child = open_groups(c);
	return r->values && r->seen && r->running && r->ended;
}

void group_reads_close(struct group_reads *r)
{
	free(r->values);
	free(r->seen);
	free(r->running);
	free(r->ended);
	bytes_release(&r->pending);
	*r = (struct group_reads){ .counters = NULL };
}

/* --- records --- */

/* nr, enabled, running, then value, id and perhaps lost of each member. */
static size_t values_of(const struct counters *c, const struct counted_group *group)
{
	return 3 + group->count * (c->supports.lost ? 3u : 2u);
}

static void put_read(const struct counters *c, struct bytes *to,
		     const struct counted_group *group, size_t instance,
		     const uint64_t *values, uint64_t time_ns)
{
	size_t start = perf_begin_record(to, PERF_RECORD_READ);

	for (int i = 0; i < 2; i++)
		bytes_u32(to, NO_TID);
	bytes_put(to, values, values_of(c, group) * sizeof(*values));
	for (int i = 0; i < 2; i++)
		bytes_u32(to, NO_TID);
	bytes_u64(to, time_ns);
	bytes_u32(to, (uint32_t)counters_cpu(c, instance));
	bytes_u32(to, 0);
	bytes_u64(to, c->events[group->first].ids[instance]);
	(void)perf_end_record(to, start);
}

/* Writes who it was into the records of [from, to). */
static void name_thread(struct bytes *records, size_t from, size_t to, uint32_t pid,
			uint32_t tid)
{
	const uint32_t thread[] = { pid, tid };

	while (from < to && !records->failed) {
		uint8_t *record = records->data + from;
		uint16_t size;

		memcpy(&size, record + 6, sizeof(size));
		memcpy(record + THREAD_IN_READ, thread, sizeof(thread));
		memcpy(record + size - 32, thread, sizeof(thread));
		from += size;
	}
}

/* --- reading --- */

static bool read_group(const struct group_reads *r, const struct counted_group *group,
		       size_t instance)
{
	int fd = r->counters->events[group->first].fds[instance];
	size_t bytes = values_of(r->counters, group) * sizeof(*r->values);

	return fd >= 0 && read(fd, r->values, r->values_bytes) == (ssize_t)bytes;
}

static size_t place_of(const struct counters *c, size_t group, size_t instance)
{
	return instance * c->group_count + group;
}

/* A task counts on one CPU at a time: elsewhere there is nothing new. */
static bool is_news(struct group_reads *r, size_t group, size_t instance)
{
	uint64_t *last = &r->running[place_of(r->counters, group, instance)];
	bool is_news = r->values[2] != *last;

	*last = r->values[2];
	return is_news || !r->counters->request.tids;
}

/* The time enabled is constant: the CPU went offline, and counts no more. */
static bool has_stopped(struct group_reads *r, struct cpu_seen *seen, size_t group)
{
	uint64_t before = seen->enabled;

	if (r->counters->request.tids || r->counters->request.follows_cgroup || group)
		return false;
	seen->enabled = r->values[1];
	return before && before == seen->enabled;
}

static void make_reads(struct group_reads *r, size_t cpu, uint64_t time_ns)
{
	const struct counters *c = r->counters;
	struct cpu_seen *seen = &r->seen[cpu];
	size_t tasks = tasks_of_cpu(c);

	seen->from = r->pending.size;
	for (size_t i = cpu * tasks; i < (cpu + 1) * tasks; i++)
		for (size_t g = 0; g < c->group_count; g++) {
			size_t start = r->pending.size;

			if (!read_group(r, &c->groups[g], i) ||
			    (!is_news(r, g, i) && !(r->is_over && cpu == 0)))
				continue;
			if (has_stopped(r, seen, g))
				break;
			put_read(c, &r->pending, &c->groups[g], i, r->values, time_ns);
			if (c->request.tids)
				name_thread(&r->pending, start, r->pending.size,
					    (uint32_t)r->pid,
					    (uint32_t)counters_tid(c, i));
		}
	seen->to = r->pending.size;
	seen->read_ns = seen->last_ns = time_ns;
	seen->after_ns = 0;
}

/*
 * When the group of a CPU began to count, by its own time enabled: the clock before and
 * after the system call is not near enough on a busy machine, and switches in between are
 * not counted.  The end of a narrow window, or its beginning; 0: it cannot be read.
 */
static uint64_t moment_of_zero(const struct group_reads *r, size_t cpu, bool at_end)
{
	uint64_t narrowest = UINT64_MAX, moment = 0;

	for (int i = 0; i < ZERO_TRIES && narrowest > ZERO_NS; i++) {
		uint64_t before = now_ns(CLOCK_MONOTONIC), after;

		if (!read_group(r, &r->counters->groups[0], cpu))
			return 0;
		after = now_ns(CLOCK_MONOTONIC);
		if (after - before >= narrowest)
			continue;
		narrowest = after - before;
		moment = (at_end ? after : before) - r->values[1];
	}
	return moment;
}

static bool is_due(const struct cpu_seen *seen, uint64_t now)
{
	uint64_t last = seen->known.switch_ns > seen->last_ns ? seen->known.switch_ns
							      : seen->last_ns;

	return last + TICK_NS <= now;
}

void group_reads_make(struct group_reads *r, bool all)
{
	const struct counters *c = r->counters;
	uint64_t now = now_ns(CLOCK_MONOTONIC);

	if (!c || (c->request.tids && (c->instances > TASK_READS_MAX ||
				       (!all && tasks_of_cpu(c) > TASK_TICKS_MAX))))
		return;
	for (size_t i = 0; i < c->request.cpus.count; i++)
		if (all || is_due(&r->seen[i], now))
			make_reads(r, i, now_ns(CLOCK_MONOTONIC));
}

/* --- arming --- */

static void order(const struct counters *c, size_t cpu, unsigned long request)
{
	size_t tasks = tasks_of_cpu(c);

	for (size_t g = 0; g < c->group_count; g++)
		for (size_t i = cpu * tasks; i < (cpu + 1) * tasks; i++) {
			int fd = c->events[c->groups[g].first].fds[i];

			if (fd >= 0)
				(void)ioctl(fd, request, 0);
		}
}

/* Nothing was counted yet. */
static void put_zeros(const struct group_reads *r, struct bytes *to, size_t instance,
		      uint64_t time_ns)
{
	const struct counters *c = r->counters;
	size_t each = c->supports.lost ? 3 : 2;

	for (size_t g = 0; g < c->group_count; g++) {
		const struct counted_group *group = &c->groups[g];
		size_t start = to->size;

		if (c->events[group->first].fds[instance] < 0)
			continue;
		memset(r->values, 0, r->values_bytes);
		r->values[0] = group->count;
		for (size_t i = 0; i < group->count; i++)
			r->values[3 + i * each + 1] =
				c->events[group->first + i].ids[instance];
		put_read(c, to, group, instance, r->values, time_ns);
		if (c->request.tids)
			name_thread(to, start, to->size, (uint32_t)r->pid,
				    (uint32_t)counters_tid(c, instance));
	}
}

void group_reads_arm(struct group_reads *r, struct bytes *to)
{
	const struct counters *c = r->counters;
	size_t tasks = tasks_of_cpu(c);

	for (size_t i = 0; i < c->request.cpus.count; i++) {
		uint64_t before = now_ns(CLOCK_MONOTONIC), zero = 0;

		order(c, i, PERF_EVENT_IOC_ENABLE);
		if (!c->request.tids)
			zero = moment_of_zero(r, i, false);
		r->seen[i].last_ns = zero > before ? zero : before;
		r->seen[i].kept_ns = r->seen[i].last_ns;
		for (size_t t = i * tasks; t < (i + 1) * tasks; t++)
			put_zeros(r, to, t, r->seen[i].last_ns);
	}
}

void group_reads_disarm(struct group_reads *r)
{
	const struct counters *c = r->counters;

	r->is_over = true;
	for (size_t i = 0; i < c->request.cpus.count; i++) {
		uint64_t zero = c->request.tids ? 0 : moment_of_zero(r, i, true);

		order(c, i, PERF_EVENT_IOC_DISABLE);
		if (zero && read_group(r, &c->groups[0], i))
			make_reads(r, i, zero + r->values[1]);
		else
			make_reads(r, i, now_ns(CLOCK_MONOTONIC));
	}
}

uint64_t group_reads_last_ns(const struct group_reads *r, size_t place)
{
	const struct cpu_seen *seen = &r->seen[place];

	return seen->known.switch_ns > seen->last_ns ? seen->known.switch_ns
						     : seen->last_ns;
}

/* --- who --- */

bool group_reads_is_switch(const struct group_reads *r, size_t cpu,
			   const struct ring *ring, uint64_t at)
{
	const struct counters *c = r->counters;
	uint64_t id = ring_u64(ring, at + 8);

	if (!c || c->request.tids)
		return true;
	for (size_t g = 0; g < c->group_count; g++)
		if (c->events[c->groups[g].first].ids[cpu] == id)
			return true;
	return false;
}

/* What is learned of a switch after pending reads says nothing of them. */
static void note_switch(struct cpu_seen *seen, uint64_t time_ns)
{
	if (seen->read_ns && time_ns > seen->read_ns && !seen->after_ns) {
		seen->after_ns = time_ns;
		seen->later = (struct known){ .tid = NO_TID };
	}
	(seen->after_ns ? &seen->later : &seen->known)->switch_ns = time_ns;
}

static void note_witness(struct cpu_seen *seen, const struct ring *ring, uint64_t at)
{
	struct known *known = seen->after_ns ? &seen->later : &seen->known;
	uint64_t thread = ring_u64(ring, at + TID_IN_WITNESS);

	memcpy(&known->pid, &thread, sizeof(known->pid));
	memcpy(&known->tid, (const uint8_t *)&thread + 4, sizeof(known->tid));
	known->witness_ns = ring_u64(ring, at + TIME_IN_WITNESS);
}

/* --- children --- */

static void note_task(struct group_reads *r, uint64_t time_ns)
{
	if (time_ns > r->task_ns)
		r->task_ns = time_ns;
}

/* The group and instance of a leader's id; NULL: of none of that CPU. */
static const struct counted_group *find_leader(const struct counters *c, size_t cpu,
					       uint64_t id, size_t *place)
{
	size_t tasks = tasks_of_cpu(c);

	for (size_t i = cpu * tasks; i < (cpu + 1) * tasks; i++)
		for (size_t g = 0; g < c->group_count; g++)
			if (c->events[c->groups[g].first].ids[i] == id) {
				*place = place_of(c, g, i);
				return &c->groups[g];
			}
	return NULL;
}

/* Where in a record are the times, and what each member of the group counted. */
static size_t count_at(const struct counters *c, size_t word)
{
	return ENABLED_IN_READ +
	       8 * (word < 2 ? word : 2 + (word - 2) * (c->supports.lost ? 3 : 2));
}

/* What a child counted, which reads of its task have as well. */
static void on_exit_read(struct group_reads *r, size_t cpu, const struct ring *ring,
			 uint64_t at, size_t size)
{
	size_t place;
	const struct counted_group *group = find_leader(
		r->counters, cpu, ring_u64(ring, at + LEADER_IN_READ), &place);

	if (!group || size < count_at(r->counters, 2 + group->count))
		return;
	for (size_t i = 0; i < 2 + group->count; i++)
		r->ended[place * r->ended_words + i] +=
			ring_u64(ring, at + count_at(r->counters, i));
	r->exit_reads++;
	note_task(r, ring_u64(ring, at + size - TIME_BEFORE_END));
}

/*
 * All children that there are have ended, and did so before that.  At the end nothing is
 * counted any more, so one may end just after.
 */
static bool has_no_child(const struct group_reads *r, uint64_t time_ns)
{
	return r->forks == 0 || !r->counters->supports.inherit ||
	       (r->exit_reads == r->forks * r->reads_of_child &&
		(r->is_over || r->task_ns + NEAR_NS < time_ns));
}

static void subtract_children(struct group_reads *r, size_t cpu)
{
	const struct cpu_seen *seen = &r->seen[cpu];
	uint16_t size;

	for (size_t at = seen->from; at < seen->to && !r->pending.failed; at += size) {
		uint8_t *record = r->pending.data + at;
		const struct counted_group *group;
		uint64_t value;
		size_t place;

		memcpy(&size, record + 6, sizeof(size));
		memcpy(&value, record + LEADER_IN_READ, sizeof(value));
		group = find_leader(r->counters, cpu, value, &place);
		for (size_t i = 0; group && i < 2 + group->count; i++) {
			uint8_t *to = record + count_at(r->counters, i);

			memcpy(&value, to, sizeof(value));
			value -= r->ended[place * r->ended_words + i];
			memcpy(to, &value, sizeof(value));
		}
	}
}

bool group_reads_on_record(struct group_reads *r, size_t cpu, const struct ring *ring,
			   uint64_t at, const struct perf_event_header *header)
{
	const struct counters *c = r->counters;

	if (!c)
		return true;
	if (header->type == PERF_RECORD_FORK) {
		r->forks++;
		note_task(r, ring_u64(ring, at + TIME_IN_FORK));
	} else if (header->type == PERF_RECORD_READ && c->request.tids) {
		on_exit_read(r, cpu, ring, at, header->size);
	} else if (header->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		note_switch(&r->seen[cpu], ring_u64(ring, at + TIME_IN_SWITCH));
	}
	if (header->type != PERF_RECORD_SAMPLE)
		return true;
	if (!c->request.tids && ring_u64(ring, at + 8) == counters_tracker(c)->ids[cpu]) {
		note_witness(&r->seen[cpu], ring, at);
		return false;
	}
	if (group_reads_is_switch(r, cpu, ring, at))
		note_switch(&r->seen[cpu],
			    ring_u64(ring, at + TIME_IN_SAMPLE +
						   (c->tracepoint_leads ? 0 : 8)));
	return true;
}

/* No switch came too near after the pending records of a CPU. */
static bool is_before_switch(const struct cpu_seen *seen)
{
	return !seen->after_ns || seen->after_ns > seen->read_ns + NEAR_NS;
}

/*
 * A CPU's pending records are good where no switch came too near, and it is known who
 * kept it: by the witness, or by the last switch.
 */
static bool is_proven(const struct cpu_seen *seen)
{
	const struct known *known = &seen->known;

	return (known->switch_ns || known->witness_ns) &&
	       known->switch_ns + NEAR_NS < seen->read_ns && is_before_switch(seen);
}

/* Those of tasks: whose they are is known, if it is theirs alone. */
static bool settle_tasks(struct group_reads *r, size_t cpu)
{
	struct cpu_seen *seen = &r->seen[cpu];
	uint64_t last = seen->kept_ns > seen->known.switch_ns ? seen->kept_ns
							      : seen->known.switch_ns;
	uint32_t tid;

	if (is_before_switch(seen) && has_no_child(r, seen->read_ns)) {
		subtract_children(r, cpu);
		seen->kept_ns = seen->read_ns;
		seen->missing_ns = 0;
		return true;
	}
	if (seen->from < seen->to && !r->pending.failed) {
		memcpy(&tid, r->pending.data + seen->from + THREAD_IN_READ + 4,
		       sizeof(tid));
		seen->missing_tid = (pid_t)tid;
		seen->missing_ns = seen->read_ns - last;
	}
	return false;
}

pid_t group_reads_missing(const struct group_reads *r, uint64_t *length_ns)
{
	pid_t tid = 0;

	*length_ns = 0;
	for (size_t i = 0; r->counters && i < r->counters->request.cpus.count; i++)
		if (r->seen[i].missing_ns > *length_ns) {
			*length_ns = r->seen[i].missing_ns;
			tid = r->seen[i].missing_tid;
		}
	return tid;
}

void group_reads_put(struct group_reads *r, struct bytes *to)
{
	const struct counters *c = r->counters;

	for (size_t i = 0; c && r->pending.size && i < c->request.cpus.count; i++) {
		struct cpu_seen *seen = &r->seen[i];
		bool is_task = c->request.tids != NULL;

		if (!seen->read_ns)
			continue;
		if (!is_task && seen->known.witness_ns > seen->known.switch_ns)
			name_thread(&r->pending, seen->from, seen->to, seen->known.pid,
				    seen->known.tid);
		if (is_task ? settle_tasks(r, i) : is_proven(seen))
			bytes_put(to, r->pending.data + seen->from,
				  seen->to - seen->from);
		if (seen->after_ns)
			seen->known = seen->later;
		seen->read_ns = seen->after_ns = 0;
	}
	to->failed |= r->pending.failed;
	r->pending.size = 0;
}
