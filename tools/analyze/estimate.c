/* estimate.c - see estimate.h. */
#include "estimate.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/wrap.h"

bool estimate_any(const struct report *report)
{
	return report->tally.column_count ||
	       (report->tally.on_cpu && report->group_count == 0);
}

bool estimate_has_periods(const struct estimate *estimate, size_t column)
{
	return estimate->total.events[column] != 0;
}

bool estimate_is_empty(const struct estimate_line *line)
{
	return line->samples == 0 && (line->switches == INT_NONE || line->switches == 0);
}

/* --- one line --- */

static bool line_init(struct estimate *estimate, struct estimate_line *line,
		      enum line_kind kind)
{
	size_t columns = estimate->column_count;
	int64_t none = estimate->is_timed ? 0 : INT_NONE;

	*line = (struct estimate_line){
		.kind = kind,
		.pid = INT_NONE,
		.tid = INT_NONE,
		.cpu = INT_NONE,
		.threads = INT_NONE,
		.switches = none,
		.on_cpu_ns = none,
	};
	line->event_samples =
		arena_alloc(&estimate->arena, (2 * columns + 1) * sizeof(*line->events));
	line->events = line->event_samples + columns;
	return line->event_samples != NULL;
}

static struct estimate_line *new_line(struct estimate *estimate, enum line_kind kind)
{
	struct estimate_line *line = arena_alloc(&estimate->arena, sizeof(*line));
	size_t count = estimate->line_count;

	if (!line || !line_init(estimate, line, kind) ||
	    count > BILL_CELLS_MAX / (estimate->column_count + 1))
		return NULL;
	/* Doubles at powers of two. */
	if ((count & (count - 1)) == 0) {
		struct estimate_line **lines = realloc(
			estimate->lines, (count ? count * 2 : 1) * sizeof(*lines));

		if (!lines)
			return NULL;
		estimate->lines = lines;
	}
	estimate->lines[estimate->line_count++] = line;
	return line;
}

static void add_samples(struct estimate_line *line, const struct tally_samples *samples)
{
	size_t column = samples->event->column;

	line->samples = wrap_add(line->samples, samples->samples);
	line->event_samples[column] =
		wrap_add(line->event_samples[column], samples->samples);
	line->events[column] = wrap_add(line->events[column], samples->events);
}

static void add_on_cpu(struct estimate_line *line, const struct tally_on_cpu *on_cpu)
{
	line->switches = wrap_add(line->switches, on_cpu->row.switches);
	line->on_cpu_ns = wrap_add(line->on_cpu_ns, on_cpu->row.on_cpu_ns);
}

static struct str shown_name(struct estimate *estimate, struct str name, int64_t id)
{
	char number[32];

	if (name.ptr && name.len)
		return name;
	text_print(number, sizeof(number), ":%lld", (long long)id);
	return arena_str(&estimate->arena, str_of(number));
}

/* --- by process and by thread --- */

static void name_line(struct estimate *estimate, struct estimate_line *line,
		      const struct report_thread *thread)
{
	const struct process_row *process = &thread->process->row;
	bool idle = line->kind == LINE_IDLE;

	line->process =
		idle ? STR("(idle)") : shown_name(estimate, process->name, process->pid);
	line->pid = idle ? INT_NONE : process->pid;
	if (estimate->by == BY_PROCESS) {
		line->threads = 0;
		return;
	}
	line->thread = shown_name(estimate, thread->row.name, thread->row.tid);
	line->tid = thread->row.tid;
	line->cpu = thread->row.idle_cpu;
}

/* The line that this thread adds to; NULL thread: (unattributed). */
static struct estimate_line *line_of(struct estimate *estimate, struct map *lines,
				     const struct report_thread *thread)
{
	const void *of = thread;
	struct estimate_line *line;
	enum line_kind kind = LINE_UNATTRIBUTED;

	if (thread && estimate->by == BY_PROCESS)
		of = thread->process;
	line = map_get(lines, (uint64_t)(uintptr_t)of);
	if (line)
		return line;
	if (thread)
		kind = thread->process->row.pid == 0 || thread->row.idle_cpu != INT_NONE
			       ? LINE_IDLE
			       : LINE_TASK;
	line = new_line(estimate, kind);
	if (!line || !map_put(lines, (uint64_t)(uintptr_t)of, line))
		return NULL;
	if (thread)
		name_line(estimate, line, thread);
	else
		line->process = STR("(unattributed)");
	return line;
}

