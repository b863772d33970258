/* recorder.c - runs and ends a recording, round by round. */
#include "capture/linux/recorder/recorder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/os.h"
#include "base/text.h"
#include "capture/linux/audit/audit.h"
#include "capture/linux/audit/facts.h"
#include "capture/linux/counters/clock.h"
#include "capture/linux/counters/machine.h"
#include "capture/linux/recorder/tasks.h"
#include "formats/perf/write_pieces.h"

#define TIME_BEFORE_END 24 /* of a record with a trailer: time, CPU, id */
#define TIME_IN_SAMPLE 24  /* after header, IDENTIFIER, IP of some, and TID */

/* --- beginning --- */

/* Each is read as it is armed: no moment of a CPU is missing from then on. */
static enum status arm_groups(struct recorder *r, struct perf_writer *writer)
{
	if (r->uses_bpf || !r->reads.counters) {
		counters_arm_groups(&r->counters);
		if (r->uses_bpf)
			bpf_stream_begin(&r->stream);
		return ST_OK;
	}
	r->kept.size = 0;
	group_reads_arm(&r->reads, &r->kept);
	return r->kept.size || r->kept.failed ? perf_writer_add(writer, &r->kept) : ST_OK;
}

static enum status write_facts(struct perf_writer *writer, const struct bytes *lines)
{
	struct bytes records = { .failed = lines->failed };
	enum status status;

	facts_write(&records, lines);
	status = records.size || records.failed ? perf_writer_add(writer, &records)
						: ST_OK;
	bytes_release(&records);
	return status;
}

/* Known work through the same groups, while nothing is armed yet. */
static enum status audit_counters(struct recorder *r, struct perf_writer *writer)
{
	struct bytes lines = { .data = NULL };
	struct audit audit;
	enum status status;

	if (!r->options.audit)
		return ST_OK;
	status = audit_run(&audit, &r->counters) ? ST_OK : error_nomem(r->error);
	if (status == ST_OK) {
		audit_warn(&audit, &r->counters, r->options.warn, r->options.context);
		audit_write(&lines, &audit, &r->counters);
		status = write_facts(writer, &lines);
	}
	audit_release(&audit);
	bytes_release(&lines);
	books_begin(&r->books, "/proc",
		    r->whole_cpus && !r->options.cpus.count && !r->cgroup_path,
		    (pid_t)r->options.pid);
	return status;
}

/* The time of day at the end; that at the beginning is in the header. */
static void write_clock(struct bytes *lines, const struct recorder *r)
{
	struct fact fact = fact_of("clock");
	uint64_t wall = 0, clock = 0;

	if (!r->facts.written.has_clock)
		return;
	machine_read_clocks(&wall, &clock);
	fact.least = (int64_t)wall;
	fact.most = (int64_t)clock;
	fact_write(lines, &fact);
}

/* CPUs that went offline, by place, while the others still count. */
static void note_gone(struct recorder *r)
{
	for (size_t i = 0; i < r->cpus.count && !r->counters.request.tids; i++)
		if (counters_are_gone(&r->counters, i))
			bytes_put(&r->gone, &i, sizeof(i));
}

/* After the last round: their books end with their last record. */
static void write_gone(struct recorder *r, struct bytes *lines)
{
	struct fact fact = fact_of("offline");
	uint64_t last_ns;
	size_t place;

	for (size_t at = 0; !r->gone.failed && at < r->gone.size; at += sizeof(place)) {
		memcpy(&place, r->gone.data + at, sizeof(place));
		last_ns = r->uses_bpf	      ? bpf_stream_stop(&r->stream, place)
			  : r->reads.counters ? group_reads_last_ns(&r->reads, place)
					      : 0;
		fact.cpu = r->cpus.cpus[place];
		fact.found = last_ns ? (int64_t)last_ns : FACT_NONE;
		fact_write(lines, &fact);
	}
	lines->failed |= r->gone.failed;
}

static enum status write_books(struct recorder *r, struct perf_writer *writer)
{
	struct bytes lines = { .data = NULL };
	enum status status;

