/* ids.c - gives rows their trace, counter and thread ids. */
#include "pipeline/ids.h"

#include "attribution/outside.h"
#include "base/array.h"
#include "base/os.h"
#include "base/text.h"

#define ROWS_PER_POLL 1024

enum status emit_record(struct pipeline *p, const struct record *record)
{
	for (size_t i = 0; i < p->sink_count; i++) {
		enum status status = sink_put(&p->sinks[i], record);

		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

/* The end of a trace may have millions of rows: a signal ends these as well. */
enum status emit_row(void *context, enum record_kind kind, const void *row)
{
	struct pipeline *p = context;

	if (++p->rows_emitted >= ROWS_PER_POLL) {
		p->rows_emitted = 0;
		if (os_interrupted() && !p->is_endless)
			return ST_INTERRUPTED;
	}
	return emit_record(p, &(struct record){ .kind = kind, .data = row });
}

int64_t output_counter_id(const struct pipeline *p, int64_t counter_id)
{
	return counter_id == INT_NONE ? INT_NONE : counter_id + p->counter_base;
}

/* The output's thread for a tid of the recorder at a time; INT_NONE: unknown. */
int64_t output_thread_at(struct pipeline *p, int64_t tid, int64_t pid, int64_t ts_ns,
			 int64_t cpu)
{
	struct thread *thread = NULL;

	if (tid > 0) {
		thread = identity_thread(&p->identity, tid, ts_ns);
		if (thread && pid != INT_NONE)
			identity_learn_process(&p->identity, thread, pid, ts_ns);
	} else if (tid == 0 && cpu >= 0 && cpu < CPU_MAX) {
		thread = chain_is_idle(&p->chains, cpu)
				 ? identity_idle(&p->identity, cpu)
				 : outside_or_idle(&p->identity, cpu);
	}
	return thread ? thread->thread_id : INT_NONE;
}

/* --- rows of a reader of events, unchanged but for their ids --- */

static struct row_ids find_ids(const struct table *table)
{
	struct row_ids ids = { table,	 SIZE_MAX, SIZE_MAX, SIZE_MAX,
			       SIZE_MAX, SIZE_MAX, false };
	const struct {
		const char *name;
		size_t *offset;
	} wanted[] = {
		{ "trace_id", &ids.trace },   { "counter_id", &ids.counter },
		{ "thread_id", &ids.thread }, { "ts_ns", &ids.ts },
		{ "cpu", &ids.cpu },
	};

	for (size_t i = 0; i < table->field_count; i++) {
		ids.has_texts |= table->fields[i].kind == FIELD_TEXT;
		for (size_t k = 0; k < ARRAY_COUNT(wanted); k++)
			if (table->fields[i].name[0] == wanted[k].name[0] &&
			    strcmp(table->fields[i].name, wanted[k].name) == 0)
				*wanted[k].offset = table->fields[i].offset;
	}
	return ids;
}

/* Returns the places of columns, found once for each table. */
static const struct row_ids *ids_of(struct pipeline *p, enum record_kind kind,
				    const struct table *table)
{
	struct row_ids *ids = &p->ids[kind < RECORD_TABLES ? kind : RECORD_TABLES];

	if (ids->table != table)
		*ids = find_ids(table);
	return ids;
}

static int64_t get_column(const char *row, size_t offset)
{
	int64_t value = INT_NONE;

	if (offset != SIZE_MAX)
		memcpy(&value, row + offset, sizeof(value));
	return value;
}

static void set_column(char *row, size_t offset, int64_t value)
{
	if (offset != SIZE_MAX)
		memcpy(row + offset, &value, sizeof(value));
}

/* Makes the row's texts valid UTF-8; replaced texts are valid until emit_valid(). */
static void make_valid(struct pipeline *p, const struct table *table, char *row)
{
	for (size_t i = 0; i < table->field_count; i++) {
		struct str text;

		if (table->fields[i].kind != FIELD_TEXT)
			continue;
		memcpy(&text, row + table->fields[i].offset, sizeof(text));
		if (!text.ptr || text_is_valid(text))
			continue;
		text = text_valid_utf8(&p->texts, text);
		memcpy(row + table->fields[i].offset, &text, sizeof(text));
	}
}

static enum status emit_valid(struct pipeline *p, const struct record *record)
{
	enum status status = emit_record(p, record);

	arena_release(&p->texts);
	return status;
}

/* The thread of the row; such rows are not evidence that it ran. */
static int64_t thread_of_row(struct pipeline *p, const char *row,
			     const struct row_ids *ids)
{
	int64_t tid = get_column(row, ids->thread);
	const struct thread *thread = NULL;

	if (tid == 0)
		return output_thread_at(p, 0, INT_NONE, 0, get_column(row, ids->cpu));
	if (tid > 0)
		thread = identity_known_thread(&p->identity, tid,
					       get_column(row, ids->ts));
	return thread ? thread->thread_id : INT_NONE;
}

enum status on_plain_row(struct pipeline *p, const struct record *record)
{
	const struct table *table = record_table(record);
	const struct row_ids *ids;
	char row[512];

	if (!p->has_events || table->row_size > sizeof(row))
		return emit_record(p, record);
	ids = ids_of(p, record->kind, table);
	memcpy(row, record->data, table->row_size);
	if (ids->has_texts)
		make_valid(p, table, row);
	set_column(row, ids->trace, p->trace_id);
	set_column(row, ids->counter,
		   output_counter_id(p, get_column(row, ids->counter)));
	if (ids->thread != SIZE_MAX)
		set_column(row, ids->thread, thread_of_row(p, row, ids));
	return emit_valid(p, &(struct record){ .kind = record->kind, .data = row });
}

/* --- rows of the trace's own tables --- */

static const struct table *our_table(struct pipeline *p, const struct record *record,
				     const struct table *table)
{
	const struct table *own = own_table(&p->own_tables, table);

	if (!own)
		finding_add(p->findings, FINDING_TABLE_LIMIT, record->offset, 1);
	return own;
}

enum status on_own_row(struct pipeline *p, const struct record *record)
{
	const struct table *table = record->table;
	const struct row_ids *ids = ids_of(p, RECORD_OWN_TABLE, table);
	struct record own = *record;
	char row[OWN_ROW_BYTES_MAX];

	own.table = our_table(p, record, table);
	if (!own.table || table->row_size > sizeof(row))
		return ST_OK;
	memcpy(row, record->data, table->row_size);
	set_column(row, ids->trace, p->trace_id);
	if (ids->thread != SIZE_MAX)
		set_column(row, ids->thread, thread_of_row(p, row, ids));
	own.data = row;
	make_valid(p, table, row);
	return emit_valid(p, &own);
}

enum status on_traced(struct pipeline *p, const struct record *record)
{
	const struct traced_event *event = record->data;
	struct traced_head *row = event->row;
	struct record own = { .kind = RECORD_OWN_TABLE,
			      .offset = record->offset,
			      .data = row,
			      .table = our_table(p, record, event->table) };

	if (!own.table)
		return ST_OK;
	make_valid(p, event->table, (char *)row);
	row->trace_id = p->trace_id;
	row->sample_id = event->of_switch ? INT_NONE : p->last_sample_id;
	row->thread_id = event->of_switch
				 ? p->switched_thread_id
				 : output_thread_at(p, row->sample_tid, row->sample_pid,
						    row->ts_ns, row->cpu);
	return emit_valid(p, &own);
}

/* The catalogue row gets the table's name in the output. */
enum status on_tracepoint(struct pipeline *p, const struct record *record)
{
	struct tracepoint_row row = *RECORD_DATA(record, tracepoint);
	const struct table *own =
		p->has_events ? our_table(p, record, record->table) : NULL;

	if (!own)
		return ST_OK;
	row.trace_id = p->trace_id;
	row.table_name = str_of(own->name);
	make_valid(p, &tables[RECORD_tracepoint], (char *)&row);
	return emit_valid(p, &(struct record){ .kind = RECORD_tracepoint, .data = &row });
}
