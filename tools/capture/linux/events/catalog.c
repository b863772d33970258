/* catalog.c - lists every event of this machine by its name. */
#include "capture/linux/events/catalog.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/array.h"
#include "capture/linux/events/private.h"

static void report_missing(struct catalog *catalog, const char *format, ...)
	PRINTF_LIKE(2, 3);

static void report_missing(struct catalog *catalog, const char *format, ...)
{
	va_list args;

	if (catalog->missing_count == CATALOG_MISSING_MAX)
		return;
	va_start(args, format);
	vsnprintf(catalog->missing[catalog->missing_count++], sizeof(catalog->missing[0]),
		  format, args);
	va_end(args);
}

static bool matches(const struct catalog *catalog, const char *name)
{
	const char *filter = catalog->filter;

	if (!filter)
		return true;
	if (!name)
		return false;
	return strpbrk(filter, "*?[") ? fnmatch(filter, name, FNM_CASEFOLD) == 0
				      : strcasestr(name, filter) != NULL;
}

static void emit_row(struct catalog *catalog, const struct catalog_row *row)
{
	catalog->counted[row->section]++;
	catalog->rows++;
	catalog->row(catalog, row);
}

/* Whether the kernel opens one of the events. */
static bool opens(struct catalog *catalog, const struct event_list *list)
{
	const struct event_sources *sources = catalog->sources;
	bool is_any = false;

	if (!sources->counts)
		return true;
	for (size_t i = 0; i < list->count && !is_any; i++)
		is_any = sources->counts(sources->context, &list->events[i]);
	return is_any;
}

static enum status parse(struct catalog *catalog, struct event_list *list,
			 const char *name)
{
	struct event_scope scope = {
		.list = list,
		.sources = catalog->sources,
		.pmus = *catalog->pmus,
		.pmus_read = true,
	};

	return event_parse(&scope, name);
}

static void emit_counted(struct catalog *catalog, struct event_list *list,
			 const struct catalog_row *row)
{
	if (parse(catalog, list, row->name) == ST_OK && opens(catalog, list))
		emit_row(catalog, row);
	else
		catalog->refused_names++;
}

static void walk_names(struct catalog *catalog)
{
	for (size_t i = 0; i < event_name_count; i++) {
		const struct event_name *name = &event_names[i];
		struct event_list list = { .count = 0 };
		const struct catalog_row row = {
			.section = name->type == PERF_TYPE_HARDWARE ? CATALOG_HARDWARE
								    : CATALOG_SOFTWARE,
			.name = name->name,
			.alias = name->alias,
			.scale = 1,
		};

		if (matches(catalog, name->name) || matches(catalog, name->alias))
			emit_counted(catalog, &list, &row);
		event_list_release(&list);
	}
}

static void walk_caches(struct catalog *catalog)
{
	char name[EVENT_CACHE_NAME_MAX];
	uint64_t config;

	for (size_t i = 0; event_cache_name(i, name, sizeof(name), &config); i++) {
		struct event_list list = { .count = 0 };
		const struct catalog_row row = { .section = CATALOG_CACHE,
						 .name = name,
						 .scale = 1 };

		if (matches(catalog, name))
			emit_counted(catalog, &list, &row);
		event_list_release(&list);
	}
}

/* "cpu/TERM=VALUE,.../" with the fields of its format. */
static void write_terms(struct catalog *catalog, const struct pmu *pmu)
{
	const char *sysfs = catalog->sources->sysfs;
	char name[NAME_MAX + 32], what[1024] = "";
	struct catalog_row row = { .section = CATALOG_FORM,
				   .name = name,
				   .pmu = pmu->name,
				   .what = what,
				   .scale = 1 };
	struct sysfs_names names;
	size_t at = 0;

	snprintf(name, sizeof(name), "%s/TERM=VALUE,.../", pmu->name);
	if (!matches(catalog, name) ||
	    sysfs_list(&names, NULL, 0, "%s/%s/format", sysfs, pmu->name) != ST_OK)
		return;
	for (size_t i = 0; i < names.count && at < sizeof(what); i++) {
		struct pmu_format format;
		struct sysfs_text text;

		if (sysfs_read(&text, NULL, 0, "%s/%s/format/%s", sysfs, pmu->name,
			       names.names[i]) != ST_OK ||
		    !pmu_format_parse(&format, text.text))
			continue;
		at += (size_t)snprintf(what + at, sizeof(what) - at, "%s%s (%u bit%s)",
				       at ? ", " : "", names.names[i],
				       pmu_format_width(&format),
				       pmu_format_width(&format) == 1 ? "" : "s");
	}
	if (at)
		emit_row(catalog, &row);
	sysfs_names_release(&names);
}

