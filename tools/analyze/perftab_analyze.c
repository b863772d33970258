/* perftab_analyze.c - perftab-analyze: what each process, thread or CPU cost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attribution/attribution.h"
#include "core/cli.h"
#include "core/os.h"
#include "print.h"
#include "readers/readers.h"
#include "sql.h"
#include "value_report.h"
#ifdef PERFTAB_LIVE /* where there is a recorder: Linux */
#include "live.h"
#endif

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

#define TEXT_LINES_DEFAULT 25
#define LIVE_FRAME_LINES 9 /* of a block: its head, titles, sums */
#define LIVE_SECONDS_DEFAULT 1.0
#define CLEAR_SCREEN "\033[H\033[2J"

static const char *by_name, *rule_name, *sort_column; /* NULL: the default */
static int format = FORMAT_TEXT;
static bool check, strict;
static int64_t from_ns = INT64_MIN, to_ns = INT64_MAX, top = -1, trace_id;
static struct print_options print_options;
static const char *language, *variant_name;
static struct value_options value_options;
static struct reader_options input;
static const char *query;
#ifdef PERFTAB_LIVE
static bool live_wanted, all_cpus, multiplex;
static int64_t pid;
static const char *interval_text, *duration_text;
static struct option_texts event_texts;
#endif

static const struct option_spec options[] = {
	{ OPTION_TEXT, 'b', "by", "WHAT",
	  "a line for each process (default), thread or cpu", &by_name, 0 },
	{ OPTION_CHOICE, 0, "csv", NULL, "print CSV", &format, FORMAT_CSV },
	{ OPTION_CHOICE, 0, "json", NULL, "print one JSON document", &format,
	  FORMAT_JSON },
	{ OPTION_FLAG, 0, "check", NULL,
	  "print whether the books balance; exit with 1 if not", &check, 0 },
	{ OPTION_FLAG, 'm', "metrics", NULL,
	  "add ratios (IPC, miss rates) where counters allow", &print_options.metrics,
	  0 },
	{ OPTION_TEXT, 'u', "unproven", "RULE",
	  "separate (default): intervals without proof are\n(unattributed); switched-out: charge them to the\nthread switched out, as perf script does",
	  &rule_name, 0 },
	{ OPTION_INT, 0, "from", "NS", "only switches at or after this time of the trace",
	  &from_ns, INT64_MIN },
	{ OPTION_INT, 0, "to", "NS", "only switches before this time of the trace",
	  &to_ns, INT64_MIN },
	{ OPTION_TEXT, 's', "sort", "COLUMN",
	  "sort by this column, as --csv names it (default: the\nheaviest counter)",
	  &sort_column, 0 },
	{ OPTION_INT, 'n', "top", "N",
	  "at most N lines, 0: all (default: text 25, else all)", &top, 0 },
	{ OPTION_TEXT, 0, "events", "NAMES",
	  "names for events that a perf.data does not name, in\norder, as after perf record -e",
	  &input.events, 0 },
	{ OPTION_TEXT, 0, "tracefs", "DIR",
	  "tracepoint formats that a perf.data lacks, from a copy\nof /sys/kernel/tracing",
	  &input.tracefs, 0 },
	{ OPTION_TEXT, 0, "counterset", "NAME",
	  "PerfLib: only countersets of this name; * and ? stand\nfor others",
	  &value_options.counterset, 0 },
	{ OPTION_TEXT, 0, "instance", "NAME", "PerfLib: only instances of this name",
	  &value_options.instance, 0 },
	{ OPTION_TEXT, 0, "counter", "NAME", "PerfLib: only counters of this name",
	  &value_options.counter, 0 },
	{ OPTION_TEXT, 0, "language", "WHICH",
	  "PerfLib: names in english (default) or local", &language, 0 },
	{ OPTION_TEXT, 0, "multi-timer", "VARIANT",
	  "PerfLib: share (default), ce, kit, sdk or pcq: which of\nthe published formulas",
	  &variant_name, 0 },
	{ OPTION_INT, 0, "trace", "ID",
	  "only this trace of a database that holds several", &trace_id, 1 },
	{ OPTION_TEXT, 0, "sql", "QUERY",
	  "print the rows of one SELECT from a DATABASE, as CSV or\n--json; the views of PerfLib work here",
	  &query, 0 },
	{ OPTION_FLAG, 0, "csv-safe", NULL,
	  "put ' before texts that a spreadsheet would take for\na formula",
	  &print_options.csv_safe, 0 },
	{ OPTION_FLAG, 0, "strict", NULL,
	  "exit with 1, not 3, when the input was damaged", &strict, 0 },
#ifdef PERFTAB_LIVE
	{ OPTION_FLAG, 'l', "live", NULL,
	  "count now, and bill from memory; with a COMMAND: its\nprocesses, when it has ended",
	  &live_wanted, 0 },
	{ OPTION_TEXTS, 'e', "event", "EVENTS",
	  "live: what to count, as perftab-capture perf -e", &event_texts, 0 },
	{ OPTION_FLAG, 'a', "all-cpus", NULL, "live: all processes, with a COMMAND too",
	  &all_cpus, 0 },
	{ OPTION_INT, 'p', "pid", "PID", "live: only this process and what it starts",
	  &pid, 1 },
	{ OPTION_TEXT, 'i', "interval", "SECONDS",
	  "live: a bill for each of them (default without a\nCOMMAND: 1)", &interval_text,
	  0 },
	{ OPTION_TEXT, 'd', "duration", "SECONDS", "live: end after so long",
	  &duration_text, 0 },
	{ OPTION_FLAG, 0, "multiplex", NULL, "live: as perftab-capture perf --multiplex",
	  &multiplex, 0 },
#endif
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static const struct cli cli = {
	.name = "perftab-analyze",
	.usage =
		(const char *const[]){ "[OPTIONS] TRACE|DATABASE",
				       "--sql QUERY [--csv|--json] [--csv-safe] DATABASE",
				       "--live [OPTIONS] [-- COMMAND ...]", NULL },
	.summary =
		"Prints what each process cost: the deltas of every counter, charged to the thread\n"
		"that was switched out, with what could not be proven kept apart.  Of PerfLib, the\n"
		"value of each counter in each interval.",
	.options = options,
	.examples =
		(const char *const[]){
			"the bill of a trace, with IPC and miss rates where it has the counters",
			"perftab-analyze --metrics perf.data",
			"threads as CSV, from a database made by perftab-convert",
			"perftab-analyze --by thread --csv perf.db",
			"counters of Windows, or of perftab-capture perflib, as CSV",
			"perftab-analyze --csv --counterset Processor counters.plb",
			"values of PerfLib in SQL, from a database",
			"perftab-analyze --sql 'SELECT * FROM perflib_value' perf.db",
			"do the books balance?", "perftab-analyze --check perf.data",
			"what each process of a command costs",
			"perftab-analyze --live -- sh -c 'ls -l | sort'", NULL },
};

/* --- the choices, as numbers --- */

/* The first is the default. */
static int find_word(const char *word, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!word || strcmp(word, words[i]) == 0)
			return i;
	return -1;
}

