/* over_time.c - prints the bill of each interval as CSV and JSON, and as bars. */
#include "over_time.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/wrap.h"
#include "common/json.h"
#include "common/when.h"

#define BAR_LINES_MAX 200

/* Bill or estimates of one interval. */
struct slice {
	struct bill bill;
	struct estimate estimate;
	struct view *view;
};

static bool load(const struct over_time *over, size_t interval, struct slice *slice)
{
	const struct bill *whole = over->bill;
	struct totals *totals = (struct totals *)(uintptr_t)whole->totals;

	*slice = (struct slice){ .view = over->estimate ? &slice->estimate.view
							: &slice->bill.view };
	if (!series_load(over->series, interval, totals))
		return false;
	if (over->estimate)
		return estimate_make(&slice->estimate, totals, whole->by, &over->filter);
	if (!bill_make(&slice->bill, totals, whole->by, whole->rule, &over->filter))
		return false;
	if (over->render.ratios)
		bill_add_ratios(&slice->bill);
	return true;
}

static void release(struct slice *slice)
{
	bill_release(&slice->bill);
	estimate_release(&slice->estimate);
}

/* --- CSV and JSON --- */

void csv_interval(struct render_options *render, char cells[INTERVAL_CELLS],
		  const struct trace_row *trace, int64_t from_ns, int64_t to_ns)
{
	char utc[WHEN_UTC_BYTES];

	when_utc(utc, trace, from_ns);
	text_print(cells, INTERVAL_CELLS, "%lld,%lld,%s,", (long long)from_ns,
		   (long long)to_ns, utc);
	render->csv_names = "from_ns,to_ns,from_utc,";
	render->csv_cells = cells;
}

static void print_csv(FILE *to, struct over_time *over, const struct view *view,
		      size_t interval)
{
	char cells[INTERVAL_CELLS];

	csv_interval(&over->render, cells, &over->bill->totals->trace,
		     series_start(over->series, interval),
		     series_start(over->series, interval + 1));
	render_csv(to, view, &over->render);
	over->render.csv_goes_on = true;
}

static void print_json(FILE *to, const struct over_time *over, const struct view *view,
		       size_t interval)
{
	int64_t from_ns = series_start(over->series, interval);
	char utc[WHEN_UTC_BYTES];

	when_utc(utc, &over->bill->totals->trace, from_ns);
	fprintf(to, "%s\n    {\"from_ns\": %lld, \"to_ns\": %lld", interval ? "," : "",
		(long long)from_ns, (long long)series_start(over->series, interval + 1));
	json_member_text(to, "from_utc", utc[0] ? str_of(utc) : STR_NONE);
	fputs(", \"lines\": [", to);
	render_json_lines(to, view, over->render.top, "     ");
	fputs("]}", to);
}

static bool print_each(FILE *to, struct over_time *over, enum form form)
{
	bool done = true;

	for (size_t i = 0; i < over->series->interval_count && done; i++) {
		struct slice slice;

		done = load(over, i, &slice);
		if (done)
			(void)view_sort(slice.view, over->sort_column);
		if (done && form == FORM_CSV)
			print_csv(to, over, slice.view, i);
		else if (done)
			print_json(to, over, slice.view, i);
		release(&slice);
	}
	return done;
}

/* --- text: bars --- */

struct bars {
	size_t lines, columns, intervals_each;
	size_t cell;	 /* what they are of */
	struct str name; /* likewise */
	int64_t *values; /* line by line */
};

static bool is_same(const struct view_line *a, const struct view_line *b)
{
	return a->kind == b->kind && a->of == b->of &&
	       a->numbers[CUT_CPU] == b->numbers[CUT_CPU] &&
	       str_equal(a->texts[CUT_PROCESS], b->texts[CUT_PROCESS]);
}

/* By name the line of an interval may be of another process of that name. */
static bool is_line(enum cut_by by, const struct view_line *a, const struct view_line *b)
{
	if (by == BY_COMM || by == BY_CGROUP)
		return a->kind == b->kind &&
		       str_equal(a->texts[CUT_PROCESS], b->texts[CUT_PROCESS]);
	return is_same(a, b);
}

static void add_interval(struct bars *bars, enum cut_by by, const struct view *whole,
			 const struct view *part, size_t interval)
{
	int64_t *column = bars->values + interval / bars->intervals_each;

	for (size_t i = 0; i < part->line_count; i++)
		for (size_t l = 0; l < bars->lines; l++) {
			int64_t *sum = &column[l * bars->columns];

			if (!is_line(by, whole->lines[l], part->lines[i]))
				continue;
			if (part->lines[i]->numbers[bars->cell] != INT_NONE)
				*sum = wrap_add(*sum,
						part->lines[i]->numbers[bars->cell]);
			break;
		}
}

static void bar_cell(struct text_table *table, size_t at, const int64_t *values,
		     size_t count, int64_t most)
{
	static const char *const blocks[] = { " ",	"\u2581", "\u2582",
					      "\u2583", "\u2584", "\u2585",
					      "\u2586", "\u2587", "\u2588" };
	char text[OVER_TIME_BARS * 4 + 8];
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		double part = most > 0 ? (double)values[i] / (double)most : 0;
		int level = (int)(part * 8 + 0.5);

		if (level == 0 && values[i] > 0)
			level = 1;
		used += text_print(text + used, sizeof(text) - used, "%s",
				   blocks[level < 0   ? 0
					  : level > 8 ? 8
						      : level]);
	}
	text_print(text + used, sizeof(text) - used, "|");
	text_table_text(table, at, str_of(text));
}

