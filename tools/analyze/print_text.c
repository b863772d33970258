/* print_text.c - the bill for people: at most 100 columns, the heaviest first. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/wrap.h"
#include "print.h"

const char *rule_words(enum bill_rule rule)
{
	return rule == RULE_SWITCHED_OUT
		       ? "every interval is charged to the thread switched out, proven or not"
		       : "what is not proven to be of a thread is kept apart as (unattributed)";
}

/* --- head --- */

void print_shown(FILE *to, struct str text, size_t columns)
{
	char shown[512];

	text_shown(shown, sizeof(shown), text, columns);
	fputs(shown, to);
}

void print_words(FILE *to, const char *words)
{
	size_t used = 0;

	while (*words) {
		size_t length = strcspn(words, " ");

		if (used && used + 1 + length > TEXT_TABLE_COLUMNS - 4) {
			fputc('\n', to);
			used = 0;
		}
		used += (used ? 1 : 0) + length;
		fprintf(to, "%s%.*s", used > length ? " " : "", (int)length, words);
		words += length + (words[length] == ' ');
	}
	fputc('\n', to);
}

/* What there is of what the trace is about. */
static void amount_of(char *text, size_t size, const struct pages *pages)
{
	const struct report *report = pages->bill->report;
	int64_t amount = report->reference ? report->reference->switches : 0;
	const char *of = "switches";
	char number[40];

	if (!report->reference && pages->estimate && pages->estimate->column_count) {
		amount = pages->estimate->total.samples;
		of = amount == 1 ? "sample" : "samples";
	} else if (!report->reference && pages->estimate) {
		amount = pages->estimate->total.switches;
	} else if (!report->reference && pages->counts) {
		amount = report->tally.stat_rounds;
		of = amount == 1 ? "round of counts" : "rounds of counts";
	}
	text_grouped(number, sizeof(number), amount);
	text_print(text, size, "%s %s", number, of);
}

void print_trace_head(FILE *to, const struct trace_row *trace, const char *amount)
{
	print_shown(to, trace->path, 48);
	fputs(": ", to);
	print_shown(to, trace->format, 20);
	if (trace->first_ns != INT_NONE && trace->last_ns >= trace->first_ns)
		fprintf(to, ", %.3f s",
			(double)((uint64_t)trace->last_ns - (uint64_t)trace->first_ns) *
				1e-9);
	fprintf(to, ", %s", amount);
	if (!str_equal(trace->status, STR("complete"))) {
		fputs(", ", to);
		print_shown(to, trace->status, 20);
	}
	fputs("\n", to);
	if (trace->os_release.ptr || trace->cpu_count != INT_NONE) {
		fputs("recorded on ", to);
		print_shown(to, trace->os_release, 40);
		fputs(trace->os_release.ptr && trace->arch.ptr ? " " : "", to);
		print_shown(to, trace->arch, 20);
		if (trace->cpu_count != INT_NONE)
			fprintf(to, "%s%lld CPU%s", trace->os_release.ptr ? ", " : "",
				(long long)trace->cpu_count,
				trace->cpu_count == 1 ? "" : "s");
		fputs("\n", to);
	}
}

static void print_head(FILE *to, const struct pages *pages)
{
	const struct report *report = pages->bill->report;
	char amount[64];

	amount_of(amount, sizeof(amount), pages);
	print_trace_head(to, &report->trace, amount);
	if (report->reference || (!pages->estimate && !pages->counts))
		fprintf(to, "rule: %s\n", rule_words(pages->bill->rule));
	fputs("\n", to);
}

/* --- the bill --- */

void shown_cell(struct text_table *table, size_t column, struct str text)
{
	char shown[512];

	text_shown(shown, sizeof(shown), text, NAME_COLUMNS);
	text_table_text(table, column, str_of(shown));
}

/* Columns before the counters; which, depends on what the lines are. */
struct columns {
	size_t process, thread, pid, tid, cpu, threads, switches, on_cpu, share, first;
};

#define NO_COLUMN SIZE_MAX

static struct columns choose_columns(enum bill_by by)
{
	struct columns c = { NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN,
			     NO_COLUMN, 0,	   0,	      0,	 0 };
	size_t next = 0;

