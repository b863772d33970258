/* job_checks.c - refuses names, times and cuts that match nothing of a trace. */
#include "job.h"

#include <string.h>

#include "base/text.h"

/* Of several traces others may use it, but for --by with a table of its own. */
const char *job_bill_option(const struct job *job)
{
	const struct analyze_options *options = job->options;

	if (options->by_place || options->by_interrupt)
		return "--by";
	if (job->has_others)
		return NULL;
	return options->cpus ? "--cpu" : lines_option(options);
}

/* A name that nothing has is a mistake. */
enum status job_check_values(const struct job *job, struct error *error)
{
	const struct value_options *options = &job->options->values;
	const char *names[] = { options->counter, options->instance,
				options->counterset };
	static const char *const filters[] = { "--counter", "--instance",
					       "--counterset" };

	if (job_bill_option(job))
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "%s is for switches and samples, and these are values "
				 "of PerfLib",
				 job_bill_option(job));
	for (int s = 0; s < PERF_STATUSES; s++)
		if (job->values.values.statuses[s])
			return ST_OK;
	for (size_t i = 0; i < 3; i++)
		if (names[i])
			return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
					 "nothing matches %s '%.100s'", filters[i],
					 names[i]);
	return ST_OK;
}

/* Filters of values are not those of switches and samples. */
enum status job_check_no_values(const struct job *job, struct error *error)
{
	const struct value_options *options = &job->options->values;
	const char *name = options->counter		 ? "--counter"
			   : options->instance		 ? "--instance"
			   : options->counterset	 ? "--counterset"
			   : job->has_others		 ? NULL
			   : job->options->language >= 0 ? "--language"
			   : job->options->variant >= 0	 ? "--multi-timer"
							 : NULL;

	if (!name)
		return ST_OK;
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "%s is for values of PerfLib, and there are none", name);
}

struct cut_filter job_filter(const struct job *job)
{
	struct cut_filter filter = job->options->filter;

	if (job->is_live)
		filter.pid = INT_NONE;
	filter.root = job->tree ? job->tree : INT_NONE;
	filter.root_is_recorder = job->tree_of_recorder;
	return filter;
}

static bool has_times(const struct analyze_options *options)
{
	return options->from_ns != INT64_MIN || options->to_ns != INT64_MAX;
}

/* Whether the trace has such a thread, in the window or not. */
static bool knows_match(const struct totals *totals, const struct cut_filter *filter)
{
	const struct cut cut = { .filter = { .process = filter->process,
					     .pid = filter->pid,
					     .tid = filter->tid,
					     .root = INT_NONE } };

	for (const struct totals_thread *t = totals->threads; t; t = t->next)
		if (t->row.idle_cpu == INT_NONE && cut_passes(&cut, t))
			return true;
	return false;
}

/* Nothing passes the filter: the trace has no such task, or the window has none of it. */
static enum status report_matches(const struct job *job, struct error *error,
				  const struct totals *totals,
				  const struct cut_filter *filter)
{
	const struct analyze_options *options = job->options;
	char task[140], part[80];

	if (filter->process)
		text_print(task, sizeof(task), "process '%.100s'", filter->process);
	else
		text_print(task, sizeof(task), "%s %lld",
			   filter->pid != INT_NONE ? "process" : "thread",
			   (long long)(filter->pid != INT_NONE ? filter->pid
							       : filter->tid));
	if (!(has_times(options) || options->cpus) || !knows_match(totals, filter))
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET, "no %s ran",
				 task);
	text_print(part, sizeof(part), "%s%s%.40s",
		   has_times(options) ? " in this window" : "",
		   options->cpus ? " on CPU " : "",
		   options->cpus ? options->cpus_text : "");
	if (totals->group_count == 0)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "no sample of %s%s", task, part);
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "no interval of %s ended%s: an interval counts where it ends",
			 task, part);
}

/* A name or number that nothing has is a mistake, but for an interval of a live bill. */
enum status job_check_matches(const struct job *job, struct error *error,
			      const struct pages *pages)
{
	const struct cut_filter filter = job_filter(job);
	bool is_set = filter.process || filter.pid != INT_NONE || filter.tid != INT_NONE;

	if (!is_set || job->in_blocks || pages->bill->matches ||
	    (pages->estimate && pages->estimate->matches))
		return ST_OK;
	return report_matches(job, error, pages->bill->totals, &filter);
}

