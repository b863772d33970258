/*
 * catalog.h - all events that this machine can count, one after the other.
 */
#ifndef PERFTAB_EVENTS_CATALOG_H
#define PERFTAB_EVENTS_CATALOG_H

#include "capture/linux/events/event.h"

enum catalog_section {
	CATALOG_HARDWARE,
	CATALOG_SOFTWARE,
	CATALOG_CACHE,
	CATALOG_PMU,
	CATALOG_TRACEPOINT,
	CATALOG_MODEL,
	CATALOG_FORM, /* what is built, not chosen: rHEX, mem:ADDRESS */
	CATALOG_SECTIONS
};

/* Texts live until the call returns; NULL: none. */
struct catalog_row {
	enum catalog_section section;
	const char *name;
	const char *alias;
	const char *pmu;
	const char *what; /* its terms, or a description */
	const char *unit;
	double scale;
};

#define CATALOG_MISSING_MAX 8

struct catalog {
	const struct event_sources *sources;
	const char *filter; /* or NULL */
	struct error *error;
	void (*row)(struct catalog *catalog, const struct catalog_row *row);
	/* Without a filter in the place of rows. */
	void (*system)(struct catalog *catalog, const char *name, size_t count);
	/* Filled in by the walk. */
	const struct pmu_list *pmus; /* while it lasts */
	size_t rows;
	size_t counted[CATALOG_SECTIONS]; /* rows, or what would have been */
	size_t refused;	      /* events of PMUs that the kernel does not open */
	size_t refused_names; /* of hardware, software and cache events */
	size_t broken;	      /* events of PMUs whose files are not understood */
	char missing[CATALOG_MISSING_MAX][256]; /* sentences on what is not there */
	size_t missing_count;
	bool is_empty; /* the filter matches no event, not even a refused one */
};

enum status catalog_walk(struct catalog *catalog) MUST_CHECK;

#endif