	write_gone(r, &lines);
	books_write(&lines, &r->books);
	write_clock(&lines, r);
	status = write_facts(writer, &lines);
	bytes_release(&lines);
	return status;
}

/* Those there are, and the one that is followed. */
static void write_cgroups(const struct recorder *r, struct bytes *to)
{
	char mount[CGROUP_PATH_BYTES];

	if (r->cgroup_path)
		perf_write_followed_cgroup(to, str_of(r->cgroup_path));
	if (r->counters.supports.cgroups &&
	    control_groups_find_mount("/proc/self/mounts", mount, sizeof(mount)))
		control_groups_write(to, mount, &r->counters);
}

/* Of all threads of this process. */
static double used_cpu_seconds(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

void recorder_stop_clock(struct recorder *r)
{
	if (r->began <= 0 || r->seconds > 0)
		return;
	r->seconds = os_seconds() - r->began;
	r->cpu_seconds = used_cpu_seconds() - r->began_cpu_s;
}

enum status recorder_begin(struct recorder *r, struct perf_writer *writer)
{
	struct bytes tasks = { .data = NULL };
	enum status status;

	status = trace_facts_read(&r->facts, &r->counters, r->options.words, r->error);
	r->facts.written.compression_level = writer->compressor ? 1 : 0;
	if (status == ST_OK)
		status = perf_writer_begin(writer, &r->facts.written);
	if (status == ST_OK)
		status = audit_counters(r, writer);
	if (status != ST_OK)
		return status;
	/* The kernel reports new tasks from here on; existing ones come from /proc. */
	counters_arm_tracker(&r->counters);
	commands_begin(&r->commands);
	write_cgroups(r, &tasks);
	kernel_map_write(&tasks, "/proc/kallsyms", &r->counters);
	tasks_write(&tasks, "/proc", &r->counters,
		    (pid_t)(r->options.pid  ? r->options.pid
			    : r->whole_cpus ? 0
					    : r->workload.pid),
		    now_ns(CLOCK_BOOTTIME));
	status = perf_writer_add(writer, &tasks);
	bytes_release(&tasks);
	if (status != ST_OK)
		return status;
	books_read(&r->books, BOOK_BEFORE_ARMING);
	status = arm_groups(r, writer);
	books_read(&r->books, BOOK_ARMED);
	if (status != ST_OK)
		return status;
	r->began = os_seconds();
	r->began_cpu_s = used_cpu_seconds();
	return r->workload.pid
		       ? workload_run(&r->workload, r->options.command[0], r->error)
		       : ST_OK;
}

/* --- rounds --- */

static void count_sample(struct recorder *r, const struct ring *ring, uint64_t at)
{
	uint64_t ip_bytes = r->counters.tracepoint_leads ? 0 : 8;
	uint64_t ts_ns = ring_u64(ring, at + TIME_IN_SAMPLE + ip_bytes);
	struct recorder_stats *stats = &r->stats;

	stats->samples++;
	if (!stats->first_ns || ts_ns < stats->first_ns)
		stats->first_ns = ts_ns;
	if (ts_ns > stats->last_ns)
		stats->last_ns = ts_ns;
}

/* The owner of pid and tid began another program. */
static void note_exec(struct recorder *r, const struct ring *ring, uint64_t at,
		      const struct perf_event_header *header)
{
	uint64_t ids = ring_u64(ring, at + sizeof(*header));

	if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
		commands_note(&r->commands, (pid_t)(uint32_t)ids,
			      ring_u64(ring, at + header->size - TIME_BEFORE_END));
}

static void count_record(struct recorder *r, const struct ring *ring, uint64_t at,
			 const struct perf_event_header *header)
{
	r->stats.records++;
	if (header->type == PERF_RECORD_SAMPLE)
		count_sample(r, ring, at);
	else if (header->type == PERF_RECORD_COMM && !r->commands.works)
		note_exec(r, ring, at, header);
	else if (header->type == PERF_RECORD_LOST)
		r->stats.lost += ring_u64(ring, at + 16);
	else if (header->type == PERF_RECORD_LOST_SAMPLES)
		r->stats.lost += ring_u64(ring, at + 8);
}

static bool keeps_record(struct recorder *r, size_t cpu, uint64_t at,
			 const struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_SAMPLE &&
	    !group_reads_is_switch(&r->reads, cpu, &r->rings[cpu], at))
		return true; /* of an interrupt */
	count_record(r, &r->rings[cpu], at, header);
	return switch_filter_keeps(&r->filter, cpu, &r->rings[cpu], at, header);
}

