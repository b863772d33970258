/*
 * default.c - what is counted by default.
 */
#include "base/array.h"
#include "capture/linux/events/private.h"

static const char *const hardware[] = {
	"cycles",	 "instructions",     "branches",
	"branch-misses", "cache-references", "cache-misses",
};
/* Where there is no hardware PMU; the time-stamp counter is often left to guests. */
static const char *const software[] = { "task-clock", "page-faults" };
static const char tsc[] = "msr/tsc/";

/* Moves what the kernel does not count to the end, and cuts it off. */
static void drop_uncounted(struct event_list *list, size_t first,
			   const struct event_sources *sources)
{
	size_t kept = first;

	if (!sources->counts)
		return;
	for (size_t i = first; i < list->count; i++) {
		struct capture_event event = list->events[i];

		if (!sources->counts(sources->context, &event))
			continue;
		list->events[i] = list->events[kept];
		list->events[kept++] = event;
	}
	event_list_cut(list, kept);
}

/* A sysfs without cores, and no kernel to ask: there is no hardware to count. */
static enum status add_hardware(struct event_list *list,
				const struct event_sources *sources, struct error *error)
{
	struct pmu_list pmus;
	enum status status = pmu_list_read(&pmus, sources->sysfs, error, ERROR_NO_OFFSET);
	bool has_cores = status == ST_OK && pmus.cores > 0;

	pmu_list_release(&pmus);
	if (status != ST_OK || (!has_cores && !sources->counts))
		return status;
	for (size_t i = 0; i < ARRAY_COUNT(hardware); i++) {
		status = event_list_parse(list, sources, hardware[i], error);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

enum status event_list_default(struct event_list *list,
			       const struct event_sources *sources, struct error *error)
{
	size_t first = list->count, before;
	enum status status = add_hardware(list, sources, error);

	if (status == ST_OK) {
		drop_uncounted(list, first, sources);
		if (list->count > first)
			return ST_OK;
	}
	/* Always there; if they are refused, opening them says why. */
	for (size_t i = 0; status == ST_OK && i < ARRAY_COUNT(software); i++)
		status = event_list_parse(list, sources, software[i], error);
	if (status != ST_OK) {
		event_list_cut(list, first);
		return status;
	}
	before = list->count;
	if (event_list_parse(list, sources, tsc, NULL) == ST_OK)
		drop_uncounted(list, before, sources);
	return ST_OK;
}
