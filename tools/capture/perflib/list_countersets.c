/* list_countersets.c - perftab-capture list countersets, as text and as JSON. */
#include <inttypes.h>

#include "base/array.h"
#include "base/pattern.h"
#include "base/text.h"
#include "capture/perflib/command.h"
#include "capture/perflib/counterset.h"
#include "common/json.h"

#define SCHEMA_VERSION 1
#define NAME_COLUMNS 40
#define TYPE_COLUMNS 24

static const char *type_name(uint32_t type)
{
	static const struct {
		const char *name;
		uint32_t value;
	} types[] = {
#define TYPE(name, value, ...) { #name, value },
#include "counters/perf_counter_types.def"
#undef TYPE
	};

	for (size_t i = 0; i < ARRAY_COUNT(types); i++)
		if (types[i].value == type)
			return types[i].name + sizeof("PERF_") - 1;
	return NULL;
}

/* Names come from providers and are not trusted. */
static int write_shown(FILE *to, struct str text, size_t columns)
{
	char shown[1600];

	if (columns > sizeof(shown) / 4 - 2)
		columns = sizeof(shown) / 4 - 2;
	text_shown(shown, sizeof(shown), text, columns);
	return fprintf(to, "%s", shown);
}

/* A text, padded to the next column. */
static void write_cell(FILE *to, struct str text, int columns)
{
	int used = write_shown(to, text, (size_t)columns - 1);

	fprintf(to, "%*s", used < columns ? columns - used : 1, "");
}

static bool is_shown(const struct counterset *set, const char *filter)
{
	struct str pattern = str_of(filter);

	return !filter || (set->name.ptr && pattern_match(pattern, set->name)) ||
	       (set->english.ptr && pattern_match(pattern, set->english));
}

static struct str counter_name(const struct counterset_counter *counter)
{
	return counter->name.ptr ? counter->name : counter->english;
}

/* --- text --- */

static void print_set(FILE *to, const struct counterset *set)
{
	char guid[TEXT_GUID_BYTES], words[SOURCE_CODE_WORDS];

	write_cell(to, str_of(counterset_name(set, guid)), NAME_COLUMNS);
	text_guid(guid, set->guid);
	if (set->code != CODE_DONE)
		fprintf(to, "%s  %s\n", guid, source_code_words(words, set->code));
	else
		fprintf(to, "%s  %3zu counters%s\n", guid, set->counter_count,
			set->instance_type & SOURCE_HAS_INSTANCES ? ", instances" : "");
}

static void print_counters(FILE *to, const struct counterset *set)
{
	if (set->help.len) {
		fputs("  ", to);
		write_shown(to, set->help, 300);
		fputc('\n', to);
	}
	for (size_t i = 0; i < set->counter_count; i++) {
		const struct counterset_counter *counter = &set->counters[i];
		const char *type = type_name(counter->type);
		char number[16];

		text_print(number, sizeof(number), "0x%08x", counter->type);
		fprintf(to, "  #%-4u ", counter->id);
		write_cell(to, counter_name(counter), NAME_COLUMNS - 8);
		write_cell(to, str_of(type ? type : number), TYPE_COLUMNS);
		if (counter->attributes & SOURCE_NOT_SHOWN)
			fputs("partner of other counters", to);
		else if (counter->help.len)
			write_shown(to, counter->help, 200);
		fputc('\n', to);
	}
}

/* --- JSON --- */

static void write_partner(FILE *to, const char *name, uint32_t id)
{
	if (id != SOURCE_ANY)
		json_member_number(to, name, id);
}

static void json_counters(FILE *to, const struct counterset *set)
{
	static const char *const partners[] = { "base", "time", "frequency", "multi" };

	for (size_t i = 0; i < set->counter_count; i++) {
		const struct counterset_counter *counter = &set->counters[i];

		fprintf(to, "%s\n    {\"id\": %u", i ? "," : "", counter->id);
		json_member_text(to, "name", counter->name);
		json_member_text(to, "english_name", counter->english);
		json_member_number(to, "type", counter->type);
		json_member_text(to, "type_name", str_of(type_name(counter->type)));
		json_member_text(to, "help", counter->help);
		for (int which = 0; which < 4; which++)
			write_partner(to, partners[which], counter->partners[which]);
		fprintf(to, ", \"is_partner\": %s}",
			counter->attributes & SOURCE_NOT_SHOWN ? "true" : "false");
	}
}

static void json_set(FILE *to, const struct counterset *set, bool is_first)
{
	char guid[TEXT_GUID_BYTES];

	text_guid(guid, set->guid);
	fprintf(to, "%s\n  {\"guid\": \"%s\"", is_first ? "" : ",", guid);
	json_member_text(to, "name", set->name);
	json_member_text(to, "english_name", set->english);
	json_member_text(to, "provider", set->provider);
	json_member_text(to, "help", set->help);
	json_member_number(to, "code", set->code);
	json_member_number(to, "instance_type", set->instance_type);
	fputs(", \"counters\": [", to);
	json_counters(to, set);
	fputs("]}", to);
}

/* --- both --- */

static enum status no_match(const struct countersets *all, const char *filter,
			    struct error *error)
{
	char suggestions[SUGGEST_TEXT], shown[200], words[SOURCE_CODE_WORDS];

	if (all->code != CODE_DONE)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "cannot list the countersets: %s",
				 source_code_words(words, all->code));
	if (!filter)
		return ST_OK;
	countersets_suggest(all, str_of(filter), suggestions);
	text_shown(shown, sizeof(shown), str_of(filter), 48);
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "no counterset matches '%s'%s", shown, suggestions);
}

static size_t print_all(FILE *to, struct countersets *all, const char *filter, bool json)
{
	size_t shown = 0;

	for (size_t i = 0; i < all->count; i++) {
		struct counterset *set = &all->sets[i];

		if (!is_shown(set, filter))
			continue;
		counterset_load(all, set);
		if (json)
			json_set(to, set, shown == 0);
		else
			print_set(to, set);
		if (!json && filter)
			print_counters(to, set);
		shown++;
	}
	return shown;
}

enum status perflib_list(FILE *to, struct source *source, const char *filter, bool json,
			 struct error *error)
{
	struct query_retry retry = { .source = source };
	struct countersets all;
	enum status status = countersets_open(&all, &retry, error);
	size_t shown = 0;

	if (json)
		fprintf(to, "{\"schema_version\": %d,\n \"countersets\": [",
			SCHEMA_VERSION);
	if (status == ST_OK)
		shown = print_all(to, &all, filter, json);
	if (json)
		fputs("\n ]}\n", to);
	if (status == ST_OK && shown == 0)
		status = no_match(&all, filter, error);
	if (status == ST_OK && all.out_of_memory)
		status = error_nomem(error);
	countersets_release(&all);
	query_retry_release(&retry);
	return status;
}
