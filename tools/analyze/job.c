/* job.c - reads one input, makes its pages and prints them. */
#include "job.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "common/suggest.h"
#include "report/totals_window.h"

#define LIVE_FRAME_LINES 12 /* of a block: its head, titles, sums, notes, the cursor */
#define CLEAR_SCREEN "\033[H\033[2J"

/* --- printing, a trace at a time --- */

/* Otherwise there is only something else. */
static bool shows_bill(const struct pages *pages)
{
	return pages->bill->totals->group_count || (!pages->estimate && !pages->counts);
}

/* CSV has room for one. */
static const struct view *csv_view(const struct pages *pages)
{
	if (pages->places)
		return pages->places;
	if (pages->by_interrupt)
		return &pages->interrupts->view;
	if (shows_bill(pages))
		return &pages->bill->view;
	return pages->estimate ? &pages->estimate->view : &pages->counts->view;
}

/* One that can be cleared. */
static bool is_screen(void)
{
	const char *kind = getenv("TERM");

	return kind && strcmp(kind, "") != 0 && strcmp(kind, "dumb") != 0 &&
	       os_is_terminal(OS_STDOUT);
}

/* As many as the terminal shows at once, when it is drawn again and again. */
static int64_t default_lines(const struct job *job)
{
	int columns, lines = 0;

	if (job->in_blocks && is_screen())
		os_terminal_size(OS_STDOUT, &columns, &lines);
	if (lines <= 0)
		return TEXT_LINES_DEFAULT;
	return lines > LIVE_FRAME_LINES ? lines - LIVE_FRAME_LINES : 1;
}

static void open_document(struct job *job)
{
	if (job->opened)
		fputs(",\n", stdout);
	else
		printf("{\"schema_version\": %d, \"traces\": [\n", JSON_SCHEMA_VERSION);
	job->opened = true;
}

static struct render_options render_options(const struct job *job)
{
	const struct analyze_options *options = job->options;

	return (struct render_options){
		.top = options->top >= 0 ? options->top : 0,
		.ratios = options->ratios,
		.csv_safe = options->csv_safe,
		.interrupts_only = options->by_interrupt,
		.from_ns = options->from_ns,
		.to_ns = options->to_ns,
		.cpus = options->cpus_text,
	};
}

static void print_text(const struct job *job, const struct pages *pages,
		       struct render_options *render)
{
	if (job->options->top < 0)
		render->top = default_lines(job);
	if (job->in_blocks) {
		render->one_block = is_screen(); /* a picture that fits */
		fputs(is_screen() ? CLEAR_SCREEN : job->printed ? "\n" : "", stdout);
		render_text_live(stdout, pages->bill, render);
	} else {
		fputs(job->printed ? "\n" : "", stdout);
		render_text(stdout, pages, render);
	}
}

/* Blocks have one header, and lines that begin with their interval. */
static void print_csv(const struct job *job, const struct view *view,
		      struct render_options *render, const struct trace_row *row)
{
	struct trace_row trace = *row;
	char cells[INTERVAL_CELLS];

	trace.wall_offset_ns = job->wall_offset_ns;
	if (job->in_blocks)
		csv_interval(render, cells, &trace, trace.first_ns, trace.last_ns);
	render->csv_goes_on = job->printed > 0;
	render_csv(stdout, view, render);
}

static void print_pages(struct job *job, const struct pages *pages,
			const struct check *check)
{
	struct render_options render = render_options(job);

	switch (job->options->form) {
	case FORM_CSV:
		print_csv(job, csv_view(pages), &render, &pages->bill->totals->trace);
		break;
	case FORM_JSON:
		open_document(job);
		render_json(stdout, pages, &render);
		if (job->options->check)
			json_check(stdout, check);
		fputs("}", stdout);
		break;
	default:
		print_text(job, pages, &render);
	}
}

static void print_check(struct job *job, struct check *check,
			const struct trace_row *trace)
{
	struct render_options render = render_options(job);

	render.top = 0;
	if (job->options->form == FORM_CSV) {
		print_csv(job, &check->view, &render, trace);
		return;
	}
	fputs(job->printed ? "\n" : "", stdout);
	render_text_check(stdout, check);
}

/* --- values of PerfLib --- */

/* Before the first of a trace. */
static void begin_values(void *context)
{
	struct job *job = context;

	progress_end(&job->progress);
	if (job->options->form == FORM_JSON)
		open_document(job);
	else if (job->options->form == FORM_TEXT && job->printed)
		fputs("\n", stdout);
}

