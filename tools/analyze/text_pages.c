/*
 * text_pages.c - all that is printed of one trace for a terminal: head, tables, findings.
 */
#include "base/text.h"
#include "common/when.h"
#include "render.h"
#include <string.h>
#include <time.h>

static void print_table(FILE *to, struct view *view, int64_t top, bool one_block)
{
	struct text_table table;

	render_table(&table, view, top);
	table.one_block = one_block;
	text_table_print(&table, to);
	text_table_release(&table);
}

/* --- head --- */

static const char *rule_words(const struct bill_rule *rule)
{
	if (rule->unproven_to_threads)
		return "every interval is charged to the thread switched out, proven or not";
	if (rule->with_idle_to_threads)
		return "an interval is charged to a thread if no other but idle can have run "
		       "in it; the others are (unattributed)";
	return "an interval is charged to a thread if it is proven to be that thread's "
	       "alone; the others are (with idle) or (unattributed)";
}

/* What there is of what the trace is about. */
static void amount_of(char *text, size_t size, const struct pages *pages)
{
	const struct totals *totals = pages->bill->totals;
	int64_t amount = totals->switches;
	const char *of = "switches";
	char number[40];

	if (!totals->reference && pages->estimate && pages->estimate->event_count) {
		amount = pages->estimate->view.total->numbers[ESTIMATE_SAMPLES];
		of = amount == 1 ? "sample" : "samples";
	} else if (!totals->reference && pages->estimate) {
		amount = pages->estimate->view.total->numbers[CUT_SWITCHES];
	} else if (!totals->reference && pages->counts) {
		amount = totals->tally.stat_rounds;
		of = amount == 1 ? "round of counts" : "rounds of counts";
	}
	text_grouped(number, sizeof(number), amount);
	text_print(text, size, "%s %s", number, of);
}

