/*
 * perf.h - what the perf.data readers share: events, their groups and streams.
 *
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h of the Linux kernel; docs/formats/perf-data.md says it
 * in our words.  perf_file.c finds the sections, perf_data.c cuts the data into records,
 * a record is understood by perf_event.c and perf_sample.c, attributes by perf_attr.c,
 * header features by perf_feature.c, tracepoint formats by perf_tracepoint.c.
 */
#ifndef PERFTAB_PERF_H
#define PERFTAB_PERF_H

#include "core/arena.h"
#include "core/cursor.h"
#include "core/map.h"
#include "core/reader.h"

/* Named maxima for counts that come from a file. */
#define PERF_EVENTS_MAX 8192u	   /* attributes */
#define PERF_GROUPS_MAX 1024	   /* switch leaders */
#define PERF_NAME_BYTES_MAX 255u   /* of an event or a thread; longer ones are cut */
#define PERF_FACT_BYTES_MAX 16384u /* of a header text, likewise */
#define PERF_IDS_MAX (4u << 20)	   /* kernel event instances */
#define PERF_FEATURE_BYTES_MAX (32u << 20) /* one header feature section */
#define PERF_FEATURES_MAX 256u		   /* bits in the header's bitmap */

/* Record types: kernel 1.., tools 64..; what is not named here is skipped and counted. */
enum perf_record_type {
	PERF_RECORD_LOST = 2,
	PERF_RECORD_COMM = 3,
	PERF_RECORD_EXIT = 4,
	PERF_RECORD_THROTTLE = 5,
	PERF_RECORD_UNTHROTTLE = 6,
	PERF_RECORD_FORK = 7,
	PERF_RECORD_SAMPLE = 9,
	PERF_RECORD_LOST_SAMPLES = 13,
	PERF_RECORD_SWITCH = 14,
	PERF_RECORD_SWITCH_CPU_WIDE = 15,
	PERF_RECORD_KERNEL_LAST = 22,
	PERF_RECORD_TOOL_FIRST = 64,
	PERF_RECORD_TRACING_DATA = 66,
	PERF_RECORD_FINISHED_ROUND = 68,
	PERF_RECORD_ID_INDEX = 69,
	PERF_RECORD_AUXTRACE = 71,
	PERF_RECORD_COMPRESSED = 81,
	PERF_RECORD_FINISHED_INIT = 82,
	PERF_RECORD_COMPRESSED2 = 83,
	PERF_RECORD_TOOL_LAST = 86,
};

#define PERF_RECORD_HEADER_BYTES 8u

struct perf_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size; /* of the record, header included */
};

enum perf_sample_bit { /* PERF_SAMPLE_* */
		       PERF_IP = 1 << 0,
		       PERF_TID = 1 << 1,
		       PERF_TIME = 1 << 2,
		       PERF_ADDR = 1 << 3,
		       PERF_READ = 1 << 4,
		       PERF_CALLCHAIN = 1 << 5,
		       PERF_ID = 1 << 6,
		       PERF_CPU = 1 << 7,
		       PERF_PERIOD = 1 << 8,
		       PERF_STREAM_ID = 1 << 9,
		       PERF_RAW = 1 << 10,
		       PERF_IDENTIFIER = 1 << 16,
};

enum perf_read_bit { /* PERF_FORMAT_* */
		     PERF_READ_ENABLED = 1 << 0,
		     PERF_READ_RUNNING = 1 << 1,
		     PERF_READ_ID = 1 << 2,
		     PERF_READ_GROUP = 1 << 3,
		     PERF_READ_LOST = 1 << 4,
};

enum perf_type { /* PERF_TYPE_* */
		 PERF_TYPE_HARDWARE = 0,
		 PERF_TYPE_SOFTWARE = 1,
		 PERF_TYPE_TRACEPOINT = 2,
		 PERF_TYPE_HW_CACHE = 3,
		 PERF_TYPE_RAW = 4,
		 PERF_TYPE_BREAKPOINT = 5,
};

enum perf_software { /* PERF_COUNT_SW_* */
		     PERF_SW_CPU_CLOCK = 0,
		     PERF_SW_TASK_CLOCK = 1,
		     PERF_SW_CONTEXT_SWITCHES = 3,
};

/* perf_event_attr flag bits that matter here, counted from bit 0 of the flag word. */
#define PERF_FLAG_FREQ (UINT64_C(1) << 10)
#define PERF_FLAG_SAMPLE_ID_ALL (UINT64_C(1) << 18)
#define PERF_FLAG_USE_CLOCKID (UINT64_C(1) << 25)

/* One field of a tracepoint's recorded format; size 0: the format has no such field. */
struct tracepoint_field {
	uint32_t offset;
	uint32_t size;
	bool is_signed;
};

