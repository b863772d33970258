/*
 * trace_parts.h - the parts of a perf.data that are not the kernel's: attributes, names,
 * formats, facts about the machine.
 *
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt; in our words in
 * docs/formats/perf-data.md.  All in this machine's byte order.
 */
#ifndef PERFTAB_TRACE_PARTS_H
#define PERFTAB_TRACE_PARTS_H

#include "capture/linux/counters/counters.h"
#include "capture/linux/counters/machine.h"
#include "capture/linux/recorder/bytes.h"

enum trace_record { /* of the tools, in a perf.data */
		    TRACE_HEADER_ATTR = 64,
		    TRACE_TRACING_DATA = 66,
		    TRACE_FINISHED_ROUND = 68,
		    TRACE_ID_INDEX = 69,
		    TRACE_EVENT_UPDATE = 78,
		    TRACE_HEADER_FEATURE = 80,
		    TRACE_COMPRESSED = 81,
		    TRACE_FINISHED_INIT = 82,
};

enum trace_feature {
	TRACE_FEATURE_TRACING_DATA = 1,
	TRACE_FEATURE_HOSTNAME = 3,
	TRACE_FEATURE_OSRELEASE = 4,
	TRACE_FEATURE_VERSION = 5,
	TRACE_FEATURE_ARCH = 6,
	TRACE_FEATURE_NRCPUS = 7,
	TRACE_FEATURE_CPUDESC = 8,
	TRACE_FEATURE_CPUID = 9,
	TRACE_FEATURE_TOTAL_MEM = 10,
	TRACE_FEATURE_CMDLINE = 11,
	TRACE_FEATURE_EVENT_DESC = 12,
	TRACE_FEATURE_PMU_MAPPINGS = 16,
	TRACE_FEATURE_GROUP_DESC = 17,
	TRACE_FEATURE_SAMPLE_TIME = 21,
	TRACE_FEATURE_CLOCKID = 23,
	TRACE_FEATURE_COMPRESSED = 27,
	TRACE_FEATURE_CLOCK_DATA = 29,
	TRACE_FEATURES = 30,
};

/* What a trace says of itself.  All pointers are borrowed. */
struct trace_facts {
	const struct counters *counters;
	const struct machine *machine;
	const struct bytes *tracing_data; /* empty: no tracepoint is counted */
	char *const *command;		  /* the recorder's own words, NULL at the end */
	uint64_t first_ns, last_ns;	  /* of the samples; 0: not known (yet) */
	bool unfinished;		  /* says so with the version of the recorder */
	uint32_t compression_level;	  /* 0: not compressed */
	uint32_t packed, unpacked_mib;	  /* see trace_out.c */
};

/* Bytes of an attribute in the trace: what readers of old know, unless more is needed. */
uint32_t trace_attr_bytes(const struct counters *counters);
void trace_put_attr(struct bytes *to, const struct counters *counters, size_t event);
/* The ids of an event; returns how many. */
size_t trace_put_ids(struct bytes *to, const struct counted_event *event,
		     size_t instances);
/* Where the content of a header feature stands; size 0: there is none. */
struct trace_section {
	uint64_t offset, size;
};
/* The content of a header feature; false: this trace has none such. */
bool trace_put_feature(struct bytes *to, enum trace_feature feature,
		       const struct trace_facts *facts);

/* A record of the tools: begin, put its body, end. */
size_t trace_begin_record(struct bytes *to, enum trace_record type);
/* false: it is too long for a record, and was taken out again. */
bool trace_end_record(struct bytes *to, size_t start);

/* HEADER_ATTR of every event; facts, names, units, formats; which id is whose. */
void trace_put_attr_records(struct bytes *to, const struct counters *counters);
/* `sections`, if not NULL, are told where in `to` the features stand. */
void trace_put_description(struct bytes *to, const struct trace_facts *facts,
			   struct trace_section *sections);
void trace_put_id_index(struct bytes *to, const struct counters *counters);

/* tracing_data.c: formats of all tracepoints among the events. */
MUST_CHECK enum status tracing_data_read(struct bytes *to, const char *tracefs,
					 const struct counters *counters,
					 struct error *error);

#endif
