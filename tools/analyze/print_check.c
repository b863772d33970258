/*
 * print_check.c - do the books balance?
 *
 * For every CPU and counter, last - first = charged + with_idle + idle + unattributed in
 * 64-bit integers.  The two sides come from different places: first and last from the
 * values as they were recorded, the sums from the intervals one by one.
 */
#include "base/text.h"
#include "common/json.h"
#include "common/text_table.h"
#include "print.h"

size_t check_each(const struct report *report,
		  void (*each)(void *context, const struct check_line *line),
		  void *context)
{
	size_t unbalanced = 0;

	for (size_t g = 0; g < report->group_count; g++) {
		const struct report_group *group = &report->groups[g];

		for (const struct report_cpu *cpu = group->cpus; cpu; cpu = cpu->next) {
			for (size_t i = 0; i < group->slots; i++) {
				const struct cpu_charge_row *row = &cpu->charges[i];
				uint64_t rise = (uint64_t)row->last_value -
						(uint64_t)row->first_value;
				uint64_t sum = (uint64_t)row->charged +
					       (uint64_t)row->with_idle +
					       (uint64_t)row->idle +
					       (uint64_t)row->unattributed;
				struct check_line line = {
					cpu->summary.cpu,
					report->counters[group->first + i].row.name,
					row->first_value,
					row->last_value,
					row->charged,
					row->with_idle,
					row->idle,
					row->unattributed,
					rise == sum,
				};

				unbalanced += !line.balanced;
				if (each)
					each(context, &line);
			}
		}
	}
	return unbalanced;
}

/* --- text --- */

static void text_line(void *context, const struct check_line *line)
{
	struct text_table *table = context;

	text_table_row(table);
	text_table_int(table, 0, line->cpu);
	text_table_text(table, 1, line->counter);
	text_table_int(table, 2, (int64_t)((uint64_t)line->last - (uint64_t)line->first));
	text_table_int(table, 3, line->charged);
	text_table_int(table, 4, line->with_idle);
	text_table_int(table, 5, line->idle);
	text_table_int(table, 6, line->unattributed);
	text_table_text(table, 7, line->balanced ? STR("yes") : STR("NO"));
}

void print_check_text(FILE *to, const struct report *report)
{
	static const char *const titles[] = { "cpu",	      "counter",   "last - first",
					      "charged",      "with idle", "idle",
					      "unattributed", "balanced" };
	struct text_table table;
	size_t unbalanced;

	text_table_init(&table, 8, 2);
	text_table_row(&table);
	for (size_t i = 0; i < 8; i++)
		text_table_text(&table, i, str_of(titles[i]));
	if (table.left)
		table.left[1] = true;
	unbalanced = check_each(report, text_line, &table);
	if (table.rows > 1)
		text_table_print(&table, to);
	fprintf(to, "%s%zu of %zu books balance.\n", table.rows > 1 ? "\n" : "",
		table.rows - 1 - unbalanced, table.rows - 1);
	text_table_release(&table);
}

/* --- CSV --- */

struct csv_context {
	FILE *to;
	bool safe;
};

static void csv_line(void *context, const struct check_line *line)
{
	struct csv_context *csv = context;
	const int64_t numbers[] = { line->first,     line->last, line->charged,
				    line->with_idle, line->idle, line->unattributed };
	char digits[TEXT_INT_MAX];

	csv_number(csv->to, line->cpu);
	fputc(',', csv->to);
	csv_cell(csv->to, line->counter, csv->safe);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		fputc(',', csv->to);
		fwrite(digits, 1, text_int(digits, numbers[i]), csv->to);
	}
	fprintf(csv->to, ",%d\n", line->balanced);
}

void print_check_csv(FILE *to, const struct report *report,
		     const struct print_options *options)
{
	struct csv_context context = { to, options->csv_safe };

	fputs("cpu,counter,first,last,charged,with_idle,idle,unattributed,balanced\n",
	      to);
	(void)check_each(report, csv_line, &context);
}

/* --- JSON --- */

struct json_context {
	FILE *to;
	bool any;
};

static void json_line(void *context, const struct check_line *line)
{
	struct json_context *json = context;

	fprintf(json->to, "%s\n    {\"cpu\": %lld, \"counter\": ", json->any ? "," : "",
		(long long)line->cpu);
	json->any = true;
	json_text(json->to, line->counter);
	fprintf(json->to,
		", \"first\": %lld, \"last\": %lld, \"charged\": %lld, \"with_idle\": %lld, "
		"\"idle\": %lld, \"unattributed\": %lld, \"balanced\": %s}",
		(long long)line->first, (long long)line->last, (long long)line->charged,
		(long long)line->with_idle, (long long)line->idle,
		(long long)line->unattributed, line->balanced ? "true" : "false");
}

void print_check_json(FILE *to, const struct report *report)
{
	struct json_context context = { to, false };

	fputs(",\n   \"check\": [", to);
	(void)check_each(report, json_line, &context);
	fputs("]", to);
}