	if (by == BY_CPU) {
		c.cpu = next++;
	} else {
		c.process = next++;
		if (by == BY_THREAD)
			c.thread = next++;
		c.pid = next++;
		if (by == BY_THREAD)
			c.tid = next++;
		else
			c.threads = next++;
	}
	c.switches = next++;
	c.on_cpu = next++;
	c.share = next++;
	c.first = next;
	return c;
}

static void optional_text(struct text_table *table, size_t column, struct str text)
{
	if (column != NO_COLUMN)
		shown_cell(table, column, text);
}

void id_cell(struct text_table *table, size_t column, int64_t id)
{
	char digits[TEXT_INT_MAX];

	if (column != NO_COLUMN && id != INT_NONE)
		text_table_text(table, column,
				(struct str){ digits, text_int(digits, id) });
}

static void title_row(struct text_table *table, const struct bill *bill,
		      const struct columns *c)
{
	const struct report *report = bill->report;
	size_t next = c->first;

	text_table_row(table);
	optional_text(table, c->process, STR("process"));
	optional_text(table, c->thread, STR("thread"));
	optional_text(table, c->pid, STR("pid"));
	optional_text(table, c->tid, STR("tid"));
	optional_text(table, c->cpu, STR("cpu"));
	optional_text(table, c->threads, STR("threads"));
	text_table_text(table, c->switches, STR("switches"));
	text_table_text(table, c->on_cpu, STR("on-CPU ms"));
	text_table_text(table, c->share, STR("share"));
	for (size_t i = 0; i < report->counter_count; i++) {
		char shown[200];

		if (bill_is_leader(report, i))
			continue;
		text_shown(shown, sizeof(shown), report->counters[i].row.name, 40);
		text_table_text(table, next++, str_of(shown));
	}
}

static void share_cell(struct text_table *table, size_t column, const struct bill *bill,
		       const struct bill_line *line)
{
	int64_t part = bill->heaviest == SIZE_MAX ? line->on_cpu_ns
						  : line->values[bill->heaviest];
	int64_t whole = bill->heaviest == SIZE_MAX ? bill->total.on_cpu_ns
						   : bill->total.values[bill->heaviest];

	if (whole > 0)
		text_table_real(table, column, (double)part * 100 / (double)whole, 2,
				"%");
}

static void line_row(struct text_table *table, const struct bill *bill,
		     const struct bill_line *line, const struct columns *c)
{
	size_t next = c->first;

	text_table_row(table);
	if (c->process != NO_COLUMN)
		optional_text(table, c->process, line->process);
	optional_text(table, c->thread, line->thread);
	id_cell(table, c->pid, line->pid);
	id_cell(table, c->tid, line->tid);
	if (c->cpu != NO_COLUMN && line->kind == LINE_TOTAL)
		text_table_text(table, c->cpu, STR("total"));
	else
		id_cell(table, c->cpu, line->cpu);
	if (c->threads != NO_COLUMN && line->kind == LINE_TASK)
		text_table_int(table, c->threads, line->threads);
	text_table_int(table, c->switches, line->switches);
	text_table_ms(table, c->on_cpu, line->on_cpu_ns);
	share_cell(table, c->share, bill, line);
	for (size_t i = 0; i < bill->report->counter_count; i++)
		if (!bill_is_leader(bill->report, i))
			text_table_int(table, next++, line->values[i]);
}

static bool add_line(struct bill_line *sum, const struct bill *bill,
		     const struct bill_line *line)
{
	sum->switches = wrap_add(sum->switches, line->switches);
	sum->on_cpu_ns = wrap_add(sum->on_cpu_ns, line->on_cpu_ns);
	if (line->threads != INT_NONE)
		sum->threads += line->threads;
	for (size_t i = 0; i < bill->report->counter_count; i++)
		sum->values[i] = wrap_add(sum->values[i], line->values[i]);
	return true;
}

/* Everything that --top cut off, as one line. */
static void rest_row(struct text_table *table, const struct bill *bill, size_t hidden,
		     struct bill_line *rest, const struct columns *c)
{
	char name[64];

	text_print(name, sizeof(name), "(%zu others)", hidden);
	rest->process = str_of(name);
	line_row(table, bill, rest, c);
}

