/* print_json.c - the bill as one JSON object; docs/man/perftab-analyze.1 lists its
 * members. */
#include "base/text.h"
#include "common/json.h"
#include "print.h"

/* --- the parts --- */

void print_trace_json(FILE *to, const struct report *report)
{
	const struct trace_row *trace = &report->trace;

	fputs("\"trace\": {\"path\": ", to);
	json_text(to, trace->path);
	json_member_text(to, "format", trace->format);
	json_member_text(to, "form", trace->form);
	json_member_text(to, "byte_order", trace->byte_order);
	json_member_text(to, "status", trace->status);
	json_member_number(to, "bytes", trace->bytes);
	json_member_number(to, "first_ns", trace->first_ns);
	json_member_number(to, "last_ns", trace->last_ns);
	json_member_text(to, "clock", trace->clock);
	json_member_number(to, "wall_offset_ns", trace->wall_offset_ns);
	json_member_text(to, "host", trace->host);
	json_member_text(to, "os_release", trace->os_release);
	json_member_text(to, "arch", trace->arch);
	json_member_number(to, "cpu_count", trace->cpu_count);
	json_member_text(to, "cpu_model", trace->cpu_model);
	json_member_text(to, "recorder", trace->recorder);
	json_member_text(to, "command", trace->command);
	fputs("}", to);
}

static void print_counters(FILE *to, const struct report *report)
{
	fputs(",\n   \"counters\": [", to);
	for (size_t i = 0; i < report->counter_count; i++) {
		const struct report_counter *counter = &report->counters[i];

		fprintf(to, "%s\n    {\"name\": ", i ? "," : "");
		json_text(to, counter->row.name);
		json_member_text(to, "event", counter->row.event);
		json_member_text(to, "unit", counter->row.unit);
		fprintf(to, ", \"group\": %zu, \"slot\": %lld}",
			(size_t)(counter->group - report->groups),
			(long long)counter->row.slot);
	}
	fputs("]", to);
}

static void print_metrics(FILE *to, const struct bill *bill, const struct bill_line *line)
{
	fputs(", \"metrics\": {", to);
	for (size_t i = 0; i < bill->use_count; i++) {
		const struct metric_use *use = &bill->uses[i];
		double value;

		fprintf(to, "%s\"%s\": ", i ? ", " : "", use->name);
		if (metric_value(use, line->values[use->numerator],
				 line->values[use->denominator], &value))
			fprintf(to, "%.6g", value);
		else
			fputs("null", to);
	}
	fputs("}", to);
}

static void print_who(FILE *to, const struct bill *bill, const struct bill_line *line)
{
	static const char *const kinds[] = { "task", "others", "idle", "unattributed",
					     "total" };

	if (bill->by == BY_CPU) {
		fprintf(to, "\n    {\"cpu\": %lld", (long long)line->cpu);
		return;
	}
	fprintf(to, "\n    {\"kind\": \"%s\"", kinds[line->kind]);
	json_member_text(to, "process", line->process);
	json_member_number(to, "pid", line->pid);
	if (bill->by == BY_THREAD) {
		json_member_number(to, "tid", line->tid);
		json_member_text(to, "thread", line->thread);
	} else {
		json_member_number(to, "threads", line->threads);
	}
}

