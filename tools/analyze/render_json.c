/*
 * render_json.c - views and reports as JSON; docs/man/perftab-analyze.1 lists the
 * members.
 */
#include "common/json.h"
#include "render.h"

/* --- views --- */

static void write_number(FILE *to, const struct view *view, size_t cell, int64_t number)
{
	if (view_is_value(view, cell))
		csv_value(to, number);
	else
		json_number(to, number);
}

static void write_list(FILE *to, const struct view *view,
		       const struct view_column *column, const struct view_line *line)
{
	const int64_t *numbers =
		column->is_sum && view_sums(line) ? view_sums(line) : line->numbers;

	fputs("[", to);
	for (size_t i = 0; i < column->count; i++) {
		fputs(i ? ", " : "", to);
		write_number(to, view, column->cell + i, numbers[column->cell + i]);
	}
	fputs("]", to);
}

static void write_ratios(FILE *to, const struct view *view, const struct view_line *line)
{
	const char *comma = "";

	fputs("{", to);
	for (size_t i = 0; i < view->column_count; i++) {
		const struct view_column *column = &view->columns[i];
		double ratio;

		if (column->kind != VIEW_RATIO)
			continue;
		fprintf(to, "%s\"%.*s\": ", comma, (int)column->name.len,
			column->name.ptr);
		comma = ", ";
		if (view_ratio(view, column, line, &ratio))
			fprintf(to, "%.6g", ratio);
		else
			fputs("null", to);
	}
	fputs("}", to);
}

static void write_cell(FILE *to, const struct view *view,
		       const struct view_column *column, const struct view_line *line)
{
	static const char *const kinds[] = { "task",	  "others",	"idle",
					     "with_idle", "interrupts", "unattributed",
					     "falls",	  "total" };

	switch (column->kind) {
	case VIEW_KIND:
		fprintf(to, "\"%s\"", kinds[line->kind]);
		break;
	case VIEW_NAME:
		json_text(to, line->texts[column->cell]);
		break;
	case VIEW_FLAG:
		fputs(line->numbers[column->cell] ? "true" : "false", to);
		break;
	case VIEW_LIST:
		write_list(to, view, column, line);
		break;
	case VIEW_OBJECT:
		write_ratios(to, view, line);
		break;
	default:
		write_number(to, view, column->cell, view_number(column, line));
	}
}

static void write_line(FILE *to, const struct view *view, const struct view_line *line)
{
	const char *comma = "";

	fputs("{", to);
	for (size_t i = 0; i < view->column_count; i++) {
		const struct view_column *column = &view->columns[i];

		if (!(column->forms & VIEW_JSON) ||
		    (column->kind == VIEW_OBJECT && line->kind != LINE_TASK))
			continue;
		fprintf(to, "%s\"%.*s\": ", comma, (int)column->name.len,
			column->name.ptr);
		write_cell(to, view, column, line);
		comma = ", ";
	}
	fputs("}", to);
}

void render_json_lines(FILE *to, const struct view *view, int64_t top, const char *indent)
{
	const char *comma = "";

	for (size_t i = 0; i < view->line_count; i++) {
		if (view_is_hidden(view, i, top))
			continue;
		fprintf(to, "%s\n%s", comma, indent);
		write_line(to, view, view->lines[i]);
		comma = ",";
	}
}

/* --- the trace --- */

void json_trace(FILE *to, const struct totals *totals)
{
	fputs("\"trace\": ", to);
	json_table_row(
		to, &tables[RECORD_trace], &totals->trace,
		"path format form byte_order status bytes first_ns last_ns clock "
		"wall_offset_ns host os_release arch cpu_count cpu_model recorder command");
}

void json_findings(FILE *to, const struct totals *totals)
{
	fputs(",\n   \"findings\": [", to);
	for (size_t i = 0; i < totals->finding_count; i++) {
		fputs(i ? ",\n    " : "\n    ", to);
		fputs("{", to);
		json_table_members(to, &tables[RECORD_finding], &totals->findings[i],
				   "severity kind count first_offset end_offset text");
		if (totals->is_window)
			json_member_text(to, "of",
					 i < totals->window_finding_count ? STR("window")
									  : STR("trace"));
		fputs("}", to);
	}
	fputs("]", to);
}

static void write_counters(FILE *to, const struct totals *totals)
{
	fputs(",\n   \"counters\": [", to);
	for (size_t i = 0; i < totals->counter_count; i++) {
		const struct totals_counter *counter = &totals->counters[i];

		fputs(i ? ",\n    {" : "\n    {", to);
		json_table_members(to, &tables[RECORD_counter], &counter->row,
				   "name event unit");
		fprintf(to, ", \"group\": %zu, \"slot\": %lld, ",
			(size_t)(counter->group - totals->groups),
			(long long)counter->row.slot);
		json_table_members(to, &tables[RECORD_counter_audit], &counter->audit,
				   "verdict reason");
		fputs("}", to);
	}
	fputs("]", to);
}

static void write_statuses(FILE *to, const struct totals_group *group)
{
	const char *comma = "";

	for (int s = 0; s < CHARGE_STATUSES; s++) {
		if (group->statuses[s].switches + group->statuses[s].reads == 0)
			continue;
		fprintf(to,
			"%s\n     {\"status\": \"%s\", \"reason\": \"%s\", "
			"\"switches\": %lld, \"on_cpu_ns\": %lld}",
			comma, charge_status_words[s].name, charge_status_words[s].reason,
			(long long)group->statuses[s].switches,
			(long long)group->statuses[s].on_cpu_ns);
		comma = ",";
	}
}