static void emit_pmu_event(struct catalog *catalog, const struct pmu *pmu,
			   const char *event)
{
	struct event_list list = { .count = 0 };
	char name[2 * NAME_MAX + 4];
	struct catalog_row row = {
		.section = CATALOG_PMU, .name = name, .pmu = pmu->name, .scale = 1
	};
	struct sysfs_text text;

	snprintf(name, sizeof(name), "%s/%s/", pmu->name, event);
	if (!matches(catalog, name) ||
	    sysfs_read(&text, NULL, 0, "%s/%s/events/%s", catalog->sources->sysfs,
		       pmu->name, event) != ST_OK)
		return;
	row.what = text.text;
	if (strstr(text.text, "=?")) { /* nothing to ask before the user has said it */
		emit_row(catalog, &row);
	} else if (parse(catalog, &list, name) != ST_OK) {
		catalog->broken++;
	} else if (!opens(catalog, &list)) {
		catalog->refused++;
	} else {
		row.unit = list.events[0].unit;
		row.scale = list.events[0].scale;
		emit_row(catalog, &row);
	}
	event_list_release(&list);
}

static enum status walk_pmus(struct catalog *catalog)
{
	const struct pmu_list *pmus = catalog->pmus;

	for (size_t k = 0; k < pmus->count; k++) {
		struct sysfs_names names;
		enum status status = sysfs_list(&names, catalog->error, ERROR_NO_OFFSET,
						"%s/%s/events", catalog->sources->sysfs,
						pmus->pmus[k].name);

		if (status < ST_OK)
			return status;
		for (size_t i = 0; status == ST_OK && i < names.count; i++)
			if (pmu_is_event(names.names[i]))
				emit_pmu_event(catalog, &pmus->pmus[k], names.names[i]);
		sysfs_names_release(&names);
	}
	return ST_OK;
}

