/* places_view.c - makes the lines of modules and functions. */
#include "base/text.h"
#include "base/wrap.h"
#include "report/places_private.h"

struct maker {
	struct places *places;
	enum place_by by;
	const struct estimate *estimate;
	struct view *view;
	struct cut cut; /* for its filter alone */
	struct map lines;
	struct view_line *others, *unknown;
	size_t sums; /* cell of the first sum of periods */
};

static struct view_line *named_line(struct maker *maker, enum line_kind kind,
				    struct str name)
{
	struct view_line *line = view_add_line(maker->view, kind);

	if (line) {
		line->texts[PLACE_TEXT_MODULE] = name;
		line->texts[PLACE_TEXT_SYMBOL] = STR("");
	}
	return line;
}

/* Texts are interned: equal ones have one place. */
static struct view_line *frame_line(struct maker *maker, const struct place_frame *frame)
{
	struct str symbol = frame->symbol.ptr ? frame->symbol : STR("(unknown)");
	uint64_t key = map_key((intptr_t)frame->module.ptr, 0, 0, 0);
	struct view_line *line;

	if (maker->by == PLACE_SYMBOL)
		key ^= (uint64_t)(uintptr_t)symbol.ptr;
	MAP_FIND(&maker->lines, key, line,
		 line->texts[PLACE_TEXT_MODULE].ptr == frame->module.ptr &&
			 (maker->by != PLACE_SYMBOL ||
			  str_equal(line->texts[PLACE_TEXT_SYMBOL], symbol)));
	if (line)
		return line;
	line = view_add_line(maker->view, LINE_TASK);
	if (!line || !map_put(&maker->lines, key, line))
		return NULL;
	line->texts[PLACE_TEXT_MODULE] = frame->module;
	line->texts[PLACE_TEXT_SYMBOL] = symbol;
	return line;
}

static struct view_line *line_of(struct maker *maker, const struct place_count *count)
{
	const struct totals_thread *thread =
		count->thread_id == INT_NONE
			? NULL
			: map_get(&maker->estimate->totals->thread_by_id,
				  (uint64_t)count->thread_id);
	const struct place_frame *frame =
		places_find(maker->places,
			    thread ? thread->process->row.process_id : INT_NONE, count);

	if (thread && !cut_passes(&maker->cut, thread)) {
		if (!maker->others)
			maker->others =
				named_line(maker, LINE_OTHERS, STR("(other processes)"));
		return maker->others;
	}
	return frame && frame->module.ptr ? frame_line(maker, frame) : maker->unknown;
}

static bool add_count(struct maker *maker, const struct place_count *count)
{
	const struct estimate *estimate = maker->estimate;
	struct view_line *line;
	size_t event = 0;

	while (event < estimate->event_count &&
	       estimate->events[event]->row.counter_id != count->counter_id)
		event++;
	if (event == estimate->event_count) /* a group's */
		return true;
	line = line_of(maker, count);
	if (!line)
		return false;
	line->numbers[PLACE_SAMPLES] += count->samples;
	line->numbers[PLACE_EVENT_SAMPLES + event] += count->samples;
	line->numbers[maker->sums + event] =
		wrap_add(line->numbers[maker->sums + event], count->events);
	return true;
}

static void add_columns(struct maker *maker)
{
	const struct estimate *estimate = maker->estimate;
	unsigned all = VIEW_TEXT | VIEW_CSV | VIEW_JSON;
	struct view *view = maker->view;
	struct view_column *column;
	size_t samples;

	view_add_column(view, VIEW_KIND, VIEW_JSON, "kind", 0);
	column = view_add_column(view, VIEW_NAME, all, "module", PLACE_TEXT_MODULE);
	column->is_key = true;
	column->width = VIEW_NAME_WIDTH;
	if (maker->by == PLACE_SYMBOL) {
		column = view_add_column(view, VIEW_NAME, all, "symbol",
					 PLACE_TEXT_SYMBOL);
		column->is_key = true;
		column->width = VIEW_NAME_WIDTH;
	}
	view_add_column(view, VIEW_NUMBER, VIEW_TEXT, "samples", PLACE_SAMPLES);
	view_add_column(view, VIEW_NUMBER, VIEW_JSON, "samples", PLACE_SAMPLES);
	samples = view_last_column(view);
	view_add_column(view, VIEW_LIST, VIEW_JSON, "event_samples", PLACE_EVENT_SAMPLES)
		->count = estimate->event_count;
	view_add_column(view, VIEW_LIST, VIEW_JSON, "events", maker->sums)->count =
		estimate->event_count;
	view->tie = PLACE_SAMPLES;
	view->first_key = samples;
	for (size_t i = 0; i < estimate->event_count; i++)
		estimate_add_event(estimate, view, i, PLACE_EVENT_SAMPLES + i,
				   maker->sums + i);
	view_add_column(view, VIEW_NUMBER, VIEW_CSV, "samples", PLACE_SAMPLES);
}

/* Sums of events whose samples have no periods are not known. */
static void forget_sums(struct maker *maker)
{
	for (size_t i = 0; i < maker->estimate->event_count; i++) {
		if (estimate_has_periods(maker->estimate, i))
			continue;
		for (size_t k = 0; k < maker->view->line_count; k++)
			maker->view->lines[k]->numbers[maker->sums + i] = INT_NONE;
		maker->view->total->numbers[maker->sums + i] = INT_NONE;
	}
	maker->unknown->is_csv_only = maker->unknown->numbers[PLACE_SAMPLES] == 0;
}

bool places_make_view(struct places *places, enum place_by by,
		      const struct estimate *estimate, const struct cut_filter *filter,
		      struct view *view)
{
	struct maker maker = { .places = places,
			       .by = by,
			       .estimate = estimate,
			       .view = view,
			       .sums = PLACE_EVENT_SAMPLES + estimate->event_count };
	bool done;

	view_begin(view, PLACE_TEXTS, 0, 1 + 2 * estimate->event_count, 0);
	view->unattributed = STR("(unknown)");
	done = cut_begin(&maker.cut, BY_PROCESS, filter, estimate->totals, view);
	maker.unknown = named_line(&maker, LINE_UNATTRIBUTED, STR("(unattributed)"));
	done = done && maker.unknown;
	for (const struct place_count *c = places->first; c && done; c = c->next)
		done = add_count(&maker, c);
	cut_end(&maker.cut);
	map_release(&maker.lines);
	view_add_total(view);
	if (!done || view->failed)
		return false;
	forget_sums(&maker);
	add_columns(&maker);
	return !view->failed;
}