static void write_groups(FILE *to, const struct totals *totals)
{
	fputs(",\n   \"groups\": [", to);
	for (size_t g = 0; g < totals->group_count; g++) {
		const struct totals_group *group = &totals->groups[g];

		fputs(g ? ",\n    {" : "\n    {", to);
		json_table_members(to, &tables[RECORD_counter_group], &group->row,
				   "leader scope has_times");
		json_member_number(to, "switches", group->switches);
		json_member_number(to, "all_switches", group->all_switches);
		fputs(", \"statuses\": [", to);
		write_statuses(to, group);
		fputs("]}", to);
	}
	fputs("]", to);
}

/* --- what was sampled, what perf stat counted, the check --- */

static void write_sampled(FILE *to, const struct estimate *estimate)
{
	const struct tally *tally = &estimate->totals->tally;
	const int64_t *total = estimate->view.total->numbers;

	fputs(",\n   \"sampling\": {\"estimated\": true", to);
	json_member_number(to, "samples", total[ESTIMATE_SAMPLES]);
	json_member_number(to, "lost_samples", tally->lost_samples);
	json_member_number(to, "lost_records", tally->lost_records);
	fputs(", \"events\": [", to);
	for (size_t i = 0; i < estimate->event_count; i++) {
		const struct tally_event *event = estimate->events[i];

		fputs(i ? ",\n     {" : "\n     {", to);
		json_table_members(to, &tables[RECORD_counter], &event->row,
				   "name event unit");
		json_member_number(to, "samples", total[ESTIMATE_EVENT_SAMPLES + i]);
		json_member_number(to, "events", total[estimate->sums + i]);
		json_member_number(to, "lost_samples", event->lost_samples);
		fputs("}", to);
	}
	fputs("]", to);
}

void json_sampling(FILE *to, const struct estimate *estimate)
{
	write_sampled(to, estimate);
	fputs("}", to);
}

static void write_estimate(FILE *to, const struct pages *pages, int64_t top)
{
	const struct estimate *estimate = pages->estimate;

	write_sampled(to, estimate);
	fprintf(to, ",\n    \"%s\": [",
		pages->by_place == PLACE_SYMBOL	  ? "symbols"
		: pages->by_place == PLACE_MODULE ? "modules"
						  : cut_plurals[estimate->by]);
	render_json_lines(to, pages->places ? pages->places : &estimate->view, top,
			  "     ");
	fputs("]}", to);
}

static void write_count_ratios(FILE *to, const struct counts *counts)
{
	double value;

	fputs(", \"metrics\": {", to);
	for (size_t i = 0; i < counts->use_count; i++) {
		fprintf(to, "%s\"%s\": ", i ? ", " : "", counts->uses[i].name);
		if (counts_ratio(counts, i, &value))
			fprintf(to, "%.6g", value);
		else
			fputs("null", to);
	}
	fputs("}", to);
}

static void write_counts(FILE *to, const struct counts *counts,
			 const struct render_options *options)
{
	const struct tally *tally = &counts->totals->tally;

	fprintf(to, ",\n   \"stat\": {\"rounds\": %lld", (long long)tally->stat_rounds);
	json_member_number(to, "time_ns", tally->stat_ns);
	if (options->ratios)
		write_count_ratios(to, counts);
	fputs(", \"counts\": [", to);
	render_json_lines(to, &counts->view, options->top, "     ");
	fputs("]}", to);
}

void json_check(FILE *to, const struct check *check)
{
	fputs(",\n   \"check\": [", to);
	render_json_lines(to, &check->view, 0, "    ");
	fputs("]", to);
}

/* --- a report --- */

void render_json_open(FILE *to, const struct pages *pages)
{
	const struct bill *bill = pages->bill;

	fputs("  {", to);
	json_trace(to, bill->totals);
	fprintf(to,
		",\n   \"unproven\": \"%s\", \"with_idle\": \"%s\", \"interrupts_to\": \"%s\", "
		"\"by\": \"%s\"",
		bill->rule.unproven_to_threads ? "switched-out" : "separate",
		bill->rule.with_idle_to_threads ? "thread" : "separate",
		bill->rule.interrupts_to_threads ? "thread" : "separate",
		pages->by_place == PLACE_SYMBOL	  ? "symbol"
		: pages->by_place == PLACE_MODULE ? "module"
						  : cut_names[bill->by]);
	write_counters(to, bill->totals);
}

static void write_window(FILE *to, const struct render_options *options)
{
	if (options->cpus)
		json_member_text(to, "cpus", str_of(options->cpus));
	if (options->from_ns == INT64_MIN && options->to_ns == INT64_MAX)
		return;
	fputs(",\n   \"window\": {\"from_ns\": ", to);
	json_number(to, options->from_ns); /* null: from the start */
	json_member_number(to, "to_ns",
			   options->to_ns == INT64_MAX ? INT_NONE : options->to_ns);
	fputs("}", to);
}

void render_json(FILE *to, const struct pages *pages,
		 const struct render_options *options)
{
	const struct bill *bill = pages->bill;

	render_json_open(to, pages);
	write_window(to, options);
	fputs(",\n   \"lines\": [", to);
	render_json_lines(to, &bill->view, options->top, "    ");
	fputs("]", to);
	if (pages->interrupts) {
		fputs(",\n   \"interrupts\": [", to);
		render_json_lines(to, &pages->interrupts->view, options->top, "    ");
		fputs("]", to);
	}
	write_groups(to, bill->totals);
	if (pages->estimate)
		write_estimate(to, pages, options->top);
	if (pages->counts)
		write_counts(to, pages->counts, options);
	json_findings(to, bill->totals);
}