struct tracepoint_format {
	uint64_t id; /* attr.config of the event */
	struct str system;
	struct str name;
	struct tracepoint_field prev_comm, prev_pid, prev_state, next_comm, next_pid;
	size_t bytes; /* a RAW payload must have to hold all of them */
	struct tracepoint_format *next;
};

/* Where the fields before READ stand in a sample's body, -1: it has none such. */
struct perf_layout {
	int ip, tid, time, cpu, period;
	size_t bytes; /* of all of them */
};

struct perf_event {
	uint32_t type;
	uint64_t config;
	uint64_t period; /* sample_period or sample_freq */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags;
	int32_t clockid;
	uint64_t ids_offset; /* of its ids section, in bytes */
	uint64_t ids_bytes;
	struct str name;	 /* as recorded, or made from type and config */
	struct str counter_name; /* the same, but unique in the trace */
	bool named;		 /* by the file */
	const struct tracepoint_format *format;
	struct perf_group *group; /* member of, NULL: none (yet) */
	size_t slot;
	bool is_switch; /* a leader that fires at every context switch */
	bool declared;	/* its counter row is out */
	struct perf_layout layout;
};

/*
 * Samples of one group instance are all alike: once one was read step by step, the places
 * of what is wanted are known, and the next need only be compared with it.
 */
struct perf_shape {
	size_t bytes;	/* of a body; 0: not known yet */
	size_t read;	/* where READ begins */
	size_t members; /* where its values begin */
	size_t each;	/* bytes a member */
	size_t raw;	/* where RAW's size stands; 0: there is none */
	uint32_t raw_bytes;
};

/* A switch leader and its members, learned from the first sample that reads them. */
struct perf_group {
	int64_t group_id; /* 1, 2, ... in this trace */
	struct perf_event *leader;
	struct perf_event **members; /* leader first; leader alone when nothing is read */
	size_t count;		     /* of values in a read; 0: none */
	bool per_task;
	bool never_rotated;
	bool has_times; /* time_enabled and time_running are read */
};

/* One kernel instance of an event: an id, mostly one per CPU. */
struct perf_stream {
	struct perf_event *event;
	int64_t number; /* dense over leaders that sampled, -1: none yet */
	int64_t task;	/* ID_INDEX: the thread it follows, INT_NONE: all of a CPU */
	int64_t cpu;	/* from ID_INDEX or its samples, INT_NONE: not known (yet) */
	uint64_t *member_ids; /* a leader's, from its first group read */
	struct perf_shape shape;
};

struct perf_fact {
	struct str key, value;
	struct perf_fact *next;
};

/* A COMM, FORK or EXIT record. */
struct perf_task {
	int64_t ts_ns;
	uint64_t offset; /* in the file */
};

/* How far task records were handed out early; see perf_ahead.c.  Offsets in the file. */
struct perf_ahead {
	uint64_t scanned; /* headers before this were looked at */
	uint64_t safe;	  /* samples before this may be read */
	uint64_t round;	  /* end of the last round seen, and of the one before it */
	uint64_t round_before;
	struct perf_task *tasks; /* to hand out before anything else */
	size_t count, next, room;
};

struct perf {
	struct arena arena;
	struct perf_event *events;
	size_t event_count;
	struct map streams; /* id -> struct perf_stream */
	uint64_t last_id;   /* looked up last, and what was found */
	struct perf_stream *last_stream;
	uint64_t ids;		/* read so far, repeated ones too */
	struct map tracepoints; /* attr.config of tracepoint events -> one of them */
	int64_t stream_numbers; /* given out so far */
	int64_t group_count;
	struct tracepoint_format *formats;
	struct perf_fact *facts, **facts_tail;
	struct trace_row trace;

	/* how a record names its event: distance of the id, -1: it does not */
	int id_in_sample;  /* from the start of a sample's body */
	int id_in_trailer; /* from the end of another record */
	bool same_sample_type;

	/* the data section */
	uint64_t data_offset;
	uint64_t data_end; /* or UINT64_MAX: to the end of the input */
	bool unfinished;
	struct perf_ahead ahead;

	/* rows that must go out before the record that needs them */
	struct perf_fact *next_fact;
	struct perf_group *declaring;
	size_t declare_next;
	struct record held;
	bool holding;
	bool data_done;
	size_t last_events; /* events declared at the end */
	struct counter_group_row group_row;
	struct counter_row counter_row;
	struct header_fact_row fact_row;

	/* the last record, decoded */
	union {
		struct switch_event switched;
		struct switch_in_event switched_in;
		struct task_comm_event comm;
		struct task_fork_event fork;
		struct task_exit_event exit;
		struct loss_event loss;
		struct throttled_event throttled;
		struct sampled_event sampled;
	} event;
	uint64_t values[GROUP_COUNTERS_MAX];
	uint64_t value_ids[GROUP_COUNTERS_MAX];
	int64_t value_counter_ids[GROUP_COUNTERS_MAX];
};

