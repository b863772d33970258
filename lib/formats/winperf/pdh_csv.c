/*
 * pdh_csv.c - PDH-CSV and PDH-TSV, the texts of typeperf, relog, perfmon and esxtop: one
 * line a sample, one column a counter, values that have been worked out already.
 *
 * libcsv cuts the text into cells; it gets a line at a time, or what there is of one, so
 * that lines may be of any length.  Cells are understood while they come: those of the
 * header become countersets, instances and counters, the others rows.
 */
#include <csv.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/code_page.h"
#include "base/memory.h"
#include "base/text.h"
#include "formats/formats.h"
#include "formats/winperf/pdh_text.h"
#include "formats/winperf/winperf.h"

#define FEED_BYTES ((size_t)8192)
#define CELL_BYTES_MAX ((size_t)65536)
#define COLUMNS_MAX ((size_t)262144)

struct column {
	const struct registry_instance *instance; /* NULL: not kept, as comments are */
	const struct winperf_counter *counter;
};

enum line_state {
	LINE_BEGINS,
	LINE_HEADER,
	LINE_VALUES,
	LINE_NO_TIME, /* what it is shows at its end */
	LINE_LOST,    /* up to its end */
};

struct pdh_csv {
	struct winperf winperf;
	struct csv_parser csv;
	struct emit emit;
	bool is_open, is_tsv, has_header, ended, skips;
	enum line_state state;
	uint64_t line; /* where it begins */
	size_t cells;  /* of the line so far */
	struct column *columns;
	size_t column_count, column_room;
	bool has_stranger; /* the last column of the header is not a path */
	char first_cell[256];
	int64_t code_page; /* of its names, 0: not known */
	int64_t minutes;   /* west of UTC, or INT_NONE */
	struct trace_row trace;
};

/* --- recognising --- */

/* Past a byte-order mark and a quote. */
static struct str first_text(const uint8_t *head, size_t len)
{
	struct str text = { (const char *)head, len };

	if (pdh_begins(text, "\xef\xbb\xbf"))
		text = (struct str){ text.ptr + 3, text.len - 3 };
	if (pdh_begins(text, "\""))
		text = (struct str){ text.ptr + 1, text.len - 1 };
	return text;
}

static int pdh_csv_probe(const uint8_t *head, size_t len)
{
	struct str text = first_text(head, len);

	return pdh_begins(text, "(PDH-CSV ") || pdh_begins(text, "(PDH-TSV ") ? 100 : 0;
}

/* --- libcsv --- */

static void *bounded_realloc(void *old, size_t size)
{
	return size > CELL_BYTES_MAX ? NULL : memory_resize(old, size);
}

static int is_no_space(unsigned char byte)
{
	(void)byte;
	return 0;
}

static bool open_parser(struct pdh_csv *pdh)
{
	if (csv_init(&pdh->csv, 0) != 0)
		return false;
	pdh->is_open = true;
	csv_set_delim(&pdh->csv, pdh->is_tsv ? '\t' : ',');
	csv_set_space_func(&pdh->csv, is_no_space);
	csv_set_realloc_func(&pdh->csv, bounded_realloc);
	csv_set_blk_size(&pdh->csv, 1024);
	return true;
}

static void close_parser(struct pdh_csv *pdh)
{
	if (pdh->is_open)
		csv_free(&pdh->csv);
	pdh->is_open = false;
}

/* --- opening --- */

static enum status pdh_csv_open(struct reader *reader)
{
	struct pdh_csv *pdh = reader->state;
	struct trace_row *trace = &pdh->trace;
	size_t have = input_peek_some(&reader->input, 16);
	struct str text = first_text(reader->input.pos, have);

	pdh->is_tsv = pdh_begins(text, "(PDH-T");
	pdh->minutes = INT_NONE;
	winperf_init(&pdh->winperf, &reader->findings, &pdh->emit);
	if (!open_parser(pdh))
		return error_nomem(&reader->error);
	pdh->code_page = reader->options.code_page;
	if (have >= 3 && reader->input.pos[0] == 0xef) { /* it says that it is UTF-8 */
		pdh->code_page = CODE_PAGE_UTF8;
		input_consume(&reader->input, 3);
	}
	reader_describe(reader, &pdh->winperf.registry.arena, trace);
	trace->format = STR("pdh text");
	trace->form = pdh->is_tsv ? STR("tab-separated") : STR("comma-separated");
	trace->clock = STR("local time");
	return ST_OK;
}

