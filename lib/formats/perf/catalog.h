/*
 * catalog.h - what a perf.data says of its events: attributes, ids, names, groups.
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
#define PERF_CONTENT_BYTES_MAX BUFFER_SIZE(1u << 20, 1u << 15) /* that is kept as bytes */

/* Offsets of the fields before READ in a sample's body; -1: absent. */
struct perf_layout {
	int ip, tid, time, addr, cpu, period;
	size_t bytes; /* of all of them */
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
	struct str counter_name; /* the same, but unique in the trace */
	struct str unit;
	bool named; /* by the file */
	struct tracepoint_format *format;
	struct perf_edge *edge;	  /* an interrupt begins or ends; NULL: it is not that */
	struct perf_group *group; /* member of, NULL: none (yet) */
	size_t slot;
	bool is_switch;		 /* a leader that fires at every context switch */
	size_t declared_members; /* of the group that it leads, by GROUP_DESC; 0: none */
	bool emitted;		 /* its counter row */
	struct perf_stream *streams, *last_stream; /* its ids, as they come in the file */
	size_t id_count;
	struct perf_layout layout;
};

/*
 * Samples of one stream are all alike.  After one was decoded step by step, the offsets
 * are known and the next one is only compared with it (sample_fast.c).
 */
struct perf_shape {
	size_t bytes;		       /* of a body; 0: not known (yet) */
	size_t read;		       /* where READ begins */
	size_t enabled, running, lost; /* in the body, 0: not read */
	size_t members;		       /* where its values begin */
	size_t each;		       /* bytes a member */
	size_t raw;		       /* of RAW's size; 0: there is none */
	uint32_t raw_bytes;
	size_t cgroup;		   /* 0: not recorded */
	size_t prev_pid, next_pid; /* in the payload; 0: it is not a tracepoint */
	size_t prev_state, prev_comm, next_comm;
	bool is_long_state, has_comms;
};

/* A switch leader and its members, learned from the first sample that reads them. */
struct perf_group {
	int64_t group_id; /* 1, 2, ... in this trace */
	struct perf_event *leader;
	struct perf_event **members; /* leader first; leader alone when nothing is read */
	size_t count;		     /* of values in a read; 0: none */
	bool per_task;
	bool per_cgroup;
	bool never_rotated;
	bool has_times;		  /* time_enabled and time_running are read */
	struct edge_slots *edges; /* NULL: none of an interrupt is sampled */
};

/* One kernel instance of an event: an id, mostly one per CPU. */
struct perf_stream {
	struct perf_event *event;
	struct perf_stream *next; /* of the same event */
	int64_t number;		  /* dense over leaders that sampled, -1: none yet */
	int64_t task;	      /* the thread it follows; INT_NONE: unknown, or of a CPU */
	int64_t cpu;	      /* from ID_INDEX or its samples, INT_NONE: unknown */
	bool is_indexed;      /* from ID_INDEX, or placed by scope.c */
	bool on_one_cpu;      /* it counts only there */
	int64_t suspect_cpu;  /* another one that the last sample had, + 1 */
	uint64_t *member_ids; /* a leader's, from its first group read */
	uint64_t suspect;     /* hash of other ids that the last read had */
	struct perf_shape shape;
	const struct perf_pattern *summed; /* sums_ahead.c knows it; NULL: it does not */
};

/* What was recorded: tasks, or all of some CPUs. */
struct perf_scope {
	bool is_found;	     /* the members that follow tasks are set */
	bool is_indexed;     /* ID_INDEX has it for each stream */
	bool follows_tasks;  /* without an ID_INDEX: all streams */
	bool follows_cgroup; /* counts only while tasks of a control group run */
	bool has_task_switches, has_cpu_switches; /* SWITCH, SWITCH_CPU_WIDE records */
	int32_t *tids;				  /* of the first THREAD_MAP; -1: all */
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
	struct str fallback_names; /* --events, what is left of it */
	/* EVENT_DESC and GROUP_DESC of a pipe, from before its attributes. */
	struct str early_names, early_groups;
	struct map streams; /* id -> struct perf_stream */
	uint64_t last_id;   /* looked up last, and what was found */
	struct perf_stream *last_stream;
	uint64_t ids;		/* decoded so far, repeated ones too */
	int64_t stream_numbers; /* given out so far */
	int64_t group_count;
	size_t ring_count; /* that ID_INDEX knows */
	struct perf_scope scope;
	struct map tracepoints; /* attr.config of tracepoint events -> one of them */
	struct tracepoint_format *formats;
	struct { /* tracepoint_details.c: those that are remembered */
		struct arena arena;
		size_t bytes;
	} details;
	/* How a record names its event: distance of the id, -1: it does not. */
	int id_in_sample;	   /* from the start of a sample's body */
	int id_in_trailer;	   /* from the end of another record */
	size_t named_sample_bytes; /* up to the id, with the header; SIZE_MAX: none */
	bool same_sample_type;
};

/*
 * attrs.c: a new event; NULL when out of memory or over PERF_EVENTS_MAX.  `attr` may be
 * short: the rest is zero.
 */
struct perf_event *perf_add_event(struct perf_catalog *catalog, struct cursor *attr);
/* The size that an attribute claims, at most `room`. */
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
/* settle.c: the same for all new events, after the fallbacks of the user. */
MUST_CHECK enum status perf_settle_events(struct reader *reader);
/* Whether any of them samples addresses of code, in call chains or as such. */
bool perf_samples_addresses(const struct perf_catalog *catalog);
/* groups.c: the stream of the first event on a CPU, for samples without an id. */
struct perf_stream *perf_intern_lone_stream(struct perf_catalog *catalog, int64_t cpu);
/* fallback.c: names (--events) and formats (--tracefs) from the user. */
MUST_CHECK enum status perf_use_fallback_names(struct reader *reader);
MUST_CHECK enum status perf_use_fallback_formats(struct reader *reader);

/* scope.c: the tasks of a THREAD_MAP record; false: out of memory. */
bool perf_note_threads(struct perf_catalog *catalog, struct cursor body);
/* A CPU of a CPU_MAP record. */
void perf_note_cpu(struct perf_scope *scope, int64_t cpu);

/* trailer.c: bytes of the trailer of records, 0 when there is none. */
uint32_t perf_trailer_bytes(const struct perf_catalog *catalog);
/* The time of a whole record other than a sample; INT_NONE: it has none. */
int64_t perf_record_time(struct perf_catalog *catalog, const uint8_t *record,
			 const struct perf_header *header);
/* The same for any record of the kernel, samples too. */
int64_t perf_any_record_time(struct perf_catalog *catalog, const uint8_t *record,
			     const struct perf_header *header);

/* names.c: "SAMPLE" for 9, NULL for types this version does not know. */
const char *perf_record_name(uint32_t type);
/* "HOSTNAME" for 3, likewise. */
const char *perf_feature_name(unsigned int feature);

/* The stream with that id, or NULL. */
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

/* The stream follows one task, known or not. */
static inline bool perf_follows_task(const struct perf_catalog *catalog,
				     const struct perf_stream *stream)
{
	return stream->task != INT_NONE || catalog->scope.follows_tasks;
}

/* The id of an instance's counter row, INT_NONE for NULL. */
static inline int64_t perf_counter_id(const struct perf_stream *stream)
{
	return stream ? (int64_t)stream->event->number + 1 : INT_NONE;
}

#endif
