/* Shared by the files of the perf.data writer alone. */
#ifndef PERF_PARTS_H
#define PERF_PARTS_H

#include "trace/trace.h"

/* Records that perf itself makes. */
enum record_type {
	RECORD_HEADER_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_THREAD_MAP = 73,
	RECORD_EVENT_UPDATE = 78,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82,
	RECORD_COMPRESSED2 = 83,
};

enum feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_GROUP_DESC = 17,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_COMPRESSED = 27,
	FEATURE_LAST = 32, /* of perf 6.1: one more than any it knows */
};

/* In records.c. */
void trace_add_events(struct trace *trace);

/* Returns where the record starts, for the end of it. */
size_t record_begin(struct byte_buf *out, uint32_t type, uint16_t misc);
void record_end(struct byte_buf *out, size_t start);

/* For the few types whose size need not be a multiple of 8. */
void record_end_unaligned(struct byte_buf *out, size_t start);
void put_padded_name(struct byte_buf *out, const char *name);

/* In output.c: appends records outside any ring, and empties the buffer. */
void output_put(struct trace *trace, struct byte_buf *records);

/* In features.c. */
uint32_t attr_bytes(const struct trace *trace);
void put_attr(struct byte_buf *out, const struct trace *trace, unsigned event);
void put_ids(struct byte_buf *out, const struct trace *trace, unsigned event);
bool has_feature(const struct trace *trace, unsigned feature);
void put_feature(struct byte_buf *out, const struct trace *trace, unsigned feature);

/* In head.c: the parts before and after the records. */
void file_put_head(struct trace *trace, struct byte_buf *out);
void file_put_tail(struct trace *trace, struct byte_buf *out);
void pipe_put_head(const struct trace *trace, struct byte_buf *out);

#endif
