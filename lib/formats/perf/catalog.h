/*
 * catalog.h - the events of a perf.data: attributes, ids, names, groups.
 *
 * An event is an attribute.  The kernel makes an instance of it for each CPU or task, a
 * stream, which has an id.  Events that are read together are a group; its leader fires.
 */
#ifndef PERFTAB_PERF_CATALOG_H
#define PERFTAB_PERF_CATALOG_H

#include "base/arena.h"
#include "base/buffer_bytes.h"
#include "base/cursor.h"
#include "base/map.h"
#include "formats/perf/layout.h"
#include "model/reader.h"

/* Named maxima for counts that come from a file. */
#define PERF_EVENTS_MAX 8192u	 /* attributes */
#define PERF_GROUPS_MAX 1024	 /* switch leaders */
#define PERF_NAME_BYTES_MAX 255u /* of an event or a thread; longer ones are cut */
#define PERF_IDS_MAX (4u << 20)	 /* kernel event instances */
#define PERF_RINGS_MAX 8192u	 /* rings, and files of a directory */
#define PERF_FEATURE_BYTES_MAX (32u << 20) /* one header feature section, or payload */
#define PERF_CONTENT_BYTES_MAX BUFFER_SIZE(1u << 20, 1u << 15) /* content kept as bytes */

/* Offsets of the fields before READ in a sample's body; -1: absent. */
struct perf_layout {
	int ip, tid, time, addr, cpu, period;
	size_t bytes; /* of all these fields */
};

struct perf_edge; /* tracepoints.h */

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
	struct str counter_name; /* the name, made unique in the trace */
	struct str unit;
	bool named; /* the file names it */
	struct tracepoint_format *format;
	struct perf_edge *edge;	  /* the edge of an interrupt; NULL: it is not one */
	struct perf_group *group; /* that it is a member of; NULL: none so far */
	size_t slot;
	bool is_switch;		 /* a leader that fires at every context switch */
	size_t declared_members; /* by GROUP_DESC, of the group that it leads; 0: none */
	bool emitted;		 /* its counter row was emitted */
	struct perf_stream *streams, *last_stream; /* its ids in the order of the file */
	size_t id_count;
	struct perf_layout layout;
};

/*
 * The layout of the samples of a stream, learned from the first one that is decoded step
 * by step.  Later ones are only compared with it (sample_fast.c).
 */
struct perf_shape {
	size_t bytes;		       /* of a body; 0: unknown so far */
	size_t read;		       /* where READ begins */
	size_t enabled, running, lost; /* in the body, 0: not read */
	size_t members;		       /* where its values begin */
	size_t each;		       /* bytes a member */
	size_t raw;		       /* offset of RAW's size; 0: no RAW */
	uint32_t raw_bytes;
	size_t cgroup;		   /* offset; 0: not recorded */
	size_t prev_pid, next_pid; /* offsets in the payload; 0: not a tracepoint */
	size_t prev_state, prev_comm, next_comm;
	bool is_long_state, has_comms;
};

/* A switch leader and its members, learned from the first sample that reads them. */
struct perf_group {
	int64_t group_id; /* 1, 2, ... in this trace */
	struct perf_event *leader;
	struct perf_event *
		*members; /* leader first; only the leader if nothing is read */
	size_t count;	  /* of values in a read; 0: none */
	bool per_task;
	bool per_cgroup;
	bool never_rotated;
	bool has_times;		  /* time_enabled and time_running are read */
	struct edge_slots *edges; /* NULL: it samples no edges of interrupts */
};

/* One kernel instance of an event: an id, mostly one per CPU. */
struct perf_stream {
	struct perf_event *event;
	struct perf_stream *next; /* of the same event */
	int64_t number;		  /* dense over leaders with samples; -1: none so far */
	int64_t task;	 /* tid that it follows; INT_NONE: unknown, or it follows a CPU */
	int64_t cpu;	 /* from ID_INDEX or its samples, INT_NONE: unknown */
	bool is_indexed; /* task and cpu are from ID_INDEX or scope.c */
	bool on_one_cpu; /* it counts only on `cpu` */
	int64_t suspect_cpu;  /* other CPU of the last sample, + 1; 0: none */
	uint64_t *member_ids; /* of a leader, from its first group read */
	uint64_t suspect;     /* hash of other member ids of the last read */
	struct perf_shape shape;
	const struct perf_pattern *summed; /* known to sums_ahead.c; NULL: none */
};

/* What was recorded: tasks, or all of some CPUs. */
struct perf_scope {
	bool is_found;	     /* perf_find_scope() was called */
	bool is_indexed;     /* ID_INDEX has the scope of each stream */
	bool follows_tasks;  /* without an ID_INDEX: all streams */
	bool follows_cgroup; /* counts only while tasks of a control group run */
	bool has_task_switches, has_cpu_switches; /* SWITCH, SWITCH_CPU_WIDE records */
	int32_t *tids; /* of the first THREAD_MAP; tid -1: all */
	size_t tid_count;
	uint64_t cpus[CPU_MAX / 64]; /* of CPU_MAP */
	size_t cpu_count;
};

