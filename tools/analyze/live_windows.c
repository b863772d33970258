/* live_windows.c - perftab-analyze --live on Windows: a trace in a temporary file. */
#include <string.h>

#include "base/os.h"
#include "capture/windows/etw/record.h"
#include "capture/windows/temporary.h"
#include "live_main.h"
#include "run_file.h"

static void warn(const char *text)
{
	cli_warn(analyze_cli.name, text);
}

/* Another Ctrl-C than that which ended the recording ends the report. */
static int print_bill(const struct analyze_options *live, char *path, int64_t root)
{
	struct analyze_options options = *live;

	os_release_interrupts();
	os_catch_interrupts();
	options.is_live = false; /* a file is read */
	options.input.want_values = false;
	options.input.want_switches |= options.interval_ns != 0 || options.cpus;
	return run_files(&options, &path, 1, root);
}

static int refuse(const struct analyze_options *options, bool has_command)
{
	if (options->multiplex)
		return cli_wrong_usage(&analyze_cli,
				       "Windows does not multiplex counters: choose "
				       "fewer with -e, without --multiplex");
	if (options->all_cpus && options->filter.pid != INT_NONE)
		return cli_wrong_usage(&analyze_cli, "-a and -p exclude one another");
	if (options->filter.pid != INT_NONE && has_command)
		return cli_wrong_usage(&analyze_cli,
				       "-p and a command exclude one another");
	return EXIT_DONE;
}

int run_live(const struct analyze_options *options, int argc, char **argv, int first)
{
	static char path[TEMPORARY_PATH];
	struct windows_api api = { .etw = { .start = NULL } };
	struct etw_record_options recording = { .warn = warn, .output = path };
	struct etw_record_result recorded = { .recorded = false };
	struct error error = { .status = ST_OK };
	int64_t root = 0;
	int result = refuse(options, first < argc);

	if (result != EXIT_DONE)
		return result;
	etw_api_windows(&api.etw);
	system_api_windows(&api.system);
	recording.event_lists = options->event_texts.texts;
	recording.event_list_count = options->event_texts.count;
	recording.command = first < argc ? argv + first : NULL;
	recording.seconds = (double)options->duration_ns * 1e-9;
	if (recording.command && !options->all_cpus)
		root = api.system.own_id();
	result = EXIT_FAILED;
	if (temporary_choose(path, &api.system, &error) != ST_OK ||
	    etw_record(&api, &recording, &recorded, &error) != ST_OK)
		warn(error.text);
	else
		result = print_bill(options, path, root);
	if (recorded.named && temporary_remove(path, &api.system, &error) != ST_OK)
		warn(error.text);
	os_die_of_interrupt();
	if (recorded.exit_code && (result == EXIT_DONE || !recorded.command_ended))
		result = (int)recorded.exit_code;
	return result;
}
