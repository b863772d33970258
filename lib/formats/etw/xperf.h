/*
 * xperf.h - the parts of the reader of xperf's text; docs/formats/xperf-text.md has the
 * lines.
 *
 * The files, in the order in which a line passes them:
 *
 *   xperf_line.c      its fields
 *   xperf_text.c      the walk over the file, and the kind of each line
 *   xperf_columns.c   fields by name, from the column line of the kind of event
 *   xperf_counters.c  Pmc lines: counters that wait for their switch
 *   xperf_switch.c    CSwitch lines, paired with their counters
 *   xperf_tasks.c     processes and threads, and which thread is of which process
 *   xperf_rows.c      samples, and events that attribution does not need
 *   xperf_emit.c      functions that these share
 *
 * A part is a struct, and a signature names the parts that a function may touch.
 */
#ifndef PERFTAB_XPERF_H
#define PERFTAB_XPERF_H

#include "base/arena.h"
#include "base/buffer_bytes.h"
#include "base/map.h"
#include "formats/etw/etw.h"
#include "model/reader.h"

/* Named maxima for what comes from a file. */
#define XPERF_LINE_BYTES_MAX BUFFER_SIZE((size_t)64 * 1024, (size_t)2 * 1024)
#define XPERF_BEGINNING_BYTES 256u /* bytes kept of a longer line */
#define XPERF_FIELDS_MAX (GROUP_COUNTERS_MAX + 64)
#define XPERF_CLASSES_MAX 1024u	   /* kinds of events, by name */
#define XPERF_NAME_BYTES_MAX 128u  /* of a kind of event */
#define XPERF_COMMAS_MAX 64u	   /* in the name of a process */
#define XPERF_DETAIL_BYTES_MAX 64u /* of a state or a reason; longer ones are cut */
#define XPERF_SAMPLE_KINDS_MAX 64u /* kinds of SampledProfile */
#define XPERF_FACT_BYTES_MAX 1024u
#define XPERF_FACTS_MAX 16u			      /* of the line about the trace */
#define XPERF_NAMED_PROCESSES BUFFER_SIZE(4096u, 64u) /* a power of two */
#define XPERF_OWNERS BUFFER_SIZE(4096u, 64u)	      /* likewise */

/* --- lines (xperf_line.c) --- */

struct csv_parser;

struct xperf_line {
	uint64_t offset;
	size_t size;	/* with its line end */
	struct str raw; /* without it; in the input's buffer, until the next peek */
	bool has_end;	/* false: the input ends in it */
	size_t count;	/* fields; those beyond XPERF_FIELDS_MAX are not kept */
	struct str fields[XPERF_FIELDS_MAX]; /* trimmed, in `text` */
	size_t used;
	char text[XPERF_LINE_BYTES_MAX];
	struct csv_parser *csv;
};

MUST_CHECK enum status xperf_line_open(struct xperf_line *line);
void xperf_line_close(struct xperf_line *line);
/*
 * Reads the next line.  ST_LIMIT: it is longer than XPERF_LINE_BYTES_MAX and was skipped;
 * `raw` is its beginning.  ST_END: no more, or the input failed (its error).
 */
MUST_CHECK enum status xperf_line_next(struct xperf_line *line, struct input *in);
/* Splits the line into fields. */
MUST_CHECK enum status xperf_line_split(struct xperf_line *line);
/* Returns the text of the fields `first` to `last`, with their commas. */
struct str xperf_line_span(const struct xperf_line *line, size_t first, size_t last);

static inline struct str xperf_field(const struct xperf_line *line, size_t number)
{
	return number < line->count && number < XPERF_FIELDS_MAX ? line->fields[number]
								 : STR_NONE;
}

struct str xperf_trim(struct str text);
bool xperf_begins(struct str text, struct str with); /* ASCII letters of any case */
/* Parses a decimal number, or a hexadecimal one after 0x; false: not one of 64 bits. */
bool xperf_number(struct str text, int64_t *number);
/* Parses decimal digits alone. */
bool xperf_count(struct str text, uint64_t *count);

/* --- columns (xperf_columns.c) --- */

enum xperf_kind {
	XPERF_OTHER, /* only counted */
	XPERF_META,
	XPERF_PMC,
	XPERF_SWITCH,
	XPERF_PROCESS,
	XPERF_THREAD,
	XPERF_SAMPLE,
	XPERF_READY,
	XPERF_INTERVAL,
	XPERF_IMAGE,
	XPERF_CORRUPTION,
};

