/* stream.c - turns what the BPF programs write into records of a perf.data. */
#include "capture/linux/bpf/stream.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/linux/counters/clock.h"
#include "formats/perf/write_parts.h"

#define TICK_NS UINT64_C(1000000000)
#define RING_BYTES_MAX ((size_t)256 << 20)
#define DRAIN_BYTES_MAX ((size_t)16 << 20) /* written at once, at most */

#define HELD_MAX 8 /* records of a CPU that wait for an older one */

struct bpf_seen {
	uint64_t time_ns;
	bool is_idle; /* from then on */
	uint64_t read_ns;
	unsigned long long words[BPF_WORDS_MAX]; /* of its last read */
	struct bpf_record held[HELD_MAX];	 /* by time: see hold() */
	size_t held_count;
};

/* One ring for all CPUs: a power of two of pages. */
static size_t whole_ring(size_t ring_bytes, size_t cpus)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);

	while (bytes / cpus < ring_bytes && bytes < RING_BYTES_MAX)
		bytes *= 2;
	return bytes;
}

enum status bpf_stream_open(struct bpf_stream *s, const struct counters *c,
			    size_t ring_bytes, struct error *error)
{
	size_t cpus = c->request.cpus.count;
	enum status status;

	*s = (struct bpf_stream){ .programs = NULL };
	s->seen = calloc(cpus, sizeof(*s->seen));
	if (!s->seen)
		return error_nomem(error);
	status = bpf_samples_open(&s->samples, c, error);
	if (status != ST_OK)
		return status;
	status = bpf_programs_open(&s->programs, c, whole_ring(ring_bytes, cpus), error);
	if (status == ST_OK)
		s->record_words = bpf_programs_words(s->programs);
	return status;
}

void bpf_stream_close(struct bpf_stream *s)
{
	bpf_programs_close(s->programs);
	bpf_samples_close(&s->samples);
	free(s->seen);
	*s = (struct bpf_stream){ .programs = NULL };
}

/* --- reads --- */

static void read_all(struct bpf_stream *s, enum bpf_read why)
{
	const struct cpu_list *cpus = &s->samples.counters->request.cpus;

	for (size_t i = 0; i < cpus->count; i++)
		(void)bpf_programs_read(s->programs, cpus->cpus[i], why);
}

void bpf_stream_begin(struct bpf_stream *s)
{
	read_all(s, BPF_READ_FIRST);
}

void bpf_stream_end(struct bpf_stream *s)
{
	read_all(s, BPF_READ_LAST);
}

void bpf_stream_tick(struct bpf_stream *s, bool all)
{
	const struct cpu_list *cpus = &s->samples.counters->request.cpus;
	uint64_t now = now_ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < cpus->count; i++)
		if (all || (!s->seen[i].is_idle && s->seen[i].time_ns + TICK_NS <= now))
			(void)bpf_programs_read(s->programs, cpus->cpus[i],
						BPF_READ_TICK);
}

/* --- records --- */

static void count_record(struct bpf_stream *s, const struct bpf_record *record)
{
	struct bpf_stream_stats *stats = &s->stats;
	bool is_switch = record->kind == BPF_RECORD_SWITCH;
	struct bpf_seen *seen = &s->seen[s->samples.place[record->cpu]];

	stats->switches += is_switch;
	stats->reads += record->kind == BPF_RECORD_READ;
	if (record->kind == BPF_RECORD_EDGE) {
		stats->edges++;
		return;
	}
	if (!stats->first_ns || record->time_ns < stats->first_ns)
		stats->first_ns = record->time_ns;
	if (record->time_ns > stats->last_ns)
		stats->last_ns = record->time_ns;
	seen->time_ns = record->time_ns;
	seen->is_idle = (is_switch ? record->next.tid : record->prev.tid) == 0;
}

static void note_read(struct bpf_stream *s, const struct bpf_record *record)
{
	struct bpf_seen *seen = &s->seen[s->samples.place[record->cpu]];

	seen->read_ns = record->time_ns;
	memcpy(seen->words, record->words, s->record_words * sizeof(seen->words[0]));
}