void print_bill_lines(FILE *to, const struct bill *bill,
		      const struct print_options *options)
{
	const struct report *report = bill->report;
	struct columns c = choose_columns(bill->by);
	struct bill_line rest = { .kind = LINE_TASK, .pid = INT_NONE, .tid = INT_NONE };
	struct text_table table;
	size_t counters = 0, hidden = 0;
	int64_t shown = 0;

	for (size_t i = 0; i < report->counter_count; i++)
		counters += !bill_is_leader(report, i);
	rest.cpu = INT_NONE;
	rest.values = calloc(report->counter_count + 1, sizeof(*rest.values));
	text_table_init(&table, c.first + counters, c.switches);
	if (table.left && c.process != NO_COLUMN)
		table.left[c.process] = true;
	if (table.left && c.thread != NO_COLUMN)
		table.left[c.thread] = true;
	title_row(&table, bill, &c);
	for (size_t i = 0; i < bill->line_count; i++) {
		const struct bill_line *line = &bill->lines[i];

		if (line->kind == LINE_TASK && options->top && shown++ >= options->top &&
		    rest.values) {
			hidden += add_line(&rest, bill, line);
			continue;
		}
		if (hidden && line->kind != LINE_TASK) {
			rest_row(&table, bill, hidden, &rest, &c);
			hidden = 0;
		}
		line_row(&table, bill, line, &c);
	}
	if (hidden)
		rest_row(&table, bill, hidden, &rest, &c);
	table.rules = table.rows;
	line_row(&table, bill, &bill->total, &c);
	text_table_print(&table, to);
	text_table_release(&table);
	free(rest.values);
}

/* --- what of it is not certain --- */

static void print_with_idle(FILE *to, const struct bill *bill)
{
	const struct bill_line *total = &bill->total;
	char number[40];

	if (total->with_idle_switches == 0)
		return;
	text_grouped(number, sizeof(number), total->with_idle_switches);
	fprintf(to, "\nShared with idle: %s intervals", number);
	if (bill->heaviest != SIZE_MAX && total->values[bill->heaviest] > 0) {
		fprintf(to, ", %.2f %% of ",
			(double)total->with_idle[bill->heaviest] * 100 /
				(double)total->values[bill->heaviest]);
		print_shown(to, bill->report->counters[bill->heaviest].row.name, 40);
	}
	text_grouped(number, sizeof(number), total->timeless_switches);
	fprintf(to,
		".  The kernel did not record that\nidle ended, so these threads carry idle's "
		"counts as well; of %s of them the time on\nthe CPU is not known and counts as "
		"0.\n",
		number);
}

static void reason_row(struct text_table *table, const struct bill *bill,
		       const struct report_group *group, int status)
{
	size_t next = 4;
	char name[64];

	text_table_row(table);
	text_print(name, sizeof(name), "%zu", (size_t)(group - bill->report->groups) + 1);
	text_table_text(table, 0, str_of(name));
	text_table_text(table, 1, str_of(charge_status_words[status].words));
	text_table_int(table, 2, group->statuses[status].switches);
	text_table_ms(table, 3, group->statuses[status].on_cpu_ns);
	for (size_t i = group->first + 1; i < group->first + group->slots; i++)
		text_table_int(table, next++,
			       bill->report->counters[i].status_values[status]);
}

/* Group by group, because each has counters of its own. */
static void print_reasons(FILE *to, const struct bill *bill)
{
	for (size_t g = 0; g < bill->report->group_count; g++) {
		const struct report_group *group = &bill->report->groups[g];
		size_t counters = group->slots ? group->slots - 1 : 0;
		struct text_table table;
		size_t next = 4;

		text_table_init(&table, 4 + counters, 3);
		text_table_row(&table);
		text_table_text(&table, 0, STR("group"));
		text_table_text(&table, 1, STR("reason"));
		text_table_text(&table, 2, STR("intervals"));
		text_table_text(&table, 3, STR("ms"));
		for (size_t i = group->first + 1; i < group->first + group->slots; i++) {
			char shown[200];

			text_shown(shown, sizeof(shown),
				   bill->report->counters[i].row.name, 40);
			text_table_text(&table, next++, str_of(shown));
		}
		if (table.left)
			table.left[1] = true;
		for (int s = CHARGE_WITH_IDLE + 1; s < CHARGE_STATUSES; s++)
			if (group->statuses[s].switches)
				reason_row(&table, bill, group, s);
		if (table.rows > 1) {
			fputs("\nNot proven, and why:\n", to);
			text_table_print(&table, to);
		}
		text_table_release(&table);
	}
}

