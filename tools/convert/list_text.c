/* list_text.c - a listing for a terminal: at most 100 columns, names made safe for it. */
#include <time.h>

#include "base/array.h"
#include "base/text.h"
#include "base/wrap.h"
#include "common/text_table.h"
#include "list_sets.h"

#define LABEL_COLUMNS 10
#define NAME_COLUMNS 40	   /* of an event; longer ones are cut */
#define FINDINGS_SHOWN 100 /* of one severity */

/* --- the trace --- */

static void print_label(FILE *to, const char *label)
{
	fprintf(to, "%-*s", LABEL_COLUMNS, label);
}

static void print_line(FILE *to, const char *label, struct str text)
{
	if (!text.ptr || text.len == 0)
		return;
	print_label(to, label);
	list_print_wrapped(to, text, LABEL_COLUMNS);
}

static int64_t count_of(const struct listing *listing, struct str name)
{
	for (size_t i = 0; i < LIST_COUNT(listing, record_count); i++)
		if (str_equal(LIST_ROW(listing, record_count, i)->record, name))
			return LIST_ROW(listing, record_count, i)->records;
	return 0;
}

static void print_form(FILE *to, const struct listing *listing)
{
	char text[200];
	const struct trace_row *trace = &listing->trace;
	bool is_text = str_equal(trace->form, STR("text")); /* as the format says */
	size_t at =
		text_print(text, sizeof(text), "%.*s%s%.*s%s%.*s", (int)trace->format.len,
			   trace->format.ptr, is_text ? "" : " ",
			   is_text ? 0 : (int)trace->form.len,
			   trace->form.ptr ? trace->form.ptr : "",
			   trace->byte_order.len ? ", " : "", (int)trace->byte_order.len,
			   trace->byte_order.ptr ? trace->byte_order.ptr : "");

	if (count_of(listing, STR("COMPRESSED")) || count_of(listing, STR("COMPRESSED2")))
		text_print(text + at, sizeof(text) - at, ", with compressed records");
	print_line(to, "form", str_of(text));
}