static const struct view *whole_view(const struct over_time *over)
{
	return over->estimate ? &over->estimate->view : &over->bill->view;
}

/* Events that say how many they stand for, else samples, else time. */
static size_t estimate_cell(const struct estimate *estimate, struct str *name)
{
	const int64_t *total = estimate->view.total->numbers;

	if (estimate->heaviest != SIZE_MAX) {
		*name = estimate->events[estimate->heaviest]->row.name;
		return estimate->sums + estimate->heaviest;
	}
	*name = total[ESTIMATE_SAMPLES] ? STR("samples") : STR("on-CPU time (ns)");
	return total[ESTIMATE_SAMPLES] ? (size_t)ESTIMATE_SAMPLES : (size_t)CUT_ON_CPU;
}

/* What the bars are of. */
static size_t bar_number(const struct over_time *over, struct str *name)
{
	const struct bill *bill = over->bill;

	if (over->estimate)
		return estimate_cell(over->estimate, name);
	if (bill->heaviest != SIZE_MAX) {
		*name = bill->totals->counters[bill->heaviest].row.name;
		return bill->values + bill->heaviest;
	}
	*name = STR("on-CPU time (ns)");
	return CUT_ON_CPU;
}

static void print_bars(FILE *to, const struct over_time *over, const struct bars *bars)
{
	const struct view *view = whole_view(over);
	bool by_cpu = over->bill->by == BY_CPU;
	struct text_table table;
	char words[400], number[40], name[200];
	int64_t most = 0;

	for (size_t i = 0; i < bars->lines * bars->columns; i++)
		if (bars->values[i] > most)
			most = bars->values[i];
	text_shown_ends(name, sizeof(name), bars->name, VIEW_TITLE_WIDTH);
	text_grouped(number, sizeof(number), most);
	text_print(words, sizeof(words),
		   "Over time, a character for each %.6g ms: %s, a full block is %s.",
		   (double)over->series->interval_ns * (double)bars->intervals_each *
			   1e-6,
		   name, number);
	text_table_init(&table, 2, 1);
	for (size_t l = 0; l < bars->lines; l++) {
		text_table_row(&table);
		if (by_cpu)
			id_cell(&table, 0, view->lines[l]->numbers[CUT_CPU]);
		else
			shown_cell(&table, 0,
				   view->lines[l]
					   ->texts[over->bill->by == BY_THREAD &&
								   view->lines[l]->kind ==
									   LINE_TASK
							   ? CUT_THREAD
							   : CUT_PROCESS],
				   VIEW_NAME_WIDTH);
		bar_cell(&table, 1, bars->values + l * bars->columns, bars->columns,
			 most);
	}
	if (table.left)
		table.left[0] = table.left[1] = true;
	print_words(to, words);
	text_table_print(&table, to);
	text_table_release(&table);
}

static bool make_bars(const struct over_time *over, struct bars *bars)
{
	const struct view *view = whole_view(over);
	size_t count = over->series->interval_count;
	bool done = true;

	while (bars->lines < view->line_count && bars->lines < BAR_LINES_MAX &&
	       view->lines[bars->lines]->kind == LINE_TASK &&
	       !view_is_hidden(view, bars->lines, over->render.top))
		bars->lines++;
	bars->intervals_each = (count + OVER_TIME_BARS - 1) / OVER_TIME_BARS;
	bars->columns = (count + bars->intervals_each - 1) / bars->intervals_each;
	bars->cell = bar_number(over, &bars->name);
	bars->values = memory_alloc_zeroed(bars->lines * bars->columns + 1,
					   sizeof(*bars->values));
	done = bars->values != NULL;
	for (size_t i = 0; i < count && done; i++) {
		struct slice slice;

		done = load(over, i, &slice);
		if (done)
			add_interval(bars, over->bill->by, view, slice.view, i);
		release(&slice);
	}
	return done;
}

static bool print_text(FILE *to, struct over_time *over)
{
	const struct pages pages = { .bill = over->bill, .estimate = over->estimate };
	struct bars bars = { .lines = 0 };
	bool done;

	/* The whole first: its books are replaced by those of the intervals. */
	render_text(to, &pages, &over->render);
	fputs("\n", to);
	done = make_bars(over, &bars);
	if (done)
		print_bars(to, over, &bars);
	free(bars.values);
	return done;
}

bool over_time_print(FILE *to, struct over_time *over, enum form form)
{
	bool done;

	if (form == FORM_TEXT)
		return print_text(to, over);
	if (form == FORM_CSV)
		return print_each(to, over, form);
	if (over->estimate)
		json_sampling(to, over->estimate);
	fputs(",\n   \"intervals\": [", to);
	done = print_each(to, over, form);
	fputs("]", to);
	json_findings(to, over->bill->totals);
	fputs("}", to);
	return done;
}
