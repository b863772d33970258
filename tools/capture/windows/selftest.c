/* selftest.c - see selftest.h: a small bundle, and a text that says how it came about. */
#include "selftest.h"

#include <errno.h>
#include <string.h>

#include "base/os.h"
#include "base/text.h"
#include "bundle_out.h"
#include "common/cli.h"
#include "perflib_source.h"
#include "session.h"
#include "version.h"

#define SNAPSHOTS 2
#define PATH_BYTES 1024

static const char *base = "perftab-selftest";

static const struct option_spec options[] = {
	{ OPTION_TEXT, 'o', "output", "NAME",
	  "write NAME.plb and NAME.txt (default: perftab-selftest)", &base, 0 },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static const struct cli cli = {
	.name = "perftab-capture --selftest",
	.usage = (const char *const[]){ "[OPTIONS]", NULL },
	.summary =
		"Asks Windows for its counters, for two seconds, and writes down what it answers:\n"
		"a bundle and a text, without names of users, of this computer or of processes.\n"
		"Both are worth sending to the authors.",
	.options = options,
	.examples = (const char *const[]){ "in the current folder",
					   "perftab-capture --selftest", NULL },
	.exits = "0 done, whatever Windows answered, 1 nothing could be\n"
		 "written, 2 wrong usage",
};

/*
 * Each way of asking makes another type of block: all counters of all instances, one of
 * all, all of one, one of one.  Counter 0 is % Processor Time.
 */
static const char *const wishes[] = {
	PERFLIB_PROCESSORS,
	PERFLIB_PROCESSORS "\\#0",
	PERFLIB_PROCESSORS "(_Total)",
	PERFLIB_PROCESSORS "(_Total)\\#0",
	"NUMA Node Memory",
};

static FILE *text;

static void warn(const char *words)
{
	char shown[600];

	text_shown(shown, sizeof(shown), str_of(words), 580);
	fprintf(text, "told: %s\n", shown);
}

/* --- what this Windows is --- */

static void tell_machine(const struct system_api *system)
{
	static const char *const beneath[] = {
		[HYPERVISOR_NONE] = "no hypervisor",
		[HYPERVISOR_GUEST] = "a virtual machine",
		[HYPERVISOR_HYPERV] = "Hyper-V beneath",
	};
	struct win_machine machine;

	system->look(&machine);
	fprintf(text, "perftab-capture " PERFTAB_VERSION "\n");
	fprintf(text, "Windows %u.%u.%u, %u CPUs, %llu MiB, %s\n", machine.major,
		machine.minor, machine.build, machine.cpus,
		(unsigned long long)machine.memory_mib, beneath[machine.hypervisor]);
	fprintf(text, "%s\n", machine.processor);
}

static void tell_function(const char *name, bool is_there)
{
	fprintf(text, "  %-36s %s\n", name, is_there ? "there" : "missing");
}

static void tell_functions(const struct windows_api *api)
{
	fputs("\nfunctions\n", text);
#define TELL(member, name) tell_function(name, api->perflib.member != NULL);
	PERFLIB_FUNCTIONS(TELL)
#undef TELL
	tell_function("StartTraceW", api->etw.start != NULL);
	tell_function("ControlTraceW", api->etw.control != NULL);
	tell_function("TraceSetInformation", api->etw.set != NULL);
	tell_function("TraceQueryInformation", api->etw.query != NULL);
}

static void tell_sources(const struct windows_api *api)
{
	struct error error = { .status = ST_OK };
	struct profile_sources list = { 0 };

	fputs("\nprofile sources\n", text);
	if (etw_list_sources(api, &list, &error) == ST_OK)
		profile_sources_print(text, &list);
	else
		warn(error.text);
	profile_sources_release(&list);
}

/* --- what it answers --- */

static enum status record(struct session *session, const char *path, struct error *error)
{
	struct bundle_out out;
	enum status status = bundle_out_open(&out, path, error);
	const struct session_out calls = bundle_out_calls(&out);

	if (status != ST_OK)
		return status;
	status = session_record(session, &calls, error);
	if (bundle_out_close(&out, error) != ST_OK && status == ST_OK)
		status = error->status;
	return status;
}

/* A refusal of Windows is told, and no failure of ours. */
static enum status ask(const struct windows_api *api, const char *path,
		       struct error *error)
{
	const struct session_fact fact = { "VERSION",
					   "perftab-capture " PERFTAB_VERSION };
	const struct session_options session_options = {
		.wishes = wishes,
		.wish_count = sizeof(wishes) / sizeof(wishes[0]),
		.wishes_are_optional = true,
		.facts = &fact,
		.fact_count = 1,
		.interval = 1,
		.snapshots = SNAPSHOTS,
		.warn = warn,
	};
	const struct perflib_source_options source_options = {
		.api = &api->perflib,
		.system = &api->system,
		.log = text,
		.nameless = true,
	};
	struct session session;
	struct source source;
	enum status status = perflib_source_open(&source, &source_options, error);

	if (status != ST_OK)
		return status;
	status = session_open(&session, &source, &session_options, error);
	if (status == ST_OK)
		status = record(&session, path, error);
	session_close(&session);
	fprintf(text, "\n%lld snapshots, %lld failed, %zu of %zu identifiers refused\n",
		(long long)session.stats.snapshots, (long long)session.stats.failed,
		session.stats.refused, session.selection.count);
	source.ops->release(source.state);
	if (status == ST_UNSUPPORTED) {
		warn(error->text);
		*error = (struct error){ .status = ST_OK };
		status = ST_OK;
	}
	return status;
}

static int failed(const char *words)
{
	char shown[600];

	text_shown(shown, sizeof(shown), str_of(words), 500);
	fprintf(stderr, "perftab-capture: %s\n", shown);
	return EXIT_FAILED;
}

int selftest(const struct windows_api *api, int argc, char **argv)
{
	char bundle_path[PATH_BYTES], text_path[PATH_BYTES], shown[300];
	struct error error = { .status = ST_OK };
	int first, result = cli_parse(&cli, argc, argv, &first);
	bool is_whole;

	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : result;
	if (first < argc || strlen(base) + sizeof(".plb") > PATH_BYTES)
		return cli_wrong_usage(
			&cli, first < argc ? "'%s' is not an option" : "'%s' is too long",
			first < argc ? argv[first] : base);
	text_print(bundle_path, sizeof(bundle_path), "%s.plb", base);
	text_print(text_path, sizeof(text_path), "%s.txt", base);
	text_shown(shown, sizeof(shown), str_of(base), 200);
	text = os_create_file(text_path);
	if (!text) {
		error_set(&error, ST_IO, ERROR_NO_OFFSET, "cannot write %s.txt: %s",
			  shown, strerror(errno));
		return failed(error.text);
	}
	os_catch_interrupts();
	tell_machine(&api->system);
	tell_functions(api);
	tell_sources(api);
	fputs("\ncalls\n", text);
	if (ask(api, bundle_path, &error) != ST_OK)
		warn(error.text);
	is_whole = !ferror(text);
	is_whole = fclose(text) == 0 && is_whole;
	if (!is_whole && error.status == ST_OK)
		error_set(&error, ST_IO, ERROR_NO_OFFSET, "cannot write all of %s.txt",
			  shown);
	if (error.status != ST_OK)
		return failed(error.text);
	fprintf(stderr,
		"perftab-capture: %s.plb and %s.txt say what this Windows answers; please "
		"send both\n",
		shown, shown);
	return EXIT_DONE;
}
