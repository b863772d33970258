/* print_estimate.c - what was sampled, as text, CSV and JSON. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/wrap.h"
#include "common/json.h"
#include "print.h"

/* --- text --- */

#define NO_COLUMN SIZE_MAX

/* Columns before the events; which, depends on what the lines are. */
struct columns {
	size_t process, thread, pid, tid, cpu, threads, samples, switches, on_cpu, first;
};

static struct columns choose_columns(const struct estimate *estimate)
{
	struct columns c = { NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN,
			     NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN, 0 };
	size_t next = 0;

	if (estimate->by == BY_CPU) {
		c.cpu = next++;
	} else {
		c.process = next++;
		if (estimate->by == BY_THREAD)
			c.thread = next++;
		c.pid = next++;
		if (estimate->by == BY_THREAD)
			c.tid = next++;
		else
			c.threads = next++;
	}
	c.samples = next++;
	if (estimate->is_timed) {
		c.switches = next++;
		c.on_cpu = next++;
	}
	c.first = next;
	return c;
}

static void optional_text(struct text_table *table, size_t column, struct str text)
{
	if (column != NO_COLUMN)
		shown_cell(table, column, text);
}

static void optional_id(struct text_table *table, size_t column, int64_t id)
{
	if (column != NO_COLUMN)
		id_cell(table, column, id);
}

static void title_row(struct text_table *table, const struct estimate *estimate,
		      const struct columns *c)
{
	text_table_row(table);
	optional_text(table, c->process, STR("process"));
	optional_text(table, c->thread, STR("thread"));
	optional_text(table, c->pid, STR("pid"));
	optional_text(table, c->tid, STR("tid"));
	optional_text(table, c->cpu, STR("cpu"));
	optional_text(table, c->threads, STR("threads"));
	text_table_text(table, c->samples, STR("samples"));
	optional_text(table, c->switches, STR("switches"));
	optional_text(table, c->on_cpu, STR("on-CPU ms"));
	for (size_t i = 0; i < estimate->column_count; i++) {
		char shown[240], title[260];

		text_shown(shown, sizeof(shown), estimate->columns[i]->row.name, 40);
		text_print(title, sizeof(title), "%s%s", shown,
			   estimate_has_periods(estimate, i) ? "" : " (samples)");
		text_table_text(table, c->first + i, str_of(title));
	}
}

/* The number and its share of the whole, which must not be torn apart. */
static void event_cell(struct text_table *table, size_t column, int64_t part,
		       int64_t whole)
{
	char number[40], text[80];

	text_grouped(number, sizeof(number), part);
	text_print(text, sizeof(text), "%s %6.2f %%", number,
		   whole ? (double)part * 100 / (double)whole : 0.0);
	text_table_text(table, column, str_of(text));
}

static void line_row(struct text_table *table, const struct estimate *estimate,
		     const struct estimate_line *line, const struct columns *c)
{
	const struct estimate_line *total = &estimate->total;

	text_table_row(table);
	optional_text(table, c->process,
		      line->kind == LINE_UNATTRIBUTED ? STR("(unknown)") : line->process);
	optional_text(table, c->thread, line->thread);
	optional_id(table, c->pid, line->pid);
	optional_id(table, c->tid, line->tid);
	if (line->kind == LINE_TASK)
		optional_id(table, c->cpu, line->cpu);
	else
		optional_text(table, c->cpu,
			      line->kind == LINE_TOTAL ? STR("total") : STR("(unknown)"));
	if (c->threads != NO_COLUMN && line->kind == LINE_TASK)
		text_table_int(table, c->threads, line->threads);
	text_table_int(table, c->samples, line->samples);
	if (estimate->is_timed) {
		text_table_int(table, c->switches, line->switches);
		text_table_ms(table, c->on_cpu, line->on_cpu_ns);
	}
	for (size_t i = 0; i < estimate->column_count; i++) {
		if (estimate_has_periods(estimate, i))
			event_cell(table, c->first + i, line->events[i],
				   total->events[i]);
		else
			event_cell(table, c->first + i, line->event_samples[i],
				   total->event_samples[i]);
	}
}

