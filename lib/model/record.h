/*
 * record.h - the records that go from readers through attribution to sinks.
 *
 * A record is a kind, the input offset it came from and a pointer to one struct, which
 * its producer owns until its next call.  There are two kinds: table rows (tables.def),
 * which sinks store unchanged, and the events below, which attribution turns into rows.
 */
#ifndef PERFTAB_RECORD_H
#define PERFTAB_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer_bytes.h"

/* NULL in a column, unknown in an event. */
#define INT_NONE INT64_MIN

/* Maximum of counters in one group; must stay below SQLite's column limit (2000). */
#define GROUP_COUNTERS_MAX BUFFER_SIZE(1024, 64)

/* Returns whether from_ns <= ts_ns < to_ns; to_ns INT64_MAX: no end. */
static inline bool time_is_within(int64_t ts_ns, int64_t from_ns, int64_t to_ns)
{
	return ts_ns >= from_ns && (ts_ns < to_ns || to_ns == INT64_MAX);
}

#define TABLES "model/tables.def"
#define TABLES_AS_STRUCTS
#include "model/tables_as.h"

enum record_kind {
#define TABLES "model/tables.def"
#define TABLES_AS_LIST(table) RECORD_##table,
#include "model/tables_as.h"
	RECORD_TABLES, /* how many kinds are tables */
	/* A row of a table that the trace itself defines: record.table. */
	RECORD_OWN_TABLE = RECORD_TABLES,
	/* The events. */
	RECORD_SWITCH,
	RECORD_EDGE, /* an interrupt begins or ends */
	RECORD_INTERRUPTED,
	RECORD_SWITCH_IN,
	RECORD_TASK_PROCESS,
	RECORD_TASK_COMM,
	RECORD_TASK_COMMAND,
	RECORD_TASK_FORK,
	RECORD_TASK_EXIT,    /* may come before its place in the order of the CPU */
	RECORD_TASK_EXITING, /* the same event again, in its place */
	RECORD_TASK_HANDED,  /* precedes the events of that time */
	RECORD_LOSS,
	RECORD_THROTTLED,
	RECORD_SAMPLED,
	RECORD_TRACED,
	RECORD_DEFERRED_CHAIN,
	RECORD_PROCESS_TOTAL, /* of stored totals: only if reader_options.top_processes */
	RECORD_RUN,	      /* record.run, of switches: only if reader.wants_runs */
	RECORD_RUN_SUMS,      /* record.summed: only with reader.sum_run */
};

struct run;	   /* run.h */
struct run_summed; /* run_sums.h */

struct record {
	enum record_kind kind;
	uint64_t offset;  /* in the input, for findings */
	const void *data; /* struct <table>_row or struct <event>_event */
	/*
	 * RECORD_OWN_TABLE only.  From a reader it is valid as long as the reader; from
	 * attribution, which makes names unique, as long as the sinks.
	 */
	const struct table *table;
	/*
	 * RECORD_context_switch, and RECORD_group_read from a database: the delta and
	 * the cumulative value of each counter
	 */
	const int64_t *deltas;
	const int64_t *values;
	size_t slots;
	/* RECORD_context_switch: control group of the thread switched out; 0: unknown */
	int64_t cgroup_id;
	struct run *run;	   /* RECORD_RUN: instead of data */
	struct run_summed *summed; /* RECORD_RUN_SUMS, likewise */
};

#define RECORD_DATA(record, table) ((const struct table##_row *)(record)->data)

/* The counters of a group were read as a thread left a CPU. */
struct switch_event {
	int64_t ts_ns;	      /* trace clock */
	int64_t cpu;	      /* 0 .. CPU_MAX - 1 */
	int64_t stream;	      /* dense number of one kernel instance of the group */
	int64_t group_id;     /* the reader's counter_group_row.group_id */
	int64_t prev_tid;     /* from the tracepoint, INT_NONE: not recorded */
	int64_t next_tid;     /* likewise */
	int64_t prev_state;   /* likewise */
	struct str prev_comm; /* likewise */
	struct str next_comm;
	int64_t next_pid;   /* the process of next_tid; 0: idle or not recorded */
	bool prev_exited;   /* prev_state says that prev will never run again */
	bool per_task;	    /* the group follows threads, not the CPU */
	bool per_cgroup;    /* it counts only while a task of one control group runs */
	bool on_one_cpu;    /* per_task, but counts only on this CPU */
	bool is_final;	    /* per_task: last counts of an ended thread, no switch */
	bool never_rotated; /* software events only: cannot be multiplexed */
	bool every_switch;  /* from a log of all switches, idle's too, without a leader */
	bool unread;	    /* the counters were not read: there are no values */
	bool suspect;	    /* the recorder reports that the counters went wrong */
	bool is_read;	    /* a read, no switch: sample_tid stays on the CPU */
	int64_t sample_pid; /* as the recorder sees it; -1 exiting, 0 idle or outside */
	int64_t sample_tid;
	int64_t enabled_ns; /* cumulative time_enabled, INT_NONE: not recorded */
	int64_t running_ns;
	int64_t leader_lost; /* cumulative lost samples of the leader, INT_NONE likewise
			      */
	int64_t detail_id;   /* context_switch.detail_id, INT_NONE: none */
	int64_t cgroup_id;   /* of prev; 0: not recorded */
	const uint64_t *values; /* cumulative, leader first */
	size_t count;		/* of values; constant for a group; 0: nothing was read */
	/* Call chain and branches, NULL: none; only with reader_options.want_rows */
	const struct sampled_event *fields;
	const struct edge_slots *edges; /* NULL: no edge of an interrupt is sampled */
};

