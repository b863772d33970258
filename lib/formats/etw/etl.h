/*
 * etl.h - the parts of the reader of .etl files; layouts in docs/formats/etl.md.
 *
 * The files, in the order in which an event passes them:
 *
 *   etl_layout.h   buffers and events as bytes (etl_buffer.c, etl_event.c)
 *   etl_index.c    first walk, struct etl_index: buffers, counters, CPUs that are suspect
 *                  (etl_session.c, etl_kinds.c, etl_log.c)
 *   etl_handover.c ids that changed their owner while events were lost (etl_owners.c)
 *   etl_order.c    second walk, struct etl_order: the events of all CPUs in order of time
 *   etl_switch.c   switches in runs, struct etl_runs: nearly all events
 *                  (etl_columns.c: as struct run)
 *   etl_kernel.c   any other event of the kernel into records, struct etl_output
 *                  (etl_tasks.c: processes, threads, images)
 *   etl_file.c     opening, and the rows before and after the events
 *
 * A part is a struct, and a signature names the parts that a function may touch.
 */
#ifndef PERFTAB_ETL_H
#define PERFTAB_ETL_H

#include "base/arena.h"
#include "base/buffer_bytes.h"
#include "base/cursor.h"
#include "base/map.h"
#include "formats/etw/etl_layout.h"
#include "formats/etw/etw.h"
#include "model/reader.h"

/* Maxima of a file: what follows is not read. */
#define ETL_BUFFERS_MAX (1u << 20)
#define ETL_SEGMENTS_MAX BUFFER_SIZE(1024u, 16u)
/* Maximum of open buffers of all CPUs; beyond it they are read one after the other. */
#define ETL_OPEN_BYTES_MAX ((size_t)40 << 20)
/* Profile sources with a counter each; all further ones share the last. */
#define ETL_SOURCES 256u
/* Maximum of dropped events whose time is kept. */
#define ETL_DROPS_MAX 65536u
/* Maximum of events that name the process of a thread or id. */
#define ETL_OWNERS_MAX (1u << 20)
/* Maximum of kinds of events that are counted apart. */
#define ETL_KINDS_MAX 65536u

/* --- texts and facts (etl_log.c) --- */

#define ETL_TEXT_BYTES BUFFER_SIZE(256u * 1024, 1024u)

/* Texts of the current event, valid until the next one. */
struct etl_texts {
	struct arena scratch;
	size_t used;
	bool out_of_memory; /* some texts were cut short */
	char *large;	    /* NULL: `small` was enough so far */
	char small[512];    /* for nearly all events */
};

void etl_texts_clear(struct etl_texts *texts);
void etl_texts_release(struct etl_texts *texts);
/* Returns room for the next text of up to `wanted` bytes, and sets *room to its size. */
char *etl_texts_room(struct etl_texts *texts, size_t wanted, size_t *room);
/* Return UTF-16 as UTF-8: up to its NUL (overrun without one); of so many units. */
struct str etl_utf16(struct etl_texts *texts, struct cursor *c);
struct str etl_utf16_units(struct etl_texts *texts, const uint8_t *at, size_t units);
uint64_t etl_pointer(struct cursor *c, unsigned int pointer_bytes);

/*
 * Called at the end of every decoder.  False, with a finding: the payload was too short
 * for its fields.  Bytes after them are a finding as well.
 */
bool etl_check_payload(struct findings *findings, const struct etl_event *event,
		       const struct cursor *c);
/* Decodes ETL_INTERVAL_* into all columns but trace_id and ts_ns. */
void etl_decode_interval(struct etl_texts *texts, const struct etl_event *event,
			 struct etw_interval_row *row, struct cursor *c);

/* Rows of the table header_fact. */
struct etl_facts {
	struct arena *arena;
	struct etl_fact {
		struct header_fact_row row;
		struct etl_fact *next;
	} * first, **tail;
};

