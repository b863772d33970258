/* job_places.c - counts samples by function or module while the trace is read. */
#include "job.h"
#include "symbols/symbols.h"

static bool on_sample(void *context, const struct sample_row *row)
{
	struct job *job = context;

	return places_add_sample(&job->places, row);
}

void job_hook_places(struct pipeline_hooks *hooks)
{
	hooks->sample = on_sample;
}

enum status job_make_places(struct job *job, struct pages *pages, struct view *view,
			    struct error *error)
{
	const struct cut_filter *filter = &job->options->filter;

	if (!pages->estimate || !pages->estimate->event_count)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "--by symbol and --by module: nothing was sampled");
	pages->by_place = job->options->by_place;
	pages->places = view;
	return places_make_view(&job->places, pages->by_place, pages->estimate, filter,
				view)
		       ? ST_OK
		       : error_nomem(error);
}

enum status job_open_symbols(const struct job *job, struct sink *sink,
			     struct sink *totals)
{
	const struct symbol_options options = { .ask = NULL };

	(void)job;
	return symbols_open(sink, totals, &options);
}
