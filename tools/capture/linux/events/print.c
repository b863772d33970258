/*
 * print.c - perftab-capture list events: as text, and as JSON.
 */
#include "base/text.h"
#include "capture/linux/events/catalog.h"
#include "capture/linux/events/private.h"
#include "common/json.h"

#define NAME_COLUMNS 44
#define TERMS_COLUMNS 400 /* all of them matter */
#define PROSE_COLUMNS 100
#define SCHEMA_VERSION 1

struct printer {
	struct catalog catalog; /* first: the walk hands out its address */
	FILE *to;
	const char *heading; /* printed last, or NULL */
	size_t items;	     /* of the array at work */
	bool in_systems;
};

static const struct {
	const char *heading, *key;
} sections[CATALOG_SECTIONS] = {
	[CATALOG_HARDWARE] = { "Hardware", "hardware" },
	[CATALOG_SOFTWARE] = { "Software", "software" },
	[CATALOG_CACHE] = { "Cache", "cache" },
	[CATALOG_PMU] = { "PMUs", "pmu" },
	[CATALOG_TRACEPOINT] = { "Tracepoints", "tracepoint" },
	[CATALOG_MODEL] = { "Processor model", "model" },
	[CATALOG_FORM] = { "To be written out", "form" },
};

static void print_heading(struct printer *printer, const char *heading)
{
	if (printer->heading == heading)
		return;
	fprintf(printer->to, "%s%s\n", printer->heading ? "\n" : "", heading);
	printer->heading = heading;
}

/* Names and descriptions come from files that are not ours. */
static int print_shown(FILE *to, const char *text, size_t columns)
{
	char shown[1024];
	size_t used = text_shown(shown, sizeof(shown), str_of(text), columns);

	fputs(shown, to);
	return (int)used;
}

static void text_row(struct catalog *catalog, const struct catalog_row *row)
{
	struct printer *printer = (struct printer *)catalog;
	bool has_more = row->what || row->unit;
	int used;

	print_heading(printer, sections[row->section].heading);
	fputs("  ", printer->to);
	used = print_shown(printer->to, row->name, 200);
	if (row->alias)
		used += fprintf(printer->to, " or %s", row->alias);
	if (has_more)
		fprintf(printer->to, "%*s", used < NAME_COLUMNS ? NAME_COLUMNS - used : 1,
			"");
	if (row->what)
		print_shown(printer->to, row->what,
			    row->section == CATALOG_MODEL ? PROSE_COLUMNS
							  : TERMS_COLUMNS);
	if (row->unit) {
		fputs(row->what ? ", in " : "in ", printer->to);
		print_shown(printer->to, row->unit, 40);
	}
	fputc('\n', printer->to);
}

static void text_system(struct catalog *catalog, const char *name, size_t count)
{
	struct printer *printer = (struct printer *)catalog;
	int used;

	print_heading(printer, sections[CATALOG_TRACEPOINT].heading);
	fputs("  ", printer->to);
	used = print_shown(printer->to, name, 200);
	fprintf(printer->to, ":*%*s%zu\n",
		used + 2 < NAME_COLUMNS ? NAME_COLUMNS - used - 2 : 1, "", count);
}

static enum status print_text(struct printer *printer)
{
	struct catalog *catalog = &printer->catalog;
	enum status status;

	catalog->row = text_row;
	catalog->system = text_system;
	status = catalog_walk(catalog);
	if (status != ST_OK)
		return status;
	if (!catalog->filter && catalog->counted[CATALOG_MODEL]) {
		print_heading(printer, sections[CATALOG_MODEL].heading);
		fprintf(printer->to,
			"  %zu names known to libpfm; a filter lists those that match\n",
			catalog->counted[CATALOG_MODEL]);
	}
	if (catalog->missing_count && printer->heading)
		fputc('\n', printer->to);
	for (size_t i = 0; i < catalog->missing_count; i++)
		fprintf(printer->to, "%s\n", catalog->missing[i]);
	return ST_OK;
}

static void print_comma(struct printer *printer)
{
	fputs(printer->items++ ? ",\n  " : "\n  ", printer->to);
}

/* The name is a member like the others, but the first one. */
static void print_first(struct printer *printer, const char *name, const char *text)
{
	print_comma(printer);
	fprintf(printer->to, "{\"%s\": ", name);
	json_text(printer->to, str_of(text));
}

static void json_row(struct catalog *catalog, const struct catalog_row *row)
{
	struct printer *printer = (struct printer *)catalog;

	print_first(printer, "section", sections[row->section].key);
	json_member_text(printer->to, "name", str_of(row->name));
	json_member_text(printer->to, "alias", str_of(row->alias));
	json_member_text(printer->to, "pmu", str_of(row->pmu));
	json_member_text(printer->to, "what", str_of(row->what));
	json_member_text(printer->to, "unit", str_of(row->unit));
	fprintf(printer->to, ", \"scale\": %.17g}", row->scale);
}

static void begin_systems(struct printer *printer)
{
	if (printer->in_systems)
		return;
	fputs("\n ],\n \"tracepoint_systems\": [", printer->to);
	printer->in_systems = true;
	printer->items = 0;
}

/* All rows come before: there are none of models without a filter. */
static void json_system(struct catalog *catalog, const char *name, size_t count)
{
	struct printer *printer = (struct printer *)catalog;

	begin_systems(printer);
	print_first(printer, "name", name);
	json_member_number(printer->to, "tracepoints", (int64_t)count);
	fputc('}', printer->to);
}

static enum status print_json(struct printer *printer)
{
	struct catalog *catalog = &printer->catalog;
	enum status status;

	catalog->row = json_row;
	catalog->system = json_system;
	fprintf(printer->to, "{\"schema_version\": %d,\n \"events\": [", SCHEMA_VERSION);
	status = catalog_walk(catalog);
	if (status != ST_OK)
		return status;
	begin_systems(printer);
	fprintf(printer->to, "\n ],\n \"model_names\": %zu,\n \"missing\": [",
		catalog->counted[CATALOG_MODEL]);
	printer->items = 0;
	for (size_t i = 0; i < catalog->missing_count; i++) {
		print_comma(printer);
		json_text(printer->to, str_of(catalog->missing[i]));
	}
	fputs("\n ]}\n", printer->to);
	return ST_OK;
}

enum status event_list_print(FILE *to, const struct event_sources *sources,
			     const char *filter, bool json, struct error *error)
{
	struct printer printer = {
		.catalog = { .sources = sources, .filter = filter, .error = error },
		.to = to,
	};
	enum status status = json ? print_json(&printer) : print_text(&printer);

	if (status == ST_OK && filter && printer.catalog.is_empty)
		status = error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "no event matches '%s'",
				   event_shown(str_of(filter)).text);
	return status;
}
