/*
 * samples.h - what the BPF programs send, as the records that perf would have written.
 *
 * A switch becomes a SAMPLE of each group's leader, with the group's values and the
 * fields of sched:sched_switch as tracefs describes them; a read becomes a READ record of
 * the leader.  A LOST record reports a record that found no room, before the next one
 * of its CPU.
 */
#ifndef PERFTAB_BPF_SAMPLES_H
#define PERFTAB_BPF_SAMPLES_H

#include "base/bytes.h"
#include "capture/linux/bpf/record.h"
#include "capture/linux/counters/counters.h"

enum switch_field {
	FIELD_PREV_COMM,
	FIELD_PREV_PID,
	FIELD_PREV_PRIO,
	FIELD_PREV_STATE,
	FIELD_NEXT_COMM,
	FIELD_NEXT_PID,
	FIELD_NEXT_PRIO,
	SWITCH_FIELDS
};

struct field_place {
	uint32_t offset, size; /* size 0: this kernel has no such field */
};

/* The tracepoint's data. */
struct switch_layout {
	struct field_place fields[SWITCH_FIELDS];
	uint32_t bytes; /* all of it, padded as the kernel pads it */
};

/* From the text of tracefs's events/sched/sched_switch/format. */
bool switch_layout_parse(struct switch_layout *layout, const char *format);

/* A tracepoint of interrupts: its event, and where its fields are in its data. */
struct edge_layout {
	size_t event; /* of counters->events */
	struct field_place number, returned, name;
	uint32_t bytes;
};

/* From the text of its format; false: it has no number. */
bool edge_layout_parse(struct edge_layout *layout, const char *format);

/* Whether the counters of a CPU still count. */
struct bpf_counting {
	uint64_t enabled, since_ns; /* a time enabled, and when it was first seen */
	bool has_stopped;
};

struct bpf_samples {
	const struct counters *counters;
	struct bpf_counting *counting; /* by place of the CPU */
	struct switch_layout layout;
	struct edge_layout edges[BPF_EDGES_MAX]; /* by program; bytes 0: none */
	bool has_edges;
	uint64_t *edge_counts; /* by place of the CPU, BPF_EDGES_MAX each */
	uint64_t *lost;	 /* by place of the CPU: records that are reported already */
	size_t *place;	 /* by CPU: its place in counters->request.cpus */
	size_t cpu_room; /* of place[] */
};

MUST_CHECK enum status bpf_samples_open(struct bpf_samples *samples,
					const struct counters *counters,
					struct error *error);
void bpf_samples_close(struct bpf_samples *samples);

/*
 * The counters of a CPU that goes offline never count again, but programs go on once it
 * is back.  Then the records say nothing, and are left out from here on: true.
 */
bool bpf_samples_has_stopped(struct bpf_samples *samples,
			     const struct bpf_record *record);
/* The same for a CPU whose counters are known to be gone, by its place. */
void bpf_samples_stop(struct bpf_samples *samples, size_t place);

/* Appends what the record says; returns how many records were lost before it. */
uint64_t bpf_samples_put(struct bpf_samples *samples, struct bytes *to,
			 const struct bpf_record *record);
/* The same for losses that no record follows; `lost` is the CPU's total. */
uint64_t bpf_samples_lost(struct bpf_samples *samples, struct bytes *to, int cpu,
			  uint64_t time_ns, uint64_t lost);

/* prev_state as the tracepoint has it, of what the scheduler calls it. */
uint64_t switch_state(uint32_t state, uint32_t exit_state, bool is_preempted);

#endif