/* The counters of a group that are sampled where an interrupt begins or ends. */
struct edge_slots {
	size_t count;
	const size_t *slots; /* places in the group */
};

enum interrupt_kind { INTERRUPT_SOFTIRQ, INTERRUPT_IRQ, INTERRUPT_VECTOR };

/* The counters of a group were read as an interrupt began or ended. */
struct edge_event {
	struct switch_event at; /* is_read; sample_tid was interrupted */
	enum interrupt_kind kind;
	bool is_entry;	 /* else an exit */
	int64_t vector;	 /* number of the irq, softirq or vector, INT_NONE: unknown */
	struct str name; /* of the handler or vector; ptr NULL: not recorded here */
	size_t slot;	 /* of the counter in the group that was sampled here */
};

/* An interrupt that has ended, whose counters were not read. */
struct interrupted_event {
	int64_t ts_ns, begin_ns; /* end and beginning; begin_ns <= ts_ns */
	int64_t cpu;
	struct str kind;
	int64_t vector;	 /* INT_NONE: none */
	struct str name; /* of its routine */
};

/* A thread was seen coming onto a CPU (PERF_RECORD_SWITCH*); carries no counters. */
struct switch_in_event {
	int64_t ts_ns;
	int64_t cpu; /* INT_NONE: not recorded */
	int64_t tid;
	bool in;	  /* the thread comes; false: it goes, and next_tid comes */
	bool preempted;	  /* it goes, but is still runnable */
	int64_t next_tid; /* the other thread of the switch; INT_NONE: unknown */
};

struct task_comm_event {
	int64_t ts_ns; /* 0: before the recording */
	int64_t pid, tid;
	struct str name;
	bool is_exec;
};

/* The command line of a process at a time. */
struct task_command_event {
	int64_t ts_ns;
	int64_t pid;
	struct str command;
};

struct task_fork_event {
	int64_t ts_ns;
	int64_t pid, tid;
	int64_t parent_pid, parent_tid;
};

/* A process, where a pid does not name a thread as well (Windows). */
struct task_process_event {
	int64_t ts_ns;
	int64_t pid;
	int64_t parent_pid; /* INT_NONE: not known */
	enum { PROCESS_ALIVE, PROCESS_STARTED, PROCESS_ENDED } what;
	struct str name;    /* ptr NULL: not known */
	struct str command; /* likewise */
};

struct task_exit_event {
	int64_t ts_ns;
	int64_t cpu; /* or INT_NONE */
	int64_t pid, tid;
};

/*
 * The id of a thread or process changed its owner while events were lost: the owner is
 * unknown from from_ns on, and another one from to_ns on (INT64_MAX: unknown when).
 */
struct task_handed_event {
	int64_t id; /* a tid, or a pid */
	int64_t from_ns, to_ns;
	bool is_process;
};

struct loss_event {
	int64_t ts_ns;
	int64_t cpu;	    /* INT_NONE: unknown, any CPU may have lost */
	int64_t counter_id; /* the reader's, or INT_NONE */
	int64_t events;
	struct str record; /* name of the record that reports it */
};

struct throttled_event {
	int64_t ts_ns;
	int64_t cpu;
	int64_t counter_id;
	bool throttled;
};

/* The charges of all threads of a process, in a trace with only one group. */
struct process_total_event {
	int64_t process_id; /* INT_NONE: the sum of `processes` others */
	int64_t processes;  /* in this sum */
	struct process_summary_row summary;
	/* `slots` values each: charged, of interrupts, with idle, unproven */
	const int64_t *values;
	size_t slots;
};

/* A counter overflowed; no switch. */
struct sampled_event {
	int64_t pid, tid;
	bool is_user; /* sampled in user space, where idle never is */
	/*
	 * The columns that are copied unchanged; the ids, the thread and the call chain
	 * are not set.
	 */
	struct sample_row row;
	const int64_t *value_counter_ids; /* count of each */
	const uint64_t *values;
	size_t count;
	/* Complete only with reader_options.want_rows. */
	const uint64_t *chain; /* return addresses and context marks, innermost first */
	size_t chain_count;
	const struct sample_branch_row *branches; /* sample_id to be filled in */
	size_t branch_count;
	const struct sample_register_row *registers; /* likewise */
	size_t register_count;
};

