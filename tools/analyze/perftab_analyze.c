/* perftab_analyze.c - perftab-analyze: what each process, thread or CPU cost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyze_options.h"
#include "base/os.h"
#include "formats/formats.h"
#include "pipeline/pipeline.h"
#include "print.h"
#include "sql.h"
#include "value_report.h"
#ifdef PERFTAB_LIVE /* where there is a recorder: Linux */
#include "live.h"
#endif

#define TEXT_LINES_DEFAULT 25
#define LIVE_FRAME_LINES 9 /* of a block: its head, titles, sums */
#define LIVE_SECONDS_DEFAULT 1.0
#define CLEAR_SCREEN "\033[H\033[2J"

struct job {
	const char *path;
	const char *reader; /* name of its format */
	struct progress progress;
	int printed;		    /* traces so far */
	struct value_report values; /* of PerfLib */
	bool opened;		    /* the JSON document */
	bool damaged, unbalanced, wrong_column;
	struct live *live; /* NULL: a file */
	bool in_blocks;	   /* live: a bill for each interval */
	int64_t tree;	   /* live: only what this process started, 0: all */
	struct pipeline *pipeline;
};

/* --- printing, a trace at a time --- */

/* Else there is only something else. */
static bool shows_bill(const struct pages *pages)
{
	return pages->bill->report->group_count || (!pages->estimate && !pages->counts);
}

static void print_table(const struct pages *pages, const struct print_options *print)
{
	if (shows_bill(pages))
		print_csv(stdout, pages->bill, print);
	else if (pages->estimate)
		print_estimate_csv(stdout, pages->estimate, print);
	else
		print_counts_csv(stdout, pages->counts, print);
}

static bool is_screen(void)
{
	return os_is_terminal(STDOUT_FILENO);
}

/* As many as the terminal shows at once, when it is drawn anew again and again. */
static int64_t default_lines(const struct job *job)
{
	struct winsize size;

	if (!job->in_blocks || !is_screen() ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
	    size.ws_row <= LIVE_FRAME_LINES)
		return TEXT_LINES_DEFAULT;
	return size.ws_row - LIVE_FRAME_LINES;
}

static void open_document(struct job *job)
{
	if (job->opened)
		fputs(",\n", stdout);
	else
		printf("{\"schema_version\": %d, \"traces\": [\n", JSON_SCHEMA_VERSION);
	job->opened = true;
}

static void print_pages(struct job *job, const struct pages *pages)
{
	struct print_options print = asked.print_options;

	print.top = asked.top >= 0		  ? asked.top
		    : asked.format == FORMAT_TEXT ? default_lines(job)
						  : 0;
	if (asked.format == FORMAT_CSV) {
		if (job->in_blocks)
			print.csv_time_ns = pages->bill->report->trace.last_ns;
		print.csv_goes_on = job->printed > 0;
		print_table(pages, &print);
	} else if (asked.format == FORMAT_JSON) {
		open_document(job);
		print_json(stdout, pages, &print);
		if (asked.check)
			print_check_json(stdout, pages->bill->report);
		fputs("}", stdout);
	} else if (job->in_blocks) {
		fputs(is_screen() ? CLEAR_SCREEN : job->printed ? "\n" : "", stdout);
		print_live(stdout, pages->bill, &print);
	} else {
		fputs(job->printed ? "\n" : "", stdout);
		print_text(stdout, pages, &print);
	}
	if (job->in_blocks)
		fflush(stdout);
}

/* --- values of PerfLib --- */

/* Before the first of a trace. */
static void begin_values(void *context)
{
	struct job *job = context;

	progress_end(&job->progress);
	if (asked.format == FORMAT_JSON)
		open_document(job);
	else if (asked.format == FORMAT_TEXT && job->printed)
		fputs("\n", stdout);
}

