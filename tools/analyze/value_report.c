/* value_report.c - see value_report.h. */
#include "value_report.h"

static void begin(struct value_report *report)
{
	report->begin(report->context);
	if (report->form == VALUES_CSV)
		print_value_csv_names(stdout);
	else
		fputs("  {\"values\": [", stdout);
}

static void print_line(void *context, const struct value_line *line)
{
	struct value_report *report = context;

	if (report->lines++ == 0)
		begin(report);
	if (report->form == VALUES_CSV) {
		print_value_csv(stdout, line, &report->print);
		return;
	}
	fputs(report->lines > 1 ? ",\n" : "\n", stdout);
	print_value_json(stdout, line);
}

void value_report_open(struct value_report *report, const struct value_options *options)
{
	struct values *values = &report->values;

	values->options = *options;
	values->options.keep = report->form == VALUES_TEXT;
	values->line = report->form == VALUES_TEXT ? NULL : print_line;
	values->context = report;
	values_begin(values);
}

void value_report_end(struct value_report *report, const struct report *trace)
{
	if (report->form == VALUES_TEXT) {
		report->begin(report->context);
		print_values_text(stdout, trace, &report->values, &report->print);
		return;
	}
	if (report->lines == 0)
		begin(report);
	report->lines = 0;
	if (report->form != VALUES_JSON)
		return;
	print_values_json_end(stdout, trace, &report->values);
	fputs("}", stdout);
}

void value_report_close(struct value_report *report)
{
	if (report->form == VALUES_JSON && report->lines)
		puts("]}");
	values_end(&report->values);
}