/* --- multiplexing: what each group saw of each line --- */

static bool is_multiplexed(const struct report *report)
{
	for (size_t g = 0; g < report->group_count; g++)
		if (report->groups[g].switches < report->groups[g].all_switches ||
		    report->groups[g].statuses[CHARGE_MULTIPLEXED].switches)
			return true;
	return false;
}

static void group_row(struct text_table *table, const struct bill *bill,
		      const struct bill_line *line, size_t g)
{
	const struct report_group *group = &bill->report->groups[g];
	char text[64];

	text_table_row(table);
	shown_cell(table, 0, bill->by == BY_THREAD ? line->thread : line->process);
	id_cell(table, 1, bill->by == BY_THREAD ? line->tid : line->pid);
	text_print(text, sizeof(text), "%zu", g + 1);
	text_table_text(table, 2, str_of(text));
	shown_cell(table, 3, group->row.leader);
	text_table_int(table, 4, line->group_seen[g]);
	text_table_int(table, 5,
		       line->group_seen[bill->report->reference - bill->report->groups]);
	if (group->slots == 0)
		text_table_text(table, 6, STR("no counters"));
	else if (!str_equal(group->row.has_times, STR("yes")))
		text_table_text(table, 6, STR("unknown"));
	else if (line->group_running[g] == INT_NONE)
		text_table_text(table, 6, STR("nothing"));
	else if (line->on_cpu_ns > 0)
		text_table_real(table, 6,
				(double)line->group_running[g] * 100 /
					(double)line->on_cpu_ns,
				1, "%");
}

static void print_multiplexing(FILE *to, const struct bill *bill,
			       const struct print_options *options)
{
	static const char *const titles[] = { "",    "id", "group", "leader",
					      "saw", "of", "proven" };
	struct text_table table;
	int64_t shown = 0;

	if (!is_multiplexed(bill->report) || bill->by == BY_CPU)
		return;
	text_table_init(&table, 7, 3);
	text_table_row(&table);
	for (size_t i = 0; i < 7; i++)
		text_table_text(&table, i, str_of(titles[i]));
	if (table.left)
		table.left[0] = table.left[3] = true;
	for (size_t i = 0; i < bill->line_count; i++) {
		const struct bill_line *line = &bill->lines[i];

		if (line->kind != LINE_TASK || (options->top && shown++ >= options->top))
			continue;
		for (size_t g = 0; g < bill->report->group_count; g++)
			group_row(&table, bill, line, g);
	}
	fputs("\nMultiplexed: the groups took turns on the PMU, so each saw only some switches "
	      "and counted\nonly part of the time.  Below: the switches each group saw, of all, "
	      "and the share of the\ntime on the CPU that it was counting in proven intervals.  "
	      "Nothing is scaled: a share of the\ntime is not a share of the work.\n",
	      to);
	text_table_print(&table, to);
	text_table_release(&table);
}

/* --- ratios --- */

static void metrics_row(struct text_table *table, const struct bill *bill,
			const struct bill_line *line)
{
	text_table_row(table);
	if (bill->by == BY_CPU) {
		id_cell(table, 1, line->cpu);
	} else {
		shown_cell(table, 0,
			   bill->by == BY_THREAD ? line->thread : line->process);
		id_cell(table, 1, bill->by == BY_THREAD ? line->tid : line->pid);
	}
	for (size_t i = 0; i < bill->use_count; i++) {
		const struct metric_use *use = &bill->uses[i];
		double value;

		if (metric_value(use, line->values[use->numerator],
				 line->values[use->denominator], &value))
			text_table_real(table, 2 + i, value, 3, use->metric->unit);
		else
			text_table_text(table, 2 + i, STR("-"));
	}
}

static void print_no_metrics(FILE *to)
{
	fputs("\nNo IPC and no branch-miss rate: they need cycles and instructions, or branches "
	      "and\nbranch-misses, in one group, and this trace has no such pair.  A machine "
	      "without a\nhardware PMU (most virtual machines) cannot count them.\n",
	      to);
}

