/* capture.c - subcommands and options of perftab-capture.exe; see capture.h. */
#include "capture/windows/capture.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "capture/windows/api/numbers.h"
#include "capture/windows/bill.h"
#include "capture/windows/etw/record.h"
#include "capture/windows/perflib/command.h"
#include "capture/windows/selftest.h"
#include "common/cli.h"

#define BUFFER_MIB_MAX 65536

/* --- perftab-capture etw --- */

struct etw_command {
	struct etw_record_options recording;
	struct option_texts events, samples;
	const char *output;
	int64_t duration_ns, memory_mib; /* 0: not given */
	bool with_bill, quiet;
};

#define AT(member) OPTION_AT(struct etw_command, member)

static const struct option_spec etw_options[] = {
	{ OPTION_TEXTS, 'e', "event", "SOURCES",
	  "profile sources to count, comma-separated, in any case\n(default: those available of TotalCycles,\nInstructionRetired, BranchMispredictions and\nBranchInstructions)",
	  AT(events), 0 },
	{ OPTION_TEXTS, 0, "sample", "SOURCE=INTERVAL",
	  "record a sample each time SOURCE has counted INTERVAL\n(Timer: of 100 ns each); can be given several times",
	  AT(samples), 0 },
	{ OPTION_DURATION, 'd', "duration", "DURATION",
	  "stop after so long, as 500ms or 10s, even if the\ncommand still runs",
	  AT(duration_ns), 0 },
	{ OPTION_FLAG, 0, "bill", NULL,
	  "print the bill at the end, by the perftab-analyze beside\nthis program; without -o the trace is removed then",
	  AT(with_bill), 0 },
	{ OPTION_TEXT, 'o', "output", "FILE", "output file (default: perftab.etl)",
	  AT(output), 0 },
	{ OPTION_INT, 'm', "memory", "MIB",
	  "maximum size of the trace buffers (default: an eighth\nof the memory, at most 2048)",
	  AT(memory_mib), 1 },
	{ OPTION_FLAG, 0, "kernel-logger", NULL,
	  "use the NT Kernel Logger instead of a private session",
	  AT(recording.session.kernel_logger), 0 },
	{ OPTION_FLAG, 0, "stop-existing", NULL, "stop a session of the same name first",

	  AT(recording.session.stop_existing), 0 },
	{ OPTION_FLAG, 'q', "quiet", NULL, "print only warnings and errors", AT(quiet),
	  0 },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static const struct cli etw_cli = {
	.name = "perftab-capture etw",
	.usage =
		(const char *const[]){ "[OPTIONS] [+DPC] [+INTERRUPT] [--] [COMMAND ...]",
				       NULL },
	.summary =
		"Records the processor counters at every context switch with Windows event tracing,\n"
		"for perftab-analyze and perftab-convert.  Stops when the command ends, after -d, or\n"
		"at Ctrl-C.  +DPC and +INTERRUPT record these as well.  Needs a prompt opened with\n"
		"'Run as administrator'.",
	.options = etw_options,
	.examples =
		(const char *const[]){
			"the whole machine for ten seconds", "perftab-capture etw -d 10",
			"instructions and cycles while a command runs",
			"perftab-capture etw -e InstructionRetired,TotalCycles -- build.exe",
			"what each process costs while a command runs",
			"perftab-capture etw --bill -- build.exe",
			"interrupts too, and where the cache misses are",
			"perftab-capture etw +DPC +INTERRUPT --sample LLCMisses=65536 -d 10",
			"after a recording that was killed",
			"perftab-capture etw --stop-existing -d 10", NULL },
	.exits = "that of the command, 126 or 127 if it cannot be run;\n"
		 "0 done, 1 failed, 2 wrong usage; --bill: 3 done, but with losses",
	.before_command = true,
};

static void warn(const char *text)
{
	fprintf(stderr, "perftab-capture: %s\n", text);
}

static uint32_t report_error(const struct error *error)
{
	char words[512];

	text_shown(words, sizeof(words), str_of(error->text), 500);
	warn(words);
	return EXIT_FAILED;
}

static void report_end(const struct etw_command *command,
		       const struct etw_record_result *result, bool good)
{
	char shown[400];

	/* 0xC0000000 and above: ended by Windows, after a fault or Ctrl-C. */
	if (result->command_ended && result->exit_code >= 0xc0000000u)
		fprintf(stderr, "perftab-capture: the command exited with 0x%08X\n",
			result->exit_code);
	if (command->quiet || !result->recorded || !good)
		return;
	text_shown(shown, sizeof(shown), str_of(command->recording.output), 300);
	fprintf(stderr,
		"perftab-capture: %s: %s on %u CPU%s for %.2f s, %u buffers of %d KiB; "
		"%u events and %u buffers lost\n",
		shown, result->counters, result->machine.cpus,
		result->machine.cpus == 1 ? "" : "s", result->seconds, result->buffers,
		ETW_BUFFER_KIB, result->events_lost, result->buffers_lost);
}

static uint32_t print_bill(struct bill *bill)
{
	struct error error = { .status = ST_OK };
	uint32_t code = EXIT_DONE;

	if (bill_print(bill, &code, &error) != ST_OK)
		return report_error(&error);
	return code;
}

/* `bill`: NULL, none. */
static uint32_t record(const struct windows_api *api, const struct etw_command *command,
		       struct bill *bill)
{
	uint32_t billed = EXIT_DONE;
	struct error error = { .status = ST_OK };
	struct etw_record_result result;
	enum status status = etw_record(api, &command->recording, &result, &error);

	report_end(command, &result, status == ST_OK);
	if (status != ST_OK)
		(void)report_error(&error);
	if (bill && status == ST_OK && result.recorded)
		billed = print_bill(bill);
	if (result.exit_code && (status == ST_OK || !result.command_ended))
		return result.exit_code;
	return status == ST_OK ? billed : EXIT_FAILED;
}

/* Adds what xperf calls +DPC or +INTERRUPT, or several in a word. */
static int add_flags(const char *word, uint32_t *flags)
{
	static const struct {
		const char *name;
		uint32_t flag;
	} known[] = { { "DPC", WIN_FLAG_DPC }, { "INTERRUPT", WIN_FLAG_INTERRUPT } };

	while (*word == '+') {
		size_t length = strcspn(++word, "+"), i = 0;

		while (i < 2 && (strlen(known[i].name) != length ||
				 strncasecmp(known[i].name, word, length) != 0))
			i++;
		if (i == 2)
			return cli_wrong_word(&etw_cli, "unknown flag", word,
					      "DPC|INTERRUPT");
		*flags |= known[i].flag;
		word += length;
	}
	return EXIT_DONE;
}

/* Options and flags in any order, up to the command. */
static int parse_etw(struct etw_command *command, int argc, char **argv, int *first)
{
	int at = 0;

	for (;;) {
		int result = cli_parse(&etw_cli, command, argc - at, argv + at, first);

		if (result != EXIT_DONE)
			return result;
		*first += at;
		if (*first == argc || argv[*first][0] != '+' ||
		    strcmp(argv[*first - 1], "--") == 0)
			return EXIT_DONE;
		result = add_flags(argv[*first], &command->recording.flags);
		if (result != EXIT_DONE)
			return result;
		at = *first;
	}
}

static int check_samples(const struct option_texts *samples)
{
	for (size_t i = 0; i < samples->count; i++) {
		const char *text = samples->texts[i], *equals = strchr(text, '=');

		if (!equals || equals == text)
			return cli_wrong_usage(&etw_cli,
					       "invalid --sample '%s': expected "
					       "SOURCE=INTERVAL, e.g. LLCMisses=65536",
					       text);
	}
	return EXIT_DONE;
}

static uint32_t capture_etw(const struct windows_api *api, int argc, char **argv)
{
	struct etw_command command = { .output = NULL };
	struct etw_record_options *recording = &command.recording;
	struct error error = { .status = ST_OK };
	static struct bill bill;
	int first, result = parse_etw(&command, argc, argv, &first);

	if (result == EXIT_DONE)
		result = check_samples(&command.samples);
	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : (uint32_t)result;
	if (command.memory_mib > BUFFER_MIB_MAX)
		return (uint32_t)cli_wrong_usage(&etw_cli, "-m accepts at most %d MiB",
						 BUFFER_MIB_MAX);
	if (command.output && strcmp(command.output, "-") == 0)
		return (uint32_t)cli_wrong_usage(
			&etw_cli,
			"invalid -o '-': Windows writes a session only to a file");
	if (command.with_bill &&
	    bill_prepare(&bill, &api->system, command.output, &error) != ST_OK)
		return report_error(&error);
	recording->event_lists = command.events.texts;
	recording->event_list_count = command.events.count;
	recording->samples = command.samples.texts;
	recording->sample_count = command.samples.count;
	recording->output = command.with_bill ? bill.trace
			    : command.output  ? command.output
					      : "perftab.etl";
	recording->command = first < argc ? argv + first : NULL;
	recording->seconds = (double)command.duration_ns / 1e9;
	recording->session.memory_mib = (uint32_t)command.memory_mib;
	recording->warn = warn;
	return record(api, &command, command.with_bill ? &bill : NULL);
}

/* --- perftab-capture list --- */

struct list_command {
	bool json;
};

static const struct option_spec list_options[] = {
	{ OPTION_FLAG, 0, "json", NULL, "countersets: print one JSON document",
	  OPTION_AT(struct list_command, json), 0 },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static const struct cli list_cli = {
	.name = "perftab-capture list",
	.usage = (const char *const[]){ "[OPTIONS] profile-sources|countersets [NAME]",
					NULL },
	.summary = "Lists what this machine can count.",
	.options = list_options,
	.examples =
		(const char *const[]){
			"names for perftab-capture etw -e",
			"perftab-capture list profile-sources",
			"names for perftab-capture perflib -c, with their counters",
			"perftab-capture list countersets \"*process*\"", NULL },
	.exits = "0 done, 1 failed, 2 wrong usage",
};

static enum status list_sources(const struct windows_api *api, struct error *error)
{
	struct profile_sources list;
	enum status status = etw_list_sources(api, &list, error);

	if (status == ST_OK)
		profile_sources_print(stdout, &list);
	profile_sources_release(&list);
	return status;
}

static uint32_t capture_list(const struct windows_api *api, int argc, char **argv)
{
	struct error error = { .status = ST_OK };
	struct list_command list = { .json = false };
	int first, result = cli_parse(&list_cli, &list, argc, argv, &first);
	bool is_countersets;
	enum status status;

	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : (uint32_t)result;
	is_countersets = first < argc && strcmp(argv[first], "countersets") == 0;
	if (!is_countersets && (argc - first != 1 || list.json ||
				strcmp(argv[first], "profile-sources") != 0))
		return (uint32_t)cli_wrong_usage(
			&list_cli,
			"expected what to list: profile-sources, or countersets [NAME]");
	if (argc - first > 2)
		return (uint32_t)cli_wrong_usage(&list_cli, "one name at a time");
	status = is_countersets
			 ? perflib_command_list(api, argv[first + 1], list.json, &error)
			 : list_sources(api, &error);
	if (status != ST_OK)
		return report_error(&error);
	return cli_close_stdout("perftab-capture") ? EXIT_DONE : EXIT_FAILED;
}

/* --- the program --- */

static const char general_help[] =
	"usage: perftab-capture etw [OPTIONS] [--] [COMMAND ...]\n"
	"       perftab-capture perflib [OPTIONS]\n"
	"       perftab-capture list [OPTIONS] profile-sources|countersets [NAME]\n"
	"       perftab-capture --selftest [OPTIONS]\n\n"
	"Records counters for perftab-analyze and perftab-convert.\n\n"
	"  etw         counters at every context switch, with Windows event tracing\n"
	"  perflib     snapshots of performance counters, from Windows PerfLib\n"
	"  list        lists what this machine can count\n"
	"  --selftest  records what this Windows answers, for the authors\n\n"
	"Each of them explains its options with --help.\n";

uint32_t capture_windows(const struct windows_api *api, int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "etw") == 0)
		return capture_etw(api, argc - 1, argv + 1);
	if (strcmp(what, "perflib") == 0)
		return (uint32_t)perflib_command(api, argc - 1, argv + 1, argv);
	if (strcmp(what, "list") == 0)
		return capture_list(api, argc - 1, argv + 1);
	if (strcmp(what, "--selftest") == 0)
		return (uint32_t)selftest(api, argc - 1, argv + 1);
	return (uint32_t)cli_no_command("perftab-capture", general_help,
					"etw=record=perf|perflib|list|--selftest", what);
}
