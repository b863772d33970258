/*
 * etl.h - the parts of the reader of .etl files; layouts in docs/formats/etl.md.
 *
 *   etl_buffer.c   one buffer of the file: header, decompression
 *   etl_event.c    one event: header, extension, payload
 *   etl_index.c    first walk: which buffers there are, what is counted, who is suspect
 *   etl_order.c    second walk: the events of all CPUs in order of time
 *   etl_kernel.c   payloads of the kernel's events, to records (with etl_tasks.c)
 *   etl_file.c     opening, and the rows before and behind the events
 */
#ifndef PERFTAB_ETL_H
#define PERFTAB_ETL_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/map.h"
#include "formats/etw/etw.h"
#include "model/reader.h"

#define ETL_BUFFER_HEADER_BYTES 0x48u
/* The kernel's own limit since Windows 10. */
#define ETL_BUFFER_BYTES_MAX ((size_t)16 << 20)
/* Of one file; what comes behind them is not read. */
#define ETL_BUFFERS_MAX (1u << 20)
/* BufferFlag 0x20 leaves 11 bits for the processor. */
#define ETL_CPUS_MAX 2048u
#define ETL_SEGMENTS_MAX 1024u
/* Held of a buffer that is not compressed; no event is larger than 64 KiB. */
#define ETL_WINDOW_BYTES ((size_t)32 * 1024)
/* Held of all CPUs at a time; more, and their buffers are read one after the other. */
#define ETL_OPEN_BYTES_MAX ((size_t)40 << 20)
/* Profile sources that are told apart; the last one stands for all beyond. */
#define ETL_SOURCES 256u
/* LogFileMode, EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING. */
#define ETL_MODE_ONE_STREAM 0x10000000u
/* Three bits of the event header. */
#define ETL_PMCS_MAX 7u
/* Dropped events whose time is told. */
#define ETL_DROPS_MAX 65536u
/* Distinct kinds of events that are counted apart. */
#define ETL_KINDS_MAX 65536u

/* --- buffers --- */

enum etl_buffer_flag {
	ETL_BUFFER_EVENTS_LOST = 0x02,
	ETL_BUFFER_LOST = 0x04,
	ETL_BUFFER_PROC_INDEX = 0x20,
	ETL_BUFFER_COMPRESSED = 0x40,
};

#define ETL_BUFFER_TYPE_HEADER 4

struct etl_buffer_header {
	uint32_t size;	 /* in the file, this header included */
	uint32_t filled; /* after decompression, likewise */
	int64_t sequence;
	uint32_t cpu;
	uint16_t flags, type;
	uint16_t method; /* of compression, where that is in question */
};

struct etl_buffer_header etl_buffer_header(const uint8_t *at);
bool etl_buffer_is_plausible(const struct etl_buffer_header *header);

/* The events of a buffer, and the memory they may need. */
struct etl_block {
	uint8_t *raw; /* owned, each grown on demand */
	size_t raw_room;
	uint8_t *unpacked;
	size_t unpacked_room;
	const uint8_t *events; /* in one of these, or where the buffer was given */
	size_t size;
	uint64_t offset; /* in the file: of the first event, or of the compressed body */
	bool compressed; /* then `offset` is that of all its events */
	bool is_whole;	 /* nothing of it is missing */
};

/*
 * The events of a buffer, of whose header->size bytes `buffer` is the first; they live as
 * long as it does, or the block.  Of what cannot be decompressed block->size is what can;
 * `findings` is told why, unless it is NULL.
 */
MUST_CHECK enum status etl_block_open(const uint8_t *buffer, uint64_t offset,
				      const struct etl_buffer_header *header,
				      struct etl_block *block, struct findings *findings);
/* The same for one that was open before, from the file. */
MUST_CHECK enum status etl_block_read(struct input *input, uint64_t offset, uint32_t size,
				      struct etl_block *block);
/*
 * Events of a buffer that is not compressed, a window of them: up to `left` bytes from
 * `offset` in the file.
 */
MUST_CHECK enum status etl_window_read(struct input *input, uint64_t offset, size_t left,
				       struct etl_block *block);
void etl_block_release(struct etl_block *block);

/* --- events --- */

