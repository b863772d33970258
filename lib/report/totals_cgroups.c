/* totals_cgroups.c - what threads did in control groups: parts of their books. */
#include "report/totals_cgroups.h"

#include "model/row_sums.h"
#include "report/totals_lookup.h"

bool totals_on_cgroup(struct totals *totals, const struct cgroup_row *row)
{
	struct totals_cgroup *cgroup = arena_alloc(&totals->arena, sizeof(*cgroup));

	if (!cgroup)
		return false;
	if (!row_copy(&totals->arena, &tables[RECORD_cgroup], &cgroup->row, row))
		return false;
	return map_put(&totals->cgroup_by_id, (uint64_t)row->cgroup_id, cgroup);
}

struct totals_book *totals_add_part(struct arena *arena, struct totals_book *book,
				    int64_t cgroup_id, size_t slots)
{
	struct totals_book *part =
		arena_alloc(arena, sizeof(*part) + 4 * slots * sizeof(*part->charged));

	if (!part)
		return NULL;
	part->charged = (int64_t *)(part + 1);
	part->interrupts = part->charged + slots;
	part->with_idle = part->interrupts + slots;
	part->unproven = part->with_idle + slots;
	part->summary.thread_id = book->summary.thread_id;
	part->summary.group_id = book->summary.group_id;
	part->summary.running_ns = INT_NONE;
	part->group = book->group;
	part->cgroup_id = cgroup_id;
	part->next = book->parts;
	book->parts = part;
	return part;
}

/* The part of that place, or NULL; *key: where it is, or would be. */
static struct totals_book *find_part(const struct totals *totals, int64_t thread_id,
				     int64_t group_id, int64_t cgroup_id, uint64_t *key)
{
	struct totals_book *part;

	*key = map_key(thread_id, group_id, cgroup_id, 0);
	part = map_get(&totals->part_by_place, *key);
	while (part &&
	       (part->summary.thread_id != thread_id ||
		part->summary.group_id != group_id || part->cgroup_id != cgroup_id))
		part = map_get(&totals->part_by_place, ++*key);
	return part;
}

bool totals_on_cgroup_summary(struct totals *totals, const struct cgroup_summary_row *row)
{
	const struct totals_thread *thread =
		map_get(&totals->thread_by_id, (uint64_t)row->thread_id);
	const struct totals_group *group = totals_group(totals, row->group_id);
	struct totals_book *book =
		thread ? totals_lookup_book(totals, thread, row->group_id) : NULL;
	struct totals_book *part;
	uint64_t key;

	if (!group || !book || row->cgroup_id == INT_NONE || row->cgroup_id == 0 ||
	    find_part(totals, row->thread_id, row->group_id, row->cgroup_id, &key))
		return false;
	part = totals_add_part(&totals->arena, book, row->cgroup_id, group->slots);
	if (!part || !map_put(&totals->part_by_place, key, part))
		return false;
	totals->has_cgroups = true;
	part->summary = (struct thread_summary_row){
		.thread_id = row->thread_id,
		.group_id = row->group_id,
		ROW_SUMS(row),
	};
	return true;
}

bool totals_on_cgroup_charge(struct totals *totals, const struct cgroup_charge_row *row)
{
	const struct totals_counter *counter =
		map_get(&totals->counter_by_id, (uint64_t)row->counter_id);
	struct totals_book *part;
	uint64_t key;

	if (!counter)
		return false;
	part = find_part(totals, row->thread_id, counter->row.group_id, row->cgroup_id,
			 &key);
	if (!part)
		return false;
	part->charged[counter->row.slot] = row->charged;
	part->interrupts[counter->row.slot] = row->interrupts;
	part->with_idle[counter->row.slot] = row->with_idle;
	part->unproven[counter->row.slot] = row->unproven;
	return true;
}