static void pdh_csv_close(struct reader *reader)
{
	struct pdh_csv *pdh = reader->state;

	close_parser(pdh);
	emit_release(&pdh->emit);
	winperf_release(&pdh->winperf);
	free(pdh->columns);
}

/* --- the header --- */

/* A copy of the cell that is valid UTF-8, until the end of the line. */
static struct str safe_text(struct pdh_csv *pdh, struct str cell)
{
	struct winperf *w = &pdh->winperf;
	struct str text;

	if (!cell.ptr)
		return STR_NONE;
	if (pdh->code_page && pdh->code_page != CODE_PAGE_UTF8)
		cell = code_page_text(&w->scratch, pdh->code_page, cell);
	text = cell.ptr ? text_valid_utf8(&w->scratch, cell) : STR_NONE;
	w->registry.out_of_memory |= !text.ptr;
	if (text.ptr && !text_is_valid(cell))
		finding_add(w->registry.findings, FINDING_PDH_CSV_CODE_PAGE, pdh->line,
			    1);
	return text;
}

static void emit_fact(struct pdh_csv *pdh, const char *key, struct str value)
{
	struct header_fact_row row = { .key = str_of(key) };

	if (!value.len)
		return;
	row.value = winperf_copy_text(&pdh->winperf, value, pdh->line);
	if (row.value.ptr)
		emit_push_row(&pdh->emit, RECORD_header_fact, 0, &row);
}

static void on_first_header(struct pdh_csv *pdh, struct str cell)
{
	struct str text = safe_text(pdh, cell);

	pdh->minutes = pdh_minutes(cell);
	emit_fact(pdh, "PDH_CSV", text);
	if (text.ptr)
		emit_fact(pdh, "TIME_ZONE", pdh_zone(text));
}

static struct column *new_column(struct pdh_csv *pdh)
{
	if (pdh->column_count == COLUMNS_MAX) {
		finding_report(pdh->winperf.registry.findings, FINDING_PDH_CSV_HEADER,
			       pdh->line, "more than %zu columns", COLUMNS_MAX);
		return NULL;
	}
	if (!ARRAY_GROW(pdh->columns, pdh->column_room, pdh->column_count)) {
		pdh->winperf.registry.out_of_memory = true;
		return NULL;
	}
	pdh->columns[pdh->column_count] = (struct column){ .instance = NULL };
	return &pdh->columns[pdh->column_count++];
}

/* Each name is made safe by itself: what stands for its bytes holds slashes. */
static void add_column(struct pdh_csv *pdh, struct column *column,
		       const struct pdh_path *path)
{
	struct winperf *w = &pdh->winperf;
	struct winperf_set *set =
		winperf_named_set(w, safe_text(pdh, path->machine),
				  safe_text(pdh, path->object), pdh->line);
	struct registry_who who = {
		.number = INT_NONE,
		.query = INT_NONE,
		.parent_title = INT_NONE,
		.parent_number = INT_NONE,
		.name = safe_text(pdh, path->instance),
	};
	bool is_new;

	if (!set)
		return;
	set->visits.now++; /* each column may be of the same instance */
	column->counter = winperf_named_counter(w, set, safe_text(pdh, path->counter),
						pdh->line, &is_new);
	if (column->counter)
		column->instance = winperf_instance(w, set, &who, pdh->line);
}

/* A comment may be the last column. */
static void on_header_cell(struct pdh_csv *pdh, struct str cell)
{
	struct column *column = new_column(pdh);
	struct pdh_path path;

	if (!column)
		return;
	if (pdh->has_stranger)
		finding_report(pdh->winperf.registry.findings, FINDING_PDH_CSV_HEADER,
			       pdh->line,
			       "column %zu is not the path of a counter: not kept",
			       pdh->column_count);
	pdh->has_stranger = !pdh_path(cell, &path);
	if (!pdh->has_stranger)
		add_column(pdh, column, &path);
	arena_release(&pdh->winperf.scratch);
}

/* --- values --- */

static void add_time(struct pdh_csv *pdh, int64_t ts_ns)
{
	struct trace_row *trace = &pdh->trace;

	if (trace->first_ns == INT_NONE || ts_ns < trace->first_ns)
		trace->first_ns = ts_ns;
	if (trace->last_ns == INT_NONE || ts_ns > trace->last_ns)
		trace->last_ns = ts_ns;
}

