/* print_csv.c - the bill as RFC 4180, columns as the manual lists them. */
#include <string.h>

#include "base/text.h"
#include "print.h"

static bool needs_quotes(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (memchr(",\"\r\n", text.ptr[i], 4))
			return true;
	return false;
}

void csv_cell(FILE *to, struct str text, bool safe)
{
	bool defused = safe && text.len && memchr("=+-@\t\r", text.ptr[0], 6);

	if (!text.ptr)
		return;
	if (!needs_quotes(text)) {
		fputs(defused ? "'" : "", to);
		fwrite(text.ptr, 1, text.len, to);
		return;
	}
	fputs(defused ? "\"'" : "\"", to);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"')
			fputc('"', to);
		fputc(text.ptr[i], to);
	}
	fputc('"', to);
}

void csv_number(FILE *to, int64_t value)
{
	char digits[TEXT_INT_MAX];

	if (value != INT_NONE)
		fwrite(digits, 1, text_int(digits, value), to);
}

static void print_header(FILE *to, const struct bill *bill,
			 const struct print_options *options)
{
	static const char *const fixed[] = {
		[BY_PROCESS] = "process,pid,threads,switches,on_cpu_ns",
		[BY_THREAD] = "process,pid,tid,thread,switches,on_cpu_ns",
		[BY_CPU] = "cpu,switches,on_cpu_ns",
	};

	if (options->csv_goes_on)
		return;
	fputs(options->csv_time_ns ? "time_ns," : "", to);
	fputs(fixed[bill->by], to);
	for (size_t i = 0; i < bill->report->counter_count; i++) {
		fputc(',', to);
		csv_cell(to, bill->report->counters[i].row.name, options->csv_safe);
	}
	for (size_t i = 0; options->metrics && i < bill->use_count; i++) {
		fputc(',', to);
		csv_cell(to, str_of(bill->uses[i].name), options->csv_safe);
	}
	fputc('\n', to);
}

static void print_who(FILE *to, const struct bill *bill, const struct bill_line *line,
		      bool safe)
{
	if (bill->by == BY_CPU) {
		csv_number(to, line->cpu);
		return;
	}
	csv_cell(to, line->process, safe);
	fputc(',', to);
	csv_number(to, line->pid);
	fputc(',', to);
	if (bill->by == BY_PROCESS) {
		csv_number(to, line->threads);
		return;
	}
	csv_number(to, line->tid);
	fputc(',', to);
	csv_cell(to, line->thread, safe);
}

static void print_line(FILE *to, const struct bill *bill, const struct bill_line *line,
		       const struct print_options *options)
{
	if (options->csv_time_ns) {
		csv_number(to, options->csv_time_ns);
		fputc(',', to);
	}
	print_who(to, bill, line, options->csv_safe);
	fputc(',', to);
	csv_number(to, line->switches);
	fputc(',', to);
	csv_number(to, line->on_cpu_ns);
	for (size_t i = 0; i < bill->report->counter_count; i++) {
		char digits[TEXT_INT_MAX];

		fputc(',', to);
		fwrite(digits, 1, text_int(digits, line->values[i]), to);
	}
	for (size_t i = 0; options->metrics && i < bill->use_count; i++) {
		const struct metric_use *use = &bill->uses[i];
		double value;

		fputc(',', to);
		if (line->kind == LINE_TASK &&
		    metric_value(use, line->values[use->numerator],
				 line->values[use->denominator], &value))
			fprintf(to, "%.6g", value);
	}
	fputc('\n', to);
}

void print_csv(FILE *to, const struct bill *bill, const struct print_options *options)
{
	int64_t shown = 0;

	print_header(to, bill, options);
	for (size_t i = 0; i < bill->line_count; i++) {
		const struct bill_line *line = &bill->lines[i];

		if (line->kind == LINE_TASK && options->top && shown++ >= options->top)
			continue;
		print_line(to, bill, line, options);
	}
}
