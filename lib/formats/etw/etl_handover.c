/*
 * etl_handover.c - ids of threads and processes that passed on while events were lost.
 *
 * Switches name threads alone; whose a thread is, Thread events say, and which process
 * has an id, Process events.  If the end of one thread and the start of the next one with
 * its id are lost, a later End, rundown or name event shows it: it names another process,
 * or the same id after that has passed on.  The id changed hands within one of the losses
 * in between.  There it is in doubt whose it was; after the last of them it is the later
 * one's.  Threads of a process that ended in a loss ended there as well.
 *
 * All these events are collected in the first walk (etl_owners.c), for the answer must be
 * known before the first switch is charged.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"

/* --- when something was lost --- */

struct window {
	int64_t from_ns, to_ns;
};

struct windows {
	struct window *all;
	size_t count;
};

static void add_window(struct windows *windows, int64_t from_ns, int64_t to_ns)
{
	if (from_ns != INT_NONE && to_ns != INT_NONE && from_ns <= to_ns)
		windows->all[windows->count++] = (struct window){ from_ns, to_ns };
}

static int64_t place_ns(const struct etl_index *index, const struct etl_place *place,
			uint64_t ticks)
{
	return etl_ns(&index->segments[place->segment], ticks);
}

static bool is_last_of_cpu(const struct etl_index *index, size_t i)
{
	return i + 1 == index->place_count ||
	       index->places[i + 1].cpu != index->places[i].cpu;
}

/* Between the last event that is known and the next one, on each CPU. */
static void add_gaps(const struct etl_index *index, struct windows *windows)
{
	const struct etl_place *before = NULL; /* the last one with a time, of this CPU */
	bool lost = false;

	for (size_t i = 0; i < index->place_count; i++) {
		const struct etl_place *place = &index->places[i];
		bool same_cpu = i > 0 && place->cpu == place[-1].cpu;

		if (!same_cpu)
			before = NULL;
		lost = same_cpu && (lost || etl_lost_between(place - 1, place) ||
				    !place[-1].is_whole);
		if (!place->is_timed)
			continue;
		if (lost && before)
			add_window(windows, place_ns(index, before, before->last_ticks),
				   place_ns(index, place, place->first_ticks));
		before = place;
		lost = false;
		if (!place->is_whole && is_last_of_cpu(index, i))
			add_window(windows, place_ns(index, place, place->last_ticks),
				   INT64_MAX);
	}
}

/* Only the last drop of each CPU has a time: the ones before it may be at any. */
static void add_drops(const struct etl_index *index, struct windows *windows)
{
	for (size_t i = 0; i < index->drop_count; i++) {
		const struct etl_drop *drop = &index->drops[i];
		const struct etl_drop *last =
			i > 0 && drop[-1].cpu == drop->cpu ? drop - 1 : NULL;
		const struct etl_segment *base = &index->segments[drop->segment];

		add_window(windows, last ? etl_ns(base, last->ticks) : INT64_MIN + 1,
			   etl_ns(base, drop->ticks));
	}
}