struct job {
	enum bill_by by;
	enum bill_rule rule;
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
	struct attribution *attribution;
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
	struct print_options print = print_options;

	print.top = top >= 0 ? top : format == FORMAT_TEXT ? default_lines(job) : 0;
	if (format == FORMAT_CSV) {
		if (job->in_blocks)
			print.csv_time_ns = pages->bill->report->trace.last_ns;
		print.csv_goes_on = job->printed > 0;
		print_table(pages, &print);
	} else if (format == FORMAT_JSON) {
		open_document(job);
		print_json(stdout, pages, &print);
		if (check)
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
	if (format == FORMAT_JSON)
		open_document(job);
	else if (format == FORMAT_TEXT && job->printed)
		fputs("\n", stdout);
}

static void open_values(struct job *job)
{
	static const enum value_form forms[] = { [FORMAT_TEXT] = VALUES_TEXT,
						 [FORMAT_CSV] = VALUES_CSV,
						 [FORMAT_JSON] = VALUES_JSON };
	struct value_report *report = &job->values;

	report->form = forms[format];
	report->print = print_options;
	report->print.top = top >= 0 ? top : 0;
	report->begin = begin_values;
	report->context = job;
	value_options.from_ns = from_ns;
	value_options.to_ns = to_ns;
	value_report_open(report, &value_options);
}

/* --- the check, and the report --- */

static void print_check(struct job *job, const struct report *report)
{
	if (format == FORMAT_CSV) {
		print_check_csv(stdout, report, &print_options);
	} else {
		fputs(job->printed ? "\n" : "", stdout);
		print_check_text(stdout, report);
	}
}

/* Each in the order asked for, where it has such a column; false: none has. */
static bool sort_pages(struct bill *bill, struct estimate *estimate,
		       struct counts *counts, const struct pages *pages)
{
	bool found = shows_bill(pages) && bill_sort(bill, sort_column);

