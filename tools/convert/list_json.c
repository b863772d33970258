/* list_json.c - a listing as one JSON object; docs/man/perftab-convert.1 lists its
 * members. */
#include "common/json.h"
#include "list.h"

static void print_trace(FILE *to, const struct trace_row *trace)
{
	fputs("  {\"path\": ", to);
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
}

static void print_event(FILE *to, const struct listing *listing, size_t i)
{
	const struct counter_row *counter = LIST_ROW(listing, counter, i);
	size_t group = list_group_of(listing, counter);
	bool grouped = group != LIST_NO_GROUP;

	fputs("{\"name\": ", to);
	json_text(to, counter->name);
	json_member_text(to, "event", counter->event);
	json_member_text(to, "source", counter->source);
	json_member_number(to, "type", counter->type);
	json_member_number(to, "config", counter->config);
	json_member_number(to, "period", counter->period);
	json_member_text(to, "unit", counter->unit);
	json_member_number(to, "group", grouped ? (int64_t)group : INT_NONE);
	json_member_number(to, "slot", counter->slot);
	fprintf(to, ", \"leader\": %s}",
		grouped && counter->slot == 0 && counter->type != INT_NONE ? "true"
									   : "false");
}

static void print_group(FILE *to, const struct listing *listing, size_t i)
{
	const struct counter_group_row *group = LIST_ROW(listing, counter_group, i);

	fputs("{\"leader\": ", to);
	json_text(to, group->leader);
	json_member_number(to, "counters", group->counters);
	json_member_text(to, "scope", group->scope);
	json_member_text(to, "has_times", group->has_times);
	fputs("}", to);
}

static void print_record(FILE *to, const struct listing *listing, size_t i)
{
	const struct record_count_row *count = LIST_ROW(listing, record_count, i);

	fputs("{\"type\": ", to);
	json_number(to, count->type);
	json_member_text(to, "name", count->record);
	json_member_number(to, "count", count->records);
	fputs("}", to);
}

static void print_feature(FILE *to, const struct listing *listing, size_t i)
{
	const struct header_feature_row *feature = LIST_ROW(listing, header_feature, i);

	fputs("{\"feature\": ", to);
	json_number(to, feature->feature);
	json_member_text(to, "name", feature->name);
	json_member_number(to, "offset", feature->section_offset);
	json_member_number(to, "bytes", feature->bytes);
	json_member_text(to, "status", feature->status);
	fputs("}", to);
}

static void print_fact(FILE *to, const struct listing *listing, size_t i)
{
	const struct header_fact_row *fact = LIST_ROW(listing, header_fact, i);

	fputs("{\"key\": ", to);
	json_text(to, fact->key);
	json_member_text(to, "value", fact->value);
	fputs("}", to);
}

static void print_finding(FILE *to, const struct listing *listing, size_t i)
{
	const struct finding_row *finding = LIST_ROW(listing, finding, i);

	fputs("{\"severity\": ", to);
	json_text(to, finding->severity);
	json_member_text(to, "kind", finding->kind);
	json_member_number(to, "count", finding->count);
	json_member_number(to, "first_offset", finding->first_offset);
	json_member_number(to, "end_offset", finding->end_offset);
	json_member_text(to, "text", finding->text);
	fputs("}", to);
}

static const struct {
	const char *name;
	enum record_kind kind;
	void (*print)(FILE *to, const struct listing *listing, size_t i);
} arrays[] = {
	{ "events", RECORD_counter, print_event },
	{ "groups", RECORD_counter_group, print_group },
	{ "records", RECORD_record_count, print_record },
	{ "features", RECORD_header_feature, print_feature },
	{ "facts", RECORD_header_fact, print_fact },
	{ "findings", RECORD_finding, print_finding },
};

void list_print_json(FILE *to, const struct listing *listing)
{
	print_trace(to, &listing->trace);
	for (size_t a = 0; a < sizeof(arrays) / sizeof(*arrays); a++) {
		fprintf(to, ",\n   \"%s\": [", arrays[a].name);
		for (size_t i = 0; i < listing->of[arrays[a].kind].count; i++) {
			fputs(i ? ",\n    " : "\n    ", to);
			arrays[a].print(to, listing, i);
		}
		fputs("]", to);
	}
	fputs("}", to);
}
