/*
 * top.c - walks stored totals of processes side by side, to keep the first ones.
 *
 * The tables are in the order of their processes, as the converter writes them, each
 * process with its summary and its charges in the order of the counters.  Where they are
 * not, or the trace has what only threads say, nothing is kept: threads are read.
 */
#include "formats/database/top.h"

#include <string.h>

#include "formats/database/rows.h"

/* --- three tables at once --- */

static const struct field task_fields[] = {
	{ "process_id", FIELD_INT, offsetof(struct db_top_task, process_id) },
	{ "trace_id", FIELD_INT, offsetof(struct db_top_task, trace_id) },
	{ "pid", FIELD_INT, offsetof(struct db_top_task, pid) },
};
static const struct table task_table = { "process", task_fields, 3,
					 sizeof(struct db_top_task) };

static void next_task(struct db_top_scan *scan)
{
	scan->task_step = db_walk_next(&scan->task_walk, &scan->task);
}

static void next_summary(struct db_top_scan *scan)
{
	scan->summary_step = db_walk_next(&scan->summary_walk, &scan->summary);
}

static void next_charge(struct db_top_scan *scan)
{
	scan->charge_step = db_walk_next(&scan->charge_walk, &scan->charge);
}

static void end_scan(struct db_top_scan *scan)
{
	db_walk_end(&scan->task_walk);
	db_walk_end(&scan->summary_walk);
	db_walk_end(&scan->charge_walk);
	scan->is_open = false;
}

static bool begin_scan(struct db_top_scan *scan, const struct db_pages *pages,
		       sqlite3 *db)
{
	if (scan->is_open)
		return true;
	scan->is_open = db_walk_begin(&scan->task_walk, pages, db, &task_table,
				      sizeof(struct db_top_task), 0) &&
			db_walk_begin(&scan->summary_walk, pages, db,
				      &tables[RECORD_process_summary],
				      sizeof(struct process_summary_row), 0) &&
			db_walk_begin(&scan->charge_walk, pages, db,
				      &tables[RECORD_process_charge],
				      sizeof(struct process_charge_row), 0);
	if (!scan->is_open) {
		end_scan(scan);
		return false;
	}
	next_task(scan);
	next_summary(scan);
	next_charge(scan);
	return true;
}

static bool has_summary(const struct db_top_scan *scan)
{
	return scan->summary_step == DB_ROW &&
	       scan->summary.process_id == scan->task.process_id;
}

static bool has_charge(const struct db_top_scan *scan)
{
	return scan->charge_step == DB_ROW &&
	       scan->charge.process_id == scan->task.process_id;
}

/* The summary and the charges of a process, at the end of those kept. */
static bool read_process(struct db_top *top, struct db_top_scan *scan)
{
	struct top_process *process = top_at(&top->top, top->top.count);
	size_t slots = top->slots;

	if (scan->summary.group_id != top->group_id)
		return false;
	process->pid = scan->task.pid;
	process->summary = scan->summary;
	next_summary(scan);
	for (size_t i = 0; i < slots; i++) {
		if (!has_charge(scan) || scan->charge.counter_id != top->counter_ids[i])
			return false;
		process->values[i] = scan->charge.charged;
		process->values[slots + i] = scan->charge.interrupts;
		process->values[2 * slots + i] = scan->charge.with_idle;
		process->values[3 * slots + i] = scan->charge.unproven;
		next_charge(scan);
	}
	return !has_summary(scan) && !has_charge(scan) && top_add(&top->top);
}

/* Those of the current process, and to the next one. */
static bool keep_process(struct db_top *top)
{
	struct db_top_scan *scan = &top->scan;

	if (has_summary(scan) ? !read_process(top, scan) : has_charge(scan))
		return false;
	next_task(scan);
	return true;
}

static void skip_process(struct db_top_scan *scan)
{
	while (has_summary(scan))
		next_summary(scan);
	while (has_charge(scan))
		next_charge(scan);
	next_task(scan);
}

/* The processes of a trace, where an earlier scan found those of each one together. */
static bool scan_trace(struct db_top *top, int64_t trace_id)
{
	struct db_top_scan *scan = &top->scan;

	while (scan->task_step == DB_ROW && scan->task.trace_id < trace_id)
		skip_process(scan);
	while (scan->task_step == DB_ROW && scan->task.trace_id == trace_id)
		if (!keep_process(top))
			return false;
	return true;
}