static inline struct perf_header perf_header_read(const uint8_t *at)
{
	struct cursor c = cursor_over(at, PERF_RECORD_HEADER_BYTES, 0, false);
	struct perf_header header;

	header.type = cursor_u32(&c);
	header.misc = cursor_u16(&c);
	header.size = cursor_u16(&c);
	return header;
}

/* AUXTRACE and TRACING_DATA are followed by bytes that their record's size leaves out. */
static inline bool perf_has_payload(uint32_t type)
{
	return type == PERF_RECORD_AUXTRACE || type == PERF_RECORD_TRACING_DATA;
}

/* How many; `record` is the whole record. */
static inline uint64_t perf_payload_size(const struct perf_header *header,
					 const uint8_t *record)
{
	struct cursor c = cursor_over(record, header->size, 0, false);

	cursor_skip(&c, PERF_RECORD_HEADER_BYTES);
	if (header->type == PERF_RECORD_AUXTRACE)
		return cursor_u64(&c);
	return ((uint64_t)cursor_u32(&c) + 7) / 8 * 8; /* padded */
}

/* perf_data.c: the next record; reader_ops.next once the data section is found. */
enum status perf_data_next(struct reader *reader, struct record *out);

/* perf_ahead.c: looks through what can be buffered; fills perf->ahead. */
void perf_look_ahead(struct reader *reader);

/* perf_attr.c: one attribute of `size` bytes; the rest of what it lacks is zero. */
void perf_attr_read(struct cursor *attr, struct perf_event *event);
/* Names for events the file does not name, unique names, roles; after the features. */
MUST_CHECK enum status perf_events_settle(struct reader *reader);
/* The id belongs to the event; false when out of memory or over PERF_IDS_MAX. */
bool perf_event_add_id(struct perf *perf, struct perf_event *event, uint64_t id);

/* perf_feature.c: one header feature section, already in memory. */
void perf_feature_read(struct reader *reader, unsigned int feature,
		       struct cursor *section);
/* "HOSTNAME" for 3, or NULL for features this version does not know. */
const char *perf_feature_name(unsigned int feature);

/* perf_tracepoint.c: the TRACING_DATA blob; keeps the formats that events use. */
void perf_tracing_data_read(struct reader *reader, struct cursor *blob);
/*
 * A field of a RAW payload that has format->bytes, as a number; INT_NONE: no such field.
 */
static inline __attribute__((always_inline)) int64_t tracepoint_int(
	const struct tracepoint_field *field, const uint8_t *raw, bool big_endian)
{
	struct cursor c = cursor_over(raw + field->offset, field->size, 0, big_endian);

	switch (field->size) {
	case 4:
		return field->is_signed ? (int32_t)cursor_u32(&c)
					: (int64_t)cursor_u32(&c);
	case 8:
		return (int64_t)cursor_u64(&c);
	case 2:
		return field->is_signed ? (int16_t)cursor_u16(&c)
					: (int64_t)cursor_u16(&c);
	case 1:
		return field->is_signed ? (int8_t)cursor_u8(&c) : (int64_t)cursor_u8(&c);
	default:
		return INT_NONE;
	}
}

/*
 * perf_sample.c: the layout of an event's samples, and one sample (as perf_record_read).
 */
void perf_sample_layout(struct perf_event *event);
enum status perf_sample_read(struct reader *reader, const struct cursor *record,
			     struct record *out);

/* The id of an instance's counter row, INT_NONE for NULL. */
static inline int64_t perf_counter_id(const struct perf *perf,
				      const struct perf_stream *stream)
{
	return stream ? stream->event - perf->events + 1 : INT_NONE;
}

/* The trace reaches from the first to the last time in any record; 0 is no time. */
static inline void perf_note_time(struct perf *perf, int64_t ts_ns)
{
	if (ts_ns == INT_NONE || ts_ns == 0)
		return;
	if (perf->trace.first_ns == INT_NONE || ts_ns < perf->trace.first_ns)
		perf->trace.first_ns = ts_ns;
	if (perf->trace.last_ns == INT_NONE || ts_ns > perf->trace.last_ns)
		perf->trace.last_ns = ts_ns;
}

/* perf_event.c: the time of a whole COMM, FORK or EXIT record; INT_NONE: it has none. */
int64_t perf_task_time(struct perf *perf, const uint8_t *record,
		       const struct perf_header *header);
/* perf_event.c: the body of one record.  ST_OK: reader-owned *out is filled; ST_END: it
 * holds nothing for anybody.  out->offset and out->data are given. */
enum status perf_record_read(struct reader *reader, struct cursor *body,
			     const struct perf_header *header, struct record *out);

#endif
