/*
 * etl_handover.c - thread ids that passed to another process while events were lost.
 *
 * Switches name threads alone; whose a thread is, Thread events say.  If the end of one
 * thread and the start of the next one with its id are lost, a later End, rundown or
 * name event shows it: it names another process.  The id changed hands within one of the
 * losses in between.  There it is in doubt whose it was; after the last of them it is the
 * later thread's.
 *
 * All Thread events are collected in the first walk, for the answer must be known before
 * the first switch is charged.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"

/* --- the first walk --- */

static bool names_owner(const struct etl_event *event)
{
	if (!event->is_kernel || event->odd_bits)
		return false;
	switch (event->group << 8 | event->opcode) {
	case ETL_THREAD_START:
	case ETL_THREAD_END:
	case ETL_THREAD_DC_START:
	case ETL_THREAD_DC_END:
	case ETL_THREAD_NAME:
		return true;
	default:
		return false;
	}
}

static bool make_room(struct etl_owners *owners)
{
	size_t room = owners->room ? owners->room * 2 : 256;
	struct etl_owner *all;

	if (owners->count < owners->room)
		return true;
	all = memory_resize(owners->all, room * sizeof(*all));
	if (!all)
		return false;
	owners->all = all;
	owners->room = room;
	return true;
}

bool etl_note_owner(struct etl_index *index, const struct etl_event *event)
{
	struct etl_owners *owners = &index->owners;
	struct etl_owner owner = {
		.ticks = event->ticks,
		.order = (uint32_t)owners->count,
		.segment =
			(uint16_t)(index->segment_count ? index->segment_count - 1 : 0),
		.opcode = event->opcode,
	};
	struct cursor c = event->payload;

	if (!names_owner(event) || !event->has_ticks)
		return true;
	owner.pid = cursor_u32(&c);
	owner.tid = cursor_u32(&c);
	if (event->version == 0 && event->opcode != (ETL_THREAD_NAME & 0xff)) {
		uint32_t tid = owner.pid;

		owner.pid = owner.tid;
		owner.tid = tid;
	}
	if (c.overrun || owner.tid == 0)
		return true;
	if (owners->count >= ETL_OWNERS_MAX) {
		finding_add(index->findings, FINDING_FACT_LIMIT, event->offset, 1);
		return true;
	}
	if (!make_room(owners))
		return false;
	owners->all[owners->count++] = owner;
	return true;
}

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

static int by_thread(const void *left, const void *right)
{
	const struct etl_owner *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	if (a->ticks != b->ticks)
		return a->ticks < b->ticks ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
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

static void hand_over(struct etl *etl, const struct windows *windows,
		      const struct etl_owner *before, const struct etl_owner *after)
{
	const struct etl_index *index = &etl->index;
	struct task_handed_event event = {
		.tid = after->tid,
		.from_ns = etl_ns(&index->segments[before->segment], before->ticks),
		.to_ns = etl_ns(&index->segments[after->segment], after->ticks),
	};
	bool has_ended = before->opcode == (ETL_THREAD_END & 0xff);

	if (event.from_ns == INT_NONE || event.to_ns == INT_NONE ||
	    event.from_ns >= event.to_ns || !narrow(windows, has_ended, &event))
		return;
	event.from_ns++; /* what is known at that moment still holds */
	finding_report(index->findings, FINDING_HANDED_OVER, ERROR_NO_OFFSET,
		       "thread %u is of process %u, later of process %u, and no event "
		       "shows the change: unattributed from %lld to %lld ns",
		       after->tid, before->pid, after->pid, (long long)event.from_ns,
		       (long long)event.to_ns);
	emit_push_event(&etl->output.emit, RECORD_TASK_HANDED, 0, &event, sizeof(event));
}

enum status etl_hand_over(struct reader *reader)
{
	struct etl *etl = reader->state;
	struct etl_owners *owners = &etl->index.owners;
	struct windows windows = { NULL, 0 };

	if (owners->count)
		qsort(owners->all, owners->count, sizeof(*owners->all), by_thread);
	for (size_t i = 1; i < owners->count; i++) {
		const struct etl_owner *before = &owners->all[i - 1], *after = before + 1;

		if (before->tid != after->tid || before->pid == after->pid ||
		    after->opcode == (ETL_THREAD_START & 0xff))
			continue;
		if (!windows.all && !find_windows(&etl->index, &windows))
			return error_nomem(&reader->error);
		hand_over(etl, &windows, before, after);
	}
	free(windows.all);
	etl_owners_release(owners);
	return ST_OK;
}

void etl_owners_release(struct etl_owners *owners)
{
	free(owners->all);
	*owners = (struct etl_owners){ .all = NULL };
}
