/* run_file.c - opens each input and has its report printed; see run_file.h. */
#include "run_file.h"

#include "base/array.h"
#include "formats/formats.h"
#include "job.h"
#include "range.h"

/* Times that depend on the trace; false: it was reported why not. */
static bool resolve_times(struct analyze_options *options, const char *path,
			  struct trace_row *range)
{
	bool is_clock =
		options->from.kind <= WHEN_CLOCK && options->to.kind <= WHEN_CLOCK;
	struct error error = { .status = ST_OK };
	bool has_wall;

	if (is_clock && !options->interval_ns)
		return true;
	if (range_read(path, &options->input, range, &error) != ST_OK) {
		if (error.status != ST_INTERRUPTED)
			cli_error(analyze_cli.name, path, error.text);
		return false;
	}
	has_wall = when_resolve(&options->from, range, &options->from_ns) &&
		   when_resolve(&options->to, range, &options->to_ns);
	if (options->from.kind == WHEN_NONE)
		options->from_ns = INT64_MIN;
	if (options->to.kind == WHEN_NONE)
		options->to_ns = INT64_MAX;
	if (!has_wall)
		cli_error(
			analyze_cli.name, path,
			range->first_ns == INT_NONE
				? "the trace has no times"
				: "the trace does not say how its clock relates to wall "
				  "time: give times as +3s from its start");
	return has_wall;
}

static int run_reader(struct job *job, struct reader *reader)
{
	const struct analyze_options *options = job->options;

	if (options->trace_id > 1 && !reader->trace_count) { /* not of a database */
		cli_error(analyze_cli.name, job->path,
			  "holds no such trace: it is one trace, number 1");
		return EXIT_FAILED;
	}
	if ((options->form == FORM_CSV || options->html) && reader->trace_count > 1) {
		cli_error(
			analyze_cli.name, job->path,
			options->html
				? "holds several traces, and a page shows one: choose it "
				  "with --trace ID"
				: "holds several traces, and CSV shows one: choose it "
				  "with --trace ID");
		return EXIT_USAGE;
	}
	job->has_others |= reader->trace_count > 1;
	return job_run(job, reader);
}

/* So many lines of processes are all that is shown; 0: it needs every thread. */
static size_t lines_shown(const struct analyze_options *o)
{
	bool is_plain = o->form == FORM_TEXT && o->by == BY_PROCESS && !o->by_place &&
			!o->by_interrupt && !o->check && !o->html && !o->interval_ns &&
			!o->sort_column && !o->filter.process &&
			o->filter.pid == INT_NONE && o->filter.tid == INT_NONE &&
			!o->rule.unproven_to_threads && !o->rule.with_idle_to_threads &&
			!o->rule.interrupts_to_threads;

	if (!is_plain)
		return 0;
	return o->top < 0 ? TEXT_LINES_DEFAULT : (size_t)o->top;
}

static int read_file(struct job *job)
{
	const struct analyze_options *options = job->options;
	char *input = (char *)(uintptr_t)job->path;
	struct html html;
	struct reader reader;
	int result;

	if (reader_open(&reader, job->path, &options->input, all_formats) != ST_OK) {
		if (reader.error.status != ST_INTERRUPTED)
			cli_error(analyze_cli.name, job->path, reader.error.text);
		return EXIT_FAILED;
	}
	if (options->html && !html_begin(&html, options, &input, 1)) {
		reader_close(&reader);
		return EXIT_FAILED;
	}
	job->html = options->html ? &html : NULL;
	result = run_reader(job, &reader);
	reader_close(&reader);
	if (job->html) {
		result = html_finish(&html, result);
		html_end(&html);
	}
	return result;
}

static int run_file(struct job *job, struct analyze_options *options)
{
	struct trace_row range;
	int result;

	row_clear(&tables[RECORD_trace], &range);
	if (!resolve_times(options, job->path, &range))
		return EXIT_FAILED;
	if (options->interval_ns && !job_begin_series(job, &range))
		return EXIT_USAGE;
	options->input.top_processes = job->tree ? 0 : lines_shown(options);
	result = read_file(job);
	series_end(&job->series);
	return job_end_input(job, result);
}

static int worse(int result, int other)
{
	static const int order[] = { EXIT_FAILED, EXIT_USAGE, EXIT_DAMAGED };

	for (size_t i = 0; i < ARRAY_COUNT(order); i++)
		if (result == order[i] || other == order[i])
			return order[i];
	return EXIT_DONE;
}

int run_files(struct analyze_options *options, char **inputs, size_t count, int64_t root)
{
	struct job job = { .options = options };
	int result = EXIT_DONE;

	for (size_t i = 0; i < count; i++) {
		job = (struct job){ .options = options,
				    .path = inputs[i],
				    .has_others = count > 1,
				    .printed = job.printed,
				    .opened = job.opened,
				    .tree = root,
				    .tree_of_recorder = true };
		result = worse(result, run_file(&job, options));
	}
	return job_finish(&job, result);
}
