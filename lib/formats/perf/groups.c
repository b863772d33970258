/*
 * groups.c - the counters that a switch leader reads, learned from its samples.
 *
 * The first sample of a leader names the members of its group.  Each stream, a kernel
 * instance, reads the same members under ids of its own.
 */
#include <stdlib.h>

#include "formats/perf/perf.h"
#include "formats/perf/tracepoints.h"

/* The event of member i of a group read; NULL: unknown. */
static struct perf_event *member_event(struct perf_catalog *catalog,
				       const struct perf_scratch *scratch,
				       struct perf_event *leader,
				       const struct perf_sample *sample, size_t i)
{
	size_t index = leader->number + i;
	struct perf_stream *stream;

	if (sample->has_ids) {
		stream = map_get(&catalog->streams, scratch->value_ids[i]);
		return stream ? stream->event : NULL;
	}
	/* Without ids: perf writes the members of a group in sequence. */
	return index < catalog->event_count ? catalog->events[index] : NULL;
}

/* Finds the members of a group in scratch->members; false: one of them is unknown. */
static bool find_members(struct perf_catalog *catalog, struct perf_scratch *scratch,
			 struct perf_event *leader, const struct perf_sample *sample)
{
	static struct perf_group taken; /* marks those that were met */
	bool found = true;
	size_t count = 0;

	for (; count < sample->count && found; count++) {
		struct perf_event *event =
			member_event(catalog, scratch, leader, sample, count);

		found = event && !event->group && (count == 0) == (event == leader);
		if (!found)
			break;
		event->group = &taken;
		scratch->members[count] = event;
	}
	for (size_t i = 0; i < count; i++)
		scratch->members[i]->group = NULL;
	return found;
}

/* Learns a group from the first sample of its leader; NULL: a member is unknown. */
static struct perf_group *new_group(struct perf_catalog *catalog,
				    struct perf_scratch *scratch,
				    struct perf_stream *stream,
				    const struct perf_sample *sample)
{
	size_t room = sample->count ? sample->count : 1;
	struct perf_group *group;

	scratch->members[0] = stream->event;
	if (catalog->group_count >= PERF_GROUPS_MAX ||
	    !find_members(catalog, scratch, stream->event, sample))
		return NULL;
	group = arena_alloc(&catalog->arena, sizeof(*group));
	if (group)
		group->members =
			arena_alloc(&catalog->arena, room * sizeof(struct perf_event *));
	if (!group || !group->members)
		return NULL;
	group->leader = stream->event;
	group->count = sample->count;
	group->per_task = perf_follows_task(catalog, stream);
	group->per_cgroup = catalog->scope.follows_cgroup && !group->per_task;
	group->never_rotated = true;
	for (size_t i = 0; i < room; i++) {
		struct perf_event *event = scratch->members[i];

		group->members[i] = event;
		event->group = group;
		event->slot = i;
		group->never_rotated &= sample->count == 0 ||
					event->type == PERF_TYPE_SOFTWARE ||
					event->type == PERF_TYPE_TRACEPOINT;
	}
	perf_find_edges(catalog, group);
	group->group_id = ++catalog->group_count;
	return group;
}

/* The ids that a stream reads never change; its first sample has them. */
static bool learn_members(struct perf_catalog *catalog,
			  const struct perf_scratch *scratch, struct perf_stream *stream,
			  const struct perf_group *group,
			  const struct perf_sample *sample)
{
	size_t bytes = sample->count * sizeof(scratch->value_ids[0]);

	for (size_t i = 0; i < sample->count; i++) {
		struct perf_stream *member =
			map_get(&catalog->streams, scratch->value_ids[i]);

		if (!member || member->event != group->members[i])
			return false;
		if (sample->cpu != INT_NONE && !member->is_indexed)
			member->cpu = sample->cpu;
	}
	if (!stream->member_ids)
		stream->member_ids = arena_alloc(&catalog->arena, bytes);
	if (!stream->member_ids)
		return false;
	memcpy(stream->member_ids, scratch->value_ids, bytes);
	stream->summed = NULL;
	return true;
}

/*
 * Other ids than those learned: one of the two samples is damaged.  If the next one has
 * these ids as well, the first was.
 */
static bool other_members(struct perf_catalog *catalog,
			  const struct perf_scratch *scratch, struct perf_stream *stream,
			  const struct perf_group *group,
			  const struct perf_sample *sample)
{
	uint64_t hash = sample->count;

	for (size_t i = 0; i < sample->count; i++)
		hash = (hash ^ scratch->value_ids[i]) * UINT64_C(0x9E3779B97F4A7C15);
	if (stream->suspect != hash) {
		stream->suspect = hash;
		return false;
	}
	stream->shape.bytes = 0;
	return learn_members(catalog, scratch, stream, group, sample);
}

bool perf_has_members(struct perf_catalog *catalog, const struct perf_scratch *scratch,
		      struct perf_stream *stream, const struct perf_group *group,
		      const struct perf_sample *sample)
{
	if (sample->count != group->count)
		return false;
	if (!sample->has_ids)
		return true;
	if (!stream->member_ids)
		return learn_members(catalog, scratch, stream, group, sample);
	if (memcmp(stream->member_ids, scratch->value_ids,
		   sample->count * sizeof(scratch->value_ids[0])) == 0)
		return true;
	return other_members(catalog, scratch, stream, group, sample);
}

/* Files without ids in their samples have one event, with one instance for each CPU. */
struct perf_stream *perf_intern_lone_stream(struct perf_catalog *catalog, int64_t cpu)
{
	/* INT_NONE (no CPU recorded) is one instance as well. */
	uint64_t key = UINT64_C(1) << 63 | (uint64_t)cpu;
	struct perf_stream *stream;

	if (catalog->event_count == 0 || (cpu != INT_NONE && (cpu < 0 || cpu >= CPU_MAX)))
		return NULL;
	stream = map_get(&catalog->streams, key);
	if (!stream && perf_add_id(catalog, catalog->events[0], key))
		stream = map_get(&catalog->streams, key);
	return stream;
}

/*
 * The group of a leader, learned if this is its first sample; NULL: a member is unknown.
 */
struct perf_group *perf_intern_group(struct reader *reader, struct perf_stream *stream,
				     const struct perf_sample *sample, uint64_t offset)
{
	struct perf *perf = reader->state;
	struct perf_group *group = stream->event->group;

	if (group)
		return group->leader == stream->event ? group : NULL;
	perf_find_scope(perf);
	group = new_group(&perf->catalog, &perf->scratch, stream, sample);
	if (!group)
		return NULL;
	group->has_times =
		sample->enabled_ns != INT_NONE && sample->running_ns != INT_NONE;
	if (group->count && !group->never_rotated && !group->has_times)
		finding_add(&reader->findings, FINDING_NO_TIMES, offset, 1);
	perf_emit_group(&perf->rows, group);
	return group;
}
