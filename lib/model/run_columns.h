/*
 * run_columns.h - rows of a run, kept as columns for a writer that needs them later, in
 * another thread.
 */
#ifndef PERFTAB_RUN_COLUMNS_H
#define PERFTAB_RUN_COLUMNS_H

#include "model/run.h"

/*
 * Charged rows of context_switch with consecutive ids.  Numbers are not negative, except
 * in prev_state, and INT64_MIN for NULL in next_thread_id, running_ns and detail_id.
 */
struct run_columns {
	size_t count;
	int64_t first_id, cpu, group_id;
	const int64_t *ts_ns, *prev_thread_id, *next_thread_id, *prev_state, *on_cpu_ns;
	const int64_t *running_ns, *detail_id; /* NULL: all are NULL */
	const int64_t *cpus;		       /* NULL: all are `cpu` */
	const int64_t *deltas;		       /* row by row, `slots` each */
	size_t slots;
};

/*
 * Copies the rows to `room`, which must have, for each, a row of context_switch and its
 * deltas; returns the end of the copies.  The columns then point to the copies.
 * `is_for_other`: another thread will read them, after other_cpu_fence() (other_cpu.h).
 */
char *run_columns_keep(struct run_columns *columns, char *room, bool is_for_other,
		       const struct run_rows *rows);
/* Returns the bytes of all columns, which follow one another from ts_ns on. */
static inline size_t run_columns_bytes(const struct run_columns *columns)
{
	const int64_t *end = columns->deltas + columns->count * columns->slots;

	return (size_t)((const char *)end - (const char *)columns->ts_ns);
}
/* Returns row `at`, counted from 0. */
struct context_switch_row run_columns_row(const struct run_columns *columns, size_t at);

#endif