static void open_values(struct job *job)
{
	static const enum value_form forms[] = { [FORMAT_TEXT] = VALUES_TEXT,
						 [FORMAT_CSV] = VALUES_CSV,
						 [FORMAT_JSON] = VALUES_JSON };
	struct value_report *report = &job->values;

	report->form = forms[asked.format];
	report->print = asked.print_options;
	report->print.top = asked.top >= 0 ? asked.top : 0;
	report->begin = begin_values;
	report->context = job;
	asked.value_options.from_ns = asked.from_ns;
	asked.value_options.to_ns = asked.to_ns;
	value_report_open(report, &asked.value_options);
}

/* --- the check, and the report --- */

static void print_check(struct job *job, const struct report *report)
{
	if (asked.format == FORMAT_CSV) {
		print_check_csv(stdout, report, &asked.print_options);
	} else {
		fputs(job->printed ? "\n" : "", stdout);
		print_check_text(stdout, report);
	}
}

/* Each in the order asked for, where it has such a column; false: none has. */
static bool sort_pages(struct bill *bill, struct estimate *estimate,
		       struct counts *counts, const struct pages *pages)
{
	bool found = shows_bill(pages) && bill_sort(bill, asked.sort_column);

	if (!found)
		(void)bill_sort(bill, NULL);
	if (pages->estimate && estimate_sort(estimate, asked.sort_column))
		found = true;
	else if (pages->estimate)
		(void)estimate_sort(estimate, NULL);
	if (pages->counts && counts_sort(counts, asked.sort_column))
		found = true;
	else if (pages->counts)
		(void)counts_sort(counts, NULL);
	return found;
}

/* In CSV, which has room for one, only the first of bill, samples and counts. */
static bool wants_estimate(const struct report *report)
{
	return estimate_any(report) &&
	       !(asked.format == FORMAT_CSV && report->group_count);
}

static bool wants_counts(const struct report *report)
{
	return report->tally.stat_count &&
	       !(asked.format == FORMAT_CSV &&
		 (report->group_count || estimate_any(report)));
}

static enum status make_pages(struct job *job, struct sink *sink,
			      const struct report *report)
{
	struct estimate estimate = { .report = NULL };
	struct counts counts = { .report = NULL };
	struct bill bill;
	struct pages pages = { &bill, NULL, NULL };
	bool made =
		bill_make(&bill, report, asked.by, asked.rule) &&
		(!job->tree || asked.by == BY_CPU || bill_keep_tree(&bill, job->tree));
	enum status status = ST_OK;

	if (made && wants_estimate(report)) {
		made = estimate_make(&estimate, report, asked.by);
		pages.estimate = &estimate;
	}
	if (made && wants_counts(report)) {
		made = counts_make(&counts, report, asked.by);
		pages.counts = &counts;
	}
	if (!made) {
		status = error_nomem(&sink->error);
	} else if (!sort_pages(&bill, &estimate, &counts, &pages)) {
		job->wrong_column = true;
		status = error_set(&sink->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "no column '%s' to sort by", asked.sort_column);
	} else {
		print_pages(job, &pages);
	}
	bill_release(&bill);
	estimate_release(&estimate);
	counts_release(&counts);
	return status;
}

static enum status print_report(void *context, struct sink *sink,
				const struct report *report)
{
	struct job *job = context;
	enum status status = ST_OK;

	progress_end(&job->progress);
	job->unbalanced |= asked.check && check_each(report, NULL, NULL) > 0;
	if (asked.check && asked.format != FORMAT_JSON)
		print_check(job, report);
	else if (job->values.values.any)
		value_report_end(&job->values, report);
	else
		status = make_pages(job, sink, report);
	job->printed++;
	return status;
}

/* --- what is told while it runs --- */

static void show_progress(void *context, const struct reader *reader)
{
	struct job *job = context;

	if (job->values.lines == 0)
		progress_show(&job->progress, reader_done_bytes(reader),
			      reader_all_bytes(reader));
}

