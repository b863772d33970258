/* intervals.c - reads switches of a trace and adds their deltas up again. */
#include "formats/database/intervals.h"

#include <string.h>

#include "base/array.h"

#define DATABASE_IDS_MAX (UINT64_C(1) << 40) /* ids count up from 1 */

/* A group, and where its counters stand on each CPU. */
struct db_group {
	int64_t group_id;
	int64_t slots;
	bool per_task;
	struct map values; /* instance_key() -> cumulative values, `slots` of them */
	struct db_group *next;
};

void db_intervals_init(struct db_intervals *v, sqlite3 *db, int64_t trace_id,
		       bool want_values)
{
	*v = (struct db_intervals){ .db = db,
				    .trace_id = trace_id,
				    .want_values = want_values };
}

void db_intervals_release(struct db_intervals *v)
{
	for (struct db_group *group = v->all_groups; group; group = group->next)
		map_release(&group->values);
	v->all_groups = v->last_group = NULL;
	memset(v->recent, 0, sizeof(v->recent));
	map_release(&v->groups);
	arena_release(&v->arena);
	sqlite3_finalize(v->reads);
	v->reads = NULL;
}

/* Within a group; CPU and thread are checked by fits_instance(). */
static uint64_t instance_key(int64_t cpu, int64_t thread_id)
{
	return (uint64_t)cpu << 40 |
	       (thread_id == INT_NONE ? 0 : (uint64_t)thread_id + 1);
}

bool db_intervals_group(struct db_intervals *v, const struct counter_group_row *row)
{
	struct db_group *group = arena_alloc(&v->arena, sizeof(*group));

	if (!group || row->counters < 0 || row->counters > GROUP_COUNTERS_MAX)
		return false;
	group->group_id = row->group_id;
	group->slots = row->counters;
	group->per_task = str_equal(row->scope, STR("task"));
	if (group->slots > v->widest)
		v->widest = group->slots;
	group->next = v->all_groups;
	v->all_groups = group;
	return map_put(&v->groups, (uint64_t)row->group_id, group);
}

/* CPU and thread are such that instance_key() gives each pair a key of its own. */
static bool fits_instance(const struct context_switch_row *row)
{
	return row->cpu >= 0 && row->cpu < CPU_MAX &&
	       (row->prev_thread_id == INT_NONE ||
		(uint64_t)row->prev_thread_id < DATABASE_IDS_MAX);
}

/* Values of one instance of a group, starting at its first recorded ones. */
static int64_t *values_of(struct db_intervals *v, const struct context_switch_row *row,
			  struct db_group *group)
{
	int64_t owner = group->per_task ? row->prev_thread_id : INT_NONE;
	uint64_t key = instance_key(row->cpu, owner);
	int64_t *values = map_get(&group->values, key);
	sqlite3_stmt *bases;

	if (values)
		return values;
	values = arena_alloc(&v->arena, ((size_t)group->slots + 1) * sizeof(*values));
	if (!values || !map_put(&group->values, key, values))
		return NULL;
	if (sqlite3_prepare_v2(
		    v->db,
		    "SELECT slot, first_value FROM counter_base JOIN counter USING "
		    "(counter_id) WHERE group_id = ?1 AND cpu = ?2 AND "
		    "thread_id IS ?3",
		    -1, &bases, NULL) != SQLITE_OK)
		return NULL;
	sqlite3_bind_int64(bases, 1, row->group_id);
	sqlite3_bind_int64(bases, 2, row->cpu);
	if (owner != INT_NONE)
		sqlite3_bind_int64(bases, 3, owner);
	while (sqlite3_step(bases) == SQLITE_ROW) {
		int64_t slot = sqlite3_column_int64(bases, 0);

		if (slot >= 0 && slot < group->slots)
			values[slot] = sqlite3_column_int64(bases, 1);
	}
	sqlite3_finalize(bases);
	return values;
}

/* The same, most often without a search. */
static int64_t *recent_values_of(struct db_intervals *v,
				 const struct context_switch_row *row,
				 struct db_group *group)
{
	struct db_recent *recent = &v->recent[(uint64_t)row->cpu % DB_RECENT];

	if (group->per_task)
		return values_of(v, row, group);
	if (recent->group != group || recent->cpu != row->cpu)
		*recent = (struct db_recent){ group, row->cpu, values_of(v, row, group) };
	if (!recent->values)
		recent->group = NULL;
	return recent->values;
}

