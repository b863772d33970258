/* recorder.c - opens, runs and ends a recording, round by round. */
#include "capture/linux/recorder/recorder.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/text.h"
#include "capture/linux/recorder/tasks.h"

#define ONLINE_CPUS "/sys/devices/system/cpu/online"
#define POSSIBLE_CPUS "/sys/devices/system/cpu/possible"
#define RING_BYTES_DEFAULT ((size_t)4 << 20)
#define RINGS_BYTES_DEFAULT ((size_t)256 << 20) /* of all CPUs, at most */
#define RING_BYTES_LEAST ((size_t)32 << 10) /* what is tried when more is not allowed */
#define TRACKER_RING_BYTES ((size_t)1 << 20)
#define TIME_IN_SAMPLE 24 /* behind header, IDENTIFIER, IP of some, and TID */

static void warn(const struct recorder *r, const char *format, ...) PRINTF_LIKE(2, 3);

static void warn(const struct recorder *r, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (r->options.warn)
		r->options.warn(r->options.context, text);
}

/* --- which CPUs, which tasks --- */

/* Of those asked for, the ones that are online. */
static enum status choose_cpus(struct recorder *r)
{
	struct cpu_list online, possible, wanted;
	enum status status = cpu_list_read(&r->cpus, ONLINE_CPUS, r->error);

	if (status != ST_OK || !r->options.cpus)
		return status;
	online = r->cpus;
	r->cpus = (struct cpu_list){ .count = 0 };
	status = cpu_list_parse(&wanted, r->options.cpus, r->error);
	if (status == ST_OK)
		status = cpu_list_read(&possible, POSSIBLE_CPUS, r->error);
	else
		possible = (struct cpu_list){ .count = 0 };
	for (size_t i = 0; i < wanted.count && status == ST_OK; i++) {
		int cpu = wanted.cpus[i];

		if (!cpu_list_has(&possible, cpu))
			status = error_set(r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
					   "-C: this machine has no CPU %d", cpu);
		else if (cpu_list_has(&online, cpu))
			wanted.cpus[r->cpus.count++] = cpu;
		else
			warn(r, "CPU %d is offline: not recorded", cpu);
	}
	r->cpus.cpus = wanted.cpus;
	cpu_list_release(&online);
	cpu_list_release(&possible);
	if (status == ST_OK && r->cpus.count == 0)
		status = error_set(r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "-C: none of these CPUs is online");
	return status;
}

static enum status choose_tasks(struct recorder *r)
{
	const struct recorder_options *o = &r->options;
	bool whole = o->all_cpus || o->cpus;

	if (o->pid)
		return tasks_of("/proc", (pid_t)o->pid, &r->tids, &r->tid_count,
				r->error);
	r->whole_cpus =
		whole || (!o->follow_command && permissions_cpu_wide(&r->permissions));
	if (r->whole_cpus)
		return ST_OK;
	if (!o->command)
		return error_set(
			r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"recording all CPUs is not permitted: no CAP_PERFMON, and "
			"kernel.perf_event_paranoid is %d; give a command or -p, "
			"record as root, or have root set it to 0",
			r->permissions.paranoid);
	r->tids = malloc(sizeof(*r->tids));
	if (!r->tids)
		return error_nomem(r->error);
	r->tids[0] = r->workload.pid;
	r->tid_count = 1;
	return ST_OK;
}

/* --- opening --- */

static void choose_ring_bytes(struct recorder *r)
{
	r->ring_bytes = r->options.ring_bytes;
	if (r->ring_bytes)
		return;
	r->ring_bytes = RING_BYTES_DEFAULT;
	while (r->ring_bytes * r->cpus.count > RINGS_BYTES_DEFAULT &&
	       r->ring_bytes > RING_BYTES_LEAST)
		r->ring_bytes /= 2;
}

/* Where BPF programs see the switches, only births, names and ends are left. */
static size_t perf_ring_bytes(const struct recorder *r)
{
	if (r->uses_bpf && r->ring_bytes > TRACKER_RING_BYTES)
		return TRACKER_RING_BYTES;
	return r->ring_bytes;
}

static enum status choose_events(struct recorder *r)
{
	struct event_sources sources = {
		.sysfs = "/sys/bus/event_source/devices",
		.tracefs = permissions_tracefs(),
		.counts = counter_is_counted,
		.context = &r->permissions,
		.model_names = true,
	};
	enum status status = ST_OK;