/* Adds a row; copies the value. */
void etl_fact(struct etl_facts *facts, const char *key, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* TRACE_LOGFILE_HEADER. */
struct etl_log_header {
	uint32_t version; /* bytes: major, minor, log major, log minor */
	uint32_t build, cpus, buffer_bytes, mode, buffers_written, pointer_bytes;
	uint32_t events_lost, buffers_lost, mhz, clock;
	uint64_t perf_freq, start_time, end_time, boot_time;
	struct str logger, file; /* UTF-8 */
};

/* Decodes it at the cursor.  False: there are too few bytes. */
bool etl_decode_log_header(struct etl_texts *texts, struct cursor *c,
			   unsigned int pointer_bytes, struct etl_log_header *log);
uint64_t etl_ticks_per_s(const struct etl_log_header *log);

/* The events from one log-file header to the next, and the base of their clock. */
struct etl_segment {
	uint64_t ticks;	      /* of the header event */
	int64_t start_ns;     /* on the trace's clock, which begins at the first header */
	uint64_t ticks_per_s; /* 0: unknown */
	uint64_t list_hash;   /* of its PmcCounterConfig; 0: none */
	bool other_counters;  /* its PmcCounterConfig differs from that of the group */
};

#define ETL_FILETIME_PER_S UINT64_C(10000000)

/* Returns nanoseconds on the trace's clock, or INT_NONE. */
int64_t etl_any_ns(const struct etl_segment *base, uint64_t ticks);
static inline int64_t etl_ns(const struct etl_segment *base, uint64_t ticks)
{
	uint64_t since = ticks - base->ticks;

	/* Nearly always. */
	if (base->ticks_per_s == ETL_FILETIME_PER_S && since < UINT64_C(1) << 56 &&
	    base->start_ns == 0)
		return (int64_t)(since * 100);
	return etl_any_ns(base, ticks);
}

/* --- how many events of each kind there are (etl_kinds.c) --- */

struct etl_kind {
	struct etw_event_count_row row;
	uint64_t key[3];
	struct etl_kind *next; /* of the same hash */
	struct etl_kind *listed;
};

/*
 * A kind of kernel event that the first walk only counts, recognised by the first eight
 * bytes: marker, size, opcode and group.
 */
struct etl_plain {
	uint64_t head;
	struct etl_kind *kind;
	uint64_t *switches; /* another count to increase; NULL: none */
};
#define ETL_PLAINS 16

struct etl_kinds {
	struct arena *arena;
	struct findings *findings;
	struct map map;
	struct etl_kind *first, **tail, *last;
	size_t count;
	uint64_t switches_with[ETL_PMCS_MAX + 1]; /* by number of counters */
	struct etl_plain plain[ETL_PLAINS];
};

/* --- the first walk (etl_index.c) --- */

/* A buffer of the file that holds events. */
struct etl_place {
	uint64_t offset;
	int64_t sequence;
	uint64_t first_ticks, last_ticks; /* of its events, if is_timed */
	uint32_t size;			  /* of the buffer in the file */
	uint32_t events_bytes;
	uint32_t rank; /* of its sequence number within the segment */
	uint16_t cpu;
	uint16_t segment;
	uint16_t flags;
	bool is_whole; /* no byte of it is missing */
	bool is_timed; /* an event of it has a time */
};

/* Returns a place without events. */
static inline struct etl_place etl_place_of(uint64_t offset,
					    const struct etl_buffer_header *header)
{
	return (struct etl_place){ .offset = offset,
				   .sequence = header->sequence,
				   .size = header->size,
				   .cpu = (uint16_t)header->cpu,
				   .flags = header->flags };
}

/* An event was dropped on a CPU. */
struct etl_drop {
	uint64_t ticks;
	uint32_t cpu;
	uint16_t segment; /* of the event that reports it */
};

/* The time and place of an event that names a thread or a process. */
struct etl_naming {
	uint64_t ticks;
	uint32_t order; /* number in the file */
	uint16_t segment;
	uint8_t opcode;
};

/* A Thread event: the process of a thread. */
struct etl_owner {
	struct etl_naming named;
	uint32_t tid, pid;
};

/* A Process event: the process of an id. */
struct etl_process {
	struct etl_naming named;
	uint32_t pid;
	int64_t parent_pid, key; /* key INT_NONE: not recorded */
	struct str image;
};

struct etl_owners {
	struct etl_owner *all;
	size_t count, room;
	struct etl_process *processes;
	size_t process_count, process_room;
};

struct etl_cpu {
	bool is_wrong; /* its counters are wrong after good_ticks */
	uint64_t good_ticks;
	uint64_t last_drop;
	size_t next_drop, end_drop; /* of etl_index.drops */
};

/* The results of the first walk; constant in the second one. */
struct etl_index {
	struct arena *arena;
	struct findings *findings;
	struct etl_texts *texts;
	struct etl_facts facts;
	struct etl_kinds kinds;
	struct etl_log_header log;
	bool has_log;
	size_t segment_count;
	struct etl_place *places;
	size_t place_count, place_room;
	size_t largest;		/* bytes of events in a buffer */
	struct etl_cpu *cpus;	/* ETL_CPUS_MAX of them */
	struct etl_drop *drops; /* by CPU and time, once the walk is over */
	size_t drop_count, drop_room;
	struct etl_owners owners; /* until etl_hand_over() */
	struct str counter_names[ETL_PMCS_MAX];
	size_t counter_count; /* of a switch; 0: no switch has any */
	bool counters_named;
	size_t config_segment; /* of the PmcCounterConfig with these names */
	uint64_t config_ticks;
	/* Sources of samples, as before the first event about them. */
	struct etl_source {
		struct str name;
		int64_t interval; /* INT_NONE: unknown */
		uint64_t ticks;	  /* of the first event with the interval */
		size_t segment;
	} sources[ETL_SOURCES];
	struct str host, arch;
	bool has_build;
	bool has_switches;
	bool is_compressed;
	struct etl_segment segments[ETL_SEGMENTS_MAX];
};

/* Walks over the whole file. */
MUST_CHECK enum status etl_index(struct reader *reader);
void etl_index_release(struct etl_index *index);
/*
 * etl_session.c: collects facts about the session from each event; ends at the end of the
 * file.  False: out of memory.
 */
bool etl_session_event(struct etl_index *index, const struct etl_event *event);
void etl_session_end(struct etl_index *index);

/* --- ids that change hands (etl_owners.c, etl_handover.c) --- */

/* Notes the owner that an event of the first walk names; false: out of memory. */
bool etl_note_owner(struct etl_index *index, const struct etl_event *event);
/* Once the places are sorted: pushes a RECORD_TASK_HANDED for each such id. */
MUST_CHECK enum status etl_hand_over(struct reader *reader);
void etl_owners_release(struct etl_owners *owners);

/* --- the second walk (etl_order.c) --- */

/* Returns whether events may be missing between two places of a CPU. */
bool etl_lost_between(const struct etl_place *a, const struct etl_place *b);

/*
 * The layout of switches with the same first eight bytes: marker, size, opcode and group.
 * etl_switch.c sets it to that of the last switch.
 */
struct etl_shape {
	uint64_t head;
	size_t bytes, step;	    /* without and with padding; 0: none so far */
	size_t pmcs_at, payload_at; /* in the event */
	uint16_t version;
	bool unread; /* it has not the counters it should have */
};

/* The buffers of one CPU, one after the other. */
struct etl_stream {
	size_t next, end; /* of etl_index.places */
	uint16_t index;	  /* of etl_order.streams */
	uint16_t segment;
	bool has_lost;	    /* a loss before the current event is still to be reported */
	size_t left;	    /* bytes of the buffer after the window */
	bool is_open;	    /* one_by_one: etl_order.block has this CPU's buffer */
	bool is_compressed; /* the buffer was */
	struct etl_block block;
	struct cursor events;
	struct etl_event event;	    /* the current one, unless it has the shape: */
	const uint8_t *shaped;	    /* its bytes, or NULL */
	uint64_t ticks;		    /* of it, or of the last event with a time */
	uint64_t good_ticks;	    /* etl_cpu.good_ticks; UINT64_MAX: not wrong */
	size_t next_drop, end_drop; /* drops in etl_index.drops after the current event */
	const struct etl_place *place;
};

/* An entry of the heap that orders streams by time. */
struct etl_turn {
	unsigned __int128 turn;
	struct etl_stream *stream;
};

struct etl_order {
	const struct etl_index *index;
	struct etl_stream *streams;
	size_t stream_count;
	struct etl_turn *heap;
	size_t heap_count;
	bool is_taken;	 /* the event of heap[0] */
	bool one_by_one; /* buffers in order of time, not events */
	size_t window;	 /* bytes held of a buffer that is not compressed */
	struct etl_shape shape;
	struct etl_chunks chunks;
	struct etl_block block; /* one_by_one: the open one */
	uint64_t position;	/* bytes of the buffers begun so far */
	uint64_t cuts, cut_at;	/* buffers found shorter, still to be reported */
	int64_t first_ns, last_ns;
	struct input input; /* a copy of the reader's, with errors in `error` */
	struct error error; /* of the second thread */
};

/* Sorts the places of the index, then begins. */
MUST_CHECK enum status etl_order_open(struct reader *reader);
/* Gets the stream with the next event in order of time; ST_END after the last one. */
MUST_CHECK enum status etl_order_next(struct etl_order *order,
				      struct etl_stream **stream);
/* Decodes the current event of the stream, which has the shape. */
void etl_order_decode(struct etl_stream *stream);
/* Notes the time of an event. */
void etl_order_note_time(struct etl_order *order, int64_t ts_ns);
void etl_order_close(struct etl_order *order);

/* --- events into records --- */

struct etl_output {
	const struct etl_index *index;
	struct arena *arena;
	struct findings *findings;
	struct etl_texts *texts;
	bool want_rows;
	struct emit emit;
	struct etw_details details;
	struct switch_event switched; /* constant members are set once */
	struct {
		struct str name; /* as intervals call it */
		int64_t interval;
		int64_t counter_id; /* 0: no row so far */
	} sources[ETL_SOURCES];
	size_t source_count;
};

/* Makes records of an event of a stream. */
void etl_on_kernel_event(struct etl_output *output, const struct etl_stream *stream,
			 int64_t ts_ns);
/*
 * Decodes a Process event in the first layout that fits to the last byte, else in that of
 * the kernel.  Returns the cursor after it.  Does not set ts_ns and event.
 */
struct cursor etl_decode_process(struct etl_texts *texts, const struct etl_event *event,
				 struct etw_process_row *row);
/* Handles process, thread and image events; false: it is another event. */
bool etl_on_task(struct etl_output *output, const struct etl_event *event, int64_t ts_ns);

/* --- switches (etl_switch.c) --- */

/* A switch, with the fields of its row and its detail. */
struct etl_switch {
	int64_t ts_ns;
	uint64_t offset;
	struct {
		uint32_t new_tid, old_tid;
		int8_t fields[8]; /* from NewThreadPriority on */
	} payload;		  /* its first bytes */
	uint16_t cpu, version;
	bool unread;  /* it has not the counters it should have */
	bool suspect; /* the counters of its CPU are wrong by then */
};

/* Switches of a run: with fewer, waking the second thread costs more than it gains. */
#define ETL_RUN_SWITCHES BUFFER_SIZE(16384, 32)

/* Runs that the second thread may be ahead of the first one. */
#define ETL_RUNS_AHEAD 2

/* Switches that the second thread decodes and then copies (base/other_cpu.h). */
#define ETL_PART_SWITCHES BUFFER_SIZE(32, 4)

struct etl_part {
	struct etl_switch switches[ETL_PART_SWITCHES];
	uint64_t values[ETL_PART_SWITCHES * ETL_PMCS_MAX];
};

/* Consecutive switches; they end with a status, another event, or when full. */
struct etl_run {
	struct etl_runs *runs;
	size_t count, next;
	enum status status;
	struct etl_stream *other; /* at the other event; NULL: none */
	bool has_failed;	  /* the input failed */
	uint64_t position;	  /* etl_order.position at its end */
	uint64_t cuts, cut_at;	  /* buffers found shorter, still to be reported */
	struct etl_part *part;	  /* with the last switches; NULL: all are here */
	uint64_t *values;	  /* counter_count for each switch */
	struct etl_switch switches[];
};

struct etl_columns; /* etl_columns.c */

struct etl_runs {
	struct etl_order *order;
	size_t counter_count; /* etl_index.counter_count */
	size_t room;	 /* switches of a run: ETL_RUN_SWITCHES, or all of the file */
	bool one_stream; /* ETL_MODE_ONE_STREAM */
	struct etl_run *run;
	struct etl_run *ahead_runs[ETL_RUNS_AHEAD]; /* of the second thread, in order */
	struct etl_run *spare[ETL_RUNS_AHEAD];
	size_t ahead_count, spare_count;
	struct background *ahead;
	bool is_stopped; /* the second thread stopped: an event, a status or the end */
	struct etl_part part;	     /* of the second thread */
	struct etl_columns *columns; /* NULL: none so far */
};

/* Call it between the two walks. */
MUST_CHECK enum status etl_runs_open(struct reader *reader);
/*
 * Gets the next switch of the current run, or the next few as a RECORD_RUN.  False: there
 * is none, or the queue has a record that precedes it.
 */
bool etl_next_switch(struct etl_runs *runs, struct etl_output *output, bool wants_runs,
		     struct record *out);
/* Gets the next few as a RECORD_RUN; false: the next one needs a record. */
bool etl_next_columns(struct etl_runs *runs, struct etl_output *output,
		      struct record *out);
void etl_columns_release(struct etl_columns *columns);
/* Returns the id of a switch's detail, and queues its row if it is new. */
int64_t etl_detail_id(struct etl_output *output, const struct etl_switch *s,
		      bool *is_new);
/*
 * Gets what follows the current run: a stream that is at another event, or NULL for a new
 * run; ST_END after the last.
 */
MUST_CHECK enum status etl_next_run(struct reader *reader, struct etl_runs *runs,
				    struct etl_stream **other);
/* Handles a switch outside of runs; false: it is none.  ts_ns INT_NONE: unknown. */
bool etl_on_switch(struct etl_runs *runs, struct etl_output *output,
		   struct etl_stream *stream, int64_t ts_ns);
void etl_runs_close(struct etl_runs *runs);

/* --- events of other providers --- */

/*
 * Handles the events of one provider in both walks, and makes rows of them: performance
 * logs (.blg) are .etl files whose events are PDH's.  Its state is made with the first
 * event; until then it is NULL, and only is_mine() and learn() are called.
 */
struct etl_consumer {
	const char *kept; /* etw_event_count.kept of its events */
	bool (*is_mine)(const struct etl_event *event);
	/* Called in the first walk, and at its end.  False: out of memory. */
	bool (*learn)(void **state, struct findings *findings,
		      const struct etl_event *event);
	void (*end_learning)(void *state);
	/* Called in the second walk, and at its end. */
	void (*on_event)(void *state, const struct etl_event *event);
	void (*end)(void *state);
	/* Gets the next row of the events so far; ST_END: there is none. */
	enum status (*next)(void *state, struct record *out, struct error *error);
	/* Corrects the trace row. */
	void (*describe)(const void *state, struct trace_row *trace);
	void (*close)(void *state);
};

/* --- the reader (etl_file.c) --- */

struct etl {
	struct arena arena;
	const struct etl_consumer *consumer; /* never NULL once open */
	void *consumer_state;
	struct etl_index index;
	struct etl_order order;
	struct etl_runs runs;
	struct etl_output output;
	struct etl_texts texts;
	struct trace_row trace;
	bool ended; /* all records are in the queue */
};

/* The functions of etl_reader, which lib/formats/etl_reader.c joins with consumers. */
int etl_probe(const uint8_t *head, size_t len);
MUST_CHECK enum status etl_open(struct reader *reader,
				const struct etl_consumer *consumer);
MUST_CHECK enum status etl_next(struct reader *reader, struct record *out);
void etl_close(struct reader *reader);

#endif
