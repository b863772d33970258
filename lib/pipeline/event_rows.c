/*
 * event_rows.c - see event_rows.h.
 */
#include "pipeline/event_rows.h"

#include "base/text.h"

enum status rows_put_record(struct attribution *a, const struct record *record)
{
	for (size_t i = 0; i < a->sink_count; i++) {
		enum status status = sink_put(&a->sinks[i], record);

		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

enum status rows_put(void *context, enum record_kind kind, const void *row)
{
	return rows_put_record(context, &(struct record){ .kind = kind, .data = row });
}

int64_t rows_counter_id(const struct attribution *a, int64_t counter_id)
{
	return counter_id == INT_NONE ? INT_NONE : counter_id + a->counter_base;
}

/* The output's thread for a tid that the recorder saw at a time, INT_NONE: nobody. */
int64_t rows_thread_at(struct attribution *a, int64_t tid, int64_t pid, int64_t ts_ns,
		       int64_t cpu)
{
	struct thread *thread = NULL;

	if (tid > 0) {
		thread = identity_thread(&a->identity, tid, ts_ns);
		if (thread && pid != INT_NONE)
			identity_learn_process(&a->identity, thread, pid, ts_ns);
	} else if (tid == 0 && cpu >= 0 && cpu < CPU_MAX) {
		thread = identity_idle(&a->identity, cpu);
	}
	return thread ? thread->thread_id : INT_NONE;
}

/* --- samples --- */

static enum status put_chain(struct attribution *a, const struct sampled_event *event,
			     struct sample_row *sample)
{
	struct callchain_row row = { .trace_id = a->trace_id };
	bool is_new;

	sample->callchain_id = callchain_id(&a->callchains, event->chain,
					    event->chain_count, &row, &is_new);
	return is_new ? rows_put(a, RECORD_callchain, &row) : ST_OK;
}

/* What was read and recorded along with a sample. */
static enum status put_sample_parts(struct attribution *a,
				    const struct sampled_event *event, int64_t sample_id)
{
	enum status status = ST_OK;

	for (size_t i = 0; status == ST_OK && i < event->count; i++)
		status = rows_put(a, RECORD_sample_value,
				  &(struct sample_value_row){
					  .sample_id = sample_id,
					  .counter_id = rows_counter_id(
						  a, event->value_counter_ids[i]),
					  .value = (int64_t)event->values[i],
				  });
	for (size_t i = 0; status == ST_OK && i < event->branch_count; i++) {
		struct sample_branch_row row = event->branches[i];

		row.sample_id = sample_id;
		status = rows_put(a, RECORD_sample_branch, &row);
	}
	for (size_t i = 0; status == ST_OK && i < event->register_count; i++) {
		struct sample_register_row row = event->registers[i];

		row.sample_id = sample_id;
		status = rows_put(a, RECORD_sample_register, &row);
	}
	return status;
}

enum status rows_take_sampled(struct attribution *a, const struct record *record)
{
	const struct sampled_event *event = record->data;
	struct sample_row row = event->row;
	enum status status;

	row.sample_id = ++a->last_sample_id;
	row.thread_id = rows_thread_at(a, event->tid, event->pid, row.ts_ns, row.cpu);
	row.counter_id = rows_counter_id(a, row.counter_id);
	sampling_add(&a->sampling, &row);
	if (!a->switches_wanted)
		return ST_OK;
	status = put_chain(a, event, &row);
	if (status == ST_OK)
		status = rows_put(a, RECORD_sample, &row);
	return status == ST_OK ? put_sample_parts(a, event, row.sample_id) : status;
}

/* --- rows in, from a reader of events, as they stand but for their ids --- */

static struct row_ids find_ids(const struct table *table)
{
	struct row_ids ids = { SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, false };
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
		for (size_t k = 0; k < sizeof(wanted) / sizeof(wanted[0]); k++)
			if (strcmp(table->fields[i].name, wanted[k].name) == 0)
				*wanted[k].offset = table->fields[i].offset;
	}
	return ids;
}

/* The same, mostly without looking: row follows row of a table. */
static const struct row_ids *ids_of(struct attribution *a, const struct table *table)
{
	if (a->ids_table != table)
		a->ids = find_ids(table);
	a->ids_table = table;
	return &a->ids;
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

/* Texts of the row in valid UTF-8; those that are not are replaced until put_valid(). */
static void make_valid(struct attribution *a, const struct table *table, char *row)
{
	for (size_t i = 0; i < table->field_count; i++) {
		struct str text;

		if (table->fields[i].kind != FIELD_TEXT)
			continue;
		memcpy(&text, row + table->fields[i].offset, sizeof(text));
		if (!text.ptr || text_is_valid(text))
			continue;
		text = text_valid_utf8(&a->texts, text);
		memcpy(row + table->fields[i].offset, &text, sizeof(text));
	}
}

static enum status put_valid(struct attribution *a, const struct record *record)
{
	enum status status = rows_put_record(a, record);

	arena_release(&a->texts);
	return status;
}

/* Who the row is about; such rows are no evidence that a thread ran. */
static int64_t thread_of_row(struct attribution *a, const char *row,
			     const struct row_ids *ids)
{
	int64_t tid = get_column(row, ids->thread);
	const struct thread *thread = NULL;

	if (tid == 0)
		return rows_thread_at(a, 0, INT_NONE, 0, get_column(row, ids->cpu));
	if (tid > 0)
		thread = identity_known_thread(&a->identity, tid,
					       get_column(row, ids->ts));
	return thread ? thread->thread_id : INT_NONE;
}

enum status rows_take_plain(struct attribution *a, const struct record *record)
{
	const struct table *table = record_table(record);
	const struct row_ids *ids;
	char row[512];

	if (!a->own_rows || table->row_size > sizeof(row))
		return rows_put_record(a, record);
	ids = ids_of(a, table);
	memcpy(row, record->data, table->row_size);
	if (ids->has_texts)
		make_valid(a, table, row);
	set_column(row, ids->trace, a->trace_id);
	set_column(row, ids->counter, rows_counter_id(a, get_column(row, ids->counter)));
	if (ids->thread != SIZE_MAX)
		set_column(row, ids->thread, thread_of_row(a, row, ids));
	return put_valid(a, &(struct record){ .kind = record->kind, .data = row });
}

/* --- rows of the trace's own tables --- */

static const struct table *our_table(struct attribution *a, const struct record *record,
				     const struct table *table)
{
	const struct table *own = own_table(&a->own_tables, table);

	if (!own)
		finding_add(a->findings, FINDING_TABLE_LIMIT, record->offset, 1);
	return own;
}

enum status rows_take_own(struct attribution *a, const struct record *record)
{
	const struct table *table = record->table;
	const struct row_ids *ids = ids_of(a, table);
	struct record own = *record;
	char row[OWN_ROW_BYTES_MAX];

	own.table = our_table(a, record, table);
	if (!own.table || table->row_size > sizeof(row))
		return ST_OK;
	memcpy(row, record->data, table->row_size);
	set_column(row, ids->trace, a->trace_id);
	if (ids->thread != SIZE_MAX)
		set_column(row, ids->thread, thread_of_row(a, row, ids));
	own.data = row;
	make_valid(a, table, row);
	return put_valid(a, &own);
}

enum status rows_take_traced(struct attribution *a, const struct record *record)
{
	const struct traced_event *event = record->data;
	struct traced_head *row = event->row;
	struct record own = { .kind = RECORD_OWN_TABLE,
			      .offset = record->offset,
			      .data = row,
			      .table = our_table(a, record, event->table) };

	if (!own.table)
		return ST_OK;
	make_valid(a, event->table, (char *)row);
	row->trace_id = a->trace_id;
	row->sample_id = event->of_switch ? INT_NONE : a->last_sample_id;
	row->thread_id = event->of_switch
				 ? a->switched_thread_id
				 : rows_thread_at(a, row->sample_tid, row->sample_pid,
						  row->ts_ns, row->cpu);
	return put_valid(a, &own);
}

/* The catalogue says what the table is called in the output. */
enum status rows_take_tracepoint(struct attribution *a, const struct record *record)
{
	struct tracepoint_row row = *RECORD_DATA(record, tracepoint);
	const struct table *own =
		a->own_rows ? our_table(a, record, record->table) : NULL;

	if (!own)
		return ST_OK;
	row.trace_id = a->trace_id;
	row.table_name = str_of(own->name);
	make_valid(a, &tables[RECORD_tracepoint], (char *)&row);
	return put_valid(a, &(struct record){ .kind = RECORD_tracepoint, .data = &row });
}
