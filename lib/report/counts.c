/* counts.c - makes the lines of the counts of perf stat. */
#include "report/counts.h"

#include "base/text.h"
#include "base/wrap.h"

enum { TEXT_EVENT, TEXT_UNIT, TEXT_SHOWN, TEXTS };
enum { ID_CPU, IDS };
enum {
	COUNT_ESTIMATE = IDS, /* INT_NONE: never counted */
	COUNT_COUNTED,	      /* not scaled */
	COUNT_KNOWN,	      /* the same, INT_NONE: never counted */
	COUNT_SCALED,	      /* the estimate, INT_NONE: it is what was counted */
	COUNT_ENABLED,
	COUNT_RUNNING,
	COUNT_IS_SCALED,
	COUNT_NEVER_COUNTED, /* CPUs and threads where it never got onto the PMU */
	COUNT_END,
};

/* As perf stat works it out, to the last digit. */
static int64_t scaled(const struct stat_row *row)
{
	double value =
		(double)row->value * (double)row->enabled_ns / (double)row->running_ns;

	if (value >= 9.2e18)
		return INT64_MAX;
	return value > 0 ? (int64_t)value : 0;
}

static void add(int64_t *numbers, const struct stat_row *row)
{
	bool timed = row->enabled_ns != INT_NONE && row->running_ns != INT_NONE;
	int64_t *estimate = &numbers[COUNT_ESTIMATE];
	int64_t value = row->value;

	numbers[COUNT_COUNTED] = wrap_add(numbers[COUNT_COUNTED], row->value);
	if (timed) {
		numbers[COUNT_ENABLED] =
			wrap_add(numbers[COUNT_ENABLED], row->enabled_ns);
		numbers[COUNT_RUNNING] =
			wrap_add(numbers[COUNT_RUNNING], row->running_ns);
	}
	if (timed && row->running_ns <= 0) {
		numbers[COUNT_NEVER_COUNTED] += row->enabled_ns > 0;
		return;
	}
	if (timed && row->running_ns < row->enabled_ns) {
		numbers[COUNT_IS_SCALED] = 1;
		value = scaled(row);
	}
	*estimate = wrap_add(*estimate == INT_NONE ? 0 : *estimate, value);
}

/* --- lines --- */

static struct view_line *add_line(struct counts *counts, const struct tally_event *event,
				  int64_t cpu)
{
	struct view_line *line = view_add_line(&counts->view, LINE_TASK);
	char shown[240], text[260];

	if (!line)
		return NULL;
	text_shown(shown, sizeof(shown), event->row.name, VIEW_TITLE_WIDTH);
	text_print(text, sizeof(text), "%s%s", shown,
		   str_equal(event->row.unit, STR("ns")) ? " (ns)" : "");
	line->texts[TEXT_EVENT] = event->row.name;
	line->texts[TEXT_UNIT] = event->row.unit;
	line->texts[TEXT_SHOWN] = arena_str(&counts->view.arena, str_of(text));
	line->numbers[ID_CPU] = cpu;
	line->numbers[COUNT_ESTIMATE] = INT_NONE;
	return line;
}

/*
 * Those of one event; places on one CPU need not follow one another.  What the machine
 * does not have is in the trace as an event without counts.
 */
static bool add_event(struct counts *counts, const struct tally_event *event)
{
	struct map lines = { NULL, 0, 0 };
	bool done = true;

	if (!event->stats && !counts->by_cpu && !event->is_sampled && !event->in_group)
		done = add_line(counts, event, INT_NONE);
	for (const struct tally_stat *s = event->stats; s && done; s = s->next) {
		int64_t cpu = counts->by_cpu ? s->row.cpu : INT_NONE;
		struct view_line *line = map_get(&lines, (uint64_t)cpu);

		if (!line) {
			line = add_line(counts, event, cpu);
			done = line && map_put(&lines, (uint64_t)cpu, line);
		}
		if (done)
			add(line->numbers, &s->row);
	}
	map_release(&lines);
	return done;
}

static void complete_lines(struct counts *counts)
{
	for (size_t i = 0; i < counts->view.line_count; i++) {
		int64_t *numbers = counts->view.lines[i]->numbers;
		bool has_estimate = numbers[COUNT_ESTIMATE] != INT_NONE;

		numbers[COUNT_KNOWN] = has_estimate ? numbers[COUNT_COUNTED] : INT_NONE;
		numbers[COUNT_SCALED] =
			numbers[COUNT_IS_SCALED] ? numbers[COUNT_ESTIMATE] : INT_NONE;
		counts->is_scaled |= numbers[COUNT_IS_SCALED];
		counts->never_counted += numbers[COUNT_NEVER_COUNTED];
	}
}

/* --- columns --- */