static void open_values(struct job *job)
{
	struct value_report *report = &job->values;
	struct value_options values = job->options->values;

	report->form = (enum form)job->options->form;
	report->options = render_options(job);
	report->begin = begin_values;
	report->context = job;
	values.from_ns = job->options->from_ns;
	values.to_ns = job->options->to_ns;
	values.interval_ns = job->options->interval_ns;
	value_report_open(report, &values);
	/* job_check_values() refuses them at the end of the trace. */
	if (job_bill_option(job))
		report->values.line = NULL;
	if (!job->html)
		return;
	report->values.options.keep = true;
	report->values.line = html_add_value;
	report->values.context = job->html;
}

static enum status end_values(struct job *job, struct sink *sink,
			      const struct totals *totals)
{
	enum status status = job_check_values(job, &sink->error);

	if (status == ST_OK && job->html)
		return html_write_values(job->html, &job->values.values, totals,
					 &sink->error);
	if (status == ST_OK && !value_report_end(&job->values, totals))
		status = error_set(&sink->error, ST_LIMIT, ERROR_NO_OFFSET,
				   "too many values for the memory there is: choose with "
				   "--counterset, --instance, --counter");
	return status;
}

/* --- the totals of a trace have come --- */

/* Each in the order asked for, where it has such a column; false: none shown has. */
static bool sort_pages(const struct pages *pages, const char *column)
{
	const bool of_tasks = !pages->by_interrupt && !pages->places;
	const struct {
		struct view *view;
		bool is_shown;
	} parts[] = {
		{ &pages->bill->view, of_tasks && shows_bill(pages) },
		{ pages->estimate ? &pages->estimate->view : NULL, of_tasks },
		{ pages->counts ? &pages->counts->view : NULL, of_tasks },
		{ pages->interrupts ? &pages->interrupts->view : NULL,
		  pages->by_interrupt },
		{ pages->places, true },
	};
	bool found = false;

	for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
		if (!parts[i].view)
			continue;
		if (parts[i].is_shown && view_sort(parts[i].view, column))
			found = true;
		else
			(void)view_sort(parts[i].view, NULL);
	}
	return found;
}

/* There is none of that name: which there are. */
static enum status report_column(struct error *error, const struct pages *pages,
				 const char *name)
{
	const struct view *view = csv_view(pages);
	char hint[SUGGEST_TEXT], listed[140] = "", column[200];
	struct suggest nearest;
	size_t at = 0;

	suggest_begin(&nearest, str_of(name));
	for (size_t i = 0; i < view->column_count; i++) {
		if (!(view->columns[i].forms & VIEW_CSV))
			continue;
		text_shown(column, sizeof(column), view->columns[i].name, 40);
		suggest_offer(&nearest, column);
		if (at + strlen(column) + 8 < sizeof(listed))
			at += text_print(listed + at, sizeof(listed) - at, "%s%s",
					 at ? ", " : "", column);
	}
	suggest_text(&nearest, hint, sizeof(hint));
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "no column '%.40s' to sort by%s; columns are %s", name, hint,
			 listed);
}

/* In CSV, which has room for one, only the first of bill, samples and counts. */
static bool wants_estimate(const struct job *job, const struct totals *totals)
{
	return estimate_any(totals) &&
	       (job->options->by_place ||
		!(job->options->form == FORM_CSV && totals->group_count));
}

static bool wants_counts(const struct job *job, const struct totals *totals)
{
	return totals->tally.stat_count &&
	       !(job->options->form == FORM_CSV &&
		 (totals->group_count || estimate_any(totals)));
}

/* The bill over time; it leaves out counters not read at switches. */
static enum status print_series(struct job *job, struct sink *sink,
				const struct pages *pages)
{
	const struct analyze_options *options = job->options;
	struct over_time over = {
		.series = &job->series,
		.bill = pages->bill,
		.filter = job_filter(job),
		.render = render_options(job),
		.sort_column = options->sort_column,
	};

	if (!shows_bill(pages))
		over.estimate = pages->estimate;
	if (pages->bill->totals->group_count == 0 && !pages->estimate)
		return error_set(&sink->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "--interval: nothing was sampled, and no counters were "
				 "read at context switches");
	if (options->form == FORM_JSON) {
		open_document(job);
		render_json_open(stdout, pages);
	} else if (options->form == FORM_TEXT) {
		if (options->top < 0)
			over.render.top = TEXT_LINES_DEFAULT;
		fputs(job->printed ? "\n" : "", stdout);
	}
	if (!over_time_print(stdout, &over, (enum form)options->form))
		return error_nomem(&sink->error);
	return ST_OK;
}

/* What pages point to. */
struct parts {
	struct bill bill;
	struct estimate estimate;
	struct counts counts;
	struct interrupt_bill interrupts;
	struct view places;
};

