/* list_sets.c - prints kinds of ETW events, and countersets of PerfLib with counters. */
#include "list_sets.h"

#include "base/array.h"
#include "base/map.h"
#include "base/text.h"
#include "common/json.h"
#include "common/text_table.h"

#define NAME_COLUMNS 60
#define EVENTS_SHOWN 200
#define SETS_SHOWN 1000
#define LIST_BYTES 1000 /* of counters or instances of a set */

static const struct {
	const char *guid, *name;
} providers[] = {
#define PROVIDER(guid, name) { guid, name },
#include "providers.def"
#undef PROVIDER
};

struct str list_provider_name(struct str guid)
{
	if (guid.len == 38)
		for (size_t i = 0; i < ARRAY_COUNT(providers); i++)
			if (memcmp(guid.ptr + 1, providers[i].guid, 36) == 0)
				return str_of(providers[i].name);
	return STR_NONE;
}

/* --- rows of a table that is not among those of tables.def --- */

static const void *own_cell(const struct listing *listing, size_t row, const char *column)
{
	const struct table *table = listing->own_table;

	for (size_t i = 0; i < table->field_count; i++)
		if (str_equal(str_of(table->fields[i].name), str_of(column)))
			return (const char *)listing->own.rows + row * table->row_size +
			       table->fields[i].offset;
	return NULL;
}

int64_t list_own_int(const struct listing *listing, size_t row, const char *column)
{
	const int64_t *cell = own_cell(listing, row, column);

	return cell ? *cell : INT_NONE;
}

struct str list_own_text(const struct listing *listing, size_t row, const char *column)
{
	const struct str *cell = own_cell(listing, row, column);

	return cell ? *cell : STR_NONE;
}

/* --- kinds of events --- */

static void shown_cell(struct text_table *table, size_t column, struct str text)
{
	char shown[4 * NAME_COLUMNS + 8];

	text_shown(shown, sizeof(shown), text, NAME_COLUMNS);
	text_table_text(table, column, str_of(shown));
}

/* A kernel event has a name; others a provider, and numbers of the event and its kind. */
static void event_row(struct text_table *table, const struct listing *listing, size_t row)
{
	struct str name = list_own_text(listing, row, "name");
	struct str provider = list_own_text(listing, row, "provider");
	struct str known = list_provider_name(provider);
	char text[300], shown[200];
	int64_t id = list_own_int(listing, row, "event_id");
	int64_t opcode = list_own_int(listing, row, "opcode");

	text_table_row(table);
	text_shown(shown, sizeof(shown), known.ptr ? known : provider, 48);
	if (name.len)
		shown_cell(table, 0, name);
	else {
		if (id != INT_NONE)
			text_print(text, sizeof(text), "%s/%lld", shown, (long long)id);
		else if (opcode != INT_NONE)
			text_print(text, sizeof(text), "%s/opcode %lld", shown,
				   (long long)opcode);
		else
			text_print(text, sizeof(text), "%s", shown);
		text_table_text(table, 0, str_of(text));
	}
	text_table_int(table, 1, list_own_int(listing, row, "events"));
	text_table_int(table, 2, list_own_int(listing, row, "bytes"));
	shown_cell(table, 3,
		   list_own_text(listing, row, "kept").len
			   ? list_own_text(listing, row, "kept")
			   : STR("-"));
}

void list_print_events_text(FILE *to, const struct listing *listing)
{
	static const char *const titles[] = { "kind of event", "events", "bytes",
					      "kept in" };
	struct text_table table;
	size_t count = listing->own.count;

	if (count == 0)
		return;
	text_table_init(&table, 4, 1);
	text_table_row(&table);
	for (size_t i = 0; i < 4; i++)
		text_table_text(&table, i, str_of(titles[i]));
	if (table.left)
		table.left[0] = table.left[3] = true;
	for (size_t i = 0; i < count && i < EVENTS_SHOWN; i++)
		event_row(&table, listing, i);
	fprintf(to, "\nKinds of events: %zu\n", count);
	text_table_print(&table, to);
	text_table_release(&table);
	if (count > EVENTS_SHOWN)
		fprintf(to, "(%zu more)\n", count - (size_t)EVENTS_SHOWN);
}

/* --- PerfLib --- */

static struct str name_of(struct str english, struct str local)
{
	return english.ptr ? english : local;
}

/* What is shown of a set. */
struct set_names {
	size_t counters, instances, counter_bytes, instance_bytes;
	char counter_names[LIST_BYTES], instance_names[LIST_BYTES];
};

static size_t add_name(char *to, size_t at, struct str name)
{
	char shown[4 * NAME_COLUMNS + 8];

	if (at + sizeof(shown) + 8 > LIST_BYTES) {
		if (at >= 3 && memcmp(to + at - 3, "...", 3) != 0)
			at += text_print(to + at, LIST_BYTES - at, ", ...");
		return at;
	}
	text_shown(shown, sizeof(shown), name, NAME_COLUMNS);
	return at + text_print(to + at, LIST_BYTES - at, "%s%s", at ? ", " : "", shown);
}

static struct set_names *names_of(const struct map *sets, int64_t counterset)
{
	return map_get(sets, (uint64_t)counterset);
}

