/* counts.c - see counts.h. */
#include "counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"

/* As perf stat works it out, to the last digit. */
static int64_t scaled(const struct stat_row *row)
{
	double value =
		(double)row->value * (double)row->enabled_ns / (double)row->running_ns;

	if (value >= 9.2e18)
		return INT64_MAX;
	return value > 0 ? (int64_t)value : 0;
}

static void add(struct count_line *line, const struct stat_row *row)
{
	bool timed = row->enabled_ns != INT_NONE && row->running_ns != INT_NONE;
	int64_t value = row->value;

	line->counted = wrap_add(line->counted, row->value);
	if (timed) {
		line->enabled_ns = wrap_add(line->enabled_ns, row->enabled_ns);
		line->running_ns = wrap_add(line->running_ns, row->running_ns);
	}
	if (timed && row->running_ns <= 0) {
		line->never_counted += row->enabled_ns > 0;
		return;
	}
	if (timed && row->running_ns < row->enabled_ns) {
		line->is_scaled = true;
		value = scaled(row);
	}
	line->places++;
	line->estimate = wrap_add(line->estimate == INT_NONE ? 0 : line->estimate, value);
}

static struct count_line *new_line(struct counts *counts, const struct tally_event *event,
				   int64_t cpu)
{
	struct count_line *line = &counts->lines[counts->line_count];

	*line = (struct count_line){ .event = event,
				     .cpu = cpu,
				     .estimate = INT_NONE,
				     .position = counts->line_count };
	counts->line_count++;
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
		(void)new_line(counts, event, INT_NONE);

	for (const struct tally_stat *s = event->stats; s && done; s = s->next) {
		int64_t cpu = counts->by_cpu ? s->row.cpu : INT_NONE;
		struct count_line *line = map_get(&lines, (uint64_t)cpu);

		if (!line) {
			line = new_line(counts, event, cpu);
			done = map_put(&lines, (uint64_t)cpu, line);
		}
		add(line, &s->row);
	}
	map_release(&lines);
	return done;
}

bool counts_make(struct counts *counts, const struct report *report, enum bill_by by)
{
	bool done = true;

	*counts = (struct counts){ .report = report, .by_cpu = by == BY_CPU };
	counts->lines = calloc(report->tally.stat_count + report->tally.event_count,
			       sizeof(*counts->lines));
	if (!counts->lines)
		return false;
	for (const struct tally_event *e = report->tally.events; e && done; e = e->next)
		done = !e->is_declared || add_event(counts, e);
	for (size_t i = 0; i < counts->line_count; i++) {
		counts->is_scaled |= counts->lines[i].is_scaled;
		counts->never_counted += counts->lines[i].never_counted;
	}
	return done;
}

void counts_release(struct counts *counts)
{
	free(counts->lines);
	*counts = (struct counts){ .report = NULL };
}

/* --- order --- */

enum sort_key {
	KEY_POSITION,
	KEY_CPU,
	KEY_EVENT,
	KEY_COUNTED,
	KEY_ENABLED,
	KEY_RUNNING,
	KEY_ESTIMATE,
};

static enum sort_key sorting; /* qsort has no argument for it */

static int order(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_key(const struct count_line *a, const struct count_line *b)
{
	switch (sorting) { /* numbers: the largest first; ids and names: ascending */
	case KEY_POSITION:
		return 0;
	case KEY_CPU:
		return order(a->cpu, b->cpu);
	case KEY_EVENT:
		return str_compare(a->event->row.name, b->event->row.name);
	case KEY_COUNTED:
		return order(b->counted, a->counted);
	case KEY_ENABLED:
		return order(b->enabled_ns, a->enabled_ns);
	case KEY_RUNNING:
		return order(b->running_ns, a->running_ns);
	case KEY_ESTIMATE:
		return order(b->estimate, a->estimate);
	}
	return 0;
}

static int compare_lines(const void *x, const void *y)
{
	const struct count_line *a = x, *b = y;
	int result = by_key(a, b);

	return result ? result : a->position < b->position ? -1 : 1;
}

bool counts_sort(struct counts *counts, const char *column)
{
	static const struct {
		const char *name;
		enum sort_key key;
	} columns[] = {
		{ "cpu", KEY_CPU },
		{ "event", KEY_EVENT },
		{ "counted", KEY_COUNTED },
		{ "enabled_ns", KEY_ENABLED },
		{ "running_ns", KEY_RUNNING },
		{ "estimate", KEY_ESTIMATE },
	};
	bool found = !column;

	sorting = counts->by_cpu ? KEY_CPU : KEY_POSITION;
	for (size_t i = 0; !found && i < sizeof(columns) / sizeof(columns[0]); i++) {
		found = strcmp(columns[i].name, column) == 0;
		if (found)
			sorting = columns[i].key;
	}
	if (found && counts->line_count)
		qsort(counts->lines, counts->line_count, sizeof(*counts->lines),
		      compare_lines);
	return found;
}