static bool is_tracepoint(const char *tracefs, const char *system, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs, system, name) <
		       (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

static enum status walk_system(struct catalog *catalog, const char *system)
{
	const char *tracefs = catalog->sources->tracefs;
	struct sysfs_names names;
	enum status status = sysfs_list(&names, catalog->error, ERROR_NO_OFFSET,
					"%s/events/%s", tracefs, system);
	size_t count = 0;

	if (status != ST_OK)
		return status < ST_OK ? status : ST_OK;
	for (size_t i = 0; i < names.count; i++) {
		char name[2 * NAME_MAX + 2];
		const struct catalog_row row = { .section = CATALOG_TRACEPOINT,
						 .name = name,
						 .scale = 1 };

		snprintf(name, sizeof(name), "%s:%s", system, names.names[i]);
		if (!matches(catalog, name) ||
		    !is_tracepoint(tracefs, system, names.names[i]))
			continue;
		count++;
		if (catalog->filter)
			emit_row(catalog, &row);
	}
	sysfs_names_release(&names);
	if (count && !catalog->filter) {
		catalog->counted[CATALOG_TRACEPOINT] += count;
		catalog->system(catalog, system, count);
	}
	return ST_OK;
}

static enum status walk_tracepoints(struct catalog *catalog)
{
	const char *tracefs = catalog->sources->tracefs;
	struct sysfs_names names = { .count = 0 };
	enum status status = ST_END;

	if (tracefs)
		status = sysfs_list(&names, NULL, 0, "%s/events", tracefs);
	if (status == ST_IO)
		report_missing(catalog, "no tracepoints: '%s/events' cannot be read: %s",
			       tracefs, strerror(errno));
	else if (status != ST_OK)
		report_missing(
			catalog,
			"no tracepoints: there is no tracefs that this user can read");
	status = ST_OK;
	for (size_t i = 0; status == ST_OK && i < names.count; i++)
		status = walk_system(catalog, names.names[i]);
	sysfs_names_release(&names);
	return status;
}

static void each_model(void *context, const char *name, const char *what)
{
	struct catalog *catalog = context;
	const struct catalog_row row = {
		.section = CATALOG_MODEL, .name = name, .what = what, .scale = 1
	};

	if (catalog->filter && matches(catalog, name))
		emit_row(catalog, &row);
}

/* A machine that counts no instructions has no use for the names of its model. */
static bool has_core_pmu(struct catalog *catalog)
{
	struct event_list list = { .count = 0 };
	bool has =
		parse(catalog, &list, "instructions") == ST_OK && opens(catalog, &list);

	event_list_release(&list);
	return has;
}

static void walk_models(struct catalog *catalog)
{
	const char *missing;
	size_t count;

	if (!catalog->sources->model_names || !has_core_pmu(catalog))
		return;
	missing = event_pfm_missing();
	count = event_model_names(each_model, catalog);
	if (!catalog->filter)
		catalog->counted[CATALOG_MODEL] = count;
	if (missing)
		report_missing(catalog, "no names of processor models: %s", missing);
	else if (count == 0)
		report_missing(catalog,
			       "no names of processor models: libpfm does not know "
			       "this processor");
}

static void walk_forms(struct catalog *catalog)
{
	static const struct catalog_row rows[] = {
		{ CATALOG_FORM, "rHEX", NULL, NULL, "raw event of the processor", NULL,
		  1 },
		{ CATALOG_FORM, "TYPE:CONFIG", NULL, NULL,
		  "numbers, as perf_event_open(2) has them", NULL, 1 },
		{ CATALOG_FORM, "mem:ADDRESS[/LENGTH][:rwx]", NULL, NULL,
		  "breakpoint on data or code", NULL, 1 },
	};

	for (size_t i = 0; i < catalog->pmus->count; i++)
		write_terms(catalog, &catalog->pmus->pmus[i]);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (matches(catalog, rows[i].name))
			emit_row(catalog, &rows[i]);
}

static void report_unopened(struct catalog *catalog)
{
	size_t count = catalog->refused + catalog->refused_names;

	if (catalog->filter && count)
		report_missing(catalog,
			       "events that match '%s', but that the kernel does not "
			       "open here: %zu",
			       event_shown(str_of(catalog->filter)).text, count);
	else if (!catalog->filter && catalog->refused)
		report_missing(catalog,
			       "events of PMUs that the kernel does not open here: %zu",
			       catalog->refused);
	if (catalog->broken)
		report_missing(
			catalog,
			"events of PMUs whose files in sysfs are not understood: %zu",
			catalog->broken);
	catalog->is_empty = catalog->rows + count + catalog->broken == 0;
}

/* Of whole sections only where all of them were asked for. */
static void report_all_missing(struct catalog *catalog)
{
	if (!catalog->filter && catalog->counted[CATALOG_HARDWARE] == 0)
		report_missing(catalog,
			       "no hardware counters: this machine has no PMU, or "
			       "hides it from its guest");
	else if (!catalog->filter && catalog->counted[CATALOG_CACHE] == 0)
		report_missing(catalog,
			       "no cache events: the PMU has none by these names");
	if (!catalog->filter && catalog->counted[CATALOG_SOFTWARE] == 0)
		report_missing(catalog,
			       "no software events: the kernel may refuse them to "
			       "this user (/proc/sys/kernel/perf_event_paranoid)");
	report_unopened(catalog);
}

enum status catalog_walk(struct catalog *catalog)
{
	struct pmu_list pmus;
	enum status status = pmu_list_read(&pmus, catalog->sources->sysfs, catalog->error,
					   ERROR_NO_OFFSET);

	if (status != ST_OK)
		return status;
	catalog->pmus = &pmus;
	walk_names(catalog);
	walk_caches(catalog);
	status = walk_pmus(catalog);
	if (status == ST_OK) {
		walk_forms(catalog);
		status = walk_tracepoints(catalog);
	}
	if (status == ST_OK)
		walk_models(catalog);
	pmu_list_release(&pmus);
	catalog->pmus = NULL;
	if (status == ST_OK)
		report_all_missing(catalog);
	return status;
}