static void tell_finding(void *context, const struct finding_row *finding)
{
	struct job *job = context;
	char text[256];

	if (!str_equal(finding->severity, STR("damage")))
		return;
	progress_end(&job->progress);
	snprintf(text, sizeof(text), "%s: %.*s", job->reader, (int)finding->text.len,
		 finding->text.ptr);
	cli_error(analyze_cli.name, job->path, text);
	job->damaged = true;
}

static int failed(const struct job *job, const struct reader *reader,
		  const struct sink *sink)
{
	if (reader->error.status == ST_INTERRUPTED)
		return EXIT_FAILED;
	cli_error(analyze_cli.name, job->path,
		  sink->error.status < ST_OK ? sink->error.text : reader->error.text);
	return job->wrong_column ? EXIT_USAGE : EXIT_FAILED;
}

static int analyze(struct job *job, struct reader *reader, struct sink *sink)
{
	struct pipeline_hooks hooks = { job->live ? NULL : show_progress, tell_finding,
					job };
	struct pipeline pipeline;
	enum status status;
	int result = EXIT_DONE;

	pipeline_init(&pipeline, sink, 1);
	pipeline.from_ns = asked.from_ns;
	pipeline.to_ns = asked.to_ns;
	pipeline.is_live = job->in_blocks;
	job->pipeline = &pipeline;
	progress_begin(&job->progress, analyze_cli.name);
	status = pipeline_run(&pipeline, reader, &hooks);
	progress_end(&job->progress);
	if (status != ST_OK)
		result = failed(job, reader, sink);
	else if (job->printed == 0) {
		cli_error(analyze_cli.name, job->path, "holds no such trace");
		result = EXIT_FAILED;
	}
	pipeline_release(&pipeline);
	return result;
}

static int analyze_into_report(struct job *job, struct reader *reader)
{
	struct report_sink *report;
	struct sink sink;
	int result;

	if (sink_open(&sink, &report_sink_ops, NULL) != ST_OK) {
		cli_error(analyze_cli.name, job->path, sink.error.text);
		return EXIT_FAILED;
	}
	report = sink.state;
	report->done = print_report;
	report->context = job;
	report->from_ns = asked.from_ns;
	report->to_ns = asked.to_ns;
	if (asked.input.want_values) {
		open_values(job);
		report->values = &job->values.values;
	}
	job->reader = reader->ops->name;
	result = analyze(job, reader, &sink);
	value_report_close(&job->values);
	if (asked.format == FORMAT_JSON && job->opened)
		puts("\n]}");
	sink_close(&sink);
	return result;
}

static int finish(const struct job *job, int result)
{
	if (!cli_close_stdout(analyze_cli.name))
		result = EXIT_FAILED;
	if (result == EXIT_DONE && job->unbalanced) {
		cli_error(analyze_cli.name, job->path, "the books do not balance");
		result = EXIT_FAILED;
	}
	if (result == EXIT_DONE && job->damaged)
		result = asked.strict ? EXIT_FAILED : EXIT_DAMAGED;
	return result;
}

static int run(struct job *job)
{
	struct reader reader;
	int result;

	asked.input.want_values = !asked.check;
	asked.input.want_switches =
		asked.check || asked.from_ns != INT64_MIN || asked.to_ns != INT64_MAX;
	asked.input.trace_id = asked.trace_id;
	if (reader_open(&reader, job->path, &asked.input, all_formats) != ST_OK) {
		if (reader.error.status != ST_INTERRUPTED)
			cli_error(analyze_cli.name, job->path, reader.error.text);
		return EXIT_FAILED;
	}
	if (asked.format == FORMAT_CSV && reader.trace_count > 1) {
		cli_error(
			analyze_cli.name, job->path,
			"holds several traces, and CSV shows one: choose it with --trace ID");
		reader_close(&reader);
		return EXIT_USAGE;
	}
	result = analyze_into_report(job, &reader);
	reader_close(&reader);
	return finish(job, result);
}

/* --- live --- */

#ifdef PERFTAB_LIVE
static enum status end_interval(void *context, int64_t begin_ns, int64_t end_ns)
{
	const struct job *job = context;

