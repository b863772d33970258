/* selftest.c - writes a small bundle and a text with each call; see selftest.h. */
#include "capture/windows/selftest.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/os.h"
#include "base/text.h"
#include "capture/perflib/bundle_out.h"
#include "capture/perflib/session.h"
#include "capture/windows/etw/record.h"
#include "capture/windows/perflib/source.h"
#include "common/cli.h"
#include "version.h"

#define SNAPSHOTS 2
#define PATH_BYTES 1024

struct selftest_command {
	const char *base;
};

static const struct option_spec options[] = {
	{ OPTION_TEXT, 'o', "output", "NAME",
	  "write NAME.plb and NAME.txt (default: perftab-selftest)",
	  OPTION_AT(struct selftest_command, base), 0 },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static const struct cli cli = {
	.name = "perftab-capture --selftest",
	.usage = (const char *const[]){ "[OPTIONS]", NULL },
	.summary =
		"Queries the counters of Windows for two seconds and writes all answers to a bundle\n"
		"and a text file, without the names of users, this computer or processes.\n"
		"Please send both files to the authors.",
	.options = options,
	.examples = (const char *const[]){ "in the current folder",
					   "perftab-capture --selftest", NULL },
	.exits = "0 done, whatever Windows answered; 1 a file was not\n"
		 "written; 2 wrong usage",
};

/*
 * Each form of request produces another type of block: all counters of all instances,
 * one of all, all of one, one of one.  Counter 0 is % Processor Time.
 */
static const char *const requests[] = {
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
	fprintf(text, "warning: %s\n", shown);
}

/* --- the machine --- */

static void write_machine(const struct system_api *system)
{
	static const char *const beneath[] = {
		[HYPERVISOR_NONE] = "no hypervisor",
		[HYPERVISOR_GUEST] = "a guest of a hypervisor",
		[HYPERVISOR_HYPERV] = "on top of Hyper-V",
	};
	struct win_machine machine;

	system->read_machine(&machine);
	fprintf(text, "perftab-capture " PERFTAB_VERSION "\n");
	fprintf(text, "Windows %u.%u.%u, %u CPUs, %llu MiB, %s\n", machine.major,
		machine.minor, machine.build, machine.cpus,
		(unsigned long long)machine.memory_mib, beneath[machine.hypervisor]);
	fprintf(text, "%s\n", machine.processor);
}

static void write_function(const char *name, bool is_there)
{
	fprintf(text, "  %-36s %s\n", name, is_there ? "present" : "missing");
}

static void write_functions(const struct windows_api *api)
{
	fputs("\nfunctions\n", text);
#define WRITE(member, name) write_function(name, api->perflib.member != NULL);
	PERFLIB_FUNCTIONS(WRITE)
#undef WRITE
	write_function("StartTraceW", api->etw.start != NULL);
	write_function("ControlTraceW", api->etw.control != NULL);
	write_function("TraceSetInformation", api->etw.set != NULL);
	write_function("TraceQueryInformation", api->etw.query != NULL);
}

static void write_sources(const struct windows_api *api)
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

/* --- its answers --- */

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

/* A refusal by Windows is a warning, not a failure. */
static enum status capture_answers(const struct windows_api *api, const char *path,
				   struct error *error)
{
	const struct session_fact fact = { "VERSION",
					   "perftab-capture " PERFTAB_VERSION };
	const struct session_options session_options = {
		.requests = requests,
		.request_count = ARRAY_COUNT(requests),
		.requests_are_optional = true,
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
		.anonymous = true,
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

static int report_error(const char *words)
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
	struct selftest_command command = { .base = "perftab-selftest" };
	int first, result = cli_parse(&cli, &command, argc, argv, &first);
	const char *base = command.base;
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
		return report_error(error.text);
	}
	os_catch_interrupts();
	write_machine(&api->system);
	write_functions(api);
	write_sources(api);
	fputs("\ncalls\n", text);
	if (capture_answers(api, bundle_path, &error) != ST_OK)
		warn(error.text);
	is_whole = !ferror(text);
	is_whole = fclose(text) == 0 && is_whole;
	if (!is_whole && error.status == ST_OK)
		error_set(&error, ST_IO, ERROR_NO_OFFSET,
			  "cannot write %s.txt completely", shown);
	if (error.status != ST_OK)
		return report_error(error.text);
	fprintf(stderr,
		"perftab-capture: wrote %s.plb and %s.txt; please send both to the authors\n",
		shown, shown);
	return EXIT_DONE;
}