static void add_text_columns(struct counts *counts)
{
	struct view *view = &counts->view;
	struct view_column *column;

	column = view_add_column(view, VIEW_NAME, VIEW_TEXT, "event", TEXT_SHOWN);
	column->is_key = true;
	view_add_column(view, VIEW_NUMBER, VIEW_TEXT, "counted", COUNT_KNOWN)->none =
		"not counted";
	if (counts->is_scaled)
		view_add_column(view, VIEW_SCALED, VIEW_TEXT, "estimate", COUNT_SCALED);
	view_add_column(view, VIEW_NS, VIEW_TEXT, "enabled ms", COUNT_ENABLED);
	view_add_column(view, VIEW_NS, VIEW_TEXT, "counting ms", COUNT_RUNNING);
	column = view_add_column(view, VIEW_RATIO, VIEW_TEXT, "of the time",
				 COUNT_RUNNING);
	column->other = COUNT_ENABLED;
	column->scale = 100;
	column->places = 2;
	column->unit = "%";
}

static void add_columns(struct counts *counts)
{
	unsigned data = VIEW_CSV | VIEW_JSON;
	struct view *view = &counts->view;
	struct view_column *column;

	view_add_column(view, VIEW_NAME, VIEW_JSON, "event", TEXT_EVENT);
	view_add_column(view, VIEW_NAME, VIEW_JSON, "unit", TEXT_UNIT);
	if (counts->by_cpu) {
		column = view_add_column(view, VIEW_ID, data | VIEW_TEXT, "cpu", ID_CPU);
		column->is_key = true;
		column->none = "any";
		view->first_key = view_last_column(view);
	}
	add_text_columns(counts);
	view_add_column(view, VIEW_NAME, VIEW_CSV, "event", TEXT_EVENT);
	view_add_column(view, VIEW_NUMBER, data, "counted", COUNT_COUNTED);
	view_add_column(view, VIEW_NUMBER, data, "enabled_ns", COUNT_ENABLED);
	view_add_column(view, VIEW_NUMBER, data, "running_ns", COUNT_RUNNING);
	view_add_column(view, VIEW_NUMBER, data, "estimate", COUNT_ESTIMATE);
	view_add_column(view, VIEW_FLAG, VIEW_JSON, "scaled", COUNT_IS_SCALED);
	view_add_column(view, VIEW_NUMBER, VIEW_JSON, "never_counted",
			COUNT_NEVER_COUNTED);
}

/* --- ratios --- */

#define USES_MAX 64

static void add_counter(struct counts *counts, struct metric_counter *counters,
			const struct tally_event *event)
{
	int64_t numbers[COUNT_END] = { [COUNT_ESTIMATE] = INT_NONE };
	size_t at = counts->metrics.count++;

	for (const struct tally_stat *s = event->stats; s; s = s->next)
		add(numbers, &s->row);
	counters[at].counter = (struct role_counter){ event->row.event, event->row.type,
						      event->row.config };
	counts->sums[at] =
		numbers[COUNT_ESTIMATE] == INT_NONE ? 0 : numbers[COUNT_ESTIMATE];
}

/* Counts are of the same time, so they are as one group; nothing says idle's part. */
static bool find_ratios(struct counts *counts)
{
	const struct totals *totals = counts->totals;
	struct arena *arena = &counts->view.arena;
	size_t room = totals->tally.event_count + 1, kept = 0;
	struct metric_counter *counters = arena_alloc(arena, room * sizeof(*counters));

	counts->sums = arena_alloc(arena, room * sizeof(*counts->sums));
	counts->uses = arena_alloc(arena, USES_MAX * sizeof(*counts->uses));
	if (!counters || !counts->sums || !counts->uses)
		return false;
	counts->metrics = (struct metric_trace){ counters, 0, totals->trace.arch,
						 totals->trace.cpu_model };
	for (const struct tally_event *e = totals->tally.events; e; e = e->next)
		if (e->is_declared && e->stats)
			add_counter(counts, counters, e);
	counts->use_count = metrics_possible(&counts->metrics, counts->uses, USES_MAX);
	for (size_t i = 0; i < counts->use_count; i++)
		if (!counts->uses[i].metric->of_idle && !counts->uses[i].is_part)
			counts->uses[kept++] = counts->uses[i];
	counts->use_count = kept;
	return true;
}

bool counts_ratio(const struct counts *counts, size_t use, double *value)
{
	const struct metric_use *at = &counts->uses[use];

	return metric_value(at, counts->sums[at->numerator],
			    counts->sums[at->denominator], value);
}

/* --- making counts --- */

bool counts_make(struct counts *counts, const struct totals *totals, bool by_cpu)
{
	bool done = true;

	*counts = (struct counts){ .totals = totals, .by_cpu = by_cpu };
	view_begin(&counts->view, TEXTS, IDS, COUNT_END - IDS, 0);
	counts->view.keeps_order = true;
	for (const struct tally_event *e = totals->tally.events; e && done; e = e->next)
		done = !e->is_declared || add_event(counts, e);
	complete_lines(counts);
	add_columns(counts);
	return done && find_ratios(counts) && !counts->view.failed;
}

void counts_release(struct counts *counts)
{
	view_release(&counts->view);
	*counts = (struct counts){ .totals = NULL };
}