static void emit_snapshot(struct pdh_csv *pdh, int64_t ts_ns)
{
	const int64_t filetime_of_1970 = INT64_C(116444736000000000);
	int64_t local = ts_ns / 100 + filetime_of_1970;
	struct perflib_snapshot_row row = {
		.snapshot = ++pdh->winperf.snapshots,
		.ts_ns = ts_ns,
		.query = INT_NONE,
		.code = INT_NONE,
		.record_offset = (int64_t)pdh->line,
		.bytes = INT_NONE,
		.blocks = INT_NONE,
		.perf_time = INT_NONE,
		.perf_freq = INT_NONE,
		.perf_time_100ns = pdh->minutes == INT_NONE
					   ? INT_NONE
					   : local + pdh->minutes * 60 * 10000000,
	};
	char text[PERFLIB_DATE_BYTES];

	add_time(pdh, ts_ns);
	if (perflib_date_of(text, (uint64_t)local))
		row.system_time = emit_text(&pdh->emit, str_of(text));
	emit_push_row(&pdh->emit, RECORD_perflib_snapshot, pdh->line, &row);
}

static void begin_line(struct pdh_csv *pdh, struct str cell)
{
	int64_t ts_ns;

	if (!pdh->has_header) {
		pdh->state = LINE_HEADER;
		on_first_header(pdh, cell);
		return;
	}
	pdh->state = pdh_time(cell, &ts_ns) ? LINE_VALUES : LINE_NO_TIME;
	if (pdh->state == LINE_VALUES)
		emit_snapshot(pdh, ts_ns);
	else
		text_shown(pdh->first_cell, sizeof(pdh->first_cell), cell, 60);
}

static void on_value_cell(struct pdh_csv *pdh, struct str cell)
{
	size_t number = pdh->cells - 1;
	struct perflib_cooked_row row = { .snapshot = pdh->winperf.snapshots };
	const struct column *column;

	if (number >= pdh->column_count || !pdh->columns[number].instance)
		return;
	column = &pdh->columns[number];
	cell = pdh_trim(cell);
	if (cell.len == 0) /* nothing to tell yet, or no more */
		return;
	if (!pdh_real(cell, &row.value)) {
		finding_report(pdh->winperf.registry.findings, FINDING_PDH_CSV_CELL,
			       pdh->line,
			       "cell %zu of a line is neither a number nor empty",
			       number + 2);
		return;
	}
	row.instance = column->instance->row.instance;
	row.counter = column->counter->known.row.counter;
	emit_push_row(&pdh->emit, RECORD_perflib_cooked, pdh->line, &row);
}

static void on_cell(void *bytes, size_t size, void *context)
{
	struct pdh_csv *pdh = context;
	struct str cell = { bytes ? bytes : "", size };

	if (pdh->cells == 0)
		begin_line(pdh, cell);
	else if (pdh->state == LINE_HEADER)
		on_header_cell(pdh, cell);
	else if (pdh->state == LINE_VALUES)
		on_value_cell(pdh, cell);
	pdh->cells++;
}

/*
 * typeperf ends with "Exiting, please wait..." and more: a text, and not as many cells as
 * there are columns.
 */
