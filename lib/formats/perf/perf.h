/*
 * perf.h - what the perf.data readers share: events, their groups and streams.
 *
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h of the Linux kernel; docs/formats/perf-data.md says it
 * in our words.
 *
 * From the outside in: open.c and sections.c find the sections and describe the
 * events (attrs.c, features.c, tracepoint_formats.c).  The records come from the
 * input, or through layers that make one stream of records of what is there:
 * decompress.c (compressed pieces), merge.c (the files of a directory),
 * order.c (rings that were written backward).  lookahead.c looks through the
 * headers of what is buffered and finds what cannot be a record (resync.c);
 * walk.c hands out the records one by one.  What a record says is read by
 * sample.c and sample_fields.c, records.c (what attribution needs), kernel_rows.c and
 * tool_rows.c (rows).
 */
#ifndef PERFTAB_PERF_H
#define PERFTAB_PERF_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/map.h"
#include "formats/perf/layout.h"
#include "model/emit.h"
#include "model/reader.h"

/* Named maxima for counts that come from a file. */
#define PERF_EVENTS_MAX 8192u	   /* attributes */
#define PERF_GROUPS_MAX 1024	   /* switch leaders */
#define PERF_NAME_BYTES_MAX 255u   /* of an event or a thread; longer ones are cut */
#define PERF_FACT_BYTES_MAX 16384u /* of a header text, likewise */
#define PERF_FACTS_MAX 65536u	   /* header texts */
#define PERF_FACTS_BYTES_MAX (8u << 20)
#define PERF_IDS_MAX (4u << 20)		   /* kernel event instances */
#define PERF_RINGS_MAX 8192u		   /* rings, and files of a directory */
#define PERF_FEATURE_BYTES_MAX (32u << 20) /* one header feature section */
#define PERF_FEATURES_MAX 256u		   /* bits in the header's bitmap */

/* Return addresses of one sample: what fits a record. */
#define PERF_CHAIN_MAX 8192u
#define PERF_BRANCHES_MAX 2730u
#define PERF_REGISTERS_MAX 128u
/* Content that is kept as bytes. */
#define PERF_OTHER_BYTES_MAX 65536u
#define PERF_CONTENT_BYTES_MAX (1u << 20)

/* How a field of a tracepoint becomes a column. */
enum tracepoint_kind {
	TRACEPOINT_INT,	 /* 1, 2, 4 or 8 bytes */
	TRACEPOINT_TEXT, /* characters up to the first NUL */
	TRACEPOINT_BLOB,
	TRACEPOINT_DATA_LOC, /* u32 offset | length << 16 of what follows the fields */
	TRACEPOINT_REL_LOC,  /* the same, the offset counted from the field's end */
};

/* One field of a tracepoint's recorded format; size 0: the format has no such field. */
struct tracepoint_field {
	uint32_t offset;
	uint32_t size;
	bool is_signed;
	enum tracepoint_kind kind;
	bool is_text; /* what a location leads to: characters, else bytes */
	struct str name;
	struct str declaration; /* "char prev_comm[16]" */
};

struct tracepoint_format {
	uint64_t id; /* attr.config of the event */
	struct str system;
	struct str name;
	struct tracepoint_field prev_comm, prev_pid, prev_state, next_comm, next_pid;
	size_t bytes;			 /* a RAW payload must have to hold all of them */
	struct tracepoint_field *fields; /* all of them, in order */
	size_t field_count;
	const char *from; /* file, tracefs or shape */
	/* tracepoint_rows.c */
	struct table *table;  /* NULL: none yet */
	struct table *detail; /* of a leader whose switches have rows already */
	struct traced_head *row;
	uint64_t *mask;	   /* bytes of the payload that make a detail */
	uint64_t *factors; /* of its words, for their hash */
	struct map details;
	const struct detail *last_detail; /* found last */
	size_t detail_bytes;
	bool has_no_details; /* too long, or no memory */
	int64_t last_detail_id;
	bool announced, detail_announced;
	struct tracepoint_format *next;
};

/* Where the fields before READ stand in a sample's body, -1: it has none such. */
struct perf_layout {
	int ip, tid, time, addr, cpu, period;
	size_t bytes; /* of all of them */
};