static int by_begin(const void *left, const void *right)
{
	const struct window *a = left, *b = right;

	return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

/* In order of time, none of them touching another. */
static bool find_windows(const struct etl_index *index, struct windows *windows)
{
	size_t kept = 0;

	windows->all = memory_alloc_zeroed(2 * index->place_count + index->drop_count + 1,
					   sizeof(*windows->all));
	if (!windows->all)
		return false;
	add_gaps(index, windows);
	add_drops(index, windows);
	qsort(windows->all, windows->count, sizeof(*windows->all), by_begin);
	for (size_t i = 0; i < windows->count; i++) {
		struct window *last = kept ? &windows->all[kept - 1] : NULL;

		if (!last || windows->all[i].from_ns > last->to_ns)
			windows->all[kept++] = windows->all[i];
		else if (windows->all[i].to_ns > last->to_ns)
			last->to_ns = windows->all[i].to_ns;
	}
	windows->count = kept;
	return true;
}

/* The first window that ends after a time; windows->count: there is none. */
static size_t first_after(const struct windows *windows, int64_t ts_ns)
{
	size_t low = 0, high = windows->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (windows->all[middle].to_ns <= ts_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* --- who was named before, and who after --- */

static bool has_opcode(const struct etl_naming *named, int event)
{
	return named->opcode == (event & 0xff);
}

static int64_t named_ns(const struct etl_index *index, const struct etl_naming *named)
{
	return etl_ns(&index->segments[named->segment], named->ticks);
}

static int by_time(const struct etl_naming *a, const struct etl_naming *b)
{
	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	if (a->ticks != b->ticks)
		return a->ticks < b->ticks ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int by_thread(const void *left, const void *right)
{
	const struct etl_owner *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return by_time(&a->named, &b->named);
}

static int by_process(const void *left, const void *right)
{
	const struct etl_process *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return by_time(&a->named, &b->named);
}

/*
 * The part of (from_ns, to_ns) in which events were lost.  False: none were, and the last
 * switch of the former thread shows where the next one begins.
 */
static bool narrow(const struct windows *windows, bool has_ended,
		   struct task_handed_event *event)
{
	size_t first = first_after(windows, event->from_ns), last = first;

	while (last < windows->count && windows->all[last].from_ns < event->to_ns)
		last++;
	if (first == last)
		return !has_ended; /* all of it is in doubt */
	if (windows->all[first].from_ns > event->from_ns)
		event->from_ns = windows->all[first].from_ns;
	if (windows->all[last - 1].to_ns < event->to_ns)
		event->to_ns = windows->all[last - 1].to_ns;
	return true;
}

static bool is_span(const struct task_handed_event *event)
{
	return event->from_ns != INT_NONE && event->to_ns != INT_NONE &&
	       event->from_ns < event->to_ns;
}

/* What is known at its first moment still holds. */
static void emit_handed(struct etl *etl, struct task_handed_event event)
{
	event.from_ns++;
	emit_push_event(&etl->output.emit, RECORD_TASK_HANDED, 0, &event, sizeof(event));
}

/* --- processes --- */

/* The ids that passed from one process to another, by pid and time. */
struct handed {
	struct task_handed_event *all;
	size_t count;
};

/* Neither image, parent nor kernel object of a process ever changes. */
static bool is_another(const struct etl_process *before, const struct etl_process *after)
{
	return !str_equal(before->image, after->image) ||
	       before->parent_pid != after->parent_pid ||
	       (before->key != after->key && before->key != INT_NONE &&
		after->key != INT_NONE);
}

static void report_process(const struct etl_index *index,
			   const struct etl_process *before,
			   const struct etl_process *after,
			   const struct task_handed_event *event)
{
	const char *none = "(no name)";

	finding_report(index->findings, FINDING_HANDED_OVER, ERROR_NO_OFFSET,
		       "process %u is %.*s, later %.*s, and no event shows the change: "
		       "unattributed from %lld to %lld ns",
		       after->pid, before->image.len ? (int)before->image.len : 9,
		       before->image.len ? before->image.ptr : none,
		       after->image.len ? (int)after->image.len : 9,
		       after->image.len ? after->image.ptr : none,
		       (long long)event->from_ns + 1, (long long)event->to_ns);
}

static void hand_over_process(struct etl *etl, const struct windows *windows,
			      const struct etl_process *before,
			      const struct etl_process *after, struct handed *handed)
{
	const struct etl_index *index = &etl->index;
	struct task_handed_event event = {
		.id = after->pid,
		.from_ns = named_ns(index, &before->named),
		.to_ns = named_ns(index, &after->named),
		.is_process = true,
	};

	if (!is_span(&event))
		return;
	if (has_opcode(&before->named, ETL_PROCESS_END)) {
		event.to_ns = event.from_ns + 1; /* after its end it is the later one's */
	} else {
		(void)narrow(windows, false, &event);
		report_process(index, before, after, &event);
	}
	handed->all[handed->count++] = event;
	emit_handed(etl, event);
}

static bool hand_over_processes(struct etl *etl, const struct windows *windows,
				struct handed *handed)
{
	const struct etl_owners *owners = &etl->index.owners;

	handed->all =
		memory_alloc_zeroed(owners->process_count + 1, sizeof(*handed->all));
	if (!handed->all)
		return false;
	for (size_t i = 1; i < owners->process_count; i++) {
		const struct etl_process *after = &owners->processes[i],
					 *before = after - 1;

		if (before->pid == after->pid && is_another(before, after) &&
		    !has_opcode(&after->named, ETL_PROCESS_START))
			hand_over_process(etl, windows, before, after, handed);
	}
	return true;
}

/* When the process of a thread passed its id on, after it was named; NULL: never. */
static const struct task_handed_event *find_handed(const struct handed *handed,
						   const struct etl_owner *owner,
						   int64_t ts_ns)
{
	size_t low = 0, high = handed->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct task_handed_event *event = &handed->all[middle];

		if (event->id < owner->pid ||
		    (event->id == owner->pid && event->from_ns < ts_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low < handed->count && handed->all[low].id == owner->pid
		       ? &handed->all[low]
		       : NULL;
}

/* --- threads --- */

static void report_thread(const struct etl_index *index, const struct etl_owner *before,
			  const struct etl_owner *after,
			  const struct task_handed_event *event)
{
	char later[32];

	snprintf(later, sizeof(later), "process %u", after->pid);
	finding_report(index->findings, FINDING_HANDED_OVER, ERROR_NO_OFFSET,
		       "thread %u is of process %u, later of %s, and no event "
		       "shows the change: unattributed from %lld to %lld ns",
		       after->tid, before->pid,
		       before->pid == after->pid ? "another one with its id" : later,
		       (long long)event->from_ns + 1, (long long)event->to_ns);
}

/* `process`: what its process's id did in between; NULL: nothing. */
static void hand_over(struct etl *etl, const struct windows *windows,
		      const struct etl_owner *before, const struct etl_owner *after,
		      const struct task_handed_event *process)
{
	const struct etl_index *index = &etl->index;
	struct task_handed_event event = {
		.id = after->tid,
		.from_ns = named_ns(index, &before->named),
		.to_ns = named_ns(index, &after->named),
	};

	if (process && process->from_ns > event.from_ns)
		event.from_ns = process->from_ns;
	if (!is_span(&event) ||
	    !narrow(windows, has_opcode(&before->named, ETL_THREAD_END), &event))
		return;
	report_thread(index, before, after, &event);
	emit_handed(etl, event);
}

/* Of a thread, `after` is the next event that names it, or NULL. */
static void judge_thread(struct etl *etl, const struct windows *windows,
			 const struct handed *handed, const struct etl_owner *before,
			 const struct etl_owner *after)
{
	const struct etl_index *index = &etl->index;
	const struct task_handed_event *process =
		find_handed(handed, before, named_ns(index, &before->named));
	bool is_shown = !after || has_opcode(&after->named, ETL_THREAD_START);

	if (process && after && named_ns(index, &after->named) < process->to_ns)
		process = NULL;
	if (!is_shown && (process || before->pid != after->pid)) {
		hand_over(etl, windows, before, after, process);
	} else if (is_shown && process && !has_opcode(&before->named, ETL_THREAD_END)) {
		/* Nothing says whose it is after its process: until it starts again. */
		emit_handed(etl, (struct task_handed_event){ .id = before->tid,
							     .from_ns = process->from_ns,
							     .to_ns = INT64_MAX });
	}
}

static enum status judge_all(struct etl *etl)
{
	struct etl_owners *owners = &etl->index.owners;
	struct windows windows = { NULL, 0 };
	struct handed handed = { NULL, 0 };
	bool has_memory = find_windows(&etl->index, &windows) &&
			  hand_over_processes(etl, &windows, &handed);

	for (size_t i = 0; i < owners->count && has_memory; i++) {
		const struct etl_owner *before = &owners->all[i], *after = before + 1;
		bool is_last = i + 1 == owners->count || before->tid != after->tid;

		judge_thread(etl, &windows, &handed, before, is_last ? NULL : after);
	}
	free(windows.all);
	free(handed.all);
	return has_memory ? ST_OK : ST_NOMEM;
}

enum status etl_hand_over(struct reader *reader)
{
	struct etl *etl = reader->state;
	struct etl_owners *owners = &etl->index.owners;
	enum status status = ST_OK;

	if (owners->count)
		qsort(owners->all, owners->count, sizeof(*owners->all), by_thread);
	if (owners->process_count)
		qsort(owners->processes, owners->process_count,
		      sizeof(*owners->processes), by_process);
	if (owners->count || owners->process_count)
		status = judge_all(etl);
	etl_owners_release(owners);
	return status == ST_NOMEM ? error_nomem(&reader->error) : status;
}
