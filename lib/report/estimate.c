/* estimate.c - makes the lines of what was sampled. */
#include "report/estimate.h"

#include "base/text.h"
#include "base/wrap.h"

bool estimate_any(const struct totals *totals)
{
	return totals->tally.column_count ||
	       (totals->tally.on_cpu && totals->group_count == 0);
}

bool estimate_has_periods(const struct estimate *estimate, size_t event)
{
	return estimate->view.total->numbers[estimate->sums + event] != INT_NONE;
}

/* --- lines --- */

static void add_samples(const struct estimate *estimate, struct view_line *line,
			const struct tally_samples *samples)
{
	int64_t *cells[] = {
		&line->numbers[ESTIMATE_SAMPLES],
		&line->numbers[ESTIMATE_EVENT_SAMPLES + samples->event->column],
	};
	int64_t *sum = &line->numbers[estimate->sums + samples->event->column];

	for (size_t i = 0; i < 2; i++)
		*cells[i] = wrap_add(*cells[i], samples->samples);
	*sum = wrap_add(*sum, samples->events);
}

static void add_on_cpu(struct view_line *line, const struct on_cpu_summary_row *row)
{
	line->numbers[CUT_SWITCHES] =
		wrap_add(line->numbers[CUT_SWITCHES], row->switches);
	line->numbers[CUT_ON_CPU] = wrap_add(line->numbers[CUT_ON_CPU], row->on_cpu_ns);
}

static struct view_line *samples_line(struct cut *cut,
				      const struct tally_samples *samples)
{
	if (cut->by == BY_CPU)
		return cut_cpu_line(cut, samples->cpu);
	return samples->thread ? cut_thread_line(cut, samples->thread)
			       : cut_unattributed_line(cut);
}

/* A thread counts once in a control group, however many events were sampled there. */
static bool count_thread(struct map *counted, struct view_line *line,
			 const struct tally_samples *samples)
{
	uint64_t key = map_key((intptr_t)samples->thread, samples->cgroup_id, 0, 0);
	const struct tally_samples *found;

	MAP_FIND(counted, key, found,
		 found->thread == samples->thread &&
			 found->cgroup_id == samples->cgroup_id);
	if (found)
		return true;
	if (line->numbers[CUT_THREADS] != INT_NONE)
		line->numbers[CUT_THREADS]++;
	return map_put(counted, key, (void *)(uintptr_t)samples);
}

/* Adds the samples of a thread in no known control group, if there are any. */
static bool add_rest(struct estimate *estimate, struct cut *cut, struct map *counted,
		     const struct tally_samples *samples)
{
	struct tally_samples rest = *samples;
	struct view_line *line;

	if (samples->samples == samples->part_samples)
		return true;
	rest.samples = wrap_sub(samples->samples, samples->part_samples);
	rest.events = wrap_sub(samples->events, samples->part_events);
	line = samples->thread ? cut_cgroup_line(cut, samples->thread, 0)
			       : cut_unattributed_line(cut);
	if (line)
		add_samples(estimate, line, &rest);
	return line && (!samples->thread || count_thread(counted, line, samples));
}

static bool add_cgroups(struct estimate *estimate, struct cut *cut)
{
	const struct tally *tally = &estimate->totals->tally;
	struct map counted = { NULL, 0, 0 };
	bool done = true;

	for (const struct tally_samples *s = tally->by_cgroup; s && done; s = s->next) {
		struct view_line *line =
			s->thread ? cut_cgroup_line(cut, s->thread, s->cgroup_id)
				  : cut_unattributed_line(cut);

		if (line)
			add_samples(estimate, line, s);
		done = line && (!s->thread || count_thread(&counted, line, s));
	}
	for (const struct tally_samples *s = tally->by_thread; s && done; s = s->next)
		done = add_rest(estimate, cut, &counted, s);
	map_release(&counted);
	return done;
}