/* Only some recorders say in which control group a thread was. */
enum status job_check_cgroups(const struct job *job, struct error *error,
			      const struct totals *totals)
{
	struct str format = totals->trace.format;

	if (job->options->by != BY_CGROUP || totals->has_cgroups)
		return ST_OK;
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "--by cgroup: no sample says in which control group its thread "
			 "was: %s",
			 format.len && !str_equal(format, STR("perf.data"))
				 ? "only Linux has control groups"
				 : "record with --all-cgroups (perf record)");
}

/* CPUs that the machine does not have, and of which the trace has nothing. */
enum status job_check_cpus(const struct job *job, struct error *error,
			   const struct totals *totals)
{
	const struct analyze_options *options = job->options;
	int64_t count = totals->trace.cpu_count;

	if (!options->cpus || job->is_live || count == INT_NONE || totals->switches ||
	    totals->tally.by_cpu || totals->tally.by_thread || totals->tally.on_cpu)
		return ST_OK;
	for (int64_t cpu = 0; cpu < count && cpu < CPU_LIST_MAX; cpu++)
		if (options->cpus[cpu])
			return ST_OK;
	return error_set(
		error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
		"nothing was recorded on CPU %.40s: the machine had %lld, numbered "
		"from 0",
		options->cpus_text, (long long)count);
}

static void mark_cpu(bool *missing, int64_t cpu)
{
	if (cpu >= 0 && cpu < CPU_LIST_MAX)
		missing[cpu] = false;
}

/* CPUs that the trace has nothing of, as a warning or empty; before pages are made. */
void job_missing_cpus(const struct job *job, const struct totals *totals, char *text,
		      size_t size)
{
	const struct analyze_options *options = job->options;
	bool missing[CPU_LIST_MAX];
	char list[200];

	*text = '\0';
	/* perf stat counts and PerfLib values are not chosen by CPU. */
	if (!options->cpus || job->is_live || totals->tally.stat_count ||
	    job->values.values.any)
		return;
	memcpy(missing, options->cpus, sizeof(missing));
	for (size_t g = 0; g < totals->group_count; g++)
		for (const struct totals_cpu *c = totals->groups[g].cpus; c; c = c->next)
			if (c->summary.switches || c->summary.reads)
				mark_cpu(missing, c->summary.cpu);
	for (const struct tally_samples *s = totals->tally.by_cpu; s; s = s->next)
		mark_cpu(missing, s->cpu);
	for (const struct tally_on_cpu *o = totals->tally.on_cpu; o; o = o->next)
		mark_cpu(missing, o->row.cpu);
	cpu_list_print(list, sizeof(list), missing);
	if (list[0])
		text_print(text, size, "nothing was recorded on CPU %s%s", list,
			   has_times(options) ? " in this window" : "");
}

/* A window that nothing can be in is a mistake. */
enum status job_check_window(struct job *job, struct error *error,
			     const struct trace_row *trace)
{
	const struct analyze_options *options = job->options;
	char utc[WHEN_UTC_BYTES];

	if (job->is_live || trace->first_ns == INT_NONE ||
	    (options->from_ns <= trace->last_ns && options->to_ns > trace->first_ns &&
	     options->from_ns < options->to_ns))
		return ST_OK;
	job->wrong_usage = true;
	if (options->from_ns >= options->to_ns)
		return error_set(
			error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"the window holds nothing: its end, --to %.60s, is not after "
			"its start, --from %.60s",
			options->to_text, options->from_text);
	when_utc(utc, trace, trace->first_ns);
	return error_set(
		error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
		"the window holds nothing: the trace reaches from %lld to %lld ns, "
		"which is +0s to +%.3fs%s%s",
		(long long)trace->first_ns, (long long)trace->last_ns,
		(double)((uint64_t)trace->last_ns - (uint64_t)trace->first_ns) * 1e-9,
		utc[0] ? ", from " : "", utc);
}
