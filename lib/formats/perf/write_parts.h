/*
 * write_parts.h - the parts of a perf.data that are not the kernel's: attributes, names,
 * formats, facts about the machine.
 *
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt, described in
 * docs/formats/perf-data.md.  All in this machine's byte order.  Pointers are borrowed.
 */
#ifndef PERFTAB_PERF_WRITE_PARTS_H
#define PERFTAB_PERF_WRITE_PARTS_H

#include "base/bytes.h"
#include "base/str.h"

/* One kernel instance of an event: an id, its CPU, and its task or -1. */
struct perf_write_id {
	uint64_t id;
	int64_t cpu, task;
};

struct perf_write_event {
	const void *attr; /* struct perf_event_attr of attr_bytes */
	size_t attr_bytes;
	const char *name;
	const char *unit; /* or NULL */
	double scale;	  /* 1: none */
	const struct perf_write_id *ids;
	size_t id_count;
};

/* Events that are read together, the leader first. */
struct perf_write_group {
	size_t first, count;
};

struct perf_write_pmu {
	uint32_t type;
	const char *name;
};

/* The description of a trace.  Texts that are "" are left out. */
struct perf_write_facts {
	const struct perf_write_event *events;
	size_t event_count;
	const struct perf_write_group *groups;
	size_t group_count;
	const struct perf_write_pmu *pmus;
	size_t pmu_count;
	struct str tracing_data; /* empty: no tracepoint is counted */
	const char *host, *os_release, *arch, *cpu_model, *cpu_id;
	const char *recorder; /* name and version */
	char *const *command; /* its words, NULL at the end */
	uint32_t cpus_available, cpus_online;
	uint64_t memory_kb;
	bool has_clock; /* CLOCK_MONOTONIC, not the scheduler's */
	uint64_t clock_resolution_ns;
	uint64_t wall_ns, clock_ns;    /* CLOCK_REALTIME and that clock at one moment */
	uint64_t first_ns, last_ns;    /* of the samples; 0: unknown so far */
	bool unfinished;	       /* append PERF_UNFINISHED to the recorder */
	uint32_t compression_level;    /* 0: not compressed */
	uint32_t packed, unpacked_mib; /* ratio; longest piece, see write.c */
};

/* All header features that are written are less than this. */
#define PERF_WRITE_FEATURES 30

/* The place of the content of a header feature; size 0: none. */
struct perf_write_section {
	uint64_t offset, size;
};

/*
 * Returns the bytes of an attribute in the trace: the size that old readers know, unless
 * more is used.
 */
uint32_t perf_write_attr_bytes(const struct perf_write_facts *facts);
void perf_write_attr(struct bytes *to, const struct perf_write_facts *facts,
		     size_t event);
void perf_write_ids(struct bytes *to, const struct perf_write_event *event);
/* Writes the content of a header feature; false: this trace has none. */
bool perf_write_feature(struct bytes *to, unsigned int feature,
			const struct perf_write_facts *facts);

/* Begins a record; its body and perf_end_record() follow.  Returns its start. */
size_t perf_begin_record(struct bytes *to, uint32_t type);
/* Ends a record; false: it was too long, and removed. */
bool perf_end_record(struct bytes *to, size_t start);

/* Write records of layout.h: a command line; the control group that is followed. */
void perf_write_command_line(struct bytes *to, uint32_t pid, uint64_t time_ns,
			     struct str words);
void perf_write_followed_cgroup(struct bytes *to, struct str path);

/* HEADER_ATTR of every event; facts, names, formats; units, scales; the index of ids. */
void perf_write_attr_records(struct bytes *to, const struct perf_write_facts *facts);
/* `sections`, if not NULL, gets the places of the features in `to`. */
void perf_write_description(struct bytes *to, const struct perf_write_facts *facts,
			    struct perf_write_section *sections);
/* Write records of the data: files have no features for them. */
void perf_write_units(struct bytes *to, const struct perf_write_facts *facts);
void perf_write_id_index(struct bytes *to, const struct perf_write_facts *facts);

/* The format of a tracepoint, as in tracefs. */
struct perf_write_format {
	const char *system;
	struct str text;
};

/*
 * write_tracing_data.c: the TRACING_DATA blob with these formats, one for each
 * tracepoint; the two pages are tracefs's files of these names.
 */
void perf_write_tracing_data(struct bytes *to, struct str header_page,
			     struct str header_event,
			     const struct perf_write_format *formats, size_t count);

#endif