static bool add_all(struct estimate *estimate, struct cut *cut)
{
	const struct tally *tally = &estimate->totals->tally;
	struct view_line *line;

	for (const struct tally_samples *s = cut->by == BY_CPU ? tally->by_cpu
							       : tally->by_thread;
	     s; s = s->next) {
		line = samples_line(cut, s);
		if (!line)
			return false;
		add_samples(estimate, line, s);
	}
	for (const struct tally_on_cpu *o = tally->on_cpu; o && estimate->is_timed;
	     o = o->next) {
		line = cut->by == BY_CPU ? cut_cpu_line(cut, o->row.cpu)
					 : cut_thread_line(cut, o->thread);
		if (!line)
			return false;
		add_on_cpu(line, &o->row);
	}
	return true;
}

/* The rows that always are, and how many threads each process has. */
static bool complete(struct estimate *estimate, struct cut *cut)
{
	for (const struct totals_thread *t = estimate->totals->threads; t; t = t->next) {
		struct view_line *line;

		if (cut->by == BY_THREAD || cut->by == BY_CGROUP ||
		    (!t->is_sampled && !(t->is_switched && estimate->is_timed)))
			continue;
		line = cut_thread_line(cut, t);
		if (!line)
			return false;
		if (line->numbers[CUT_THREADS] != INT_NONE)
			line->numbers[CUT_THREADS]++;
	}
	return cut_complete_idle(cut) &&
	       cut_add_named(cut, LINE_WITH_IDLE, STR("(with idle)")) &&
	       cut_unattributed_line(cut) && cut_join(cut);
}

/* --- what is not known --- */

static void forget(struct view *view, size_t cell)
{
	for (size_t i = 0; i < view->line_count; i++)
		if (view_sums(view->lines[i]))
			view->lines[i]->branch->sums[cell] = INT_NONE;
	for (size_t i = 0; i < view->line_count; i++)
		view->lines[i]->numbers[cell] = INT_NONE;
	view->total->numbers[cell] = INT_NONE;
}

static void mark_unknown(struct estimate *estimate)
{
	struct view *view = &estimate->view;
	int64_t most = 0;

	for (size_t i = 0; i < view->line_count; i++) {
		struct view_line *line = view->lines[i];

		line->is_csv_only = line->kind != LINE_TASK &&
				    line->numbers[ESTIMATE_SAMPLES] == 0 &&
				    line->numbers[CUT_SWITCHES] == 0;
	}
	if (!estimate->is_timed) {
		forget(view, CUT_SWITCHES);
		forget(view, CUT_ON_CPU);
	}
	estimate->heaviest = SIZE_MAX;
	for (size_t i = 0; i < estimate->event_count; i++) {
		int64_t total = view->total->numbers[estimate->sums + i];

		if (!estimate->events[i]->has_periods)
			forget(view, estimate->sums + i);
		if (total <= most)
			continue;
		most = total;
		estimate->heaviest = i;
	}
}

/* --- columns --- */

/* Of CSV; text shows the share of each as well, or the samples if they say no more. */
void estimate_add_event(const struct estimate *estimate, struct view *view, size_t i,
			size_t samples, size_t sum)
{
	struct str name = estimate->events[i]->row.name;
	bool has_periods = estimate_has_periods(estimate, i);
	char shown[240], title[260];
	struct view_column *column =
		view_add_column(view, VIEW_NUMBER, VIEW_CSV, "", sum);

	column->name = name;
	column->is_event = true;
	column->tie = samples;
	if (i == estimate->heaviest)
		view->first_key = view_last_column(view);
	text_shown(shown, sizeof(shown), name, VIEW_TITLE_WIDTH);
	text_print(title, sizeof(title), "%s%s", shown, has_periods ? "" : " (samples)");
	column = view_add_column(view, VIEW_WITH_SHARE, VIEW_TEXT, "",
				 has_periods ? sum : samples);
	column->title = arena_str(&view->arena, str_of(title));
}

