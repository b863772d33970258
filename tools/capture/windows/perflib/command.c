/* command.c - perftab-capture perflib and list countersets on Windows; see command.h. */
#include "capture/windows/perflib/command.h"

#include "base/array.h"
#include "capture/perflib/command.h"
#include "capture/windows/perflib/source.h"

/*
 * A small set of general interest: Windows has hundreds of countersets.  The names are
 * English, which every Windows knows besides its own language.
 */
static const char *const defaults[] = {
	PERFLIB_PROCESSORS,
	"Process V2",
	"NUMA Node Memory",
	"FileSystem Disk Activity",
	"Physical Network Interface Card Activity",
};

static const char *const examples[] = {
	"the default countersets, once a second, until Ctrl-C",
	"perftab-capture perflib",
	"two countersets, every five seconds for an hour",
	"perftab-capture perflib -c \"Processor Information\" -c \"Process V2\" -i 5 -n 721",
	"one counter of all processors together",
	"perftab-capture perflib -c \"Processor Information(_Total)\\% Processor Time\"",
	"all countersets, once",
	"perftab-capture perflib -c * -n 1 -o everything.plb",
	NULL
};

static enum status open_source(const void *context, struct source *source,
			       const struct option_texts *trees, struct error *error)
{
	const struct windows_api *api = context;
	const struct perflib_source_options options = { .api = &api->perflib,
							.system = &api->system };

	(void)trees;
	return perflib_source_open(source, &options, error);
}

int perflib_command(const struct windows_api *api, int argc, char **argv, char **words)
{
	const struct perflib_system system = {
		.open = open_source,
		.context = api,
		.defaults = defaults,
		.default_count = ARRAY_COUNT(defaults),
		.counterset_help =
			"what to capture: NAME or {GUID}, then [(INSTANCES)][\\COUNTERS];\nrepeatable; '*' is all of them (default: those available of\nProcessor Information, Process V2, NUMA Node Memory,\nFileSystem Disk Activity and Physical Network Interface\nCard Activity)",
		.examples = examples,
	};

	return perflib_capture(argc, argv, words, &system);
}

enum status perflib_command_list(const struct windows_api *api, const char *filter,
				 bool json, struct error *error)
{
	struct source source;
	enum status status = open_source(api, &source, NULL, error);

	if (status != ST_OK)
		return status;
	status = perflib_list(stdout, &source, filter, json, error);
	source.ops->release(source.state);
	return status;
}
