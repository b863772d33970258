/* value_report.c - prints PerfLib values as they are computed. */
#include "value_report.h"

#include "common/when.h"

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
	char utc[WHEN_UTC_BYTES];

	if (report->is_wide) {
		wide_add(&report->wide, &report->values, line);
		return;
	}
	if (report->lines++ == 0)
		begin(report);
	when_filetime(utc, report->values.snapshot.perf_time_100ns);
	if (report->form == FORM_CSV) {
		csv_value_line(stdout, line, utc, &report->options);
		return;
	}
	fputs(report->lines > 1 ? ",\n" : "\n", stdout);
	json_value_line(stdout, line, utc);
}

void value_report_open(struct value_report *report, const struct value_options *options)
{
	struct values *values = &report->values;

	report->is_wide = options->interval_ns && report->form == FORM_CSV;
	values->options = *options;
	values->options.keep = report->form == FORM_TEXT;
	values->line = report->form == FORM_TEXT ? NULL : print_line;
	values->context = report;
	values_begin(values);
}

bool value_report_end(struct value_report *report, const struct totals *totals)
{
	if (report->form == FORM_TEXT) {
		report->begin(report->context);
		render_text_values(stdout, totals, &report->values, &report->options);
		return true;
	}
	if (report->is_wide) {
		bool done = wide_print(stdout, &report->wide, &totals->trace,
				       report->options.csv_safe);

		wide_release(&report->wide);
		return done;
	}
	if (report->lines == 0)
		begin(report);
	report->lines = 0;
	if (report->form != FORM_JSON)
		return true;
	json_values_end(stdout, totals, &report->values);
	fputs("}", stdout);
	return true;
}

void value_report_close(struct value_report *report)
{
	if (report->form == FORM_JSON && report->lines)
		puts("]}");
	wide_release(&report->wide);
	values_end(&report->values);
}
