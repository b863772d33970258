/*
 * private.h - what the files of the /proc source share.
 *
 *   /proc -> rows (proc/machine.c, proc/process.c) -> blocks (proc/answer.c)
 *
 * proc/counters.def lists the countersets; proc/source.h is the way in.
 */
#ifndef PERFTAB_PROC_PRIVATE_H
#define PERFTAB_PROC_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/str.h"
#include "capture/perflib/source.h"

/* PerfFreq: ticks of 100 ns, as Windows has them too. */
#define PROC_TICKS_PER_SECOND 10000000

/* --- proc/sets.c: what there is --- */

enum proc_set_number {
#define SET(set, ...) PROC_SET_##set,
#define COUNTER(...)
#include "capture/linux/proc/counters.def"
#undef SET
#undef COUNTER
	PROC_SETS
};

/* Counters of all sets, those of a set in a row from PROC_<set>_FIRST on. */
enum proc_counter_number {
#define SET(set, ...) PROC_##set##_FIRST, PROC_##set##_BEFORE = PROC_##set##_FIRST - 1,
#define COUNTER(set, counter, ...) PROC_##set##_##counter,
#include "capture/linux/proc/counters.def"
#undef SET
#undef COUNTER
	PROC_COUNTERS
};

struct proc_set {
	uint8_t guid[PLB_GUID_BYTES];
	const char *name, *help;
	uint32_t instance_type;
	uint32_t first, count; /* its counters, of all */
};

struct proc_counter {
	const char *name, *help;
	uint32_t type;
	uint32_t attributes;
	uint32_t partner; /* of all counters; SOURCE_ANY: none */
};

const struct proc_set *proc_set(enum proc_set_number number);
const struct proc_counter *proc_counter(uint32_t number);
/* PROC_SETS: none has this GUID. */
enum proc_set_number proc_set_of(const uint8_t *guid);
/* Bytes of a value, by its type. */
uint32_t proc_value_bytes(uint32_t type);
uint32_t proc_registration(struct bytes *scratch, const uint8_t *guid, uint32_t request,
			   uint32_t argument, struct source_buffer *buffer);

/* --- proc/read.c: files --- */

struct proc_tree {
	int root;  /* /proc, or a copy of it */
	int sysfs; /* /sys, or a copy of parts of it; -1: none */
	bool is_live;
	char *text; /* of the file read last, with a NUL after it */
	size_t text_room;
	uint64_t user_hz, page_bytes;
	int64_t ticks;	    /* 100 ns, of the tick counter */
	int64_t wall_100ns; /* since 1601 */
	int64_t boot_100ns; /* since the machine was started */
	int32_t minutes_west;
	uint32_t code; /* why a file could not be read */
};

/* path NULL: this machine. */
MUST_CHECK enum status proc_tree_open(struct proc_tree *tree, const char *path,
				      struct error *error);
void proc_tree_close(struct proc_tree *tree);
/* What the clocks say now, or said when the tree was saved. */
void proc_tree_read_clocks(struct proc_tree *tree);
/* The whole file below `folder`; ptr NULL: it is not there, tree->code says why. */
struct str proc_read(struct proc_tree *tree, int folder, const char *path);

/* Cuts the first line off. */
bool proc_line(struct str *text, struct str *line);
/* The next number of a line, 0 when there is none. */
uint64_t proc_number(struct str *line);
/* The next word, up to a blank. */
struct str proc_word(struct str *line);
bool proc_starts(struct str line, const char *start);

/* --- proc/rows.c: what was read --- */

struct proc_row {
	uint32_t id;
	uint32_t name_at, name_bytes; /* in names */
};

/* Of one set, of one snapshot; room is kept for the next one. */
struct proc_rows {
	uint32_t code; /* why there are none */
	struct proc_row *rows;
	size_t count, room;
	uint64_t *values; /* those of a row next to each other */
	size_t per_row;
	struct bytes names;
	bool failed;
};

void proc_rows_begin(struct proc_rows *rows, enum proc_set_number set);
/* A new row, with zeros; NULL: out of memory, or more than are taken. */
uint64_t *proc_row(struct proc_rows *rows, uint32_t id, struct str name);
void proc_rows_release(struct proc_rows *rows);

/* --- proc/machine.c, proc/process.c --- */

/* What a snapshot is made of; only sets that are wanted have been read. */
struct proc_snapshot {
	bool wanted[PROC_SETS];
	struct proc_rows sets[PROC_SETS];
	uint32_t *pids;
	size_t pid_count, pid_room;
};

void proc_read_machine(struct proc_tree *tree, struct proc_snapshot *snapshot);
void proc_read_processes(struct proc_tree *tree, struct proc_snapshot *snapshot);
bool proc_has_idle_states(const struct proc_tree *tree);
size_t proc_count_cpus(struct proc_tree *tree);

/* --- proc/answer.c: the layouts of perflib.h --- */

/* One identifier of a query. */
struct proc_request {
	enum proc_set_number set;
	uint32_t counter;  /* its place in the set; SOURCE_ANY: all */
	uint32_t instance; /* SOURCE_ANY: any */
	struct str name;   /* a pattern, UTF-8; empty: no instances */
};

/* PERF_DATA_HEADER and a block for each request. */
void proc_answer(struct bytes *answer, const struct proc_tree *tree,
		 const struct proc_snapshot *snapshot,
		 const struct proc_request *requests, size_t count);
/* PERF_INSTANCE_HEADER blocks. */
void proc_answer_instances(struct bytes *answer, const struct proc_rows *rows);

#endif
