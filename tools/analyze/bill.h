/*
 * bill.h - the lines of a bill: one a process, thread or CPU, and the two that always
 * are.
 *
 * Made once from a report, printed as text, CSV or JSON.
 */
#ifndef PERFTAB_BILL_H
#define PERFTAB_BILL_H

#include "counters/metric.h"
#include "report.h"

#define METRIC_USES_MAX 32
/* Lines times counters: 1 GB of them; beyond that nobody reads a bill. */
#define BILL_CELLS_MAX ((size_t)64 << 20)

enum bill_by { BY_PROCESS, BY_THREAD, BY_CPU };

enum bill_rule { RULE_SEPARATE, RULE_SWITCHED_OUT };

/* LINE_OTHERS: all that bill_keep_tree() took together. */
enum line_kind { LINE_TASK, LINE_OTHERS, LINE_IDLE, LINE_UNATTRIBUTED, LINE_TOTAL };

struct bill_line {
	enum line_kind kind;
	const struct report_process *of; /* NULL: of none, or of several */
	struct str process;		 /* shown name; ptr NULL: not known */
	struct str thread;		 /* BY_THREAD */
	int64_t pid, tid;		 /* INT_NONE: empty */
	int64_t cpu;			 /* BY_CPU and idle threads */
	int64_t threads;		 /* INT_NONE: empty */
	int64_t switches;
	int64_t reads; /* intervals of any group that ended with a read, proven or not */
	int64_t on_cpu_ns;
	int64_t with_idle_switches, timeless_switches;
	int64_t *values;	 /* by counter of the report */
	int64_t *with_idle;	 /* that part of them */
	int64_t *group_switches; /* by group */
	int64_t *group_seen;	 /* the same with those that proved nothing */
	int64_t *group_running;	 /* likewise, INT_NONE: unknown */
};

struct bill {
	struct arena arena;
	const struct report *report;
	enum bill_by by;
	enum bill_rule rule;
	struct bill_line *lines; /* sorted; then idle, unattributed (not BY_CPU) */
	size_t line_count;
	struct bill_line total;
	size_t heaviest; /* index of the counter with the largest total, or SIZE_MAX */
	struct metric_use uses[METRIC_USES_MAX];
	size_t use_count;
};

/* False: out of memory.  What was made is freed by bill_release() in either case. */
bool bill_make(struct bill *bill, const struct report *report, enum bill_by by,
	       enum bill_rule rule);
void bill_release(struct bill *bill);

/* Sorts by a column as CSV names them; NULL: by the heaviest counter.  False: no such. */
bool bill_sort(struct bill *bill, const char *column);

/* Adds all but the threads, whose number means something for one process only. */
void bill_line_add(struct bill_line *sum, const struct bill_line *line,
		   const struct report *report);

/*
 * bill_tree.c: keeps the lines of what the process `root` has started, and what those
 * have started; all others become one line.  False: out of memory.
 */
bool bill_keep_tree(struct bill *bill, int64_t root);

/* Counters of software leaders say no more than `switches`. */
bool bill_is_leader(const struct report *report, size_t counter);

#endif