/* The (idle) row is there even when no CPU was seen idle. */
static bool make_idle(struct estimate *estimate)
{
	struct estimate_line *line;

	for (size_t i = 0; i < estimate->line_count; i++)
		if (estimate->lines[i]->kind == LINE_IDLE)
			return true;
	line = new_line(estimate, LINE_IDLE);
	if (!line)
		return false;
	line->process = STR("(idle)");
	line->threads = estimate->by == BY_PROCESS ? 0 : INT_NONE;
	return true;
}

static bool make_tasks(struct estimate *estimate, struct map *lines)
{
	const struct report *report = estimate->report;
	const struct tally *tally = &report->tally;
	struct estimate_line *line;

	for (const struct tally_samples *s = tally->by_thread; s; s = s->next) {
		line = line_of(estimate, lines, s->thread);
		if (!line)
			return false;
		add_samples(line, s);
	}
	for (const struct tally_on_cpu *o = tally->on_cpu; o && estimate->is_timed;
	     o = o->next) {
		line = line_of(estimate, lines, o->thread);
		if (!line)
			return false;
		add_on_cpu(line, o);
	}
	for (const struct report_thread *t = report->threads; t; t = t->next) {
		if (estimate->by != BY_PROCESS ||
		    (!t->is_sampled && !(t->is_switched && estimate->is_timed)))
			continue;
		line = line_of(estimate, lines, t);
		if (line)
			line->threads++;
	}
	return make_idle(estimate) && line_of(estimate, lines, NULL);
}

/* --- by CPU --- */

static struct estimate_line *cpu_line(struct estimate *estimate, struct map *lines,
				      int64_t cpu)
{
	struct estimate_line *line = map_get(lines, (uint64_t)cpu);

	if (line)
		return line;
	line = new_line(estimate, cpu == INT_NONE ? LINE_UNATTRIBUTED : LINE_TASK);
	if (!line || !map_put(lines, (uint64_t)cpu, line))
		return NULL;
	line->cpu = cpu;
	return line;
}

static bool make_cpus(struct estimate *estimate, struct map *lines)
{
	const struct tally *tally = &estimate->report->tally;
	struct estimate_line *line;

	for (const struct tally_samples *s = tally->by_cpu; s; s = s->next) {
		line = cpu_line(estimate, lines, s->cpu);
		if (!line)
			return false;
		add_samples(line, s);
	}
	for (const struct tally_on_cpu *o = tally->on_cpu; o && estimate->is_timed;
	     o = o->next) {
		line = cpu_line(estimate, lines, o->row.cpu);
		if (!line)
			return false;
		add_on_cpu(line, o);
	}
	return true;
}

/* --- the whole --- */

static void add_total(struct estimate *estimate)
{
	struct estimate_line *total = &estimate->total;
	int64_t most = 0;

	for (size_t i = 0; i < estimate->line_count; i++) {
		const struct estimate_line *line = estimate->lines[i];

		total->samples = wrap_add(total->samples, line->samples);
		if (estimate->is_timed) {
			total->switches = wrap_add(total->switches, line->switches);
			total->on_cpu_ns = wrap_add(total->on_cpu_ns, line->on_cpu_ns);
		}
		for (size_t c = 0; c < estimate->column_count; c++) {
			total->event_samples[c] =
				wrap_add(total->event_samples[c], line->event_samples[c]);
			total->events[c] = wrap_add(total->events[c], line->events[c]);
		}
	}
	estimate->heaviest = SIZE_MAX;
	for (size_t c = 0; c < estimate->column_count; c++) {
		if (total->events[c] <= most)
			continue;
		most = total->events[c];
		estimate->heaviest = c;
	}
}

bool estimate_make(struct estimate *estimate, const struct report *report,
		   enum bill_by by)
{
	const struct tally *tally = &report->tally;
	struct map lines = { NULL, 0, 0 };
	bool done;

	*estimate = (struct estimate){ .report = report, .by = by };
	estimate->is_timed = tally->on_cpu && report->group_count == 0;
	estimate->column_count = tally->column_count;
	estimate->columns =
		arena_alloc(&estimate->arena, (tally->column_count + 1) *
						      sizeof(const struct tally_event *));
	if (!estimate->columns || !line_init(estimate, &estimate->total, LINE_TOTAL))
		return false;
	for (const struct tally_event *e = tally->events; e; e = e->next)
		if (e->is_sampled)
			estimate->columns[e->column] = e;
	estimate->total.process = STR("total");
	done = by == BY_CPU ? make_cpus(estimate, &lines) : make_tasks(estimate, &lines);
	map_release(&lines);
	add_total(estimate);
	return done;
}

