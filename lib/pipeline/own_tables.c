/* own_tables.c - gives the tables of a trace names that are unique in the output. */
#include "pipeline/own_tables.h"

#include "base/array.h"
#include "base/text.h"

struct own_table {
	struct table table;
	struct str wanted; /* the reader's name for it */
	struct own_table *next;
};

/* Names that the schema has besides the tables of tables.def. */
static bool is_taken_by_schema(struct str name)
{
	static const char *const others[] = {
		"charge_status",
		"context_switch_named",
		"switch_counters",
		"stat_interval",
		"switch_utc",
		"switch_values",
		"process_bill",
		"comm_bill",
		"cgroup_bill",
		"process_tree",
		"kernel_task_check",
		"process_metric",
		"finding_sorted",
		"sample_named",
		"sample_bill",
		"perflib_counter_type",
		"perflib_formula",
		"perflib_value",
		"perftab_rows",
		/* indexes, which share the names of tables */
		"context_switch_by_time",
		"context_switch_by_thread",
		"sample_by_time",
		"sample_by_thread",
		"sample_value_by_sample",
		"counter_by_group",
		"thread_by_process",
		"thread_by_tid",
		"process_by_pid",
		"perflib_cooked_by_instance",
		"perflib_raw_by_instance",
		"perflib_snapshot_by_number",
		"perflib_block_by_snapshot",
		"perflib_counter_by_id",
		"perflib_instance_by_name",
		"process_charge_by_process",
		"thread_charge_by_thread",
		"header_fact_by_key",
		"frame_symbol_by_address",
	};

	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		if (str_equal_nocase(name, str_of(others[i])))
			return true;
	for (size_t i = 0; i < RECORD_TABLES; i++)
		if (str_equal_nocase(name, str_of(tables[i].name)))
			return true;
	return false;
}

static bool is_taken(const struct own_tables *own_tables, struct str name)
{
	const struct own_table *own = own_tables->all;

	while (own && !str_equal_nocase(name, str_of(own->table.name)))
		own = own->next;
	return own || is_taken_by_schema(name);
}

/* The name itself, or followed by _2, _3, ... */
static struct str free_name(struct own_tables *own_tables, struct str name)
{
	char numbered[OWN_NAME_BYTES_MAX + 16];
	char other[OWN_NAME_BYTES_MAX + 8];
	struct str free;

	/* SQLite reserves these names. */
	if (name.len >= 7 &&
	    str_equal_nocase((struct str){ name.ptr, 7 }, STR("sqlite_")))
		name = (struct str){ other, text_print(other, sizeof(other), "trace_%.*s",
						       (int)name.len, name.ptr) };
	free = name;

	for (unsigned int n = 2; is_taken(own_tables, free); n++)
		free = (struct str){ numbered,
				     text_print(numbered, sizeof(numbered), "%.*s_%u",
						(int)name.len, name.ptr, n) };
	return arena_str(&own_tables->arena, free);
}

static bool same_columns(const struct table *a, const struct table *b)
{
	if (a->field_count != b->field_count || a->row_size != b->row_size)
		return false;
	for (size_t i = 0; i < a->field_count; i++)
		if (a->fields[i].kind != b->fields[i].kind ||
		    a->fields[i].offset != b->fields[i].offset ||
		    strcmp(a->fields[i].name, b->fields[i].name) != 0)
			return false;
	return true;
}

/* A copy that is valid as long as the output. */
static struct own_table *copy(struct own_tables *own_tables, const struct table *reader)
{
	struct own_table *own = arena_alloc(&own_tables->arena, sizeof(*own));
	struct field *fields =
		arena_alloc(&own_tables->arena, reader->field_count * sizeof(*fields));

	if (!own || !fields)
		return NULL;
	for (size_t i = 0; i < reader->field_count; i++) {
		fields[i] = reader->fields[i];
		fields[i].name =
			arena_str(&own_tables->arena, str_of(fields[i].name)).ptr;
		if (!fields[i].name)
			return NULL;
	}
	own->table = *reader;
	own->table.fields = fields;
	own->table.name = free_name(own_tables, str_of(reader->name)).ptr;
	own->wanted = arena_str(&own_tables->arena, str_of(reader->name));
	if (!own->table.name || !own->wanted.ptr)
		return NULL;
	own->next = own_tables->all;
	own_tables->all = own;
	own_tables->count++;
	return own;
}

const struct table *own_table(struct own_tables *own_tables, const struct table *reader)
{
	uint64_t key = (uint64_t)(uintptr_t)reader;
	struct own_table *own = map_get(&own_tables->of_reader, key);

	if (own)
		return &own->table;
	own = own_tables->all;
	while (own && !(str_equal(own->wanted, str_of(reader->name)) &&
			same_columns(&own->table, reader)))
		own = own->next;
	if (!own && own_tables->count < OWN_TABLES_MAX)
		own = copy(own_tables, reader);
	if (!own || !map_put(&own_tables->of_reader, key, own))
		return NULL;
	return &own->table;
}

void own_tables_forget_reader(struct own_tables *own_tables)
{
	map_release(&own_tables->of_reader);
}

void own_tables_release(struct own_tables *own_tables)
{
	map_release(&own_tables->of_reader);
	arena_release(&own_tables->arena);
	*own_tables = (struct own_tables){ .all = NULL };
}
