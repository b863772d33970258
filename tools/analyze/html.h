/*
 * html.h - --html: a bill, values of PerfLib or a comparison as one page.
 */
#ifndef PERFTAB_ANALYZE_HTML_H
#define PERFTAB_ANALYZE_HTML_H

#include "options.h"
#include "output/html/collect.h"
#include "output/html/page.h"
#include "output/html/points.h"

struct html {
	const struct analyze_options *options;
	struct page page;
	struct collect collect;
	struct points points; /* of PerfLib */
};

/* The file that the page goes to; NULL: to standard output, or there is no page. */
const char *html_file(const struct analyze_options *options);
/* Before the input is read.  False: it was reported why there is no page. */
bool html_begin(struct html *html, const struct analyze_options *options, char **inputs,
		size_t count);
/* The lines of the bill: lanes and charts need processes, threads or programs. */
enum cut_by html_lines_by(const struct analyze_options *options);
/* Is --sort for the lines by CPU, tree or control group? */
bool html_cut_sorts(const struct totals *totals, const struct analyze_options *options,
		    const struct cut_filter *filter);
/* A member of the report: lines by CPU, tree or control group.  False: out of memory. */
bool html_write_cut(FILE *to, const struct pages *pages,
		    const struct analyze_options *options);
/* The document of a bill. */
MUST_CHECK enum status html_write_bill(struct html *html, const struct pages *pages,
				       const struct render_options *options,
				       struct error *error);
/* A value of PerfLib, when it has been computed; the context is the html. */
void html_add_value(void *context, const struct value_line *line);
MUST_CHECK enum status html_write_values(struct html *html, const struct values *values,
					 const struct totals *totals,
					 struct error *error);
/* The document of a comparison, which is JSON: `write` makes it. */
void html_write_diff(struct html *html, void (*write)(FILE *to, const void *context),
		     const void *context);
/* All has been written: the exit status, which is `result` if nothing fails. */
int html_finish(struct html *html, int result);
void html_end(struct html *html);

#endif