static void print_status(FILE *to, struct str status)
{
	static const char *const words[][2] = {
		{ "recovered", "recovered: damaged places were skipped" },
		{ "partial", "partial: the end is missing" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		if (str_equal(status, str_of(words[i][0])))
			status = str_of(words[i][1]);
	print_line(to, "status", status);
}

/* Seconds with nine places. */
static void seconds_text(char *to, size_t size, int64_t ns)
{
	uint64_t all = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	text_print(to, size, "%s%llu.%09llu", ns < 0 ? "-" : "",
		   (unsigned long long)(all / 1000000000),
		   (unsigned long long)(all % 1000000000));
}

static void print_time(FILE *to, const struct trace_row *trace)
{
	char from[40], end[40], clock[60] = "", text[200];

	if (trace->first_ns == INT_NONE || trace->last_ns < trace->first_ns)
		return;
	seconds_text(from, sizeof(from), trace->first_ns);
	seconds_text(end, sizeof(end), trace->last_ns);
	if (trace->clock.ptr)
		text_print(clock, sizeof(clock), ", clock %.*s", (int)trace->clock.len,
			   trace->clock.ptr);
	text_print(text, sizeof(text), "%.3f s, from %s to %s s%s",
		   (double)((uint64_t)trace->last_ns - (uint64_t)trace->first_ns) * 1e-9,
		   from, end, clock);
	print_line(to, "time", str_of(text));
}

/* When it was, where the recorder noted how its clock stood to wall time. */
static void print_began(FILE *to, const struct trace_row *trace)
{
	time_t seconds;
	struct tm parts;
	char text[60];

	if (trace->first_ns == INT_NONE || trace->wall_offset_ns == INT_NONE)
		return;
	seconds = (time_t)(wrap_add(trace->first_ns, trace->wall_offset_ns) / 1000000000);
	if (gmtime_r(&seconds, &parts) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts))
		print_line(to, "began", str_of(text));
}

static void print_cpus(FILE *to, const struct trace_row *trace)
{
	char text[200];
	size_t at = 0;

	if (trace->cpu_count != INT_NONE)
		at = text_print(text, sizeof(text), "%lld", (long long)trace->cpu_count);
	if (trace->cpu_model.ptr)
		at += text_print(text + at, sizeof(text) - at, "%s%.*s", at ? ", " : "",
				 (int)trace->cpu_model.len, trace->cpu_model.ptr);
	print_line(to, "CPUs", (struct str){ text, at });
}

static void print_trace(FILE *to, const struct listing *listing)
{
	const struct trace_row *trace = &listing->trace;
	char shown[4 * TEXT_TABLE_COLUMNS + 8], number[40];

	text_shown(shown, sizeof(shown), trace->path, TEXT_TABLE_COLUMNS);
	fprintf(to, "%s\n", shown);
	print_form(to, listing);
	print_status(to, trace->status);
	if (trace->bytes != INT_NONE) {
		text_grouped(number, sizeof(number), trace->bytes);
		print_label(to, "size");
		fprintf(to, "%s bytes\n", number);
	}
	print_time(to, trace);
	print_began(to, trace);
	print_line(to, "host", trace->host);
	print_line(to, "kernel", trace->os_release);
	print_line(to, "arch", trace->arch);
	print_cpus(to, trace);
	print_line(to, "recorder", trace->recorder);
	print_line(to, "command", trace->command);
}

/* --- events --- */

static void shown_cell(struct text_table *table, size_t column, struct str text)
{
	char shown[4 * NAME_COLUMNS + 8];

	text_shown(shown, sizeof(shown), text, NAME_COLUMNS);
	text_table_text(table, column, str_of(shown));
}

static void print_table(struct text_table *table, FILE *to)
{
	text_table_print(table, to);
	text_table_release(table);
}

/* The last one is never empty: no line ends in spaces. */
enum event_column {
	EVENT_NAME,
	EVENT_TYPE,
	EVENT_UNIT,
	EVENT_GROUP,
	EVENT_PERIOD,
	EVENT_COLUMNS
};

static void event_row(struct text_table *table, const struct listing *listing, size_t i)
{
	const struct counter_row *counter = LIST_ROW(listing, counter, i);
	size_t group = list_group_of(listing, counter);
	char text[64];

	text_table_row(table);
	shown_cell(table, EVENT_NAME, counter->name);
	if (counter->type != INT_NONE && counter->config != INT_NONE) {
		text_print(text, sizeof(text), "%lld:0x%llx", (long long)counter->type,
			   (unsigned long long)counter->config);
		text_table_text(table, EVENT_TYPE, str_of(text));
	}
	if (counter->period == INT_NONE && counter->type != INT_NONE)
		text_table_text(table, EVENT_PERIOD, STR("freq."));
	else if (counter->period != INT_NONE)
		text_table_int(table, EVENT_PERIOD, counter->period);
	if (group != LIST_NO_GROUP) {
		text_print(text, sizeof(text), "%zu%s", group + 1,
			   counter->slot == 0 && counter->type != INT_NONE ? " leader"
									   : "");
		text_table_text(table, EVENT_GROUP, str_of(text));
	}
	shown_cell(table, EVENT_UNIT, counter->unit);
}

static void print_events(FILE *to, const struct listing *listing)
{
	struct text_table table;

	if (LIST_COUNT(listing, counter) == 0)
		return;
	text_table_init(&table, EVENT_COLUMNS, 1);
	if (table.left)
		table.left[EVENT_NAME] = table.left[EVENT_TYPE] =
			table.left[EVENT_GROUP] = table.left[EVENT_UNIT] = true;
	text_table_row(&table);
	text_table_text(&table, EVENT_NAME, STR("event"));
	text_table_text(&table, EVENT_TYPE, STR("type:config"));
	text_table_text(&table, EVENT_UNIT, STR("unit"));
	text_table_text(&table, EVENT_GROUP, STR("group"));
	text_table_text(&table, EVENT_PERIOD, STR("period"));
	for (size_t i = 0; i < LIST_COUNT(listing, counter); i++)
		event_row(&table, listing, i);
	fputs("\nEvents:\n", to);
	print_table(&table, to);
}

static void print_groups(FILE *to, const struct listing *listing)
{
	for (size_t i = 0; i < LIST_COUNT(listing, counter_group); i++) {
		const struct counter_group_row *group =
			LIST_ROW(listing, counter_group, i);
		char leader[4 * NAME_COLUMNS + 8], counters[40] = "no", text[400];

		text_shown(leader, sizeof(leader), group->leader, NAME_COLUMNS);
		if (group->counters)
			text_grouped(counters, sizeof(counters), group->counters);
		text_print(text, sizeof(text),
			   "group %zu: %s counter%s of each %s, read at each %s%s", i + 1,
			   counters, group->counters == 1 ? "" : "s",
			   str_equal(group->scope, STR("task")) ? "thread" : "CPU",
			   leader,
			   str_equal(group->has_times, STR("yes"))
				   ? ", with times enabled and running"
				   : "");
		list_print_wrapped(to, str_of(text), 2);
	}
}

/* --- records and header --- */

static void print_records(FILE *to, const struct listing *listing)
{
	struct text_table table;
	int64_t total = 0;

	if (LIST_COUNT(listing, record_count) == 0)
		return;
	text_table_init(&table, 2, 1);
	if (table.left)
		table.left[0] = true;
	for (size_t i = 0; i < LIST_COUNT(listing, record_count); i++) {
		const struct record_count_row *row = LIST_ROW(listing, record_count, i);
		char type[40];

		text_table_row(&table);
		text_print(type, sizeof(type), "type %lld", (long long)row->type);
		shown_cell(&table, 0,
			   row->record.ptr   ? row->record
			   : row->type == -1 ? STR("(unknown)")
					     : str_of(type));
		text_table_int(&table, 1, row->records);
		total = wrap_add(total, row->records);
	}
	table.rules = table.rows;
	text_table_row(&table);
	text_table_text(&table, 0, STR("total"));
	text_table_int(&table, 1, total);
	fputs("\nRecords:\n", to);
	print_table(&table, to);
}

static void print_header(FILE *to, const struct listing *listing)
{
	size_t facts = LIST_COUNT(listing, header_fact);
	struct text_table table;

	if (facts == 0 && LIST_COUNT(listing, header_feature) == 0)
		return;
	text_table_init(&table, 3, 1);
	if (table.left)
		table.left[0] = table.left[2] = true;
	text_table_row(&table);
	text_table_text(&table, 0, STR("feature"));
	text_table_text(&table, 1, STR("bytes"));
	text_table_text(&table, 2, STR("status"));
	for (size_t i = 0; i < LIST_COUNT(listing, header_feature); i++) {
		const struct header_feature_row *row =
			LIST_ROW(listing, header_feature, i);
		char number[40];

		text_table_row(&table);
		text_print(number, sizeof(number), "feature %lld",
			   (long long)row->feature);
		shown_cell(&table, 0, row->name.ptr ? row->name : str_of(number));
		text_table_int(&table, 1, row->bytes);
		shown_cell(&table, 2, row->status);
	}
	fprintf(to, "\nHeader: %zu fact%s\n", facts, facts == 1 ? "" : "s");
	if (LIST_COUNT(listing, header_feature))
		text_table_print(&table, to);
	text_table_release(&table);
}

/* --- findings --- */

static void print_finding(FILE *to, const struct finding_row *finding)
{
	char text[1024], count[40];
	size_t at;

	text_grouped(count, sizeof(count), finding->count);
	at = text_print(text, sizeof(text), "%.*s: %.*s (%s", (int)finding->severity.len,
			finding->severity.ptr, (int)finding->text.len, finding->text.ptr,
			count);
	if (finding->end_offset > finding->first_offset)
		at += text_print(text + at, sizeof(text) - at, ", bytes 0x%llx to 0x%llx",
				 (unsigned long long)finding->first_offset,
				 (unsigned long long)finding->end_offset);
	else if (finding->first_offset != INT_NONE)
		at += text_print(text + at, sizeof(text) - at, ", %s0x%llx",
				 finding->count > 1 ? "the first at " : "at ",
				 (unsigned long long)finding->first_offset);
	text_print(text + at, sizeof(text) - at, ")");
	/* What goes on is set off from the next finding. */
	list_print_wrapped(to, str_of(text), 2);
}

static void print_findings(FILE *to, const struct listing *listing)
{
	static const char *const severities[] = { "damage", "warning", "info" };

	fputs(LIST_COUNT(listing, finding) ? "\nFindings:\n" : "\nFindings: none\n", to);
	for (size_t s = 0; s < ARRAY_COUNT(severities); s++) {
		size_t met = 0;

		for (size_t i = 0; i < LIST_COUNT(listing, finding); i++) {
			const struct finding_row *finding = LIST_ROW(listing, finding, i);

			if (str_equal(finding->severity, str_of(severities[s])) &&
			    met++ < FINDINGS_SHOWN)
				print_finding(to, finding);
		}
		if (met > FINDINGS_SHOWN)
			fprintf(to, "%s: %zu more\n", severities[s],
				met - FINDINGS_SHOWN);
	}
}

void list_print_text(FILE *to, const struct listing *listing)
{
	print_trace(to, listing);
	print_events(to, listing);
	print_groups(to, listing);
	print_records(to, listing);
	list_print_events_text(to, listing);
	list_print_sets_text(to, listing);
	print_header(to, listing);
	print_findings(to, listing);
	if (listing->anonymous)
		list_print_kept_text(to, listing->anonymous);
}