enum etl_header {
	ETL_SYSTEM,
	ETL_COMPACT,
	ETL_FULL,
	ETL_INSTANCE,
	ETL_PERFINFO,
	ETL_EVENT,
	ETL_MESSAGE,
	ETL_ULONG32_TIME,
	ETL_OTHER, /* TIMED, ERROR, WNODE: skipped by their size */
};

struct etl_event {
	enum etl_header header;
	uint8_t header_type;   /* the third byte, as it is */
	uint8_t pointer_bytes; /* 4 or 8; of this event, never of the file */
	uint32_t size;	       /* in the buffer, without padding */
	uint64_t offset;       /* in the file */
	bool has_ticks;
	uint64_t ticks;	  /* of the clock of the session */
	int64_t tid, pid; /* INT_NONE: not in the header */
	bool is_kernel;	  /* group and opcode are the kernel's */
	uint8_t group, opcode;
	uint16_t id; /* of EVENT_HEADER events; of messages their number */
	uint16_t version;
	const uint8_t *guid; /* 16 bytes, or NULL */
	bool has_pebs;	     /* an index stands before the counters */
	bool odd_bits;	     /* unknown bits of the extension: payload not decoded */
	uint8_t pmc_count;   /* 0 .. ETL_PMCS_MAX */
	const uint8_t *pmcs; /* that many u64 */
	struct cursor payload;
};

enum etl_walk { ETL_WALK_EVENT, ETL_WALK_END, ETL_WALK_BAD };

/* Reads the event at the cursor and moves to the next one. */
enum etl_walk etl_event_read(struct cursor *c, struct etl_event *event);
/* "SYSTEM64", "EVENT32", ...; constant. */
const char *etl_header_name(const struct etl_event *event);

/* --- what is known of the file --- */

/* From one log-file header to the next: the base of its clock. */
struct etl_segment {
	uint64_t ticks;	      /* of the header event */
	int64_t start_ns;     /* on the trace's clock, which begins at the first header */
	uint64_t ticks_per_s; /* 0: not known */
	uint64_t list_hash;   /* of its PmcCounterConfig, 0: none */
	bool other_counters;  /* and it is not the one that names the group's */
};

/* A buffer of the file that holds events. */
struct etl_place {
	uint64_t offset;
	int64_t sequence;
	uint64_t first_ticks;
	uint32_t size; /* of the buffer in the file */
	uint32_t events_bytes;
	uint32_t rank; /* of the sequence number among those of the segment */
	uint16_t cpu;
	uint16_t segment;
	uint16_t flags;
	bool is_whole; /* nothing in it is missing */
};

/* How many events of a kind there are. */
struct etl_kind {
	struct etw_event_count_row row;
	uint64_t key[3];
	struct etl_kind *next; /* with the same hash */
	struct etl_kind *listed;
};

struct etl_log_header {
	uint32_t version; /* bytes: major, minor, log major, log minor */
	uint32_t build, cpus, buffer_bytes, mode, buffers_written, pointer_bytes;
	uint32_t events_lost, buffers_lost, mhz, clock;
	uint64_t perf_freq, start_time, end_time, boot_time;
	struct str logger, file; /* UTF-8 */
};

/* An event was dropped on a CPU. */
struct etl_drop {
	uint64_t ticks;
	uint32_t cpu;
};

/* What the first walk found out about a CPU. */
struct etl_cpu {
	uint64_t good_ticks; /* its counters went wrong after that; UINT64_MAX: no */
	uint64_t told_drop;
	size_t next_drop, end_drop; /* of etl.drops: those that are yet to come */
};

struct etl;

/* --- the order of events --- */

/* The buffers of one CPU, one after the other. */
struct etl_stream {
	size_t next, end; /* of etl.places */
	uint16_t segment;
	bool has_lost;	    /* something was lost before the current event: to be told */
	size_t left;	    /* bytes of its buffer behind the window */
	bool is_open;	    /* one_by_one: this CPU's buffer is in etl->block */
	bool is_compressed; /* its buffer was */
	struct etl_block block;
	struct cursor events;
	struct etl_event event; /* the current one */
	uint64_t ticks;		/* of it, or of the last one that had a time */
	const struct etl_place *place;
};

struct etl_queue {
	struct record records[16];
	size_t count, next;
};

/* When it is the turn of a stream. */
struct etl_turn {
	unsigned __int128 turn;
	struct etl_stream *stream;
};

