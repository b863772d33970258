/*
 * html_cut.c - the table of a page --by cpu, tree or cgroup: its lanes, charts and bill
 * are by process.
 */
#include "html.h"

static bool is_of_tasks(enum cut_by by)
{
	return by == BY_PROCESS || by == BY_THREAD || by == BY_COMM;
}

enum cut_by html_lines_by(const struct analyze_options *options)
{
	return options->html && !is_of_tasks(options->by) ? BY_PROCESS : options->by;
}

static void write_lines(FILE *to, struct view *view,
			const struct analyze_options *options)
{
	/* The bill has been sorted by that column, or this can be. */
	if (!view_sort(view, options->sort_column))
		(void)view_sort(view, NULL);
	fprintf(to, ",\n   \"cut\": {\"by\": \"%s\", \"lines\": [",
		cut_names[options->by]);
	render_json_lines(to, view, 0, "    ");
	fputs("]}", to);
}

static bool write_bill(FILE *to, const struct totals *totals,
		       const struct analyze_options *options,
		       const struct cut_filter *filter)
{
	struct bill bill;
	bool made = bill_make(&bill, totals, options->by, options->rule, filter);

	if (made)
		write_lines(to, &bill.view, options);
	bill_release(&bill);
	return made;
}

static bool write_estimate(FILE *to, const struct totals *totals,
			   const struct analyze_options *options,
			   const struct cut_filter *filter)
{
	struct estimate estimate;
	bool made = estimate_make(&estimate, totals, options->by, filter);

	if (made)
		write_lines(to, &estimate.view, options);
	estimate_release(&estimate);
	return made;
}

bool html_cut_sorts(const struct totals *totals, const struct analyze_options *options,
		    const struct cut_filter *filter)
{
	struct bill bill;
	bool sorts;

	if (!options->html || is_of_tasks(options->by))
		return false;
	sorts = bill_make(&bill, totals, options->by, options->rule, filter) &&
		view_sort(&bill.view, options->sort_column);
	bill_release(&bill);
	return sorts;
}

bool html_write_cut(FILE *to, const struct pages *pages,
		    const struct analyze_options *options)
{
	const struct totals *totals = pages->bill->totals;
	struct cut_filter filter = options->filter;

	filter.root = INT_NONE;
	if (pages->by_interrupt)
		fputs(",\n   \"cut\": {\"by\": \"interrupt\"}", to);
	if (is_of_tasks(options->by))
		return true;
	return totals->group_count || !pages->estimate
		       ? write_bill(to, totals, options, &filter)
		       : write_estimate(to, totals, options, &filter);
}
