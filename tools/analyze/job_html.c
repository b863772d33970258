/* job_html.c - collects what a page shows over time while a trace is read. */
#include "job.h"

static bool on_interval(void *context, const struct record *record, bool in_interrupt)
{
	struct job *job = context;

	return collect_interval(&job->html->collect, record, in_interrupt);
}

static bool on_run(void *context, const struct run_rows *rows)
{
	struct job *job = context;

	return collect_run(&job->html->collect, rows);
}

static bool on_sample(void *context, const struct sample_row *row)
{
	struct job *job = context;

	if (job->options->by_place && !places_add_sample(&job->places, row))
		return false;
	return collect_sample(&job->html->collect, row);
}

static bool on_on_cpu(void *context, const struct switch_record_row *row)
{
	struct job *job = context;

	return collect_on_cpu(&job->html->collect, row);
}

void job_hook_html(struct pipeline_hooks *hooks)
{
	hooks->interval = on_interval;
	hooks->interval_run = on_run;
	hooks->sample = on_sample;
	hooks->on_cpu = on_on_cpu;
}
