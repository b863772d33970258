/* render_csv.c - a view as RFC 4180; columns as docs/man/perftab-analyze.1 lists them. */
#include "render.h"

static void write_names(FILE *to, const struct view *view,
			const struct render_options *options)
{
	const char *comma = "";

	if (options->csv_goes_on)
		return;
	fputs(options->csv_names ? options->csv_names : "", to);
	for (size_t i = 0; i < view->column_count; i++) {
		if (!(view->columns[i].forms & VIEW_CSV))
			continue;
		fputs(comma, to);
		csv_cell(to, view->columns[i].name, options->csv_safe);
		comma = ",";
	}
	fputc('\n', to);
}

static void write_cell(FILE *to, const struct view *view,
		       const struct view_column *column, const struct view_line *line,
		       bool safe)
{
	double ratio;

	switch (column->kind) {
	case VIEW_NAME:
		csv_cell(to, line->texts[column->cell], safe);
		break;
	case VIEW_RATIO:
		if (line->kind == LINE_TASK && view_ratio(view, column, line, &ratio))
			fprintf(to, "%.6g", ratio);
		break;
	default:
		if (view_is_value(view, column->cell))
			csv_value(to, view_number(column, line));
		else
			csv_number(to, view_number(column, line));
	}
}

static void write_line(FILE *to, const struct view *view, const struct view_line *line,
		       const struct render_options *options)
{
	const char *comma = "";

	fputs(options->csv_cells ? options->csv_cells : "", to);
	for (size_t i = 0; i < view->column_count; i++) {
		if (!(view->columns[i].forms & VIEW_CSV))
			continue;
		fputs(comma, to);
		write_cell(to, view, &view->columns[i], line, options->csv_safe);
		comma = ",";
	}
	fputc('\n', to);
}

void render_csv(FILE *to, const struct view *view, const struct render_options *options)
{
	write_names(to, view, options);
	for (size_t i = 0; i < view->line_count; i++)
		if (!view_is_hidden(view, i, options->top))
			write_line(to, view, view->lines[i], options);
}