/* Some records of the rings do not go out. */
static bool is_filtered(const struct recorder *r)
{
	return r->filter.works || r->counters.request.has_witness;
}

static void copy_round(struct recorder *r, const struct ring *ring, uint64_t from,
		       uint64_t to)
{
	uint8_t *place = bytes_extend(&r->kept, (size_t)(to - from));

	if (place)
		ring_copy(ring, from, place, (size_t)(to - from));
}

/*
 * From header to header, to count the recorded and the lost records.  What says
 * something new is copied: the kernel makes its rings read-only, and thousands of
 * pieces cost it more than the copy costs us.  All of a round is written at once: that
 * is cheaper by a third than in parts of 112 KiB that the caches still hold.
 */
static void sift(struct recorder *r, size_t cpu)
{
	const struct ring *ring = &r->rings[cpu];
	uint64_t at = 0, from = 0, end = ring->head - ring->tail;

	while (at < end) {
		uint64_t word = ring_u64(ring, at);
		struct perf_event_header header;

		memcpy(&header, &word, sizeof(header));
		if (header.size < sizeof(header)) /* the kernel never does */
			break;
		if (!group_reads_on_record(&r->reads, cpu, ring, at, &header) ||
		    !keeps_record(r, cpu, at, &header)) {
			copy_round(r, ring, from, at);
			from = at + header.size;
		}
		at += header.size;
	}
	if (is_filtered(r))
		copy_round(r, ring, from, end);
}

/* What the rings hold as pieces of them; returns how many. */
static size_t collect(struct recorder *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->cpus.count; i++) {
		sift(r, i);
		if (!is_filtered(r))
			count += (size_t)ring_pieces(&r->rings[i], r->pieces + count);
	}
	return count;
}

static void count_switches(struct recorder *r)
{
	const struct bpf_stream_stats *seen = &r->stream.stats;

	r->stats.samples = seen->switches;
	r->stats.first_ns = seen->first_ns;
	r->stats.last_ns = seen->last_ns;
	r->stats.read_ns = seen->cost[0]; /* the rise of its time enabled */
}

/* A switch is a sample of each leader; those of BPF programs count it once. */
static bool is_leader_id(const struct recorder *r, uint64_t id)
{
	const struct counters *c = &r->counters;

	for (size_t g = 0; g < (r->uses_bpf ? 1 : c->group_count); g++)
		for (size_t i = 0; i < r->cpus.count; i++)
			if (c->events[c->groups[g].first].ids[i] == id)
				return true;
	return false;
}

static void count_written(void *context, const struct perf_record_head *head)
{
	struct recorder *r = context;

	r->stats.written += head->type == PERF_RECORD_SAMPLE &&
			    (r->counters.request.tids || is_leader_id(r, head->first));
}

/* Part of a round: what the perf rings hold, and the whole records of `kept`. */
static enum status write_part(struct recorder *r, struct perf_writer *writer)
{
	size_t bytes = 0, count;
	enum status status = ST_OK;

	for (size_t i = 0; i < r->cpus.count; i++)
		bytes += ring_poll(&r->rings[i]);
	count = bytes ? collect(r) : 0;
	if (r->kept.failed)
		return error_nomem(r->error);
	if (r->kept.size)
		r->pieces[count++] = (struct iovec){ r->kept.data, r->kept.size };
	if (count)
		status = perf_writer_add_round(writer, r->pieces, count);
	if (status == ST_OK)
		r->stats.written = r->stats.samples;
	else
		(void)perf_pieces_walk(r->pieces, count, writer->kept, count_written, r);
	for (size_t i = 0; i < r->cpus.count; i++)
		ring_done(&r->rings[i]);
	r->stats.bytes += bytes;
	r->stats.rounds += bytes || count;
	return status;
}