struct perf_event {
	uint32_t type;
	uint64_t config;
	uint64_t period; /* sample_period or sample_freq */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags;
	uint64_t branch_sample_type;
	uint64_t regs_user, regs_intr;
	int32_t clockid;
	size_t number;	     /* 0, 1, ... in the trace */
	uint64_t ids_offset; /* of its ids section, in bytes */
	uint64_t ids_bytes;
	struct str name;	 /* as recorded, or made from type and config */
	struct str counter_name; /* the same, but unique in the trace */
	struct str unit;
	bool named; /* by the file */
	struct tracepoint_format *format;
	struct perf_group *group; /* member of, NULL: none (yet) */
	size_t slot;
	bool is_switch;	     /* a leader that fires at every context switch */
	size_t told_members; /* of the group that it leads, by GROUP_DESC; 0: not told */
	bool declared;	     /* its counter row is out */
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
	int64_t number;	     /* dense over leaders that sampled, -1: none yet */
	int64_t task;	     /* ID_INDEX: the thread it follows, INT_NONE: all of a CPU */
	int64_t cpu;	     /* from ID_INDEX or its samples, INT_NONE: not known (yet) */
	bool is_indexed;     /* from ID_INDEX */
	int64_t suspect_cpu; /* another one that the last sample had, + 1 */
	uint64_t *member_ids; /* a leader's, from its first group read */
	uint64_t suspect;     /* hash of other ids that the last read had */
	struct perf_shape shape;
};

/* A COMM, FORK or EXIT record. */
struct perf_task {
	int64_t ts_ns;
	uint64_t offset; /* in the stream of records */
};

/* Bytes that are no records. */
struct perf_gap {
	uint64_t from, to;
	const char *reason; /* of the first record in it */
	uint64_t value;	    /* what the reason is about */
};

/*
 * What was seen ahead, see lookahead.c.  Offsets in the stream of records.
 */
struct perf_ahead {
	uint64_t
		scanned; /* headers before this were looked at, and are records or gaps */
	uint64_t safe;	 /* samples before this may be read */
	uint64_t round;	 /* end of the last round seen, and of the one before it */
	uint64_t round_before;
	uint64_t last;		 /* the record before `scanned`, for resync */
	uint64_t noted_to;	 /* task records before this were handed out */
	uint64_t reopened_to;	 /* but not those before this: a record hid them */
	struct perf_task *tasks; /* to hand out before anything else */
	size_t count, next, room;
	struct perf_gap *gaps; /* in order, all before `scanned`; each stays until it is
				* skipped */
	size_t gap_count, gap_next, gap_room;
	bool lost; /* in the middle of a gap */
};

/* A sample, read up to RAW. */
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

struct perf {
	struct arena arena;
	struct perf_event **events;
	size_t event_count, event_room;
	size_t settled; /* events before this have their names and roles */
	struct map names_taken;
	bool big_endian;
	bool is_pipe;
	bool described; /* what comes before the first record of the kernel is known */
	struct map streams; /* id -> struct perf_stream */
	uint64_t last_id;   /* looked up last, and what was found */
	struct perf_stream *last_stream;
	uint64_t ids;		/* read so far, repeated ones too */
	struct map tracepoints; /* attr.config of tracepoint events -> one of them */
	int64_t stream_numbers; /* given out so far */
	int64_t group_count;
	struct tracepoint_format *formats;
	struct arena detail_arena; /* tracepoint_rows.c */
	size_t detail_memory;
	size_t fact_count, fact_bytes, cpu_map_rows; /* rows that were emitted */
	uint64_t features_met[PERF_FEATURES_MAX / 64];
	struct map pmus;	/* attr.type -> name, an arena text */
	struct str given_names; /* --events, what is left of it */
	struct trace_row trace;

	/* how a record names its event: distance of the id, -1: it does not */
	int id_in_sample;	/* from the start of a sample's body */
	int id_in_trailer;	/* from the end of another record */
	uint64_t record_offset; /* in the input, of the record being read; not of samples
				 */
	size_t ring_count;	/* that ID_INDEX knows */
	bool same_sample_type;