/* False: out of memory. */
static bool make_parts(const struct job *job, struct totals *totals, struct parts *parts,
		       struct pages *pages)
{
	const struct analyze_options *options = job->options;
	const struct cut_filter filter = job_filter(job);
	const enum cut_by by = html_lines_by(options);

	pages->bill = &parts->bill;
	if (!bill_make(&parts->bill, totals, by, options->rule, &filter))
		return false;
	if (options->ratios || job->html)
		bill_add_ratios(&parts->bill);
	if (totals->has_interrupts) {
		pages->interrupts = &parts->interrupts;
		pages->by_interrupt = options->by_interrupt;
		if (!interrupt_bill_make(&parts->interrupts, &parts->bill))
			return false;
	}
	if (wants_estimate(job, totals)) {
		pages->estimate = &parts->estimate;
		if (!estimate_make(&parts->estimate, totals, by, &filter))
			return false;
	}
	if (!wants_counts(job, totals))
		return true;
	pages->counts = &parts->counts;
	return counts_make(&parts->counts, totals, options->by == BY_CPU);
}

static void release_parts(struct parts *parts)
{
	bill_release(&parts->bill);
	interrupt_bill_release(&parts->interrupts);
	estimate_release(&parts->estimate);
	view_release(&parts->places);
	counts_release(&parts->counts);
}

/* Refuses what was asked for and is not in the trace. */
static enum status check_pages(struct job *job, const struct totals *totals,
			       struct parts *parts, struct pages *pages,
			       struct error *error)
{
	const struct analyze_options *options = job->options;

	if (job_check_cgroups(job, error, totals) != ST_OK)
		return error->status;
	if (options->by_interrupt && !pages->interrupts)
		return error_set(
			error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"--by interrupt: no interrupts were recorded with "
			"counters; on Linux perftab-capture perf --interrupts does");
	if (options->by_place &&
	    job_make_places(job, pages, &parts->places, error) != ST_OK)
		return error->status;
	return job_check_matches(job, error, pages);
}

static enum status write_pages(struct job *job, struct sink *sink,
			       const struct pages *pages, const struct check *check)
{
	const struct render_options render = render_options(job);

	if (job->has_series)
		return print_series(job, sink, pages);
	if (job->html)
		return html_write_bill(job->html, pages, &render, &sink->error);
	print_pages(job, pages, check);
	return ST_OK;
}

static enum status report_totals(struct job *job, struct sink *sink,
				 struct totals *totals, const struct check *check)
{
	const struct analyze_options *options = job->options;
	const struct cut_filter filter = job_filter(job);
	struct parts parts = { .places = { .lines = NULL } };
	struct pages pages = { .bill = NULL };
	enum status status = make_parts(job, totals, &parts, &pages)
				     ? ST_OK
				     : error_nomem(&sink->error);

	if (status == ST_OK)
		status = check_pages(job, totals, &parts, &pages, &sink->error);
	if (status == ST_OK && !sort_pages(&pages, options->sort_column) &&
	    !html_cut_sorts(totals, options, &filter)) {
		job->wrong_usage = true;
		status = report_column(&sink->error, &pages, options->sort_column);
	}
	if (status == ST_OK)
		status = write_pages(job, sink, &pages, check);
	release_parts(&parts);
	return status;
}

static enum status on_totals(void *context, struct sink *sink, struct totals *totals)
{
	struct job *job = context;
	struct check check = { .unbalanced = 0 };
	enum status status = ST_OK;
	char missing[300];

	progress_end(&job->progress);
	if (job_check_window(job, &sink->error, &totals->trace) != ST_OK ||
	    job_check_cpus(job, &sink->error, totals) != ST_OK ||
	    (!job->values.values.any && job_check_no_values(job, &sink->error) != ST_OK))
		return sink->error.status;
	if (job->options->from_ns != INT64_MIN || job->options->to_ns != INT64_MAX ||
	    job->options->cpus)
		totals_limit_findings(totals);
	job_missing_cpus(job, totals, missing, sizeof(missing));
	if (job->options->check && !check_make(&check, totals))
		status = error_nomem(&sink->error);
	job->unbalanced |= check.unbalanced > 0;
	job->nothing_to_check |= job->options->check && check.view.line_count == 0;
	if (status != ST_OK)
		;
	else if (job->options->check && job->options->form != FORM_JSON)
		print_check(job, &check, &totals->trace);
	else if (job->values.values.any)
		status = end_values(job, sink, totals);
	else
		status = report_totals(job, sink, totals, &check);
	check_release(&check);
	if (status == ST_OK && missing[0])
		cli_error(analyze_cli.name, job->path, missing);
	job->traces++;
	job->printed++;
	return status;
}

/* --- messages --- */

