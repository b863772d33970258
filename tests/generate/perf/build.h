/*
 * Small perf.data files, piece by piece: records, attributes, and both forms around them.
 * Layouts: perf.data-file-format.txt and perf_event.h of the kernel.
 */
#ifndef GENERATE_PERF_BUILD_H
#define GENERATE_PERF_BUILD_H

#include "common/bytes.h"

enum {
	RECORD_MMAP = 1,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_FORK = 7,
	RECORD_SAMPLE = 9,
	RECORD_SWITCH = 14,
	RECORD_DEFERRED = 22,
	RECORD_HEADER_ATTR = 64,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE = 71,
	RECORD_THREAD_MAP = 73,
	RECORD_CPU_MAP = 74,
	RECORD_STAT_CONFIG = 75,
	RECORD_STAT = 76,
	RECORD_STAT_ROUND = 77,
	RECORD_EVENT_UPDATE = 78,
	RECORD_HEADER_FEATURE = 80,
	RECORD_SCHEDSTAT_CPU = 85,
	RECORD_SCHEDSTAT_DOMAIN = 86,
};

enum {
	FEATURE_BUILD_ID = 2,
	FEATURE_OSRELEASE = 4,
	FEATURE_EVENT_DESC = 12,
	FEATURE_GROUP_DESC = 17,
};

/* sample_type */
enum {
	HAS_IP = 1 << 0,
	HAS_TID = 1 << 1,
	HAS_TIME = 1 << 2,
	HAS_READ = 1 << 4,
	HAS_CHAIN = 1 << 5,
	HAS_CPU = 1 << 7,
	HAS_BRANCHES = 1 << 11,
	HAS_IDENTIFIER = 1 << 16,
};

/* Types and numbers of events, read_format and flags. */
enum { TYPE_SOFTWARE = 1, CPU_CLOCK = 0, TASK_CLOCK = 1, CONTEXT_SWITCHES = 3 };
enum { READ_GROUP_ID = 1 << 2 | 1 << 3, SAMPLE_ID_ALL = 1 << 18 };

/* An event with one instance; its id is `id`. */
struct event {
	uint32_t type;
	uint64_t config;
	uint64_t period;
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags;
	uint64_t id;
	const char *name;
};

size_t begin_record(struct byte_buf *out, uint32_t type);
/* Sets its size, which need not be a multiple of 8. */
void end_record(struct byte_buf *out, size_t start);
/* A text of u32 length, padded to 64 bytes as perf does. */
void put_text(struct byte_buf *out, const char *text);

void put_pipe_header(struct byte_buf *out);
void put_attr(struct byte_buf *out, const struct event *event);
void put_attr_record(struct byte_buf *out, const struct event *event);
/* The feature EVENT_DESC. */
void put_event_names(struct byte_buf *out, const struct event *events, size_t count);
void put_event_desc_record(struct byte_buf *out, const struct event *events,
			   size_t count);
void put_text_feature_record(struct byte_buf *out, uint64_t feature, const char *text);
void put_name_update(struct byte_buf *out, const struct event *event);

/* COMM, with the trailer of an event of sample_type TID, TIME, CPU and IDENTIFIER. */
void put_comm(struct byte_buf *out, const struct event *event, uint64_t time_ns,
	      uint32_t tid, const char *name);

/* MMAP of 4,096 bytes of a file that is nowhere, with the same trailer. */
void put_mapping(struct byte_buf *out, const struct event *event, uint64_t time_ns,
		 uint32_t tid, uint64_t address);

/*
 * The file form: header, attributes, ids, these records, and one feature, OSRELEASE, with
 * the size that the table claims for it; 0: its own.
 */
void put_file(struct byte_buf *out, const struct event *events, size_t count,
	      const struct byte_buf *records, uint64_t claimed);

/*
 * hybrid.c: a machine with two kinds of cores.  Thread 501 runs on both CPUs in turn with
 * 502 and 503, which stay where they are: it has three intervals there and four here.
 */
void put_hybrid(struct byte_buf *out);

#endif
