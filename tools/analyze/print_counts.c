/* print_counts.c - what perf stat counted, as text, CSV and JSON. */
#include "base/text.h"
#include "common/json.h"
#include "print.h"

static bool is_hidden(const struct print_options *options, size_t line)
{
	return options->top && line >= (uint64_t)options->top;
}

/* --- text --- */

/* The columns; those that a table lacks are NO_COLUMN. */
struct columns {
	size_t cpu, event, counted, estimate, enabled, running, share, count;
};

#define NO_COLUMN SIZE_MAX

static struct columns choose_columns(const struct counts *counts)
{
	struct columns c = { NO_COLUMN, 0, 0, NO_COLUMN, 0, 0, 0, 0 };
	size_t next = 0;

	if (counts->by_cpu)
		c.cpu = next++;
	c.event = next++;
	c.counted = next++;
	if (counts->is_scaled)
		c.estimate = next++;
	c.enabled = next++;
	c.running = next++;
	c.share = next++;
	c.count = next;
	return c;
}

static void title_row(struct text_table *table, const struct columns *c)
{
	text_table_row(table);
	if (c->cpu != NO_COLUMN)
		text_table_text(table, c->cpu, STR("cpu"));
	text_table_text(table, c->event, STR("event"));
	text_table_text(table, c->counted, STR("counted"));
	if (c->estimate != NO_COLUMN)
		text_table_text(table, c->estimate, STR("estimate"));
	text_table_text(table, c->enabled, STR("enabled ms"));
	text_table_text(table, c->running, STR("counting ms"));
	text_table_text(table, c->share, STR("of the time"));
}

static void event_cell(struct text_table *table, size_t column,
		       const struct tally_event *event)
{
	char shown[240], text[260];

	text_shown(shown, sizeof(shown), event->row.name, 40);
	text_print(text, sizeof(text), "%s%s", shown,
		   str_equal(event->row.unit, STR("ns")) ? " (ns)" : "");
	text_table_text(table, column, str_of(text));
}

static void line_row(struct text_table *table, const struct columns *c,
		     const struct count_line *line)
{
	char number[40], text[48];

	text_table_row(table);
	if (c->cpu != NO_COLUMN && line->cpu == INT_NONE)
		text_table_text(table, c->cpu, STR("any"));
	else if (c->cpu != NO_COLUMN)
		id_cell(table, c->cpu, line->cpu);
	event_cell(table, c->event, line->event);
	if (line->estimate == INT_NONE)
		text_table_text(table, c->counted, STR("not counted"));
	else
		text_table_int(table, c->counted, line->counted);
	if (line->is_scaled) {
		text_grouped(number, sizeof(number), line->estimate);
		text_print(text, sizeof(text), "~%s", number);
		text_table_text(table, c->estimate, str_of(text));
	}
	text_table_ms(table, c->enabled, line->enabled_ns);
	text_table_ms(table, c->running, line->running_ns);
	if (line->enabled_ns > 0)
		text_table_real(table, c->share,
				(double)line->running_ns * 100 / (double)line->enabled_ns,
				2, "%");
}

static void print_meaning(FILE *to, const struct counts *counts)
{
	const struct tally *tally = &counts->report->tally;
	char words[600], time[64] = "";

	if (tally->stat_ns != INT_NONE)
		text_print(time, sizeof(time), " of %.3f s",
			   (double)tally->stat_ns * 1e-9);
	text_print(words, sizeof(words),
		   "Counted by perf stat, in total of the whole recording%s%s.", time,
		   counts->by_cpu ? "" : ", all CPUs and threads together");
	print_words(to, words);
	if (counts->is_scaled)
		print_words(to, "Estimates (~): counters took turns on the PMU, so these "
				"counted only part of the time; an estimate is what was "
				"counted * time enabled / time counting, of each CPU and "
				"thread.");
	if (counts->never_counted) {
		text_print(words, sizeof(words),
			   "On %lld CPUs or threads of an event its counter never got "
			   "onto the PMU; they are in no sum.",
			   (long long)counts->never_counted);
		print_words(to, words);
	}
}

void print_counts_text(FILE *to, const struct counts *counts,
		       const struct print_options *options)
{
	struct columns c = choose_columns(counts);
	struct text_table table;

	text_table_init(&table, c.count, c.counted);
	if (table.left)
		table.left[c.event] = true;
	title_row(&table, &c);
	for (size_t i = 0; i < counts->line_count && !is_hidden(options, i); i++)
		line_row(&table, &c, &counts->lines[i]);
	text_table_print(&table, to);
	text_table_release(&table);
	if (is_hidden(options, counts->line_count - 1))
		fprintf(to, "(%zu others)\n", counts->line_count - (size_t)options->top);
	fputs("\n", to);
	print_meaning(to, counts);
}

/* --- CSV --- */

void print_counts_csv(FILE *to, const struct counts *counts,
		      const struct print_options *options)
{
	fputs(counts->by_cpu ? "cpu," : "", to);
	fputs("event,counted,enabled_ns,running_ns,estimate\n", to);
	for (size_t i = 0; i < counts->line_count && !is_hidden(options, i); i++) {
		const struct count_line *line = &counts->lines[i];

		if (counts->by_cpu) {
			csv_number(to, line->cpu);
			fputc(',', to);
		}
		csv_cell(to, line->event->row.name, options->csv_safe);
		fprintf(to, ",%lld,%lld,%lld,", (long long)line->counted,
			(long long)line->enabled_ns, (long long)line->running_ns);
		csv_number(to, line->estimate);
		fputc('\n', to);
	}
}

/* --- JSON --- */

void print_counts_json(FILE *to, const struct counts *counts,
		       const struct print_options *options)
{
	fputs(",\n   \"stat\": {\"rounds\": ", to);
	json_number(to, counts->report->tally.stat_rounds);
	json_member_number(to, "time_ns", counts->report->tally.stat_ns);
	fputs(", \"counts\": [", to);
	for (size_t i = 0; i < counts->line_count && !is_hidden(options, i); i++) {
		const struct count_line *line = &counts->lines[i];

		fprintf(to, "%s\n     {\"event\": ", i ? "," : "");
		json_text(to, line->event->row.name);
		json_member_text(to, "unit", line->event->row.unit);
		if (counts->by_cpu)
			json_member_number(to, "cpu", line->cpu);
		fprintf(to,
			", \"counted\": %lld, \"enabled_ns\": %lld, \"running_ns\": %lld",
			(long long)line->counted, (long long)line->enabled_ns,
			(long long)line->running_ns);
		json_member_number(to, "estimate", line->estimate);
		fprintf(to, ", \"scaled\": %s", line->is_scaled ? "true" : "false");
		json_member_number(to, "never_counted", line->never_counted);
		fputs("}", to);
	}
	fputs("]}", to);
}