/* Adds the columns of sums of a line of a tree and of all lines below it. */
static void add_tree_columns(struct estimate *estimate)
{
	struct view *view = &estimate->view;
	struct view_column *column;
	char name[300];

	for (size_t i = 0; i < estimate->event_count; i++) {
		struct str of = estimate->events[i]->row.name;

		text_print(name, sizeof(name), "tree_%.*s", (int)of.len, of.ptr);
		column = view_add_column(view, VIEW_NUMBER, VIEW_CSV, "",
					 estimate->sums + i);
		column->name = arena_str(&view->arena, str_of(name));
		column->is_sum = true;
		column->tie = ESTIMATE_EVENT_SAMPLES + i;
		if (i == estimate->heaviest)
			view->first_key = view_last_column(view);
	}
	view_add_column(view, VIEW_NUMBER, VIEW_CSV | VIEW_JSON, "tree_on_cpu_ns",
			CUT_ON_CPU)
		->is_sum = true;
	column = view_add_column(view, VIEW_NUMBER, VIEW_CSV | VIEW_JSON | VIEW_TEXT,
				 "tree_samples", ESTIMATE_SAMPLES);
	column->title = STR("with children");
	column->is_sum = true;
	if (estimate->heaviest == SIZE_MAX && view->total->numbers[ESTIMATE_SAMPLES])
		view->first_key = view_last_column(view);
}

static void add_columns(struct estimate *estimate)
{
	struct view *view = &estimate->view;
	unsigned timed = estimate->is_timed ? VIEW_TEXT : 0;
	unsigned data = VIEW_CSV | VIEW_JSON;
	size_t on_cpu, samples;

	cut_add_columns(view, estimate->by);
	view_add_column(view, VIEW_NUMBER, VIEW_TEXT, "samples", ESTIMATE_SAMPLES);
	view_add_column(view, VIEW_NUMBER, data | timed, "switches", CUT_SWITCHES);
	view_add_column(view, VIEW_NS, data | timed, "on_cpu_ns", CUT_ON_CPU)->title =
		STR("on-CPU ms");
	on_cpu = view_last_column(view);
	view_add_column(view, VIEW_NUMBER, VIEW_JSON, "samples", ESTIMATE_SAMPLES);
	samples = view_last_column(view);
	view_add_column(view, VIEW_LIST, VIEW_JSON, "event_samples",
			ESTIMATE_EVENT_SAMPLES)
		->count = estimate->event_count;
	view_add_column(view, VIEW_LIST, VIEW_JSON, "events", estimate->sums)->count =
		estimate->event_count;
	view->tie = ESTIMATE_SAMPLES;
	view->first_key = view->total->numbers[ESTIMATE_SAMPLES] ? samples : on_cpu;
	for (size_t i = 0; i < estimate->event_count; i++)
		estimate_add_event(estimate, view, i, ESTIMATE_EVENT_SAMPLES + i,
				   estimate->sums + i);
	view_add_column(view, VIEW_NUMBER, VIEW_CSV, "samples", ESTIMATE_SAMPLES);
	if (estimate->by == BY_TREE)
		add_tree_columns(estimate);
	if (estimate->by == BY_CPU)
		view->first_key = 0;
}

/* --- making an estimate --- */

bool estimate_make(struct estimate *estimate, const struct totals *totals, enum cut_by by,
		   const struct cut_filter *filter)
{
	const struct tally *tally = &totals->tally;
	size_t events = tally->column_count;
	struct view *view = &estimate->view;
	struct cut cut;
	bool done;

	*estimate = (struct estimate){ .totals = totals, .by = by };
	view_begin(view, cut_texts(by), CUT_IDS, CUT_COUNTS + 1 + 2 * events, 0);
	view->unattributed = STR("(unknown)");
	/* SWITCH records name no control group. */
	estimate->is_timed = tally->on_cpu && totals->group_count == 0 && by != BY_CGROUP;
	estimate->event_count = events;
	estimate->sums = ESTIMATE_EVENT_SAMPLES + events;
	estimate->events = arena_alloc(&view->arena,
				       (events + 1) * sizeof(const struct tally_event *));
	if (!estimate->events)
		return false;
	for (const struct tally_event *e = tally->events; e; e = e->next)
		if (e->is_sampled)
			estimate->events[e->column] = e;
	done = cut_begin(&cut, by, filter, totals, view) &&
	       (by == BY_CGROUP ? add_cgroups(estimate, &cut)
				: add_all(estimate, &cut)) &&
	       (by == BY_CPU || complete(estimate, &cut));
	cut_end(&cut);
	estimate->matches = cut.matches;
	view_add_total(view);
	if (!done || view->failed)
		return false;
	mark_unknown(estimate);
	add_columns(estimate);
	return !view->failed;
}

void estimate_release(struct estimate *estimate)
{
	view_release(&estimate->view);
	*estimate = (struct estimate){ .totals = NULL };
}