static void add_line(struct estimate_line *sum, const struct estimate *estimate,
		     const struct estimate_line *line)
{
	sum->samples = wrap_add(sum->samples, line->samples);
	if (estimate->is_timed) {
		sum->switches = wrap_add(sum->switches, line->switches);
		sum->on_cpu_ns = wrap_add(sum->on_cpu_ns, line->on_cpu_ns);
	}
	if (line->threads != INT_NONE)
		sum->threads = wrap_add(sum->threads, line->threads);
	for (size_t i = 0; i < estimate->column_count; i++) {
		sum->events[i] = wrap_add(sum->events[i], line->events[i]);
		sum->event_samples[i] =
			wrap_add(sum->event_samples[i], line->event_samples[i]);
	}
}

/* Everything that --top cut off, as one line. */
static void rest_row(struct text_table *table, const struct estimate *estimate,
		     struct estimate_line *rest, size_t hidden, const struct columns *c)
{
	char name[64];

	if (!hidden)
		return;
	text_print(name, sizeof(name), "(%zu others)", hidden);
	rest->process = str_of(name);
	line_row(table, estimate, rest, c);
	if (c->cpu != NO_COLUMN)
		text_table_text(table, c->cpu, rest->process);
}

/* How many samples the kernel says it lost; what they stood for nobody knows. */
static void lost_row(struct text_table *table, const struct estimate *estimate,
		     const struct columns *c)
{
	const struct tally *tally = &estimate->report->tally;
	char number[40], text[64];

	if (!tally->lost_samples && !tally->lost_records)
		return;
	text_table_row(table);
	optional_text(table, c->process, STR("(lost)"));
	optional_text(table, c->cpu, STR("(lost)"));
	text_grouped(number, sizeof(number),
		     tally->lost_samples ? tally->lost_samples : tally->lost_records);
	text_print(text, sizeof(text), "%s%s", tally->lost_samples ? "" : "<= ", number);
	text_table_text(table, c->samples, str_of(text));
	for (size_t i = 0; i < estimate->column_count; i++) {
		if (!estimate->columns[i]->lost_samples)
			continue;
		text_grouped(number, sizeof(number), estimate->columns[i]->lost_samples);
		text_print(text, sizeof(text), "%s samples", number);
		text_table_text(table, c->first + i, str_of(text));
	}
}

static bool is_hidden(const struct estimate_line *line,
		      const struct print_options *options, int64_t *shown)
{
	return line->kind == LINE_TASK && options->top && (*shown)++ >= options->top;
}

static void print_table(FILE *to, const struct estimate *estimate,
			const struct print_options *options)
{
	struct columns c = choose_columns(estimate);
	struct estimate_line rest = { .kind = LINE_TASK };
	struct text_table table;
	size_t hidden = 0;
	int64_t shown = 0;

	rest.pid = rest.tid = rest.cpu = INT_NONE;
	rest.events = calloc(2 * estimate->column_count + 1, sizeof(*rest.events));
	if (!rest.events)
		return;
	rest.event_samples = rest.events + estimate->column_count;
	text_table_init(&table, c.first + estimate->column_count, c.samples);
	if (table.left && c.process != NO_COLUMN)
		table.left[c.process] = true;
	if (table.left && c.thread != NO_COLUMN)
		table.left[c.thread] = true;
	title_row(&table, estimate, &c);
	for (size_t i = 0; i < estimate->line_count; i++) {
		const struct estimate_line *line = estimate->lines[i];

		if (is_hidden(line, options, &shown)) {
			hidden++;
			add_line(&rest, estimate, line);
			continue;
		}
		if (line->kind != LINE_TASK) {
			rest_row(&table, estimate, &rest, hidden, &c);
			hidden = 0;
			if (estimate_is_empty(line))
				continue;
		}
		line_row(&table, estimate, line, &c);
	}
	rest_row(&table, estimate, &rest, hidden, &c);
	table.rules = table.rows;
	line_row(&table, estimate, &estimate->total, &c);
	lost_row(&table, estimate, &c);
	text_table_print(&table, to);
	text_table_release(&table);
	free(rest.events);
}

