/* diff_print.c - prints a comparison of runs as text, CSV and JSON. */
#include "diff_print.h"

#include <math.h>

#include "base/array.h"
#include "base/text.h"
#include "common/json.h"

/* --- text --- */

static void number_cell(struct text_table *table, size_t column, double value)
{
	text_table_int(table, column, (int64_t)(value + 0.5));
}

static void percent_cell(struct text_table *table, size_t column, double value)
{
	char text[40];

	if (__builtin_isnan(value))
		return;
	text_print(text, sizeof(text), "%+.2f %%", value * 100);
	text_table_text(table, column, str_of(text));
}

static void line_row(struct text_table *table, const struct compare_line *line)
{
	char text[80];

	text_table_row(table);
	shown_cell(table, 0, line->name, VIEW_NAME_WIDTH);
	number_cell(table, 1, line->median_a);
	number_cell(table, 2, line->median_b);
	percent_cell(table, 3, line->change);
	if (!__builtin_isnan(line->low)) {
		text_print(text, sizeof(text), "%+.2f .. %+.2f %%", line->low * 100,
			   line->high * 100);
		text_table_text(table, 4, str_of(text));
	}
	if (!__builtin_isnan(line->p)) {
		text_print(text, sizeof(text), "%.2g", line->p);
		text_table_text(table, 5, str_of(text));
	}
	text_table_text(table, 6, str_of(compare_words[line->verdict]));
}

static void print_text(FILE *to, const struct diff *diff)
{
	static const char *const titles[] = { "name",	       "A", "B",      "change",
					      "95 % interval", "p", "verdict" };
	struct text_table table;
	char words[600], shown[200];

	text_shown(shown, sizeof(shown), diff->counter, VIEW_TITLE_WIDTH);
	text_print(words, sizeof(words),
		   "%s by program, median of %zu run%s (A) and %zu run%s (B)%s", shown,
		   diff->runs[0], diff->runs[0] == 1 ? "" : "s", diff->runs[1],
		   diff->runs[1] == 1 ? "" : "s",
		   diff->of_all ? "; of all processes: the traces do not show which the "
				  "command started"
				: "; of what the recorded command started");
	print_words(to, words);
	fputs("\n", to);
	text_table_init(&table, 7, 1);
	text_table_row(&table);
	for (size_t i = 0; i < 7; i++)
		text_table_text(&table, i, str_of(titles[i]));
	if (table.left)
		table.left[0] = table.left[6] = true;
	for (size_t i = 0; i < diff->line_count; i++)
		line_row(&table, &diff->lines[i]);
	text_table_print(&table, to);
	text_table_release(&table);
	if (diff->runs[0] < COMPARE_RUNS_MIN || diff->runs[1] < COMPARE_RUNS_MIN) {
		text_print(
			words, sizeof(words),
			"No verdicts: fewer than %d runs a side cannot be distinguished "
			"from chance.",
			COMPARE_RUNS_MIN);
		fputs("\n", to);
		print_words(to, words);
	}
}

/* --- CSV and JSON --- */

static void csv_real(FILE *to, double value)
{
	fputc(',', to);
	if (!__builtin_isnan(value))
		print_real(to, value);
}

static void print_csv(FILE *to, const struct diff *diff)
{
	fputs("name,median_a,median_b,change,low,high,p,verdict\n", to);
	for (size_t i = 0; i < diff->line_count; i++) {
		const struct compare_line *line = &diff->lines[i];
		const double numbers[] = { line->median_a, line->median_b, line->change,
					   line->low,	   line->high,	   line->p };

		csv_cell(to, line->name, diff->options->csv_safe);
		for (size_t k = 0; k < ARRAY_COUNT(numbers); k++)
			csv_real(to, numbers[k]);
		fprintf(to, ",%s\n", compare_words[line->verdict]);
	}
}

static void json_real(FILE *to, const char *name, double value)
{
	fprintf(to, ", \"%s\": ", name);
	if (__builtin_isnan(value))
		fputs("null", to);
	else
		print_real(to, value);
}

static void json_runs(FILE *to, const char *name, const double *runs, size_t count)
{
	fprintf(to, ", \"%s\": [", name);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ", " : "", to);
		print_real(to, runs[i]);
	}
	fputs("]", to);
}

void diff_print_json(FILE *to, const struct diff *diff)
{
	fprintf(to, "{\"schema_version\": %d, \"counter\": ", DIFF_SCHEMA_VERSION);
	json_text(to, diff->counter);
	fprintf(to, ", \"runs_a\": %zu, \"runs_b\": %zu, \"of_all_processes\": %s",
		diff->runs[0], diff->runs[1], diff->of_all ? "true" : "false");
	fputs(",\n \"lines\": [", to);
	for (size_t i = 0; i < diff->line_count; i++) {
		const struct compare_line *line = &diff->lines[i];

		fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", to);
		json_text(to, line->name);
		json_real(to, "median_a", line->median_a);
		json_real(to, "median_b", line->median_b);
		json_real(to, "change", line->change);
		json_real(to, "low", line->low);
		json_real(to, "high", line->high);
		json_real(to, "p", line->p);
		fprintf(to, ", \"verdict\": \"%s\"", compare_words[line->verdict]);
		json_runs(to, "a", line->a, diff->runs[0]);
		json_runs(to, "b", line->b, diff->runs[1]);
		fputs("}", to);
	}
	fputs("\n]}\n", to);
}

void diff_print(FILE *to, const struct diff *diff, enum form form)
{
	if (form == FORM_CSV)
		print_csv(to, diff);
	else if (form == FORM_JSON)
		diff_print_json(to, diff);
	else
		print_text(to, diff);
}