	return pipeline_interval(job->pipeline, begin_ns, end_ns);
}

static void warn(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "%s: %s\n", analyze_cli.name, text);
}

static int run_live(struct job *job, struct recorder_options *recording,
		    double interval_s, double seconds)
{
	struct live live = { .interval_s = interval_s,
			     .seconds = seconds,
			     .tick = end_interval,
			     .context = job };
	struct reader reader;
	int result = EXIT_FAILED;

	asked.input.want_switches = asked.check;
	job->path = "live";
	job->live = &live;
	job->in_blocks = interval_s > 0;
	if (live_open(&live, recording, &asked.input, &reader) == ST_OK) {
		if (recording->command && !asked.all_cpus)
			job->tree = live.recorder.workload.pid;
		result = finish(job, analyze_into_report(job, &reader));
		recorder_tell_losses(&live.recorder);
		reader_close(&reader);
	} else {
		fprintf(stderr, "%s: %s\n", analyze_cli.name, reader.error.text);
	}
	if (live.recorder.workload.ended &&
	    (result == EXIT_DONE ||
	     live.recorder.workload.exit_status >= WORKLOAD_NOT_EXECUTABLE))
		result = live.recorder.workload.exit_status;
	live_close(&live);
	return result;
}

static int main_live(struct job *job, int argc, char **argv, int first)
{
	struct recorder_options recording = { .warn = warn, .words = argv };
	double interval_s = first < argc ? 0 : LIVE_SECONDS_DEFAULT, seconds = 0;

	if (asked.interval_text && !cli_parse_seconds(asked.interval_text, &interval_s))
		return cli_wrong_usage(&analyze_cli,
				       "-i takes a number of seconds above 0, not '%s'",
				       asked.interval_text);
	if (asked.duration_text && !cli_parse_seconds(asked.duration_text, &seconds))
		return cli_wrong_usage(&analyze_cli,
				       "-d takes a number of seconds above 0, not '%s'",
				       asked.duration_text);
	if (asked.all_cpus && asked.pid)
		return cli_wrong_usage(&analyze_cli, "-a and -p exclude one another");
	if (asked.pid && first < argc)
		return cli_wrong_usage(&analyze_cli,
				       "-p and a command exclude one another");
	recording.all_cpus = asked.all_cpus;
	recording.pid = asked.pid;
	recording.multiplex = asked.multiplex;
	recording.command = first < argc ? argv + first : NULL;
	/* Which processes are the command's is told in the recorder's own numbers. */
	recording.follow_command =
		recording.command && !asked.all_cpus && rights_in_pid_namespace();
	recording.event_lists = asked.event_texts.count;
	memcpy(recording.events, asked.event_texts.texts, sizeof(recording.events));
	return run_live(job, &recording, interval_s, seconds);
}

#endif

/* --- a query --- */

static int run_query(const char *path)
{
	const struct sql_options sql = { asked.query, asked.format == FORMAT_JSON,
					 asked.print_options.csv_safe };
	struct error error = { .status = ST_OK };
	enum status status = sql_print(path, &sql, &error);

	if (!cli_close_stdout(analyze_cli.name))
		return EXIT_FAILED;
	if (status != ST_OK)
		cli_error(analyze_cli.name, path, error.text);
	return status == ST_OK ? EXIT_DONE : EXIT_FAILED;
}

int main(int argc, char **argv)
{
	struct job job = { .printed = 0 };
	int first, result = analyze_options(argc, argv, &first);

	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : result;
#ifdef PERFTAB_LIVE
	if (asked.live_wanted) {
		os_catch_interrupts();
		return main_live(&job, argc, argv, first);
	}
#endif
	if (argc - first != 1)
		return cli_wrong_usage(&analyze_cli, argc == first
							     ? "no input given"
							     : "one input at a time");
	if (asked.query)
		return run_query(argv[first]);
	job.path = argv[first];
	os_catch_interrupts();
	result = run(&job);
	os_die_of_interrupt();
	return result;
}