static void print_line(FILE *to, const struct bill *bill, const struct bill_line *line,
		       const struct print_options *options)
{
	const struct report *report = bill->report;

	print_who(to, bill, line);
	json_member_number(to, "switches", line->switches);
	json_member_number(to, "on_cpu_ns", line->on_cpu_ns);
	json_member_number(to, "with_idle_switches", line->with_idle_switches);
	json_member_number(to, "timeless_switches", line->timeless_switches);
	/*
	 * In the order of "counters": names may repeat nowhere, but arrays are plainer.
	 */
	fputs(", \"values\": [", to);
	for (size_t i = 0; i < report->counter_count; i++)
		fprintf(to, "%s%lld", i ? ", " : "", (long long)line->values[i]);
	fputs("], \"with_idle\": [", to);
	for (size_t i = 0; i < report->counter_count; i++)
		fprintf(to, "%s%lld", i ? ", " : "", (long long)line->with_idle[i]);
	fputs("], \"group_switches\": [", to);
	for (size_t g = 0; g < report->group_count; g++)
		fprintf(to, "%s%lld", g ? ", " : "", (long long)line->group_switches[g]);
	fputs("], \"group_seen\": [", to);
	for (size_t g = 0; g < report->group_count; g++)
		fprintf(to, "%s%lld", g ? ", " : "", (long long)line->group_seen[g]);
	fputs("], \"group_running_ns\": [", to);
	for (size_t g = 0; g < report->group_count; g++) {
		fputs(g ? ", " : "", to);
		json_number(to, line->group_running[g]);
	}
	fputs("]", to);
	if (options->metrics && line->kind == LINE_TASK)
		print_metrics(to, bill, line);
	fputs("}", to);
}

static void print_groups(FILE *to, const struct report *report)
{
	fputs(",\n   \"groups\": [", to);
	for (size_t g = 0; g < report->group_count; g++) {
		const struct report_group *group = &report->groups[g];
		bool any = false;

		fprintf(to, "%s\n    {\"leader\": ", g ? "," : "");
		json_text(to, group->row.leader);
		json_member_text(to, "scope", group->row.scope);
		json_member_text(to, "has_times", group->row.has_times);
		json_member_number(to, "switches", group->switches);
		json_member_number(to, "all_switches", group->all_switches);
		fputs(", \"statuses\": [", to);
		for (int s = 0; s < CHARGE_STATUSES; s++) {
			if (group->statuses[s].switches == 0)
				continue;
			fprintf(to,
				"%s\n     {\"status\": \"%s\", \"reason\": \"%s\", "
				"\"switches\": %lld, \"on_cpu_ns\": %lld}",
				any ? "," : "", charge_status_words[s].name,
				charge_status_words[s].reason,
				(long long)group->statuses[s].switches,
				(long long)group->statuses[s].on_cpu_ns);
			any = true;
		}
		fputs("]}", to);
	}
	fputs("]", to);
}

void print_findings_json(FILE *to, const struct report *report)
{
	fputs(",\n   \"findings\": [", to);
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding_row *finding = &report->findings[i];

		fprintf(to, "%s\n    {\"severity\": ", i ? "," : "");
		json_text(to, finding->severity);
		json_member_text(to, "kind", finding->kind);
		json_member_number(to, "count", finding->count);
		json_member_number(to, "first_offset", finding->first_offset);
		json_member_number(to, "end_offset", finding->end_offset);
		json_member_text(to, "text", finding->text);
		fputs("}", to);
	}
	fputs("]", to);
}

void print_json(FILE *to, const struct pages *pages, const struct print_options *options)
{
	const struct bill *bill = pages->bill;
	static const char *const by[] = { "process", "thread", "cpu" };
	static const char *const rules[] = { "separate", "switched-out" };
	int64_t shown = 0;
	bool any = false;

	fputs("  {", to);
	print_trace_json(to, bill->report);
	fprintf(to, ",\n   \"unproven\": \"%s\", \"by\": \"%s\"", rules[bill->rule],
		by[bill->by]);
	print_counters(to, bill->report);
	fputs(",\n   \"lines\": [", to);
	for (size_t i = 0; i < bill->line_count; i++) {
		const struct bill_line *line = &bill->lines[i];

		if (line->kind == LINE_TASK && options->top && shown++ >= options->top)
			continue;
		fputs(any ? "," : "", to);
		any = true;
		print_line(to, bill, line, options);
	}
	fputs("]", to);
	print_groups(to, bill->report);
	if (pages->estimate)
		print_estimate_json(to, pages->estimate, options);
	if (pages->counts)
		print_counts_json(to, pages->counts, options);
	print_findings_json(to, bill->report);
}
