/*
 * top.c - walks stored totals of processes side by side and keeps the first ones.
 *
 * The tables are in the order of their processes, as the converter writes them, each
 * process with its summary and its charges in the order of the counters.  Where they are
 * not, or the trace has what only threads say, nothing is kept: threads are read.
 */
#include "formats/database/top.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/wrap.h"
#include "formats/database/rows.h"

/* More is not worth it: then threads are read. */
#define TOP_BYTES_MAX ((size_t)16 << 20)

/* Charged, interrupts, with idle, unproven: of each counter. */
#define VALUES_OF_COUNTER 4

struct top_process {
	int64_t pid;
	bool is_kept;
	struct process_summary_row summary;
	int64_t values[]; /* as in struct process_total_event */
};

/* Processes that cost less are not among the first. */
struct top_bound {
	int64_t value;
	int64_t pid;
};

/* --- keys: time on a CPU, and what each counter charged --- */

static size_t key_count(const struct db_top *top)
{
	return 1 + top->slots;
}

static int64_t key_of(const struct top_process *process, size_t key)
{
	return key ? process->values[key - 1] : process->summary.on_cpu_ns;
}

static struct top_process *process_at(const struct db_top *top, size_t at)
{
	return (struct top_process *)(void *)(top->processes + at * top->process_bytes);
}

static bool is_idle(const struct top_process *process)
{
	return process->pid == 0;
}

/* It may be among the first. */
static bool is_candidate(const struct db_top *top, const struct top_process *process)
{
	if (!top->has_bounds || is_idle(process))
		return true;
	for (size_t key = 0; key < key_count(top); key++) {
		int64_t value = key_of(process, key);
		const struct top_bound *bound = &top->bounds[key];

		if (value > bound->value ||
		    (value == bound->value && process->pid <= bound->pid))
			return true;
	}
	return false;
}

/* --- the rest --- */

static void add(int64_t *sum, int64_t more)
{
	*sum = wrap_add(*sum, more);
}

static void add_to_rest(struct db_top *top, const struct top_process *process)
{
	struct process_summary_row *to = &top->rest->summary;
	const struct process_summary_row *from = &process->summary;

	top->rest_count++;
	add(&to->threads, from->threads);
	add(&to->switches, from->switches);
	add(&to->on_cpu_ns, from->on_cpu_ns);
	add(&to->with_idle_switches, from->with_idle_switches);
	add(&to->timeless_switches, from->timeless_switches);
	add(&to->unproven_switches, from->unproven_switches);
	add(&to->unproven_ns, from->unproven_ns);
	add(&to->reads, from->reads);
	add(&to->interrupts_ns, from->interrupts_ns);
	if (from->running_ns != INT_NONE && to->running_ns == INT_NONE)
		to->running_ns = from->running_ns;
	else if (from->running_ns != INT_NONE)
		add(&to->running_ns, from->running_ns);
	for (size_t i = 0; i < VALUES_OF_COUNTER * top->slots; i++)
		add(&top->rest->values[i], process->values[i]);
}

/* --- choosing --- */

struct ranked {
	int64_t value;
	int64_t pid;
	struct top_process *process;
};