void text_trace_head(FILE *to, const struct trace_row *trace, const char *amount)
{
	char utc[WHEN_UTC_BYTES];

	print_path(to, trace->path, 60);
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
	when_utc(utc, trace, trace->first_ns);
	if (trace->os_release.ptr || trace->cpu_count != INT_NONE || utc[0]) {
		fprintf(to, "recorded%s%s%s", utc[0] ? " " : "", utc,
			trace->os_release.ptr || trace->cpu_count != INT_NONE ? " on "
									      : "");
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

/* Which counters there are, and the one by which lines are ranked. */
static void print_counters(FILE *to, const struct bill *bill)
{
	const struct totals *totals = bill->totals;
	char words[4000], shown[200];
	size_t used = text_print(words, sizeof(words), "counters:");

	for (size_t i = 0; i < totals->counter_count; i++) {
		if (bill_is_leader(totals, i) || bill_is_edge(totals, i) ||
		    used > sizeof(words) - 400)
			continue;
		text_shown(shown, sizeof(shown), totals->counters[i].row.name,
			   VIEW_TITLE_WIDTH);
		used += text_print(words + used, sizeof(words) - used, "%s %s",
				   used > 9 ? "," : "", shown);
	}
	if (used == 9)
		text_print(words, sizeof(words),
			   "counters: none; share is of on-CPU time");
	if (bill->heaviest != SIZE_MAX) {
		text_shown(shown, sizeof(shown),
			   totals->counters[bill->heaviest].row.name, VIEW_TITLE_WIDTH);
		text_print(words + used, sizeof(words) - used, "; share is of %s", shown);
	}
	print_words(to, words);
}

/* Seconds after the start of the trace; the window may reach beyond it. */
static double after_start(const struct trace_row *trace, int64_t ns)
{
	return ns <= trace->first_ns ? 0 : (double)(ns - trace->first_ns) * 1e-9;
}

static void print_window(FILE *to, const struct trace_row *trace,
			 const struct render_options *options)
{
	int64_t to_ns = options->to_ns < trace->last_ns ? options->to_ns : trace->last_ns;
	char utc[WHEN_UTC_BYTES];

	if ((options->from_ns == INT64_MIN && options->to_ns == INT64_MAX) ||
	    trace->first_ns == INT_NONE)
		return;
	when_utc(utc, trace,
		 options->from_ns > trace->first_ns ? options->from_ns : trace->first_ns);
	fprintf(to, "window: +%.6f s to +%.6f s%s%s\n",
		after_start(trace, options->from_ns), after_start(trace, to_ns),
		utc[0] ? ", from " : "", utc);
}

static void print_head(FILE *to, const struct pages *pages,
		       const struct render_options *options)
{
	const struct totals *totals = pages->bill->totals;
	char amount[64], words[300];

	amount_of(amount, sizeof(amount), pages);
	text_trace_head(to, &totals->trace, amount);
	print_window(to, &totals->trace, options);
	if (options->cpus)
		fprintf(to, "only CPU %s\n", options->cpus);
	if (totals->reference) {
		text_print(words, sizeof(words), "rule: %s",
			   rule_words(&pages->bill->rule));
		print_words(to, words);
		print_counters(to, pages->bill);
		text_verdicts(to, totals);
	}
	fputs("\n", to);
}

/* --- interrupts --- */

static void text_interrupts(FILE *to, const struct pages *pages,
			    const struct render_options *options)
{
	const struct bill *bill = pages->bill;
	char words[500];

	text_print(
		words, sizeof(words),
		"%s  Softirqs that a thread runs itself (charged to: thread) are its work.",
		bill->by == BY_CPU ? "Interrupts, which the lines above include."
		: bill->rule.interrupts_to_threads
			? "Interrupts, which are in the lines of those interrupted."
			: "(interrupts), by kind and vector; --interrupts thread puts them "
			  "in the lines of those interrupted.");
	fputs(options->interrupts_only ? "" : "\n", to);
	print_words(to, words);
	print_table(to, &pages->interrupts->view, options->top, options->one_block);
}

/* --- findings --- */

static void print_finding(FILE *to, const struct finding_row *finding)
{
	char number[40];

	print_shown(to, finding->severity, 20);
	fputs(": ", to);
	print_shown(to, finding->text, 240);
	text_grouped(number, sizeof(number), finding->count);
	fprintf(to, " (%s", number);
	if (finding->first_offset != INT_NONE)
		fprintf(to, ", %s0x%llx", finding->count > 1 ? "the first at " : "at ",
			(unsigned long long)finding->first_offset);
	fputs(")\n", to);
}

static void print_findings(FILE *to, const char *title,
			   const struct finding_row *findings, size_t count)
{
	static const char *const severities[] = { "damage", "warning", "info" };

	if (count)
		fprintf(to, "\n%s:\n", title);
	for (size_t s = 0; s < 3; s++)
		for (size_t i = 0; i < count; i++)
			if (str_equal(findings[i].severity, str_of(severities[s])))
				print_finding(to, &findings[i]);
}

void text_findings(FILE *to, const struct totals *totals)
{
	size_t own = totals->is_window ? totals->window_finding_count : 0;

	if (!totals->finding_count)
		return;
	print_findings(to, "Findings of the window", totals->findings, own);
	print_findings(to, totals->is_window ? "Findings of the whole trace" : "Findings",
		       totals->findings + own, totals->finding_count - own);
}

/* --- a report --- */

#define TYPE_SOFTWARE 1 /* PERF_TYPE_SOFTWARE and its PERF_COUNT_SW_CONTEXT_SWITCHES */
#define CONFIG_CONTEXT_SWITCHES 3

/* Every switch would have been a sample. */
static bool samples_switches(const struct totals *totals)
{
	for (const struct tally_event *e = totals->tally.events; e; e = e->next)
		if (e->row.period == 1 &&
		    (str_equal(e->row.event, STR("sched:sched_switch")) ||
		     (e->row.type == TYPE_SOFTWARE &&
		      e->row.config == CONFIG_CONTEXT_SWITCHES)))
			return true;
	return false;
}

/* Why there is no bill: the samples are not there, or cannot be read any more. */
static void print_nothing(FILE *to, const struct totals *totals)
{
	for (size_t i = 0; i < totals->finding_count; i++) {
		if (!str_equal(totals->findings[i].kind, STR("no_format")))
			continue;
		fputs("Nothing to bill: the file has lost the formats of its tracepoints, which "
		      "stand at its end,\nso its switches cannot be read.\n",
		      to);
		return;
	}
	if (!str_equal(totals->trace.format, STR("perf.data"))) {
		fputs("Nothing to bill: no context switches.  perftab-convert --list says what "
		      "the file\nholds, README.md and docs/windows.md how to record switches "
		      "with counters.\n",
		      to);
		return;
	}
	if (samples_switches(totals)) {
		fputs("Nothing to bill: counters would have been read at context switches, but "
		      "no thread\nthat was recorded was switched out.\n",
		      to);
		return;
	}
	fputs("Nothing to bill: no sample of a leader that fires at context switches.  Record "
	      "with\nperf record -a -c 1 -e '{sched:sched_switch,cycles,instructions}:S'\n",
	      to);
}

/* Names of functions are those that the trace carries. */
static void print_way_to_names(FILE *to, const struct view *places)
{
	bool any = false;

	for (size_t i = 0; i < places->line_count; i++) {
		const struct view_line *line = places->lines[i];

		if (line->kind != LINE_TASK)
			continue;
		any = true;
		if (!str_equal(line->texts[PLACE_TEXT_SYMBOL], STR("(unknown)")))
			return;
	}
	if (!any)
		return;
	fputs("\nNo function has a name here: perftab-convert --symbols finds names in files "
	      "on this\nmachine, for the report of its database.\n",
	      to);
}

void render_text(FILE *to, const struct pages *pages,
		 const struct render_options *options)
{
	struct bill *bill = pages->bill;
	bool billed = bill->totals->reference != NULL;

	if (!bill_set_falls_apart(bill))
		return;
	print_head(to, pages, options);
	if (billed && !options->interrupts_only && !pages->places)
		print_table(to, &bill->view, options->top, options->one_block);
	else if (!billed && !pages->estimate && !pages->counts)
		print_nothing(to, bill->totals);
	if (pages->interrupts)
		text_interrupts(to, pages, options);
	if (!pages->places)
		text_bill_notes(to, bill, options);
	if (pages->estimate) {
		fputs(billed && !pages->places ? "\nSampled, not read at switches:\n"
					       : "",
		      to);
		text_estimate(to, pages->estimate,
			      pages->places ? pages->places : &pages->estimate->view,
			      options);
	}
	if (pages->places && pages->by_place == PLACE_SYMBOL)
		print_way_to_names(to, pages->places);
	if (pages->counts) {
		fputs(billed || pages->estimate ? "\n" : "", to);
		text_counts(to, pages->counts, options);
	}
	text_findings(to, bill->totals);
}

void render_text_live(FILE *to, struct bill *bill, const struct render_options *options)
{
	const struct trace_row *trace = &bill->totals->trace;
	char switches[40], clock[16] = "";
	time_t now = time(NULL);
	struct tm local;

	if (localtime_r(&now, &local))
		(void)strftime(clock, sizeof(clock), "%H:%M:%S", &local);
	text_grouped(switches, sizeof(switches), bill->view.total->numbers[CUT_SWITCHES]);
	fprintf(to, "%s  %.3f s, %s switches\n\n", clock,
		(double)(trace->last_ns - trace->first_ns) * 1e-9, switches);
	if (bill->totals->reference)
		print_table(to, &bill->view, options->top, options->one_block);
}

void render_text_check(FILE *to, struct check *check)
{
	size_t books = check->view.line_count;

	if (!books) {
		fputs("Nothing to check.\n", to);
		return;
	}
	print_table(to, &check->view, 0, false);
	fprintf(to, "\n%zu of %zu books balance.\n", books - check->unbalanced, books);
}