static void show_progress(void *context, const struct reader *reader)
{
	struct job *job = context;

	if (job->values.lines == 0)
		progress_show(&job->progress, reader_done_bytes(reader),
			      reader_all_bytes(reader));
}

static void report_finding(void *context, const struct finding_row *finding)
{
	struct job *job = context;

	if (!str_equal(finding->severity, STR("damage")))
		return;
	progress_end(&job->progress);
	cli_finding(analyze_cli.name, job->path, job->reader, finding->text);
	job->damaged = true;
}

static int report_failure(const struct job *job, const struct reader *reader,
			  const struct sink *sink)
{
	if (reader->error.status == ST_INTERRUPTED)
		return EXIT_FAILED;
	cli_error(analyze_cli.name, job->path,
		  sink->error.status < ST_OK ? sink->error.text
		  : reader->error.status < ST_OK
			  ? reader->error.text
			  : "too many threads and intervals for the "
			    "memory there is: choose a longer "
			    "--interval");
	return job->wrong_usage ? EXIT_USAGE : EXIT_FAILED;
}

/* --- the whole --- */

static int analyze(struct job *job, struct reader *reader, struct sink *sink)
{
	struct pipeline_hooks hooks = { .progress = job->is_live ? NULL : show_progress,
					.finding = report_finding,
					.trace = job->on_trace,
					.context = job };
	struct pipeline pipeline;
	enum status status;
	int result = EXIT_DONE;

	pipeline_init(&pipeline, sink, 1);
	pipeline.from_ns = job->options->from_ns;
	pipeline.to_ns = job->options->to_ns;
	pipeline.is_live = job->in_blocks;
	pipeline.cpus = job->options->cpus;
	pipeline.cpu_count = CPU_LIST_MAX;
	if (job->has_series)
		job_hook_series(&hooks);
	else if (job->html)
		job_hook_html(&hooks);
	else if (job->options->by_place)
		job_hook_places(&hooks);
	job->pipeline = &pipeline;
	progress_begin(&job->progress, analyze_cli.name);
	status = pipeline_run(&pipeline, reader, &hooks);
	progress_end(&job->progress);
	if (status != ST_OK) {
		result = report_failure(job, reader, sink);
	} else if (job->traces == 0) {
		cli_error(analyze_cli.name, job->path, "holds no such trace");
		result = EXIT_FAILED;
	}
	pipeline_release(&pipeline);
	return result;
}

int job_run(struct job *job, struct reader *reader)
{
	struct totals_sink *totals;
	struct sink sink, symbols;
	int result;

	if (sink_open(&sink, &totals_sink_ops, NULL) != ST_OK) {
		cli_error(analyze_cli.name, job->path, sink.error.text);
		return EXIT_FAILED;
	}
	totals = sink.state;
	totals->done = on_totals;
	totals->context = job;
	totals->from_ns = job->options->from_ns;
	totals->to_ns = job->options->to_ns;
	totals->cpus = job->options->cpus;
	totals->cpu_count = CPU_LIST_MAX;
	if (job->options->input.want_values) {
		open_values(job);
		totals->values = &job->values.values;
	}
	if (job->options->by_place) {
		places_begin(&job->places, totals->from_ns, totals->to_ns);
		totals->places = &job->places;
	}
	job->reader = reader->ops->name;
	if (job->options->by_place && !reader->ops->emits_rows &&
	    job_open_symbols(job, &symbols, &sink) == ST_OK) {
		result = analyze(job, reader, &symbols);
		sink_close(&symbols);
	} else {
		result = analyze(job, reader, &sink);
	}
	value_report_close(&job->values);
	sink_close(&sink);
	if (job->options->by_place)
		places_release(&job->places);
	return result;
}

int job_end_input(const struct job *job, int result)
{
	fflush(stdout); /* the report precedes what is said of it */
	if (result == EXIT_DONE && job->unbalanced) {
		cli_error(analyze_cli.name, job->path, "the books do not balance");
		result = EXIT_FAILED;
	}
	if (result == EXIT_DONE && job->nothing_to_check) {
		cli_error(analyze_cli.name, job->path,
			  "nothing to check: no counters were read at context switches");
		result = EXIT_FAILED;
	}
	if (result == EXIT_DONE && job->damaged)
		result = job->options->strict ? EXIT_FAILED : EXIT_DAMAGED;
	return result;
}

int job_finish(const struct job *job, int result)
{
	if (job->opened)
		puts("\n]}");
	if (!html_file(job->options) && !job->stdout_failed &&
	    !cli_close_stdout(analyze_cli.name))
		result = EXIT_FAILED;
	if ((result == EXIT_DONE || result == EXIT_DAMAGED) && memory_failed()) {
		cli_error(analyze_cli.name, job->path, "out of memory");
		result = EXIT_FAILED;
	}
	return result;
}