/* The same from all of the tables, which are only then known to be as they should. */
static bool scan_all(struct db_top *top, int64_t trace_id)
{
	struct db_top_scan *scan = &top->scan;
	int64_t last = INT64_MIN;
	bool is_in_order = true, is_whole;

	while (scan->task_step == DB_ROW) {
		is_in_order &= scan->task.trace_id >= last;
		last = scan->task.trace_id;
		if (last != trace_id)
			skip_process(scan);
		else if (!keep_process(top))
			return false;
	}
	is_whole = scan->task_step == DB_END && scan->summary_step == DB_END &&
		   scan->charge_step == DB_END;
	scan->is_in_order = is_in_order && is_whole;
	return is_whole;
}

static bool scan_processes(struct db_top *top, const struct db_pages *pages, sqlite3 *db,
			   int64_t trace_id)
{
	struct db_top_scan *scan = &top->scan;
	bool goes_on = scan->is_in_order;
	bool is_read = begin_scan(scan, pages, db) &&
		       (goes_on ? scan_trace(top, trace_id) : scan_all(top, trace_id));

	if (!goes_on || !is_read)
		end_scan(scan);
	return is_read;
}

/* --- the trace --- */

void db_top_begin(struct db_top *top, size_t wanted)
{
	top_end(&top->top);
	sqlite3_finalize(top->rows);
	*top = (struct db_top){ .scan = top->scan, .wanted = wanted };
}

void db_top_release(struct db_top *top)
{
	db_top_begin(top, 0);
	end_scan(&top->scan);
}

void db_top_group(struct db_top *top, const struct counter_group_row *row)
{
	top->group_count++;
	top->group_id = row->group_id;
	top->slots = row->counters < 0 ? SIZE_MAX : (size_t)row->counters;
}

void db_top_counter(struct db_top *top, const struct counter_row *row)
{
	if (row->group_id == top->group_id && row->slot >= 0 &&
	    row->slot < GROUP_COUNTERS_MAX)
		top->counter_ids[row->slot] = row->counter_id;
}

/* Interrupts and samples are counted by thread. */
static bool is_empty_table(const struct db_pages *pages, sqlite3 *db,
			   enum record_kind kind)
{
	union {
		struct interrupt_row interrupt;
		struct sample_summary_row sample_summary;
		int64_t room[64];
	} row;
	struct db_walk walk;
	bool is_empty = false;

	if (db_walk_begin(&walk, pages, db, &tables[kind], sizeof(row) - sizeof(int64_t),
			  0)) {
		is_empty = db_walk_next(&walk, &row) == DB_END;
		db_walk_end(&walk);
	}
	return is_empty;
}

static bool prepare_rows(struct db_top *top, sqlite3 *db)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	char *text;
	int result;

	sqlite3_str_appendall(sql, "SELECT ");
	db_rows_columns(sql, &tables[RECORD_process]);
	sqlite3_str_appendall(sql, " FROM process WHERE process_id = ?1");
	text = sqlite3_str_finish(sql);
	if (!text)
		return false;
	result = sqlite3_prepare_v2(db, text, -1, &top->rows, NULL);
	sqlite3_free(text);
	return result == SQLITE_OK;
}

bool db_top_read(struct db_top *top, const struct db_pages *pages, sqlite3 *db,
		 int64_t trace_id)
{
	if (!top->wanted || top->group_count != 1 || top->slots > GROUP_COUNTERS_MAX ||
	    !is_empty_table(pages, db, RECORD_interrupt) ||
	    !is_empty_table(pages, db, RECORD_sample_summary) ||
	    !top_begin(&top->top, top->wanted, top->group_id, top->slots) ||
	    !prepare_rows(top, db))
		return false;
	top->is_used = scan_processes(top, pages, db, trace_id) && top_choose(&top->top);
	return top->is_used;
}

/* --- rows --- */

static enum status give_total(struct db_top *top, struct record *out)
{
	top->total = top_total(&top->top, top->at++);
	*out = (struct record){ .kind = RECORD_PROCESS_TOTAL, .data = &top->total };
	return ST_OK;
}

enum status db_top_next(struct db_top *top, struct record *out)
{
	int64_t process_id;

	if (top->at == top->top.count && top->top.rest_count)
		return give_total(top, out);
	if (top->at >= top->top.count)
		return ST_END;
	if (top->is_named) {
		top->is_named = false;
		return give_total(top, out);
	}
	process_id = top_at(&top->top, top->at)->summary.process_id;
	sqlite3_reset(top->rows);
	if (sqlite3_bind_int64(top->rows, 1, process_id) != SQLITE_OK ||
	    sqlite3_step(top->rows) != SQLITE_ROW)
		return ST_CORRUPT;
	db_rows_decode(top->rows, &tables[RECORD_process], &top->row);
	top->is_named = true;
	*out = (struct record){ .kind = RECORD_process, .data = &top->row };
	return ST_OK;
}