	/* the data section */
	uint64_t data_offset;
	uint64_t data_end; /* or UINT64_MAX: to the end of the input */
	bool unfinished;
	bool is_directory;
	struct input *input;	    /* the reader's */
	struct input *in;	    /* the stream of records: that one, or a layer */
	struct perf_expand *expand; /* layers, NULL: not needed */
	struct perf_merge *merge;
	struct perf_order *order;
	struct perf_ahead ahead;
	struct perf_gap gap; /* being skipped; from == to: none */
	uint64_t counts[PERF_COUNTED_TYPES];
	struct findings *findings; /* the reader's */
	uint64_t other_types;	   /* records of types beyond those */
	size_t sample_left;	   /* bytes of the last sample that no field of it uses */

	/* rows that go out before the next record is read, and what the end has given */
	struct emit emit;
	bool data_done, counters_done, trace_done;
	int64_t stat_round; /* rounds of perf stat that are over */

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
		struct mmap_row mmap;
		struct build_id_row build_id;
		struct counter_read_row counter_read;
		struct aux_row aux;
		struct cgroup_row cgroup;
		struct namespace_row namespace;
		struct ksymbol_row ksymbol;
		struct bpf_event_row bpf_event;
		struct text_poke_row text_poke;
		struct stat_row stat;
		struct stat_round_row stat_round;
		struct thread_map_row thread_map;
		struct cpu_map_row cpu_map;
		struct other_record_row other_record;
	} event;
	char event_text[2 * 64 + 1]; /* hexadecimal texts and numbers in them */
	uint64_t *chain;	     /* sample_fields.c; NULL: not needed yet */
	struct sample_branch_row *branches;
	struct sample_register_row *registers;
	struct perf_event *members[GROUP_COUNTERS_MAX]; /* groups.c */
	uint64_t values[GROUP_COUNTERS_MAX];
	uint64_t value_ids[GROUP_COUNTERS_MAX];
	int64_t value_counter_ids[GROUP_COUNTERS_MAX];
};

/* trace_rows.c: emit a group and its counters; all other counters, and how many records
 * there were of each type; the trace. */
void perf_emit_group(struct perf *perf, const struct perf_group *group);
void perf_emit_counters(struct perf *perf);
void perf_emit_trace(struct perf *perf);

/* walk.c: the next record; reader_ops.next once the data section is found. */
enum status perf_data_next(struct reader *reader, struct record *out);
/* Puts records in order where events were written backward; once the events are known. */
MUST_CHECK enum status perf_data_order(struct reader *reader);

/* lookahead.c: looks through what can be buffered; fills perf->ahead. */
MUST_CHECK enum status perf_look_ahead(struct reader *reader);
/*
 * Forgets what was seen ahead: the next look begins at the input's place.  For whoever
 * changes that place, or what stands there.
 */
void perf_look_anew(struct perf *perf);

/*
 * resync.c: how many bytes a record takes at `at`, `have` of which can be looked at
 * (8 at least).  Two parts, because what follows some records is not in their size:
 * *whole is the record with its payload.  NULL: it can be a record; else why not, about
 * *value.
 */
const char *perf_extent(const struct perf *perf, const uint8_t *at, size_t have,
			uint32_t *record, uint64_t *whole, uint64_t *value);
/* Records follow one another in these bytes, from their beginning. */
bool perf_holds_records(const struct perf *perf, const uint8_t *at, size_t size);
/*
 * The record of `size` bytes has whole records behind all that its type can hold: its
 * size is wrong.
 */
bool perf_is_oversized(const struct perf *perf, const uint8_t *at, uint32_t size);
/*
 * The place of the next plausible record in [from, limit) of a window of which `base` is
 * byte 0; limit when there is none.  `last`: nothing comes behind the limit.
 */
uint64_t perf_resync(const struct perf *perf, const uint8_t *window, uint64_t base,
		     uint64_t from, uint64_t limit, bool last);
/*
 * A type that nobody knows: nothing like a record follows it, or records stand within it.
 */
bool perf_is_unlikely(const struct perf *perf, const uint8_t *at, size_t have,
		      uint64_t whole);
