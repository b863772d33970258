/* series_spool.c - stores books of intervals in a file without a name; see the header. */
#include "report/series_spool.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/temporary.h"
#include "base/wrap.h"
#include "model/row_sums.h"

/*
 * A segment has the books of an interval that were in memory at one time: the newest
 * first, as they are listed.  They are read by this process only, so structs are stored
 * as they are.
 */
struct segment_head {
	uint64_t before; /* where the segment before this one is; 0: there is none */
	uint64_t bytes;	 /* of the entries after it */
};

enum entry_kind { ENTRY_THREAD, ENTRY_CPU, ENTRY_STATUS, ENTRY_SAMPLES };

/* Comes after each entry: they are read from the end. */
struct entry_tail {
	uint64_t kind;
	uint64_t bytes; /* of the entry before it */
};

struct series_spool {
	int fd;
	uint64_t end;	      /* of the file; the first segment is not at 0 */
	struct bytes segment; /* that is made or read */
	struct series loaded; /* the interval that was read, as number 0 */
};

/* --- writing --- */

static void put_entry(struct bytes *to, enum entry_kind kind, const void *entry,
		      size_t bytes)
{
	const struct entry_tail tail = { kind, bytes };

	bytes_put(to, entry, bytes);
	bytes_put(to, &tail, sizeof(tail));
}

/* Sums follow their struct, in one piece of memory. */
static void put_interval(struct bytes *to, const struct series_interval *interval)
{
	for (const struct series_thread *t = interval->threads; t; t = t->next)
		put_entry(to, ENTRY_THREAD, t,
			  sizeof(*t) + 4 * t->slots * sizeof(int64_t));
	for (const struct series_cpu *c = interval->cpus; c; c = c->next)
		put_entry(to, ENTRY_CPU, c,
			  sizeof(*c) + c->slots * sizeof(*c->cpu.charges));
	for (const struct series_status *s = interval->statuses; s; s = s->next)
		put_entry(to, ENTRY_STATUS, s, sizeof(*s) + s->slots * sizeof(int64_t));
	for (const struct series_samples *s = interval->samples; s; s = s->next)
		put_entry(to, ENTRY_SAMPLES, s, sizeof(*s));
	for (const struct series_samples *s = interval->on_cpu; s; s = s->next)
		put_entry(to, ENTRY_SAMPLES, s, sizeof(*s));
}

static bool write_interval(struct series_spool *spool, struct series_interval *interval)
{
	struct bytes *segment = &spool->segment;
	struct segment_head head = { .before = interval->segment };
	uint64_t at = spool->end;

	segment->size = 0;
	bytes_zero(segment, sizeof(head));
	put_interval(segment, interval);
	if (segment->failed)
		return false;
	head.bytes = segment->size - sizeof(head);
	*interval = (struct series_interval){ .segment = interval->segment };
	if (head.bytes == 0)
		return true;
	memcpy(segment->data, &head, sizeof(head));
	interval->segment = at;
	spool->end += segment->size;
	return os_write_all_at(spool->fd, segment->data, segment->size, at);
}

static struct series_spool *open_spool(const struct series *series)
{
	struct series_spool *spool = memory_alloc_zeroed(1, sizeof(*spool));

	if (!spool)
		return NULL;
	spool->end = sizeof(struct segment_head);
	spool->fd = temporary_open();
	spool->loaded.by = series->by;
	spool->loaded.intervals = memory_alloc_zeroed(1, sizeof(struct series_interval));
	spool->loaded.room = 1;
	if (spool->fd >= 0 && spool->loaded.intervals)
		return spool;
	if (spool->fd >= 0)
		(void)os_close(spool->fd);
	free(spool->loaded.intervals);
	free(spool);
	return NULL;
}

bool series_spool(struct series *series)
{
	bool done = true;

	if (!series->spool && !series->has_no_spool) {
		series->spool = open_spool(series);
		series->has_no_spool = !series->spool;
	}
	if (!series->spool)
		return !memory_failed();
	for (size_t i = series->first_used; i <= series->last_used && done; i++)
		done = write_interval(series->spool, &series->intervals[i]);
	series->spooled_bytes += series->bytes;
	series_clear(series);
	return done;
}

/* --- reading --- */

static bool add_thread(struct series *to, const struct series_thread *from)
{
	const struct thread_summary_row *more = &from->book.summary;
	const struct context_switch_row of = { .group_id = more->group_id,
					       .prev_thread_id = from->thread_id };
	int64_t cgroup_id = from->book.cgroup_id;
	struct series_thread *at = series_thread_at(to, 0, &of, cgroup_id, from->slots);
	struct thread_summary_row *sum = at ? &at->book.summary : NULL;

	if (!at)
		return false;
	sum->switches = wrap_add(sum->switches, more->switches);
	sum->on_cpu_ns = wrap_add(sum->on_cpu_ns, more->on_cpu_ns);
	sum->with_idle_switches =
		wrap_add(sum->with_idle_switches, more->with_idle_switches);
	sum->timeless_switches =
		wrap_add(sum->timeless_switches, more->timeless_switches);
	sum->unproven_switches =
		wrap_add(sum->unproven_switches, more->unproven_switches);
	sum->unproven_ns = wrap_add(sum->unproven_ns, more->unproven_ns);
	row_add_known(&sum->running_ns, more->running_ns);
	sum->reads = wrap_add(sum->reads, more->reads);
	sum->interrupts_ns = wrap_add(sum->interrupts_ns, more->interrupts_ns);
	row_add_all(at->book.charged, (const int64_t *)(from + 1), 4 * from->slots);
	if (cgroup_id)
		at->of = series_thread_at(to, 0, &of, 0, from->slots);
	return !cgroup_id || at->of;
}

