/* value_report.c - prints PerfLib values as they are computed. */
#include "value_report.h"

static void begin(struct value_report *report)
{
	report->begin(report->context);
	if (report->form == FORM_CSV)
		csv_value_names(stdout);
	else
		fputs("  {\"values\": [", stdout);
}

static void print_line(void *context, const struct value_line *line)
{
	struct value_report *report = context;

	if (report->lines++ == 0)
		begin(report);
	if (report->form == FORM_CSV) {
		csv_value_line(stdout, line, &report->options);
		return;
	}
	fputs(report->lines > 1 ? ",\n" : "\n", stdout);
	json_value_line(stdout, line);
}

void value_report_open(struct value_report *report, const struct value_options *options)
{
	struct values *values = &report->values;

	values->options = *options;
	values->options.keep = report->form == FORM_TEXT;
	values->line = report->form == FORM_TEXT ? NULL : print_line;
	values->context = report;
	values_begin(values);
}

void value_report_end(struct value_report *report, const struct totals *totals)
{
	if (report->form == FORM_TEXT) {
		report->begin(report->context);
		render_text_values(stdout, totals, &report->values, &report->options);
		return;
	}
	if (report->lines == 0)
		begin(report);
	report->lines = 0;
	if (report->form != FORM_JSON)
		return;
	json_values_end(stdout, totals, &report->values);
	fputs("}", stdout);
}

void value_report_close(struct value_report *report)
{
	if (report->form == FORM_JSON && report->lines)
		puts("]}");
	values_end(&report->values);
}