/*
 * Kernel events whose first eight bytes, marker, size, opcode and group, are these are
 * counted and nothing else, in the first walk.
 */
struct etl_plain {
	uint64_t head;
	struct etl_kind *kind;
	uint64_t *switches; /* counted as well, unless NULL */
};
#define ETL_PLAINS 16

/* A switch, and what its row and its detail are made of. */
struct etl_switch {
	int64_t ts_ns;
	uint64_t offset;
	uint32_t new_tid, old_tid;
	int8_t fields[8]; /* of the payload, from NewThreadPriority on */
	uint16_t cpu, version;
	bool unread;  /* it has not the counters it should have */
	bool suspect; /* they had gone wrong by then */
};

/* For fewer, waking the second thread costs more than it gains. */
#define ETL_RUN_SWITCHES 16384

/* Switches that follow each other, and why they end: a status, another event, or full. */
struct etl_run {
	struct etl_switch switches[ETL_RUN_SWITCHES];
	uint64_t values[ETL_RUN_SWITCHES * ETL_PMCS_MAX]; /* counter_count of each */
	size_t count, next;
	enum status status;
	struct etl_stream *other; /* stands at it; NULL: none */
};

#define ETL_TEXT_BYTES (256u * 1024)

/*
 * Takes the events of one provider out of both walks, and makes rows of them: performance
 * logs (.blg) are .etl files whose events are PDH's.
 */
struct etl_consumer {
	bool (*is_mine)(const struct etl_event *event);
	/* In the first walk, and at its end. */
	void (*learn)(struct reader *reader, const struct etl_event *event);
	void (*end_learning)(struct reader *reader);
	/* In the second walk: an event, the rows it gives one by one, the last event. */
	void (*on_event)(struct reader *reader, const struct etl_event *event);
	bool (*next)(struct reader *reader, struct record *out);
	void (*end)(struct reader *reader);
	bool (*out_of_memory)(const struct etl *etl);
	/* Corrects the trace row, if the file has such events. */
	void (*describe)(const struct etl *etl, struct trace_row *trace);
	void (*close)(struct etl *etl);
};

struct etl {
	struct arena arena;
	struct arena scratch; /* of the event on its way out */
	struct findings *findings;

	const struct etl_consumer *consumer; /* never NULL once open */
	void *consumer_state; /* its own; NULL: none of its events so far */

	/* the first walk */
	struct etl_log_header log;
	bool has_log;
	size_t segment_count;
	struct etl_place *places;
	size_t place_count, place_room;
	size_t largest;		/* bytes of events in a buffer */
	struct etl_cpu *cpus;	/* ETL_CPUS_MAX of them */
	struct etl_drop *drops; /* by CPU and time, once the first walk is over */
	size_t drop_count, drop_room;
	struct map kinds;
	struct etl_kind *kind_list, **kind_tail, *last_kind;
	size_t kind_count;
	struct str counter_names[ETL_PMCS_MAX];
	size_t counter_count; /* of a switch; 0: none has any */
	bool counters_named;
	size_t config_segment; /* of the PmcCounterConfig that names them */
	uint64_t config_ticks;
	uint64_t switches_with[ETL_PMCS_MAX + 1]; /* so many counters */
	struct etl_plain plain[ETL_PLAINS];
	bool has_build;
	bool has_switches;
	bool is_compressed;

	/* the second walk */
	struct etl_stream *streams;
	size_t stream_count;
	struct etl_turn *heap;
	size_t heap_count;
	bool is_taken;		/* the event of heap[0] */
	bool one_by_one;	/* buffers in order of time, not events */
	struct etl_block block; /* of those */
	uint64_t position;	/* bytes of the buffers begun so far */
	uint64_t cuts, cut_at;	/* buffers that have become shorter: to be told */
	struct input input;	/* the reader's; its errors go into: */
	struct error error;	/* the second thread may fail while the first does */
	struct etl_run *run, *spare_run;
	struct etl_run *next_run; /* the second thread's, while it fills it */
	struct background *ahead;

