/*
 * exit_read.c - groups that were read at other moments than switches.
 *
 * What a thread had counted when it ended: a leader that follows threads does not fire
 * for a thread's last switch, because its counters are removed before.  With inherit_stat
 * the kernel then writes a READ record.  It dismantles the group from its last member on
 * (measured on Linux 6.18), so the first such record still has the whole group;
 * perftab-capture asks for that one alone.
 *
 * What a CPU had counted while a thread kept it: perftab-capture writes such records of
 * the leader when a recording begins and ends, and once a second in between.
 */
#include "formats/perf/records.h"

/* The group of a leader; learned from GROUP_DESC if no sample was decoded yet. */
static struct perf_group *find_group(struct reader *reader, struct perf_stream *leader,
				     const struct perf_sample *sample, uint64_t offset)
{
	if (!leader->event->group && leader->event->declared_members != sample->count)
		return NULL;
	return perf_intern_group(reader, leader, sample, offset);
}

/*
 * Decodes the whole group of a READ record into perf->scratch.event.switched; NULL: not
 * of a group that samples switches.
 */
static const struct perf_group *decode_group(struct reader *reader,
					     const struct perf_trailer *id, bool is_task,
					     struct cursor *body, uint64_t offset)
{
	const struct perf_event *event = id->stream->event;
	struct perf *perf = reader->state;
	struct perf_sample sample = { .ts_ns = id->ts_ns };
	struct perf_stream *leader;
	const struct perf_group *group;

	sample.enabled_ns = sample.running_ns = sample.leader_lost = INT_NONE;
	sample.pid = (int32_t)cursor_u32(body);
	sample.tid = (int32_t)cursor_u32(body);
	if (!perf_decode_counts(&perf->scratch, event, body, &sample) || !sample.has_ids)
		return NULL;
	leader = map_get(&perf->catalog.streams, perf->scratch.value_ids[0]);
	if (!leader || !leader->event->is_switch || (is_task && leader->cpu < 0))
		return NULL;
	/* A thread may have ended on another one. */
	sample.cpu = leader->cpu < 0 ? id->cpu : leader->cpu;
	group = find_group(reader, leader, &sample, offset);
	if (!group ||
	    !perf_has_members(&perf->catalog, &perf->scratch, leader, group, &sample))
		return NULL;
	if (leader->number < 0)
		leader->number = perf->catalog.stream_numbers++;
	perf_note_time(&perf->rows, id->ts_ns);
	perf->scratch.event.switched = (struct switch_event){
		.ts_ns = id->ts_ns,
		.cpu = sample.cpu,
		.stream = leader->number,
		.group_id = group->group_id,
		.prev_tid = INT_NONE,
		.next_tid = INT_NONE,
		.prev_state = INT_NONE,
		.per_task = group->per_task,
		.per_cgroup = group->per_cgroup,
		.on_one_cpu = leader->on_one_cpu,
		.never_rotated = group->never_rotated,
		.sample_pid = sample.pid,
		.sample_tid = sample.tid,
		.enabled_ns = sample.enabled_ns,
		.running_ns = sample.running_ns,
		.leader_lost = sample.leader_lost,
		.detail_id = INT_NONE,
		.values = perf->scratch.values,
		.count = sample.count,
		.edges = group->edges,
	};
	return group;
}

bool perf_decode_group_read(struct reader *reader, const struct perf_trailer *id,
			    struct cursor body, struct record *out)
{
	const uint64_t wanted = PERF_FLAG_INHERIT | PERF_FLAG_INHERIT_STAT;
	const struct perf_event *event = id->stream ? id->stream->event : NULL;
	struct perf *perf = reader->state;
	const struct perf_group *group;
	bool is_task, is_exit;

	if (!event || id->ts_ns == INT_NONE || !(event->read_format & PERF_READ_GROUP) ||
	    id->cpu == INT_NONE)
		return false;
	perf_find_scope(perf);
	is_task = perf_follows_task(&perf->catalog, id->stream);
	/* The kernel writes them of members that sum up; perftab-capture of leaders. */
	is_exit = is_task && (event->flags & wanted) == wanted;
	if (is_task && !is_exit && !event->is_switch)
		return false;
	group = decode_group(reader, id, is_task, &body, out->offset);
	if (!group || group->per_task != is_task)
		return false;
	perf->scratch.event.switched.is_final = is_exit;
	perf->scratch.event.switched.is_read = !is_exit;
	out->kind = RECORD_SWITCH;
	return true;
}