static bool add_cpu(struct series *to, const struct series_cpu *from)
{
	const struct cpu_charge_row *more = (const struct cpu_charge_row *)(from + 1);
	const struct context_switch_row of = { .group_id = from->group_id,
					       .cpu = from->cpu.summary.cpu };
	struct series_cpu *at = series_cpu_at(to, 0, &of, from->slots);
	struct cpu_summary_row *sum = at ? &at->cpu.summary : NULL;

	if (!at)
		return false;
	sum->switches = wrap_add(sum->switches, from->cpu.summary.switches);
	sum->reads = wrap_add(sum->reads, from->cpu.summary.reads);
	sum->on_cpu_ns = wrap_add(sum->on_cpu_ns, from->cpu.summary.on_cpu_ns);
	row_add_known(&sum->running_ns, from->cpu.summary.running_ns);
	for (size_t i = 0; i < from->slots; i++) {
		struct cpu_charge_row *charge = &at->cpu.charges[i];

		charge->charged = wrap_add(charge->charged, more[i].charged);
		charge->interrupts = wrap_add(charge->interrupts, more[i].interrupts);
		charge->with_idle = wrap_add(charge->with_idle, more[i].with_idle);
	}
	return true;
}

static bool add_status(struct series *to, const struct series_status *from)
{
	const struct context_switch_row of = { .group_id = from->summary.group_id,
					       .status = from->summary.status };
	struct series_status *at = series_status_at(to, 0, &of, from->slots);

	if (!at)
		return false;
	at->summary.switches = wrap_add(at->summary.switches, from->summary.switches);
	at->summary.reads = wrap_add(at->summary.reads, from->summary.reads);
	at->summary.on_cpu_ns = wrap_add(at->summary.on_cpu_ns, from->summary.on_cpu_ns);
	row_add_all(at->values, (const int64_t *)(from + 1), from->slots);
	return true;
}

static bool add_entry(struct series *to, uint64_t kind, const void *entry)
{
	struct series_samples samples;

	switch (kind) {
	case ENTRY_THREAD:
		return add_thread(to, entry);
	case ENTRY_CPU:
		return add_cpu(to, entry);
	case ENTRY_STATUS:
		return add_status(to, entry);
	default:
		samples = *(const struct series_samples *)entry;
		samples.number = 0;
		return series_add_samples(to, &samples);
	}
}

/* The entries of the segment at hand, the oldest first. */
static bool add_segment(struct series_spool *spool)
{
	const uint8_t *first = spool->segment.data;
	const uint8_t *at = first + spool->segment.size;
	bool done = true;

	while (at > first && done) {
		const struct entry_tail *tail;

		at -= sizeof(*tail);
		tail = (const struct entry_tail *)(const void *)at;
		at -= tail->bytes;
		done = add_entry(&spool->loaded, tail->kind, at);
	}
	return done;
}

/* The segments of an interval from the first one to that at `offset`. */
static bool add_segments(struct series_spool *spool, uint64_t offset)
{
	struct segment_head head;
	uint64_t *offsets = NULL;
	size_t count = 0, room = 0;
	bool done = true;

	while (offset && done) {
		done = ARRAY_GROW(offsets, room, count) &&
		       os_read_all_at(spool->fd, &head, sizeof(head), offset);
		if (done)
			offsets[count++] = offset;
		offset = head.before;
	}
	while (count-- && done) {
		done = os_read_all_at(spool->fd, &head, sizeof(head), offsets[count]);
		spool->segment.size = 0;
		if (done && bytes_extend(&spool->segment, head.bytes))
			done = os_read_all_at(spool->fd, spool->segment.data, head.bytes,
					      offsets[count] + sizeof(head)) &&
			       add_segment(spool);
		else
			done = false;
	}
	free(offsets);
	return done;
}

const struct series_interval *series_spool_read(struct series *series, size_t number)
{
	struct series_spool *spool = series->spool;

	if (series->bytes && !series_spool(series))
		return NULL;
	series_clear(&spool->loaded);
	spool->loaded.intervals[0] = (struct series_interval){ .segment = 0 };
	return add_segments(spool, series->intervals[number].segment)
		       ? &spool->loaded.intervals[0]
		       : NULL;
}

void series_spool_close(struct series *series)
{
	struct series_spool *spool = series->spool;

	if (!spool)
		return;
	(void)os_close(spool->fd);
	bytes_release(&spool->segment);
	series_clear(&spool->loaded);
	free(spool->loaded.intervals);
	free(spool);
	series->spool = NULL;
}