/* The user part of earlier call chains, recorded when the thread left the kernel. */
struct deferred_chain_event {
	int64_t ts_ns, cpu, tid; /* INT_NONE: not recorded */
	int64_t cookie;		 /* in those chains, after the mark "user deferred" */
	const uint64_t *chain;
	size_t chain_count;
};

/* The first columns of every tracepoint's table. */
struct traced_head {
	int64_t trace_id;  /* left to attribution */
	int64_t sample_id; /* likewise */
	int64_t ts_ns;
	int64_t cpu;
	int64_t thread_id; /* likewise */
	int64_t sample_pid, sample_tid;
};

/*
 * The fields of a tracepoint; follows the RECORD_SAMPLED or RECORD_SWITCH it came with.
 */
struct traced_event {
	bool of_switch;		   /* follows a RECORD_SWITCH; false: RECORD_SAMPLED */
	const struct table *table; /* of the reader, see struct record */
	struct traced_head *row;   /* followed by the event's fields */
};

/* Maximum of names of tables and columns of a trace: letters, digits and _. */
#define OWN_NAME_BYTES_MAX 120
/* Maximum of columns of such a table, with those of struct traced_head. */
#define OWN_COLUMNS_MAX 256
#define OWN_ROW_BYTES_MAX (OWN_COLUMNS_MAX * sizeof(struct str))

/* Highest CPU number + 1; Linux's own limit is 8192. */
#define CPU_MAX BUFFER_SIZE(65536, 4096)

enum charge_status {
#define STATUS(enumerator, number, name, reason, words, finding) \
	CHARGE_##enumerator = (number),
#include "model/statuses.def"
#undef STATUS
	CHARGE_STATUSES
};

struct charge_status_words {
	const char *name;   /* charged, with_idle, unattributed, baseline */
	const char *reason; /* why unattributed, else "" */
	const char *words;  /* explanation for users */
};
extern const struct charge_status_words charge_status_words[CHARGE_STATUSES];

/*
 * Where a bill puts an interval.  Only charge_class() decides it, for the ledger, series
 * of bills, HTML pages, and other outputs (read_class.h); switches of a run (run.h) are
 * all CLASS_CHARGED.
 */
enum charge_class {
	CLASS_CHARGED,	 /* to its thread; a baseline, too, which has no counts */
	CLASS_WITH_IDLE, /* shared by its thread and idle */
	CLASS_INTERRUPT, /* to the interrupt in which the CPU was */
	CLASS_UNPROVEN,	 /* unattributed */
	CHARGE_CLASSES
};

/* in_interrupt: the interval is charged, but to an interrupt. */
static inline enum charge_class charge_class(int64_t status, bool in_interrupt)
{
	if (status > CHARGE_WITH_IDLE)
		return CLASS_UNPROVEN;
	if (in_interrupt)
		return CLASS_INTERRUPT;
	return status == CHARGE_WITH_IDLE ? CLASS_WITH_IDLE : CLASS_CHARGED;
}

static inline bool charge_is_unproven(int64_t status)
{
	return charge_class(status, false) == CLASS_UNPROVEN;
}

/* --- the tables as data, for sinks --- */

enum field_kind {
	FIELD_INT,   /* int64_t, INT_NONE: NULL */
	FIELD_VALUE, /* int64_t, never NULL */
	FIELD_REAL,  /* double, not a number: NULL */
	FIELD_TEXT,  /* struct str, ptr NULL: NULL */
	FIELD_BLOB,  /* the same, bytes */
};

static inline bool field_is_int(enum field_kind kind)
{
	return kind == FIELD_INT || kind == FIELD_VALUE;
}

static inline bool field_is_text(enum field_kind kind)
{
	return kind == FIELD_TEXT || kind == FIELD_BLOB;
}

struct field {
	const char *name;
	enum field_kind kind;
	size_t offset; /* in the row struct */
};

struct table {
	const char *name;
	const struct field *fields;
	size_t field_count;
	size_t row_size;
};
extern const struct table tables[RECORD_TABLES];

/* Empties a row: sets every column that may be NULL to NULL. */
void row_clear(const struct table *table, void *row);
/* Copies a row and its texts into the arena.  False: out of memory. */
bool row_copy(struct arena *arena, const struct table *table, void *to, const void *row);

static inline const struct table *record_table(const struct record *record)
{
	return record->kind == RECORD_OWN_TABLE ? record->table : &tables[record->kind];
}

#endif