static void print_metrics(FILE *to, const struct bill *bill,
			  const struct print_options *options)
{
	struct text_table table;
	int64_t shown = 0;
	bool hardware = false;

	for (size_t i = 0; i < bill->use_count; i++)
		hardware |= strcmp(bill->uses[i].metric->name, "faults/s") != 0;
	if (!hardware)
		print_no_metrics(to);
	if (bill->use_count == 0)
		return;
	text_table_init(&table, 2 + bill->use_count, 2);
	text_table_row(&table);
	text_table_text(&table, 1,
			bill->by == BY_CPU	? STR("cpu")
			: bill->by == BY_THREAD ? STR("tid")
						: STR("pid"));
	for (size_t i = 0; i < bill->use_count; i++)
		text_table_text(&table, 2 + i, str_of(bill->uses[i].name));
	if (table.left)
		table.left[0] = true;
	for (size_t i = 0; i < bill->line_count; i++)
		if (bill->lines[i].kind == LINE_TASK &&
		    (!options->top || shown++ < options->top))
			metrics_row(&table, bill, &bill->lines[i]);
	fputs("\nRatios:\n", to);
	text_table_print(&table, to);
	for (size_t i = 0; i < bill->use_count; i++)
		if (!strchr(bill->uses[i].name, '#'))
			fprintf(to, "%s: %s.\n", bill->uses[i].name,
				bill->uses[i].metric->words);
	text_table_release(&table);
}

/* --- findings --- */

void print_findings_text(FILE *to, const struct report *report)
{
	static const char *const severities[] = { "damage", "warning", "info" };

	if (report->finding_count)
		fputs("\nFindings:\n", to);
	for (size_t s = 0; s < 3; s++) {
		for (size_t i = 0; i < report->finding_count; i++) {
			const struct finding_row *finding = &report->findings[i];
			char number[40];

			if (!str_equal(finding->severity, str_of(severities[s])))
				continue;
			fprintf(to, "%s: ", severities[s]);
			print_shown(to, finding->text, 160);
			text_grouped(number, sizeof(number), finding->count);
			fprintf(to, " (%s", number);
			if (finding->first_offset != INT_NONE)
				fprintf(to, ", %s0x%llx",
					finding->count > 1 ? "the first at " : "at ",
					(unsigned long long)finding->first_offset);
			fputs(")", to);
			fputs("\n", to);
		}
	}
}

/* Why there is no bill: the samples are not there, or cannot be read any more. */
static void print_nothing(FILE *to, const struct report *report)
{
	for (size_t i = 0; i < report->finding_count; i++) {
		if (!str_equal(report->findings[i].kind, STR("no_format")))
			continue;
		fputs("Nothing to bill: the file has lost the formats of its tracepoints, which "
		      "stand at its end,\nso its switches cannot be read.\n",
		      to);
		return;
	}
	if (!str_equal(report->trace.format, STR("perf.data"))) {
		fputs("Nothing to bill: no context switches.  README.md says how to record "
		      "them with counters.\n",
		      to);
		return;
	}
	fputs("Nothing to bill: no sample of a leader that fires at context switches.  Record "
	      "with\nperf record -a -c 1 -e '{sched:sched_switch,cycles,instructions}:S'\n",
	      to);
}

void print_text(FILE *to, const struct pages *pages, const struct print_options *options)
{
	const struct bill *bill = pages->bill;
	bool billed = bill->report->reference != NULL;

	print_head(to, pages);
	if (billed)
		print_bill_lines(to, bill, options);
	else if (!pages->estimate && !pages->counts)
		print_nothing(to, bill->report);
	print_with_idle(to, bill);
	print_reasons(to, bill);
	print_multiplexing(to, bill, options);
	if (options->metrics && billed)
		print_metrics(to, bill, options);
	if (pages->estimate) {
		fputs(billed ? "\nSampled, not read at switches:\n" : "", to);
		print_estimate_text(to, pages->estimate, options);
	}
	if (pages->counts) {
		fputs(billed || pages->estimate ? "\n" : "", to);
		print_counts_text(to, pages->counts, options);
	}
	print_findings_text(to, bill->report);
}