static void add_counters(const struct listing *listing, const struct map *sets)
{
	for (size_t i = 0; i < LIST_COUNT(listing, perflib_counter); i++) {
		const struct perflib_counter_row *row =
			LIST_ROW(listing, perflib_counter, i);
		struct set_names *names = names_of(sets, row->counterset);
		char number[24];

		if (!names)
			continue;
		names->counters++;
		text_print(number, sizeof(number), "#%lld", (long long)row->counter);
		names->counter_bytes = add_name(
			names->counter_names, names->counter_bytes,
			name_of(name_of(row->english_name, row->name), str_of(number)));
	}
}

static uint64_t instance_hash(const struct perflib_instance_row *row)
{
	uint64_t of_set = map_key(row->counterset, row->number, 0, 0);

	return map_hash_text(of_set ^ map_salt(), row->name);
}

/* Each once, however often it came and went. */
static void add_instances(const struct listing *listing, const struct map *sets)
{
	struct map seen = { NULL, 0, 0 };

	for (size_t i = 0; i < LIST_COUNT(listing, perflib_instance); i++) {
		const struct perflib_instance_row *row =
			LIST_ROW(listing, perflib_instance, i);
		struct set_names *names = names_of(sets, row->counterset);
		uint64_t hash = instance_hash(row);

		if (!names || !row->name.ptr || map_get(&seen, hash) ||
		    !map_put(&seen, hash, names))
			continue;
		names->instances++;
		names->instance_bytes =
			add_name(names->instance_names, names->instance_bytes, row->name);
	}
	map_release(&seen);
}

static void print_names(FILE *to, const char *what, size_t count, const char *names)
{
	char text[LIST_BYTES + 80];

	if (count == 0)
		return;
	text_print(text, sizeof(text), "  %zu %s%s%s%s", count, what,
		   count == 1 ? "" : "s", names[0] ? ": " : "", names);
	list_print_wrapped(to, str_of(text), 4);
}

static void print_sets(FILE *to, const struct listing *listing, const struct map *sets)
{
	for (size_t i = 0; i < LIST_COUNT(listing, perflib_counterset); i++) {
		const struct perflib_counterset_row *row =
			LIST_ROW(listing, perflib_counterset, i);
		const struct set_names *names = names_of(sets, row->counterset);
		char shown[600];

		if (!names)
			continue;
		text_shown(shown, sizeof(shown),
			   name_of(name_of(row->english_name, row->name), row->guid),
			   100);
		fprintf(to, "%s\n", shown[0] ? shown : "(no name)");
		print_names(to, "counter", names->counters, names->counter_names);
		print_names(to, "instance", names->instances, names->instance_names);
	}
}

void list_print_sets_text(FILE *to, const struct listing *listing)
{
	size_t count = LIST_COUNT(listing, perflib_counterset);
	size_t snapshots = LIST_COUNT(listing, perflib_snapshot);
	struct map sets = { NULL, 0, 0 };
	struct arena arena = { NULL };

	if (count == 0)
		return;
	for (size_t i = 0; i < count && i < SETS_SHOWN; i++) {
		struct set_names *names = arena_alloc(&arena, sizeof(*names));

		if (names)
			(void)map_put(&sets,
				      (uint64_t)LIST_ROW(listing, perflib_counterset, i)
					      ->counterset,
				      names);
	}
	add_counters(listing, &sets);
	add_instances(listing, &sets);
	fprintf(to, "\nCountersets: %zu, in %zu snapshot%s\n", count, snapshots,
		snapshots == 1 ? "" : "s");
	print_sets(to, listing, &sets);
	if (count > SETS_SHOWN)
		fprintf(to, "(%zu more)\n", count - (size_t)SETS_SHOWN);
	map_release(&sets);
	arena_release(&arena);
}

/* --- JSON --- */

static void print_kinds(FILE *to, const struct listing *listing)
{
	fputs(",\n   \"event_counts\": [", to);
	for (size_t i = 0; i < listing->own.count; i++) {
		fputs(i ? ",\n    {" : "\n    {", to);
		json_table_members(to, listing->own_table,
				   (const char *)listing->own.rows +
					   i * listing->own_table->row_size,
				   "header provider event_id opcode version name events "
				   "bytes kept");
		json_member_text(
			to, "provider_name",
			list_provider_name(list_own_text(listing, i, "provider")));
		fputs("}", to);
	}
	fputs("]", to);
}

void list_print_sets_json(FILE *to, const struct listing *listing)
{
	static const struct {
		const char *name;
		enum record_kind kind;
		const char *columns;
	} arrays[] = {
		{ "countersets", RECORD_perflib_counterset,
		  "counterset guid name english_name provider title" },
		{ "counters", RECORD_perflib_counter,
		  "counterset counter name english_name type title" },
		{ "instances", RECORD_perflib_instance,
		  "counterset number name parent_name first_snapshot" },
	};

	if (listing->own.count)
		print_kinds(to, listing);
	for (size_t a = 0; a < ARRAY_COUNT(arrays); a++) {
		const struct table *table = &tables[arrays[a].kind];
		const struct list_rows *rows = &listing->of[arrays[a].kind];

		if (LIST_COUNT(listing, perflib_counterset) == 0)
			continue;
		fprintf(to, ",\n   \"%s\": [", arrays[a].name);
		for (size_t i = 0; i < rows->count; i++) {
			fputs(i ? ",\n    " : "\n    ", to);
			json_table_row(to, table,
				       (const char *)rows->rows + i * table->row_size,
				       arrays[a].columns);
		}
		fputs("]", to);
	}
}