	/* records on their way out */
	struct etl_queue queue;
	struct etw_details details;
	size_t text_used;
	struct {
		struct switch_event switched;
		struct switch_in_event goes, comes;
		struct loss_event loss;
		struct task_process_event process;
		struct task_fork_event fork;
		struct task_exit_event exit;
		struct task_comm_event comm;
		struct sampled_event sampled;
		struct etw_switch_detail_row detail;
		struct etw_process_row process_row;
		struct etw_image_row image_row;
		struct etw_ready_thread_row ready_row;
		struct etw_interval_row interval_row;
		struct counter_group_row group;
		struct counter_row counter;
	} event;

	/* rows before and behind */
	struct etl_fact {
		struct header_fact_row row;
		struct etl_fact *next;
	} * facts, **facts_tail, *next_fact;
	size_t declare_next;
	const struct etl_kind *next_kind;
	struct trace_row trace;
	bool trace_given;
	int64_t first_ns, last_ns;

	/* what is large comes last */
	struct {
		struct str name; /* as intervals call it */
		int64_t interval;
		int64_t counter_id; /* 0: not told yet */
	} sources[ETL_SOURCES];
	size_t source_count;
	struct etl_segment segments[ETL_SEGMENTS_MAX];
	char texts[ETL_TEXT_BYTES]; /* of the event on its way out */
};

/* The reader, as reader_ops has it; formats.c puts it together with its consumer. */
int etl_probe(const uint8_t *head, size_t len);
MUST_CHECK enum status etl_open(struct reader *reader,
				const struct etl_consumer *consumer);
MUST_CHECK enum status etl_next(struct reader *reader, struct record *out);
void etl_close(struct reader *reader);

/* Nanoseconds on the trace's clock. */
int64_t etl_ns(const struct etl *etl, size_t segment, uint64_t ticks);

/* etl_log.c - TRACE_LOGFILE_HEADER, at the cursor. False: too short to be one. */
bool etl_log_read(struct etl *etl, struct cursor *c, unsigned int pointer_bytes,
		  struct etl_log_header *log);
uint64_t etl_log_ticks_per_s(const struct etl_log_header *log);

/* First walk over the whole file. */
MUST_CHECK enum status etl_index(struct reader *reader);
/* Begins the second one. */
MUST_CHECK enum status etl_order_open(struct reader *reader);
/* The next event of all, in order of time; ST_END behind the last one. */
MUST_CHECK enum status etl_order_next(struct etl *etl, struct etl_stream **stream);
void etl_order_close(struct etl *etl);

/* Between the two walks. */
MUST_CHECK enum status etl_switch_begin(struct reader *reader);
/* The next switch of the run at hand; false: all are taken. */
bool etl_switch_next(struct reader *reader, struct record *out);
/*
 * What comes behind the run at hand: a stream that stands at another event, or NULL when
 * there is a new run; ST_END behind the last.
 */
MUST_CHECK enum status etl_run_next(struct reader *reader, struct etl_stream **other);
/* A switch that is in no run. */
void etl_switch_take(struct reader *reader, struct etl_stream *stream, int64_t ts_ns);
void etl_switch_end(struct etl *etl);
/* What the event of a stream says, into the queue of records. */
void etl_kernel_take(struct reader *reader, struct etl_stream *stream);
/* Process, thread and image events; false: not one of them. */
bool etl_people_take(struct reader *reader, const struct etl_event *event, int64_t ts_ns);

/*
 * What every decoder ends with: false (and told) when the payload was too short for its
 * fields; bytes behind them are told.
 */
bool etl_payload_is_whole(struct reader *reader, const struct etl_event *event,
			  const struct cursor *c);

/* A record into the queue. */
void etl_put(struct etl *etl, enum record_kind kind, const void *data, uint64_t offset);
void etl_put_row(struct etl *etl, enum etw_table table, const void *row, uint64_t offset);
bool etl_next_queued(struct etl *etl, struct record *out);
/* That there was an event at that time. */
void etl_note_time(struct etl *etl, int64_t ts_ns);

/* UTF-16 up to its NUL, as UTF-8 in etl->texts; overrun when there is no NUL. */
struct str etl_utf16(struct etl *etl, struct cursor *c);
struct str etl_utf16_units(struct etl *etl, const uint8_t *at, size_t units);
uint64_t etl_pointer(struct cursor *c, unsigned int pointer_bytes);
/* A fact for the table header_fact; the value is copied. */
void etl_fact(struct etl *etl, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