	if (!found)
		(void)bill_sort(bill, NULL);
	if (pages->estimate && estimate_sort(estimate, sort_column))
		found = true;
	else if (pages->estimate)
		(void)estimate_sort(estimate, NULL);
	if (pages->counts && counts_sort(counts, sort_column))
		found = true;
	else if (pages->counts)
		(void)counts_sort(counts, NULL);
	return found;
}

/* In CSV, which has room for one, only the first of bill, samples and counts. */
static bool wants_estimate(const struct report *report)
{
	return estimate_any(report) && !(format == FORMAT_CSV && report->group_count);
}

static bool wants_counts(const struct report *report)
{
	return report->tally.stat_count &&
	       !(format == FORMAT_CSV && (report->group_count || estimate_any(report)));
}

static enum status make_pages(struct job *job, struct sink *sink,
			      const struct report *report)
{
	struct estimate estimate = { .report = NULL };
	struct counts counts = { .report = NULL };
	struct bill bill;
	struct pages pages = { &bill, NULL, NULL };
	bool made = bill_make(&bill, report, job->by, job->rule) &&
		    (!job->tree || job->by == BY_CPU || bill_keep_tree(&bill, job->tree));
	enum status status = ST_OK;

	if (made && wants_estimate(report)) {
		made = estimate_make(&estimate, report, job->by);
		pages.estimate = &estimate;
	}
	if (made && wants_counts(report)) {
		made = counts_make(&counts, report, job->by);
		pages.counts = &counts;
	}
	if (!made) {
		status = error_nomem(&sink->error);
	} else if (!sort_pages(&bill, &estimate, &counts, &pages)) {
		job->wrong_column = true;
		status = error_set(&sink->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "no column '%s' to sort by", sort_column);
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
	job->unbalanced |= check && check_each(report, NULL, NULL) > 0;
	if (check && format != FORMAT_JSON)
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
		progress_show(&job->progress, reader);
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
	cli_error(cli.name, job->path, text);
	job->damaged = true;
}

static int failed(const struct job *job, const struct reader *reader,
		  const struct sink *sink)
{
	if (reader->error.status == ST_INTERRUPTED)
		return EXIT_FAILED;
	cli_error(cli.name, job->path,
		  sink->error.status < ST_OK ? sink->error.text : reader->error.text);
	return job->wrong_column ? EXIT_USAGE : EXIT_FAILED;
}

static int analyze(struct job *job, struct reader *reader, struct sink *sink)
{
	struct attribution_hooks hooks = { job->live ? NULL : show_progress, tell_finding,
					   job };
	struct attribution attribution;
	enum status status;
	int result = EXIT_DONE;

	attribution_init(&attribution, sink, 1);
	attribution.from_ns = from_ns;
	attribution.to_ns = to_ns;
	attribution.is_live = job->in_blocks;
	job->attribution = &attribution;
	progress_begin(&job->progress, cli.name);
	status = attribution_run(&attribution, reader, &hooks);
	progress_end(&job->progress);
	if (status != ST_OK)
		result = failed(job, reader, sink);
	else if (job->printed == 0) {
		cli_error(cli.name, job->path, "holds no such trace");
		result = EXIT_FAILED;
	}
	attribution_release(&attribution);
	return result;
}

static int analyze_into_report(struct job *job, struct reader *reader)
{
	struct report_sink *report;
	struct sink sink;
	int result;

	if (sink_open(&sink, &report_sink_ops, NULL) != ST_OK) {
		cli_error(cli.name, job->path, sink.error.text);
		return EXIT_FAILED;
	}
	report = sink.state;
	report->done = print_report;
	report->context = job;
	report->from_ns = from_ns;
	report->to_ns = to_ns;
	if (input.want_values) {
		open_values(job);
		report->values = &job->values.values;
	}
	job->reader = reader->ops->name;
	result = analyze(job, reader, &sink);
	value_report_close(&job->values);
	if (format == FORMAT_JSON && job->opened)
		puts("\n]}");
	sink_close(&sink);
	return result;
}

static int finish(const struct job *job, int result)
{
	if (!cli_close_stdout(cli.name))
		result = EXIT_FAILED;
	if (result == EXIT_DONE && job->unbalanced) {
		cli_error(cli.name, job->path, "the books do not balance");
		result = EXIT_FAILED;
	}
	if (result == EXIT_DONE && job->damaged)
		result = strict ? EXIT_FAILED : EXIT_DAMAGED;
	return result;
}

static int run(struct job *job)
{
	struct reader reader;
	int result;

	input.want_values = !check;
	input.want_switches = check || from_ns != INT64_MIN || to_ns != INT64_MAX;
	input.trace_id = trace_id;
	if (reader_open(&reader, job->path, &input, all_formats) != ST_OK) {
		if (reader.error.status != ST_INTERRUPTED)
			cli_error(cli.name, job->path, reader.error.text);
		return EXIT_FAILED;
	}
	if (format == FORMAT_CSV && reader.trace_count > 1) {
		cli_error(
			cli.name, job->path,
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

	return attribution_interval(job->attribution, begin_ns, end_ns);
}

static void warn(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "%s: %s\n", cli.name, text);
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

	input.want_switches = check;
	job->path = "live";
	job->live = &live;
	job->in_blocks = interval_s > 0;
	if (live_open(&live, recording, &input, &reader) == ST_OK) {
		if (recording->command && !all_cpus)
			job->tree = live.recorder.workload.pid;
		result = finish(job, analyze_into_report(job, &reader));
		recorder_tell_losses(&live.recorder);
		reader_close(&reader);
	} else {
		fprintf(stderr, "%s: %s\n", cli.name, reader.error.text);
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

	if (interval_text && !cli_parse_seconds(interval_text, &interval_s))
		return cli_wrong_usage(&cli,
				       "-i takes a number of seconds above 0, not '%s'",
				       interval_text);
	if (duration_text && !cli_parse_seconds(duration_text, &seconds))
		return cli_wrong_usage(&cli,
				       "-d takes a number of seconds above 0, not '%s'",
				       duration_text);
	if (all_cpus && pid)
		return cli_wrong_usage(&cli, "-a and -p exclude one another");
	if (pid && first < argc)
		return cli_wrong_usage(&cli, "-p and a command exclude one another");
	recording.all_cpus = all_cpus;
	recording.pid = pid;
	recording.multiplex = multiplex;
	recording.command = first < argc ? argv + first : NULL;
	/* Which processes are the command's is told in the recorder's own numbers. */
	recording.follow_command =
		recording.command && !all_cpus && rights_in_pid_namespace();
	recording.event_lists = event_texts.count;
	memcpy(recording.events, event_texts.texts, sizeof(recording.events));
	return run_live(job, &recording, interval_s, seconds);
}

/* What only a live bill can have. */
static const char *live_option(void)
{
	return event_texts.count ? "-e"
	       : all_cpus	 ? "-a"
	       : pid		 ? "-p"
	       : interval_text	 ? "-i"
	       : duration_text	 ? "-d"
	       : multiplex	 ? "--multiplex"
				 : NULL;
}
#endif

/* --- a query --- */

/* What has no meaning for it. */
static const char *bill_option(void)
{
	const struct {
		const char *name;
		bool given;
	} others[] = {
		{ "--by", by_name },
		{ "--check", check },
		{ "--metrics", print_options.metrics },
		{ "--unproven", rule_name },
		{ "--from", from_ns != INT64_MIN },
		{ "--to", to_ns != INT64_MAX },
		{ "--sort", sort_column },
		{ "--top", top >= 0 },
		{ "--events", input.events },
		{ "--tracefs", input.tracefs },
		{ "--counterset", value_options.counterset },
		{ "--instance", value_options.instance },
		{ "--counter", value_options.counter },
		{ "--language", language },
		{ "--multi-timer", variant_name },
		{ "--trace", trace_id },
		{ "--strict", strict },
#ifdef PERFTAB_LIVE
		{ "--live", live_wanted },
#endif
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			return others[i].name;
	return NULL;
}

static int run_query(const char *path)
{
	const struct sql_options sql = { query, format == FORMAT_JSON,
					 print_options.csv_safe };
	struct error error = { .status = ST_OK };
	enum status status = sql_print(path, &sql, &error);

	if (!cli_close_stdout(cli.name))
		return EXIT_FAILED;
	if (status != ST_OK)
		cli_error(cli.name, path, error.text);
	return status == ST_OK ? EXIT_DONE : EXIT_FAILED;
}

int main(int argc, char **argv)
{
	static const char *const bys[] = { "process", "thread", "cpu", NULL };
	static const char *const rules[] = { "separate", "switched-out", NULL };
	static const char *const languages[] = { "english", "local", NULL };
	struct job job = { .printed = 0 };
	int first, by, rule, local, result = cli_parse(&cli, argc, argv, &first);

	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : result;
	by = find_word(by_name, bys);
	rule = find_word(rule_name, rules);
	local = find_word(language, languages);
	if (by < 0)
		return cli_wrong_usage(
			&cli, "--by takes process, thread or cpu, not '%s'", by_name);
	if (local < 0)
		return cli_wrong_usage(
			&cli, "--language takes english or local, not '%s'", language);
	if (variant_name &&
	    !perf_counter_variant_of(variant_name, &value_options.variant))
		return cli_wrong_usage(
			&cli, "--multi-timer takes share, ce, kit, sdk or pcq, not '%s'",
			variant_name);
	value_options.local = local == 1;
	if (rule < 0)
		return cli_wrong_usage(
			&cli, "--unproven takes separate or switched-out, not '%s'",
			rule_name);
	job.by = (enum bill_by)by;
	job.rule = (enum bill_rule)rule;
	if (query && bill_option())
		return cli_wrong_usage(&cli, "--sql and %s exclude one another",
				       bill_option());
#ifdef PERFTAB_LIVE
	if (live_wanted) {
		os_catch_interrupts();
		return main_live(&job, argc, argv, first);
	}
	if (live_option())
		return cli_wrong_usage(&cli, "%s goes with --live", live_option());
#endif
	if (argc - first != 1)
		return cli_wrong_usage(&cli, argc == first ? "no input given"
							   : "one input at a time");
	if (query)
		return run_query(argv[first]);
	job.path = argv[first];
	os_catch_interrupts();
	result = run(&job);
	os_die_of_interrupt();
	return result;
}
