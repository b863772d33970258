/* slices.c - turns the ends of intervals into the starts of slices; see slices.h. */
#include "output/perfetto/slices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/temporary.h"
#include "base/text.h"

struct slice_group {
	int64_t group_id;
	uint64_t switches;
	struct slice_lane *lanes;
	struct slice_group *next;
};

struct slice_lane {
	int64_t cpu;
	struct slice_group *group;
	uint64_t switches;
	uint32_t number;
	int64_t last_ns;   /* of the last end */
	uint64_t skipped;  /* since time went back */
	bool is_back;	   /* time went back, and has not reached last_ns again */
	int64_t thread_id; /* whose it was */
	int64_t prev_state;
	bool stays;
	struct slice_lane *next, *next_of_group;
};

enum status slices_open(struct slices *slices, struct error *error)
{
	*slices = (struct slices){ .fd = temporary_open(), .error = error };
	slices->last = &slices->first;
	if (slices->fd < 0)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "cannot create a temporary file: %s", strerror(errno));
	slices->buffer = memory_alloc(SLICES_BUFFERED * sizeof(*slices->buffer));
	return slices->buffer ? ST_OK : error_nomem(error);
}

static enum status flush(struct slices *slices)
{
	if (!os_write_all(slices->fd, slices->buffer,
			  slices->used * sizeof(*slices->buffer)))
		return error_set(slices->error, ST_IO, ERROR_NO_OFFSET,
				 "cannot write a temporary file: %s", strerror(errno));
	slices->written += slices->used;
	slices->used = 0;
	return ST_OK;
}

static enum status put(struct slices *slices, const struct slice_lane *lane,
		       int64_t ts_ns, int64_t thread_id, int64_t prev_state)
{
	slices->buffer[slices->used++] = (struct slice_start){
		.ts_ns = ts_ns,
		.thread_id = thread_id,
		.cpu = (int32_t)lane->cpu,
		.lane = lane->number,
		.prev_state =
			prev_state >= 0 && prev_state < 4096 ? (int32_t)prev_state : 0,
	};
	return slices->used == SLICES_BUFFERED ? flush(slices) : ST_OK;
}

/* From the lane's last end to `start_ns`, and from there on the thread. */
static enum status put_start(struct slices *slices, const struct slice_lane *lane,
			     const struct slice_end *end, int64_t start_ns)
{
	enum status status = ST_OK;

	if (start_ns == lane->last_ns && lane->stays && lane->thread_id == end->thread_id)
		return ST_OK; /* it goes on */
	if (start_ns == lane->last_ns)
		return put(slices, lane, start_ns, end->thread_id, lane->prev_state);
	status = put(slices, lane, lane->last_ns, 0, lane->prev_state);
	return status == ST_OK ? put(slices, lane, start_ns, end->thread_id, 0) : status;
}

/*
 * Perfetto's importer begins no slice with the first switch of a CPU.  The slice of a
 * thread that stays goes on, though this part of it may have no length.
 */
static enum status put_first(struct slices *slices, const struct slice_lane *lane,
			     const struct slice_end *end, int64_t start_ns)
{
	enum status status = ST_OK;

	if (start_ns < end->ts_ns || end->stays)
		status = put(slices, lane, start_ns, 0, 0);
	return status == ST_OK ? put(slices, lane, start_ns, end->thread_id, 0) : status;
}

/* --- lanes --- */

/* NULL: there is none; its key is where it belongs. */
static struct slice_lane *find_lane(const struct slices *slices, int64_t cpu,
				    int64_t group_id, uint64_t *key)
{
	struct slice_lane *lane;

	*key = map_key(group_id, cpu, 0, 0);
	while ((lane = map_get(&slices->lanes, *key)) != NULL &&
	       (lane->cpu != cpu || lane->group->group_id != group_id))
		++*key;
	return lane;
}

static struct slice_group *intern_group(struct slices *slices, int64_t group_id)
{
	struct slice_group *group = map_get(&slices->groups, (uint64_t)group_id);

	if (group)
		return group;
	group = arena_alloc(&slices->arena, sizeof(*group));
	if (!group || !map_put(&slices->groups, (uint64_t)group_id, group))
		return NULL;
	*group =
		(struct slice_group){ .group_id = group_id, .next = slices->first_group };
	slices->first_group = group;
	slices->group_count++;
	return group;
}

static struct slice_lane *new_lane(struct slices *slices, const struct slice_end *end,
				   uint64_t key)
{
	struct slice_lane *lane = arena_alloc(&slices->arena, sizeof(*lane));
	struct slice_group *group = lane ? intern_group(slices, end->group_id) : NULL;

	if (!group || !map_put(&slices->lanes, key, lane))
		return NULL;
	*lane = (struct slice_lane){ .cpu = end->cpu,
				     .group = group,
				     .number = slices->lane_count++,
				     .next_of_group = group->lanes };
	group->lanes = lane;
	*slices->last = lane;
	slices->last = &lane->next;
	return lane;
}

enum status slices_add(struct slices *slices, const struct slice_end *end)
{
	uint64_t key;
	struct slice_lane *lane = find_lane(slices, end->cpu, end->group_id, &key);
	int64_t start_ns = end->ts_ns;
	enum status status;