/* What the numbers are, and what is not in them. */
static void print_meaning(FILE *to, const struct estimate *estimate)
{
	const struct tally *tally = &estimate->report->tally;
	char words[1000], samples[40], records[40];

	text_grouped(samples, sizeof(samples), tally->lost_samples);
	text_grouped(records, sizeof(records), tally->lost_records);
	if (!tally->lost_samples && !tally->lost_records)
		text_print(words, sizeof(words), "No loss was recorded.");
	else if (!tally->lost_records)
		text_print(words, sizeof(words),
			   "%s samples were lost and are not in the sums.", samples);
	else if (!tally->lost_samples)
		text_print(words, sizeof(words),
			   "%s records of any kind were lost; the samples among them are "
			   "not in the sums.",
			   records);
	else
		text_print(words, sizeof(words),
			   "%s samples were lost and are not in the sums; so were %s "
			   "records of any kind, which may be the same.",
			   samples, records);
	if (estimate->heaviest != SIZE_MAX) {
		char all[1200];

		text_print(all, sizeof(all),
			   "Estimates: each sample stands for as many events as its "
			   "period says.  %s",
			   words);
		print_words(to, all);
	} else {
		print_words(to, words);
	}
}

static void print_unknown_periods(FILE *to, const struct estimate *estimate)
{
	for (size_t i = 0; i < estimate->column_count; i++) {
		char shown[240], words[400];

		if (estimate_has_periods(estimate, i))
			continue;
		text_shown(shown, sizeof(shown), estimate->columns[i]->row.name, 40);
		text_print(words, sizeof(words),
			   "%s: what a sample stands for was not recorded, so its column "
			   "counts samples, not events.",
			   shown);
		print_words(to, words);
	}
}

void print_estimate_text(FILE *to, const struct estimate *estimate,
			 const struct print_options *options)
{
	print_table(to, estimate, options);
	fputs("\n", to);
	print_meaning(to, estimate);
	print_unknown_periods(to, estimate);
	if (estimate->is_timed)
		print_words(to, "Time on the CPU is measured, from coming to going "
				"(SWITCH records); where one of the two is missing it "
				"counts as 0.");
}

/* --- CSV --- */

static void csv_header(FILE *to, const struct estimate *estimate, bool safe)
{
	static const char *const fixed[] = {
		[BY_PROCESS] = "process,pid,threads,switches,on_cpu_ns",
		[BY_THREAD] = "process,pid,tid,thread,switches,on_cpu_ns",
		[BY_CPU] = "cpu,switches,on_cpu_ns",
	};

	fputs(fixed[estimate->by], to);
	for (size_t i = 0; i < estimate->column_count; i++) {
		fputc(',', to);
		csv_cell(to, estimate->columns[i]->row.name, safe);
	}
	fputs(",samples\n", to);
}

static void csv_line(FILE *to, const struct estimate *estimate,
		     const struct estimate_line *line, bool safe)
{
	if (estimate->by == BY_CPU) {
		csv_number(to, line->cpu);
	} else {
		csv_cell(to, line->process, safe);
		fputc(',', to);
		csv_number(to, line->pid);
		fputc(',', to);
		csv_number(to, estimate->by == BY_PROCESS ? line->threads : line->tid);
	}
	if (estimate->by == BY_THREAD) {
		fputc(',', to);
		csv_cell(to, line->thread, safe);
	}
	fputc(',', to);
	csv_number(to, line->switches);
	fputc(',', to);
	csv_number(to, line->on_cpu_ns);
	for (size_t i = 0; i < estimate->column_count; i++) {
		fputc(',', to);
		if (estimate_has_periods(estimate, i))
			fprintf(to, "%" PRId64, line->events[i]);
	}
	fprintf(to, ",%" PRId64 "\n", line->samples);
}

