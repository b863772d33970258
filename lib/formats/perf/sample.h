/*
 * sample.h - samples, and the buffers that records are decoded into.
 */
#ifndef PERFTAB_PERF_SAMPLE_H
#define PERFTAB_PERF_SAMPLE_H

#include "formats/perf/catalog.h"
#include "model/run.h"

/* Maximum of addresses, branches and registers of a sample: what fits a record. */
#define PERF_CHAIN_MAX 8192u
#define PERF_BRANCHES_MAX 2730u
#define PERF_REGISTERS_MAX 128u

/* A sample, decoded up to RAW; its values are in the scratch. */
struct perf_sample {
	int64_t ip, pid, tid, ts_ns, addr, cpu, period;
	int64_t enabled_ns, running_ns, leader_lost;
	size_t count; /* of values */
	bool has_ids;
	const uint8_t *chain; /* u64 each */
	size_t chain_count;
	const uint8_t *raw;
	size_t raw_size;
};

/* The last record, decoded; valid until the next one. */
struct perf_scratch {
	struct arena arena;
	const struct perf_stream *plain; /* whose constants event.switched has; or NULL */
	struct run *run;		 /* sample_run.c; NULL: not needed yet */
	union {
		struct switch_event switched;
		struct edge_event edge;
		struct switch_in_event switched_in;
		struct task_comm_event comm;
		struct task_fork_event fork;
		struct task_exit_event exit;
		struct task_command_event command;
		struct loss_event loss;
		struct throttled_event throttled;
		struct sampled_event sampled;
		struct mmap_row mmap;
		struct build_id_row build_id;
		struct counter_read_row counter_read;
		struct aux_row aux;
		struct cgroup_row cgroup;
		struct ksymbol_row ksymbol;
		struct bpf_event_row bpf_event;
		struct text_poke_row text_poke;
		struct stat_row stat;
		struct stat_round_row stat_round;
		struct other_record_row other_record;
		struct deferred_chain_event deferred_chain;
		struct schedstat_cpu_row schedstat_cpu;
		struct schedstat_domain_row schedstat_domain;
	} event;
	struct sampled_event switch_fields;   /* chain and branches of event.switched */
	char text[2 * 64 + 1];		      /* for hexadecimal texts and numbers */
	char command[PERF_COMMAND_BYTES_MAX]; /* own_records.c */
	uint64_t *chain;		      /* sample_fields.c; NULL: not needed yet */
	struct sample_branch_row *branches;
	struct sample_register_row *registers;
	struct perf_event *members[GROUP_COUNTERS_MAX]; /* groups.c */
	uint64_t values[GROUP_COUNTERS_MAX];
	uint64_t value_ids[GROUP_COUNTERS_MAX];
	int64_t value_counter_ids[GROUP_COUNTERS_MAX];
};

/* sample.c: decodes one sample, like perf_decode_record(). */
enum status perf_decode_sample(struct reader *reader, struct cursor *body, uint16_t misc,
			       struct record *out);
/* Decodes READ of an event or of the group that it leads: values, and ids if any. */
bool perf_decode_counts(struct perf_scratch *scratch, const struct perf_event *event,
			struct cursor *c, struct perf_sample *sample);

/*
 * sample_fast.c: decodes the next record if it is a plain switch.  False: it is not, and
 * nothing was consumed.
 */
bool perf_decode_plain(struct reader *reader, struct record *out);
/*
 * sample_run.c: decodes the next records into a run, as long as they are plain switches
 * of one stream.  False: there are fewer than two, and nothing was consumed.
 */
bool perf_decode_run(struct reader *reader, struct record *out);
/* Learns the shape of a switch sample that was decoded step by step. */
void perf_learn_shape(struct perf_stream *stream, const struct cursor *body,
		      const struct perf_sample *sample);

/* Sets the fields that depend on the stream alone. */
static inline void perf_begin_switch(const struct perf_stream *stream,
				     struct switch_event *event)
{
	const struct perf_group *group = stream->event->group;

	event->stream = stream->number;
	event->group_id = group->group_id;
	event->per_task = group->per_task;
	event->per_cgroup = group->per_cgroup;
	event->on_one_cpu = stream->on_one_cpu;
	event->never_rotated = group->never_rotated;
	event->edges = group->edges;
}

/* States of an exiting thread: EXIT_DEAD, EXIT_ZOMBIE. */
#define PERF_EXIT_STATES 0x30

static inline bool perf_is_exited(int64_t state)
{
	return (state & PERF_EXIT_STATES) != 0; /* not in INT_NONE */
}

/* Sets the tid of an exiting thread, which samples lack, if the stream follows it. */
static inline void perf_name_exited(const struct perf_stream *stream,
				    struct switch_event *event)
{
	if (event->sample_tid < 0 &&
	    !(stream->event->group->leader->flags & PERF_FLAG_INHERIT))
		event->sample_tid = stream->task;
}

/*
 * groups.c: returns the group of a leader, learned from its first sample; NULL: a member
 * is unknown.
 */
struct perf_group *perf_intern_group(struct reader *reader, struct perf_stream *stream,
				     const struct perf_sample *sample, uint64_t offset);
/* Returns whether the sample reads the members of the group. */
bool perf_has_members(struct perf_catalog *catalog, const struct perf_scratch *scratch,
		      struct perf_stream *stream, const struct perf_group *group,
		      const struct perf_sample *sample);

/*
 * sample_fields.c: decodes the call chain and the fields after RAW; false: they do not
 * fit.
 */
bool perf_decode_tail(struct perf_scratch *scratch, const struct perf_event *event,
		      struct cursor *c, const struct perf_sample *sample,
		      struct sampled_event *out);
/* Decodes only the fields after RAW. */
bool perf_decode_later(struct perf_scratch *scratch, const struct perf_event *event,
		       struct cursor *c, struct sampled_event *out);
/* Loads addresses into scratch->chain; NULL: out of memory. */
const uint64_t *perf_load_chain(struct perf_scratch *scratch, const uint8_t *at,
				size_t count, bool big_endian);
/* Skips the known fields after RAW; false: they do not fit. */
bool perf_skip_tail(const struct perf_event *event, struct cursor *c);

#endif