	for (size_t i = 0; i < r->options.event_lists && status == ST_OK; i++)
		status = event_list_parse(&r->events, &sources, r->options.events[i],
					  r->error);
	if (r->options.event_lists == 0)
		status = event_list_default(&r->events, &sources, r->error);
	return status;
}

/*
 * In a PID namespace the tracepoint names tasks by other numbers than all other records
 * do; where only our own tasks are counted, the software leader names them as well.
 */
static const char *tracefs_of_leader(const struct recorder *r)
{
	return r->tids && permissions_in_pid_namespace() ? NULL : permissions_tracefs();
}

static enum status choose_counters(struct recorder *r)
{
	struct counter_wish wish = {
		.events = &r->events,
		.permissions = &r->permissions,
		.tracefs = tracefs_of_leader(r),
		.cpus = r->cpus,
		.tids = r->tids,
		.tid_count = r->tid_count,
		.wake_bytes = (uint32_t)(perf_ring_bytes(r) / 2),
		.multiplex = r->options.multiplex,
		.has_witness = !r->uses_bpf && !r->tids,
		.bpf = r->uses_bpf,
	};
	enum status status = counters_plan(&r->counters, &wish, r->error);

	return status == ST_OK ? counters_open(&r->counters, r->error) : status;
}

/* --- by BPF programs, or by samples of perf --- */

/* Whether BPF programs are to be tried; an error where they were asked for in vain. */
static enum status choose_via(struct recorder *r)
{
	const char *why = NULL;

	if (r->options.via == RECORDER_VIA_PERF)
		return ST_OK;
	if (r->tids)
		why = "programs read whole CPUs, and here only tasks are followed";
	else if (!permissions_tracefs())
		why = "the format of sched_switch cannot be read: tracefs is not mounted, "
		      "or root's alone";
	else if (r->options.via == RECORDER_VIA_AUTO && !bpf_programs_built())
		return ST_OK;
	if (why && r->options.via == RECORDER_VIA_BPF)
		return error_set(r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "--via bpf: %s", why);
	r->uses_bpf = !why;
	return ST_OK;
}

static void write_kernel_map(const struct recorder *r)
{
	if (!r->tids)
		return;
	if (!r->counters.takes.inherit)
		warn(r,
		     "this kernel cannot read the counters of children (that takes Linux "
		     "6.12): threads and processes that begin from now on are not counted");
	else if (!exit_reads_are_written())
		warn(r,
		     "this kernel does not tell what threads had counted when they ended "
		     "(Linux 6.18 does): what each of them counted after its last switch is "
		     "missing; -a has it all");
}

/* The first counter of a CPU owns its ring, all others write into it as well. */
static enum status open_ring(struct recorder *r, size_t cpu)
{
	const struct counters *c = &r->counters;
	size_t tasks = c->instances / r->cpus.count;
	struct refusal refusal = { .permissions = &r->permissions,
				   .cpu = r->cpus.cpus[cpu] };
	int owner = -1;

	for (size_t i = cpu * tasks; i < (cpu + 1) * tasks; i++)
		for (size_t e = 0; e < c->event_count; e++) {
			int fd = c->events[e].fds[i];

			if (fd < 0)
				continue;
			if (owner >= 0) {
				if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner) != 0)
					return error_set(
						r->error, ST_IO, ERROR_NO_OFFSET,
						"%.60s: cannot share the ring of CPU %d: %s",
						c->events[e].name, refusal.cpu,
						strerror(errno));
				continue;
			}
			owner = fd;
			if (!ring_open(&r->rings[cpu], fd, perf_ring_bytes(r)))
				return refusal_map(&refusal, perf_ring_bytes(r), errno,
						   r->error);
		}
	r->polled[cpu] = (struct pollfd){ .fd = owner, .events = POLLIN };
	if (owner < 0)
		return error_set(r->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "the process has ended");
	return ST_OK;
}

static void close_rings(struct recorder *r)
{
	for (size_t i = 0; r->rings && i < r->cpus.count; i++)
		ring_close(&r->rings[i]);
}

static enum status open_rings(struct recorder *r)
{
	enum status status = ST_OK;

	for (size_t i = 0; i < r->cpus.count && status == ST_OK; i++)
		status = open_ring(r, i);
	return status;
}

/*
 * Rings of a size that nobody asked for may become smaller, down to what the limits
 * allow; counters are opened anew then, because they know when to wake us.
 */
static enum status open_sized(struct recorder *r)
{
	enum status status;