/*
 * Past what cannot be a record at the input's place, up to the next that can; tells the
 * gap.  `file` is named if it is not "".
 */
void perf_skip_damage(struct reader *reader, struct input *in, uint64_t limit,
		      const char *file, const char *reason, uint64_t value);
/* Reasons: the file's end inside a record; a type that is_unlikely. */
extern const char perf_over_end[], perf_no_type[];
/* The header at `at` can be the beginning of a record of `have` bytes or more. */
bool perf_plausible(const struct perf *perf, const uint8_t *at, size_t have);

/*
 * attrs.c: a new event; NULL when out of memory or over PERF_EVENTS_MAX.  `attr` has
 * what there is of it, the rest is zero.
 */
struct perf_event *perf_event_new(struct perf *perf, struct cursor *attr);
/* What an attribute at `at` says of its own size, at most `room`. */
size_t perf_attr_size(struct cursor attr, size_t room);
/* A name, its role, the places of its samples' fields: once all of it is known. */
MUST_CHECK enum status perf_event_settle(struct reader *reader, struct perf_event *event);
/* settle.c: the same for all new events, after the names that the user gave. */
MUST_CHECK enum status perf_events_settle(struct reader *reader);
/* The id belongs to the event; false when out of memory or over PERF_IDS_MAX. */
bool perf_event_add_id(struct perf *perf, struct perf_event *event, uint64_t id);
/* A name that the file gives it; too late once its counter is declared. */
void perf_event_rename(struct perf *perf, struct perf_event *event, struct str name);
/* It has a format now: is it a switch leader? */
void perf_event_find_role(struct reader *reader, struct perf_event *event);

/* features.c: one header feature section, already in memory. */
void perf_feature_read(struct reader *reader, unsigned int feature,
		       struct cursor *section);
/* The same, but it could not be loaded; it is listed. */
void perf_feature_drop(struct reader *reader, unsigned int feature, uint64_t offset,
		       uint64_t bytes);
/* "HOSTNAME" for 3, or NULL for features this version does not know. */
const char *perf_feature_name(unsigned int feature);
/* A row of header_fact; returns the value as kept. */
struct str perf_add_fact(struct perf *perf, const char *key, struct str value);
/* Hexadecimal digits of up to 64 bytes, in perf->event_text. */
struct str perf_hex(struct perf *perf, const uint8_t *bytes, size_t count);

/* tracepoint_formats.c: the TRACING_DATA blob; keeps the formats that events use. */
void perf_tracing_data_read(struct reader *reader, struct cursor *blob);
/* Which formats are wanted: before perf_format_read(). */
void perf_index_tracepoints(struct perf *perf);
/* One format, as the kernel writes it; given to every event that it is of. */
void perf_format_read(struct reader *reader, struct str system, struct str text,
		      const char *from);

/* fallback.c: names (--events) and formats (--tracefs) that the user knows. */
MUST_CHECK enum status perf_given_names(struct reader *reader);
void perf_given_formats(struct reader *reader);
/* sched_switch by the shape of its payload: see docs/formats/perf-data.md. */
void perf_assume_format(struct reader *reader, struct perf_event *event,
			const uint8_t *raw, size_t raw_size, uint64_t offset);

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

/* sample.c: one sample (as perf_record_read). */
enum status perf_sample_read(struct reader *reader, struct cursor *body, uint16_t misc,
			     struct record *out);
/* READ of an event, or of the group that it leads: values, and their ids if it has any.
 */
bool perf_counts_read(struct perf *perf, const struct perf_event *event, struct cursor *c,
		      struct perf_sample *sample);

struct perf_trailer;
/*
 * exit_read.c: a READ record that has a whole group: of a thread which ends, or of a CPU;
 * *out is the last switch of that thread, or a read.  False: it is another kind of READ.
 */
bool perf_group_read(struct reader *reader, const struct perf_trailer *id,
		     struct cursor body, struct record *out);

/*
 * groups.c: the group of a leader, learned if this is its first sample; NULL: it
 * cannot be named.
 */
struct perf_group *perf_group_of(struct reader *reader, struct perf_stream *stream,
				 const struct perf_sample *sample, uint64_t offset);