/* What was read before this round, now that the rings say who was where. */
static enum status write_reads(struct recorder *r, struct perf_writer *writer)
{
	r->kept.size = 0;
	group_reads_put(&r->reads, &r->kept);
	return r->kept.size || r->kept.failed ? perf_writer_add(writer, &r->kept) : ST_OK;
}

/* After the round that has the processes they are of. */
static enum status write_commands(struct recorder *r, struct perf_writer *writer)
{
	struct bytes *made = &r->commands.made;
	enum status status = ST_OK;

	if (made->size || made->failed)
		status = perf_writer_add(writer, made);
	made->size = 0;
	return status;
}

enum status recorder_round(struct recorder *r, struct perf_writer *writer)
{
	enum status status;

	r->kept.size = 0;
	r->has_more = false;
	if (r->uses_bpf) {
		r->has_more = !bpf_stream_drain(&r->stream, &r->kept);
		count_switches(r);
	}
	status = write_part(r, writer);
	if (status != ST_OK || r->has_more)
		return status;
	status = write_reads(r, writer);
	return status == ST_OK ? write_commands(r, writer) : status;
}

void recorder_read(struct recorder *r)
{
	if (r->uses_bpf)
		bpf_stream_tick(&r->stream, true);
	else
		group_reads_make(&r->reads, true);
}

