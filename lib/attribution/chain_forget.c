/* chain_forget.c - forgets the streams of threads that have ended, of groups of tasks. */
#include "attribution/chain.h"
#include "attribution/chain_steps.h"

#include <stdlib.h>

#include "base/memory.h"

static bool has_ended(const struct stream *stream, int64_t before_ns)
{
	int64_t end_ns =
		stream->thread ? thread_history(stream->thread)->end_ns : INT_NONE;

	return end_ns != INT_NONE && end_ns < before_ns;
}

/* How many have an unknown last interval; false: some are not of tasks. */
static bool count_unfinished(const struct chains *chains, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < chains->stream_count; i++) {
		const struct stream *stream = chains->streams[i];

		if (!stream)
			continue;
		if (!stream->per_task)
			return false;
		*count += chain_is_unfinished(stream);
	}
	return true;
}

static struct stream *copy_stream(struct arena *arena, const struct stream *from)
{
	size_t bytes = (from->slots ? from->slots : 1) * sizeof(*from->last);
	struct stream *copy = arena_alloc(arena, sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *from;
	copy->first = arena_alloc(arena, bytes);
	copy->last = arena_alloc(arena, bytes);
	if (!copy->first || !copy->last)
		return NULL;
	memcpy(copy->first, from->first, bytes);
	memcpy(copy->last, from->last, bytes);
	return copy;
}

static bool copy_cpus(struct chains *to, const struct chains *from)
{
	for (size_t i = 0; i < from->cpu_count; i++) {
		if (!from->cpus[i])
			continue;
		to->cpus[i] = arena_alloc(&to->arena, sizeof(*to->cpus[i]));
		if (!to->cpus[i])
			return false;
		*to->cpus[i] = *from->cpus[i];
	}
	return true;
}

/* An older stream of a number is in the list only, and ended. */
static bool copy_streams(struct chains *to, const struct chains *from, int64_t before_ns)
{
	for (size_t i = 0; i < from->task_streams.capacity; i++) {
		const struct map_slot *slot = &from->task_streams.slots[i];
		struct stream *copy;

		if (!slot->value || has_ended(slot->value, before_ns))
			continue;
		copy = copy_stream(&to->arena, slot->value);
		if (!copy || !map_put(&to->task_streams, slot->key, copy))
			return false;
		to->streams[to->task_stream_count++] = copy;
	}
	return true;
}

bool chains_forget_tasks(struct chains *chains, int64_t before_ns)
{
	struct chains copy = *chains;
	size_t before, after;

	if (chains->task_stream_count == 0 || !count_unfinished(chains, &before))
		return true;
	copy.arena = (struct arena){ NULL };
	copy.task_streams = (struct map){ NULL, 0, 0 };
	copy.task_stream_count = 0;
	copy.cpus =
		memory_alloc_zeroed(chains->cpu_count + 1, sizeof(struct cpu_state *));
	copy.streams = memory_alloc_zeroed(chains->stream_count, sizeof(struct stream *));
	if (!copy.cpus || !copy.streams || !copy_cpus(&copy, chains) ||
	    !copy_streams(&copy, chains, before_ns)) {
		free(copy.cpus);
		free(copy.streams);
		map_release(&copy.task_streams);
		arena_release(&copy.arena);
		return false;
	}
	free(chains->cpus);
	free(chains->streams);
	map_release(&chains->task_streams);
	arena_release(&chains->arena);
	chains->arena = copy.arena;
	chains->task_streams = copy.task_streams;
	chains->task_stream_count = copy.task_stream_count;
	chains->cpus = copy.cpus;
	chains->streams = copy.streams;
	(void)count_unfinished(chains, &after);
	chains->unfinished += before - after;
	return true;
}