/* The sample reads what the stream's samples read. */
bool perf_same_members(struct perf *perf, struct perf_stream *stream,
		       const struct perf_group *group, const struct perf_sample *sample);
/* The instance of the first event on a CPU, for samples without an id. */
struct perf_stream *perf_lone_stream(struct perf *perf, int64_t cpu);

/* sample_fields.c: the call chain and what stands behind RAW; false: it does not fit. */
bool perf_tail_read(struct perf *perf, const struct perf_event *event, struct cursor *c,
		    const struct perf_sample *sample, struct sampled_event *out);
/* The same without keeping anything: past the end of the fields that are known. */
bool perf_tail_skip(const struct perf_event *event, struct cursor *c);

/*
 * tracepoint_rows.c: the row of the event's own table that belongs to the sample just
 * read.  ST_OK: it has none.  ST_END: that row was emitted, and *out before it.
 */
enum status perf_traced_row(struct perf *perf, const struct perf_event *event,
			    const struct perf_sample *sample, bool of_switch,
			    bool big_endian, const struct record *out);
/*
 * The id of the detail of a leader's payload.  If it is format->last_detail_id, and was
 * not before, it is new.
 */
int64_t perf_traced_detail(struct perf *perf, const struct perf_event *event,
			   const uint8_t *raw, size_t raw_size, bool big_endian);
/* Emits the row of the detail that is new. */
void perf_emit_detail(struct perf *perf, struct tracepoint_format *format);

/* The id of an instance's counter row, INT_NONE for NULL. */
static inline int64_t perf_counter_id(const struct perf_stream *stream)
{
	return stream ? (int64_t)stream->event->number + 1 : INT_NONE;
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

/* The trailer that all records but samples may have; what it lacks is INT_NONE. */
struct perf_trailer {
	int64_t pid, tid, ts_ns, cpu;
	struct perf_stream *stream;
};
/* records.c: how long it is, 0 when there is none. */
uint32_t perf_trailer_bytes(const struct perf *perf);
/* records.c: takes it off the end of the record. */
struct perf_trailer perf_take_trailer(struct perf *perf, struct cursor *body);
/* records.c: the time of a whole record other than a sample; INT_NONE: it has none. */
int64_t perf_record_time(struct perf *perf, const uint8_t *record,
			 const struct perf_header *header);
/* records.c: the same of any record of the kernel; a sample's stands elsewhere. */
int64_t perf_time_of(struct perf *perf, const uint8_t *record,
		     const struct perf_header *header);
/*
 * records.c: the body of one record.  ST_OK: reader-owned *out is filled; ST_END: it
 * holds nothing for anybody.  out->offset and out->data are given.
 */
enum status perf_record_read(struct reader *reader, struct cursor *body,
			     const struct perf_header *header, struct record *out);
/* kernel_rows.c and tool_rows.c: the same for records that become rows. */
enum status perf_side_read(struct reader *reader, struct cursor *body,
			   const struct perf_header *header, struct record *out);
enum status perf_tool_read(struct reader *reader, struct cursor *body,
			   const struct perf_header *header, struct record *out);
/* kernel_rows.c: a record without a table of its own, as bytes. */
enum status perf_record_keep(struct reader *reader, struct cursor *body,
			     const struct perf_header *header, struct record *out);
/* tool_rows.c: a BUILD_ID record, or an entry of the feature: perf->event.build_id. */
bool perf_build_id_read(struct perf *perf, struct cursor *body, uint16_t misc,
			struct record *out);
/* "SAMPLE" for 9, NULL for types this version does not know. */
const char *perf_record_name(uint32_t type);
/* Counts a record of the type. */
static inline void perf_count(struct perf *perf, uint32_t type)
{
	if (type < 128)
		perf->counts[type]++;
	else if (type >= PERF_RECORD_SIMPLEPERF_FIRST &&
		 type < PERF_RECORD_SIMPLEPERF_FIRST + 64)
		perf->counts[type - PERF_RECORD_SIMPLEPERF_FIRST + 128]++;
	else
		perf->other_types++;
}

#endif