/* As lines of a bill are sorted. */
static int compare_ranked(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* Marks the first by one key, and those equal to the last of them. */
static void keep_first(struct db_top *top, size_t key, struct ranked *ranked)
{
	struct top_bound *bound = &top->bounds[key];
	size_t count = 0;

	for (size_t i = 0; i < top->count; i++) {
		struct top_process *process = process_at(top, i);

		if (!is_idle(process))
			ranked[count++] = (struct ranked){ key_of(process, key),
							   process->pid, process };
	}
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	*bound = (struct top_bound){ INT64_MIN, INT64_MAX };
	if (count >= top->wanted)
		*bound = (struct top_bound){ ranked[top->wanted - 1].value,
					     ranked[top->wanted - 1].pid };
	for (size_t i = 0; i < count; i++) {
		if (ranked[i].value < bound->value ||
		    (ranked[i].value == bound->value && ranked[i].pid > bound->pid))
			break;
		ranked[i].process->is_kept = true;
	}
}

/* Adds those that are not among the first by any key to the rest.  False: no memory. */
static bool prune(struct db_top *top)
{
	struct ranked *ranked = memory_alloc((top->count + 1) * sizeof(*ranked));
	size_t kept = 0;

	if (!ranked)
		return false;
	for (size_t i = 0; i < top->count; i++)
		process_at(top, i)->is_kept = is_idle(process_at(top, i));
	for (size_t key = 0; key < key_count(top); key++)
		keep_first(top, key, ranked);
	free(ranked);
	for (size_t i = 0; i < top->count; i++) {
		const struct top_process *process = process_at(top, i);

		if (!process->is_kept)
			add_to_rest(top, process);
		else
			memmove(process_at(top, kept++), process, top->process_bytes);
	}
	top->count = kept;
	top->has_bounds = true;
	return true;
}

/* One with no proven interval has no line, and shares none with idle. */
static bool is_empty(const struct db_top *top, const struct top_process *process)
{
	int64_t with_idle = process->summary.with_idle_switches;

	for (size_t i = 0; i < top->slots; i++)
		with_idle |= process->values[2 * top->slots + i];
	return !with_idle;
}

/* The process after the others, where there is room for it.  False: cannot be kept. */
static bool add_process(struct db_top *top)
{
	const struct top_process *process = process_at(top, top->count);

	if (wrap_add(process->summary.switches, process->summary.reads) == 0)
		return is_empty(top, process);
	if (!is_candidate(top, process)) {
		add_to_rest(top, process);
		return true;
	}
	if (++top->count < top->room)
		return true;
	return prune(top) && top->count < top->room / 2;
}

/* --- three tables at once --- */

struct task {
	int64_t process_id, trace_id, pid;
};

static const struct field task_fields[] = {
	{ "process_id", FIELD_INT, offsetof(struct task, process_id) },
	{ "trace_id", FIELD_INT, offsetof(struct task, trace_id) },
	{ "pid", FIELD_INT, offsetof(struct task, pid) },
};
static const struct table task_table = { "process", task_fields, 3, sizeof(struct task) };

struct scan {
	struct db_walk task_walk, summary_walk, charge_walk;
	enum db_step task_step, summary_step, charge_step; /* of the current rows: */
	struct task task;
	struct process_summary_row summary;
	struct process_charge_row charge;
};

static void next_task(struct scan *scan)
{
	scan->task_step = db_walk_next(&scan->task_walk, &scan->task);
}

static void next_summary(struct scan *scan)
{
	scan->summary_step = db_walk_next(&scan->summary_walk, &scan->summary);
}

static void next_charge(struct scan *scan)
{
	scan->charge_step = db_walk_next(&scan->charge_walk, &scan->charge);
}

static bool begin_scan(struct scan *scan, const struct db_pages *pages, sqlite3 *db)
{
	bool begun;

	memset(scan, 0, sizeof(*scan));
	begun = db_walk_begin(&scan->task_walk, pages, db, &task_table,
			      sizeof(struct task), 0) &&
		db_walk_begin(&scan->summary_walk, pages, db,
			      &tables[RECORD_process_summary],
			      sizeof(struct process_summary_row), 0) &&
		db_walk_begin(&scan->charge_walk, pages, db,
			      &tables[RECORD_process_charge],
			      sizeof(struct process_charge_row), 0);
	if (!begun)
		return false;
	next_task(scan);
	next_summary(scan);
	next_charge(scan);
	return true;
}

static void end_scan(struct scan *scan)
{
	db_walk_end(&scan->task_walk);
	db_walk_end(&scan->summary_walk);
	db_walk_end(&scan->charge_walk);
}

static bool has_summary(const struct scan *scan)
{
	return scan->summary_step == DB_ROW &&
	       scan->summary.process_id == scan->task.process_id;
}

static bool has_charge(const struct scan *scan)
{
	return scan->charge_step == DB_ROW &&
	       scan->charge.process_id == scan->task.process_id;
}

/* The summary and the charges of a process, at the end of those kept. */
static bool read_process(struct db_top *top, struct scan *scan)
{
	struct top_process *process = process_at(top, top->count);
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
	return !has_summary(scan) && !has_charge(scan) && add_process(top);
}

static bool scan_processes(struct db_top *top, struct scan *scan, int64_t trace_id)
{
	for (; scan->task_step == DB_ROW; next_task(scan)) {
		if (scan->task.trace_id == trace_id) {
			if (has_summary(scan) && !read_process(top, scan))
				return false;
			continue;
		}
		while (has_summary(scan))
			next_summary(scan);
		while (has_charge(scan))
			next_charge(scan);
	}
	return scan->task_step == DB_END && scan->summary_step == DB_END &&
	       scan->charge_step == DB_END;
}

/* --- the trace --- */

void db_top_begin(struct db_top *top, size_t wanted)
{
	db_top_end(top);
	top->wanted = wanted;
}

void db_top_end(struct db_top *top)
{
	free(top->processes);
	free(top->rest);
	free(top->bounds);
	sqlite3_finalize(top->rows);
	*top = (struct db_top){ .wanted = 0 };
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

static bool allocate(struct db_top *top)
{
	size_t slots = top->slots;

	if (top->wanted > TOP_BYTES_MAX)
		return false;
	top->process_bytes =
		sizeof(struct top_process) + VALUES_OF_COUNTER * slots * sizeof(int64_t);
	top->room = 4 * key_count(top) * top->wanted + 4;
	if (top->room > TOP_BYTES_MAX / top->process_bytes)
		return false;
	top->processes = memory_alloc_zeroed(top->room + 1, top->process_bytes);
	top->rest = memory_alloc_zeroed(1, top->process_bytes);
	top->bounds = memory_alloc_zeroed(key_count(top), sizeof(*top->bounds));
	if (top->rest) {
		top->rest->summary.group_id = top->group_id;
		top->rest->summary.running_ns = INT_NONE;
	}
	return top->processes && top->rest && top->bounds;
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
	struct scan scan;

	if (!top->wanted || top->group_count != 1 || top->slots > GROUP_COUNTERS_MAX ||
	    !is_empty_table(pages, db, RECORD_interrupt) ||
	    !is_empty_table(pages, db, RECORD_sample_summary) || !allocate(top) ||
	    !prepare_rows(top, db))
		return false;
	top->is_used = begin_scan(&scan, pages, db) &&
		       scan_processes(top, &scan, trace_id) && prune(top);
	end_scan(&scan);
	return top->is_used;
}

/* --- rows --- */

static enum status give_total(struct db_top *top, const struct top_process *process,
			      int64_t process_id, int64_t processes, struct record *out)
{
	top->total = (struct process_total_event){
		.process_id = process_id,
		.processes = processes,
		.summary = process->summary,
		.values = process->values,
		.slots = top->slots,
	};
	*out = (struct record){ .kind = RECORD_PROCESS_TOTAL, .data = &top->total };
	return ST_OK;
}

enum status db_top_next(struct db_top *top, struct record *out)
{
	const struct top_process *process = process_at(top, top->at);

	if (top->at == top->count) {
		top->at++;
		return top->rest_count ? give_total(top, top->rest, INT_NONE,
						    top->rest_count, out)
				       : ST_END;
	}
	if (top->at > top->count)
		return ST_END;
	if (top->is_named) {
		top->is_named = false;
		top->at++;
		return give_total(top, process, process->summary.process_id, 1, out);
	}
	sqlite3_reset(top->rows);
	if (sqlite3_bind_int64(top->rows, 1, process->summary.process_id) != SQLITE_OK ||
	    sqlite3_step(top->rows) != SQLITE_ROW)
		return ST_CORRUPT;
	db_rows_decode(top->rows, &tables[RECORD_process], &top->row);
	top->is_named = true;
	*out = (struct record){ .kind = RECORD_process, .data = &top->row };
	return ST_OK;
}
