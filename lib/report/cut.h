/*
 * cut.h - what a line of the bill is: a process, a thread, a CPU, all processes of a
 * name, a process of a tree, or a control group.
 *
 * Lines of bills and estimates begin with the cells below, which identify the owner of a
 * line.
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

/* By enum cut_by: the words of CUT_WORDS, and the JSON names of arrays of lines. */
extern const char *const cut_names[];
extern const char *const cut_plurals[];

/* Which lines are shown; all others become one line, (other processes). */
struct cut_filter {
	const char *process;   /* name, with wildcards; NULL: all */
	int64_t pid, tid;      /* INT_NONE: all */
	int64_t root;	       /* only what this process started; INT_NONE: all */
	bool root_is_recorder; /* `root` recorded before it started any process */
};

/* Texts of a line; CUT_THREAD only by thread, CUT_COMMAND only in a tree. */
enum cut_text { CUT_PROCESS, CUT_THREAD, CUT_COMMAND };
/* Returns how many of these texts a line has. */
size_t cut_texts(enum cut_by by);
enum cut_id { CUT_PID, CUT_TID, CUT_CPU, CUT_PARENT_PID, CUT_CGROUP, CUT_IDS };
/* The first counts of a line. */
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
	struct map process_by_pid; /* the last process of a pid; to find parents */
	struct view_line *others;  /* NULL: none so far */
	size_t matches;		   /* threads that pass the filter */
};

/* False: out of memory.  Call cut_end() in either case. */
bool cut_begin(struct cut *cut, enum cut_by by, const struct cut_filter *filter,
	       const struct totals *totals, struct view *view);
void cut_end(struct cut *cut);
/* Adds the columns that identify the owner of a line. */
void cut_add_columns(struct view *view, enum cut_by by);

/* Returns whether a thread passes the filter. */
bool cut_passes(const struct cut *cut, const struct totals_thread *thread);
/* Returns the line of a thread or CPU, made if needed; NULL: out of memory. */
struct view_line *cut_thread_line(struct cut *cut, const struct totals_thread *thread);
/* Returns the line of a thread's part in a control group; 0: an unknown one. */
struct view_line *cut_cgroup_line(struct cut *cut, const struct totals_thread *thread,
				  int64_t cgroup_id);
struct view_line *cut_cpu_line(struct cut *cut, int64_t cpu);
/* Returns the line (unattributed); NULL: out of memory. */
struct view_line *cut_unattributed_line(struct cut *cut);
/* Adds a line that is of no task, thread or CPU. */
struct view_line *cut_add_named(struct cut *cut, enum line_kind kind, struct str name);
/* Adds the line (idle) if no CPU was idle.  False: out of memory. */
bool cut_complete_idle(struct cut *cut);
/* After the last line: joins lines of one name, or makes the tree. */
bool cut_join(struct cut *cut);

#endif