/* What one record costs its CPU: a read after the first one, less the one before. */
static void note_cost(struct bpf_stream *s, const struct bpf_record *record)
{
	struct bpf_seen *seen = &s->seen[s->samples.place[record->cpu]];

	if (seen->read_ns != record->time_ns) /* that one found no room */
		return;
	for (size_t i = 0; i < s->record_words; i++) {
		s->stats.cost[i] = record->words[i] - seen->words[i];
		seen->words[i] = record->words[i];
	}
}

static void put_record(struct bpf_stream *s, const struct bpf_record *record)
{
	if (bpf_samples_has_stopped(&s->samples, record))
		return;
	s->stats.lost += bpf_samples_put(&s->samples, s->to, record);
	count_record(s, record);
}

static void put_oldest(struct bpf_stream *s, struct bpf_seen *seen)
{
	put_record(s, &seen->held[0]);
	seen->held_count--;
	memmove(seen->held, seen->held + 1, seen->held_count * sizeof(seen->held[0]));
}

/*
 * Interrupts are on where a softirq begins and ends: one that comes between the read of
 * the counters there and the sending of the record is sent before it.  Measured: 1 of
 * 137,000 records.
 */
static void hold(struct bpf_stream *s, const struct bpf_record *record)
{
	struct bpf_seen *seen = &s->seen[s->samples.place[record->cpu]];
	size_t at;

	if (seen->held_count == HELD_MAX)
		put_oldest(s, seen);
	at = seen->held_count++;
	for (; at > 0 && seen->held[at - 1].time_ns > record->time_ns; at--)
		seen->held[at] = seen->held[at - 1];
	memcpy(&seen->held[at], record,
	       offsetof(struct bpf_record, words) +
		       s->record_words * sizeof(record->words[0]));
}

static void put_command(struct bpf_stream *s, const struct bpf_command *command)
{
	if (command->own_pid)
		perf_write_command_line(s->to, (uint32_t)command->own_pid,
					command->time_ns,
					(struct str){ command->text, command->bytes });
}

static bool on_record(void *context, const struct bpf_record *record)
{
	struct bpf_stream *s = context;

	if (record->kind == BPF_RECORD_COMMAND) {
		put_command(s, (const void *)record);
		return s->to->size < s->bytes_max;
	}

	if (record->kind == BPF_RECORD_READ)
		note_read(s, record);
	if (record->kind == BPF_RECORD_COST)
		note_cost(s, record);
	else if (s->samples.has_edges)
		hold(s, record);
	else
		put_record(s, record);
	return s->to->size < s->bytes_max;
}

bool bpf_stream_drain(struct bpf_stream *s, struct bytes *to)
{
	s->to = to;
	s->bytes_max = to->size + DRAIN_BYTES_MAX;
	bpf_programs_consume(s->programs, on_record, s);
	for (size_t i = 0; i < s->samples.counters->request.cpus.count; i++)
		while (s->seen[i].held_count)
			put_oldest(s, &s->seen[i]);
	return to->size < s->bytes_max;
}

void bpf_stream_drain_losses(struct bpf_stream *s, struct bytes *to)
{
	const struct cpu_list *cpus = &s->samples.counters->request.cpus;
	uint64_t misses = bpf_programs_misses(s->programs);

	for (size_t i = 0; i < cpus->count; i++) {
		uint64_t lost = bpf_programs_lost(s->programs, cpus->cpus[i]);

		/* Which CPU they were on is not known. */
		if (i == 0)
			lost += misses;
		s->stats.lost += bpf_samples_lost(&s->samples, to, cpus->cpus[i],
						  s->stats.last_ns, lost);
	}
}

uint64_t bpf_stream_stop(struct bpf_stream *s, size_t place)
{
	bpf_samples_stop(&s->samples, place);
	return s->seen[place].time_ns;
}

int bpf_stream_fd(const struct bpf_stream *s)
{
	return s->programs ? bpf_programs_fd(s->programs) : -1;
}