static void end_without_time(struct pdh_csv *pdh)
{
	struct findings *findings = pdh->winperf.registry.findings;
	char first = pdh->first_cell[0];
	bool is_text = (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');

	if (is_text && pdh->cells != pdh->column_count + 1)
		finding_report(findings, FINDING_NOISE_LINE, pdh->line,
			       "a line that is not a sample: %s", pdh->first_cell);
	else
		finding_report(findings, FINDING_PDH_CSV_LINE, pdh->line,
			       "a line that does not begin with a time: %s",
			       pdh->first_cell);
}

static void end_line(struct pdh_csv *pdh, bool is_cut)
{
	struct findings *findings = pdh->winperf.registry.findings;
	bool is_short = pdh->cells < pdh->column_count + 1;

	if (pdh->state == LINE_HEADER) {
		pdh->has_header = true;
	} else if (pdh->state == LINE_NO_TIME) {
		end_without_time(pdh);
	} else if (pdh->state == LINE_VALUES && is_cut && is_short) {
		finding_report(findings, FINDING_TRUNCATED, pdh->line,
			       "the last line has %zu of %zu cells", pdh->cells,
			       pdh->column_count + 1);
	} else if (pdh->state == LINE_VALUES && pdh->cells != pdh->column_count + 1) {
		finding_report(findings, FINDING_PDH_CSV_LINE, pdh->line,
			       "a line of %zu cells, expected %zu", pdh->cells,
			       pdh->column_count + 1);
	}
	pdh->state = LINE_BEGINS;
	pdh->cells = 0;
}

static void on_line(int end, void *context)
{
	struct pdh_csv *pdh = context;

	/* -1: there is no end of line, for the text ends here. */
	end_line(pdh, end == -1);
}

/* --- from line to line --- */

/* A cell that does not end: the parser begins anew with the next line. */
static enum status lose_line(struct reader *reader)
{
	struct pdh_csv *pdh = reader->state;

	if (csv_error(&pdh->csv) != CSV_ENOMEM && csv_error(&pdh->csv) != CSV_ETOOBIG)
		return error_nomem(&reader->error);
	finding_report(&reader->findings, FINDING_PDH_CSV_LINE, pdh->line,
		       "a line with a cell of more than %zu bytes", CELL_BYTES_MAX);
	if (pdh->state == LINE_HEADER)
		pdh->has_header = true;
	close_parser(pdh);
	if (!open_parser(pdh))
		return error_nomem(&reader->error);
	pdh->state = LINE_BEGINS;
	pdh->cells = 0;
	pdh->skips = true;
	return ST_OK;
}

/* The rest of a line, as much of it as there is. */
static void skip_line(struct reader *reader)
{
	struct pdh_csv *pdh = reader->state;
	size_t have = input_buffered(&reader->input);
	const uint8_t *end = memchr(reader->input.pos, '\n', have);

	pdh->skips = !end;
	input_consume(&reader->input, end ? (size_t)(end - reader->input.pos) + 1 : have);
}

/* Some more of the text; ST_END: there is no more. */
static enum status parse_some(struct reader *reader)
{
	struct pdh_csv *pdh = reader->state;
	const uint8_t *at, *end;
	size_t have;

	if (!input_peek(&reader->input, 1))
		return reader->error.status < ST_OK ? reader->error.status : ST_END;
	if (pdh->skips) {
		skip_line(reader);
		return ST_OK;
	}
	at = reader->input.pos;
	have = input_buffered(&reader->input);
	have = have < FEED_BYTES ? have : FEED_BYTES;
	end = memchr(at, '\n', have);
	have = end ? (size_t)(end - at) + 1 : have;
	if (pdh->cells == 0 && pdh->csv.entry_pos == 0)
		pdh->line = reader->input.offset;
	if (csv_parse(&pdh->csv, at, have, on_cell, on_line, pdh) != have)
		return lose_line(reader);
	input_consume(&reader->input, have);
	return ST_OK;
}

/* --- after the last line --- */

static void describe_trace(struct reader *reader)
{
	struct pdh_csv *pdh = reader->state;
	struct trace_row *trace = &pdh->trace;

	trace->host = pdh->winperf.host;
	if (pdh->minutes != INT_NONE)
		trace->wall_offset_ns = pdh->minutes * 60 * INT64_C(1000000000);
	trace->status = findings_completeness(&reader->findings);
	if (trace->bytes == INT_NONE)
		trace->bytes = (int64_t)reader->input.offset;
}

/* What follows the last end of a line. */
static void finish(struct reader *reader)
{
	struct pdh_csv *pdh = reader->state;

	(void)csv_fini(&pdh->csv, on_cell, on_line, pdh);
	if (!pdh->has_header || pdh->column_count == 0)
		finding_report(
			pdh->winperf.registry.findings, FINDING_PDH_CSV_HEADER, 0,
			"a header without columns, which commas part, in PDH-TSV tabs");
	describe_trace(reader);
	emit_push(&pdh->emit,
		  &(struct record){ .kind = RECORD_trace, .data = &pdh->trace });
	pdh->ended = true;
}

static enum status pdh_csv_next(struct reader *reader, struct record *out)
{
	struct pdh_csv *pdh = reader->state;

	for (;;) {
		enum status status = emit_pop(&pdh->emit, out, &reader->error);

		if (status != ST_END || pdh->ended)
			return status;
		status = reader_interrupted(reader) ? ST_INTERRUPTED : parse_some(reader);
		if (status == ST_END)
			finish(reader);
		else if (status != ST_OK)
			return status;
		if (pdh->winperf.registry.out_of_memory)
			return error_nomem(&reader->error);
	}
}

const struct reader_ops pdh_csv_reader = {
	.name = "pdh-csv",
	.state_size = sizeof(struct pdh_csv),
	.probe = pdh_csv_probe,
	.open = pdh_csv_open,
	.next = pdh_csv_next,
	.close = pdh_csv_close,
};