void estimate_release(struct estimate *estimate)
{
	free(estimate->lines);
	arena_release(&estimate->arena);
	*estimate = (struct estimate){ .report = NULL };
}

/* --- order --- */

enum sort_key {
	KEY_EVENT,
	KEY_SAMPLES,
	KEY_SWITCHES,
	KEY_ON_CPU,
	KEY_THREADS,
	KEY_PID,
	KEY_TID,
	KEY_CPU,
	KEY_PROCESS,
	KEY_THREAD,
};

struct sort_by {
	enum sort_key key;
	size_t column;
};

static struct sort_by sorting; /* qsort has no argument for it */

static int order(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_key(const struct estimate_line *a, const struct estimate_line *b)
{
	int result = 0;

	switch (sorting.key) { /* numbers: the largest first; ids and names: ascending */
	case KEY_EVENT:
		result = order(b->events[sorting.column], a->events[sorting.column]);
		if (result == 0) /* the periods are not known */
			result = order(b->event_samples[sorting.column],
				       a->event_samples[sorting.column]);
		return result;
	case KEY_SAMPLES:
		return order(b->samples, a->samples);
	case KEY_SWITCHES:
		return order(b->switches, a->switches);
	case KEY_ON_CPU:
		return order(b->on_cpu_ns, a->on_cpu_ns);
	case KEY_THREADS:
		return order(b->threads, a->threads);
	case KEY_PID:
		return order(a->pid, b->pid);
	case KEY_TID:
		return order(a->tid, b->tid);
	case KEY_CPU:
		return order(a->cpu, b->cpu);
	case KEY_PROCESS:
		return str_compare(a->process, b->process);
	case KEY_THREAD:
		return str_compare(a->thread, b->thread);
	}
	return result;
}

static int compare_lines(const void *x, const void *y)
{
	const struct estimate_line *a = *(const struct estimate_line *const *)x;
	const struct estimate_line *b = *(const struct estimate_line *const *)y;
	int result = order(a->kind, b->kind); /* tasks, then idle, then unattributed */

	if (result == 0)
		result = by_key(a, b);
	if (result == 0) /* the same order whatever road the numbers came */
		result = order(b->samples, a->samples);
	if (result == 0)
		result = order(a->pid, b->pid);
	if (result == 0)
		result = order(a->tid, b->tid);
	if (result == 0)
		result = order(a->cpu, b->cpu);
	if (result == 0)
		result = str_compare(a->process, b->process);
	if (result == 0)
		result = str_compare(a->thread, b->thread);
	if (result == 0)
		result = order(b->on_cpu_ns, a->on_cpu_ns);
	return result;
}

static struct sort_by default_key(const struct estimate *estimate)
{
	if (estimate->by == BY_CPU)
		return (struct sort_by){ KEY_CPU, 0 };
	if (estimate->heaviest != SIZE_MAX)
		return (struct sort_by){ KEY_EVENT, estimate->heaviest };
	return (struct sort_by){ estimate->total.samples ? KEY_SAMPLES : KEY_ON_CPU, 0 };
}

bool estimate_sort(struct estimate *estimate, const char *column)
{
	static const struct {
		const char *name;
		enum sort_key key;
	} columns[] = {
		{ "samples", KEY_SAMPLES },  { "switches", KEY_SWITCHES },
		{ "on_cpu_ns", KEY_ON_CPU }, { "threads", KEY_THREADS },
		{ "pid", KEY_PID },	     { "tid", KEY_TID },
		{ "cpu", KEY_CPU },	     { "process", KEY_PROCESS },
		{ "thread", KEY_THREAD },
	};
	bool found = !column;

	sorting = default_key(estimate);
	for (size_t i = 0; !found && i < estimate->column_count; i++) {
		found = str_equal(estimate->columns[i]->row.name, str_of(column));
		if (found)
			sorting = (struct sort_by){ KEY_EVENT, i };
	}
	for (size_t i = 0; !found && i < sizeof(columns) / sizeof(columns[0]); i++) {
		found = strcmp(columns[i].name, column) == 0;
		if (found)
			sorting = (struct sort_by){ columns[i].key, 0 };
	}
	if (found && estimate->line_count)
		qsort(estimate->lines, estimate->line_count,
		      sizeof(struct estimate_line *), compare_lines);
	return found;
}