struct perf_catalog {
	struct arena arena; /* for as long as the trace */
	bool big_endian;
	struct perf_event **events;
	size_t event_count, event_room;
	size_t settled; /* events before this have their names and roles */
	struct map names_taken;
	struct map pmus;	   /* attr.type -> name, an arena text */
	struct str fallback_names; /* unused rest of --events */
	/* EVENT_DESC and GROUP_DESC of a pipe, from before its attributes. */
	struct str early_names, early_groups;
	struct map streams; /* id -> struct perf_stream */
	uint64_t last_id;   /* looked up last; its stream is last_stream */
	struct perf_stream *last_stream;
	uint64_t ids;		/* decoded so far, including repeated ones */
	int64_t stream_numbers; /* assigned so far */
	int64_t group_count;
	size_t ring_count; /* rings in ID_INDEX */
	struct perf_scope scope;
	struct map tracepoints; /* attr.config of tracepoint events -> one of them */
	struct tracepoint_format *formats;
	struct { /* tracepoint_details.c: remembered details */
		struct arena arena;
		size_t bytes;
	} details;
	/* Where records have the id of their event; -1: nowhere. */
	int id_in_sample;	   /* offset from the start of a sample's body */
	int id_in_trailer;	   /* distance from the end of another record */
	size_t named_sample_bytes; /* of a sample up to its id; SIZE_MAX: no id */
	bool same_sample_type;
};

/*
 * attrs.c: adds an event; NULL when out of memory or over PERF_EVENTS_MAX.  `attr` may be
 * short: the rest is zero.
 */
struct perf_event *perf_add_event(struct perf_catalog *catalog, struct cursor *attr);
/* Returns the size that an attribute claims, at most `room`. */
size_t perf_attr_size(struct cursor attr, size_t room);
/* Adds an id of the event; false when out of memory or over PERF_IDS_MAX. */
bool perf_add_id(struct perf_catalog *catalog, struct perf_event *event, uint64_t id);
/* Sets a name from the file; ignored once the event's counter was emitted. */
void perf_rename_event(struct perf_catalog *catalog, struct perf_event *event,
		       struct str name);
/* Decides whether the event is a switch leader, once its format is known. */
void perf_find_role(struct reader *reader, struct perf_event *event);
/* Completes an event: its name, its role, the offsets in its samples. */
MUST_CHECK enum status perf_settle_event(struct reader *reader, struct perf_event *event);
/* settle.c: perf_settle_event() for all new events, after the fallbacks of the user. */
MUST_CHECK enum status perf_settle_events(struct reader *reader);
/* Returns whether an event samples addresses of code, in call chains or as such. */
bool perf_samples_addresses(const struct perf_catalog *catalog);
/* groups.c: gets the stream of the first event on a CPU, for samples without an id. */
struct perf_stream *perf_intern_lone_stream(struct perf_catalog *catalog, int64_t cpu);
/* fallback.c: set names (--events) and formats (--tracefs) from the user. */
MUST_CHECK enum status perf_check_tracefs(struct reader *reader);
MUST_CHECK enum status perf_use_fallback_names(struct reader *reader);
MUST_CHECK enum status perf_use_fallback_formats(struct reader *reader);

/* scope.c: notes the tasks of a THREAD_MAP record; false: out of memory. */
bool perf_note_threads(struct perf_catalog *catalog, struct cursor body);
/* Notes a CPU of a CPU_MAP record. */
void perf_note_cpu(struct perf_scope *scope, int64_t cpu);

/* trailer.c: returns the bytes of the trailer of records; 0: none. */
uint32_t perf_trailer_bytes(const struct perf_catalog *catalog);
/* Returns the time of a whole record other than a sample; INT_NONE: none. */
int64_t perf_record_time(struct perf_catalog *catalog, const uint8_t *record,
			 const struct perf_header *header);
/* Returns the time of any whole record of the kernel, also of samples. */
int64_t perf_any_record_time(struct perf_catalog *catalog, const uint8_t *record,
			     const struct perf_header *header);

/* names.c: returns "SAMPLE" for 9, NULL for types this version does not know. */
const char *perf_record_name(uint32_t type);
/* Returns "HOSTNAME" for 3, NULL for unknown features. */
const char *perf_feature_name(unsigned int feature);

/* Returns the stream with that id, or NULL. */
static inline struct perf_stream *perf_find_stream(struct perf_catalog *catalog,
						   uint64_t id)
{
	/* A ring is written in one piece: mostly the id is that of the sample before. */
	if (UNLIKELY(!catalog->last_stream || id != catalog->last_id)) {
		catalog->last_id = id;
		catalog->last_stream = map_get(&catalog->streams, id);
	}
	return catalog->last_stream;
}

/* Returns whether the stream follows one task, known or not. */
static inline bool perf_follows_task(const struct perf_catalog *catalog,
				     const struct perf_stream *stream)
{
	return stream->task != INT_NONE || catalog->scope.follows_tasks;
}

/* Returns the id of a stream's counter row; INT_NONE for NULL. */
static inline int64_t perf_counter_id(const struct perf_stream *stream)
{
	return stream ? (int64_t)stream->event->number + 1 : INT_NONE;
}

#endif