	for (;;) {
		status = choose_counters(r);
		if (status != ST_OK)
			return status;
		status = open_rings(r);
		if (status != ST_UNSUPPORTED || r->options.ring_bytes ||
		    r->ring_bytes <= RING_BYTES_LEAST)
			return status;
		close_rings(r);
		counters_close(&r->counters);
		r->ring_bytes /= 2;
		r->error->status = ST_OK;
	}
}

/* Of a CPU; nothing limits what of it is locked, and a busy machine lets us wait. */
static size_t stream_bytes(const struct recorder *r)
{
	return r->options.ring_bytes ? r->options.ring_bytes : 4 * r->ring_bytes;
}

/* The perf way where the BPF way fails, unless that was asked for. */
static enum status open_counters(struct recorder *r)
{
	enum status status = choose_via(r);

	r->rings = calloc(r->cpus.count, sizeof(*r->rings));
	r->polled = calloc(r->cpus.count + 1, sizeof(*r->polled));
	r->pieces = calloc(r->cpus.count * 2 + 1, sizeof(*r->pieces));
	if (!r->rings || !r->polled || !r->pieces)
		return error_nomem(r->error);
	if (status == ST_OK)
		status = open_sized(r);
	if (status != ST_OK || !r->uses_bpf)
		return status;
	status = bpf_stream_open(&r->stream, &r->counters, stream_bytes(r), r->error);
	r->polled[r->cpus.count] =
		(struct pollfd){ .fd = bpf_stream_fd(&r->stream), .events = POLLIN };
	if (status == ST_OK || r->options.via == RECORDER_VIA_BPF)
		return status;
	warn(r, "%s; recording by perf samples instead (--via perf)", r->error->text);
	bpf_stream_close(&r->stream);
	close_rings(r);
	counters_close(&r->counters);
	r->uses_bpf = false;
	r->error->status = ST_OK;
	return open_sized(r);
}

static void on_child(int number)
{
	(void)number; /* poll() comes back, which is all */
}

enum status recorder_open(struct recorder *r, const struct recorder_options *options,
			  struct error *error)
{
	struct sigaction action = { .sa_handler = on_child };
	enum status status = ST_OK;

	*r = (struct recorder){ .options = *options, .error = error };
	r->workload.gate = r->workload.news = -1;
	sigemptyset(&action.sa_mask);
	sigaction(SIGCHLD, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	permissions_read(&r->permissions);
	if (options->command)
		status = workload_prepare(&r->workload, options->command, error);
	if (status == ST_OK)
		status = choose_cpus(r);
	choose_ring_bytes(r);
	if (status == ST_OK)
		status = choose_tasks(r);
	if (status == ST_OK)
		status = choose_events(r);
	if (status == ST_OK)
		status = open_counters(r);
	if (status == ST_OK)
		write_kernel_map(r);
	if (status == ST_OK &&
	    (!switch_filter_open(&r->filter, &r->counters) ||
	     (!r->uses_bpf &&
	      !group_reads_open(&r->reads, &r->counters, (pid_t)r->options.pid))))
		status = error_nomem(error);
	if (status == ST_OK)
		status = trace_formats_read(&r->facts, permissions_tracefs(),
					    &r->counters, error);
	return status;
}

/* --- beginning --- */

static uint64_t boot_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

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

enum status recorder_begin(struct recorder *r, struct perf_writer *writer)
{
	struct bytes tasks = { .data = NULL };
	enum status status;

	status = trace_facts_read(&r->facts, &r->counters, r->options.words, r->error);
	r->facts.written.compression_level = writer->compressor ? 1 : 0;
	if (status == ST_OK)
		status = perf_writer_begin(writer, &r->facts.written);
	if (status != ST_OK)
		return status;
	/* From here on the kernel tells who is born; who was before, /proc. */
	counters_arm_tracker(&r->counters);
	kernel_map_write(&tasks, "/proc/kallsyms", &r->counters);
	tasks_write(&tasks, "/proc", &r->counters,
		    (pid_t)(r->options.pid  ? r->options.pid
			    : r->whole_cpus ? 0
					    : r->workload.pid),
		    boot_ns());
	status = perf_writer_add(writer, &tasks);
	bytes_release(&tasks);
	if (status != ST_OK)
		return status;
	status = arm_groups(r, writer);
	if (status != ST_OK)
		return status;
	r->began = os_seconds();
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

static void count_record(struct recorder *r, const struct ring *ring, uint64_t at,
			 const struct perf_event_header *header)
{
	r->stats.records++;
	if (header->type == PERF_RECORD_SAMPLE)
		count_sample(r, ring, at);
	else if (header->type == PERF_RECORD_LOST)
		r->stats.lost += ring_u64(ring, at + 16);
	else if (header->type == PERF_RECORD_LOST_SAMPLES)
		r->stats.lost += ring_u64(ring, at + 8);
}

static bool keeps_record(struct recorder *r, size_t cpu, uint64_t at,
			 const struct perf_event_header *header)
{
	count_record(r, &r->rings[cpu], at, header);
	return switch_filter_keeps(&r->filter, cpu, &r->rings[cpu], at, header);
}

/* Some records of the rings do not go out. */
static bool is_filtered(const struct recorder *r)
{
	return r->filter.works || r->counters.wish.has_witness;
}

static void copy_round(struct recorder *r, const struct ring *ring, uint64_t from,
		       uint64_t to)
{
	uint8_t *place = bytes_extend(&r->kept, (size_t)(to - from));

	if (place)
		ring_copy(ring, from, place, (size_t)(to - from));
}

/*
 * From header to header, to know what was recorded and what was lost.  What says
 * something new is copied: the kernel lets nobody write into its rings, and thousands of
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
}

/* Part of a round: what the perf rings hold, and `kept`, as far as it goes. */
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

enum status recorder_round(struct recorder *r, struct perf_writer *writer)
{
	bool is_empty = true;
	enum status status;

