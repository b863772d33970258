/* bill.c - makes the bill of each trace, and gives its lines as rows. */
#include "feed/bill.h"

#include "base/arena.h"
#include "base/array.h"
#include "report/bill.h"

#define TABLES "feed/bill.def"
#define TABLES_AS_STRUCTS
#include "model/tables_as.h"
#define TABLES "feed/bill.def"
#define TABLES_AS_FIELDS
#include "model/tables_as.h"

const struct table feed_bill_table = { "bill", bill_fields, ARRAY_COUNT(bill_fields),
				       sizeof(struct bill_row) };

struct bill_run {
	struct feed *feed;
	const struct feed_bill *request;
};

bool feed_bill_by(const char *word, enum cut_by *by)
{
	for (int i = 0; i < BY_CUTS; i++)
		if (strcmp(word, cut_names[i]) == 0) {
			*by = (enum cut_by)i;
			return true;
		}
	return false;
}

static enum status put_row(struct feed *feed, const struct table *table, const void *row)
{
	return feed_put(feed, &(struct record){ .kind = RECORD_OWN_TABLE,
						.data = row,
						.table = table });
}

/* --- wide --- */

static bool is_shown(const struct view_column *column)
{
	return (column->forms & VIEW_CSV) && column->kind <= VIEW_RATIO;
}

static enum field_kind kind_of(const struct view *view, const struct view_column *column)
{
	if (column->kind == VIEW_NAME)
		return FIELD_TEXT;
	if (column->kind == VIEW_RATIO)
		return FIELD_REAL;
	return view_is_value(view, column->cell) ? FIELD_VALUE : FIELD_INT;
}

/* The columns of the view as a table; NULL: out of memory. */
static const struct table *make_table(struct arena *arena, const struct view *view)
{
	struct table *table = arena_alloc(arena, sizeof(*table));
	struct field *fields =
		arena_alloc(arena, (view->column_count + 1) * sizeof(*fields));
	size_t count = 0;

	if (!table || !fields)
		return NULL;
	table->name = "bill";
	table->fields = fields;
	for (size_t i = 0; i < view->column_count; i++) {
		const struct view_column *column = &view->columns[i];
		struct str name;

		if (!is_shown(column))
			continue;
		name = arena_str(arena, column->name);
		if (!name.ptr)
			return NULL;
		fields[count++] = (struct field){ name.ptr, kind_of(view, column),
						  table->row_size };
		table->row_size += sizeof(struct str); /* the largest */
	}
	table->field_count = count;
	return table;
}

static void fill_cell(const struct view *view, const struct view_column *column,
		      const struct view_line *line, char *to)
{
	int64_t number;
	double ratio;

	if (column->kind == VIEW_NAME) {
		memcpy(to, &line->texts[column->cell], sizeof(struct str));
	} else if (column->kind == VIEW_RATIO) {
		if (line->kind != LINE_TASK || !view_ratio(view, column, line, &ratio))
			ratio = (double)__builtin_nan("");
		memcpy(to, &ratio, sizeof(ratio));
	} else {
		number = view_number(column, line);
		memcpy(to, &number, sizeof(number));
	}
}

static enum status put_wide(struct bill_run *run, const struct bill *bill)
{
	const struct view *view = &bill->view;
	struct arena *arena = feed_arena(run->feed);
	const struct table *table = make_table(arena, view);
	char *row = table ? arena_alloc(arena, table->row_size + 1) : NULL;
	enum status status = row ? ST_OK : ST_NOMEM;

	for (size_t i = 0; i < view->line_count && status == ST_OK; i++) {
		size_t field = 0;

		for (size_t c = 0; c < view->column_count; c++)
			if (is_shown(&view->columns[c]))
				fill_cell(view, &view->columns[c], view->lines[i],
					  row + table->fields[field++].offset);
		status = put_row(run->feed, table, row);
	}
	return status;
}

/* --- tall --- */

