/*
 * spaces.h - what was mapped where in each process, and in the kernel, over time.
 *
 * A process begins with its parent's mappings of the moment of its fork, and loses all
 * with an exec.  Where mappings overlap the later one counts; in the kernel, whose
 * mappings stay, the one that begins last.
 */
#ifndef PERFTAB_SYMBOLS_SPACES_H
#define PERFTAB_SYMBOLS_SPACES_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"

#define MAPPINGS_MAX ((size_t)1 << 20)
/* Mappings that are looked at for one address, and for all of a trace. */
#define MAPPING_STEPS_MAX 4096
#define MAPPING_ALL_STEPS_MAX (UINT64_C(1) << 30)
#define MAPPING_VERSIONS_MAX 16
#define FORK_DEPTH_MAX 32

/* A file, with a build id if that is known. */
struct module {
	int64_t module_id; /* INT_NONE: not in the output yet */
	struct str path, build_id;
	const char *symbols; /* as in its row */
	const char *asked;   /* what came of its own file; NULL: it was not asked for */
	struct module *next;
};

struct mapping {
	uint64_t start, end; /* [start, end) */
	uint64_t file_offset;
	int64_t ts_ns;	/* INT64_MIN: from the start */
	int64_t end_ns; /* INT64_MAX: no end is known; an exec is one, once sorted */
	int64_t thread_id, pid; /* its owner, by either; INT_NONE: unknown */
	int64_t process_id;	/* its owner, once sorted; INT_NONE: the kernel */
	bool is_kernel;
	struct module *module;
	struct str function; /* the only function in it; ptr NULL: it is a file */
	uint64_t furthest;   /* highest end of this mapping and those before it */
};

/* A task that another one started, or that began another program. */
struct task_change {
	int64_t thread_id, parent_thread_id; /* the parent is INT_NONE: an exec */
	int64_t ts_ns;
};

struct space_process {
	int64_t process_id, pid, start_ns, end_ns;
	size_t first, count;		    /* of its mappings, once they are sorted */
	const struct space_process *parent; /* NULL: none is known */
	int64_t fork_ns;
	int64_t *execs; /* times, in order once they are sorted */
	size_t exec_count;
	struct space_process *next_of_pid, *next;
};

struct spaces {
	struct arena arena;
	struct mapping *mappings; /* of the kernel first, once they are sorted */
	size_t count, room;
	size_t kernel_count;
	struct task_change *changes;
	size_t change_count, change_room;
	struct map latest;  /* hash of pid and start -> number of a mapping, + 1 */
	struct map modules; /* hash of path and build id -> struct module */
	struct module *first_module, **last_module;
	struct map process_of_thread; /* thread_id -> struct space_process */
	struct map processes, by_pid;
	struct space_process *first_process, **last_process;
	uint64_t steps;
	bool limit_reached, out_of_memory;
};

void spaces_begin(struct spaces *spaces);
void spaces_release(struct spaces *spaces);
/* Frees what rows said, but not that there were too many of them. */
void spaces_forget(struct spaces *spaces);

/* Rows of the trace, in any order. */
void spaces_on_mmap(struct spaces *spaces, const struct mmap_row *row);
void spaces_on_ksymbol(struct spaces *spaces, const struct ksymbol_row *row);
void spaces_on_fork(struct spaces *spaces, const struct fork_row *row);
void spaces_on_comm(struct spaces *spaces, const struct comm_row *row);
void spaces_on_process(struct spaces *spaces, const struct process_row *row);
void spaces_on_thread(struct spaces *spaces, const struct thread_row *row);
/* An image of Windows; is_end: it is gone from then on. */
void spaces_on_image(struct spaces *spaces, const struct mmap_row *row, bool is_end);

/* Call it when the trace is complete. */
void spaces_settle(struct spaces *spaces);
/* Returns the process of a thread; NULL: unknown. */
const struct space_process *spaces_process(const struct spaces *spaces,
					   int64_t thread_id);

/* The mapping of an address from from_ns (INT64_MIN: always) to to_ns (INT64_MAX). */
struct version {
	const struct mapping *mapping;
	int64_t from_ns, to_ns;
};
/* The process is NULL for the kernel.  Returns how many, in order of time. */
size_t spaces_find(struct spaces *spaces, const struct space_process *process,
		   uint64_t address, struct version versions[MAPPING_VERSIONS_MAX]);

#endif