	if (end->on_cpu_ns > 0 && end->on_cpu_ns <= end->ts_ns)
		start_ns -= end->on_cpu_ns;
	if (lane && end->ts_ns <= lane->last_ns) {
		lane->is_back |= end->ts_ns < lane->last_ns;
		lane->skipped += lane->is_back;
		return ST_OK;
	}
	if (lane) {
		start_ns = start_ns < lane->last_ns ? lane->last_ns : start_ns;
		status = put_start(slices, lane, end, start_ns);
	} else {
		lane = new_lane(slices, end, key);
		if (!lane)
			return error_nomem(slices->error);
		status = put_first(slices, lane, end, start_ns);
	}
	lane->switches += !end->stays;
	lane->group->switches += !end->stays;
	lane->last_ns = end->ts_ns;
	lane->is_back = false;
	lane->thread_id = end->thread_id;
	lane->prev_state = end->prev_state;
	lane->stays = end->stays;
	return status;
}

/* The one that saw more switches first; of equals the first; SWITCH records last. */
static int compare_groups(const void *x, const void *y)
{
	const struct slice_group *a = *(struct slice_group *const *)x;
	const struct slice_group *b = *(struct slice_group *const *)y;

	if ((a->group_id == INT_NONE) != (b->group_id == INT_NONE))
		return a->group_id == INT_NONE ? 1 : -1;
	if (a->switches != b->switches)
		return a->switches > b->switches ? -1 : 1;
	return a->group_id < b->group_id ? -1 : a->group_id > b->group_id;
}

/* Claims the CPUs of a group, as lib/report/totals_lookup.c; false: one was claimed. */
static bool claim_cpus(const struct slice_group *group, struct map *claimed, bool *done)
{
	bool is_first = true;

	for (struct slice_lane *lane = group->lanes; lane && *done;
	     lane = lane->next_of_group) {
		if (!lane->switches)
			continue;
		is_first &= !map_get(claimed, (uint64_t)lane->cpu);
		*done = map_put(claimed, (uint64_t)lane->cpu, lane);
	}
	return is_first;
}

/* Leaves out lanes of groups that saw what another group saw better. */
static bool choose_lanes(struct slices *slices)
{
	struct slice_group **groups =
		memory_alloc((slices->group_count + 1) * sizeof(struct slice_group *));
	struct map claimed = { NULL, 0, 0 };
	bool done = groups != NULL;
	size_t count = 0;

	slices->is_left_out =
		memory_alloc_zeroed(slices->lane_count + (size_t)1, sizeof(bool));
	if (!done || !slices->is_left_out) {
		free(groups);
		return false;
	}
	for (struct slice_group *group = slices->first_group; group; group = group->next)
		groups[count++] = group;
	qsort(groups, count, sizeof(struct slice_group *), compare_groups);
	for (size_t i = 0; i < count && done; i++) {
		bool is_chosen = claim_cpus(groups[i], &claimed, &done) &&
				 (i == 0 || groups[i]->switches > 0) &&
				 (i == 0 || groups[i]->group_id != INT_NONE);

		for (struct slice_lane *lane = groups[i]->lanes; lane;
		     lane = lane->next_of_group)
			slices->is_left_out[lane->number] = !is_chosen;
	}
	map_release(&claimed);
	free(groups);
	return done;
}

enum status slices_finish(struct slices *slices)
{
	enum status status = choose_lanes(slices) ? ST_OK : error_nomem(slices->error);

	for (const struct slice_lane *lane = slices->first; lane && status == ST_OK;
	     lane = lane->next)
		status = put(slices, lane, lane->last_ns, 0, lane->prev_state);
	if (status == ST_OK)
		status = flush(slices);
	if (status == ST_OK && !os_seek(slices->fd, 0))
		status = error_set(slices->error, ST_IO, ERROR_NO_OFFSET,
				   "cannot read a temporary file: %s", strerror(errno));
	return status;
}

/* The next one of any lane. */
static enum status read_start(struct slices *slices, struct slice_start *start)
{
	size_t count = slices->written < SLICES_BUFFERED ? (size_t)slices->written
							 : SLICES_BUFFERED;

	if (slices->used == 0) {
		if (count == 0)
			return ST_END;
		if (!os_read_all(slices->fd, slices->buffer,
				 count * sizeof(*slices->buffer)))
			return error_set(slices->error, ST_IO, ERROR_NO_OFFSET,
					 "cannot read a temporary file: %s",
					 strerror(errno));
		slices->used = count;
		slices->written -= count;
		slices->at = 0;
	}
	*start = slices->buffer[slices->at++];
	if (slices->at == slices->used)
		slices->used = 0;
	return ST_OK;
}

enum status slices_next(struct slices *slices, struct slice_start *start)
{
	enum status status;

	do
		status = read_start(slices, start);
	while (status == ST_OK && slices->is_left_out[start->lane]);
	return status;
}

void slices_warn(const struct slices *slices, const struct sink_options *options,
		 struct str path)
{
	char shown[200] = "", text[400];
	unsigned long long skipped = 0;

	for (const struct slice_lane *lane = slices->first; lane; lane = lane->next)
		skipped += slices->is_left_out[lane->number] ? 0 : lane->skipped;
	if (!skipped || !options->warn)
		return;
	if (path.ptr)
		text_shown(shown, sizeof(shown), path, 120);
	text_print(text, sizeof(text),
		   "%s: the time of a CPU went back: %llu of its intervals are left out",
		   shown, skipped);
	options->warn(options->context, text);
}

void slices_close(struct slices *slices)
{
	if (slices->fd >= 0)
		(void)os_close(slices->fd);
	free(slices->buffer);
	free(slices->is_left_out);
	map_release(&slices->lanes);
	map_release(&slices->groups);
	arena_release(&slices->arena);
	*slices = (struct slices){ .fd = -1 };
}
