/*
 * recorder.h - one recording: counters, rings, and the command that is recorded.
 *
 * recorder_open() asks the kernel for everything and leaves nothing running;
 * recorder_begin() writes what describes the trace, arms the counters and lets the
 * command go; recorder_step() is called until it returns ST_END; recorder_end() drains
 * what is left.  Records go out as the kernel wrote them, but for those that say nothing
 * new (switch_filter.h).
 * perftab-capture writes them to a file or a pipe, perftab-analyze --live
 * reads them from memory.
 */
#ifndef PERFTAB_RECORDER_H
#define PERFTAB_RECORDER_H

#include <poll.h>

#include "capture/linux/audit/books.h"
#include "capture/linux/bpf/stream.h"
#include "capture/linux/counters/counters.h"
#include "capture/linux/counters/interrupts.h"
#include "capture/linux/counters/machine.h"
#include "capture/linux/recorder/commands.h"
#include "capture/linux/recorder/control_groups.h"
#include "capture/linux/recorder/group_reads.h"
#include "capture/linux/recorder/ring.h"
#include "capture/linux/recorder/switch_filter.h"
#include "capture/linux/recorder/trace_facts.h"
#include "capture/linux/recorder/workload.h"
#include "formats/perf/write.h"

#define RECORDER_STEP_MS 250   /* at least so often what the rings hold should go out */
#define RECORDER_POLLED_MORE 2 /* beside the rings: the BPF programs', new commands */

enum recorder_via { RECORDER_VIA_AUTO, RECORDER_VIA_BPF, RECORDER_VIA_PERF };

struct recorder_options {
	const char *const *events; /* lists of them, borrowed */
	size_t event_lists;	   /* 0: the default set */
	bool all_cpus;
	struct cpu_list cpus; /* borrowed; none: all that are online */
	int64_t pid;	      /* or 0 */
	int64_t tid;	      /* only this thread; or 0 */
	const char *cgroup;   /* only the tasks of this control group; or NULL */
	const char *filter;   /* of tracepoints that are counted, or NULL */
	char *const *command; /* NULL at its end; NULL: none */
	char *const *words;   /* of the recorder itself, for the trace */
	size_t ring_bytes;    /* of each CPU, 0: what this user may have, up to 4 MiB */
	bool multiplex;
	enum interrupts interrupts;
	enum recorder_via via;
	bool audit;	     /* of the counters before, and of the kernel's books */
	bool follow_command; /* only the command and its children, whatever is allowed */
	bool is_live;	     /* nothing is stored: no -m, no disk */
	bool to_stdout;	     /* the trace: the command prints to standard error */
	/* A sentence for the user that is not a failure. */
	void (*warn)(void *context, const char *text);
	void *context;
};

struct recorder_stats {
	uint64_t records, samples, bytes, rounds;
	uint64_t written;	    /* samples that are in the file */
	uint64_t lost;		    /* records that found no room */
	uint64_t first_ns, last_ns; /* of samples */
	uint64_t read_ns; /* that one read of the counters costs its CPU, 0: not known */
};

struct recorder {
	struct recorder_options options;
	struct permissions permissions;
	struct event_list events;
	struct cpu_list cpus;
	pid_t *tids;
	size_t tid_count;
	char *cgroup_path; /* below the mount, of the one followed; or NULL */
	int cgroup_fd;
	bool whole_cpus;
	bool uses_bpf;
	struct counters counters;
	struct trace_facts facts;
	struct workload workload;
	size_t ring_bytes;
	struct ring *rings; /* one a CPU */
	struct pollfd *polled;
	struct iovec *pieces;
	struct filter filter;
	struct commands commands;
	struct group_reads reads; /* where perf samples switches */
	struct bpf_stream stream; /* where BPF programs read the counters */
	struct bytes gone;	  /* places of CPUs that went offline */
	struct bytes kept; /* of a round, where the filter works or programs read */
	bool has_more;	   /* after a round: the rings hold more */
	struct kernel_books books;
	struct recorder_stats stats;
	double began; /* os_seconds(); 0: not yet */
	double began_cpu_s;
	double seconds, cpu_seconds; /* of the recording, and what all threads took */
	bool wrong_usage;	     /* not opened: a list of events is malformed */
	struct error *error;
};

/* Whatever happens, recorder_close() frees it. */
MUST_CHECK enum status recorder_open(struct recorder *recorder,
				     const struct recorder_options *options,
				     struct error *error);
MUST_CHECK enum status recorder_begin(struct recorder *recorder,
				      struct perf_writer *writer);
/*
 * Waits until there is something to write, at most timeout_ms, and writes it.  ST_END:
 * the command has ended, or the process; or SIGINT or SIGTERM came.
 */
MUST_CHECK enum status recorder_step(struct recorder *recorder,
				     struct perf_writer *writer, int timeout_ms);
/* Reads every CPU now, where that can be done: its bill is then up to date. */
void recorder_read(struct recorder *recorder);
/*
 * What the rings hold now, as one round; nothing is written if that is nothing.  Of the
 * ring of programs 16 MiB: has_more says whether it holds more.
 */
MUST_CHECK enum status recorder_round(struct recorder *recorder,
				      struct perf_writer *writer);
/* Disarms, ends the command, writes what is left. */
MUST_CHECK enum status recorder_end(struct recorder *recorder,
				    struct perf_writer *writer);
/* The recording is over: `seconds` and `cpu_seconds`.  Later calls change nothing. */
void recorder_stop_clock(struct recorder *recorder);
/*
 * Stops the command, and waits for its end with a sentence.  Returns the exit status of
 * all: the command's if `result` is 0; not 0 if it is left running.
 */
int recorder_end_command(struct recorder *recorder, int result);
void recorder_close(struct recorder *recorder);

/* Sentences about what went wrong, if anything did; after recorder_end(). */
void recorder_report_losses(const struct recorder *recorder);

/* open.c, for recorder.c. */
void recorder_warn(const struct recorder *recorder, const char *format, ...)
	PRINTF_LIKE(2, 3);
void recorder_close_rings(struct recorder *recorder);
/* Of a CPU, where BPF programs send records. */
size_t recorder_stream_bytes(const struct recorder *recorder);

#endif
