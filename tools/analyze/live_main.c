/* live_main.c - perftab-analyze --live: its options, and a recorder as the input. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "capture/linux/counters/machine.h"
#include "formats/formats.h"
#include "live.h"
#include "live_main.h"

#define LIVE_SECONDS_DEFAULT 1.0
#define INTERVAL_NS_MIN 1000000

static enum status end_interval(void *context, int64_t begin_ns, int64_t end_ns)
{
	struct job *job = context;
	enum status status = pipeline_interval(job->pipeline, begin_ns, end_ns);

	if (status != ST_OK ||
	    (cli_flush_stdout(analyze_cli.name) && !os_is_unread(OS_STDOUT)))
		return status;
	job->stdout_failed = true;
	return error_set(&job->live->reader->error, ST_INTERRUPTED, ERROR_NO_OFFSET,
			 "interrupted");
}

/* The last interval, which may have no record. */
static void set_span(void *context, struct trace_row *row)
{
	const struct job *job = context;

	row->first_ns = job->live->from_ns;
	row->last_ns = job->live->to_ns;
}

static void warn(void *context, const char *text)
{
	(void)context;
	cli_warn(analyze_cli.name, text);
}

/* A trace was named instead of a command. */
static void report_file(const struct recorder_options *recording)
{
	struct os_info info;

	if (recording->command && os_inspect_path(recording->command[0], &info) &&
	    info.kind == OS_FILE)
		cli_error(analyze_cli.name, recording->command[0],
			  "--live counts now; without it a trace is billed");
}

static int record(struct job *job, struct recorder_options *recording, double interval_s,
		  double seconds)
{
	struct live live = { .interval_s = interval_s,
			     .seconds = seconds,
			     .tick = end_interval,
			     .context = job };
	struct reader reader;
	void (*at_closed_pipe)(int) = signal(SIGPIPE, SIG_IGN);
	uint64_t wall_ns, clock_ns;
	bool is_unread = false;
	int result = EXIT_FAILED;

	job->path = "live";
	job->live = &live;
	job->on_trace = set_span;
	job->is_live = true;
	job->in_blocks = interval_s > 0;
	machine_read_clocks(&wall_ns, &clock_ns);
	job->wall_offset_ns = (int64_t)(wall_ns - clock_ns);
	if (live_open(&live, recording, &job->options->input, &reader) == ST_OK) {
		if (recording->command && !job->options->all_cpus)
			job->tree = live.recorder.workload.pid;
		result = job_end_input(job, job_run(job, &reader));
		is_unread = os_is_unread(OS_STDOUT);
		result = job_finish(job, result);
		if (!is_unread)
			recorder_report_losses(&live.recorder);
		reader_close(&reader);
	} else {
		cli_warn(analyze_cli.name, reader.error.text);
		report_file(recording);
		if (live.recorder.wrong_usage)
			result = EXIT_USAGE;
	}
	result = recorder_end_command(&live.recorder, result);
	live_close(&live);
	/* Other bills end by this signal; ignored while recording, which has to end. */
	(void)signal(SIGPIPE, at_closed_pipe);
	if (is_unread && result == EXIT_FAILED)
		(void)raise(SIGPIPE);
	return result;
}

/* An option that only a trace can have; times of the clock count, live too. */
static const char *trace_option(const struct analyze_options *o)
{
	return o->from.kind > WHEN_CLOCK ? "--from with another time than of the clock"
	       : o->to.kind > WHEN_CLOCK ? "--to with another time than of the clock"
	       : o->trace_id		 ? "--trace"
	       : o->language >= 0	 ? "--language"
	       : o->variant >= 0	 ? "--multi-timer"
	       : o->input.code_page	 ? "--code-page"
					 : NULL;
}

int run_live(const struct analyze_options *options, int argc, char **argv, int first)
{
	struct job job = { .options = options };
	struct recorder_options recording = { .warn = warn,
					      .words = argv,
					      .is_live = true };
	double interval_s = first < argc ? 0 : LIVE_SECONDS_DEFAULT, seconds = 0;

	if (trace_option(options))
		return cli_wrong_usage(&analyze_cli, "--live and %s exclude one another",
				       trace_option(options));
	if (options->interval_ns && options->interval_ns < INTERVAL_NS_MIN)
		return cli_wrong_usage(
			&analyze_cli, "--live: intervals of less than 1ms are too short");
	if (options->interval_ns)
		interval_s = (double)options->interval_ns * 1e-9;
	if (options->duration_ns)
		seconds = (double)options->duration_ns * 1e-9;
	if (options->all_cpus && options->filter.pid != INT_NONE)
		return cli_wrong_usage(&analyze_cli, "-a and -p exclude one another");
	if (options->filter.pid != INT_NONE && first < argc)
		return cli_wrong_usage(&analyze_cli,
				       "-p and a command exclude one another");
	recording.all_cpus = options->all_cpus;
	recording.pid = options->filter.pid == INT_NONE ? 0 : options->filter.pid;
	recording.multiplex = options->multiplex;
	recording.command = first < argc ? argv + first : NULL;
	/* The command's processes are known by the recorder's own numbers. */
	recording.follow_command =
		recording.command && !options->all_cpus && permissions_in_pid_namespace();
	recording.events = options->event_texts.texts;
	recording.event_lists = options->event_texts.count;
	return record(&job, &recording, interval_s, seconds);
}