static const char *const line_names[] = {
	[LINE_TASK] = "task",
	[LINE_OTHERS] = "others",
	[LINE_IDLE] = "idle",
	[LINE_WITH_IDLE] = "with idle",
	[LINE_INTERRUPTS] = "interrupts",
	[LINE_UNATTRIBUTED] = "unattributed",
	[LINE_FALLS] = "falls",
	[LINE_TOTAL] = "total",
};

static struct bill_row row_of(const struct bill *bill, const struct view_line *line)
{
	bool is_task = line->kind == LINE_TASK || line->kind == LINE_IDLE;
	struct bill_row row;

	row_clear(&feed_bill_table, &row);
	row.trace_id = bill->totals->trace.trace_id;
	row.line = str_of(line_names[line->kind]);
	row.switches = line->numbers[CUT_SWITCHES];
	row.on_cpu_ns = line->numbers[CUT_ON_CPU];
	row.cpu = line->numbers[CUT_CPU];
	if (bill->by == BY_CPU)
		return row;
	row.process = line->texts[CUT_PROCESS];
	row.pid = line->numbers[CUT_PID];
	row.cgroup_id = line->numbers[CUT_CGROUP];
	if (bill->by == BY_THREAD) {
		row.thread = line->texts[CUT_THREAD];
		row.tid = line->numbers[CUT_TID];
	} else if (is_task) {
		row.threads = line->numbers[CUT_THREADS];
		row.processes = line->numbers[CUT_PROCESSES];
	}
	return row;
}

static enum status put_line(struct bill_run *run, const struct bill *bill,
			    const struct view_line *line)
{
	const struct totals *totals = bill->totals;
	struct bill_row row = row_of(bill, line);
	enum status status = ST_OK;

	if (totals->counter_count == 0)
		return put_row(run->feed, &feed_bill_table, &row);
	for (size_t i = 0; i < totals->counter_count && status == ST_OK; i++) {
		row.counter = totals->counters[i].row.name;
		row.value = line->numbers[bill->values + i];
		status = put_row(run->feed, &feed_bill_table, &row);
	}
	return status;
}

static enum status put_tall(struct bill_run *run, const struct bill *bill)
{
	enum status status = ST_OK;

	for (size_t i = 0; i < bill->view.line_count && status == ST_OK; i++) {
		const struct view_line *line = bill->view.lines[i];

		/* The view has no line of idle that never ran. */
		if (line->kind != LINE_IDLE || line->numbers[BILL_PROVEN])
			status = put_line(run, bill, line);
	}
	return status;
}

/* --- running a feed --- */

static enum status on_totals(void *context, struct sink *sink, struct totals *totals)
{
	static const struct cut_filter all = { .pid = INT_NONE,
					       .tid = INT_NONE,
					       .root = INT_NONE };
	static const struct bill_rule rule = { .unproven_to_threads = false };
	struct bill_run *run = context;
	enum status status = ST_NOMEM;
	struct bill bill;

	if (totals->group_count == 0)
		return ST_OK;
	if (bill_make(&bill, totals, run->request->by, rule, &all) &&
	    view_sort(&bill.view, NULL))
		status = run->request->is_tall ? put_tall(run, &bill)
					       : put_wide(run, &bill);
	bill_release(&bill);
	if (status == ST_NOMEM)
		return error_nomem(&sink->error);
	return status == ST_OK
		       ? ST_OK
		       : error_set(&sink->error, status, ERROR_NO_OFFSET, "interrupted");
}

enum status feed_run_bill(struct feed *feed, struct reader *reader, void *bill)
{
	struct bill_run run = { feed, bill };
	struct totals_sink *totals;
	struct sink sink;
	enum status status = sink_open(&sink, &totals_sink_ops, NULL);

	if (status != ST_OK)
		return feed_fail(feed, &sink.error);
	totals = sink.state;
	totals->done = on_totals;
	totals->context = &run;
	status = feed_pump(feed, reader, &sink);
	sink_close(&sink);
	return status;
}
