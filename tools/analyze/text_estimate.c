/* text_estimate.c - what was sampled and what perf stat counted, with what it means. */
#include "base/text.h"
#include "render.h"

/* --- samples --- */

/* How many samples the kernel says it lost; what they stood for is not known. */
static void lost_row(struct text_table *table, const struct estimate *estimate)
{
	const struct tally *tally = &estimate->totals->tally;
	size_t first = table->columns - estimate->event_count;
	char number[40], text[64];

	if (!tally->lost_samples && !tally->lost_records)
		return;
	text_table_row(table);
	text_table_text(table, 0, STR("(lost)"));
	text_grouped(number, sizeof(number),
		     tally->lost_samples ? tally->lost_samples : tally->lost_records);
	text_print(text, sizeof(text), "%s%s", tally->lost_samples ? "" : "<= ", number);
	text_table_text(table, table->repeated, str_of(text));
	for (size_t i = 0; i < estimate->event_count; i++) {
		if (!estimate->events[i]->lost_samples)
			continue;
		text_grouped(number, sizeof(number), estimate->events[i]->lost_samples);
		text_print(text, sizeof(text), "%s samples", number);
		text_table_text(table, first + i, str_of(text));
	}
}

/* What is not in the numbers. */
static void loss_words(char *words, size_t size, const struct tally *tally)
{
	char samples[40], records[40];

	text_grouped(samples, sizeof(samples), tally->lost_samples);
	text_grouped(records, sizeof(records), tally->lost_records);
	if (!tally->lost_samples && !tally->lost_records)
		text_print(words, size, "No loss was recorded.");
	else if (!tally->lost_records)
		text_print(words, size, "%s samples were lost and are not in the sums.",
			   samples);
	else if (!tally->lost_samples)
		text_print(words, size,
			   "%s records of any kind were lost; the samples among them are "
			   "not in the sums.",
			   records);
	else
		text_print(words, size,
			   "%s samples were lost and are not in the sums; so were %s "
			   "records of any kind, which may be the same.",
			   samples, records);
}

static void print_meaning(FILE *to, const struct estimate *estimate)
{
	char words[1000], all[1200];

	loss_words(words, sizeof(words), &estimate->totals->tally);
	text_print(all, sizeof(all), "%s%s",
		   estimate->heaviest == SIZE_MAX
			   ? ""
			   : "Estimates: each sample stands for as many events as its "
			     "period says.  ",
		   words);
	print_words(to, all);
	for (size_t i = 0; i < estimate->event_count; i++) {
		char shown[240];

		if (estimate_has_periods(estimate, i))
			continue;
		text_shown(shown, sizeof(shown), estimate->events[i]->row.name,
			   VIEW_TITLE_WIDTH);
		text_print(words, sizeof(words),
			   "%s: what a sample stands for was not recorded, so its column "
			   "counts samples, not events.",
			   shown);
		print_words(to, words);
	}
	if (estimate->is_timed)
		print_words(to, "Time on the CPU is measured, from coming to going "
				"(SWITCH records); where one of the two is missing it "
				"counts as 0.");
}

void text_estimate(FILE *to, const struct estimate *estimate, struct view *view,
		   const struct render_options *options)
{
	struct text_table table;

	render_table(&table, view, options->top);
	lost_row(&table, estimate);
	text_table_print(&table, to);
	text_table_release(&table);
	fputs("\n", to);
	print_meaning(to, estimate);
	if (options->ratios && !estimate->totals->reference)
		print_words(to,
			    "No ratios: samples of two events are estimates of "
			    "different moments.  IPC, for example, needs instructions "
			    "and cycles counted in one group at context switches.");
}

/* --- perf stat --- */

static void print_counts_meaning(FILE *to, const struct counts *counts)
{
	const struct tally *tally = &counts->totals->tally;
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

static void print_counts_ratios(FILE *to, const struct counts *counts)
{
	const struct metric *last = NULL;
	char words[1200];
	double value;

	fputs("\n", to);
	for (size_t i = 0; i < counts->use_count; i++) {
		const struct metric *metric = counts->uses[i].metric;
		size_t used =
			text_print(words, sizeof(words), "%s: ", counts->uses[i].name);

		if (counts_ratio(counts, i, &value))
			used += text_print(words + used, sizeof(words) - used, "%.3f%s%s",
					   value, *metric->unit ? " " : "", metric->unit);
		else
			used += text_print(words + used, sizeof(words) - used,
					   "not counted");
		if (metric != last)
			text_print(words + used, sizeof(words) - used, " (%s)",
				   metric->words);
		last = metric;
		print_words(to, words);
	}
	if (counts->use_count)
		return;
	metrics_missing(&counts->metrics, words, sizeof(words));
	print_words(to, words);
}

void text_counts(FILE *to, struct counts *counts, const struct render_options *options)
{
	size_t lines = counts->view.line_count, top = (size_t)options->top;
	struct text_table table;

	render_table(&table, &counts->view, options->top);
	text_table_print(&table, to);
	text_table_release(&table);
	if (top && lines > top)
		fprintf(to, "(%zu others)\n", lines - top);
	fputs("\n", to);
	print_counts_meaning(to, counts);
	if (options->ratios)
		print_counts_ratios(to, counts);
}