	do {
		r->kept.size = 0;
		if (r->uses_bpf) {
			is_empty = bpf_stream_drain(&r->stream, &r->kept);
			count_switches(r);
		}
		status = write_part(r, writer);
	} while (status == ST_OK && !is_empty);
	return status == ST_OK ? write_reads(r, writer) : status;
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
	for (size_t i = 0; i < r->cpus.count;
	     i++) /* the stream's is the last, and stays */
		if (r->polled[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			r->polled[i].fd = -1;
}

static bool is_over(struct recorder *r)
{
	if (os_interrupted() || (r->workload.pid && workload_ended(&r->workload)))
		return true;
	return r->options.pid && kill((pid_t)r->options.pid, 0) != 0 && errno == ESRCH;
}

enum status recorder_step(struct recorder *r, struct perf_writer *writer, int timeout_ms)
{
	enum status status;

	if (is_over(r))
		return ST_END;
	(void)poll(r->polled, r->cpus.count + r->uses_bpf, timeout_ms);
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

	if (r->uses_bpf)
		bpf_stream_end(&r->stream);
	else if (r->reads.counters)
		group_reads_disarm(&r->reads);
	counters_disarm(&r->counters);
	workload_stop(&r->workload);
	status = recorder_round(r, writer);
	if (status == ST_OK && r->uses_bpf)
		status = write_losses(r, writer);
	r->facts.written.first_ns = r->stats.first_ns;
	r->facts.written.last_ns = r->stats.last_ns;
	return status == ST_OK ? perf_writer_finish(writer, &r->facts.written) : status;
}

void recorder_close(struct recorder *r)
{
	group_reads_close(&r->reads);
	bpf_stream_close(&r->stream);
	close_rings(r);
	switch_filter_close(&r->filter);
	bytes_release(&r->kept);
	workload_stop(&r->workload);
	counters_close(&r->counters);
	event_list_release(&r->events);
	cpu_list_release(&r->cpus);
	trace_facts_release(&r->facts);
	free(r->tids);
	free(r->rings);
	free(r->polled);
	free(r->pieces);
	*r = (struct recorder){ .error = NULL };
	r->workload.gate = r->workload.news = -1;
}

/* --- what went wrong --- */

void recorder_report_losses(const struct recorder *r)
{
	struct counter_end end;
	uint64_t lost = r->stats.lost;

	counters_end(&r->counters, &end);
	if (end.lost > lost)
		lost = end.lost;
	if (lost)
		warn(r,
		     "%llu records were lost, the rings were full: raise -m (now %zu "
		     "KiB a CPU), count fewer events, or write to a faster disk",
		     (unsigned long long)lost,
		     (r->uses_bpf ? stream_bytes(r) : r->ring_bytes) / 1024);
	/* By task, a group waits wherever its task is not. */
	if (end.never_ran && r->whole_cpus)
		warn(r, "a group never got onto the PMU: another user of it (the NMI "
			"watchdog takes a counter: sysctl kernel.nmi_watchdog=0), or too "
			"many events");
	else if (end.running < end.enabled && r->whole_cpus)
		warn(r,
		     "the groups took turns, the one that waited most was counting %.0f %% "
		     "of the time: each switch is seen by one of them, and no thread's "
		     "counts are scaled to what they might have been",
		     100.0 * (double)end.running / (double)end.enabled);
}
