/*
 * sample.h - samples, and what they and other records are decoded into.
 */
#ifndef PERFTAB_PERF_SAMPLE_H
#define PERFTAB_PERF_SAMPLE_H

#include "formats/perf/catalog.h"

/* Return addresses of one sample: what fits a record. */
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

/* The last record, decoded: until the next one. */
struct perf_scratch {
	struct arena arena;
	union {
		struct switch_event switched;
		struct switch_in_event switched_in;
		struct task_comm_event comm;
		struct task_fork_event fork;
		struct task_exit_event exit;
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
	} event;
	char text[2 * 64 + 1]; /* hexadecimal texts and numbers in them */
	uint64_t *chain;       /* sample_fields.c; NULL: not needed yet */
	struct sample_branch_row *branches;
	struct sample_register_row *registers;
	struct perf_event *members[GROUP_COUNTERS_MAX]; /* groups.c */
	uint64_t values[GROUP_COUNTERS_MAX];
	uint64_t value_ids[GROUP_COUNTERS_MAX];
	int64_t value_counter_ids[GROUP_COUNTERS_MAX];
};

/* sample.c: one sample (as perf_record_read). */
enum status perf_sample_read(struct reader *reader, struct cursor *body, uint16_t misc,
			     struct record *out);
/*
 * READ of an event, or of the group that it leads: values, and their ids if it has any.
 */
bool perf_counts_read(struct perf_scratch *scratch, const struct perf_event *event,
		      struct cursor *c, struct perf_sample *sample);

/*
 * groups.c: the group of a leader, learned if this is its first sample; NULL: it
 * cannot be named.
 */
struct perf_group *perf_group_of(struct reader *reader, struct perf_stream *stream,
				 const struct perf_sample *sample, uint64_t offset);
/* The sample reads what the stream's samples read. */
bool perf_same_members(struct perf_catalog *catalog, const struct perf_scratch *scratch,
		       struct perf_stream *stream, const struct perf_group *group,
		       const struct perf_sample *sample);

/* sample_fields.c: the call chain and the fields after RAW; false: it does not fit. */
bool perf_tail_read(struct perf_scratch *scratch, const struct perf_event *event,
		    struct cursor *c, const struct perf_sample *sample,
		    struct sampled_event *out);
/* The same without keeping anything: past the end of the fields that are known. */
bool perf_tail_skip(const struct perf_event *event, struct cursor *c);

#endif
