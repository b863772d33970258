/* series_samples.c - adds up samples and times on CPUs by interval. */
#include "base/wrap.h"
#include "report/series.h"
#include "report/series_spool.h"

bool series_add_samples(struct series *series, const struct series_samples *at)
{
	struct series_interval *interval = &series->intervals[at->number];
	bool is_time = at->counter_id == INT_NONE;
	struct map *map = is_time ? &series->on_cpu : &series->samples;
	struct series_samples **list = is_time ? &interval->on_cpu : &interval->samples;
	uint64_t key = (uint64_t)at->number * UINT64_C(0xd6e8feb86659fd93) +
		       (uint64_t)at->counter_id * UINT64_C(0xa0761d6478bd642f) +
		       (uint64_t)at->cgroup_id * UINT64_C(0x9e3779b97f4a7c15) +
		       (uint64_t)at->thread_id * UINT64_C(0xe7037ed1a0b428db) +
		       (uint64_t)at->cpu;
	struct series_samples *found = map_get(map, key);

	/* Keys may collide; then the next one is free, or is it. */
	while (found &&
	       (found->number != at->number || found->counter_id != at->counter_id ||
		found->cgroup_id != at->cgroup_id || found->thread_id != at->thread_id ||
		found->cpu != at->cpu))
		found = map_get(map, ++key);
	if (!found) {
		found = series_allocate(series, sizeof(*found));
		if (!found || !map_put(map, key, found))
			return false;
		*found = *at;
		found->samples = found->events = 0;
		found->next = *list;
		*list = found;
	}
	found->samples = wrap_add(found->samples, at->samples);
	found->events = wrap_add(found->events, at->events);
	return true;
}

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