enum xperf_column {
	COLUMN_PROCESS, /* the new one of a switch, the readying one of ReadyThread */
	COLUMN_THREAD,
	COLUMN_PROCESS_2, /* the old one, the readied one */
	COLUMN_THREAD_2,
	COLUMN_CPU,
	COLUMN_NEW_PRIORITY,
	COLUMN_OLD_PRIORITY,
	COLUMN_STATE,
	COLUMN_REASON,
	COLUMN_MODE,
	COLUMN_IDEAL_CPU,
	COLUMN_C_STATE,
	COLUMN_PARENT,
	COLUMN_SESSION,
	COLUMN_KEY,
	COLUMN_STATUS,
	COLUMN_TABLE_BASE,
	COLUMN_FLAGS,
	COLUMN_SID,
	COLUMN_COMMAND,
	COLUMN_PACKAGE,
	COLUMN_APPLICATION,
	COLUMN_IP,
	COLUMN_FUNCTION,
	COLUMN_TYPE,
	COLUMN_ADJUST_REASON,
	COLUMN_INCREMENT,
	COLUMN_IN_DPC,
	COLUMN_SOURCE,
	COLUMN_NEW_INTERVAL,
	COLUMN_OLD_INTERVAL,
	COLUMN_INDEX,
	COLUMN_SOURCES,
	COLUMN_ADDRESS,
	COLUMN_END,
	COLUMN_SIZE,
	COLUMN_CHECKSUM,
	COLUMN_LINK_TIME,
	COLUMN_FILE,
	XPERF_COLUMNS
};

/* A kind of event, by its name. */
struct xperf_class {
	struct str name;
	enum xperf_kind kind;
	const char *kept; /* table of its events; NULL: none */
	bool has_columns; /* its column line was seen */
	uint16_t columns; /* of that line, including the name */
	uint16_t elastic; /* a column whose text may hold commas, besides processes */
	uint16_t at[XPERF_COLUMNS]; /* place in a line; 0: no such column */
	int64_t events, bytes;
	struct xperf_class *next; /* in the order of the file */
	struct xperf_class *same_hash;
};

struct xperf_classes {
	struct map by_name;
	struct arena arena;
	struct xperf_class *first, **tail;
	struct xperf_class
		*others; /* classes beyond the limit, or without a column line */
	size_t count;
};

/* Returns whether events of that name are more than counted. */
bool xperf_is_kind(struct str name);
/* Returns the class of a name, or NULL. */
struct xperf_class *xperf_find_class(const struct xperf_classes *classes,
				     struct str name);
/* Returns it, made if needed, or `others` at the limit; NULL: out of memory. */
struct xperf_class *xperf_class(struct xperf_classes *classes, struct str name);
struct xperf_class *xperf_other_class(struct xperf_classes *classes);
void xperf_classes_release(struct xperf_classes *classes);
/* Learns the columns of the class from its column line. */
void xperf_define_class(struct xperf_class *class, const struct xperf_line *line);

/* A line of a class with known columns, and how far commas in names shift them. */
struct xperf_view {
	const struct xperf_class *class;
	const struct xperf_line *line;
	size_t shift[2]; /* fields after the first process; after the second */
};

struct xperf_process {
	struct str name; /* ptr NULL: unknown */
	int64_t pid;	 /* INT_NONE: unknown */
};

/* Makes a view; false: the line does not fit the columns of its class. */
bool xperf_view(struct xperf_view *view, const struct xperf_class *class,
		const struct xperf_line *line);
/* Returns a field; ptr NULL: no such column, or the line ends before it. */
struct str xperf_get(const struct xperf_view *view, enum xperf_column column);
/* Returns a field as a number; INT_NONE: no such field, or not a number. */
int64_t xperf_get_number(const struct xperf_view *view, enum xperf_column column);
/* Gets a process from a field; false: no such column, or not a process. */
bool xperf_get_process(const struct xperf_view *view, enum xperf_column column,
		       struct xperf_process *process);
