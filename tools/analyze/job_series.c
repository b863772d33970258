/* job_series.c - collects the intervals of a recorded trace while it is read. */
#include "common/cli.h"
#include "job.h"
#include "over_time.h"

static bool on_interval(void *context, const struct record *record, bool in_interrupt)
{
	struct job *job = context;

	return series_add(&job->series, record, in_interrupt);
}

static bool on_sample(void *context, const struct sample_row *row)
{
	struct job *job = context;

	return series_add_sample(&job->series, row);
}

static bool on_on_cpu(void *context, const struct switch_record_row *row)
{
	struct job *job = context;

	return series_add_on_cpu(&job->series, row);
}

bool job_begin_series(struct job *job, const struct trace_row *range)
{
	const struct analyze_options *options = job->options;
	int64_t from_ns = options->from_ns, to_ns = options->to_ns;

	if (range->first_ns == INT_NONE) {
		cli_error(analyze_cli.name, job->path,
			  "the trace has no times (rounds of perf stat: the view "
			  "stat_interval, with --sql)");
		return false;
	}
	if (from_ns < range->first_ns)
		from_ns = range->first_ns;
	if (from_ns == INT64_MAX) /* of a damaged trace: an interval has an end */
		from_ns--;
	if (to_ns > range->last_ns)
		to_ns = range->last_ns + 1;
	job->has_series = true;
	if (series_begin(&job->series, options->by, from_ns,
			 to_ns > from_ns ? to_ns : from_ns + 1, options->interval_ns)) {
		if (options->form == FORM_TEXT)
			series_coarsen(&job->series, OVER_TIME_BARS);
		return true;
	}
	cli_error(analyze_cli.name, job->path,
		  "more than 1000000 intervals: choose a longer --interval");
	return false;
}

void job_hook_series(struct pipeline_hooks *hooks)
{
	hooks->interval = on_interval;
	hooks->sample = on_sample;
	hooks->on_cpu = on_on_cpu;
}
