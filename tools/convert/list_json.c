/* list_json.c - a listing as one JSON object, as docs/man/perftab-convert.1 has it. */
#include "base/array.h"
#include "common/json.h"
#include "list_sets.h"

static void print_event(FILE *to, const struct listing *listing, size_t i)
{
	const struct counter_row *counter = LIST_ROW(listing, counter, i);
	size_t group = list_group_of(listing, counter);
	bool grouped = group != LIST_NO_GROUP;

	fputs("{", to);
	json_table_members(to, &tables[RECORD_counter], counter,
			   "name event source type config period unit");
	json_member_number(to, "group", grouped ? (int64_t)group : INT_NONE);
	json_member_number(to, "slot", counter->slot);
	fprintf(to, ", \"leader\": %s}",
		grouped && counter->slot == 0 && counter->type != INT_NONE ? "true"
									   : "false");
}

static const struct {
	const char *name;
	enum record_kind kind;
	const char *columns; /* NULL: print_event() */
} arrays[] = {
	{ "events", RECORD_counter, NULL },
	{ "groups", RECORD_counter_group, "leader counters scope has_times" },
	{ "records", RECORD_record_count, "type name=record count=records" },
	{ "features", RECORD_header_feature,
	  "feature name offset=section_offset bytes status" },
	{ "facts", RECORD_header_fact, "key value" },
	{ "findings", RECORD_finding,
	  "severity kind count first_offset end_offset text" },
};

void list_print_json(FILE *to, const struct listing *listing)
{
	fputs("  {", to);
	json_table_members(
		to, &tables[RECORD_trace], &listing->trace,
		"path format form byte_order status bytes first_ns last_ns clock "
		"wall_offset_ns host os_release arch cpu_count cpu_model recorder "
		"command");
	for (size_t a = 0; a < ARRAY_COUNT(arrays); a++) {
		const struct table *table = &tables[arrays[a].kind];
		const struct list_rows *rows = &listing->of[arrays[a].kind];

		fprintf(to, ",\n   \"%s\": [", arrays[a].name);
		for (size_t i = 0; i < rows->count; i++) {
			fputs(i ? ",\n    " : "\n    ", to);
			if (arrays[a].columns)
				json_table_row(to, table,
					       (const char *)rows->rows +
						       i * table->row_size,
					       arrays[a].columns);
			else
				print_event(to, listing, i);
		}
		fputs("]", to);
	}
	list_print_sets_json(to, listing);
	if (listing->anonymous)
		list_print_kept_json(to, listing->anonymous);
	fputs("}", to);
}
