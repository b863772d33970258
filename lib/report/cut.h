/*
 * cut.h - what a line of the bill is: a process, a thread, a CPU, all processes of a
 * name, a process of a tree, or a control group.
 *
 * Bill and estimates are cut alike: the lines of both begin with the cells below, which
 * say whose a line is, and lines are found by that.
 */
#ifndef PERFTAB_REPORT_CUT_H
#define PERFTAB_REPORT_CUT_H

#include "base/map.h"
#include "report/totals.h"
#include "report/view.h"

enum cut_by {
	BY_PROCESS,
	BY_THREAD,
	BY_CPU,
	BY_COMM,
	BY_TREE,
	BY_CGROUP,
	BY_CUTS,
};
#define CUT_WORDS "process|thread|cpu|comm|tree|cgroup"

/* The words for them, and what JSON calls an array of such lines. */
extern const char *const cut_names[];
extern const char *const cut_plurals[];

/* Whose lines are shown; all others become one line, (other processes). */
struct cut_filter {
	const char *process;   /* name, with wildcards; NULL: all */
	int64_t pid, tid;      /* INT_NONE: all */
	int64_t root;	       /* only what this process started; INT_NONE: all */
	bool root_is_recorder; /* and began to record before it started any */
};

/* CUT_THREAD only by thread, CUT_COMMAND only in a tree. */
enum cut_text { CUT_PROCESS, CUT_THREAD, CUT_COMMAND };
/* How many a line has. */
size_t cut_texts(enum cut_by by);
enum cut_id { CUT_PID, CUT_TID, CUT_CPU, CUT_PARENT_PID, CUT_CGROUP, CUT_IDS };
/* Of the counts, the first ones. */
enum cut_count {
	CUT_ON_CPU = CUT_IDS,
	CUT_PROCESSES,
	CUT_THREADS,
	CUT_SWITCHES,
	CUT_END
};
#define CUT_COUNTS (CUT_END - CUT_IDS)

struct cut {
	enum cut_by by;
	struct cut_filter filter;
	const struct totals *totals;
	struct view *view;
	struct map lines;	   /* by process, thread or CPU */
	struct map process_by_pid; /* the last one of a pid; for parents */
	struct view_line *others;  /* NULL: none so far */
	size_t matches;		   /* threads that pass the filter */
};

/* False: out of memory.  cut_end() in either case. */
bool cut_begin(struct cut *cut, enum cut_by by, const struct cut_filter *filter,
	       const struct totals *totals, struct view *view);
void cut_end(struct cut *cut);
/* The columns that say whose a line is. */
void cut_add_columns(struct view *view, enum cut_by by);

/* Whether the filter lets a thread through. */
bool cut_passes(const struct cut *cut, const struct totals_thread *thread);
/* The line that a thread or CPU adds to, made if there is none; NULL: out of memory. */
struct view_line *cut_thread_line(struct cut *cut, const struct totals_thread *thread);
/* By control group, of a thread's part in one; 0: it is not known in which. */
struct view_line *cut_cgroup_line(struct cut *cut, const struct totals_thread *thread,
				  int64_t cgroup_id);
struct view_line *cut_cpu_line(struct cut *cut, int64_t cpu);
/* (unattributed) */
struct view_line *cut_unattributed_line(struct cut *cut);
/* A line that is of no task, thread or CPU. */
struct view_line *cut_add_named(struct cut *cut, enum line_kind kind, struct str name);
/* (idle) is there even when no CPU was idle.  False: out of memory. */
bool cut_complete_idle(struct cut *cut);
/* All lines have been added to: joins those of one name, or makes the tree. */
bool cut_join(struct cut *cut);

#endif