bool db_intervals_switch(struct db_intervals *v, const int64_t *deltas,
			 const struct context_switch_row *row, struct record *out)
{
	const struct db_group *last = v->last_group;
	struct db_group *group = last && last->group_id == row->group_id
					 ? v->last_group
					 : map_get(&v->groups, (uint64_t)row->group_id);
	int64_t *values = NULL;

	if (!group || !fits_instance(row))
		return false;
	if (v->want_values) {
		values = recent_values_of(v, row, group);
		if (!values)
			return false;
		for (int64_t i = 0; i < group->slots; i++)
			values[i] = (int64_t)((uint64_t)values[i] + (uint64_t)deltas[i]);
	}
	v->last_group = group;
	out->deltas = deltas;
	out->values = values;
	out->slots = (size_t)group->slots;
	return true;
}

/* --- reads, which come between the switches that they were made between --- */

static const char *const reads_sql =
	"SELECT read_id, ts_ns, cpu, r.group_id, thread_id, after_switch_id, status, "
	"on_cpu_ns, running_ns, interrupt_id, interrupt_ended, c.slot, v.delta "
	"FROM group_read AS r "
	"JOIN counter_group AS g USING (group_id) "
	"LEFT JOIN group_read_value AS v USING (read_id) "
	"LEFT JOIN counter AS c ON c.counter_id = v.counter_id AND c.group_id = r.group_id "
	"WHERE g.trace_id = ?1 ORDER BY read_id";

#define READ_AFTER 5 /* columns of it */
#define READ_SLOT 11
#define READ_DELTA 12

static enum status step_reads(struct db_intervals *v)
{
	int result = sqlite3_step(v->reads);

	v->reads_over = result != SQLITE_ROW;
	return result == SQLITE_ROW || result == SQLITE_DONE ? ST_OK : ST_IO;
}

static enum status begin_reads(struct db_intervals *v)
{
	if (sqlite3_prepare_v2(v->db, reads_sql, -1, &v->reads, NULL) != SQLITE_OK ||
	    sqlite3_bind_int64(v->reads, 1, v->trace_id) != SQLITE_OK)
		return ST_IO;
	return step_reads(v);
}

bool db_intervals_read_is_next(struct db_intervals *v, int64_t switch_id,
			       enum status *status)
{
	*status = v->reads ? ST_OK : begin_reads(v);
	return *status == ST_OK && !v->reads_over &&
	       sqlite3_column_int64(v->reads, READ_AFTER) < switch_id;
}

static int64_t optional_int(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL
		       ? INT_NONE
		       : sqlite3_column_int64(row, column);
}

static void decode_read(sqlite3_stmt *reads, struct group_read_row *row)
{
	int64_t *const fields[] = {
		&row->read_id,	    &row->ts_ns,	  &row->cpu,
		&row->group_id,	    &row->thread_id,	  &row->after_switch_id,
		&row->status,	    &row->on_cpu_ns,	  &row->running_ns,
		&row->interrupt_id, &row->interrupt_ended
	};

	for (size_t i = 0; i < ARRAY_COUNT(fields); i++)
		*fields[i] = optional_int(reads, (int)i);
}

/* The deltas of the read at hand, which is one row for each counter. */
static enum status read_deltas(struct db_intervals *v, const struct db_group *group)
{
	int64_t read_id = v->read_row.read_id;
	enum status status;

	memset(v->deltas, 0, (size_t)group->slots * sizeof(v->deltas[0]));
	do {
		int64_t slot = optional_int(v->reads, READ_SLOT);

		if (slot >= 0 && slot < group->slots)
			v->deltas[slot] = sqlite3_column_int64(v->reads, READ_DELTA);
		status = step_reads(v);
	} while (status == ST_OK && !v->reads_over &&
		 sqlite3_column_int64(v->reads, 0) == read_id);
	return status;
}

enum status db_intervals_read(struct db_intervals *v, struct record *out)
{
	const struct group_read_row *row = &v->read_row;
	struct context_switch_row at;
	struct db_group *group;
	int64_t *values = NULL;
	enum status status;

	decode_read(v->reads, &v->read_row);
	at = (struct context_switch_row){ .cpu = row->cpu,
					  .group_id = row->group_id,
					  .prev_thread_id = row->thread_id };
	group = map_get(&v->groups, (uint64_t)row->group_id);
	if (group && fits_instance(&at))
		values = values_of(v, &at, group);
	if (!values)
		return ST_CORRUPT;
	status = read_deltas(v, group);
	for (int64_t i = 0; i < group->slots; i++)
		values[i] = (int64_t)((uint64_t)values[i] + (uint64_t)v->deltas[i]);
	*out = (struct record){ .kind = RECORD_group_read,
				.data = row,
				.deltas = v->deltas,
				.values = values,
				.slots = (size_t)group->slots };
	return status;
}
