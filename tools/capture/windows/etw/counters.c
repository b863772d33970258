/* counters.c - resolves names of counters and applies limits; see counters.h. */
#include "capture/windows/etw/counters.h"

#include "base/array.h"
#include "base/text.h"
#include "capture/windows/api/numbers.h"
#include "common/suggest.h"

/* The most useful first: the last are left out when the hardware has no room. */
static const char *const defaults[] = { "TotalCycles", "InstructionRetired",
					"BranchMispredictions", "BranchInstructions" };

enum status etw_counters_unknown(const struct profile_sources *sources, struct str name,
				 struct error *error)
{
	struct suggest nearest;
	char suggestions[SUGGEST_TEXT], shown[160];

	suggest_begin(&nearest, name);
	for (size_t i = 0; i < sources->count; i++)
		suggest_offer(&nearest, sources->sources[i].name);
	suggest_text(&nearest, suggestions, sizeof(suggestions));
	text_shown(shown, sizeof(shown), name, 40);
	return error_set(
		error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
		"this machine has no profile source '%s'%.120s%s", shown, suggestions,
		suggestions[0] ? "" : " (see perftab-capture list profile-sources)");
}

static bool is_chosen(const struct etw_counters *counters,
		      const struct profile_source *source)
{
	for (size_t i = 0; i < counters->count; i++)
		if (counters->sources[i] == source)
			return true;
	return false;
}

static enum status choose(struct etw_counters *counters,
			  const struct profile_sources *sources, struct str name,
			  struct error *error)
{
	const struct profile_source *source = profile_sources_find(sources, name);

	if (!source)
		return etw_counters_unknown(sources, name, error);
	if (is_chosen(counters, source))
		return ST_OK;
	if (counters->count == ETW_COUNTERS_MAX)
		return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
				 "too many counters: expected at most %d",
				 ETW_COUNTERS_MAX);
	counters->sources[counters->count++] = source;
	return ST_OK;
}

static enum status choose_list(struct etw_counters *counters,
			       const struct profile_sources *sources, const char *list,
			       struct error *error)
{
	for (const char *at = list;; at++) {
		struct str name = { at, strcspn(at, ",") };
		enum status status = choose(counters, sources, name, error);

		if (status != ST_OK)
			return status;
		at += name.len;
		if (!*at)
			return ST_OK;
	}
}

enum status etw_counters_choose(struct etw_counters *counters,
				const struct profile_sources *sources,
				const char *const *lists, size_t list_count,
				const struct win_machine *machine, struct error *error)
{
	enum status status = ST_OK;

	memset(counters, 0, sizeof(*counters));
	if (profile_sources_clock_only(sources))
		return etw_report_no_counters(machine, error);
	counters->chosen = list_count > 0;
	for (size_t i = 0; status == ST_OK && i < list_count; i++)
		status = choose_list(counters, sources, lists[i], error);
	if (counters->chosen)
		return status;
	for (size_t i = 0; i < ARRAY_COUNT(defaults); i++) {
		const struct profile_source *source =
			profile_sources_find(sources, str_of(defaults[i]));

		if (source)
			counters->sources[counters->count++] = source;
	}
	return counters->count
		       ? ST_OK
		       : error_set(
				 error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "this machine has none of the default counters; choose "
				 "some with -e (see perftab-capture list profile-sources)");
}

/* Windows reports it since 1903; documents give it for older builds.  0: unknown. */
static uint32_t limit_of(const struct etw_api *api, const struct win_machine *machine)
{
	uint32_t limit = 0, returned = 0;

	if (api->query(0, WIN_TRACE_MAX_PMC_COUNTERS, &limit, sizeof(limit), &returned) ==
		    WIN_OK &&
	    returned == sizeof(limit) && limit)
		return limit;
	if (machine->build && machine->build < 15063)
		return 4; /* up to 1607 */
	if (machine->build && machine->build <= 17763)
		return 8; /* 1703 to 1809 */
	return 0;
}

enum status etw_counters_limit(struct etw_counters *counters, const struct etw_api *api,
			       const struct win_machine *machine, struct error *error)
{
	uint32_t limit = limit_of(api, machine);

	if (!limit || counters->count <= limit)
		return ST_OK;
	if (counters->chosen)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "too many counters: %zu requested, but this Windows "
				 "(build %u) reads at most %u at once; choose fewer with "
				 "-e",
				 counters->count, machine->build, limit);
	counters->count = limit;
	return ST_OK;
}

void etw_counters_names(const struct etw_counters *counters, char *to, size_t size)
{
	size_t at = 0;

	to[0] = '\0';
	for (size_t i = 0; i < counters->count; i++) {
		char shown[4 * PROFILE_SOURCE_NAME];

		text_shown(shown, sizeof(shown), str_of(counters->sources[i]->name), 60);
		at += text_print(to + at, size - at, "%s%s", i ? "," : "", shown);
	}
}
