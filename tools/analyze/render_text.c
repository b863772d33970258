/* render_text.c - a view as a table of text, with what was cut off as one line. */
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "common/when.h"
#include "render.h"

static struct str line_name(const struct view *view, const struct view_line *line)
{
	return line->kind == LINE_UNATTRIBUTED && view->unattributed.ptr
		       ? view->unattributed
		       : line->texts[0];
}

#define INDENT_MAX 20 /* levels; deeper ones are not set off */

static void indented_cell(struct text_table *table, size_t at, struct str text,
			  size_t width, size_t depth)
{
	char shown[512];
	size_t indent = 2 * (depth < INDENT_MAX ? depth : INDENT_MAX);

	memset(shown, ' ', indent);
	text_shown_ends(shown + indent, sizeof(shown) - indent, text, width);
	text_table_text(table, at, str_of(shown));
}

static void name_cell(struct text_table *table, size_t at, const struct view *view,
		      const struct view_column *column, const struct view_line *line)
{
	struct str text =
		column->cell ? line->texts[column->cell] : line_name(view, line);

	if (column->is_indented && line->branch && line->branch->depth)
		indented_cell(table, at, text, column->width, line->branch->depth);
	else if (column->width)
		shown_cell(table, at, text, column->width);
	else
		text_table_text(table, at, text);
}

/* Of lines that have no id the first column says what they are. */
static void unknown_cell(struct text_table *table, size_t at, const struct view *view,
			 const struct view_column *column, const struct view_line *line)
{
	if (column->none)
		text_table_text(table, at, str_of(column->none));
	else if (column->kind == VIEW_ID && at == 0)
		shown_cell(table, at, line_name(view, line), VIEW_NAME_WIDTH);
}

static void number_cell(struct text_table *table, size_t at,
			const struct view_column *column, int64_t number)
{
	char digits[40], text[48];

	switch (column->kind) {
	case VIEW_ID:
		id_cell(table, at, number);
		break;
	case VIEW_NS:
		text_table_ms(table, at, number);
		break;
	case VIEW_FLAG:
		text_table_text(table, at, number ? STR("yes") : STR("NO"));
		break;
	case VIEW_SCALED:
		text_grouped(digits, sizeof(digits), number);
		text_print(text, sizeof(text), "~%s", digits);
		text_table_text(table, at, str_of(text));
		break;
	default:
		text_table_int(table, at, number);
	}
}

static void ratio_cell(struct text_table *table, size_t at, const struct view *view,
		       const struct view_column *column, const struct view_line *line)
{
	double ratio = 0;
	bool has = view_ratio(view, column, line, &ratio);
	char number[40], text[80];

	if (column->kind == VIEW_WITH_SHARE) { /* which must not be torn apart */
		text_grouped(number, sizeof(number), line->numbers[column->cell]);
		text_print(text, sizeof(text), "%s %6.2f %%", number, ratio);
		text_table_text(table, at, str_of(text));
	} else if (has) {
		text_table_real(table, at, ratio, column->places, column->unit);
	} else if (column->none) {
		text_table_text(table, at, str_of(column->none));
	}
}

/* A cost is never negative: a counter that went down has none. */
static bool is_fall(const struct view_column *column, const struct view_line *line)
{
	return column->is_event && column->kind == VIEW_NUMBER &&
	       line->kind != LINE_FALLS && view_number(column, line) < 0;
}

static void cell(struct text_table *table, size_t at, const struct view *view,
		 const struct view_column *column, const struct view_line *line)
{
	if (line->kind == LINE_FALLS && column->kind != VIEW_NAME &&
	    (!column->is_event || view_number(column, line) == 0))
		return;
	if (is_fall(column, line)) {
		text_table_text(table, at, STR("fell"));
		return;
	}
	if (column->tasks_only && line->kind != LINE_TASK) {
		if (column->none)
			text_table_text(table, at, str_of(column->none));
		return;
	}
	switch (column->kind) {
	case VIEW_NAME:
		name_cell(table, at, view, column, line);
		break;
	case VIEW_SHARE:
	case VIEW_WITH_SHARE:
	case VIEW_RATIO:
		ratio_cell(table, at, view, column, line);
		break;
	default:
		if (view_number(column, line) == INT_NONE)
			unknown_cell(table, at, view, column, line);
		else
			number_cell(table, at, column, view_number(column, line));
	}
}

static void add_row(struct text_table *table, const struct view *view,
		    const struct view_line *line)
{
	size_t at = 0;

	text_table_row(table);
	for (size_t i = 0; i < view->column_count; i++)
		if (view->columns[i].forms & VIEW_TEXT)
			cell(table, at++, view, &view->columns[i], line);
}

static void add_titles(struct text_table *table, const struct view *view)
{
	size_t columns = 0, keys = 0, at = 0;

	for (size_t i = 0; i < view->column_count; i++)
		if (view->columns[i].forms & VIEW_TEXT) {
			columns++;
			keys += view->columns[i].is_key;
		}
	text_table_init(table, columns, keys);
	text_table_row(table);
	for (size_t i = 0; i < view->column_count; i++) {
		const struct view_column *column = &view->columns[i];

		if (!(column->forms & VIEW_TEXT))
			continue;
		if (table->left)
			table->left[at] = column->kind == VIEW_NAME;
		shown_cell(table, at, column->title,
			   column->is_event ? VIEW_TITLE_WIDTH : VIEW_TITLE_WIDTH + 20);
		at++;
	}
}

/* All that was cut off, as one line. */
static void add_rest(struct text_table *table, struct view *view, int64_t top)
{
	struct view_line *rest;
	size_t hidden = 0;
	char name[64];

	rest = view_new_line(view, LINE_TASK);
	for (size_t i = 0; rest && i < view->line_count; i++)
		if (view_is_hidden(view, i, top)) {
			view_add(view, rest, view->lines[i]);
			hidden++;
		}
	if (rest && view->rest) {
		view_add(view, rest, view->rest);
		hidden += view->rest_lines;
	}
	if (!hidden)
		return;
	text_print(name, sizeof(name), "(%zu others)", hidden);
	rest->texts[0] = str_of(name);
	add_row(table, view, rest);
}

void render_table(struct text_table *table, struct view *view, int64_t top)
{
	bool has_rest = view->total != NULL, is_done = false;

	add_titles(table, view);
	for (size_t i = 0; i < view->line_count; i++) {
		const struct view_line *line = view->lines[i];

		if (has_rest && line->kind != LINE_TASK && !is_done) {
			add_rest(table, view, top);
			is_done = true;
		}
		if (!view_is_hidden(view, i, top) && !line->is_csv_only)
			add_row(table, view, line);
	}
	if (!has_rest)
		return;
	if (!is_done)
		add_rest(table, view, top);
	table->rules = table->rows;
	add_row(table, view, view->total);
}
