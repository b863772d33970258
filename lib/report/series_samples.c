/* series_samples.c - adds up samples and times on CPUs by interval. */
#include "report/series.h"
#include "report/series_spool.h"

bool series_add_sample(struct series *series, const struct sample_row *row)
{
	bool has_cgroup = row->cgroup_id != INT_NONE && row->cgroup_id != 0;
	struct series_samples at = {
		.counter_id = row->counter_id,
		.thread_id = series->by == BY_CPU ? INT_NONE : row->thread_id,
		.cpu = series->by == BY_CPU ? row->cpu : INT_NONE,
		.samples = 1,
		.events = row->period == INT_NONE ? 0 : row->period,
	};
	bool done = true;

	if (row->ts_ns == INT_NONE || row->counter_id == INT_NONE)
		return true;
	if (series->bytes > SERIES_MEMORY_MAX && !series_spool(series))
		return false;
	if (!series_interval_at(series, row->ts_ns, &at.number, &done))
		return done;
	done = series_add_samples(series, &at);
	at.cgroup_id = row->cgroup_id;
	if (done && has_cgroup && series->by == BY_CGROUP)
		done = series_add_samples(series, &at);
	return done;
}

bool series_add_on_cpu(struct series *series, const struct switch_record_row *row)
{
	struct series_samples at = {
		.counter_id = INT_NONE,
		.thread_id = row->thread_id,
		.cpu = row->cpu,
		.samples = 1,
		.events = row->on_cpu_ns == INT_NONE ? 0 : row->on_cpu_ns,
	};
	bool done = true;

	if (row->thread_id == INT_NONE || row->ts_ns == INT_NONE)
		return true;
	if (series->bytes > SERIES_MEMORY_MAX && !series_spool(series))
		return false;
	return series_interval_at(series, row->ts_ns, &at.number, &done)
		       ? series_add_samples(series, &at)
		       : done;
}

/* --- one interval --- */

/* As rows of the summaries, so that the tally judges them as it does those. */
static bool load_sample(struct totals *totals, const struct series_samples *s,
			bool by_cpu)
{
	const struct sample_summary_row by_thread = { .thread_id = s->thread_id,
						      .counter_id = s->counter_id,
						      .samples = s->samples,
						      .events = s->events };
	const struct sample_cpu_summary_row on_cpu = { .cpu = s->cpu,
						       .counter_id = s->counter_id,
						       .samples = s->samples,
						       .events = s->events };
	const struct sample_cgroup_summary_row part = { .cgroup_id = s->cgroup_id,
							.thread_id = s->thread_id,
							.counter_id = s->counter_id,
							.samples = s->samples,
							.events = s->events };

	if (s->cgroup_id)
		return tally_on_row(
			totals, &(struct record){ .kind = RECORD_sample_cgroup_summary,
						  .data = &part });
	if (by_cpu)
		return tally_on_row(totals,
				    &(struct record){ .kind = RECORD_sample_cpu_summary,
						      .data = &on_cpu });
	return tally_on_row(totals, &(struct record){ .kind = RECORD_sample_summary,
						      .data = &by_thread });
}

static bool load_on_cpu(struct totals *totals, const struct series_samples *s)
{
	const struct on_cpu_summary_row row = { .thread_id = s->thread_id,
						.cpu = s->cpu,
						.switches = s->samples,
						.on_cpu_ns = s->events };

	return tally_on_row(totals, &(struct record){ .kind = RECORD_on_cpu_summary,
						      .data = &row });
}

static void list_thread(struct totals *totals, int64_t thread_id)
{
	struct totals_thread *thread =
		thread_id == INT_NONE
			? NULL
			: map_get(&totals->thread_by_id, (uint64_t)thread_id);

	if (thread)
		series_list_thread(totals, thread);
}

bool series_load_samples(const struct series_interval *interval, struct totals *totals,
			 bool by_cpu)
{
	bool done = true;

	for (const struct series_samples *s = interval->samples; s && done; s = s->next)
		if (!s->cgroup_id) {
			list_thread(totals, s->thread_id);
			done = load_sample(totals, s, by_cpu);
		}
	for (const struct series_samples *s = interval->samples; s && done; s = s->next)
		if (s->cgroup_id)
			done = load_sample(totals, s, by_cpu);
	for (const struct series_samples *s = interval->on_cpu; s && done; s = s->next) {
		list_thread(totals, s->thread_id);
		done = load_on_cpu(totals, s);
	}
	return done;
}
