/* values_text.c - PerfLib values as text: each counter over the whole recording. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "render.h"

#define TENTHS_MAX 1e15	   /* up to here doubles are shown with one place */
#define INTEGER_MAX 9.2e18 /* whole numbers that are an int64_t */

/* --- numbers --- */

static void grouped_tenths(char *to, size_t size, double value)
{
	int64_t tenths = llround(value * 10);
	size_t length;

	text_grouped(to, size, tenths / 10);
	length = strlen(to);
	text_print(to + length, size - length, ".%d", (int)llabs(tenths % 10));
}

/* As the type says: PERF_COUNTER_RAWCOUNT_HEX and its like. */
static bool is_hexadecimal(const struct perf_counter_type *type)
{
	return type && (type->type == 0 || type->type == 0x100);
}

static void number_cell(struct text_table *table, size_t column,
			const struct perf_counter_type *type, double value)
{
	bool is_whole = value == floor(value) && fabs(value) < INTEGER_MAX;
	char text[400];

	if (type)
		value = perf_counter_shown(type, value);
	if (is_whole && value >= 0 && is_hexadecimal(type))
		text_print(text, sizeof(text), "0x%llx", (unsigned long long)value);
	else if (is_whole)
		text_grouped(text, sizeof(text), (int64_t)value);
	else if (fabs(value) < TENTHS_MAX && fabs(value) >= 1000)
		grouped_tenths(text, sizeof(text), value);
	else if (fabs(value) >= 1000 && __builtin_isfinite(value))
		text_print(text, sizeof(text), "%.0f", value);
	else
		text_print(text, sizeof(text), "%.4g", value);
	text_table_text(table, column, str_of(text));
}

/* --- a table for each counterset --- */

static bool has_instances(const struct value_set *set)
{
	for (const struct value_incarnation *incarnation = set->first_incarnation;
	     incarnation; incarnation = incarnation->next)
		if (incarnation->row.name.ptr)
			return true;
	return false;
}

/* The name; of namesakes with what distinguishes them. */
static void instance_cell(struct text_table *table, const struct value_identity *who)
{
	char text[600], number[32] = "", ordinal[32] = "";
	size_t length;

	text_shown_ends(text, 512, who->name, VIEW_NAME_WIDTH);
	length = strlen(text);
	if (who->is_namesake && who->number != INT_NONE)
		text_print(number, sizeof(number), " (%lld)", (long long)who->number);
	if (who->is_namesake && who->ordinal)
		text_print(ordinal, sizeof(ordinal), " #%lld", (long long)who->ordinal);
	text_print(text + length, sizeof(text) - length, "%s%s", number, ordinal);
	text_table_text(table, 0, str_of(text));
}

static void print_line(struct text_table *table, size_t first,
		       const struct value_state *state)
{
	const struct perf_counter_type *type = state->counter->type;
	const struct value_totals *totals = &state->totals;

	text_table_row(table);
	if (first && state->incarnation->row.name.ptr)
		instance_cell(table, state->incarnation->identity);
	shown_cell(table, first, state->counter->shown, VIEW_NAME_WIDTH);
	if (totals->values) {
		number_cell(table, first + 1, type, totals->sum / (double)totals->values);
		number_cell(table, first + 2, type, totals->min);
		number_cell(table, first + 3, type, totals->max);
		number_cell(table, first + 4, type, totals->last);
		if (type)
			text_table_text(table, first + 5, str_of(type->unit));
	} else {
		for (size_t i = 1; i < 5; i++)
			text_table_text(table, first + i, STR("-"));
	}
	text_table_int(table, first + 6, totals->values);
}

static void print_titles(struct text_table *table, size_t first)
{
	static const char *const titles[] = { "counter", "mean", "min",	  "max",
					      "last",	 "unit", "values" };

	text_table_row(table);
	if (first)
		text_table_text(table, 0, STR("instance"));
	for (size_t i = 0; i < ARRAY_COUNT(titles); i++)
		text_table_text(table, first + i, str_of(titles[i]));
	if (table->left) {
		table->left[0] = table->left[first] = true;
		table->left[first + 5] = true;
	}
}

static void print_set(FILE *to, const struct value_set *set,
		      const struct render_options *options)
{
	size_t first = has_instances(set) ? 1 : 0;
	struct text_table table;
	int64_t lines = 0;

	text_table_init(&table, first + 7, first + 1);
	print_titles(&table, first);
	for (const struct value_incarnation *incarnation = set->first_incarnation;
	     incarnation; incarnation = incarnation->next)
		for (const struct value_state *s = incarnation->first; s; s = s->next) {
			if (!value_is_shown(s))
				continue;
			if (!options->top || lines < options->top)
				print_line(&table, first, s);
			lines++;
		}
	if (lines) {
		fputs("\n", to);
		print_shown(to, set->shown, text_columns() - 2);
		fputs(":\n", to);
		text_table_print(&table, to);
		if (options->top && lines > options->top)
			fprintf(to, "(%lld more)\n", (long long)(lines - options->top));
	}
	text_table_release(&table);
}

/* --- around the tables --- */

static void print_statuses(FILE *to, const struct values *values)
{
	bool any = false;

	for (int s = 0; s < PERF_STATUSES; s++) {
		char number[40];

		if (values->statuses[s] == 0 || s == PERF_STATUS_OK ||
		    s == PERF_STATUS_PARTNER || s == PERF_STATUS_NO_NUMBER)
			continue;
		fputs(any ? "" : "\nOf note:\n", to);
		any = true;
		text_grouped(number, sizeof(number), values->statuses[s]);
		fprintf(to, "%s %s: %s\n", number,
			perf_counter_status_name((enum perf_counter_status)s),
			perf_counter_status_words((enum perf_counter_status)s));
	}
}

static bool any_multi(const struct values *values)
{
	for (const struct value_set *set = values->sets; set; set = set->next)
		for (const struct value_counter *c = set->counters; c; c = c->next)
			if (c->is_multi && c->is_wanted)
				return true;
	return false;
}

void render_text_values(FILE *to, const struct totals *totals,
			const struct values *values, const struct render_options *options)
{
	char amount[64], number[40];

	text_grouped(number, sizeof(number), values->snapshots);
	text_print(amount, sizeof(amount), "%s snapshot%s", number,
		   values->snapshots == 1 ? "" : "s");
	text_trace_head(to, &totals->trace, amount);
	if (any_multi(values))
		fprintf(to, "multi-timers: %s\n",
			perf_counter_variant_name(values->options.variant));
	for (const struct value_set *set = values->sets; set; set = set->next)
		print_set(to, set, options);
	print_statuses(to, values);
	text_findings(to, totals);
}
