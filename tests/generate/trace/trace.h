/*
 * Writes perf.data in one of the forms: records into one ring per CPU, rings to the
 * file round by round, header and features around them.
 */
#ifndef PERF_WRITE_H
#define PERF_WRITE_H

#include <stdio.h>

#include "common/bytes.h"
#include "trace/forms.h"
#include "trace/packer.h"
#include "trace/scenario.h"
#include "trace/sched_format.h"

struct trace_event {
	struct counter_spec spec;
	uint64_t period;
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags;
	uint64_t first_id; /* id on CPU 0; CPU n has first_id + n */
};

struct trace {
	const struct scenario *scenario;
	const struct form *form;
	const char *path;
	FILE *file;
	FILE *streams[CPU_MAX]; /* data.N of a directory */
	struct trace_event events[COUNTER_MAX + 1];
	unsigned event_count;
	unsigned tracker; /* event whose records are COMM, FORK, EXIT and SWITCH */
	struct byte_buf rings[CPU_MAX];
	bool late[CPU_MAX]; /* the ring has a FORK, which is to be in the next round */
	bool held[CPU_MAX]; /* and its turn in one round has passed */
	size_t ring_at[CPU_MAX]; /* place in the ring as the recorder maps it */
	struct packer packer;
	struct byte_buf scratch;
	uint64_t ids_offset;
	uint64_t data_offset;
	uint64_t data_bytes;
	uint64_t first_sample_ns;
	uint64_t last_sample_ns;
};

/* When and where a record was written, and the thread, as the recorder sees it. */
struct stamp {
	unsigned cpu;
	uint64_t time_ns;
	uint32_t pid;
	uint32_t tid;
};

struct trace_sample {
	struct stamp stamp;
	uint64_t ip;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t lost;
	uint64_t cgroup_id;
	const uint64_t *values;
	struct sched_switch sched;
};

/* A task as COMM, FORK and EXIT name it. */
struct trace_task {
	uint32_t pid;
	uint32_t tid;
	uint32_t parent_pid;
	uint32_t parent_tid;
};

/* The form must be able to hold the scenario. */
void trace_open(struct trace *trace, const struct scenario *scenario,
		const struct form *form, const char *path);

/* Records at the start of the data, at time 0, outside any ring. */
void trace_put_preamble(struct trace *trace);
void trace_put_existing(struct trace *trace, const struct trace_task *task,
			const char *comm);
void trace_put_ready(struct trace *trace);

void trace_put_sample(struct trace *trace, const struct trace_sample *sample);
void trace_put_comm(struct trace *trace, const struct stamp *stamp, const char *comm,
		    bool exec);
void trace_put_fork(struct trace *trace, const struct stamp *stamp,
		    const struct trace_task *task);
void trace_put_exit(struct trace *trace, const struct stamp *stamp,
		    const struct trace_task *task);
void trace_put_mmap2(struct trace *trace, const struct stamp *stamp, const char *name);
void trace_put_lost(struct trace *trace, const struct stamp *stamp, uint64_t count);
void trace_put_lost_samples(struct trace *trace, const struct stamp *stamp,
			    uint64_t count);
void trace_put_throttle(struct trace *trace, const struct stamp *stamp, bool on);

/* other_* is the thread on the other side of the switch. */
void trace_put_switch(struct trace *trace, const struct stamp *stamp, bool out,
		      bool preempted, uint32_t other_pid, uint32_t other_tid);

/*
 * Moves one CPU's pending records to the file, if the form does so before the end; a late
 * ring when it is called again.
 */
void trace_flush_ring(struct trace *trace, unsigned cpu);
void trace_end_round(struct trace *trace);

/* Writes what the form has after the records, and closes the file. */
void trace_close(struct trace *trace);

#endif