void print_estimate_csv(FILE *to, const struct estimate *estimate,
			const struct print_options *options)
{
	int64_t shown = 0;

	csv_header(to, estimate, options->csv_safe);
	for (size_t i = 0; i < estimate->line_count; i++)
		if (!is_hidden(estimate->lines[i], options, &shown))
			csv_line(to, estimate, estimate->lines[i], options->csv_safe);
}

/* --- JSON --- */

static void json_events(FILE *to, const struct estimate *estimate)
{
	fputs(", \"events\": [", to);
	for (size_t i = 0; i < estimate->column_count; i++) {
		const struct tally_event *event = estimate->columns[i];

		fprintf(to, "%s\n     {\"name\": ", i ? "," : "");
		json_text(to, event->row.name);
		json_member_text(to, "event", event->row.event);
		json_member_text(to, "unit", event->row.unit);
		json_member_number(to, "samples", estimate->total.event_samples[i]);
		json_member_number(to, "events",
				   estimate_has_periods(estimate, i)
					   ? estimate->total.events[i]
					   : INT_NONE);
		json_member_number(to, "lost_samples", event->lost_samples);
		fputs("}", to);
	}
	fputs("]", to);
}

static void json_line(FILE *to, const struct estimate *estimate,
		      const struct estimate_line *line)
{
	static const char *const kinds[] = { "task", "others", "idle", "unattributed",
					     "total" };

	if (estimate->by == BY_CPU) {
		fputs("\n     {\"cpu\": ", to);
		json_number(to, line->cpu);
	} else {
		fprintf(to, "\n     {\"kind\": \"%s\"", kinds[line->kind]);
		json_member_text(to, "process", line->process);
		json_member_number(to, "pid", line->pid);
	}
	if (estimate->by == BY_PROCESS)
		json_member_number(to, "threads", line->threads);
	if (estimate->by == BY_THREAD) {
		json_member_number(to, "tid", line->tid);
		json_member_text(to, "thread", line->thread);
	}
	json_member_number(to, "switches", line->switches);
	json_member_number(to, "on_cpu_ns", line->on_cpu_ns);
	json_member_number(to, "samples", line->samples);
	fputs(", \"event_samples\": [", to);
	for (size_t i = 0; i < estimate->column_count; i++)
		fprintf(to, "%s%" PRId64, i ? ", " : "", line->event_samples[i]);
	fputs("], \"events\": [", to);
	for (size_t i = 0; i < estimate->column_count; i++) {
		fputs(i ? ", " : "", to);
		json_number(to, estimate_has_periods(estimate, i) ? line->events[i]
								  : INT_NONE);
	}
	fputs("]}", to);
}

void print_estimate_json(FILE *to, const struct estimate *estimate,
			 const struct print_options *options)
{
	static const char *const lines[] = { "processes", "threads", "cpus" };
	const struct tally *tally = &estimate->report->tally;
	int64_t shown = 0;
	bool any = false;

	fputs(",\n   \"sampling\": {\"estimated\": true", to);
	json_member_number(to, "samples", estimate->total.samples);
	json_member_number(to, "lost_samples", tally->lost_samples);
	json_member_number(to, "lost_records", tally->lost_records);
	json_events(to, estimate);
	fprintf(to, ",\n    \"%s\": [", lines[estimate->by]);
	for (size_t i = 0; i < estimate->line_count; i++) {
		if (is_hidden(estimate->lines[i], options, &shown))
			continue;
		fputs(any ? "," : "", to);
		any = true;
		json_line(to, estimate, estimate->lines[i]);
	}
	fputs("]}", to);
}