/* The column for a number of a row. */
struct xperf_number {
	enum xperf_column column;
	size_t offset; /* of an int64_t in the row */
};
#define XPERF_NUMBER(table, field, column)                    \
	{                                                     \
		(column), offsetof(struct table##_row, field) \
	}

void xperf_get_numbers(const struct xperf_view *view, const struct xperf_number *numbers,
		       size_t count, void *row);
/* Gets a tid; INT_NONE for the -1 of an unknown thread; false: no such number. */
bool xperf_get_thread(const struct xperf_view *view, enum xperf_column column,
		      int64_t *tid);

/* Fields that a kind of event needs. */
enum xperf_need {
	XPERF_NEEDS_PROCESS = 0x01,
	XPERF_NEEDS_PROCESS_2 = 0x02,
	XPERF_NEEDS_THREAD = 0x04,
	XPERF_NEEDS_THREAD_2 = 0x08,
	XPERF_NEEDS_CPU = 0x10,
};

/* The line of an event, with the fields that its kind needs. */
struct xperf_event {
	struct xperf_view view;
	struct xperf_process process, process_2;
	int64_t tid, tid_2, cpu;
};

/* Decodes it; false: the line does not fit its columns, or lacks a needed field. */
bool xperf_event(struct xperf_event *event, const struct xperf_class *class,
		 const struct xperf_line *line, unsigned int needs);

/* --- processes and threads (xperf_tasks.c) --- */

struct xperf_tasks {
	struct { /* by pid: the name emitted last */
		int64_t pid;
		uint64_t name_hash;
	} named[XPERF_NAMED_PROCESSES];
	struct xperf_owner { /* by tid: its last process */
		int64_t tid, pid;
		int64_t named_ns; /* time of the last line with both */
		int64_t cpu;	  /* that it is on; INT_NONE: none */
	} owners[XPERF_OWNERS];
};

/* Sets the process of a thread (INT_NONE: unknown); false: it had another one. */
bool xperf_set_owner(struct xperf_tasks *tasks, int64_t tid, int64_t pid, int64_t ts_ns);
/* Sets the CPU that a thread is on; INT_NONE: none. */
void xperf_set_cpu(struct xperf_tasks *tasks, int64_t tid, int64_t cpu);
/* Forgets the process of a thread that ended: the tid may be reused. */
void xperf_forget_owner(struct xperf_tasks *tasks, int64_t tid);

/* --- counters (xperf_counters.c) --- */

/* A Pmc line that waits for its event. */
struct xperf_pmc {
	bool waits;
	bool fits; /* it has as many values as the group */
	uint64_t offset;
	uint64_t us;
	int64_t tid;
};

struct xperf_counters {
	struct arena arena;
	struct str names[XPERF_FIELDS_MAX]; /* from the column line of Pmc */
	size_t name_count;
	size_t count;	    /* values of a Pmc line */
	size_t values_seen; /* in the first Pmc line with any; 0: none so far */
	uint64_t looked_to; /* offset up to which it was searched ahead */
	bool declared;	    /* the rows of the group were emitted */
	struct xperf_pmc pmc;
	uint64_t values[GROUP_COUNTERS_MAX];
	int64_t paired;
};

/* --- the state of the reader --- */

struct xperf {
	struct findings *findings;
	bool want_rows;
	struct xperf_line line;
	struct xperf_classes classes;
	struct arena texts; /* of the records of the current line */
	struct arena kept;  /* texts for the whole trace */
	struct emit emit;
	bool in_header, has_os_line, ended;
	uint64_t us; /* time of the current event */
	int64_t first_ns, last_ns;
	int64_t cpu_count;
	struct xperf_tasks tasks;
	struct xperf_counters counters;
	int64_t last_counter_id;
	/* switches */
	int64_t switches;
	bool switch_missing; /* a switch after the last one could not be read */
	struct switch_event switched;
	struct etw_details details;
	uint8_t suspect[CPU_MAX / 8]; /* a bit a CPU */
	/* samples */
	struct str sample_kinds[XPERF_SAMPLE_KINDS_MAX];
	int64_t sample_counters[XPERF_SAMPLE_KINDS_MAX];
	size_t sample_kind_count;
	struct trace_row trace;
};

static inline int64_t xperf_ts_ns(const struct xperf *x)
{
	return (int64_t)(x->us * 1000); /* checked when it was read */
}

/* --- what the parts share (xperf_emit.c) --- */

/* Emits a copy of a row or an event of the current line. */
void xperf_emit_event(struct xperf *x, enum record_kind kind, const void *event,
		      size_t size);
void xperf_emit_row(struct xperf *x, enum etw_table table, const void *row);
/* Emits the counter of samples, or of a slot of the group; returns its id. */
int64_t xperf_emit_counter(struct xperf *x, struct str name, int64_t slot);
/* Emits a process, unless it was last emitted with this name. */
void xperf_emit_process(struct xperf *x, const struct xperf_process *process);
/* Returns whether a process was last emitted with another name, and notes this one. */
bool xperf_is_news(struct xperf_tasks *tasks, const struct xperf_process *process);
/* Reports that the current line cannot be used. */
void xperf_bad_line(struct xperf *x, const char *why);
/* Returns a name as valid UTF-8, in the arena if it was not valid. */
struct str xperf_text(struct arena *arena, struct str bytes);
/* Emits a loss of switches of a CPU (INT_NONE: any); `line` is the line that shows it. */
void xperf_emit_loss(struct xperf *x, int64_t cpu, struct str line);
/* Notes a CPU; false: its number is invalid. */
bool xperf_add_cpu(struct xperf *x, int64_t cpu);

/* xperf_counters.c */
void xperf_define_pmc(struct xperf *x, struct input *in);
void xperf_on_pmc(struct xperf *x);
/* Handles an event that is not a switch: drops the Pmc line before it. */
void xperf_end_pmc(struct xperf *x, const struct xperf_class *class);
void xperf_drop_pmc(struct xperf *x);
/* Returns whether the Pmc line before a switch has its counters. */
bool xperf_pair(struct xperf *x, int64_t new_tid);
/* Emits the rows of the group, before its first switch. */
void xperf_emit_group(struct xperf *x);

/* A handler of the events of a kind. */
typedef void xperf_handler_fn(struct xperf *x, const struct xperf_class *class,
			      const struct xperf_event *event);

/* xperf_switch.c */
xperf_handler_fn xperf_on_switch, xperf_on_corruption;
/* Handles the line of an event of which only the name could be read. */
void xperf_on_bad_event(struct xperf *x, struct str name, const char *why);
void xperf_miss_switch(struct xperf *x, const char *why);

/* xperf_tasks.c */
xperf_handler_fn xperf_on_process, xperf_on_thread;

/* xperf_rows.c */
xperf_handler_fn xperf_on_sample, xperf_on_ready, xperf_on_interval, xperf_on_image;

#endif