/* The owner of a ring has ended: its CPU is looked at with the others. */
static void drop_ended(struct recorder *r)
{
	for (size_t i = 0; i < r->cpus.count; i++) /* the others stay */
		if (r->polled[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			r->polled[i].fd = -1;
}

static bool is_over(struct recorder *r)
{
	pid_t watched = (pid_t)(r->options.tid ? r->options.tid : r->options.pid);

	if (os_interrupted() || (r->workload.pid && workload_ended(&r->workload)))
		return true;
	return watched && kill(watched, 0) != 0 && errno == ESRCH;
}

/* Until a ring has filled, or the time is over; new commands are looked at meanwhile. */
static void wait_for_round(struct recorder *r, int timeout_ms)
{
	size_t rings = r->cpus.count + RECORDER_POLLED_MORE;
	struct pollfd *commands = &r->polled[rings - 1];
	double end = os_seconds() + timeout_ms * 1e-3, left = timeout_ms;

	r->polled[r->cpus.count] =
		(struct pollfd){ .fd = bpf_stream_fd(&r->stream), .events = POLLIN };
	*commands = (struct pollfd){ .fd = r->commands.works ? r->commands.poll_fd : -1,
				     .events = POLLIN };
	do {
		bool is_waiting = r->commands.waiting_count != 0;
		int ready = poll(r->polled, rings, is_waiting ? 1 : (int)left + 1);

		if (!(ready == 0 && is_waiting) && !(ready == 1 && commands->revents))
			break;
		commands_read(&r->commands);
		left = (end - os_seconds()) * 1e3;
	} while (left > 0);
}

enum status recorder_step(struct recorder *r, struct perf_writer *writer, int timeout_ms)
{
	enum status status;

	if (is_over(r))
		return ST_END;
	if (!r->has_more)
		wait_for_round(r, timeout_ms);
	drop_ended(r);
	if (r->uses_bpf)
		bpf_stream_tick(&r->stream, false);
	else
		group_reads_make(&r->reads, false);
	status = recorder_round(r, writer);
	return status == ST_OK && is_over(r) ? ST_END : status;
}

/* What found no room after the last record of its CPU. */
static enum status write_losses(struct recorder *r, struct perf_writer *writer)
{
	r->kept.size = 0;
	bpf_stream_drain_losses(&r->stream, &r->kept);
	r->stats.lost += r->stream.stats.lost;
	return write_part(r, writer);
}

enum status recorder_end(struct recorder *r, struct perf_writer *writer)
{
	enum status status;

	books_read(&r->books, BOOK_BEFORE_END);
	note_gone(r);
	if (r->uses_bpf)
		bpf_stream_end(&r->stream);
	else if (r->reads.counters)
		group_reads_disarm(&r->reads);
	counters_disarm(&r->counters);
	recorder_stop_clock(r);
	books_read(&r->books, BOOK_ENDED);
	workload_stop(&r->workload);
	do
		status = recorder_round(r, writer);
	while (status == ST_OK && r->has_more);
	if (status == ST_OK)
		status = write_books(r, writer);
	if (status == ST_OK && r->uses_bpf)
		status = write_losses(r, writer);
	r->facts.written.first_ns = r->stats.first_ns;
	r->facts.written.last_ns = r->stats.last_ns;
	return status == ST_OK ? perf_writer_finish(writer, &r->facts.written) : status;
}

int recorder_end_command(struct recorder *r, int result)
{
	struct workload *command = &r->workload;
	bool was_over = command->ended; /* else it ends because we failed */

	workload_stop(command);
	if (command->pid && !command->ended) {
		recorder_warn(r, "waiting for the command, which did not end at SIGTERM; "
				 "Ctrl-C leaves it");
		workload_wait(command);
		if (!command->ended)
			return EXIT_FAILURE;
	}
	if (command->ended &&
	    (result == 0 ||
	     (was_over && command->exit_status >= WORKLOAD_NOT_EXECUTABLE)))
		return command->exit_status;
	return result;
}

void recorder_close(struct recorder *r)
{
	group_reads_close(&r->reads);
	commands_close(&r->commands);
	bpf_stream_close(&r->stream);
	recorder_close_rings(r);
	switch_filter_close(&r->filter);
	bytes_release(&r->kept);
	bytes_release(&r->gone);
	books_release(&r->books);
	workload_stop(&r->workload);
	counters_close(&r->counters);
	event_list_release(&r->events);
	cpu_list_release(&r->cpus);
	trace_facts_release(&r->facts);
	if (r->cgroup_path && r->cgroup_fd >= 0)
		close(r->cgroup_fd);
	free(r->cgroup_path);
	free(r->tids);
	free(r->rings);
	free(r->polled);
	free(r->pieces);
	*r = (struct recorder){ .error = NULL };
	r->workload.gate = r->workload.news = -1;
}

/* --- what went wrong --- */

#define MISSING_NS 1000000 /* less is not worth a line */

static void warn_missing(const struct recorder *r)
{
	uint64_t length_ns;
	pid_t tid = group_reads_missing(&r->reads, &length_ns);

	if (tid && length_ns >= MISSING_NS)
		recorder_warn(
			r,
			"thread %d has children that had not ended: what it counted "
			"in up to its last %.3f s is missing; -a has it all",
			(int)tid, (double)length_ns / 1e9);
}

void recorder_report_losses(const struct recorder *r)
{
	struct counter_end end;
	uint64_t lost = r->stats.lost;

	counters_end(&r->counters, &end);
	if (end.lost > lost)
		lost = end.lost;
	if (lost && r->options.is_live)
		recorder_warn(r,
			      "%llu records were lost, the rings were full: count fewer "
			      "events, or run fewer programs beside it",
			      (unsigned long long)lost);
	else if (lost)
		recorder_warn(
			r,
			"%llu records were lost, the rings were full: raise -m (now %zu "
			"KiB a CPU), count fewer events, or write to a faster disk",
			(unsigned long long)lost,
			(r->uses_bpf ? recorder_stream_bytes(r) : r->ring_bytes) / 1024);
	if (end.gone_cpu >= 0)
		recorder_warn(
			r,
			"CPU %d went offline, and its counters with it: what it did "
			"afterwards is not counted",
			end.gone_cpu);
	warn_missing(r);
	/* By task, a group waits wherever its task is not. */
	if (end.never_ran && r->whole_cpus)
		recorder_warn(
			r,
			"a group never got onto the PMU: another user of it (the NMI "
			"watchdog uses a counter: sysctl kernel.nmi_watchdog=0), or too "
			"many events");
	else if (end.running < end.enabled && r->whole_cpus)
		recorder_warn(
			r,
			"the groups took turns, the one that waited most was counting %.0f %% "
			"of the time: each switch is seen by one of them, and no thread's "
			"counts are scaled to what they might have been",
			100.0 * (double)end.running / (double)end.enabled);
}
